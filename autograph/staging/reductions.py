"""Builtins that reduce or sort an iterable, such as `sum`, `min` and `sorted`."""

from __future__ import annotations

import builtins
import operator
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from types import GeneratorType
from typing import Any

from autograph.operators.control_flow import cond, for_loop
from autograph.operators.logical import and_, not_, truth
from autograph.runtime.heap.escaping_objects import is_symbolic_object
from autograph.runtime.heap.growing_lists import StagedList, holds_symbols
from autograph.runtime.heap.iterators import cursor_of, needs_cursor, read_by_cursor
from autograph.runtime.heap.list_values import Splice
from autograph.runtime.heap.objects import is_instance
from autograph.runtime.heap.sorting import check_compared, first_best, in_order, sorted_items
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.ir.types import DYNAMIC, has_memory
from autograph.runtime.ops import OPS, pure
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging.generators import Generated, Items, State, all_of, collected, is_symbolic
from autograph.staging.iteration import Opened, container_of
from autograph.staging.plain_loops import use_plain
from autograph.staging.unpacking import compare

Fn = Callable[..., Any]


def reduction(function: Fn) -> Fn:
    """Returns the replacement of `min`, `max`, `sum` …: the graph calls Python's own function."""
    op = OPS.get(f"{function.__name__}_") or pure(function)

    def staged(*args: Any, **kwargs: Any) -> Any:
        if args and kwargs.get("key") is not None:
            return by_key(function, args, **kwargs)
        if function in (builtins.min, builtins.max) and _has_array(args):
            return by_key(function, args, key=lambda x: x, **kwargs)
        if args and isinstance(args[0], Generated) and function in ONE_BY_ONE and not kwargs:
            return ONE_BY_ONE[function](*args)
        if function in SHORT_CIRCUIT and len(args) == 1 and (
                isinstance(args[0], (GeneratorType, Opened)) or needs_cursor(args[0])):
            return _until_decided(read_by_cursor(args[0]), function is builtins.any)
        if function in ITERATING and (len(args) == 1 or function is builtins.sum):
            args = (as_values(_iterated(args[0])), *args[1:])
        args = tuple(as_known(a) for a in args)
        if not (any(map(is_symbolic, args)) or holds_symbols(args)):
            return function(*args, **kwargs)
        if function is builtins.sorted and _is_list(args[0]):
            return sorted_items(args[0], args[0], kwargs.get("reverse", False))
        if function in ORDERING and _holds_nests(args):
            return _of_nests(function, args[0], **kwargs)
        if function in (builtins.sorted, builtins.min, builtins.max):
            check_compared(args[0] if len(args) == 1 else args)
        if function in SHORT_CIRCUIT and type(args[0]) in (builtins.list, builtins.tuple):
            return SHORT_CIRCUIT[function](args[0])
        return apply(op, *args, **kwargs)

    return staged


def _has_array(args: tuple[Any, ...]) -> bool:
    """Returns True if the result of `min` or `max` may be an array among the arguments, or among
    the items of the only one: the very array, which the program may then write."""
    items = args[0] if len(args) == 1 else args
    return type(items) in (tuple, builtins.list) and any(
        isinstance(x, Tensor) and has_memory(x.type) for x in items)


def _is_list(x: Any) -> bool:
    """Returns True for a list of which only the run knows the length."""
    return type(x) is StagedList and not x.known


ORDERING = frozenset({builtins.sorted, builtins.min, builtins.max})


def _holds_nests(args: tuple[Any, ...]) -> bool:
    """Returns True for one list, of tuples and lists of the same form."""
    items = args[0]
    return len(args) == 1 and type(items) in (tuple, builtins.list) and bool(items) and all(
        type(x) in (tuple, builtins.list) for x in items)


def _of_nests(function: Fn, items: Any, reverse: Any = False, **more: Any) -> Any:
    """Make `sorted`, `min` or `max` of tuples: by their first parts if these are known and differ,
    else by the positions that the run finds."""
    firsts = [x[0] if x else None for x in items]
    if not holds_symbols((firsts, reverse)) and _differ(firsts):
        keys = {"reverse": reverse} if function is builtins.sorted else {}
        at = function(range(len(items)), key=firsts.__getitem__, **keys)
        return [items[k] for k in at] if function is builtins.sorted else items[at]
    check_compared(items)
    if function is builtins.sorted:
        return sorted_items(items, items, reverse)
    return _best_by(items, items, function)


def _best_by(items: Any, keys: Any, function: Fn) -> Any:
    """Returns the item that `min` or `max` chooses by the keys, which the run compares."""
    at = apply(pure(first_best), keys, function is builtins.min)
    return apply("getitem", apply("picked", items, [at]), 0)


def _differ(firsts: builtins.list[Any]) -> bool:
    try:
        return len(set(firsts)) == len(firsts)
    except TypeError:
        return False


ITERATING = frozenset({builtins.sum, builtins.min, builtins.max, builtins.any, builtins.all,
                       builtins.sorted})


def _iterated(x: Any) -> Any:
    """Returns the keys of a dict, which is all that Python reads of it; anything else as it is."""
    return builtins.list(x) if type(x) is dict else x


