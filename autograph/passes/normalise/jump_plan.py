"""Describes how the jumps of a block are written when the pass `jumps` rewrites it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from autograph.analysis.completion import Jump


@dataclass(frozen=True)
class JumpPlan:
    """How the jumps of a block are written.

    returning, breaking, continuing
              the flags that each kind of jump sets; None: it stays a jump.
    last      nothing follows the block in its function, so `return` may stay.
    explicit  then a path that ends says `return None`.
    risky     an exception raised while a jump is under way may be caught, and so cancel it.
    """

    returning: tuple[str, ...] | None = None
    breaking: tuple[str, ...] | None = None
    continuing: tuple[str, ...] | None = None
    last: bool = False
    explicit: bool = False
    risky: bool = False

    @property
    def keeps(self) -> bool:
        """Returns True if every jump stays a jump, and something may follow."""
        return not self.last and self.returning is self.breaking is self.continuing is None

    def flags(self, kind: Jump) -> tuple[str, ...] | None:
        """Returns the flags that one kind of jump sets."""
        return {Jump.RETURN: self.returning, Jump.BREAK: self.breaking,
                Jump.CONTINUE: self.continuing}[kind]

    def skipping(self, flag: str) -> JumpPlan:
        """Returns the same plan, with one more flag set by every jump."""
        def more(flags: tuple[str, ...] | None) -> tuple[str, ...] | None:
            return None if flags is None else (*flags, flag)

        return replace(self, returning=more(self.returning), breaking=more(self.breaking),
                       continuing=more(self.continuing))


KEEP = JumpPlan()
"""The plan by which every jump stays a jump."""
