"""Inputs by reference that lead to what the trace knows by another way, too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograph.libraries import is_library
from autograph.runtime.functions.traced_state import TracedState
from autograph.runtime.heap.callback_changes import changes_of
from autograph.runtime.heap.kept_functions import held_in
from autograph.runtime.heap.locations import Contents
from autograph.runtime.heap.objects import is_instance, module_of
from autograph.runtime.ir.graph import Graph
from autograph.runtime.signatures.shared_parts import reached_from
from autograph.runtime.symbolic.allocation_sites import is_plain_container
from autograph.runtime.symbolic.trace import Trace

CHANGING = ("store", "call")
"""Effects by which a graph may change what an input leads to."""


def want_shared_inputs(run: Trace, graph: Graph, state: TracedState) -> None:
    """Wants as objects of the graph what inputs by reference lead to and the trace knows, if either
    changes anything there: the other would go on with what it held before."""
    known = _known(state)
    inputs = set(map(id, state.references))
    for x in reached_from(state.references) if known else ():
        if id(x) in known and x is known[id(x)].owner and id(x) not in inputs and (
                _acts(graph) or _is_changed(state, known[id(x)])):
            _want(run, x)
    changed = [x for x in known.values() if _is_changed(state, x)]
    led = set(map(id, _led_to_by_methods(state.references))) if changed else set()
    for x in changed:
        if id(x.owner) in led and id(x.owner) not in inputs:
            _want(run, x.owner)


def _want(run: Trace, x: Any) -> None:
    if run.allocations.sites_with([x]) != run.allocations.sites:  # else it is one already
        run.want(x, "is in what only the run looks into, too")


def _led_to_by_methods(references: Iterable[Any]) -> list[Any]:
    """Returns what the methods lead to of the objects in inputs by reference: the run calls them,
    as special methods and properties, where the trace sees nothing of it."""
    classes = {type(x) for given in references for x in held_in(given)
               if is_instance(x) or is_plain_container(x)}
    found = changes_of(x for x in classes if not is_library(module_of(x)))
    return found.reached if found else []


def known_elsewhere(graph: Graph, state: TracedState) -> frozenset[int]:
    """Returns the ids of what the trace knows by itself, if inputs by reference, in another call,
    must not lead to it."""
    known = _known(state)
    acts = bool(known) and _acts(graph)
    met = set(map(id, reached_from(state.references))) if known else set()
    return frozenset(i for i, x in known.items() if i not in met and (
        acts or _is_changed(state, x)))


def _known(state: TracedState) -> dict[int, Contents]:
    """Returns, by id, the containers and objects that the trace finds by itself, if there are
    inputs by reference."""
    return {id(x): location for location in state.known if isinstance(location, Contents)
            for x in (location.owner, location.container)}


def _acts(graph: Graph) -> bool:
    """Returns True for a graph that may change what an input leads to."""
    return any(e.op.effect in CHANGING for e in graph.walk())


def _is_changed(state: TracedState, location: Contents) -> bool:
    return location in state.before and not location.same(
        state.before[location], location.read())
