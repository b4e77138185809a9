"""What staged loops go through: arrays, ranges, `enumerate`, `zip`, `map`, `filter`, generators."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Iterator
from functools import partial, wraps
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from autograph.iterators import next_item, rest
from autograph.operators.builtins import TWINS
from autograph.operators.checks import getitem
from autograph.operators.control_flow import cond, for_loop
from autograph.operators.logical import and_, not_
from autograph.runtime import trace
from autograph.runtime.containers import has_tensor, new_object
from autograph.runtime.cursors import Held, cursor_of, needs_cursor, read_by_cursor
from autograph.runtime.lists import Splice, StagedList
from autograph.runtime.nest import flatten
from autograph.runtime.ops import OPS, pure
from autograph.runtime.tensor import Tensor, apply
from autograph.runtime.twins import TWINS as ARRAY_TWINS
from autograph.runtime.types import DYNAMIC, ArrayType, PyType, is_container
from autograph.runtime.undefined import UndefinedValue
from autograph.staged_generators import Generated, Items, Pushed, State, all_of, is_symbolic

np_array = ARRAY_TWINS[np.array]

Fn = Callable[..., Any]

UNROLL = 8
"""Loops of at most this many rounds are unrolled; longer ones become one node."""


def collected(x: Any) -> StagedList:
    """The list of what a staged loop over `x` goes through."""
    out = StagedList([])

    def add(value: Any) -> tuple[()]:
        out.append(value)
        return ()

    for_loop(x, add, ())
    return out


def comprehension(kind: type | None, fn: Fn, items: Any, where: Fn | None, nested: bool) -> Any:
    """What a comprehension of this kind makes while a function is traced; None: a generator."""
    made = Generated(read_by_cursor(items), fn, where, nested, fn.__code__.co_argcount)
    if kind is None:
        return made
    items = StagedList(made) if _can_unroll(made) else collected(made)
    if kind is builtins.list:
        return items
    if items.known and not has_tensor([x if kind is builtins.set else x[0] for x in items]):
        return kind(items)
    return new_object(kind, items)


def _can_unroll(x: Any) -> bool:
    """Whether Python can go through it: nothing that decides how it goes on is symbolic."""
    if isinstance(x, Pushed):
        return False
    if isinstance(x, Generated):
        return x.where is None and not x.nested and _can_unroll(x.items)
    return type(length_of(x)) is int if is_symbolic(x) else True


def container_of(kind: Any, x: Any) -> Any:
    """`list(x)`, `tuple(x)`, `set(x)`, `dict(x)` …"""
    if _can_unroll(x):
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
    if type(x) is Generated and not _can_unroll(x):
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
    if needs_cursor(iterable):
        return _counted(iterable, start)
    items = items_of(iterable)
    if items is None and is_symbolic(start) and isinstance(iterable, (list, tuple)):
        apply("range_", start)  # raises what Python raises for a float
        first = apply("int_", start)
        return iter([(first + i, x) for i, x in builtins.enumerate(iterable)])
    if items is None:
        return NotImplemented
    return Items(items.length, lambda i: (i + start, items.get(i)))


def _counted(iterator: Any, start: Any) -> Generated:
    """The items with their numbers; each is read when it is asked for."""
    count = Held(start)

    def numbered(item: Any) -> tuple[Any, Any]:
        number = count.values
        count.values = number + 1
        return number, item

    return Generated(cursor_of(iterator), numbered)


def zip_(*iterables: Any, strict: bool = False) -> Any:
    if not any(is_symbolic(x) or isinstance(x, Generated) for x in iterables) or strict:
        if any(map(needs_cursor, iterables)):
            return builtins.zip(*map(read_by_cursor, iterables), strict=strict)
        return NotImplemented
    parts = []
    for x in iterables:
        items = items_of(x)
        if items is None:
            if not isinstance(x, (list, tuple, builtins.range)):
                return NotImplemented
            items = Items(builtins.len(x), partial(getitem, x))
        parts.append(items)
    lengths = [p.length for p in parts]
    if all(type(n) is int for n in lengths):
        return Items(builtins.min(lengths), lambda i: tuple(p.get(i) for p in parts))
    return Items(apply("min_", *lengths), lambda i: tuple(p.get(i) for p in parts))


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
    """The twin of `list` or `tuple`."""
    def staged(x: Any = ()) -> Any:
        if needs_cursor(x):
            x = rest(x)
        elif not (is_symbolic(x) or isinstance(x, Generated)):
            return NotImplemented
        return container_of(kind, x)

    return staged


# -- builtins that go through iterables -----------------------------------------------------------


def iter_(x: Any, *sentinel: Any) -> Any:
    if isinstance(x, Generated):
        return x
    if sentinel or not is_symbolic(x) or _can_unroll(x):
        return read_by_cursor(builtins.iter(x, *sentinel))
    return Generated(x, lambda item: item)


def next_(iterator: Any, *default: Any) -> Any:
    if type(iterator) is Generated and _can_unroll(iterator):
        iterator.begun, iterator = True, iterator.python
    if needs_cursor(iterator):
        return next_item(iterator, *default)
    if type(iterator) is not Generated:
        return builtins.next(iterator, *default)
    found, value = iterator.loop(lambda value, *_: (True, value),
                                 (False, default[0] if default else UndefinedValue("next")),
                                 lambda found, _: not_(found))
    if not default:
        cond(found, all_of, _stop)
    return value


def _stop() -> NoReturn:
    raise StopIteration


def fold(function: Fn) -> Fn:
    """`min(a, b)`, `max(xs)`, `sum(xs)` …: Python's function itself, on the values at run time."""
    op = OPS.get(f"{function.__name__}_") or pure(function)

    def staged(*args: Any, **kwargs: Any) -> Any:
        if args and kwargs.get("key") is not None:
            return by_key(function, args, **kwargs)
        if args and isinstance(args[0], Generated) and function in ONE_BY_ONE and not kwargs:
            return ONE_BY_ONE[function](*args)
        args = tuple(_as_values(a) for a in args)
        if not any(is_symbolic(x) for x in chain(args, flatten(args))):
            return function(*args, **kwargs)
        if function in SHORT_CIRCUIT and type(args[0]) in (builtins.list, builtins.tuple):
            return SHORT_CIRCUIT[function](args[0])
        return apply(op, *args, **kwargs)

    return staged


