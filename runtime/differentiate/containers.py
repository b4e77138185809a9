"""Adjoints and tangents of lists, tuples and dicts that only the run knows.

Their cotangents and tangents are lists and dicts of as many cotangents, None for zero. What is
appended to a list in an iteration is taken off the list of cotangents in the backward one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.differentiate.cotangents import beside
from autograph.runtime.differentiate.forward import TANGENTS, Walk, tangent_of
from autograph.runtime.differentiate.refusals import refuse
from autograph.runtime.differentiate.reverse import COMPOSITES, Sweep, adjoint_of, operands_of
from autograph.runtime.ir.graph import Equation, Value, map_leaves
from autograph.runtime.ir.types import DYNAMIC, ArrayType, PyType
from autograph.runtime.ops.container_values import (
    ENTRIES,
    ENTRIES_LIKE,
    GATHERED,
    PUT_ITEM,
    WITHOUT_ITEM,
)
from autograph.runtime.ops.derivatives import Parts
from autograph.runtime.ops.kept_values import (
    KEYED,
    PAIRED,
    SUM_OF_TANGENTS,
    SUMMAND,
)
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.python import appends
from autograph.runtime.ops.summed_items import SPREAD_OVER, SUMMED_PARTS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.tensor import Tensor, apply, lower

LISTS = (list, tuple)


# -- reverse mode ---------------------------------------------------------------------------------


@adjoint_of("pack")
def pack(sweep: Sweep, e: Equation) -> None:
    """Each part has the cotangent at its place."""
    (g,) = sweep.taken(e)
    sweep.cotangents.add(e.args[0], g, True)


@adjoint_of("of_type")
def of_type(sweep: Sweep, e: Equation) -> None:
    """The cotangent is that of the value itself."""
    sweep.cotangents.add(e.args[0], sweep.taken(e)[0], sweep.is_padded(e), fits=True)


@adjoint_of("list_of")
def list_of(sweep: Sweep, e: Equation) -> None:
    """The items that were appended are taken off; other lists get their pieces."""
    (g,) = sweep.taken(e)
    parts = e.args
    if appends(e):
        for _, x in reversed(parts[1:]):
            if sweep.wants(x):
                sweep.cotangents.add_item(x, g, -1)
            g = apply("popped", g)
        sweep.cotangents.add(parts[0][1], g, True, fits=True)
        return
    at: Any = 0
    for spliced, x in parts:
        if not spliced:
            if sweep.wants(x):
                sweep.cotangents.add_item(x, g, at)
            at = apply("add", at, 1)
            continue
        end = apply("add", at, apply("len_", operands_of(x)))
        if sweep.wants(x):
            piece = apply("getitem", g, slice(at, end))
            sweep.cotangents.add_nest(x, piece, True)
        at = end


@adjoint_of("picked")
def picked(sweep: Sweep, e: Equation) -> None:
    """The items' cotangents go back to where they were."""
    (g,) = sweep.taken(e)
    of_operand(sweep, e, apply("put_at", g, operands_of(e.args[1]), operands_of(e.args[0])))


@adjoint_of("put_at")
def put_at(sweep: Sweep, e: Equation) -> None:
    """The transpose: what stands there is picked."""
    g, order, _ = e.args
    (h,) = sweep.taken(e)
    if sweep.wants(g):
        sweep.cotangents.add(g, apply("picked", h, operands_of(order)), True, fits=True)


@adjoint_of("list_pop")
def list_pop(sweep: Sweep, e: Equation) -> None:
    """The item's cotangent goes back to where it was."""
    items, *index = e.args
    item, rest = e.outputs
    g = sweep.cotangents.take(item)
    made = apply("put_back", sweep.cotangents.of(rest), operands_of(index[0] if index else -1), g)
    sweep.cotangents.add(items, made, True, fits=True)


@adjoint_of("unpacked")
def unpacked(sweep: Sweep, e: Equation) -> None:
    """A list of the cotangents."""
    of_operand(sweep, e, apply("pack", list(sweep.taken(e))))


