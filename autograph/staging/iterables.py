"""What staged loops go through: arrays, ranges, `enumerate`, `zip`, `map`, `filter`, generators."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from functools import partial, wraps
from types import FunctionType
from typing import Any, NoReturn

import numpy as np

from autograph.operators.builtins import BUILTIN_REPLACEMENTS
from autograph.operators.checks import getitem
from autograph.operators.control_flow import cond
from autograph.operators.logical import not_
from autograph.runtime.heap.growing_lists import Splice, StagedList
from autograph.runtime.heap.iterators import (
    TracedState,
    cursor_of,
    is_iterator,
    needs_cursor,
    read_by_cursor,
)
from autograph.runtime.heap.run_time_containers import has_tensor, new_object
from autograph.runtime.ir.errors import SymbolicValueError
from autograph.runtime.ir.types import DYNAMIC, ArrayType, PyType, Type, is_container
from autograph.runtime.ir.undefined import UndefinedValue
from autograph.runtime.ops import pure, type_rules
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging.generators import (
    Generated,
    Items,
    Pushed,
    Stepped,
    all_of,
    collected,
    is_symbolic,
)
from autograph.staging.iterators import next_item

Fn = Callable[..., Any]

UNROLL = 8
"""Loops of at most this many rounds are unrolled; longer ones become one node."""


def opened(x: Any) -> Any:
    """What the `__iter__` of a user's class gives for an object; anything else as it is."""
    cls = type(x)
    if type(getattr(cls, "__iter__", None)) is not FunctionType or not trace.tracing():
        return x
    return x if cls.__module__.partition(".")[0] == "autograph" else builtins.iter(x)


def comprehension(kind: type | None, fn: Fn, items: Any, where: Fn | None, nested: bool) -> Any:
    """What a comprehension of this kind makes while a function is traced; None: a generator."""
    made = Generated(read_by_cursor(opened(items)), fn, where, nested, fn.__code__.co_argcount)
    if kind is None:
        return made
    items = StagedList(made) if can_unroll(made) else collected(made)
    if kind is builtins.list:
        return items
    if items.known and not has_tensor([x if kind is builtins.set else x[0] for x in items]):
        return kind(items)
    return new_object(kind, items)


def can_unroll(x: Any) -> bool:
    """Whether Python can go through it: nothing that decides how it goes on is symbolic."""
    if isinstance(x, Generated):
        return type(x) is Generated and x.where is None and not x.nested and can_unroll(x.items)
    if isinstance(x, Tensor):
        t = x.type
        if isinstance(t, ArrayType) and t.shape == ():
            iter(x)  # raises, in Python's words
        return isinstance(t, ArrayType) and t.shape is not None and isinstance(t.shape[0], int)
    return type(x.length) is int if isinstance(x, Items) else not is_symbolic(x)


def container_of(kind: Any, x: Any) -> Any:
    """`list(x)`, `tuple(x)`, `set(x)`, `dict(x)` …"""
    if can_unroll(x):
        return kind(iter(x))
    if isinstance(x, Tensor):
        made = apply(pure(kind), x)
        return StagedList([Splice(made)]) if kind is builtins.list else made
    items = x if type(x) is StagedList else collected(x)
    if kind is builtins.list:
        return items
    return kind(items) if items.known and kind is builtins.tuple else apply(pure(kind), items)


def range_of(length: Any) -> Any:
    return apply("range_", length) if isinstance(length, Tensor) else builtins.range(length)


def items_of(x: Any) -> Items | None:
    """What a staged loop can go through by index; None for anything else."""
    if isinstance(x, Items):
        return x
    if isinstance(x, Generated) and type(x) is not Pushed and not can_unroll(x):
        x = collected(x)
    if type(x) is StagedList and not x.known:
        x = x.tensor()
    if not isinstance(x, Tensor):
        return None
    if is_container(x.type) or (x.type == DYNAMIC and trace.by_reference()):
        x = new_object(list, x)  # what is not a sequence has no positions
    elif (isinstance(x.type, PyType) and x.type.cls not in (builtins.range, str, bytes)) or (
            isinstance(x.type, ArrayType) and x.type.shape == ()):
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


# -- builtins that make iterables -----------------------------------------------------------------


