"""Teaches the operators about the runtime's tensors: what each of them records."""

from __future__ import annotations

import builtins
import operator
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FunctionType
from typing import Any

import numpy as np

import autograph.runtime.attributes  # gives Tensor the attributes of ndarray
import autograph.runtime.methods  # noqa: F401  # gives Tensor the methods of ndarray
from autograph import iterators
from autograph.convert import on_call, register_replacement
from autograph.iterables import (
    INDEX_TWINS,
    ITERABLES,
    UNROLL,
    comprehension,
    items_of,
    length_of,
    range_of,
)
from autograph.operators import dispatch
from autograph.operators.builtins import TWINS as OPERATOR_TWINS
from autograph.operators.control_flow import cond, while_loop
from autograph.operators.logical import and_, in_, is_, not_, or_
from autograph.operators.variables import Undefined
from autograph.rules import ARRAY_LIBRARIES, FAMILIES
from autograph.runtime import control, loops, recursion, trace
from autograph.runtime.cursors import cursor_of, is_iterator, needs_cursor
from autograph.runtime.errors import TracingError, UnrollingWarning, at
from autograph.runtime.lists import StagedList
from autograph.runtime.objects import Chosen
from autograph.runtime.ops import OPS, pure
from autograph.runtime.ops.state import END, STATE
from autograph.runtime.tensor import Tensor, apply
from autograph.runtime.twins import (
    FAMILY_TWINS,
    PURE_MODULES,
    TWINS,
    called_as_it_is,
    symbolic,
    text_method,
)
from autograph.runtime.types import ArrayType, DynamicType, PyType
from autograph.staged_generators import Generated, Items, Pushed, all_of, generated, is_symbolic

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
        if type(getattr(type(iterable), "__iter__", None)) is FunctionType and (
                type(iterable) not in dispatch.BACKENDS):
            iterable = iter(iterable)
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
        if type(steps) is builtins.range:
            return self._python_range(steps, indexed, loop_vars, test, unroll)
        return loops.for_loop(steps, indexed, loop_vars, test)

    def _python_range(self, steps: range, body: Fn, loop_vars: tuple[Any, ...],
                      test: Fn | None, unroll: bool | None = None) -> tuple[Any, ...]:
        """One node if it is long and its body can do with a symbolic index; else round by round.

        `unroll` decides instead: True round by round; False one node, or an error.
        """
        if len(steps) > UNROLL if unroll is None else not unroll:
            try:
                state = loops.for_loop(steps, body, loop_vars, test)
            except TracingError as error:
                if unroll is False:
                    raise
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
            item = apply(STATE["next_"], iterator, END)
            made: tuple[Any, ...] = control.cond(
                apply(STATE["is_end"], item), lambda *state: (True, *state),
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
        if type(item) is Chosen:
            return item.each(lambda one: in_(one, container))
        if isinstance(item, Tensor) or isinstance(container, Tensor) or (
                isinstance(container, (list, tuple)) and any(
                    isinstance(x, Tensor) for x in container)):
            return apply("in_", item, container)
        return NotImplemented

    def is_(self, x: Any, other: Any) -> Any:
        if type(other) is Chosen:
            return other.each(lambda one: is_(x, one))
        if isinstance(x, np.bool_) or isinstance(other, np.bool_):
            same = _is_numpy_bool(x) and _is_numpy_bool(other)
            return apply("truth", x == other) if same else False
        if x is other or not (_may_be_any(x) or _may_be_any(other)):
            return x is other
        return apply(IS, x, other)

    def is_none(self, x: Any) -> Any:
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
        return container[index] if isinstance(container, (Tensor, StagedList)) else apply(
            "getitem", container, index)

    def formatted(self, template: str, values: tuple[Any, ...]) -> Any:
        return apply("formatted", template, *values) if symbolic(values, {}) else NotImplemented

    def percent(self, template: str, values: Any) -> Any:
        return apply("percent", template, values) if symbolic((values,), {}) else NotImplemented

    def to_match(self, subject: Any) -> Any:
        known = _class_of(subject) if isinstance(subject, Tensor) else type(subject) is not Chosen
        if known and not (type(subject) is StagedList and not subject.known):
            return subject
        raise TracingError(
            "a match takes apart what is known only when the graph runs"
            f"{at(trace.user_location())}\n  hint: ask with isinstance and ==, in an if statement")

    def new_list(self, items: list[Any]) -> Any:
        return StagedList(items)

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
        return NotImplemented if staged is None else staged(*args, **kwargs)


class ListBackend(TensorBackend):
    """What differs for a staged list: it may be known after all, and is true if not empty."""

    def truth(self, x: Any) -> Any:
        """What decides: a bool, or a tensor."""
        if type(x) is not StagedList:
            return x
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
    region, place = trace.current_region(), trace.user_location()
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


def _is_numpy_bool(x: Any) -> bool:
    """Whether it is one of NumPy's two booleans, of which there is one object each."""
    return isinstance(x, np.bool_) or (isinstance(x, Tensor) and _class_of(x) is np.bool_)


# -- builtins -----------------------------------------------------------------------------


def _convert(name: str) -> Fn:
    """`int(x)` and the like, when x is symbolic."""
    def staged(*args: Any, **kwargs: Any) -> Any:
        if not any(map(is_symbolic, args)):
            return NotImplemented
        return apply(OPS[name], *args, **kwargs)

    return staged


def _range(*args: Any) -> Any:
    return apply("range_", *args) if any(map(is_symbolic, args)) else NotImplemented


def _isinstance(x: Any, classes: Any) -> Any:
    if not isinstance(x, Tensor):
        return NotImplemented
    t = x.type
    if isinstance(t, PyType):
        return issubclass(t.cls, classes)
    if isinstance(t, ArrayType) and t.dtype is not None and t.shape is not None:
        return issubclass(t.dtype.type if t.scalar else np.ndarray, classes)
    return apply(pure(isinstance), x, classes)


def _class_of(x: Any) -> Any:
    """The class of a value, if it is known; else what will say it."""
    t = getattr(x, "type", None)
    if isinstance(t, PyType):
        return t.cls
    if isinstance(t, ArrayType) and t.shape is not None and not t.scalar:
        return np.ndarray
    return t.dtype.type if isinstance(t, ArrayType) and t.scalar and t.dtype is not None else None


def _type(x: Any) -> Any:
    if type(x) is StagedList:
        return builtins.list
    if not isinstance(x, Tensor):
        return NotImplemented
    return _class_of(x) or apply(pure(builtins.type), x)


def _callable(x: Any) -> Any:
    if not isinstance(x, Tensor):
        return NotImplemented
    return False if _class_of(x) else apply(pure(builtins.callable), x)


def _len(x: Any) -> Any:
    return length_of(x) if is_symbolic(x) else NotImplemented


def _text(name: str) -> Fn:
    """`str(x)` and the like, when x, or something in it, is symbolic."""
    def staged(*args: Any) -> Any:
        return apply(name, *args) if symbolic(args, {}) else NotImplemented

    return staged


def _print(*args: Any, **kwargs: Any) -> Any:
    return apply("print_", *args, **kwargs) if trace.effects_at_run_time() else NotImplemented


def read_at_run_time(iterator: Any) -> bool:
    """Whether an iterator was there before the trace, and is to be read when the graph runs."""
    return trace.effects_at_run_time() and trace.from_outside(iterator)


def _next(iterator: Any, *default: Any) -> Any:
    """The next item of an iterator from outside, each time the graph runs."""
    if read_at_run_time(iterator):
        return apply(STATE["next_"], iterator, *default)
    return ITERABLES[builtins.next](iterator, *default)


BUILTINS: dict[Fn, Fn] = {
    builtins.str: _text("str_"),
    builtins.repr: _text("repr_"),
    builtins.ascii: _text("ascii_"),
    builtins.format: _text("format_"),
    **{f: _convert(f"{f.__name__}_") for f in (
        builtins.chr, builtins.ord, builtins.bin, builtins.oct, builtins.hex)},
    builtins.len: _len,
    builtins.range: _range,
    builtins.int: _convert("int_"),
    builtins.float: _convert("float_"),
    builtins.complex: _convert("complex_"),
    builtins.bool: _convert("truth"),
    builtins.abs: _convert("absolute"),
    builtins.isinstance: _isinstance,
    builtins.type: _type,
    builtins.callable: _callable,
    **ITERABLES,
    builtins.print: _print,
    builtins.next: _next,
}
"""Python's builtin -> what it does when a symbolic value is among its arguments."""


def _text_method(function: Fn) -> Fn:
    """The twin of a method of a string; `", ".join` goes through what Python cannot go through."""
    twin = text_method(function)
    if function.__name__ != "join":
        return twin
    return lambda items: twin(
        OPERATOR_TWINS["list"](items) if type(items) in dispatch.BACKENDS else items)


for _original, _twin in {**TWINS, **INDEX_TWINS}.items():
    register_replacement(_original, _twin)
FAMILIES.update({**FAMILY_TWINS, str: _text_method})
ARRAY_LIBRARIES.update(dict.fromkeys(PURE_MODULES, called_as_it_is))

on_call(recursion.watching, recursion.staged)

BACKEND = TensorBackend()
dispatch.register(Tensor, BACKEND)
dispatch.register(Items, BACKEND)
dispatch.register(Generated, BACKEND)
dispatch.register(Pushed, BACKEND)
dispatch.register(StagedList, ListBackend())
Undefined.__ag_undefined__ = True  # type: ignore[attr-defined]
