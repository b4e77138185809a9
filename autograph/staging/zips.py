"""`zip` as staged loops see it: of containers of the run, generators, and iterators."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import partial
from typing import Any

from autograph.operators.checks import getitem
from autograph.operators.containers import SEQUENCES
from autograph.runtime.heap.iterators import Cursor, needs_cursor, read_by_cursor
from autograph.runtime.heap.run_time_containers import (
    embedded_arguments,
    is_iterated_by_run,
    need_references_for,
)
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import apply
from autograph.staging.cursor_loops import (
    handed_on,
    items_ahead,
    next_item,
    read_ahead_of_readers,
)
from autograph.staging.generators import (
    Generated,
    Items,
    Position,
    Stepped,
    is_symbolic,
    made_by_python,
)
from autograph.staging.iteration import can_unroll, items_of
from autograph.staging.resumed_generators import Resumed, Together
from autograph.staging.streams_of_run import ReadByRun, reads_of_run

Fn = Callable[..., Any]


def made_by_run(kind: Fn, *args: Any, **kwargs: Any) -> Any:
    """Returns an iterator of the run over containers of the run: it sees what a loop changes."""
    need_references_for(kind.__name__)
    read = [handed_on(x) if isinstance(x, (Generated, Items, Cursor)) else (x, []) for x in args]
    args, kwargs = embedded_arguments(tuple(x for x, _ in read), kwargs)
    made = apply("call_object", kind, *args, **kwargs)
    sources = [x for _, inside in read for x in inside]
    return Generated(made, lambda item: item, sources=sources) if sources else made


def is_lazy(x: Any) -> bool:
    """Returns True for a generator that Python cannot iterate over."""
    return isinstance(x, Generated) and not can_unroll(x)


def zip_(*iterables: Any, strict: bool = False) -> Any:
    if not any(is_symbolic(x) or isinstance(x, Generated) for x in iterables):
        if any(map(needs_cursor, iterables)):
            return made_by_python(builtins.zip, [*map(read_by_cursor, iterables)],
                                  {"strict": strict})
        return NotImplemented
    if not strict and any(isinstance(x, Resumed) for x in iterables):
        return Together(iterables)
    read = tuple(map(read_by_cursor, iterables))
    if not strict and any(map(_is_endless, read)):
        return _with_endless(read)
    if any(map(is_iterated_by_run, iterables)):
        return made_by_run(builtins.zip, *read, strict=strict)
    lazy = [i for i, x in builtins.enumerate(iterables) if is_lazy(x)]
    once = [id(x) for x in iterables if isinstance(x, Items) and x.position is not None]
    once += [id(_source(iterables[i])) for i in lazy]
    if builtins.len({*once}) < builtins.len(once):
        return _in_turns(iterables, strict)
    if builtins.len(lazy) > 1 and any(reads_of_run(iterables[i]) for i in lazy):
        raise TracingError(
            "zip() reads several iterators, one of which only the run reads, item by item"
            f"{at(user_location())}\n  hint: write a loop that reads them with next()")
    return _zip_with(lazy[0], iterables) if builtins.len(lazy) == 1 and not strict else (
        _by_position(iterables, strict))


def _source(x: Any) -> Any:
    """Returns the stream that the run reads for a generator; else the generator."""
    return x.stream if isinstance(x, ReadByRun) else x


def _is_endless(x: Any) -> bool:
    return isinstance(x, Cursor) and x.endless


def _with_endless(iterables: tuple[Any, ...]) -> Any:
    """Make `zip` of what the run ends and of iterators without an end.

    One that stands before what ends it gives an item that no pair has.
    """
    ending = [i for i, x in builtins.enumerate(iterables) if not _is_endless(x)]
    together = zip_(*[iterables[i] for i in ending])
    if together is NotImplemented:
        return NotImplemented
    endless = {i: x.hand_on() if i < ending[-1] else x
               for i, x in builtins.enumerate(iterables) if i not in ending}

    def paired(item: Any) -> tuple[Any, ...]:
        return tuple([next_item(endless[i]) if i in endless else getitem(item, ending.index(i))
                      for i in builtins.range(builtins.len(iterables))])

    return Generated(together, paired)


def _in_turns(iterables: tuple[Any, ...], strict: bool) -> Any:
    """Make `zip(it, it)`: the parts of an item are read from one generator, one after the other."""
    count, first = builtins.len(iterables), iterables[0]
    if strict or any(_source(x) is not _source(first) for x in iterables):
        raise TracingError(
            "zip() reads a generator more than once, and other iterables besides, and only the run "
            f"knows its items{at(user_location())}\n  hint: make a list of its items")
    items = items_ahead(first)
    return Items(items.length // count,
                 lambda i: tuple(items.get(i * count + k) for k in builtins.range(count)),
                 position=Position())


def _by_position(iterables: tuple[Any, ...], strict: bool = False) -> Any:
    """Make `zip` of iterables that can be read by index."""
    parts = []
    for x in [read_ahead_of_readers(x) if isinstance(x, Cursor) else x for x in iterables]:
        items = items_of(x)
        if isinstance(x, Generated):
            x.ended = x.reads_on = False  # zip() stops at the shortest
        if items is None:
            if not isinstance(x, SEQUENCES):
                return NotImplemented
            sources = (x,) if isinstance(x, list) else ()
            items = Items(builtins.len(x), partial(getitem, x), sources=sources)
        parts.append(items)
    lengths = [p.length for p in parts]
    known = all(type(n) is int for n in lengths)

    def check() -> None:
        apply("check_lengths", *lengths)

    end = check if strict and len(lengths) > 1 else None
    lists = tuple(x for p in parts for x in p.sources)
    shortest = builtins.min(lengths) if known else (
        apply("min_", *lengths) if lengths[1:] else lengths[0])
    return Items(shortest,
                 lambda i: tuple(p.get(i) for p in parts), end,
                 lists, Position(lists))


def _zip_with(k: int, iterables: tuple[Any, ...]) -> Any:
    """Make `zip` of a generator, which is number k, and iterables that can be read by index."""
    generator = iterables[k]
    if builtins.len(iterables) == 1:
        return Generated(generator, lambda item: (item,))
    others = _by_position((*iterables[:k], *iterables[k + 1:]))
    if others is NotImplemented:
        return NotImplemented

    def paired(i: Any, item: Any) -> tuple[Any, Any, Any, Any]:
        def pair() -> tuple[Any, ...]:
            found = others.get(i)
            return *found[:k], item, *found[k:]

        # `zip` asks its first iterable once more than the others have items
        goes_on = i < others.length if k == 0 else i + 1 < others.length
        return i + 1, True if k else goes_on, pair, goes_on

    return Stepped(generator, paired, 0, True if k == 0 else others.length > 0)
