"""Counts where control goes on after a statement, and finds jumps that may stay: for `jumps`."""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.completion import JUMPS, Completion, exhaustive
from autograph.analysis.statements import LOOPS, TRY, blocks

JUMP_STATEMENTS = tuple(JUMPS)


class JumpFacts(Completion):
    """The facts about statements that `jumps` asks for, besides how they complete."""

    def __init__(self) -> None:
        super().__init__()
        self._ends: dict[Any, int] = {}

    def ends(self, statement: Any) -> int:
        """Returns the number of paths on which control goes on after a statement."""
        if statement not in self._ends:
            self._ends[statement] = self._count_ends(statement)
        return self._ends[statement]

    def _count_ends(self, statement: Any) -> int:
        if isinstance(statement, gast.If):
            return self.block_ends(statement.body) + self.block_ends(statement.orelse)
        if isinstance(statement, gast.Match):
            return sum(self.block_ends(case.body) for case in statement.cases) + (
                not exhaustive(statement))
        return int(self.falls(statement))

    def block_ends(self, body: list[Any]) -> int:
        """Returns the same for a block, whose own rest is moved first."""
        for index, statement in enumerate(body):
            if self.escapes(statement) and self.ends(statement):
                rest = body[index + 1:]
                return self.block_ends(rest) if rest else self.ends(statement)
            if not self.falls(statement):
                return 0
        return 1

    def is_direct(self, statement: Any) -> bool:
        """Returns True if the jumps are in `try` and `with` only, which stay Python."""
        if isinstance(statement, JUMP_STATEMENTS) or not self.escapes(statement):
            return True
        if isinstance(statement, LOOPS):
            return self.is_pinned(statement)
        return isinstance(statement, (*TRY, gast.With)) and all(
            self.is_direct(inner) for block in blocks(statement) for inner in block)

    def ends_function(self, statement: Any, rest: list[Any]) -> bool:
        """Returns True if every path out of the blocks of a `try` or `with` leaves the function."""
        if rest and self.falls(statement):
            return False
        return not getattr(statement, "orelse", None) or not (
            self.out_of(statement.body) and self.block_falls(statement.body))


def has_exit(statement: Any) -> bool:
    """Returns True if leaving the statement runs code of its own."""
    return isinstance(statement, gast.With) or bool(getattr(statement, "finalbody", None))
