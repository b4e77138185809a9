"""The user's variables at a line of generated code: whose they are, and which have a value there.

A variable has one at an equation if its value was made before. What a loop makes below the equation
is of an iteration before: plain Python may have no such variable there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from autograph.runtime.diagnostics.tracebacks import activations
from autograph.runtime.ir.graph import Equation, Graph, Value, graphs_in, regions_of
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.user_source import called_at, function_at, operands, scope_at

Names = tuple[tuple[str, str], ...]
"""Local variables of generated code, and the names that they have in the user's; of one name, the
last that is bound has its value."""

Maker = Graph | Location | None
"""The graph that a value is an input of, or the location of the equation that makes it."""


class Variables(NamedTuple):
    """The variables at a location: all that have a value, and those of the function there."""

    known: Names = ()
    own: Names = ()

    def renamed(self, names: Mapping[str, str]) -> Variables:
        """Returns the same variables in code that has other names for them, those that it has."""
        return Variables(*(tuple((names[text], name) for text, name in found if text in names)
                           for found in self))


VariablesAt = Callable[[Location], Variables]


def variables_at(location: Location, graph: Graph, texts: Mapping[Value, str],
                 shown: Mapping[str, str]) -> Variables:
    """Returns the variables at a location.

    texts  the local variables of values of the graph.
    shown  the user's names of those that keep their first value, in the order of assignment.
    """
    makers: dict[str, list[Maker]] = {}
    for value, maker in _made_before(location, graph).items():
        makers.setdefault(texts.get(value, ""), []).append(maker)
    known = tuple((text, name) for text, name in shown.items() if text in makers)

    def own(calls: tuple[Location, ...]) -> Names:
        here, *around = calls
        made = (x for x in known if any(_is_in(maker, calls, graph) for maker in makers[x[0]]))
        return (*(_given(here, around[0], own(tuple(around))) if around else ()), *made)

    return Variables(known, (*own(tuple(activations(location))),
                             *_operands(location, graph, texts)))


def _made_before(location: Location, graph: Graph) -> dict[Value, Maker]:
    """Returns the values that are made before the last equation of a location, or all of them if it
    has none."""
    makers: dict[Value, Maker] = {}
    before, calls = None, tuple(activations(location))
    for each in graphs_in(graph):
        makers.update(dict.fromkeys(each.inputs, each))
        for e, values in _steps(each):
            if not values and e.location == location and tuple(activations(e.location)) == calls:
                before = len(makers)
            makers.update(dict.fromkeys(values, e.location))
    return dict(islice(makers.items(), before))


def _steps(graph: Graph) -> Iterator[tuple[Equation, tuple[Value, ...]]]:
    """Yields the equations in the order in which they begin, each before what it makes."""
    for e in graph.equations:
        yield e, ()
        for region in regions_of(e):
            yield e, region.inputs
            yield from _steps(region)
        yield e, e.outputs


def _is_in(maker: Maker, calls: tuple[Location, ...], graph: Graph) -> bool:
    """Returns True if a value was made in a call: the location of what runs there, and those where
    it and the calls around it were made."""
    function = function_at(calls[0])
    if isinstance(maker, Graph):
        return function.name == maker.name and (maker is not graph or len(calls) == 1)
    return maker is not None and function_at(maker) == function and (
        tuple(activations(maker))[1:] == calls[1:])


def _given(here: Location, call: Location, around: Names) -> Iterator[tuple[str, str]]:
    """Yields the parameters of the function at a location that a call gives variables of those
    around it, if the function binds them to nothing else."""
    scope, values = scope_at(here), {name: text for text, name in around}
    names = operands(call)
    method = bool(names) and names[0].endswith(".")
    if called_at(call) != function_at(here).name or method != (scope.parameters[:1] == ("self",)):
        return
    for parameter, name in zip(scope.parameters, names, strict=False):
        text = values.get(name.removesuffix("."))
        if text is not None and parameter not in scope.rebound:
            yield text, parameter


def _operands(location: Location, graph: Graph, texts: Mapping[Value, str],
              ) -> Iterator[tuple[str, str]]:
    """Yields the variables that are operands of what is computed at a location."""
    for e in graph.walk():
        if e.location == location:
            for name, x in zip(operands(location), e.args, strict=False):
                if name.isidentifier() and isinstance(x, Value) and x in texts:
                    yield texts[x], name
