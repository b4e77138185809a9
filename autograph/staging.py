"""Teaches the operators about the runtime's tensors: what each of them records."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from itertools import chain
from typing import Any

import numpy as np

import autograph.runtime.attributes  # gives Tensor the attributes of ndarray
import autograph.runtime.methods  # noqa: F401  # gives Tensor the methods of ndarray
from autograph.convert import register_replacement
from autograph.operators import dispatch
from autograph.operators.control_flow import cond, while_loop
from autograph.operators.logical import and_, not_, or_
from autograph.operators.variables import Undefined
from autograph.rules import ARRAY_LIBRARIES, FAMILIES
from autograph.runtime import control, loops, trace
from autograph.runtime.errors import TracingError
from autograph.runtime.lists import StagedList
from autograph.runtime.ops import OPS, pure
from autograph.runtime.tensor import Tensor, apply, lower
from autograph.runtime.twins import FAMILY_TWINS, PURE_MODULES, TWINS, called_as_it_is
from autograph.runtime.types import ArrayType, DynamicType, PyType

UNROLL = 8
"""Loops of at most this many rounds are unrolled; longer ones become one node."""

Fn = Callable[..., Any]


@dataclass(frozen=True)
class Items:
    """Something to loop over whose length may be symbolic: item i is `get(i)`."""

    length: Any
    get: Callable[[Any], Any]

    def __iter__(self) -> Any:
        return iter([self.get(i) for i in range(self.length)])


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

    def for_loop(self, iterable: Any, body: Fn, loop_vars: tuple[Any, ...], test: Fn | None) -> Any:
        if type(iterable) is builtins.range:
            return self._python_range(iterable, body, loop_vars, test)
        if isinstance(iterable, Tensor) and iterable.type == PyType(builtins.range):
            return loops.for_loop(iterable, body, loop_vars, test)
        items = items_of(iterable)
        if items is None:
            if test is None or not isinstance(self.test(test, loop_vars), Tensor):
                return NotImplemented
            return self._unrolled(iterable, body, loop_vars, test)

        def indexed(i: Any, *state: Any) -> Any:
            return body(items.get(i), *state)

        indexed.__wrapped__ = body  # type: ignore[attr-defined]  # for the variables' names

        steps = range_of(items.length)
        if type(steps) is builtins.range:
            return self._python_range(steps, indexed, loop_vars, test)
        return loops.for_loop(steps, indexed, loop_vars, test)

    def _python_range(self, steps: range, body: Fn, loop_vars: tuple[Any, ...],
                      test: Fn | None) -> tuple[Any, ...]:
        """One node if it is long and its body can do with a symbolic index; else round by round."""
        if len(steps) > UNROLL:
            try:
                state = loops.for_loop(steps, body, loop_vars, test)
            except TracingError:
                state = None  # the body needs the number itself
            if state is not None:
                return state
        return self._unrolled(steps, body, loop_vars, test)

    def _unrolled(self, items: Iterable[Any], body: Fn, state: tuple[Any, ...],
                  test: Fn | None) -> tuple[Any, ...]:
        """Every round on its own; from the first symbolic test on, under a `cond` each."""
        for item in items:
            go_on = True if test is None else test(*state)
            if isinstance(go_on, Tensor):
                state = control.cond(go_on, lambda *s, item=item: body(item, *s), _all, *state)
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
        if isinstance(item, Tensor) or isinstance(container, Tensor) or (
                isinstance(container, (list, tuple)) and any(
                    isinstance(x, Tensor) for x in container)):
            return apply("in_", item, container)
        return NotImplemented

    def is_none(self, x: Any) -> Any:
        if isinstance(x.type, PyType):
            return x.type.cls is type(None)
        return apply("is_none", x) if isinstance(x.type, DynamicType) else False

    def assert_(self, test: Any, message: Callable[[], Any] | None) -> None:
        def fail() -> None:
            raise AssertionError(*(() if message is None else (message(),)))

        control.cond(test, _all, fail)

    def getitem(self, container: Any, index: Any) -> Any:
        return container[index] if isinstance(container, (Tensor, StagedList)) else apply(
            "getitem", container, index)

    def new_list(self, items: list[Any]) -> Any:
        return StagedList(items)

    def bound(self, value: Any) -> Any:
        lower(value)  # a value that may be unbound is checked when it is read
        return value

    def builtin(self, function: Fn, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        args = tuple(x.__ag_read__() if hasattr(type(x), "__ag_read__") else x for x in args)
        staged = BUILTINS.get(function)
        return NotImplemented if staged is None else staged(*args, **kwargs)


class ListBackend(TensorBackend):
    """What differs for a staged list: it may be known after all, and is true if not empty."""

    def truth(self, x: Any) -> Any:
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


def _called(lazy: tuple[Callable[[], Any], ...]) -> tuple[Any, ...]:
    return lazy[0](), *lazy[1:]


def _all(*state: Any) -> tuple[Any, ...]:
    return state


def range_of(length: Any) -> Any:
    return apply("range_", length) if isinstance(length, Tensor) else builtins.range(length)


def items_of(x: Any) -> Items | None:
    """What a staged loop can go through by index; None for anything else."""
    if isinstance(x, Items):
        return x
    if type(x) is StagedList and not x.known:
        x = x.tensor()
    if not isinstance(x, Tensor):
        return None
    if isinstance(x.type, PyType) or (isinstance(x.type, ArrayType) and x.type.shape == ()):
        iter(x)  # raises, in Python's words
    return Items(length_of(x), lambda i: x[i])


def length_of(x: Any) -> Any:
    if isinstance(x, Items):
        return x.length
    if type(x) is StagedList and not x.known:
        x = x.tensor()
    if not isinstance(x, Tensor):
        return builtins.len(x)
    t = x.type
    if isinstance(t, ArrayType) and t.shape and isinstance(t.shape[0], int):
        return t.shape[0]
    if isinstance(t, ArrayType) and t.shape == ():
        return builtins.len(x)  # raises, in Python's words
    return apply("len_", x)


# -- builtins -----------------------------------------------------------------------------


def is_symbolic(x: Any) -> bool:
    return isinstance(x, (Tensor, Items)) or (type(x) is StagedList and not x.known)


def _convert(name: str) -> Fn:
    """`int(x)` and the like, when x is symbolic."""
    def staged(*args: Any, **kwargs: Any) -> Any:
        if not any(map(is_symbolic, args)):
            return NotImplemented
        return apply(OPS[name], *args, **kwargs)

    return staged


def _range(*args: Any) -> Any:
    return apply("range_", *args) if any(map(is_symbolic, args)) else NotImplemented


def _enumerate(iterable: Any, start: Any = 0) -> Any:
    items = items_of(iterable)
    if items is None:
        return NotImplemented
    return Items(items.length, lambda i: (i + start, items.get(i)))


def _zip(*iterables: Any, strict: bool = False) -> Any:
    if not any(map(is_symbolic, iterables)) or strict:
        return NotImplemented
    parts = []
    for x in iterables:
        items = items_of(x)
        if items is None:
            if not isinstance(x, (list, tuple, builtins.range)):
                return NotImplemented
            items = Items(builtins.len(x), x.__getitem__)
        parts.append(items)
    lengths = [p.length for p in parts]
    if all(type(n) is int for n in lengths):
        return Items(builtins.min(lengths), lambda i: tuple(p.get(i) for p in parts))
    return Items(apply("min_", *lengths), lambda i: tuple(p.get(i) for p in parts))


def _reversed(x: Any) -> Any:
    items = items_of(x)
    if items is None:
        return NotImplemented
    return Items(items.length, lambda i: items.get(items.length - 1 - i))


def _container(cls: type) -> Fn:
    def staged(x: Any = ()) -> Any:
        items = items_of(x)
        if items is None or not isinstance(items.length, int):
            return NotImplemented
        return cls(items)

    return staged


def _fold(function: Fn) -> Fn:
    """`min(a, b)`, `max(xs)`, `sum(xs)` …: Python's function itself, on the values at run time."""
    op = OPS.get(f"{function.__name__}_") or pure(function)

    def staged(*args: Any, **kwargs: Any) -> Any:
        args = tuple(builtins.list(a) if isinstance(a, Iterator) else a for a in args)
        if not any(map(is_symbolic, chain(args, *(a for a in args if type(a) in (list, tuple))))):
            return function(*args, **kwargs)
        if function in SHORT_CIRCUIT and type(args[0]) in (builtins.list, builtins.tuple):
            return SHORT_CIRCUIT[function](args[0])
        return apply(op, *args, **kwargs)

    return staged