@adjoint_of("unpacked_rest")
def unpacked_rest(sweep: Sweep, e: Equation) -> None:
    """The same, with those of the rest between them."""
    before = e.args[1]
    gs = [sweep.cotangents.of(v) if i == before else sweep.cotangents.take(v)
          for i, v in enumerate(e.outputs)]
    of_operand(sweep, e, apply("list_of", *((i == before, g) for i, g in enumerate(gs))))


@adjoint_of("construct")
def construct(sweep: Sweep, e: Equation) -> None:
    """A copy of a list, tuple or dict has the cotangent of the original, and a dict of pairs
    those of its values."""
    (g,) = sweep.taken(e)
    x, pairs = _copied(e, sweep.wants)
    if pairs:
        g = apply("paired", g, operands_of(x), pairs == "known")
    of_operand(sweep, e, g, x)


def _copied(e: Equation, has_derivative: Callable[[Any], bool]) -> tuple[Any, str]:
    """Returns that of which an equation makes a copy; and, if it makes a dict of pairs, "known" if
    the keys have no derivatives, or "unknown".

    Raises:
      NotDifferentiable: it makes something else, or a number with a derivative becomes a key.
    """
    cls, *args = e.args
    if cls not in (*LISTS, dict) or len(args) != 1 or e.kwargs:
        refuse(e, f"a {getattr(cls, '__name__', cls)} is made while the graph runs")
    (x,) = args
    if cls is dict and isinstance(x, LISTS) and all(
            isinstance(pair, LISTS) and len(pair) == 2 for pair in x):
        if any(has_derivative(key) for key, _ in x):
            refuse(e, "a number by which there is a derivative becomes a key of a dict")
        return x, "known"
    if cls is dict and isinstance(x, Value) and x.type != PyType(dict):
        return x, "unknown"
    keyed = isinstance(x, dict) or (isinstance(x, Value) and x.type == PyType(dict))
    if keyed != (cls is dict) and not (isinstance(x, Value) and x.type == DYNAMIC):
        refuse(e, f"a {cls.__name__} is made of what has another form; use a comprehension")
    return x, ""


def of_operand(sweep: Sweep, e: Equation, g: Any, x: Any = None) -> None:
    """Adds the cotangent of an operand, the first one if none is given."""
    x = e.args[0] if x is None else x
    if isinstance(x, Value) and x in sweep.cotangents.active:
        g = beside("fitted_to", g, x)
    sweep.cotangents.add(x, g, True)


def _sum_in_loop(items: Any, start: Any = 0) -> Any:
    """Python's `sum` of a list that only the run knows."""
    if isinstance(start, LISTS):
        start = apply("pack", start)  # a loop carries values
    item, total = Value(DYNAMIC, "item"), Value(DYNAMIC, "total")
    with trace.region("body") as region:
        region.graph.outputs = (lower(apply("add", Tensor(total), Tensor(item))),)
    region.graph.inputs = (item, total)
    return Tensor(record(OPS["for"], (lower(items), lower(start)), {}, (region.graph,),
                         (DYNAMIC,))[0])


def is_known_by_run(items: Any) -> bool:
    """Returns True for items that only the run knows: no array has them."""
    return isinstance(items, Value) and not isinstance(items.type, ArrayType)


def _rule_of_sum(e: Equation) -> Parts:
    """Returns the rule of the op, or that of a loop where only the run knows the items."""
    items = e.args[0]
    if is_known_by_run(items):
        return Parts(_sum_in_loop, nests=True)
    assert isinstance(e.op.derivative, Parts)
    return e.op.derivative


@adjoint_of("sum_")
def sum_of_items(sweep: Sweep, e: Equation) -> None:
    """Each item has the cotangent of the sum, if only the run knows the items."""
    gs = sweep.taken(e)
    if not any(v in sweep.cotangents.active for v in e.inputs):
        return
    items, *more = e.args
    if is_known_by_run(items):
        start = e.kwargs.get("start", more[0] if more else 0)
        made = apply(SPREAD_OVER, gs[0], operands_of(items), operands_of(start))
        for k, x in enumerate((items, start)):
            if sweep.wants(x):
                sweep.cotangents.add_nest(x, apply("getitem", made, k), True)
        return
    sweep.parts(e, _rule_of_sum(e), gs)


