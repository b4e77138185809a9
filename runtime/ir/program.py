"""The program: a graph, the nest of its results, and what it writes to the caller's objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.frame_state import Given
from autograph.runtime.ir.graph import Atom, Equation, Graph, Nest, Value, map_leaves
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.pytree import flatten, map_nest


class Writable(Protocol):
    """A heap location of the caller's."""

    def write(self, contents: Any) -> None: ...


@dataclass
class Program:
    """A graph and what an executor does for the caller with its values.

    result      a nest whose leaves are the graph's values and constants.
    write_back  (input, value): arrays of the caller's that must hold the value afterwards.
    refill      (number, nest): lists and dicts of the caller's that must hold the nest afterwards.
    locations   heap locations outside the arguments, and the nest that each must hold afterwards.
    ordered     the numbers of the inputs that must be in C order; others need plain Python.
    handled     whether the function may catch an exception of the graph's: it then runs again as
                plain Python, so the graph leaves the arguments alone until it comes to its end.
    derived     whether the location of an equation may not tell which handlers are around it: those
                of derivatives are made of others, and Python's own code may catch exceptions.
    by_reference  whether the graph writes arrays in place, in the order of the program.
    decisions   what was decided while tracing: (location, kind, reason).
    raises      whether the function raised while it was traced, so that the graph always does.
    given       how many lists, dicts, sets and objects there are among the arguments.
    traced      the graph before it was optimised.
    before      the program before it was optimised.
    record      what the optimiser did to it.
    pending_containers  the numbers of the caller's containers in pending writes of equations.
    maybe_arguments     results that may be the very value that a written array holds: such a result
                is given back as that array.
    catches     whether a block of the function's catches warnings: where the graph would warn, the
                function runs again as plain Python.
    compares    whether it was asked if an argument is an array outside.
    printed     what the function printed while it was traced.
    views       what makes views of written arrays for the caller, once those are written.
    """

    graph: Graph
    result: Nest
    write_back: tuple[tuple[Value, Atom], ...] = ()
    refill: tuple[tuple[int, Nest], ...] = ()
    handled: bool = False
    locations: tuple[tuple[Writable, Nest], ...] = ()
    derived: bool = True
    ordered: tuple[int, ...] = ()
    by_reference: bool = False
    decisions: tuple[Any, ...] = ()
    raises: bool = False
    given: int = 0
    traced: Graph | None = None
    before: Program | None = None
    record: Record = field(default_factory=Record)
    pending_containers: frozenset[int] = frozenset()
    views: tuple[Equation, ...] = ()
    catches: bool = False
    compares: bool = False
    maybe_arguments: tuple[Value, ...] = ()
    printed: str = ""

    @property
    def containers(self) -> list[int]:
        """The numbers of the caller's containers that are passed after the graph's inputs: those
        that the graph changes or returns; all of them if plain Python may have to run instead."""
        if self.handled or self.ordered:
            return list(range(self.given))
        marks = flatten([self.result, [nest for _, nest in (*self.refill, *self.locations)]])
        returned = {x.number for x in marks if isinstance(x, Given)}
        return sorted(returned | self.pending_containers | {number for number, _ in self.refill})

    def taken(self) -> Iterator[Value]:
        """Yields the values that the caller gets, each as often as it is used for that."""
        contents = [nest for _, nest in (*self.refill, *self.locations)]
        yield from (x for x in flatten([self.result, contents]) if isinstance(x, Value))
        yield from (v for view in self.views for v in view.inputs)

    def line_that_makes(self, nest: Nest) -> Location | None:
        """Returns the first line that makes a value of a nest; None if all of them are given."""
        made = {x for x in flatten(nest) if isinstance(x, Value)}
        lines = (e.location for e in self.graph.walk() if not made.isdisjoint(e.outputs))
        return next(lines, None)

    def not_given(self, atoms: Iterable[Atom]) -> tuple[Value, ...]:
        """Returns the values that are no inputs: an input is the caller's own array anyway."""
        return tuple(v for v in atoms if isinstance(v, Value) and v not in self.graph.inputs)

    def rename(self, now: Callable[[Atom], Atom]) -> None:
        """Replaces every value by what `now` gives for it."""
        self.result = map_nest(now, self.result)
        self.write_back = tuple((target, now(atom)) for target, atom in self.write_back)
        self.views = tuple(replace(e, args=map_leaves(now, e.args), kwargs=map_leaves(
            now, dict(e.kwargs))) for e in self.views)
        self.maybe_arguments = self.not_given(map(now, self.maybe_arguments))
        self.refill = tuple((number, map_nest(now, nest)) for number, nest in self.refill)
        self.locations = tuple((location, map_nest(now, nest)) for location, nest in self.locations)
