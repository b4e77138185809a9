"""The text of a random program."""

from __future__ import annotations

from random import Random


class Text:
    """Lines of a program; every choice comes from `random`."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.loops = 0

    def say(self, depth: int, line: str) -> None:
        """Adds a line."""
        self.lines.append("    " * depth + line)

    def chance(self, share: float) -> bool:
        """Returns True in so many cases, of 1."""
        return self.random.random() < share

    def pick(self, *options: str) -> str:
        """Returns one of some texts."""
        return self.random.choice(options)
