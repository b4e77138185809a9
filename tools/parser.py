"""The parser of options that all commands share, their exit codes, and the names of saved files."""

from __future__ import annotations

import argparse
import re
from typing import NoReturn

DONE, FAILED, USAGE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 130

SAVED = re.compile(r".+\.agz(::[\w.]+)?\Z")
"""An argument that names a saved function."""


class Parser(argparse.ArgumentParser):
    """A parser that tells of a mistake in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")
