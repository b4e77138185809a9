"""Kept arrays: what a loop keeps for its derivative, arrays of one shape, is one array.

A stack has machine code only in a kernel that has all of its life, and what is between the loop
that fills it and the one that reads it need not have any. An array may be in several kernels.
"""

from __future__ import annotations

from functools import cache
from math import prod

from autograph.runtime.ir.graph import Equation, Graph, Value, graphs_in
from autograph.runtime.ir.regions import Loop, as_loop
from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.lower.memory_orders import in_order_of_arguments
from autograph.runtime.ops.indexing import GETITEM, SETITEM
from autograph.runtime.ops.kept_values import NEW_STACK
from autograph.runtime.ops.op import OPS
from autograph.runtime.optimize.kept_values import FilledStack, each_filled
from autograph.runtime.optimize.uses import Uses, dtype_of, known_shape

MOST = 4096
"""Elements of what is kept: to copy more takes longer than to put it on a stack of Python's."""


def keep_in_arrays(graph: Graph) -> None:
    """`kept = []; for i in range(n): kept.append(x)` becomes `kept = np.empty((n, …)); for i in
    range(n): kept[i] = x`, where the trace knows `n` and the shape of `x`, and x lies as rows of an
    array do: a product has other bits for other orders."""
    orders = cache(in_order_of_arguments)
    for called in graphs_in(graph):
        made = {e.outputs[0]: e for e in called.walk() if e.op is NEW_STACK}
        uses = Uses(called) if made else None
        for e in called.walk() if uses else ():
            loop = as_loop(e)
            if uses and loop is not None and loop.constant_length and loop.test is None:
                for stack in each_filled(loop, uses):
                    start = made.get(loop.initial[stack.index])
                    if start is not None and uses.is_single(start.outputs[0]) and (
                            0 < prod(known_shape(stack.item) or (0,)) <= MOST) and (
                                not stack.item.type.has_order or orders(graph)(stack.item)):
                        _keep_in_array(loop, stack, start, uses)


def _keep_in_array(loop: Loop, stack: FilledStack, start: Equation, uses: Uses) -> None:
    """Makes a stack an array, which `start` made."""
    n, shape, dtype = loop.constant_length, known_shape(stack.item), dtype_of(stack.item)
    assert n is not None and shape is not None
    array, k = ArrayType(dtype, (n, *shape)), stack.index
    for v in (start.outputs[0], loop.carried[k], stack.push.outputs[0], stack.result):
        v.type = array
    start.op, start.args = OPS["empty"], ((n, *shape), dtype)
    number = _number_of_iteration(loop, stack.push)
    stack.push.op, stack.push.args = SETITEM, (loop.carried[k], number, stack.item)
    stack.push.collect_inputs()
    for e in uses.of[stack.result]:
        assert e is not None
        e.op = GETITEM


def _number_of_iteration(loop: Loop, before: Equation) -> Value:
    """Returns the number of an iteration, computed before an equation of the body."""
    steps, found = loop.iterable, loop.item
    assert found is not None
    for name, n, neutral in (("subtract", steps.start, 0), ("floor_divide", steps.step, 1)):
        if n != neutral:
            out = Value(PyType(int))
            e = Equation(OPS[name], (found, n), {}, (out,), (), before.location)
            loop.body.equations.insert(loop.body.equations.index(before), e)
            found = out
    return found
