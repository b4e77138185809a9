"""The user's variables at a line of generated code: whose they are, and which have a value there.

A variable has one at an equation if its value was made before. What a loop makes below the equation
is of an iteration before: plain Python may have no such variable there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from autograph.runtime.diagnostics.tracebacks import activations
from autograph.runtime.ir.graph import Equation, Graph, Value, graphs_in, regions_of
from autograph.runtime.ir.location import MAX_CALLERS, Location
from autograph.runtime.ir.user_source import arguments_at, function_at, operands, scope_at

Names = tuple[tuple[str, str], ...]
"""Local variables of generated code, and the names that they have in the user's; of one name, the
last that is bound has its value."""

Maker = Graph | Location | None
"""The graph that a value is an input of, or the location of the equation that makes it."""


class Variables(NamedTuple):
    """The variables at a location: all that have a value, those of the function there, and its
    parameters that are constants of the trace, with their values."""

    known: Names = ()
    own: Names = ()
    constants: Mapping[str, Any] = {}

    def renamed(self, names: Mapping[str, str]) -> Variables:
        """Returns the same variables in code that has other names for them, those that it has."""
        known, own = (tuple((names[text], name) for text, name in found if text in names)
                      for found in (self.known, self.own))
        return Variables(known, own, self.constants)


VariablesAt = Callable[[Location], Variables]


def variables_at(location: Location, graph: Graph, texts: Mapping[Value, str],
                 shown: Mapping[str, str], constants: Mapping[str, Any]) -> Variables:
    """Returns the variables at a location.

    texts      the local variables of values of the graph.
    shown      the user's names of those that keep their first value, in the order of assignment.
    constants  the parameters of the traced function that are constants of the trace.
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
                             *_operands(location, graph, texts)),
                     constants_at(location, graph.name, constants))


LITERALS = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range)
"""Classes of constants that no program changes."""


def is_literal(x: Any) -> bool:
    """Returns True for constants that no program changes, and for tuples of them."""
    return type(x) in LITERALS or (type(x) is tuple and all(map(is_literal, x)))


def constants_at(location: Location, name: str, constants: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the parameters of the function at a location that are constants of the trace: those
    that the traced function was called with, and those that a call gives such a one, or a literal.
    Empty where the calls around it are not all known, or a lambda is among them.
    """
    calls = list(activations(location))
    outermost = function_at(calls[-1]).name
    found = dict(constants) if outermost == name and _callers(location) < MAX_CALLERS else {}
    for here, call in zip(reversed(calls), (None, *reversed(calls)), strict=False):
        if here.code.co_name == "<lambda>":
            return {}
        if call is not None:
            found = dict(_literals_given(here, call, found))
        scope = scope_at(here)
        found = {p: found[p] for p in scope.parameters if p in found and p not in scope.rebound}
    return found


def _callers(location: Location) -> int:
    """Returns how many of the lines around a location are known; beyond `MAX_CALLERS`, not all."""
    number, caller = 1, location.caller
    while caller is not None:
        number, caller = number + 1, caller.caller
    return number


def _literals_given(here: Location, call: Location, around: Mapping[str, Any],
                    ) -> Iterator[tuple[str, Any]]:
    for parameter, x in arguments_at(call, here).items():
        if isinstance(x, ast.Name) and x.id in around:
            yield parameter, around[x.id]
        try:
            value = ast.literal_eval(x)
        except (ValueError, TypeError):
            continue
        if is_literal(value):
            yield parameter, value


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
    values, rebound = {name: text for text, name in around}, scope_at(here).rebound
    for parameter, x in arguments_at(call, here).items():
        if isinstance(x, ast.Name) and x.id in values and parameter not in rebound:
            yield values[x.id], parameter


def _operands(location: Location, graph: Graph, texts: Mapping[Value, str],
              ) -> Iterator[tuple[str, str]]:
    """Yields the variables that are operands of what is computed at a location."""
    for e in graph.walk():
        if e.location == location:
            for name, x in zip(operands(location), e.args, strict=False):
                if name.isidentifier() and isinstance(x, Value) and x in texts:
                    yield texts[x], name
