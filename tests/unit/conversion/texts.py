"""Prints a digest of the converted text of each file, for runs that must print the same.

    python -m tests.unit.conversion.texts FILE... [--print]
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from autograph.conversion.module import Module
from autograph.syntax.errors import SourceSyntaxError


def converted(path: Path) -> str:
    """A file with every function converted, and what is refused in it."""
    module = Module(path.read_text(encoding="utf-8"), path.name)
    made = module.convert(module.every())
    refused = [f"{o.function.qualname}: {o.error.code}" for o in made.outcomes if o.error]
    return "\n".join([made.text, *refused])


def main() -> None:
    """A line for each file: its digest, its name."""
    for name in (a for a in sys.argv[1:] if not a.startswith("-")):
        try:
            text = converted(Path(name))
        except SourceSyntaxError:
            text = ""
        print(hashlib.sha256(text.encode()).hexdigest() if text else "no Python", name)
        if "--print" in sys.argv:
            print(text)


if __name__ == "__main__":
    main()
