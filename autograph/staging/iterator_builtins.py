"""Python's builtins that make or read iterators, and NumPy's index iterators, as staged loops see
them: `enumerate`, `zip`, `map`, `filter`, `iter`, `next` and the like."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from contextlib import closing, suppress
from functools import wraps
from types import FunctionType
from typing import Any, cast

import numpy as np

from autograph.libraries import is_library
from autograph.operators.builtins import BUILTIN_REPLACEMENTS
from autograph.operators.checks import getitem
from autograph.operators.control_flow import cond
from autograph.operators.logical import not_
from autograph.runtime.control_flow.traced_regions import trace_region
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.iterators import (
    TracedState,
    cursor_of,
    is_iterator,
    is_of_users_class,
    needs_cursor,
    read_by_cursor,
)
from autograph.runtime.heap.kept_functions import is_read_by_run
from autograph.runtime.heap.list_values import Splice
from autograph.runtime.heap.reachability import changeable_locations
from autograph.runtime.heap.run_time_containers import is_iterated_by_run, new_object
from autograph.runtime.ir.errors import SymbolicValueError, TracingError, at
from autograph.runtime.ir.types import DYNAMIC, ArrayType, PyType, Type, class_name
from autograph.runtime.ir.undefined import UndefinedValue
from autograph.runtime.ops import OPS, pure, type_rules
from autograph.runtime.ops.state import NEXT
from autograph.runtime.replacements.functions import symbolic
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging.class_names import of_class
from autograph.staging.cursor_loops import next_item, stop
from autograph.staging.generator_functions import Pushed
from autograph.staging.generators import (
    Generated,
    Items,
    Iter,
    Position,
    all_of,
    is_symbolic,
    of_kind,
)
from autograph.staging.iteration import (
    UNROLL,
    can_unroll,
    container_of,
    holds_symbols,
    items_of,
    iterates_by,
    opened,
    read_by_loop,
    stop_form_of,
)
from autograph.staging.resumed_generators import (
    SEQUENCE_ITERATORS,
    Read,
    Resumed,
    is_sequence,
)
from autograph.staging.streams_of_run import is_stream_of_run
from autograph.staging.zips import is_lazy, made_by_run, zip_

Fn = Callable[..., Any]


def enumerate_(iterable: Any, start: Any = 0) -> Any:
    if needs_cursor(iterable) or is_lazy(iterable):
        return _counted(iterable, start)
    if is_iterated_by_run(iterable):
        return made_by_run(builtins.enumerate, iterable, start)
    items = items_of(iterable)
    if items is None and is_symbolic(start) and isinstance(iterable, (list, tuple)):
        apply("range_", start)  # raises what Python raises for a float
        first = apply("int_", start)
        return iter([(first + i, x) for i, x in builtins.enumerate(iterable)])
    if items is None:
        return NotImplemented
    return Items(items.length, lambda i: (i + start, items.get(i)), items.end, items.sources,
                 Position(items.sources))


def _counted(iterator: Any, start: Any) -> Generated:
    """Returns the items with their numbers, lazily."""
    count = TracedState(start)

    def numbered(item: Any) -> tuple[Any, Any]:
        number = count.values
        count.values = number + 1
        return number, item

    return Generated(read_by_cursor(iterator), numbered)


def reversed_(x: Any) -> Any:
    if isinstance(x, Generated):
        raise TypeError("'generator' object is not reversible")
    if is_iterated_by_run(x):
        return made_by_run(builtins.reversed, x)
    is_list = isinstance(x, builtins.list) or (isinstance(x, Tensor) and x.type == PyType(list))
    items = items_of(x) or _sequence(x)
    if items is None:
        return NotImplemented
    kind: Any = type(builtins.reversed([])) if is_list else builtins.reversed
    return of_class(Items(items.length, lambda i: items.get(items.length - 1 - i),
                          sources=items.sources, position=Position(), kind=kind), kind)


def _sequence(x: Any) -> Items | None:
    """Returns an object of a user's class that is read by index, if only the run knows its
    length."""
    cls = type(x)
    method = getattr(cls, "__getitem__", None)
    if hasattr(cls, "__reversed__") or is_library(cls.__module__) or (
            type(method) is not FunctionType):
        return None
    length = BUILTIN_REPLACEMENTS["len"](x)
    return Items(length, lambda i: getitem(x, i)) if isinstance(length, Tensor) else None


def map_(fn: Fn, *iterables: Any) -> Any:
    """Make `map(fn, *iterables)`, lazy: `fn` may have effects, once for each item that is read."""
    if len(iterables) == 1:
        return Generated(read_by_cursor(iterables[0]), fn)
    if not any(is_symbolic(x) or isinstance(x, Generated) for x in iterables):
        return NotImplemented
    together = zip_(*iterables)
    return NotImplemented if together is NotImplemented else Generated(
        together, lambda parts: fn(*(parts[k] for k in builtins.range(builtins.len(iterables)))))


def filter_(fn: Fn | None, iterable: Any) -> Any:
    """Make `filter(fn, iterable)`, lazy: `fn` may be symbolic even if the items are not."""
    return Generated(read_by_cursor(iterable), lambda item: item,
                     (lambda item: item) if fn is None else fn)


def container(kind: type) -> Fn:
    """Returns what `list` or `tuple` does while a function is traced."""
    def staged(x: Any = ()) -> Any:
        if is_read_by_run(x):
            made = new_object(kind, x)
            trace.pin_last()  # the iterator is at its end, whether or not the result is used
            return StagedList([Splice(made)]) if kind is builtins.list else made
        if needs_cursor(x):
            x = cursor_of(x).__ag_rest__()
        elif not (is_symbolic(x) or isinstance(x, Generated)):
            return NotImplemented
        return container_of(kind, x)

    return staged


def iter_(x: Any, *sentinel: Any) -> Any:
    if iterates_by(x) == "__iter__":
        return builtins.iter(x, *sentinel)
    x = opened(x)
    if isinstance(x, Generated) or (isinstance(x, Items) and x.position is not None):
        return x
    if sentinel or not is_symbolic(x) or can_unroll(x):
        return builtins.iter(x, *sentinel)
    here = trace.current_region()
    if here is not None and SEQUENCE_ITERATORS in here.trace.mode.resumed and is_sequence(x):
        return Read(x)
    made = Iter(x)
    made.resumes = frozenset({SEQUENCE_ITERATORS} if is_sequence(x) else ())
    return made


def next_(iterator: Any, *default: Any) -> Any:
    if isinstance(iterator, Resumed):
        return iterator.next(*default)
    if isinstance(iterator, Generated) and _python_can_read(iterator):
        iterator = iterator.by_python()
    if needs_cursor(iterator):
        return next_item(iterator, *default)
    if is_of_users_class(iterator) and holds_symbols(iterator) and (
            step := stop_form_of(iterator)) is not None:
        found, item = step(iterator)
        return cond(found, lambda: item, lambda: default[0] if default else stop())
    if isinstance(iterator, Items) and iterator.position is not None:
        return _next_of(iterator, iterator.position, *default)
    if isinstance(iterator, Tensor):
        return _next_of_run(iterator, *default)
    if not isinstance(iterator, Generated):
        return builtins.next(iterator, *default)
    found, value = read_by_loop(iterator, lambda value, *_: (True, value),
                                (False, default[0] if default else UndefinedValue("next")),
                                lambda found, _: not_(found))
    if not default:
        cond(found, all_of, stop)
    return value


def _next_of(items: Items, position: Position, *default: Any) -> Any:
    """Make `next(items)` of what is read by index."""
    i = position.moved(position.values + 1)
    return cond(i < items.length, lambda: items.get(i),
                lambda: default[0] if default else stop())


def _next_of_run(x: Tensor, *default: Any) -> Any:
    """Make `next(x)` of what only the run knows: the run reads it, if it holds objects.

    Raises:
      TracingError: else it may be an iterator that Python reads while the function is traced.
    """
    if is_stream_of_run(x):
        return apply(NEXT, x, *default)
    if x.type != DYNAMIC:
        raise TypeError(f"{class_name(x.type)!r} object is not an iterator")
    if trace.holds_objects():
        return apply("call_object", builtins.next, x, *default)
    raise TracingError(
        "next() is asked for an item of an object that is known only when the graph runs"
        f"{at(user_location())}\n"
        "  hint: go over it with a `for` loop; read a line of a stream with its readline()")


def _python_can_read(made: Generated) -> bool:
    """Returns True if the next item of a generator comes without a symbolic test. A generator
    function is run up to its next item to find out, in a region all of whose effects are undone,
    unless it reads iterators, which cannot be read twice."""
    if made.read_by_python or made.read_by_loop or not isinstance(made, Pushed):
        return made.read_by_python or can_unroll(made)
    read = [x for x in made.given if isinstance(x, Generated) or is_iterator(x)]
    if read:
        return all(_python_can_read(x) for x in read if isinstance(x, Generated))
    refused: list[bool] = []

    def read_one() -> None:
        try:
            with closing(cast(Any, made.make())) as generator:
                builtins.next(generator, None)
        except SymbolicValueError as error:
            trace.forget_refusal(error)
            refused.append(True)

    trace_region("next", read_one, changeable_locations(made))
    return not refused


# -- NumPy's index iterators ----------------------------------------------------------------------


def _positions(shape: tuple[Any, ...], get: Callable[[tuple[Any, ...]], Any]) -> Items:
    """Returns `get(position)` for every position in an array of this shape, in C order."""
    def at(i: Any) -> Any:
        position: tuple[Any, ...] = ()
        for length in reversed(shape):
            position, i = (i % length, *position), i // length
        return get(position)

    return Items(math.prod(shape), at, position=Position())


@wraps(np.fromiter, updated=())
def _fromiter(iter: Any, dtype: Any, count: int = -1, **kwargs: Any) -> Any:
    if not trace.tracing() or kwargs:
        return np.fromiter(iter, dtype, count, **kwargs)
    items = BUILTIN_REPLACEMENTS["list"](iter)
    return apply(FROM_ITER, items, dtype, count)


def _fromiter_type(items: Any, dtype: Any, count: int) -> Type:
    known = len(items) if isinstance(items, list) else None
    plain = type_rules.dtype_of(dtype, None)
    if plain is None or plain.subdtype is not None or plain.kind in "OV":
        return DYNAMIC
    return ArrayType(plain, (known if count < 0 else count,))


FROM_ITER = pure(np.fromiter, _fromiter_type)


def _length(x: Any) -> Any:
    """Returns the length of an axis as NumPy takes it: it raises for floats and negative ints."""
    return apply(OPS["zeros"], (x, 0)).shape[0] if isinstance(x, Tensor) else operator.index(x)


@wraps(np.ndindex, updated=())
def _ndindex(*shape: Any) -> Any:
    dims = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
    positions = _positions(tuple(map(_length, dims)), lambda position: position)
    if not trace.tracing() or (type(positions.length) is int and positions.length <= UNROLL):
        return np.ndindex(*shape)
    return positions


@wraps(np.ndenumerate, updated=())
def _ndenumerate(arr: Any) -> Any:
    if not isinstance(arr, Tensor):
        return np.ndenumerate(arr)
    return _positions(arr.shape, lambda position: (position, arr[position]))


def _in_order_of_memory(x: Any) -> Any:
    items: Any = np.nditer(x)
    return np.array([item[()] for item in items], x.dtype)


IN_ORDER_OF_MEMORY = pure(_in_order_of_memory)


@wraps(np.nditer, updated=())
def _nditer(op: Any, *args: Any, **kwargs: Any) -> Any:
    if not symbolic((op, *args), kwargs):
        return np.nditer(op, *args, **kwargs)
    if args or kwargs or not isinstance(op, Tensor):
        raise SymbolicValueError(
            f"np.nditer walks through the memory of symbolic values{at(user_location())}\n"
            "  hint: loop over x.flat, np.ndindex(x.shape) or np.ndenumerate(x); np.nditer(x) of "
            "one array, without options, works")
    items: Any = apply(IN_ORDER_OF_MEMORY, op)
    return Items(BUILTIN_REPLACEMENTS["len"](items), lambda i: items[i, ...],
                 position=Position())


NUMPY_ITERATORS: dict[Any, Fn] = {
    np.ndindex: _ndindex, np.ndenumerate: _ndenumerate, np.fromiter: _fromiter,
    np.nditer: _nditer,
}

_THE_FIRST: dict[Fn, slice] = dict.fromkeys((
    builtins.enumerate, builtins.list, builtins.tuple, builtins.set, builtins.frozenset,
    builtins.dict, builtins.sum, builtins.sorted, builtins.any, builtins.all,
), slice(1))
ITERATED: dict[Fn, slice] = {
    **_THE_FIRST, builtins.zip: slice(None), builtins.map: slice(1, None),
    builtins.filter: slice(1, None), builtins.min: slice(1), builtins.max: slice(1)}
"""Builtin -> which of its arguments it iterates over."""


def with_opened(function: Fn, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the arguments of a builtin, those that it iterates over `opened`."""
    part = ITERATED.get(function)
    one_of_several = function in (builtins.min, builtins.max) and builtins.len(args) > 1
    is_mapping = function is builtins.dict and hasattr(type(args[0]) if args else None, "keys")
    if part is None or one_of_several or is_mapping:
        return args
    first, end, _ = part.indices(builtins.len(args))
    read = [*builtins.map(opened, args[first:end])]
    if function in ASKING_LENGTH and read and read[0] is not args[0]:
        ask_length(args[0])
    return (*args[:first], *read, *args[end:])


ASKING_LENGTH = (builtins.list, builtins.tuple, builtins.sorted)
"""The builtins that ask what they go through for its length, to make room."""


def ask_length(x: Any) -> None:
    """Asks an object of a user's class for its length, as Python does for a hint."""
    for name in ("__len__", "__length_hint__"):
        method = getattr(type(x), name, None)
        if type(method) is FunctionType:
            with suppress(TypeError):
                method(x)
            return


ITERATOR_BUILTINS: dict[Fn, Fn] = {
    builtins.enumerate: of_kind(builtins.enumerate, enumerate_),
    builtins.zip: of_kind(builtins.zip, zip_),
    builtins.reversed: reversed_,
    builtins.map: of_kind(builtins.map, map_),
    builtins.filter: of_kind(builtins.filter, filter_),
    builtins.list: container(builtins.list),
    builtins.tuple: container(builtins.tuple),
    builtins.iter: iter_,
    builtins.next: next_,
}
"""Builtin -> what it does while a function is traced; it may return NotImplemented."""
