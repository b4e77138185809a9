"""Typed views of the equations that hold regions: loops, branches and calls."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from autograph.runtime.ir.graph import CALL, Atom, Equation, Graph, Value

WHILE, FOR, BRANCH = "while", "for", "cond"
"""The names of the ops that hold regions, with CALL."""

LOOPS = frozenset({WHILE, FOR})


class Loop:
    """A view of `results = while(initial …)` or `results = for(iterable, initial …)`.

    equation  the loop.
    test      the region that decides if there is another iteration; None if a `for` has none. It
              takes the carried values.
    body      the region of an iteration. It takes the item of a `for`, then the carried values, and
              gives their next values.
    """

    __slots__ = ("_leading", "body", "equation", "test")

    def __init__(self, e: Equation) -> None:
        self.equation = e
        self.test: Graph | None
        if e.op.name == WHILE:
            self._leading = 0
            self.test, self.body = e.regions
        else:
            self._leading = 1
            self.body, self.test = e.regions if len(e.regions) == 2 else (e.regions[0], None)

    @property
    def kind(self) -> str:
        """`while` or `for`."""
        return self.equation.op.name

    @property
    def is_for(self) -> bool:
        return self._leading == 1

    @property
    def iterable(self) -> Atom:
        """The iterable of a `for` loop; None for a `while` loop."""
        return self.equation.args[0] if self._leading else None

    @property
    def item(self) -> Value | None:
        """The body's input that is the item of a `for` loop."""
        return self.body.inputs[0] if self._leading else None

    @property
    def initial(self) -> tuple[Atom, ...]:
        """The carried values before the first iteration."""
        return self.equation.args[self._leading:]

    @property
    def carried(self) -> tuple[Value, ...]:
        """The carried values, as inputs of the body."""
        return self.body.inputs[self._leading:]

    @property
    def results(self) -> tuple[Value, ...]:
        """The carried values after the last iteration."""
        return self.equation.outputs

    @property
    def constant_length(self) -> int | None:
        """The length of the constant range that a `for` loop runs over; None for other loops."""
        steps = self.iterable
        return len(steps) if type(steps) is range else None

    def drop(self, indices: Collection[int]) -> None:
        """Takes carried values out of the loop, by their positions among them."""
        def left(xs: tuple[Any, ...], leading: int = 0) -> tuple[Any, ...]:
            return tuple(x for k, x in enumerate(xs, -leading) if k not in indices)

        e, body = self.equation, self.body
        e.args, e.outputs = left(e.args, self._leading), left(e.outputs)
        body.inputs, body.outputs = left(body.inputs, self._leading), left(body.outputs)
        if self.test is not None:
            self.test.inputs = left(self.test.inputs)
        e.collect_inputs()

    def in_order(self) -> tuple[Graph, ...]:
        """The regions in the order in which an iteration runs them."""
        return (self.body,) if self.test is None else (self.test, self.body)


class Branch:
    """A view of `results = cond(predicate)` with a region for each case."""

    __slots__ = ("equation", "on_false", "on_true")

    def __init__(self, e: Equation) -> None:
        self.equation = e
        self.on_true, self.on_false = e.regions

    @property
    def predicate(self) -> Atom:
        return self.equation.args[0]

    @property
    def results(self) -> tuple[Value, ...]:
        return self.equation.outputs

    def side(self, truth: bool) -> Graph:
        """The region that runs if the predicate has this truth value."""
        return self.on_true if truth else self.on_false

    def sides(self) -> tuple[tuple[bool, Graph], ...]:
        """Both regions, each with the truth value of the predicate in it."""
        return (True, self.on_true), (False, self.on_false)

    def given(self) -> Iterator[tuple[Atom, Atom]]:
        """Pairs of the outputs that the two regions give for each result."""
        return zip(self.on_true.outputs, self.on_false.outputs, strict=True)


class Call:
    """A view of `results = call(arguments …)` of a graph of its own, which may be this one."""

    __slots__ = ("callee", "equation")

    def __init__(self, e: Equation) -> None:
        self.equation = e
        (self.callee,) = e.regions

    @property
    def arguments(self) -> tuple[Atom, ...]:
        return self.equation.args

    @property
    def results(self) -> tuple[Value, ...]:
        return self.equation.outputs


def is_loop(e: Equation) -> bool:
    return e.op.name in LOOPS


def is_branch(e: Equation) -> bool:
    return e.op.name == BRANCH


def is_call(e: Equation) -> bool:
    return e.op.name == CALL


def as_loop(e: Equation) -> Loop | None:
    """The view of a loop; None for any other equation."""
    return Loop(e) if e.regions and e.op.name in LOOPS else None


def as_for(e: Equation) -> Loop | None:
    """The view of a `for` loop; None for any other equation."""
    return Loop(e) if e.regions and e.op.name == FOR else None


def as_branch(e: Equation) -> Branch | None:
    """The view of a branch; None for any other equation."""
    return Branch(e) if e.regions and e.op.name == BRANCH else None


def as_call(e: Equation) -> Call | None:
    """The view of a call; None for any other equation."""
    return Call(e) if e.regions and e.op.name == CALL else None
