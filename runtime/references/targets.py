"""References: the arrays that a variable may stand for, and the number that says which."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import NoReturn

from autograph.runtime.ir.graph import Atom, Value, leaves
from autograph.runtime.ir.location import Location
from autograph.runtime.ops.views import Step, path_with


class NotByValue(Exception):
    """Raised where a graph by reference has no form by value.

    Attributes:
      reason: the cause.
      location: the user's line.
    """

    def __init__(self, reason: str, location: Location | None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.location = location


def refuse(reason: str, location: Location | None) -> NoReturn:
    raise NotByValue(reason, location)


class Site:
    """The memory of one array; what it holds is a value, which each write replaces."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Target:
    """The memory of an array, or the view of it to which the steps lead."""

    site: Site
    steps: tuple[Step, ...] = ()

    def step(self, *further: Step) -> Target:
        return Target(self.site, reduce(path_with, further, self.steps))

    def is_same(self, other: Target) -> bool:
        return self.site is other.site and self.steps == other.steps

    def values(self) -> list[Value]:
        """The values that its steps use."""
        return [v for v in leaves(self.steps) if isinstance(v, Value)]


@dataclass(frozen=True, slots=True)
class Reference:
    """The targets that a variable may stand for.

    which  the number of the target that it stands for: a constant if that is known.
    """

    targets: tuple[Target, ...]
    which: Atom = 0

    def step(self, step: Step) -> Reference:
        """Returns the view to which a step leads."""
        return Reference(tuple(t.step(step) for t in self.targets), self.which)

    @property
    def only(self) -> Target | None:
        """The one target, if that is known."""
        return self.targets[0] if len(self.targets) == 1 else None


def number_of(target: Target, targets: list[Target]) -> int:
    """Returns the position of a target in a list, at whose end it is put if need be."""
    for k, known in enumerate(targets):
        if known.is_same(target):
            return k
    targets.append(target)
    return len(targets) - 1
