"""Iteration: what staged loops can iterate over, by index or item by item.

Arrays, lists and whatever else has a symbolic length are `Items`, which a loop reads by index. One
of Python's iterators has no index: `cursor_loops.py` has the loops over those.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from types import FunctionType, GeneratorType
from typing import Any

import numpy as np

from autograph.conversion.code_cache import stop_form
from autograph.conversion.written_blocks import written_comprehension
from autograph.libraries import is_library, package_of
from autograph.operators.checks import getitem
from autograph.operators.control_flow import cond, while_loop
from autograph.operators.logical import not_
from autograph.own_attributes import in_class
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.hidden_state import is_stream
from autograph.runtime.heap.iterators import (
    Cursor,
    is_of_users_class,
    needs_cursor,
    read_by_cursor,
)
from autograph.runtime.heap.list_values import Splice
from autograph.runtime.heap.objects import contents_of
from autograph.runtime.heap.run_time_containers import has_tensor, new_object
from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.ir.types import DYNAMIC, ArrayType, PyType, is_container
from autograph.runtime.ops import pure
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging.expected_equations import looks_long
from autograph.staging.generator_functions import Pushed
from autograph.staging.generators import (
    Generated,
    Items,
    collected,
    is_symbolic,
)
from autograph.staging.plain_loops import make_plain
from autograph.staging.resumed_generators import Resumed
from autograph.staging.streams_of_run import is_stream_of_run, opened_stream, reads_of_run

Fn = Callable[..., Any]
State = tuple[Any, ...]

UNROLL = 8
"""Loops of at most this many iterations are unrolled; longer ones become one equation."""



class Opened:
    """An iterator of a user's class whose `__iter__` was called: nothing calls it again."""

    __slots__ = ("iterator",)

    def __init__(self, iterator: Any) -> None:
        self.iterator = iterator

    def __iter__(self) -> Opened:
        return self

    def __next__(self) -> Any:
        return builtins.next(self.iterator)


def opened(x: Any) -> Any:
    """Returns the result of `__iter__` for an object of a user's class, and for a stream that the
    run reads; anything else as it is. If only the run may know its end, that is a generator for
    staged loops."""
    by = iterates_by(x)
    if by is None:
        return opened_stream(x)
    if by == "__iter__":
        x = builtins.iter(x)
        if is_of_users_class(x):
            x = Opened(x)
    return in_steps(x) or x if holds_symbols(x) else x


def is_opened(x: Any) -> bool:
    """Returns True for a stream, or an object of a user's class, in which Python looks by iterating
    over it."""
    if is_stream(x) or is_stream_of_run(x):
        return True
    own = getattr(type(x), "__contains__", Sequence.__contains__)
    return own is Sequence.__contains__ and iterates_by(x) is not None


def iterates_by(x: Any) -> str | None:
    """Returns the name of the method of a user's class by which Python iterates over an object.

    The `__iter__` that `collections.abc.Sequence` gives its classes reads by `__getitem__`.
    """
    cls = type(x)
    if not trace.tracing() or package_of(cls.__module__) == "autograph":
        return None
    if is_stream(x) and is_library(cls.__module__):
        return None
    own = getattr(cls, "__iter__", Sequence.__iter__)
    name = "__getitem__" if own is Sequence.__iter__ else "__iter__"
    return name if type(in_class(cls, name)) is FunctionType else None


def in_steps(x: Any) -> Pushed | None:
    """Returns an object that Python iterates over by a method of a user's class as a generator for
    staged loops, which asks for an item only where the run gets there; None for another one."""
    owner = x.iterator if isinstance(x, Opened) else x
    step = stop_form_of(owner)
    if step is None:
        return None

    def push(consume: Fn) -> None:
        def turn(_: Any, i: Any) -> tuple[Any, Any]:
            found, value = step(owner) if isinstance(x, Opened) else step(owner, i)
            return cond(found, lambda: not_(consume(value)), lambda: False), i + 1

        while_loop(lambda goes_on, _: goes_on, turn, (True, 0))

    return Pushed(lambda: builtins.iter(x), push, list(contents_of(owner).values()))


def holds_symbols(x: Any) -> bool:
    """Returns True if an object, or the opened iterator, has an attribute that is symbolic."""
    owner = x.iterator if isinstance(x, Opened) else x
    return any(map(is_symbolic, all_leaves(list(contents_of(owner).values()))))


def stop_form_of(x: Any) -> Fn | None:
    """Returns what makes the next item of an object of a user's class: if there is one, and it."""
    if not trace.tracing() or is_library(type(x).__module__):
        return None
    method = getattr(type(x), "__next__", None) or getattr(type(x), "__getitem__", None)
    return stop_form(method) if type(method) is FunctionType else None


def comprehension(kind: type | None, fn: Fn, items: Any, where: Fn | None, nested: bool) -> Any:
    """Make a comprehension of this kind while a function is traced; None: a generator."""
    if kind is not None and (plain := make_plain(kind, fn, items, where)) is not NotImplemented:
        return plain
    made = Generated(read_by_cursor(opened(items)), fn, where, nested, fn.__code__.co_argcount)
    if kind is None:
        written = written_comprehension(None, fn, where)
        made.kind = GeneratorType
        made.written = None if written is None else (written, (made.items,), {})
        return made
    is_short = can_unroll(made) and not looks_long(turns_of(made.source), fn)
    items = StagedList(made) if is_short else collected(made)
    if kind is builtins.list:
        return items
    if items.known and not has_tensor([x if kind is builtins.set else x[0] for x in items]):
        return kind(items)
    return new_object(kind, items)


