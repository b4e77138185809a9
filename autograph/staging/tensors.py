"""Teaches the operators about the runtime's tensors: what each of them records."""

from __future__ import annotations

import builtins
import operator
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from autograph.operators.control_flow import cond, while_loop
from autograph.operators.logical import and_, in_, is_, not_, or_
from autograph.runtime.control_flow import cond as control
from autograph.runtime.control_flow import loops, regions
from autograph.runtime.heap import plain_containers, run_time_containers
from autograph.runtime.heap.growing_lists import StagedList, holds_symbols
from autograph.runtime.heap.iterators import cursor_of, is_iterator, needs_cursor
from autograph.runtime.heap.objects import is_instance
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.ir.errors import TracingError, UnrollingWarning
from autograph.runtime.ir.types import DYNAMIC, DynamicType, PyType, may_have_memory
from autograph.runtime.ops import pure
from autograph.runtime.ops.state import END, IS_END, NEXT
from autograph.runtime.replacements.functions import symbolic
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.aliasing import may_be_one
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging import iterators, unpacking
from autograph.staging.attributes import class_of
from autograph.staging.builtins import BUILTINS, read_at_run_time
from autograph.staging.generators import Generated, Items, all_of, generated
from autograph.staging.iterables import (
    UNROLL,
    comprehension,
    items_of,
    opened,
    range_of,
    with_opened,
)
from autograph.staging.matches import to_match

Fn = Callable[..., Any]

LOOP, UNROLLED, PYTHON = "one loop", "unrolled", "run while tracing"
"""Kinds of decisions about loops over Python ranges."""


