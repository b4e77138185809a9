"""Comprehensions and generator expressions: Python's own, unless an item or a test is symbolic.

The function takes as many parameters as an item is unpacked to, and so does `where`. With
`nested`, the function returns an iterable, whose items are the result's: the second `for`.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autograph.operators.dispatch import BACKENDS, Backend, active

Fn = Callable[..., Any]


def list_comp(fn: Fn, items: Iterable[Any], *, where: Fn | None = None, nested: bool = False
              ) -> list[Any]:
    """Returns `[fn(item) for item in items if where(item)]`.

    Args:
      fn: takes as many parameters as an item is unpacked to.
      items: an iterable, perhaps a symbolic array.
      where: takes the same parameters; an item for which it is false is left out.
      nested: the items of what `fn` returns are taken, as by a second `for`.

    Returns:
      A list; in a trace its length may be symbolic.

    >>> list_comp(lambda i, c: c * i, enumerate("abc"), where=lambda i, c: i > 0)
    ['b', 'cc']
    """
    try:
        backend = _backend(items)
        if backend is not None:
            return backend.comprehension(  # type: ignore[no-any-return]
                builtins.list, fn, items, where, nested)
        fn, where, items = on_items(fn, where, items)
        if nested:
            return [x for item in items if where is None or where(item) for x in fn(item)]
        if where is None:
            return [fn(item) for item in items]
        return [fn(item) for item in items if where(item)]
    except BaseException:
        items = ()  # see for_loop
        raise


def set_comp(fn: Fn, items: Iterable[Any], *, where: Fn | None = None, nested: bool = False
             ) -> set[Any]:
    """Returns `{fn(item) for item in items if where(item)}`.

    The arguments are those of `list_comp`.

    >>> set_comp(lambda c: c.lower(), "aA")
    {'a'}
    """
    try:
        backend = _backend(items)
        if backend is not None:
            return backend.comprehension(  # type: ignore[no-any-return]
                builtins.set, fn, items, where, nested)
        fn, where, items = on_items(fn, where, items)
        if nested:
            return {x for item in items if where is None or where(item) for x in fn(item)}
        return {fn(item) for item in items if where is None or where(item)}
    except BaseException:
        items = ()  # see for_loop
        raise


def dict_comp(fn: Fn, items: Iterable[Any], *, where: Fn | None = None, nested: bool = False
              ) -> dict[Any, Any]:
    """Returns `{key: value for item in items if where(item)}`, where `fn(item)` gives key and
    value.

    The arguments are those of `list_comp`.

    >>> dict_comp(lambda c: (c, ord(c)), "ab")
    {'a': 97, 'b': 98}
    """
    try:
        backend = _backend(items)
        if backend is not None:
            return backend.comprehension(  # type: ignore[no-any-return]
                builtins.dict, fn, items, where, nested)
        fn, where, items = on_items(fn, where, items)
        if nested:
            return {k: v for item in items if where is None or where(item) for k, v in fn(item)}
        return {k: v for item in items if where is None or where(item) for k, v in (fn(item),)}
    except BaseException:
        items = ()  # see for_loop
        raise


def generator(fn: Fn, items: Iterable[Any], *, where: Fn | None = None, nested: bool = False
              ) -> Iterator[Any]:
    """Returns the iterator `(fn(item) for item in items if where(item))`.

    The arguments are those of `list_comp`.

    >>> next(generator(lambda x: x * x, [1, 2, 3], where=lambda x: x > 1))
    4
    """
    backend = _backend(items)
    if backend is not None:
        return backend.comprehension(  # type: ignore[no-any-return]
            None, fn, items, where, nested)
    name = _generator_name(fn.__qualname__)
    fn, where, items = on_items(fn, where, items)
    made: Any
    if nested:
        made = (x for item in items if where is None or where(item) for x in fn(item))
    elif where is None:
        made = (fn(item) for item in items)
    else:
        made = (fn(item) for item in items if where(item))
    made.__qualname__ = name
    return made  # type: ignore[no-any-return]


def _generator_name(block: str) -> str:
    """Returns the qualified name of a generator expression whose block has this one: that of a
    lambda, or, as blocks have in functions without lambdas, that of the function around it."""
    outer = block.removesuffix("<lambda>")
    return f"{block}.<locals>.<genexpr>" if outer == block else f"{outer}<genexpr>"


def _backend(items: Any) -> Backend | None:
    return BACKENDS.get(type(items)) or active()


def on_items(fn: Fn, where: Fn | None, items: Iterable[Any]
             ) -> tuple[Fn, Fn | None, Iterable[Any]]:
    """Returns `fn` and `where` as functions of one item, and the items, unpacked if need be."""
    size = fn.__code__.co_argcount
    if size == 1:
        return fn, where, items
    unpacked = (unpack(item, size) for item in items)
    test = None if where is None else lambda item: where(*item)
    return lambda item: fn(*item), test, unpacked


def unpack(item: Any, size: int) -> tuple[Any, ...]:
    """Returns the parts of an item, as `a, b = item` finds them for a size of 2.

    >>> unpack("ab", 2)
    ('a', 'b')
    """
    return UNPACK[size](item)


def _two(item: Any) -> tuple[Any, ...]:
    a, b = item
    return a, b


def _three(item: Any) -> tuple[Any, ...]:
    a, b, c = item
    return a, b, c


def _four(item: Any) -> tuple[Any, ...]:
    a, b, c, d = item
    return a, b, c, d


def _five(item: Any) -> tuple[Any, ...]:
    a, b, c, d, e = item
    return a, b, c, d, e


UNPACK: dict[int, Callable[[Any], tuple[Any, ...]]] = {
    2: _two, 3: _three, 4: _four, 5: _five}
"""The number of parts -> Python's own unpacking, for the sake of its exceptions."""
