"""What an executor is given: a graph, the nest of results, and what of the caller's it writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from autograph.runtime.execute.notes import Notes
from autograph.runtime.execute.owing import Given, Owed, Payer
from autograph.runtime.execute.rounds import rounds_of_failure
from autograph.runtime.execute.users_lines import on_users_lines, scope_of
from autograph.runtime.graph import Equation, Graph, Location, Value, map_leaves
from autograph.runtime.nest import flatten, map_nest
from autograph.runtime.optimize.record import Record

NOTE = "add_note"
"""The name under which generated code finds what explains its errors."""


@dataclass
class Program:
    """A graph and what the caller gets from it.

    result      a nest whose leaves are the graph's values and constants.
    write_back  (input, value): arrays of the caller's that must hold the value afterwards.
    refill      (number, nest): lists and dicts of the caller's that must hold the nest afterwards.
    places      what the function can reach and left a symbolic value in, and the nest it must hold.
    ordered     the numbers of the inputs that must be in C order; others need plain Python.
    handled     whether the function may catch an exception of the graph's: it then runs again as
                plain Python, so the graph leaves the arguments alone until it comes to its end.
    by_reference  whether the graph writes arrays in place, in the order of the program.
    decisions   what was decided while tracing: (location, kind, reason).
    raises      whether the function raised while it was traced, so that the graph always does.
    given       how many lists, dicts, sets and objects there are among the arguments.
    traced      the graph before it was optimised.
    before      the program before it was optimised.
    record      what the optimiser did to it.
    owing       the numbers of the caller's containers that an equation owes something.
    chosen      results that may be what a written array holds: then they are that array.
    views       what makes views of written arrays for the caller, once those are written.
    """

    graph: Graph
    result: Any
    write_back: tuple[tuple[Value, Any], ...] = ()
    refill: tuple[tuple[int, Any], ...] = ()
    handled: bool = False
    places: tuple[tuple[Any, Any], ...] = ()
    ordered: tuple[int, ...] = ()
    by_reference: bool = False
    decisions: tuple[Any, ...] = ()
    raises: bool = False
    given: int = 0
    traced: Graph | None = None
    before: Program | None = None
    record: Record = field(default_factory=Record)
    owing: frozenset[int] = frozenset()
    views: tuple[Equation, ...] = ()
    chosen: tuple[Value, ...] = ()

    @property
    def containers(self) -> list[int]:
        """The numbers of the caller's containers that are passed after the graph's inputs: what
        the graph changes or returns; all where plain Python may have to do it."""
        if self.handled or self.ordered:
            return list(range(self.given))
        marks = flatten([self.result, [nest for _, nest in (*self.refill, *self.places)]])
        returned = {x.number for x in marks if isinstance(x, Given)}
        return sorted(returned | self.owing | {number for number, _ in self.refill})

    def taken(self) -> Iterator[Value]:
        """The values that the caller gets, each as often as it is used for that."""
        contents = [nest for _, nest in (*self.refill, *self.places)]
        yield from (x for x in flatten([self.result, contents]) if isinstance(x, Value))
        yield from (v for view in self.views for v in view.inputs)

    def rename(self, now: Callable[[Any], Any]) -> None:
        """Let every value be what `now` says stands for it."""
        self.result = map_nest(now, self.result)
        self.write_back = tuple((target, now(atom)) for target, atom in self.write_back)
        self.views = tuple(replace(e, args=map_leaves(now, e.args), kwargs=map_leaves(
            now, dict(e.kwargs))) for e in self.views)
        self.chosen = tuple(now(v) for v in self.chosen)
        self.refill = tuple((number, map_nest(now, nest)) for number, nest in self.refill)
        self.places = tuple((place, map_nest(now, nest)) for place, nest in self.places)


@dataclass
class Emitted:
    """Generated source, the objects its free names stand for, the user's place of every line, the
    user's names of its variables, the program that it is of, with the names of its inputs, and what
    its lines owe if they raise."""

    source: str
    name: str
    namespace: dict[str, Any]
    locations: dict[int, Location] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    program: Program | None = None
    inputs: tuple[str, ...] = ()
    owing: dict[int, Owed] = field(default_factory=dict)

    def rounds(self, local: Mapping[str, Any]) -> list[str]:
        """In which rounds of its loops the program fails, said in notes, given its local
        variables."""
        program = self.program
        if program is None or program.write_back or not all(name in local for name in self.inputs):
            return []
        return rounds_of_failure(program.graph, [local[name] for name in self.inputs])

    def load(self) -> Callable[..., Any]:
        """Compile; the function takes the graph's inputs and returns the program's result."""
        filename = f"<graph of {self.name}>"
        notes = Notes(filename, self.locations, self.variables, self.rounds)
        explain = Payer(filename, self.owing, notes) if self.owing else notes
        scope = {**self.namespace, NOTE: explain, **scope_of(self.locations.values())}
        code = on_users_lines(compile(self.source, filename, "exec"), self.locations)
        exec(code, scope)  # our own text, not a user's
        run: Callable[..., Any] = scope[self.name]
        return run