class TensorBackend:
    """Records in the current trace what an operator does with a tensor."""

    def cond(self, pred: Any, true_fn: Fn, false_fn: Fn, operands: tuple[Any, ...]) -> Any:
        return control.cond(pred, true_fn, false_fn, *operands)

    def test(self, test: Fn, state: tuple[Any, ...]) -> Any:
        """What a loop's test gives; if that is symbolic, nothing of its evaluation is recorded."""
        with trace.region("test") as region:
            value = test(*state)
        regions.note_iteration(test)
        if isinstance(value, Tensor) or not (region.graph.equations or region.journal):
            return value
        return test(*state)

    def while_loop(self, test: Fn, body: Fn, loop_vars: tuple[Any, ...],
                   options: Mapping[str, Any]) -> tuple[Any, ...]:
        return loops.while_loop(test, body, loop_vars)

    def for_loop(self, iterable: Any, body: Fn, loop_vars: tuple[Any, ...], test: Fn | None,
                 unroll: bool | None = None) -> Any:
        if type(iterable) is builtins.range:
            return self._python_range(iterable, body, loop_vars, test, unroll)
        if isinstance(iterable, Tensor) and iterable.type == PyType(builtins.range):
            return loops.for_loop(iterable, body, loop_vars, test)
        if run_time_containers.is_iterated_by_run(iterable):
            return loops.for_loop(iterable, body, loop_vars, test, DYNAMIC)
        iterable = opened(iterable)
        if isinstance(iterable, Generated):
            return iterable.loop(body, loop_vars, test)
        if isinstance(iterable, Iterator) and read_at_run_time(iterable):
            return self._drained(iterable, body, loop_vars, test)
        items = items_of(iterable)
        if items is None:
            if needs_cursor(iterable):
                return iterators.loop(cursor_of(iterable), body, loop_vars, test)
            if test is None and trace.tracing():
                return self._unrolled(iterable, body, loop_vars, None)
            if test is None or not isinstance(self.test(test, loop_vars), Tensor):
                return NotImplemented
            if is_iterator(iterable):
                return iterators.loop(cursor_of(iterable), body, loop_vars, test)
            return self._unrolled(iterable, body, loop_vars, test)

        name = loops.names_of(body)[0]

        def indexed(i: Any, *state: Any) -> Any:
            return body(loops.item_named(name, lambda: items.get(i)), *state)

        indexed.__wrapped__ = body  # type: ignore[attr-defined]  # for the variables' names

        steps = range_of(items.length)
        state: Any = self._python_range(steps, indexed, loop_vars, test, unroll) if (
            type(steps) is builtins.range) else loops.for_loop(steps, indexed, loop_vars, test)
        if items.end is not None:
            cond(True if test is None else test(*state), items.end, all_of)
        return state

    def _python_range(self, steps: range, body: Fn, loop_vars: tuple[Any, ...],
                      test: Fn | None, unroll: bool | None = None) -> tuple[Any, ...]:
        """One node if it is long and its body can do with a symbolic index; else round by round.

        `unroll` decides instead: True round by round; False one node, or an error.
        """
        if len(steps) > UNROLL if unroll is None else not unroll:
            wanted = len(trace.wanted())
            try:
                state = loops.for_loop(steps, body, loop_vars, test)
            except TracingError as error:
                if unroll is False:
                    raise
                del trace.wanted()[wanted:]
                state = None  # the body needs the number itself
                trace.decide(UNROLLED, str(error).partition("\n")[0])
            else:
                trace.decide(LOOP if state is not None else PYTHON, f"{len(steps)} rounds")
            if state is not None:
                return state
        elif unroll is None:
            trace.decide(UNROLLED, f"{len(steps)} rounds, of at most {UNROLL}")
        return self._unrolled(steps, body, loop_vars, test)

    def _drained(self, iterator: Iterator[Any], body: Fn, loop_vars: tuple[Any, ...],
                 test: Fn | None) -> tuple[Any, ...]:
        """A loop that takes the items of an iterator from outside when the graph runs."""
        def step(ended: Any, *state: Any) -> tuple[Any, ...]:
            item = apply(NEXT, iterator, END)
            made: tuple[Any, ...] = control.cond(
                apply(IS_END, item), lambda *state: (True, *state),
                lambda *state: (False, *body(item, *state)), *state)
            return made

        def go_on(ended: Any, *state: Any) -> Any:
            return not_(ended) if test is None else and_(not_(ended), lambda: test(*state))

        _, *state = loops.while_loop(go_on, step, (False, *loop_vars))
        return tuple(state)

    def _unrolled(self, items: Iterable[Any], body: Fn, state: tuple[Any, ...],
                  test: Fn | None) -> tuple[Any, ...]:
        """Every round on its own; from the first symbolic test on, under a `cond` each."""
        for item in rounds(items):
            go_on = True if test is None else test(*state)
            if isinstance(go_on, Tensor):
                state = control.cond(go_on, lambda *s, item=item: body(item, *s), all_of, *state)
            elif go_on:
                state = body(item, *state)
            else:
                break
        return state

    def and_(self, first: Any, lazy: tuple[Callable[[], Any], ...]) -> Any:
        return control.cond(first, lambda: self._chain(lazy, True), lambda: first)

    def or_(self, first: Any, lazy: tuple[Callable[[], Any], ...]) -> Any:
        return control.cond(first, lambda: first, lambda: self._chain(lazy, False))

    def _chain(self, lazy: tuple[Callable[[], Any], ...], conjunction: bool) -> Any:
        value, rest = lazy[0](), lazy[1:]
        if not rest:
            return value
        if isinstance(value, Tensor):
            return self.and_(value, rest) if conjunction else self.or_(value, rest)
        if bool(value) is not conjunction:
            return value
        return self._chain(rest, conjunction)

    def not_(self, x: Any) -> Any:
        control.check_predicate(x)
        return apply("not_", x)

    def in_(self, item: Any, container: Any) -> Any:
        if type(item) is SelectedObject:
            return item.each(lambda one: in_(one, container))
        if holds_symbols(item) or isinstance(container, Tensor) or (
                isinstance(container, (list, tuple, deque)) and holds_symbols(
                    list(container) if isinstance(container, deque) else container)):
            return plain_containers.member(item, container)
        return NotImplemented

    def is_(self, x: Any, other: Any) -> Any:
        if type(other) is SelectedObject:
            return other.each(lambda one: is_(x, one))
        if isinstance(x, np.bool_) or isinstance(other, np.bool_):
            same = _is_numpy_bool(x) and _is_numpy_bool(other)
            return apply("truth", x == other) if same else False
        if x is other or not (_may_be_any(x) or _may_be_any(other) or _may_be_one(x, other)):
            return x is other
        return apply(IS, x, other)

    def is_none(self, x: Any) -> Any:
        if not isinstance(x, Tensor):
            return False  # a list, or what is gone through
        if isinstance(x.type, PyType):
            return x.type.cls is type(None)
        return apply("is_none", x) if isinstance(x.type, DynamicType) else False

    def assert_(self, test: Any, message: Callable[[], Any] | None) -> None:
        def fail() -> None:
            raise AssertionError(*(() if message is None else (message(),)))

        control.cond(test, all_of, fail)

    def raise_(self, error: Any, cause: tuple[Any, ...]) -> None:
        if any(isinstance(x, Tensor) for x in (error, *cause)):
            control.raise_value(error, *cause)

    def getitem(self, container: Any, index: Any) -> Any:
        own = isinstance(container, Tensor) or (is_instance(container) and type(
            getattr(type(container), "__getitem__", None)) is FunctionType)
        return container[index] if own else plain_containers.item_of_plain(container, index)

    def formatted(self, template: str, values: tuple[Any, ...]) -> Any:
        return apply("formatted", template, *values) if symbolic(values, {}) else NotImplemented

    def percent(self, template: str, values: Any) -> Any:
        return apply("percent", template, values) if symbolic((values,), {}) else NotImplemented

    def to_match(self, subject: Any) -> Any:
        return to_match(subject)

    def new_list(self, items: list[Any]) -> Any:
        if isinstance(items, Tensor):
            return items
        return run_time_containers.new_container(StagedList(items))

    def new_container(self, value: Any) -> Any:
        return run_time_containers.new_container(value)

    def new_dict(self, pairs: list[tuple[Any, Any]]) -> Any:
        return run_time_containers.new_dict(pairs)

    def new_set(self, items: list[Any]) -> Any:
        return run_time_containers.new_set(items)

    def check_key(self, container: Any, index: Any) -> None:
        plain_containers.check_key(container, index)

    def spread(self, kind: str, parts: tuple[tuple[bool, Any], ...]) -> Any:
        return unpacking.spread(kind, parts)

    def call_spread(self, function: Fn, parts: tuple[tuple[bool, Any], ...],
                    kwargs: Mapping[str, Any]) -> Any:
        return unpacking.call_spread(function, parts, kwargs)

    def unpack_rest(self, x: Any, before: int, after: int) -> Any:
        return unpacking.unpack_rest(x, before, after)

    def compare(self, function: Fn, a: Any, b: Any) -> Any:
        return unpacking.compare(function, a, b)

    def comprehension(self, kind: type | None, fn: Fn, items: Any, where: Fn | None,
                      nested: bool) -> Any:
        return comprehension(kind, fn, items, where, nested)

    def generator(self, function: Fn, push: Callable[[], Fn | None], args: tuple[Any, ...],
                  kwargs: Mapping[str, Any]) -> Any:
        return generated(function, push, args, kwargs)

    def bound(self, value: Any, free: bool) -> Any:
        return value.bound(free) if isinstance(value, Tensor) else value

    def builtin(self, function: Fn, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        args = tuple(x.__ag_read__() if hasattr(type(x), "__ag_read__") else x for x in args)
        staged = BUILTINS.get(function)
        return NotImplemented if staged is None else staged(*with_opened(function, args), **kwargs)


class ListBackend(TensorBackend):
    """What differs for a staged list, which may be known after all, and is true if not empty; and
    for what is gone through lazily, which is always true."""

    def truth(self, x: Any) -> Any:
        """What decides: a bool, or a tensor."""
        if type(x) is not StagedList:
            return isinstance(x, (Items, Generated)) or x
        return apply("truth", x.tensor()) if not x.known else builtins.len(x) > 0

    def cond(self, pred: Any, true_fn: Fn, false_fn: Fn, operands: tuple[Any, ...]) -> Any:
        return cond(self.truth(pred), true_fn, false_fn, *operands)

    def while_loop(self, test: Fn, body: Fn, loop_vars: tuple[Any, ...],
                   options: Mapping[str, Any]) -> tuple[Any, ...]:
        return while_loop(lambda *state: self.truth(test(*state)), body, loop_vars)

    def and_(self, first: Any, lazy: tuple[Callable[[], Any], ...]) -> Any:
        return cond(self.truth(first), lambda: and_(*_called(lazy)), lambda: first)

    def or_(self, first: Any, lazy: tuple[Callable[[], Any], ...]) -> Any:
        return cond(self.truth(first), lambda: first, lambda: or_(*_called(lazy)))

    def not_(self, x: Any) -> Any:
        return not_(self.truth(x))


def rounds(items: Iterable[Any]) -> Iterator[Any]:
    """The items of a loop whose rounds are recorded one by one.

    Warns:
      UnrollingWarning: they were many, and each made the graph longer.
    """
    region, place = trace.current_region(), user_location()
    before, count = 0 if region is None else len(region.graph.equations), 0
    for count, item in enumerate(items, 1):  # noqa: B007
        yield item
    if region is None or place is None or count <= UnrollingWarning.LIMIT:
        return
    if (made := len(region.graph.equations) - before) >= count:
        warnings.warn_explicit(
            f"{count} rounds of a loop over Python values made {made} operations, one behind the "
            f"other\n{place.caret()}\n  hint: loop over a range or an array, which is one "
            "operation however long it is", UnrollingWarning, place.filename, place.line)


def _called(lazy: tuple[Callable[[], Any], ...]) -> tuple[Any, ...]:
    return lazy[0](), *lazy[1:]


IS = pure(operator.is_)


def _may_be_any(x: Any) -> bool:
    """Whether what a value is may be known only when the graph runs."""
    return isinstance(x, Tensor) and isinstance(x.type, (DynamicType, PyType))


def _may_be_one(x: Any, other: Any) -> bool:
    """Whether only the run knows if two arrays are the same one."""
    both = isinstance(x, Tensor) and isinstance(other, Tensor)
    return both and may_have_memory(x.type) and may_have_memory(other.type) and may_be_one(
        x._handle, other._handle)


def _is_numpy_bool(x: Any) -> bool:
    """Whether it is one of NumPy's two booleans, of which there is one object each."""
    return isinstance(x, np.bool_) or (isinstance(x, Tensor) and class_of(x) is np.bool_)


BACKEND = TensorBackend()
"""The backend of tensors; it is active while a trace is being made."""
