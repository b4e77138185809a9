"""State changes: what a trace changed in a location, and the write by which a run repeats it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from itertools import islice
from typing import Any

from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.locations import Contents, HeapLocation
from autograph.runtime.heap.named_locations import ExtendedList, NamedLocation, ReplacedList
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.ir.undefined import is_undefined
from autograph.runtime.signatures.cache_keys import LITERALS
from autograph.runtime.symbolic.tensor import Tensor

Write = tuple[Any, Any]
"""(what has a `write`, the nest to write): a write that every run makes."""


def writes_to_all(known: Iterable[tuple[NamedLocation, Any, Any]]) -> list[Write]:
    """Returns the writes to locations: for each what it held when the trace began, and the splice
    that a growing list began with. A list that several of them hold is written once."""
    writes: list[Write] = []
    written: set[int] = set()
    for location, symbolic, first in known:
        now = location.read()
        if now is not symbolic:
            writes.append((location, now))
        elif type(symbolic) is StagedList and id(symbolic) not in written:
            written.add(id(symbolic))
            writes += _grown(location, symbolic, first)
    return writes


def _grown(location: NamedLocation, symbolic: StagedList, first: Any) -> list[Write]:
    """Returns the write to a list that grows, and that began with the splice `first`."""
    items = list(list.__iter__(symbolic))
    if not items or items[0] is not first:
        return [(ReplacedList(location.read), StagedList(items))]
    return [(ExtendedList(location.read), StagedList(items[1:]))] if items[1:] else []


def list_write(find: Callable[[], Any], old: list[Any], new: list[Any]) -> Write:
    """Returns the write that gives a list its new items; `find` finds the list."""
    if len(new) > len(old) and all(a is b for a, b in zip(old, new, strict=False)):
        return ExtendedList(find), new[len(old):]
    return ReplacedList(find), new


def keeps_keys(old: Any, new: Any) -> bool:
    """Returns True for a dict that has all its old keys, in their order, and maybe more."""
    return isinstance(new, dict) and list(islice(new, len(old))) == list(old)


def removes(location: HeapLocation, old: Any, new: Any) -> bool:
    """Returns True if an object that a location held is not there any more.

    A number, text or None that another constant replaces does not count.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        return any(k not in new or _is_removed(x, new[k]) for k, x in old.items())
    if isinstance(location, Contents) and isinstance(old, bytes):
        return True  # a buffer
    if isinstance(old, frozenset):
        return not old <= new
    if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        return len(new) < len(old) or any(map(_is_removed, old, new))
    return _is_removed(old, new)


def _is_removed(old: Any, new: Any) -> bool:
    return old is not new and type(old) not in LITERALS and not is_undefined(old)


def new_contents(old: Any, new: Any) -> Any:
    """Returns the new contents of a location; of a dict, only the items that changed."""
    if isinstance(new, dict) and isinstance(old, dict):
        return [x for k, x in new.items() if k not in old or old[k] is not x]
    return new


def map_contents(f: Callable[[Any], Any], contents: Any) -> Any:
    """Returns contents of a location with f(x) for each x in them; these contents, if no f(x) is
    another object."""
    if isinstance(contents, dict):
        made: Any = {k: f(x) for k, x in contents.items()}
        return made if any(made[k] is not x for k, x in contents.items()) else contents
    if type(contents) not in (list, tuple):
        return contents
    made = type(contents)(map(f, contents))
    return made if any(a is not b for a, b in zip(made, contents, strict=True)) else contents


def changed_names(old: Any, new: Any) -> Set[Any]:
    """Returns the keys of two dicts under which they hold different things; nothing for others."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return frozenset()
    return {k for k in {**old, **new} if k not in old or k not in new or old[k] is not new[k]}


def holds_symbols(contents: Any) -> bool:
    """Returns True if a location holds symbolic values: the run writes it."""
    return any(isinstance(x, Tensor) for x in flatten(contents))