@adjoint_of(SPREAD_OVER)
@adjoint_of(SUMMED_PARTS)
def parts_of_sum(sweep: Sweep, e: Equation) -> None:
    """Each is the other's transpose."""
    g, *more = e.args
    (h,) = sweep.taken(e)
    if not sweep.wants(g):
        return
    like = [g, *more] if e.op is SPREAD_OVER else more[1:]
    other = SUMMED_PARTS if e.op is SPREAD_OVER else SPREAD_OVER
    sweep.cotangents.add(g, apply(other, h, *operands_of(like)), True, fits=True)


@tangent_of("sum_")
def tangent_of_sum(walk: Walk, e: Equation) -> None:
    """The same."""
    walk.parts(e, _rule_of_sum(e))


def may_be_lists(e: Equation) -> bool:
    """Returns True for `x + y` of which only the run knows whether it joins lists."""
    kinds = DYNAMIC, PyType(list), PyType(tuple)
    return e.op is OPS["add"] and e.outputs[0].type in kinds and all(
        isinstance(x, LISTS) or (isinstance(x, Value) and x.type in kinds) for x in e.args)


def sum_or_join(sweep: Sweep, e: Equation, g: Any) -> bool:
    """Records the adjoint of such a sum; returns False for other equations."""
    if not may_be_lists(e):
        return False
    for k, x in enumerate(e.args):
        if sweep.wants(x):
            of_operand(sweep, e, apply("summand", g, *operands_of(e.args), k), x)
    return True


COMPOSITES.append(sum_or_join)


@adjoint_of(SUMMAND)
def summand(sweep: Sweep, e: Equation) -> None:
    """The other operand's part is zero."""
    g, x, y, k = e.args
    (h,) = sweep.taken(e)
    parts = (None, h) if k else (h, None)
    if sweep.wants(g):
        sweep.cotangents.add(g, apply(SUM_OF_TANGENTS, *parts, *operands_of((x, y))), True,
                             fits=True)


@adjoint_of(SUM_OF_TANGENTS)
def sum_of_tangents(sweep: Sweep, e: Equation) -> None:
    """Each tangent has its own part."""
    *tangents, x, y = e.args
    (h,) = sweep.taken(e)
    for k, t in enumerate(tangents):
        if sweep.wants(t):
            of_operand(sweep, e, apply(SUMMAND, h, *operands_of((x, y)), k), t)


@adjoint_of(PAIRED)
@adjoint_of(KEYED)
def keys_and_pairs(sweep: Sweep, e: Equation) -> None:
    """Each is the other's transpose."""
    g, *more = e.args
    (h,) = sweep.taken(e)
    other = KEYED if e.op is PAIRED else PAIRED
    if sweep.wants(g):
        sweep.cotangents.add(g, apply(other, h, *operands_of(more)), True, fits=True)


@adjoint_of(PUT_ITEM)
def put_item(sweep: Sweep, e: Equation) -> None:
    """The value has the cotangent at its key, and the container before has none there."""
    x, key, value = e.args
    (g,) = sweep.taken(e)
    at = operands_of(key)
    if sweep.wants(value):
        sweep.cotangents.add_item(value, g, at)
    sweep.cotangents.add(x, apply("cleared", g, at), True, fits=True)


@adjoint_of(WITHOUT_ITEM)
def without_item(sweep: Sweep, e: Equation) -> None:
    """The item that was taken away has none."""
    (g,) = sweep.taken(e)
    sweep.cotangents.add(e.args[0], g, True)


@adjoint_of(ENTRIES)
@adjoint_of(ENTRIES_LIKE)
@adjoint_of(GATHERED)
def entries(sweep: Sweep, e: Equation) -> None:
    """Entries and the dict that is gathered from them are each other's transpose."""
    x, *more = e.args
    (g,) = sweep.taken(e)
    like = operands_of(x if e.op is ENTRIES else more[0])
    other = ENTRIES_LIKE if e.op is GATHERED else GATHERED
    if sweep.wants(x):
        sweep.cotangents.add(x, apply(other, g, like, more[-1]), True, fits=True)


