"""Which files git would ignore: the patterns of `.gitignore`, as git's own documentation has
them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autograph.locks import cached_property

NAME = ".gitignore"


@dataclass(frozen=True)
class Pattern:
    """A line of a `.gitignore`: its pattern, the folder below which it counts, and if it
    negates."""

    regex: re.Pattern[str]
    folder: Path
    folders_only: bool
    takes_back: bool

    def matches(self, path: Path, is_folder: bool) -> bool:
        """Returns True if the pattern matches this very path."""
        if self.folders_only and not is_folder:
            return False
        return self.regex.fullmatch(path.relative_to(self.folder).as_posix()) is not None


class Ignored:
    """The patterns that hold in a folder: those of the work tree's root, and so on down to it."""

    def __init__(self, patterns: tuple[Pattern, ...] = ()) -> None:
        self.patterns = patterns

    @classmethod
    def above(cls, folder: Path) -> Ignored:
        """Returns the patterns for the folder that a walk starts in; none outside a work tree."""
        parents = [folder, *folder.parents]
        root = next((i for i, parent in enumerate(parents) if os.path.exists(parent / ".git")), 0)
        found = cls()
        for parent in reversed(parents[: root + 1]):
            found = found.inside(parent)
        return found

    def inside(self, folder: Path) -> Ignored:
        """Returns the patterns for a folder inside this one."""
        try:
            text = (folder / NAME).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return self
        return Ignored(self.patterns + tuple(patterns_of(text.splitlines(), folder)))

    def __call__(self, path: Path, is_folder: bool) -> bool:
        """Returns True if a path below the folder is ignored: the last pattern that matches
        decides."""
        for pattern in self._last_first:
            if pattern.matches(path, is_folder):
                return not pattern.takes_back
        return False

    @cached_property
    def _last_first(self) -> tuple[Pattern, ...]:
        return self.patterns[::-1]


def patterns_of(lines: Iterable[str], folder: Path) -> list[Pattern]:
    """The patterns of a `.gitignore` that lies in `folder`."""
    stripped = (re.sub(r"(?<!\\)\s+$", "", line) for line in lines)
    return [_pattern(line, folder) for line in stripped if line and not line.startswith("#")]


def _pattern(line: str, folder: Path) -> Pattern:
    takes_back, line = line.startswith("!"), line.removeprefix("!")
    folders_only, line = line.endswith("/"), line.rstrip("/")
    anywhere = "/" not in line
    regex = ("(?:.*/)?" if anywhere else "") + regex_of(line.removeprefix("/"))
    return Pattern(re.compile(regex), folder, folders_only, takes_back)


PARTS = re.compile(r"/\*\*/|^\*\*/|/\*\*$|\*+|\?|\[!?[^\]]+\]|\\.|.", re.DOTALL)
MEANS = {"/**/": "/(?:.*/)?", "**/": "(?:.*/)?", "/**": "/.*", "?": "[^/]"}


def regex_of(pattern: str) -> str:
    """The regular expression of a pattern.

    >>> regex_of("doc/**/*.py")
    'doc/(?:.*/)?[^/]*\\\\.py'
    """
    return "".join(map(_part, PARTS.findall(pattern)))


def _part(part: str) -> str:
    if part in MEANS:
        return MEANS[part]
    if part.startswith("*"):
        return "[^/]*"
    if part.startswith("[") and len(part) > 1:
        return "[^" + part[2:] if part[1] == "!" else part
    return re.escape(part[1:] if part.startswith("\\") and len(part) > 1 else part)


def absolute(path: Path) -> Path:
    """The path from the root, symbolic links left as they are."""
    return Path(os.path.abspath(path))