def enumerate_(iterable: Any, start: Any = 0) -> Any:
    if needs_cursor(iterable) or _is_lazy(iterable):
        return _counted(iterable, start)
    items = items_of(iterable)
    if items is None and is_symbolic(start) and isinstance(iterable, (list, tuple)):
        apply("range_", start)  # raises what Python raises for a float
        first = apply("int_", start)
        return iter([(first + i, x) for i, x in builtins.enumerate(iterable)])
    if items is None:
        return NotImplemented
    return Items(items.length, lambda i: (i + start, items.get(i)), items.end)


def _counted(iterator: Any, start: Any) -> Generated:
    """The items with their numbers; each is read when it is asked for."""
    count = TracedState(start)

    def numbered(item: Any) -> tuple[Any, Any]:
        number = count.values
        count.values = number + 1
        return number, item

    return Generated(read_by_cursor(iterator), numbered)


def _is_lazy(x: Any) -> bool:
    """Whether it is a generator that Python cannot go through."""
    return isinstance(x, Generated) and not can_unroll(x)


def zip_(*iterables: Any, strict: bool = False) -> Any:
    if not any(is_symbolic(x) or isinstance(x, Generated) for x in iterables):
        if any(map(needs_cursor, iterables)):
            return builtins.zip(*map(read_by_cursor, iterables), strict=strict)
        return NotImplemented
    lazy = [i for i, x in builtins.enumerate(iterables) if _is_lazy(x)]
    return _zip_with(lazy[0], iterables) if builtins.len(lazy) == 1 and not strict else (
        _by_position(iterables, strict))


def _by_position(iterables: tuple[Any, ...], strict: bool = False) -> Any:
    """`zip` of what has positions."""
    parts = []
    for x in iterables:
        items = items_of(x)
        if items is None:
            if not isinstance(x, (list, tuple, builtins.range, str)):
                return NotImplemented
            items = Items(builtins.len(x), partial(getitem, x))
        parts.append(items)
    lengths = [p.length for p in parts]
    known = all(type(n) is int for n in lengths)

    def check() -> None:
        apply("check_lengths", *lengths)

    end = check if strict and len(lengths) > 1 else None
    return Items(builtins.min(lengths) if known else apply("min_", *lengths),
                 lambda i: tuple(p.get(i) for p in parts), end)


def _zip_with(place: int, iterables: tuple[Any, ...]) -> Any:
    """`zip` of a generator, which stands at this place, and what has positions."""
    generator = iterables[place]
    if builtins.len(iterables) == 1:
        return Generated(generator, lambda item: (item,))
    others = _by_position((*iterables[:place], *iterables[place + 1:]))
    if others is NotImplemented:
        return NotImplemented

    def paired(i: Any, item: Any) -> tuple[Any, Any, Any, Any]:
        def pair() -> tuple[Any, ...]:
            found = others.get(i)
            return *found[:place], item, *found[place:]

        # the one at the first place is asked once more than the others have items
        goes_on = i < others.length if place == 0 else i + 1 < others.length
        return i + 1, True if place else goes_on, pair, goes_on

    return Stepped(generator, paired, 0, True if place == 0 else others.length > 0)


def reversed_(x: Any) -> Any:
    if isinstance(x, Generated):
        raise TypeError("'generator' object is not reversible")
    items = items_of(x)
    if items is None:
        return NotImplemented
    return Items(items.length, lambda i: items.get(items.length - 1 - i))


def map_(fn: Fn, *iterables: Any) -> Any:
    """What is called for each item may have effects, as often as a symbolic value decides."""
    if len(iterables) == 1:
        return Generated(read_by_cursor(iterables[0]), fn)
    if not any(is_symbolic(x) or isinstance(x, Generated) for x in iterables):
        return NotImplemented
    together = zip_(*iterables)
    return NotImplemented if together is NotImplemented else Generated(
        together, lambda parts: fn(*parts))


def filter_(fn: Fn | None, iterable: Any) -> Any:
    """Even what holds no symbolic value may be filtered by one."""
    return Generated(read_by_cursor(iterable), lambda item: item,
                     (lambda item: item) if fn is None else fn)


def container(kind: type) -> Fn:
    """Returns what `list` or `tuple` does while a function is traced."""
    def staged(x: Any = ()) -> Any:
        if needs_cursor(x):
            x = cursor_of(x).__ag_rest__()
        elif not (is_symbolic(x) or isinstance(x, Generated)):
            return NotImplemented
        return container_of(kind, x)

    return staged


