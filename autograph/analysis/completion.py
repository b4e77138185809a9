"""Finds if control can get past a statement, and which jumps lead out of it."""

from __future__ import annotations

from enum import Flag
from typing import Any

import gast

from autograph.analysis.statements import LOOPS, TRY, blocks
from autograph.syntax.node_inventory import HOLDING


class Jump(Flag):
    """Ways out of a statement other than its end and an exception."""

    NONE = 0
    RETURN = 1
    BREAK = 2
    CONTINUE = 4


JUMPS = {gast.Return: Jump.RETURN, gast.Break: Jump.BREAK, gast.Continue: Jump.CONTINUE}
ESCAPING = HOLDING | JUMPS.keys()
STOPPING = frozenset({*JUMPS, *TRY, gast.Raise, gast.If, gast.While, gast.Match})


class Completion:
    """Answers questions about statements; a cache keeps asking at every level of nesting linear."""

    def __init__(self) -> None:
        self._escapes: dict[Any, Jump] = {}
        self._pinned: dict[Any, Jump] = {}
        self._falls: dict[Any, bool] = {}

    def escapes(self, statement: Any) -> Jump:
        """Returns the jumps inside the statement that lead out of it."""
        if (known := self._escapes.get(statement)) is None:
            known = self._escapes[statement] = self._find_escapes(statement)
        return known

    def _find_escapes(self, statement: Any) -> Jump:
        if jump := JUMPS.get(statement.__class__):
            return jump
        if not isinstance(statement, LOOPS):
            return self.out_of(*blocks(statement))
        return (self.out_of(statement.body) & Jump.RETURN) | self.out_of(statement.orelse)

    def out_of(self, *bodies: list[gast.stmt]) -> Jump:
        """Returns the jumps that lead out of the blocks."""
        jumps = Jump.NONE
        for body in bodies:
            for statement in body:
                if statement.__class__ in ESCAPING and (  # most neither jump nor hold others
                        found := self.escapes(statement)) is not Jump.NONE:
                    jumps |= found
        return jumps

    def pinned(self, statement: Any) -> Jump:
        """Returns the jumps out of the statement that must stay jumps: no flag means the same.

        A jump out of a `finally` swallows an exception. The loop that it leaves or continues is
        therefore pinned: it stays a Python loop, and so do the jumps that leave it.
        """
        if (known := self._pinned.get(statement)) is None:
            known = self._pinned[statement] = self._find_pinned(statement)
        return known

    def _find_pinned(self, statement: Any) -> Jump:
        if isinstance(statement, LOOPS):
            pinned = self.is_pinned(statement)
            inside = self.out_of(statement.body) & Jump.RETURN if pinned else Jump.NONE
            return inside | self._pinned_in(statement.orelse)
        jumps = self._pinned_in(*blocks(statement))
        if isinstance(statement, TRY):
            jumps |= self.out_of(statement.finalbody)
        return jumps

    def _pinned_in(self, *bodies: list[gast.stmt]) -> Jump:
        jumps = Jump.NONE
        for body in bodies:
            for statement in body:
                if (found := self.pinned(statement)) is not Jump.NONE:
                    jumps |= found
        return jumps

    def is_pinned(self, loop: Any) -> bool:
        """Returns True if a loop must stay a Python loop because of a jump in it."""
        return bool(self._pinned_in(loop.body))

    def falls(self, statement: Any) -> bool:
        """Returns True if control can get past the statement."""
        if (known := self._falls.get(statement)) is None:
            known = self._falls[statement] = self._find_falls(statement)
        return known

    def block_falls(self, body: list[gast.stmt]) -> bool:
        """Returns True if control can reach the end of the block."""
        for statement in body:  # Python nests few calls that C code makes
            if statement.__class__ in STOPPING and not self.falls(statement):
                return False
        return True

    def _find_falls(self, node: Any) -> bool:
        if isinstance(node, (gast.Return, gast.Raise, gast.Break, gast.Continue)):
            return False
        if isinstance(node, gast.If):
            return self.block_falls(node.body) or self.block_falls(node.orelse)
        if isinstance(node, gast.While):
            return not endless(node) or Jump.BREAK in self.out_of(node.body)
        if isinstance(node, gast.Match):
            return not exhaustive(node) or any(self.block_falls(c.body) for c in node.cases)
        if isinstance(node, TRY):
            return self._try_falls(node)
        return True

    def _try_falls(self, node: Any) -> bool:
        through = self.block_falls(node.body) and self.block_falls(node.orelse)
        handled = any(self.block_falls(handler.body) for handler in node.handlers)
        return (through or handled) and self.block_falls(node.finalbody)


def endless(loop: gast.While) -> bool:
    """Returns True if the test of the loop is a constant that is true."""
    return isinstance(loop.test, gast.Constant) and bool(loop.test.value)


def exhaustive(match: gast.Match) -> bool:
    """Returns True if the last case matches every subject."""
    last = match.cases[-1]
    return last.guard is None and irrefutable(last.pattern)


def irrefutable(pattern: Any) -> bool:
    """Returns True if a pattern matches every subject: `_` or a bare name."""
    if isinstance(pattern, gast.MatchOr):
        return irrefutable(pattern.patterns[-1])
    return isinstance(pattern, gast.MatchAs) and (
        pattern.pattern is None or irrefutable(pattern.pattern))
