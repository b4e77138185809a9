"""Tangents of indexing, and of what reverse mode records."""

from __future__ import annotations

from autograph.runtime.differentiate.activity import may_vary
from autograph.runtime.differentiate.cotangents import cotangent_type, fitted, is_array_like
from autograph.runtime.differentiate.forward import Walk, tangent_of
from autograph.runtime.differentiate.forward_regions import tangent_type
from autograph.runtime.differentiate.joined import tangent_of_parts
from autograph.runtime.differentiate.reverse import operands_of
from autograph.runtime.ir.graph import Equation, Value
from autograph.runtime.ir.types import DYNAMIC, EITHER, StackType, is_maybe_undefined
from autograph.runtime.ops.kept_values import FILLED, KEPT_AT, KEPT_OR_ZERO
from autograph.runtime.ops.op import OPS
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.tensor import Tensor, apply


@tangent_of("getitem")
def getitem(walk: Walk, e: Equation) -> None:
    """The item of the tangent."""
    x, index = e.args
    if isinstance(x, (tuple, list, dict)):
        walk.put(e.outputs[0], apply("getitem", walk.with_tangents(x), operands_of(index)))
    elif walk.has(x):
        t, at = walk.of(x), operands_of(index)
        walk.put(e.outputs[0], apply("getitem", t, at) if is_array_like(cotangent_type(x)) else
                 apply("kept_or_zero", t, at, Tensor(e.outputs[0])), fits=True)
    elif not isinstance(x, Value) and walk.has(index):
        tangent_of_parts(walk, e)


@tangent_of("setitem")
def setitem(walk: Walk, e: Equation) -> None:
    """The tangent is stored where the value is."""
    x, index, value = e.args
    t = walk.of(value)
    if isinstance(value, (list, tuple)) and walk.has(value):
        t = apply("array", walk.with_tangents(value))
    walk.put(e.outputs[0], apply("setitem", walk.dense(x), operands_of(index),
                                 0.0 if t is None else t))


@tangent_of("update_view")
def update_view(walk: Walk, e: Equation) -> None:
    """The same through views."""
    x, index, value, path = e.args
    t = walk.of(value)
    walk.put(e.outputs[0], apply("update_view", walk.dense(x), operands_of(index),
                                 0.0 if t is None else t, operands_of(path)))


@tangent_of("part")
def part(walk: Walk, e: Equation) -> None:
    """The same piece of the tangent."""
    walk.put(e.outputs[0], apply("part", walk.of(e.args[0]), *operands_of(e.args[1:])))


@tangent_of("select_")
def select(walk: Walk, e: Equation) -> None:
    """The tangent of the chosen value."""
    test, a, b = e.args
    t = [walk.or_zeros(x, e.outputs[0]) for x in (a, b)]
    walk.put(e.outputs[0], apply("select_", operands_of(test), *t))


@tangent_of("push")
def push(walk: Walk, e: Equation) -> None:
    """A stack of tangents beside the stack."""
    stack, x = e.args
    made = record(OPS["push"], (walk.dense(stack)._handle.value, walk.dense(x)._handle.value), {})
    walk.tangents[e.outputs[0]] = Tensor(made[0])


@tangent_of("in_frame")
def in_frame(walk: Walk, e: Equation) -> None:
    """Reads all of what a frame of tangents has there: it has zeros of what has none."""
    (frame, k, _), (result,) = e.args, e.outputs
    if walk.has(frame) and may_vary(result.type):
        t = record(KEPT_OR_ZERO, (walk.dense(frame)._handle.value, k, result), {})
        if isinstance(kind := t[0].type, StackType) and kind.item != DYNAMIC:
            t = record(FILLED, (t[0], result), {}, types=(kind,))
        walk.tangents[result] = Tensor(t[0])


@tangent_of("kept_at")
@tangent_of("kept_or_zero")
@tangent_of("popped")
@tangent_of("pushed_none")
@tangent_of("unwrapped")
def first_operand(walk: Walk, e: Equation) -> None:
    """The same of the tangent of the first operand."""
    if walk.has(e.args[0]):
        t, result = walk.dense(e.args[0]), e.outputs[0]
        own = e.op is KEPT_OR_ZERO and result.type == EITHER  # its zero is of the value's class
        item = t.type.item if e.op is KEPT_AT and isinstance(t.type, StackType) else None
        made = record(e.op, (t._handle.value, *e.args[1:]), {}, types=(
            EITHER if own else item if item is not None and is_maybe_undefined(item)
            else tangent_type(result),))
        walk.tangents[result] = fitted(Tensor(made[0]), result) if own else Tensor(made[0])


@tangent_of("add_kept")
def add_kept(walk: Walk, e: Equation) -> None:
    """The tangent of what is added is added to the tangents."""
    stack, k, g = e.args
    walk.tangents[e.outputs[0]] = apply("add_kept", walk.dense(stack), operands_of(k),
                                        walk.dense(g))


@tangent_of("sum_of")
def sum_of(walk: Walk, e: Equation) -> None:
    """The sum of the tangents."""
    walk.tangents[e.outputs[0]] = apply("sum_of", *map(walk.dense, e.args))


@tangent_of("fitted_to")
@tangent_of("number_part")
@tangent_of("filled")
@tangent_of("cleared")
@tangent_of("put_back")
def same_op(walk: Walk, e: Equation) -> None:
    """The same of the tangents; only the first and the third operand have them."""
    g, other, *item = e.args
    t = apply(e.op, walk.dense(g), operands_of(other), *map(walk.dense, item))
    walk.put(e.outputs[0], t, fits=True)
