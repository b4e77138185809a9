"""Births: where in a program the memory of an array was made, followed back through updates,
branches and the loops that carry it."""

from __future__ import annotations

from typing import NamedTuple

from autograph.runtime.ir.graph import Atom, Equation, Value
from autograph.runtime.ir.regions import Loop, as_branch, as_loop

Path = tuple[float, ...]
"""A position in the program: equation, region, equation, … as indices from the outside in."""

Carried = tuple[Equation, int]
"""A loop, and the index of a value that it carries."""


class Birth(NamedTuple):
    """Where the memory of an array was made.

    path   the position.
    loops  the loops that carry the array from there on, the innermost or last first: one that ends
           before its first iteration gives what it began with.
    """

    path: Path
    loops: tuple[Carried, ...] = ()


class Births:
    """Follows arrays back.

    made      the positions at which values are made.
    makers    the equations that make them.
    carriers  for the values that loops carry: the loop, the index there, and its position.
    """

    def __init__(self) -> None:
        self.made: dict[Value, Path] = {}
        self.makers: dict[Value, Equation] = {}
        self.carriers: dict[Value, tuple[Loop, int, Path]] = {}
        self.births: dict[Value, Birth | None] = {}
        self.kept: dict[Carried, bool] = {}

    def born(self, x: Value) -> Birth | None:
        """Returns where the memory of an array was made; None if that is not known."""
        chain: list[Value] = []
        while x not in self.births and (before := self._before(x)) is not None:
            chain.append(x)
            x = before
        if x not in self.births:
            e = self.makers.get(x)
            self.births[x] = Birth(self.made[x]) if e is not None and _makes_memory(e) else None
        found = self.births[x]
        for v in reversed(chain):
            if found is not None and (by := self._carried_by(v)) is not None:
                found = Birth(found.path, (by, *found.loops))
            self.births[v] = found
        return found

    def _carried_by(self, x: Value) -> Carried | None:
        """Returns the loop that carries a value, or of which it is a result."""
        if x in self.carriers:
            loop, k, _ = self.carriers[x]
            return loop.equation, k
        e = self.makers.get(x)
        return (e, e.outputs.index(x)) if e is not None and as_loop(e) is not None else None

    def _before(self, x: Value) -> Value | None:
        """Returns the array, one step back, in whose memory a value is or of which it is a copy."""
        found: Atom | None = None
        e = self.makers.get(x)
        if x in self.carriers:
            loop, k, path = self.carriers[x]
            found = loop.initial[k] if self._keeps(loop, k, path) else None
        elif e is not None and e.op.inplace:
            found = e.args[0]
        elif e is not None and (branch := as_branch(e)) is not None:
            k = e.outputs.index(x)
            sides = {self._from_outside(side.outputs[k], (*self.made[x][:-1], self.made[x][-1]
                                                          - 0.5)) for _, side in branch.sides()}
            found = sides.pop() if len(sides) == 1 else None
        elif e is not None and (inner := as_loop(e)) is not None:
            k = e.outputs.index(x)
            path = (*self.made[x][:-1], self.made[x][-1] - 0.5)
            found = inner.initial[k] if self._keeps(inner, k, path) else None
        return found if isinstance(found, Value) and found in self.made else None

    def _from_outside(self, x: Atom, path: Path) -> Value | None:
        """Returns the array from outside an equation that a value in a region of it comes from."""
        found = x if isinstance(x, Value) and x in self.made else None
        while found is not None and inside(self.made[found], path):
            found = self._before(found)
        return found

    def _keeps(self, loop: Loop, k: int, path: Path) -> bool:
        """Returns True if a loop carries the array that it starts with, or copies of it."""
        key = loop.equation, k
        if key not in self.kept:
            self.kept[key] = False
            x: Value | None = None
            end = loop.body.outputs[k]
            if isinstance(end, Value) and end in self.made:
                x = end
            while x is not None and x is not loop.carried[k]:
                x = self._before(x) if inside(self.made[x], path) else None
            self.kept[key] = x is not None
        return self.kept[key]


def _makes_memory(e: Equation) -> bool:
    """Returns True if the result is an array of its own memory."""
    return not e.op.inplace and e.op.fresh and "copy" not in e.kwargs and len(e.outputs) == 1


def inside(path: Path, loop: Path) -> bool:
    """Returns True if a path is in a region of the loop; the loop's own path is not."""
    return len(path) > len(loop) and path[: len(loop)] == loop
