"""The user's variables at a line of generated code: whose they are, and which have a value there.

A variable has one at an equation if its value was made before. What a loop makes below the equation
is of an iteration before: plain Python may have no such variable there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
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
    chains = _Chains()
    made: dict[object, list[int]] = {}  # the numbers of the variables, by what makes them
    for number, (text, _) in enumerate(known):
        for maker in makers[text]:
            made.setdefault(_call_of(maker, graph, chains), []).append(number)
    return Variables(known, (*_own(location, known, made, chains),
                             *_operands(location, graph, texts)))


class _Chains(dict[tuple[Location, int], int]):
    """Numbers of chains of calls, by the innermost of them and the number of those around it."""

    def number(self, calls: Iterable[Location], around: int = 0) -> int:
        """Returns the number of a chain, the outermost call first, in those `around` it."""
        for call in calls:
            around = self.setdefault((call, around), len(self) + 1)
        return around


def _own(location: Location, known: Names, made: Mapping[object, list[int]], chains: _Chains,
         ) -> Names:
    """Returns the variables of the function at a location: those made in that call, and the
    parameters that it was given variables of the call around it for, and so on outwards."""
    names: Names = ()
    chain, call = 0, None
    for here in reversed(list(activations(location))):
        function = function_at(here)
        keys = (function, chain), function.name, (function.name, call is None)
        numbers = sorted({n for key in keys for n in made.get(key, ())})
        names = (*(_given(here, call, names) if call is not None else ()),
                 *(known[n] for n in numbers))
        chain, call = chains.number((here,), chain), here
    return names


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


def _call_of(maker: Maker, graph: Graph, chains: _Chains) -> object:
    """Returns the key of the call in which a value is made: the user's function, and the chain of
    calls around it; the inputs of a graph are made in all calls of the function of its name, those
    of the traced one in the outermost."""
    if isinstance(maker, Graph):
        return (maker.name, True) if maker is graph else maker.name
    if maker is None:
        return None
    _, *around = activations(maker)
    return function_at(maker), chains.number(reversed(around))


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
