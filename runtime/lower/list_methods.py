"""Methods of lists: the equations that together are one, such as `xs.insert(0, x)` or `del xs[i]`.

The graph says them by value: which items are where afterwards, or the parts that the new list is
made of. Python does the same in the list itself, or in a copy where the old one is of use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, graphs_in, regions_of
from autograph.runtime.ir.location import Location
from autograph.runtime.ops.container_values import order_after
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.python import LIST_OF, LIST_POP, PICKED

METHODS = frozenset({"remove", "reverse", "__delitem__"})

@dataclass(frozen=True)
class ListMethod:
    """A method that changes a list.

    items  the list as it was.
    steps  the equations before the last one; nothing else uses what they give.
    """

    items: Value
    name: str
    args: tuple[Atom, ...]
    steps: tuple[Equation, ...]

    @property
    def location(self) -> Location | None:
        return self.steps[0].location


NO_METHODS: Mapping[Equation, ListMethod] = {}


def changed_list(e: Equation, methods: Mapping[Equation, ListMethod] = NO_METHODS
                 ) -> tuple[Value, Value] | None:
    """Returns the list that an equation gives with other items, before and after, where Python has
    a method that does that to the list itself; None for other equations."""
    if e in methods:
        return methods[e].items, e.outputs[0]
    if e.op is LIST_POP and isinstance(e.args[0], Value):
        return e.args[0], e.outputs[1]
    if e.op is LIST_OF and len(e.args) > 1 and e.args[0][0] is True and (
            isinstance(e.args[0][1], Value)):
        return e.args[0][1], e.outputs[0]
    return None


def list_methods(graph: Graph) -> dict[Equation, ListMethod]:
    """Returns the methods by the last of their equations, which gives the list as it is then."""
    blocks = [b for g in graphs_in(graph) for b in _blocks(g)]
    found = {last: made for block in blocks for last, made in _methods(block.equations)}
    if not found:
        return found
    uses = Counter(v for b in blocks for e in b.equations for v in e.inputs)
    uses.update(x for b in blocks for x in b.outputs if isinstance(x, Value))
    return {last: made for last, made in found.items() if all(
        uses[e.outputs[0]] == 1 for e in made.steps)}


def _blocks(graph: Graph) -> Iterator[Graph]:
    yield graph
    for e in graph.equations:
        if e.regions:
            for region in regions_of(e):
                yield from _blocks(region)


def _methods(equations: Sequence[Equation]) -> Iterator[tuple[Equation, ListMethod]]:
    for k, e in enumerate(equations):
        made = None
        if e.op is PICKED and k > 0:
            made = _moved(equations[k - 1], e)
        elif e.op is LIST_OF and k > 1:
            made = _inserted(equations[k - 2], equations[k - 1], e)
        if made is not None:
            yield e, made


def _moved(order: Equation, last: Equation) -> ListMethod | None:
    """Returns the method of which `picked(xs, order_after(xs, name, …))` is the result."""
    xs, by = last.args
    if order.op.kernel is not order_after or order.kwargs or by is not order.outputs[0] or not (
            isinstance(xs, Value) and order.args[0] is xs and order.args[1] in METHODS):
        return None
    return ListMethod(xs, order.args[1], order.args[2:], (order,))


def _inserted(a: Equation, b: Equation, last: Equation) -> ListMethod | None:
    """Returns the method of which `[*xs[:i], x, *xs[i:]]` is the result."""
    if a.op is not GETITEM or b.op is not GETITEM or a.args[0] is not b.args[0] or not (
            isinstance(a.args[0], Value) and len(last.args) == 3):
        return None
    (first, before), (second, x), (third, after) = last.args
    if (first, second, third) != (True, False, True) or before is not a.outputs[0] or (
            after is not b.outputs[0]):
        return None
    end, start = a.args[1], b.args[1]
    if type(end) is not slice or type(start) is not slice or end.stop is not start.start or any(
            part is not None for part in (end.start, end.step, start.stop, start.step)):
        return None
    return ListMethod(a.args[0], "insert", (end.stop, x), (a, b))