# -- forward mode ---------------------------------------------------------------------------------


def tangent_of_sum_or_join(walk: Walk, e: Equation) -> bool:
    """Records the tangent of what may join lists; returns False for other equations."""
    if not may_be_lists(e):
        return False
    tangents = [walk.dense_parts(x) if walk.has(x) else None for x in e.args]
    walk.put(e.outputs[0], apply("sum_of_tangents", *tangents, *operands_of(e.args)))
    return True


TANGENTS.append(tangent_of_sum_or_join)


@tangent_of("pack")
def tangent_of_pack(walk: Walk, e: Equation) -> None:
    """A like nest of the tangents."""
    nest = map_leaves(lambda x: x.read() if isinstance(x, Tensor) else x,
                      walk.dense_parts(e.args[0]))  # one of a branch not taken may be in a frame
    walk.put(e.outputs[0], Tensor(record(e.op, (nest,), {})[0]), fits=True)


@tangent_of("list_of")
def tangent_of_list(walk: Walk, e: Equation) -> None:
    """A list of the tangents."""
    made = apply("list_of", *((spliced, walk.dense_parts(x)) for spliced, x in e.args))
    walk.put(e.outputs[0], made, fits=True)


@tangent_of("picked")
@tangent_of("list_pop")
@tangent_of("unpacked")
@tangent_of("unpacked_rest")
def tangents_of_items(walk: Walk, e: Equation) -> None:
    """The same of the tangents."""
    made = apply(e.op, walk.dense_parts(e.args[0]), *operands_of(e.args[1:]))
    for v, t in zip(e.outputs, made if len(e.outputs) != 1 else (made,), strict=True):
        walk.put(v, t)


@tangent_of("construct")
def tangent_of_construct(walk: Walk, e: Equation) -> None:
    """A copy of the tangents."""
    x, pairs = _copied(e, walk.has)
    t = walk.dense_parts(x)
    made = apply("keyed", t, operands_of(x), pairs == "known") if pairs else apply(
        "construct", dict if e.args[0] is dict else list, t)
    walk.put(e.outputs[0], made, fits=True)


@tangent_of(PUT_ITEM)
def tangent_of_put_item(walk: Walk, e: Equation) -> None:
    """The same store of the tangent."""
    x, key, value = e.args
    made = apply(PUT_ITEM, walk.dense(x), operands_of(key), walk.dense_parts(value))
    walk.put(e.outputs[0], made, fits=True)


@tangent_of(SUM_OF_TANGENTS)
def tangent_of_tangents(walk: Walk, e: Equation) -> None:
    """The same of their tangents."""
    *tangents, x, y = e.args
    moved = [walk.dense_parts(t) if walk.has(t) else None for t in tangents]
    walk.put(e.outputs[0], apply(SUM_OF_TANGENTS, *moved, *operands_of((x, y))), fits=True)


@tangent_of(PAIRED)
@tangent_of(KEYED)
@tangent_of(SUMMAND)
@tangent_of(SPREAD_OVER)
@tangent_of(SUMMED_PARTS)
@tangent_of("put_at")
@tangent_of(WITHOUT_ITEM)
@tangent_of(ENTRIES_LIKE)
@tangent_of(GATHERED)
def tangent_of_first(walk: Walk, e: Equation) -> None:
    """The same of the tangents."""
    x, *more = e.args
    walk.put(e.outputs[0], apply(e.op, walk.dense(x), *operands_of(more)), fits=True)


@tangent_of(ENTRIES)
def tangent_of_entries(walk: Walk, e: Equation) -> None:
    """The tangents of the entries."""
    x, pairs = e.args
    made = apply(ENTRIES_LIKE, walk.dense(x), operands_of(x), pairs)
    walk.put(e.outputs[0], made, fits=True)
