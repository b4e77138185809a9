"""Memory while a graph is rewritten: what each array holds, and the equations that change it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, atom_type, map_leaves
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.types import DYNAMIC, ArrayType, Type, join, operand_type
from autograph.runtime.ops.control import COND
from autograph.runtime.ops.indexing import GETITEM, SETITEM
from autograph.runtime.ops.op import OPS, Op
from autograph.runtime.ops.views import UPDATE_VIEW
from autograph.runtime.references.targets import Reference, Site, Target

EQUAL = OPS["equal"]

Update = Callable[[Atom, tuple[Any, ...]], Atom]
"""Gives what an array holds after a store, from what it holds and the steps to the view."""


class Memory:
    """The contents of all sites, and the equations so far of the block that is being written.

    equation  the equation that is rewritten: new ones have its location.
    """

    def __init__(self) -> None:
        self.contents: dict[Site, Atom] = {}
        self.equations: list[Equation] = []
        self.equation: Equation | None = None

    @property
    def location(self) -> Location | None:
        return self.equation.location if self.equation is not None else None

    # -- equations --------------------------------------------------------------------------------

    def add(self, op: Op, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None,
            types: Sequence[Type] | None = None, regions: tuple[Graph, ...] = (),
            outputs: tuple[Value, ...] | None = None) -> tuple[Value, ...]:
        """Adds an equation; returns its outputs, whose types follow from the op's rule."""
        e = self.equation
        if outputs is None:
            known = _inferred(op, args, kwargs or {}) if types is None else types
            outputs = tuple(Value(t) for t in known)
        self.equations.append(Equation(
            op, args, kwargs or {}, outputs, regions, self.location,
            e.settings if e is not None else (), None, e is not None and e.pinned))
        return outputs

    def as_content(self, container: Value) -> Value:
        """Returns a new list or dict as what a site holds: a value of which no type is known."""
        container.type = DYNAMIC
        return container

    def type_of(self, op: Op, args: tuple[Any, ...]) -> Type:
        """Returns the type of an op's one result."""
        return _inferred(op, args, {})[0]

    @contextmanager
    def block(self, equations: list[Equation], contents: dict[Site, Atom] | None = None
              ) -> Iterator[dict[Site, Atom]]:
        """Adds equations to those of a region, and lets its stores change contents of their own;
        gives those."""
        outer = self.equations, self.contents
        self.equations = equations
        self.contents = dict(self.contents) if contents is None else contents
        try:
            yield self.contents
        finally:
            self.equations, self.contents = outer

    def choose(self, predicate: Atom, on_true: Callable[[], Sequence[Atom]],
               on_false: Callable[[], Sequence[Atom]]) -> tuple[Value, ...]:
        """Adds a branch, each of whose sides records its results."""
        sides = []
        for side in (on_true, on_false):
            equations: list[Equation] = []
            with self.block(equations):
                sides.append(Graph("cond", (), equations, tuple(side())))
        types = [join(atom_type(x), atom_type(y))
                 for x, y in zip(sides[0].outputs, sides[1].outputs, strict=True)]
        return self.add(COND, (predicate,), None, types, (sides[0], sides[1]))

    # -- loads and stores -------------------------------------------------------------------------

    def read(self, reference: Reference) -> Atom:
        """Returns what a variable holds now."""
        return self._read(reference.targets, reference.which, 0)

    def _read(self, targets: tuple[Target, ...], which: Atom, first: int) -> Atom:
        if len(targets) == 1:
            return self.read_target(targets[0])
        return self.choose(self.is_number(which, first),
                           lambda: [self.read_target(targets[0])],
                           lambda: [self._read(targets[1:], which, first + 1)])[0]

    def read_target(self, target: Target) -> Atom:
        found = self.contents[target.site]
        for step in target.steps:
            op, args, kwargs = step.call()
            found = self.add(op, (found, *args), kwargs)[0]
        return found

    def write(self, reference: Reference, update: Update) -> None:
        """Stores through a variable: in the array that it stands for, of several."""
        if reference.only is not None:
            target = reference.only
            self.contents[target.site] = update(self.contents[target.site], target.steps)
            return
        for number, target in enumerate(reference.targets):
            old = self.contents[target.site]
            self.contents[target.site] = self.choose(
                self.is_number(reference.which, number),
                lambda old=old, target=target: [update(old, target.steps)],  # type: ignore[misc]
                lambda old=old: [old])[0]  # type: ignore[misc]

    def store(self, index: Any, value: Atom) -> Update:
        """Returns the update of `x[index] = value`."""
        def update(x: Atom, steps: tuple[Any, ...]) -> Atom:
            if steps:
                return self.add(UPDATE_VIEW, (x, index, value, steps))[0]
            return self.add(SETITEM, (x, index, value))[0]

        return update

    # -- numbers of targets ------------------------------------------------------------------------

    def is_number(self, which: Atom, number: int) -> Atom:
        if not isinstance(which, Value):
            return bool(which == number)
        return self.add(EQUAL, (which, np.int64(number)))[0]

    def renumbered(self, which: Atom, table: Sequence[Atom]) -> Atom:
        """Returns the number that a table gives for a number."""
        if not isinstance(which, Value):
            return np.int64(int(table[int(which)]))
        if list(table) == list(range(len(table))):
            return which
        if len(set(table)) == 1:
            return np.int64(table[0])
        return self.add(GETITEM, (np.array(table, np.int64), which))[0]


def _inferred(op: Op, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Type, ...]:
    try:
        found = op.infer(*map_leaves(_type_leaf, args), **map_leaves(_type_leaf, dict(kwargs)))
    except (ValueError, TypeError, IndexError):
        return (DYNAMIC,)
    return found if isinstance(found, tuple) else (found,)


def filler(t: Type) -> Atom:
    """Returns an array of a type; None if the type is not known as a whole."""
    if isinstance(t, ArrayType) and t.dtype is not None and t.shape is not None and all(
            isinstance(d, int) for d in t.shape) and not t.scalar:
        return np.zeros([int(d or 0) for d in t.shape], t.dtype)
    return None


def _type_leaf(leaf: Any) -> Any:
    return operand_type(leaf.type) if isinstance(leaf, Value) else leaf


NUMBER = ArrayType(np.dtype(np.int64), (), scalar=True)
"""The type of the number of a target."""