def iter_(x: Any, *sentinel: Any) -> Any:
    if isinstance(x, Generated):
        return x
    if sentinel or not is_symbolic(x) or can_unroll(x):
        return read_by_cursor(builtins.iter(x, *sentinel))
    return Generated(x, lambda item: item)


def next_(iterator: Any, *default: Any) -> Any:
    if isinstance(iterator, Generated) and _python_can_read(iterator):
        iterator.begun, iterator = True, iterator.python
    if needs_cursor(iterator):
        return next_item(iterator, *default)
    if not isinstance(iterator, Generated):
        return builtins.next(iterator, *default)
    found, value = iterator.loop(lambda value, *_: (True, value),
                                 (False, default[0] if default else UndefinedValue("next")),
                                 lambda found, _: not_(found))
    if not default:
        cond(found, all_of, _stop)
    return value


def _python_can_read(made: Generated) -> bool:
    """Whether its next item comes without a symbolic test: of a generator function that is tried,
    and undone, unless it reads from iterators that cannot be read twice."""
    if made.begun or made.started or not isinstance(made, Pushed):
        return made.begun or can_unroll(made)
    read = [x for x in made.given if isinstance(x, Generated) or is_iterator(x)]
    if read:
        return all(_python_can_read(x) for x in read if isinstance(x, Generated))
    with trace.region("next"):
        try:
            builtins.next(made.make(), None)
        except SymbolicValueError:
            return False
    return True


def _stop() -> NoReturn:
    raise StopIteration


# -- NumPy's index iterators ----------------------------------------------------------------------


def _positions(shape: tuple[Any, ...], get: Callable[[tuple[Any, ...]], Any]) -> Items:
    """`get` of every position in an array of this shape, in C order."""
    def at(i: Any) -> Any:
        position: tuple[Any, ...] = ()
        for length in reversed(shape):
            position, i = (i % length, *position), i // length
        return get(position)

    return Items(math.prod(shape), at)


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


@wraps(np.ndindex, updated=())
def _ndindex(*shape: Any) -> Any:
    dims = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
    positions = _positions(tuple(map(BUILTIN_REPLACEMENTS["int"], dims)), lambda position: position)
    if not trace.tracing() or (type(positions.length) is int and positions.length <= UNROLL):
        return np.ndindex(*shape)
    return positions


@wraps(np.ndenumerate, updated=())
def _ndenumerate(arr: Any) -> Any:
    if not isinstance(arr, Tensor):
        return np.ndenumerate(arr)
    return _positions(arr.shape, lambda position: (position, arr[position]))


NUMPY_ITERATORS: dict[Any, Fn] = {
    np.ndindex: _ndindex, np.ndenumerate: _ndenumerate, np.fromiter: _fromiter,
}

_THE_FIRST: dict[Fn, slice] = dict.fromkeys((
    builtins.enumerate, builtins.list, builtins.tuple, builtins.set, builtins.frozenset,
    builtins.dict, builtins.iter, builtins.sum, builtins.sorted, builtins.any, builtins.all,
), slice(1))
ITERATED: dict[Fn, slice] = {
    **_THE_FIRST, builtins.zip: slice(None), builtins.map: slice(1, None),
    builtins.filter: slice(1, None), builtins.min: slice(1), builtins.max: slice(1)}
"""Builtin -> which of its arguments it goes through."""


def with_opened(function: Fn, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a builtin, those that it goes through opened."""
    part = ITERATED.get(function)
    one_of_several = function in (builtins.min, builtins.max) and builtins.len(args) > 1
    is_mapping = function is builtins.dict and hasattr(args[0] if args else None, "keys")
    if part is None or one_of_several or is_mapping:
        return args
    first, end, _ = part.indices(builtins.len(args))
    return (*args[:first], *builtins.map(opened, args[first:end]), *args[end:])


ITERABLES: dict[Fn, Fn] = {
    builtins.enumerate: enumerate_,
    builtins.zip: zip_,
    builtins.reversed: reversed_,
    builtins.map: map_,
    builtins.filter: filter_,
    builtins.list: container(builtins.list),
    builtins.tuple: container(builtins.tuple),
    builtins.iter: iter_,
    builtins.next: next_,
}
"""Python's builtin -> what it does while a function is traced; NotImplemented: what it is."""
