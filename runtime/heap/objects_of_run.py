"""Objects of the run: those of the user's that a graph holds as constants, and what they lead to.

The run hands them on as values that the trace does not know. Where it may change one by such a
value, the object has to be one of the graph: else the trace goes on with what it held before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph.libraries import is_library
from autograph.runtime.heap.callback_changes import changes_of, methods_of
from autograph.runtime.heap.joined_copies import originals_of
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.objects import contents_of, is_instance, module_of
from autograph.runtime.ir.graph import Graph, Value, equations_in, leaves, regions_of
from autograph.runtime.ir.pytree import (
    LEAVES,
    all_leaves,
    copied_by,
    field_names,
    is_frozen,
)
from autograph.runtime.ops import OPS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import parts_of


def need_objects_of_run(why: str, by_methods: bool = False) -> None:
    """Makes sure that the objects that the run may find are objects of the graph. `by_methods`: if
    a method of one may change something.

    Raises:
      SymbolicValueError: the trace has to be made again.
    """
    here = trace.current_region()
    if here is None:
        return
    found = list(objects_of_run().values())
    if by_methods and not any(changes_of(methods_of(cls)) for cls in set(map(type, found))):
        return
    known = [x for part in found for x in (part, *originals_of(part))
             if here.trace.allocations.is_known(x)]
    for x in known:
        here.trace.want(x, why)
    if found:
        need_object(known[0] if known else None, why)


def objects_of_run() -> dict[int, Any]:
    """Returns, by id, the objects of the user's that the current regions hold as constants, and
    those that these lead to."""
    here = trace.current_region()
    found: dict[int, Any] = {}
    while here is not None:
        known = here.trace.allocations.constants
        for x in _constants(here.graph, here.scanned):
            known[id(x)] = x
        here.scanned = len(here.graph.equations)
        found, here = known, here.parent
    return _reached(found)


def asked_objects() -> dict[int, Any]:
    """Returns those objects if the graph reads attributes of objects that only the run knows."""
    here = trace.current_region()
    asks = here is not None and any(e.op is ASKED for e in equations_in(here.graph))
    return objects_of_run() if asks else {}


ASKED = OPS["getattr_"]


def _constants(graph: Graph, begin: int = 0) -> Iterator[Any]:
    """Yields the constants of a graph that are no numbers, texts or the like."""
    part = Graph(graph.name)
    part.equations = graph.equations[begin:]
    for e in equations_in(part):
        outputs = [r.outputs for r in regions_of(e)] if e.regions else ()
        for x in leaves((e.args, dict(e.kwargs), *outputs)):
            if not isinstance(x, Value) and type(x) not in LEAVES:
                yield copied_by(x) or x


def _reached(constants: dict[int, Any]) -> dict[int, Any]:
    """Returns the objects of the user's among some values, and in what they hold."""
    found: dict[int, Any] = {}
    pending, seen = list(constants.values()), set[int]()
    while pending:
        x = pending.pop()
        if id(x) in seen or type(x) in LEAVES:
            continue
        seen.add(id(x))
        if is_instance(x) and not is_library(module_of(type(x))):
            found |= {} if field_names(type(x)) and is_frozen(type(x)) else {id(x): x}
            pending += all_leaves(list(contents_of(x).values()))
        else:
            pending += parts_of(x) or ()
    return found
