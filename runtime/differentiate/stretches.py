"""A stretch of a trace, by value: derivatives need every value that was there."""

from __future__ import annotations

from collections.abc import Collection
from typing import NoReturn

from autograph.runtime.differentiate.draws import draw_positions
from autograph.runtime.heap.joined_copies import want_changed_copies
from autograph.runtime.ir.errors import NotDifferentiable, at
from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.references.stretch import Stretch, by_value, store_in
from autograph.runtime.references.targets import NotByValue
from autograph.runtime.symbolic import trace


def stretch_of(graph: Graph, start: int, sources: Collection[Value]) -> Stretch:
    """Returns the equations of a graph from `start` on by value, for a derivative.

    Raises:
      NotDifferentiable: they change objects, or which arrays share memory is not known.
    """
    draw_positions(graph, start)
    equations = graph.equations[start:]
    store = store_in(equations)
    if store is None:
        return Stretch(equations, [], {}, {})
    _want_copies(graph)
    try:
        return by_value(_from_inside(graph), start, sources)
    except NotByValue as error:
        _refuse(store, error)


def _want_copies(graph: Graph) -> None:
    """Wants the containers as objects of the graph of which the graph changes a copy: by value,
    nobody sees these changes any more, and only objects have values."""
    here = trace.current_region()
    if here is not None:
        want_changed_copies(here.trace, graph)


def _from_inside(graph: Graph) -> list[Graph]:
    """Returns a graph that is being recorded, and those around it."""
    found = [graph]
    here = trace.current_region()
    while here is not None and here.graph is not graph:
        here = here.parent
    while here is not None and here.parent is not None:
        here = here.parent
        found.append(here.graph)
    return found


def _refuse(store: Equation, error: NotByValue) -> NoReturn:
    raise NotDifferentiable(
        "this program changes objects or arrays while the graph runs "
        f"({store.op.name!r}), and derivatives need every value that was there: {error.reason}"
        f"{at(error.location or store.location)}\n"
        "  hint: make a new array, list or dict instead, and return it; write to an array by its "
        "name") from error
