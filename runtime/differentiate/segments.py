"""Loops in segments: a derivative keeps the state between them, and runs one segment again at a
time.

Segment k has k + 1 iterations. So n iterations are about sqrt(2 n) segments, none is longer than
that, and nobody has to know n before the loop has ended.

Source: A. Griewank, A. Walther, Evaluating Derivatives (2008), chapter 12.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.differentiate.activity import may_vary
from autograph.runtime.differentiate.cotangents import is_array_like
from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.regions import Loop, as_loop
from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.ir.visitor import copied
from autograph.runtime.ops.control import FOR, WHILE
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.record import record, recorded_at
from autograph.runtime.symbolic.tensor import Tensor, apply, lower

INT = PyType(int)

SHORT = 4
"""A loop that is known to have no more iterations is left as it is."""

Wrapper = Callable[[Callable[..., Any], tuple[Any, ...]], Any]


def record_in_segments(equations: Sequence[Equation], wrapped: Wrapper) -> None:
    """Records equations, the loops among them in segments.

    wrapped(fn, args) records `fn(*args)` with a derivative that computes it again; fn may have
    derivatives by its arguments only.
    """
    here = trace.current_region()
    assert here is not None
    for e in equations:
        loop = as_loop(e)
        if loop is None or not _has_segments(loop):
            here.graph.equations.append(e)
            continue
        with recorded_at(e.location):
            here.graph.equations.append(_Segments(loop, wrapped).equation())


def _has_segments(loop: Loop) -> bool:
    """Returns True if a loop is long, goes over what has positions, and if derivatives can only
    pass through numbers and arrays."""
    iterable = loop.iterable
    goes = not loop.is_for or type(iterable) is range or (isinstance(iterable, Value) and (
        iterable.type == PyType(range) or isinstance(iterable.type, ArrayType)))
    length = loop.constant_length
    values = (*loop.carried, *loop.body.free_values())
    return goes and (length is None or length > SHORT) and all(
        is_array_like(v.type) for v in values if may_vary(v.type))


class _Segments:
    """One loop in segments.

    outside  the values from around the loop by which there may be derivatives.
    """

    def __init__(self, loop: Loop, wrapped: Wrapper) -> None:
        self.loop = loop
        self.wrapped = wrapped
        used = (*loop.body.free_values(), *(
            [loop.iterable] if isinstance(loop.iterable, Value) else []))
        self.outside = [v for v in dict.fromkeys(used) if may_vary(v.type)]

    def equation(self) -> Equation:
        """Returns the loop over the segments, with the results of the loop."""
        loop, e = self.loop, self.loop.equation
        number, states = Value(INT, "segment"), _like(loop.carried)
        with trace.region("body") as region:
            made = self.wrapped(
                lambda states, outside: self.segment(Tensor(number), states, outside),
                (list(map(Tensor, states)), list(map(Tensor, self.outside))))
            ends = tuple(map(lower, made))
            following = () if loop.is_for else (lower(apply("add", Tensor(number), 1)),)
            region.graph.outputs = (*following, *ends)
        region.graph.inputs = (number, *states)
        if loop.is_for:
            test = () if loop.test is None else (self.test({}, ()),)
            count = lower(apply("add", apply("int_", np.sqrt(apply(
                "multiply", self.length(), 2.0))), 1))
            return Equation(FOR, (count if isinstance(count, range) else lower(apply(
                "range_", count)), *loop.initial), {}, e.outputs, (region.graph, *test), e.location)
        test = (self.test({}, (Value(INT, "segment"),)),)
        return Equation(WHILE, (0, *loop.initial), {}, (Value(INT, "segments"), *e.outputs),
                        (*test, region.graph), e.location)

    def length(self) -> Any:
        """Returns the number of items that the loop goes over."""
        loop = self.loop
        if loop.constant_length is not None:
            return loop.constant_length
        return apply("len_", Tensor(loop.iterable))

    def test(self, renamed: dict[Value, Any], before: tuple[Value, ...]) -> Graph:
        """Returns a copy of the loop's test, with further inputs before."""
        assert self.loop.test is not None
        test, inputs = self.loop.test, _like(self.loop.test.inputs)
        equations, outputs = copied(test, {**renamed, **dict(zip(test.inputs, inputs,
                                                                  strict=True))})
        return Graph(test.name, (*before, *inputs), equations, tuple(outputs))

    def segment(self, number: Any, states: list[Any], outside: list[Any]) -> list[Tensor]:
        """Records the iterations of one segment on these states; returns those after it."""
        loop = self.loop
        renamed: dict[Value, Any] = dict(zip(self.outside, map(lower, outside), strict=True))
        position, inputs = Value(INT, "k"), _like(loop.carried)
        with trace.region("body") as region:
            given = {**renamed, **dict(zip(loop.carried, inputs, strict=True))}
            if loop.item is not None:
                given[loop.item] = lower(self.item(Tensor(position), renamed))
            equations, outputs = copied(loop.body, given)
            region.graph.equations += equations
            region.graph.outputs = tuple(outputs)
        region.graph.inputs = (position, *inputs)
        test = () if loop.test is None else (self.test(renamed, ()),)
        made = record(FOR, (lower(self.positions(number)), *map(lower, states)), {},
                      (region.graph, *test), tuple(v.type for v in loop.carried))
        return list(map(Tensor, made))

    def positions(self, number: Any) -> Any:
        """Returns the numbers of the iterations of a segment."""
        size = apply("add", number, 1)
        if not self.loop.is_for:
            return apply("range_", size)
        start = apply("floor_divide", apply("multiply", number, size), 2)
        end = apply("min_", apply("add", start, size), self.length())
        return apply("range_", start, end)

    def item(self, position: Any, renamed: dict[Value, Any]) -> Any:
        """Returns the item of one iteration."""
        steps = self.loop.iterable
        if type(steps) is range:
            return apply("add", apply("multiply", position, steps.step), steps.start)
        array: Any = renamed.get(steps, steps) if isinstance(steps, Value) else steps
        return apply("getitem", Tensor(array), position)


def _like(values: Sequence[Value]) -> tuple[Value, ...]:
    return tuple(Value(v.type, v.hint) for v in values)