def _all_of(values: Any) -> Any:
    """`all` of items, of which the later ones count only while the earlier ones are true."""
    return and_(True, *[lambda v=v: v for v in values], lambda: True)


def _any_of(values: Any) -> Any:
    return not_(and_(True, *[lambda v=v: not_(v) for v in values], lambda: True))


SHORT_CIRCUIT: dict[Fn, Fn] = {builtins.all: _all_of, builtins.any: _any_of}


def _isinstance(x: Any, classes: Any) -> Any:
    if not isinstance(x, Tensor):
        return NotImplemented
    t = x.type
    if isinstance(t, PyType):
        return issubclass(t.cls, classes)
    if isinstance(t, ArrayType) and t.dtype is not None and t.shape is not None:
        return issubclass(t.dtype.type if t.scalar else np.ndarray, classes)
    return apply(pure(isinstance), x, classes)


def _len(x: Any) -> Any:
    return length_of(x) if is_symbolic(x) else NotImplemented


def _positions(shape: tuple[Any, ...], get: Callable[[tuple[Any, ...]], Any]) -> Items:
    """`get` of every position in an array of this shape, in C order."""
    def at(i: Any) -> Any:
        position: tuple[Any, ...] = ()
        for length in reversed(shape):
            position, i = (i % length, *position), i // length
        return get(position)

    return Items(math.prod(shape), at)