def by_key(function: Fn, args: tuple[Any, ...], *, key: Fn, **options: Any) -> Any:
    """`min`, `max` or `sorted` with a key, which is asked for once for each item, while tracing."""
    items = args[0] if len(args) == 1 else args
    if function is builtins.sorted:
        items = container_of(builtins.list, items) if is_symbolic(items) else _as_values(items)
        return sorted_by(items, collected(Generated(items, key)), **options)
    better = operator.lt if function is builtins.min else operator.gt

    def choose(value: Any, *best: Any) -> State:
        asked = key(value)
        return cond(better(asked, best[-1]),  # type: ignore[no-any-return]
                    lambda *best: (*best[:-2], value, asked), all_of, *best)

    if isinstance(items, (list, tuple, builtins.range)) and builtins.len(items) and not (
            is_symbolic(items)):
        return for_loop(items[1:], choose, (items[0], key(items[0])))[0]

    def first_or_better(value: Any, found: Any, *best: Any) -> State:
        return cond(found, lambda *best: (True, *choose(value, *best)),  # type: ignore[no-any-return]
                    lambda *_: (True, value, key(value)), *best)

    nothing = options.get("default"), None
    found, value, _ = for_loop(items, first_or_better, (False, *nothing))
    if "default" not in options:
        cond(found, all_of, lambda: function([]))  # raises, in Python's words
    return value


def sorted_by(items: Any, keys: StagedList, reverse: Any = False) -> Any:
    """The items in the order of their keys."""
    known = flatten(builtins.list(keys)) if keys.known else ()
    plain = not any(is_symbolic(x) for x in (items, keys, reverse, *known))
    return in_order(items, keys, reverse) if plain else StagedList(
        [Splice(apply(pure(in_order), items, keys, reverse))])


def in_order(items: Any, keys: Any, reverse: Any) -> list[Any]:
    """The items, which stay in their order where the keys are equal."""
    pairs = builtins.sorted(zip(keys, items, strict=True), key=operator.itemgetter(0),
                            reverse=reverse)
    return [item for _, item in pairs]


def _as_values(x: Any) -> Any:
    """What is gone through only once, as a list."""
    if isinstance(x, Generated):
        made = collected(x)
        return list(made) if made.known else made
    if isinstance(x, Items):
        return collected(x)
    if type(x) is StagedList and x.known:
        return builtins.list(x)
    if needs_cursor(x):
        return rest(x)
    return builtins.list(x) if isinstance(x, Iterator) or type(x) in VIEWS else x


VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))


def of_values(function: Fn) -> Fn:
    """The function, which gets the values of what can be gone through only once as a list."""
    @wraps(function, updated=())
    def called(*args: Any, **kwargs: Any) -> Any:
        return function(*(
            _as_values(x) if isinstance(x, (Generated, Items)) else x for x in args), **kwargs)

    return called


def _all_of(values: Any) -> Any:
    """`all` of items, of which the later ones count only while the earlier ones are true."""
    return and_(True, *[lambda v=v: v for v in values], lambda: True)


def _any_of(values: Any) -> Any:
    return not_(and_(True, *[lambda v=v: not_(v) for v in values], lambda: True))


SHORT_CIRCUIT: dict[Fn, Fn] = {builtins.all: _all_of, builtins.any: _any_of}


def _truth(x: Any) -> Any:
    return not_(not_(x))


def _sum_one_by_one(values: Generated, start: Any = 0) -> Any:
    return values.loop(lambda value, total: (total + value,), (start,))[0]


def _any_one_by_one(values: Generated) -> Any:
    return values.loop(lambda value, _: (_truth(value),), (False,), not_)[0]


def _all_one_by_one(values: Generated) -> Any:
    return values.loop(lambda value, _: (_truth(value),), (True,), _truth)[0]


ONE_BY_ONE: dict[Fn, Fn] = {builtins.sum: _sum_one_by_one, builtins.any: _any_one_by_one,
                            builtins.all: _all_one_by_one}


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
    items = TWINS["list"](iter)
    return np_array(items if count < 0 else items[:count], dtype)


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


INDEX_TWINS: dict[Any, Fn] = {
    np.ndindex: _ndindex, np.ndenumerate: _ndenumerate, np.fromiter: _fromiter,
}

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
    **{f: fold(f) for f in (builtins.round, builtins.pow, builtins.divmod, builtins.sum,
                            builtins.min, builtins.max, builtins.any, builtins.all,
                            builtins.sorted)},
}
"""Python's builtin -> what it does while a function is traced; NotImplemented: what it is."""
