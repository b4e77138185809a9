"""Formats printed code with black or ruff, which are programs of their own."""

from __future__ import annotations

import subprocess
import sys

from autograph.tools.targets import UsageError

COMMANDS = {"black": ("black", "--quiet", "-"), "ruff": ("ruff", "format", "--quiet", "-")}
NAMES = ("none", *COMMANDS)


def formatted(text: str, formatter: str) -> str:
    """Returns the text after the formatter has run over it; "none" returns it unchanged.

    Raises:
      UsageError: the formatter is not installed, or cannot read the text.
    """
    if formatter == "none":
        return text
    done = subprocess.run([sys.executable, "-m", *COMMANDS[formatter]], input=text.encode(),
                          capture_output=True, check=False)
    if done.returncode:
        said = (done.stderr.decode(errors="replace").strip().splitlines() or ["no message"])[-1]
        raise UsageError(f"--formatter {formatter} failed: {said} (is it installed? "
                         f"pip install {formatter})")
    return done.stdout.decode()