@wraps(np.ndindex, updated=())
def _ndindex(*shape: Any) -> Any:
    dims = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
    positions = _positions(dims, lambda position: position)
    if not trace.tracing() or (type(positions.length) is int and positions.length <= UNROLL):
        return np.ndindex(*shape)
    return positions


@wraps(np.ndenumerate, updated=())
def _ndenumerate(arr: Any) -> Any:
    if not isinstance(arr, Tensor):
        return np.ndenumerate(arr)
    return _positions(arr.shape, lambda position: (position, arr[position]))


BUILTINS: dict[Fn, Fn] = {
    builtins.len: _len,
    builtins.range: _range,
    builtins.int: _convert("int_"),
    builtins.float: _convert("float_"),
    builtins.complex: _convert("complex_"),
    builtins.bool: _convert("truth"),
    builtins.abs: _convert("absolute"),
    builtins.round: _fold(builtins.round),
    builtins.pow: _fold(builtins.pow),
    builtins.divmod: _fold(builtins.divmod),
    builtins.isinstance: _isinstance,
    builtins.enumerate: _enumerate,
    builtins.zip: _zip,
    builtins.reversed: _reversed,
    builtins.list: _container(builtins.list),
    builtins.tuple: _container(builtins.tuple),
    builtins.sum: _fold(builtins.sum),
    builtins.min: _fold(builtins.min),
    builtins.max: _fold(builtins.max),
    builtins.any: _fold(builtins.any),
    builtins.all: _fold(builtins.all),
    builtins.sorted: _fold(builtins.sorted),
}
"""Python's builtin -> what it does when a symbolic value is among its arguments."""

INDEX_TWINS: dict[Any, Fn] = {np.ndindex: _ndindex, np.ndenumerate: _ndenumerate}

for _original, _twin in {**TWINS, **INDEX_TWINS}.items():
    register_replacement(_original, _twin)
FAMILIES.update(FAMILY_TWINS)
ARRAY_LIBRARIES.update(dict.fromkeys(PURE_MODULES, called_as_it_is))

BACKEND = TensorBackend()
dispatch.register(Tensor, BACKEND)
dispatch.register(Items, BACKEND)
dispatch.register(StagedList, ListBackend())
Undefined.__ag_undefined__ = True  # type: ignore[attr-defined]