def by_key(function: Fn, args: tuple[Any, ...], *, key: Fn, **options: Any) -> Any:
    """Make `min`, `max` or `sorted` with a key function, which is called once for each item."""
    _check_options(function, len(args), options)
    items = args[0] if len(args) == 1 else args
    if function is builtins.sorted:
        items = container_of(builtins.list, items) if is_symbolic(items) else as_values(
            _iterated(items))
        return sorted_by(items, collected(Generated(items, key)), **options)
    better = operator.lt if function is builtins.min else operator.gt

    def choose(value: Any, *best: Any) -> State:
        asked = key(value)
        return cond(compare(better, asked, best[-1]),  # type: ignore[no-any-return]
                    lambda *best: (*best[:-2], value, asked), all_of, *best)

    if not is_symbolic(items) and isinstance(items, (list, tuple, builtins.range)) and items:
        first = key(items[0])
        if is_symbolic_object(first):
            check_compared(items)
            return _best_by(items, [first, *map(key, items[1:])], function)
        return for_loop(items[1:], choose, (items[0], first))[0]

    def first_or_better(value: Any, found: Any, *best: Any) -> State:
        return cond(found, lambda *best: (True, *choose(value, *best)),  # type: ignore[no-any-return]
                    lambda *_: (True, value, key(value)), *best)

    nothing = options.get("default"), None
    found, value, _ = for_loop(items, first_or_better, (False, *nothing))
    if "default" not in options:
        cond(found, all_of, lambda: function([]))  # raises, in Python's words
    return value


def _check_options(function: Fn, count: int, options: Mapping[str, Any]) -> None:
    """Raises, in Python's words, for arguments that the function does not take."""
    function(*([[0]] if count == 1 else [0] * count), key=lambda _: 0, **dict.fromkeys(options, 0))


def sorted_by(items: Any, keys: StagedList, reverse: Any = False) -> Any:
    """Returns the items in the order of their keys."""
    known = flatten(builtins.list(keys)) if keys.known else ()
    plain = not any(is_symbolic(x) or is_symbolic_object(x)
                    for x in (items, keys, reverse, *known))
    return in_order(items, keys, reverse) if plain else StagedList(
        [Splice(sorted_items(items, keys, reverse))])


def as_values(x: Any) -> Any:
    """Returns a lazy iterable or iterator as a list; anything else as it is."""
    if isinstance(x, (Generated, Items)):
        made = use_plain(builtins.list, (x,), {})
        made = collected(x) if made is NotImplemented else made
        return builtins.list(made) if made.known else made
    if is_instance(x) and hasattr(type(x), "__iter__"):
        return container_of(builtins.list, x)
    if needs_cursor(x):
        return cursor_of(x).__ag_rest__()
    return builtins.list(x) if isinstance(x, (Iterator, deque)) or type(x) in VIEWS else (
        as_known(x))


def as_known(x: Any) -> Any:
    """Returns a list of which the trace knows all items as one of Python's; else what is given."""
    return builtins.list(x) if type(x) is StagedList and x.known else x


VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))


def of_values(function: Fn) -> Fn:
    """Returns a function that is given lists in place of lazy iterables."""
    @wraps(function, updated=())
    def called(*args: Any, **kwargs: Any) -> Any:
        return function(*(
            as_values(x) if isinstance(x, (Generated, Items)) else x for x in args), **kwargs)

    return called


def _all_of(values: Any) -> Any:
    """Make `all` of items; it does not test the later ones once an item is false, and none twice.
    """
    tests = [lambda v=v: v if isinstance(v, Tensor) and v.type != DYNAMIC else _truth(v)
             for v in values]
    return _truth(and_(True, *tests, lambda: True))


def _any_of(values: Any) -> Any:
    return not_(and_(True, *[lambda v=v: not_(v) for v in values], lambda: True))


SHORT_CIRCUIT: dict[Fn, Fn] = {builtins.all: _all_of, builtins.any: _any_of}


def _until_decided(values: Iterator[Any], wanted: bool) -> Any:
    """Reads a generator of Python's until a value has the wanted truth; a symbolic one decides when
    the graph runs, whether the generator goes on."""
    def rest() -> Any:
        for value in values:
            decides = truth(value)
            if isinstance(decides, Tensor):
                return cond(decides, lambda: True, rest) if wanted else cond(
                    decides, rest, lambda: False)
            if decides is wanted:
                return wanted
        return not wanted

    return rest()


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

_pow_with_modulus = reduction(builtins.pow)


def _pow(base: Any, exp: Any, mod: Any = None) -> Any:
    """`pow` of two numbers is the operator `**`."""
    return base ** exp if mod is None else _pow_with_modulus(base, exp, mod)


REDUCTIONS: dict[Fn, Fn] = {builtins.pow: _pow, **{f: reduction(f) for f in (
    builtins.round, builtins.divmod, builtins.sum, builtins.min, builtins.max,
    builtins.any, builtins.all, builtins.sorted)}}
"""Builtin -> what it does while a function is traced."""