def turns_of(x: Any) -> int:
    """Returns how many items a sequence has that a loop can read by index; 0 for what is none."""
    turns = length_of(x) if isinstance(x, (builtins.range, Items, Tensor, *SEQUENCES)) else 0
    return turns if type(turns) is int else 0


SEQUENCES = builtins.list, builtins.tuple, StagedList


def can_unroll(x: Any) -> bool:
    """Returns True if Python can iterate over it: its length and its tests are not symbolic."""
    if isinstance(x, Generated) and x.read_by_python:
        return not needs_cursor(x.python)
    if isinstance(x, Generated):
        return not x.read_by_loop and x.by_items and x.where is None and (
            not x.nested and can_unroll(x.items))
    if isinstance(x, Tensor):
        t = x.type
        if isinstance(t, ArrayType) and t.shape == ():
            iter(x)  # raises, in Python's words
        return isinstance(t, ArrayType) and t.shape is not None and isinstance(t.shape[0], int)
    if isinstance(x, Cursor):
        return isinstance(x.position, int)
    return type(x.length) is int if isinstance(x, Items) else not is_symbolic(x)


def container_of(kind: Any, x: Any) -> Any:
    """Make `list(x)`, `tuple(x)`, `set(x)`, `dict(x)` …"""
    if can_unroll(x):
        return kind(iter(x))
    if isinstance(x, Tensor):
        made = apply(pure(kind), x)
        return StagedList([Splice(made)]) if kind is builtins.list else made
    items = x.copy() if type(x) is StagedList else collected(x)
    if kind is builtins.list:
        return items
    return kind(items) if items.known and kind is builtins.tuple else apply(pure(kind), items)


NUMBERS_AND_TEXTS = frozenset({bool, int, float, complex, str, np.bool_, *(
    np.dtype(code).type for code in np.typecodes["AllInteger"] + np.typecodes["AllFloat"])})


def item_of_table(items: Sequence[Any]) -> Callable[[Any], Any] | None:
    """Returns what gives the item at a position that only the run knows; None if the items are few,
    or not all numbers or texts of one class, or tuples of such."""
    classes = {type(x) for x in items}
    if len(items) <= UNROLL or len(classes) != 1:
        return None
    cls = classes.pop()
    if cls in NUMBERS_AND_TEXTS:
        return partial(getitem, builtins.tuple(items))
    if cls is not builtins.tuple or len(set(map(len, items))) != 1:
        return None
    columns = [item for column in zip(*items, strict=True) if (item := item_of_table(column))]
    if len(columns) < len(items[0]):
        return None
    return lambda i: builtins.tuple(item(i) for item in columns)


def is_of_table(x: Any) -> bool:
    """Returns True if an item may be one of a table."""
    return type(x) in NUMBERS_AND_TEXTS or (type(x) is builtins.tuple and all(map(is_of_table, x)))


def range_of(length: Any) -> Any:
    """Make `range(length)`, symbolic if the length is."""
    return apply("range_", length) if isinstance(length, Tensor) else builtins.range(length)


def read_by_loop(x: Generated, body: Fn, state: State, test: Fn | None) -> State:
    """Stage a loop over a generator, from where the last one stopped: the items of an array, or of
    a list of the run, are counted."""
    items = x.items
    is_counted = not x.read_by_python and ((type(items) is StagedList and not items.known) or (
        isinstance(items, Tensor) and isinstance(items.type, ArrayType) and bool(items.type.shape)))
    found = items_of(items) if is_counted else None
    if found is None:
        return x.loop(body, state, test)
    x.source = replace(found, position=x.position)
    state = x.loop(body, state, test)
    x.position.watch(found.sources)
    return state


def items_of(x: Any) -> Items | None:
    """Returns an iterable as `Items`, if a staged loop can read it by index; else None."""
    if isinstance(x, Items):
        if x.position is not None:
            rest, x.position.unknown = x.rest(), True  # who reads these may stop before their end
            return rest
        return x
    if isinstance(x, Generated) and not isinstance(x, (Pushed, Resumed)) and not (
            can_unroll(x) or reads_of_run(x)):
        x = known = collected(x)
        if known.known:
            return Items(builtins.len(known), partial(getitem, known))
    sources = (x,) if type(x) is StagedList else ()
    if type(x) is StagedList and not x.known:
        x = x.tensor()
    if not isinstance(x, Tensor):
        return None
    if is_container(x.type) or x.type == DYNAMIC:
        x = new_object(list, x)  # what is not a sequence has no positions
    elif (isinstance(x.type, PyType) and x.type.cls not in (builtins.range, str, bytes)) or (
            isinstance(x.type, ArrayType) and x.type.shape == ()):
        iter(x)  # raises, in Python's words
    return Items(length_of(x), lambda i: x[i], sources=sources)


def length_of(x: Any) -> Any:
    """Make `len(x)`, symbolic if only the run knows it."""
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
