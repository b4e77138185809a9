"""What a function keeps outside itself from call to call: found by one trace, an input of the
next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from autograph.runtime.heap.escaping_objects import holds_symbols, is_new_iterator
from autograph.runtime.heap.growing_lists import StagedList, unstage
from autograph.runtime.heap.locations import Contents, File, HeapLocation
from autograph.runtime.heap.named_locations import (
    ABSENT,
    ExtendedList,
    Item,
    NamedLocation,
    ReplacedList,
    changed_locations,
    locations_holding,
)
from autograph.runtime.heap.reachability import reachable_locations
from autograph.runtime.ir.errors import TracingError
from autograph.runtime.ir.frame_state import OutsideLocation
from autograph.runtime.ir.pytree import children, flatten
from autograph.runtime.ir.types import CONTAINERS, PyType
from autograph.runtime.ir.undefined import is_undefined
from autograph.runtime.signatures.binding import Bound
from autograph.runtime.signatures.cache_keys import LITERALS, ByReference, Growing, Key, Node
from autograph.runtime.symbolic.allocation_sites import (
    Allocations,
    containers_in,
    is_plain_container,
)
from autograph.runtime.symbolic.tensor import Tensor

Write = tuple[Any, Any]
"""(what has a `write`, the nest to write): a change that every run makes."""

@dataclass(frozen=True)
class Found:
    """What has a `write`, and what it belongs to: a run puts there what belongs to what is kept."""

    group: Any
    target: Any


MANY = 1000
"""Containers with more items are not looked through for arrays."""


@dataclass(frozen=True)
class Kept:
    """The slots that a function reads or writes at run time, in the order they were found in.

    growing  the slots of lists that get another length.
    whole    the slots whose containers are objects of the graph.
    exact    Python's numbers in the slots are constants of a trace, one trace for each value.
    """

    slots: tuple[NamedLocation, ...] = ()
    growing: frozenset[NamedLocation] = frozenset()
    whole: frozenset[NamedLocation] = frozenset()
    exact: bool = False

    def load(self) -> tuple[Any, ...]:
        """What the slots hold now."""
        return tuple([slot.read() for slot in self.slots])

    def pattern(self, values: tuple[Any, ...]) -> Key:
        """How `bind` is to take the values: numbers and growing lists as inputs."""
        keys = tuple(map(self._pattern_of, self.slots, values))
        return Node((tuple, len(keys)), keys)

    def _pattern_of(self, slot: NamedLocation, x: Any) -> Key:
        if slot in self.whole:
            return _whole(x)
        if self.exact:
            return None
        return Growing(list) if slot in self.growing and type(x) is list else _pattern(x)

    def with_slots(self, slots: dict[NamedLocation, bool]) -> Kept:
        """Together with slots that were found (and whether each holds a list that grows)."""
        growing = self.growing | {s for s, grows in slots.items() if grows}
        inside = {id(c) for s in slots for c in containers_in(s.read())}
        known = [s for s in dict.fromkeys([*self.slots, *slots]) if not (
            isinstance(s, Item) and s.identity[0] in inside)]
        return replace(self, slots=tuple(known), growing=growing)

    def with_whole(self, slots: frozenset[NamedLocation]) -> Kept:
        """With slots whose containers are to be objects of the graph."""
        return replace(self.with_slots(dict.fromkeys(slots, False)), whole=self.whole | slots)


def _pattern(x: Any) -> Key:
    if type(x) in (int, float, complex):
        return PyType(type(x))
    found = children(x)
    return None if found is None else Node(found[0], tuple(map(_pattern, found[1])))


def _whole(x: Any) -> Key:
    """A pattern by which the outermost containers of Python's in a nest are inputs as they are."""
    if type(x) in CONTAINERS:
        return ByReference(type(x))
    found = children(x)
    return None if found is None else Node(found[0], tuple(map(_whole, found[1])))


def array_slots(function: Any, arguments: Any) -> dict[NamedLocation, bool]:
    """The slots that a function can reach in which there are arrays."""
    read: dict[HeapLocation, None] = {}
    places = reachable_locations(function, arguments, read=read)
    found: dict[NamedLocation, bool] = {}
    for place in dict.fromkeys([*places, *read]):
        if isinstance(place, File):
            continue
        held = place.read()
        if isinstance(place, Contents) and not isinstance(held, dict):
            continue
        empty = dict.fromkeys(held, ABSENT) if isinstance(place, Contents) else ABSENT
        for slot in changed_locations(place, empty, held):
            if _has_array(slot.read()):
                found[slot] = False
    return found


def _has_array(x: Any) -> bool:
    return bool(_arrays_in(x))


def _arrays_in(x: Any) -> list[np.ndarray]:
    if type(x) in (list, tuple, dict) and len(x) > MANY:
        return []
    return [leaf for leaf in flatten(x) if isinstance(leaf, np.ndarray)]


class Session:
    """The slots while one trace is made: they hold symbolic values, and get back their own.

    found   the slots that this trace wrote symbolic values to, and whether each holds a list that
            grows.
    writes  the changes that every run of the graph makes.
    """

    def __init__(self, kept: Kept, inside: tuple[Any, ...], function: Any, bound: Bound,
                 at_run_time: bool) -> None:
        nest, self.given = tuple(bound.nest.values()), bound.containers
        self.kept = kept
        self.inside = inside
        self.at_run_time = at_run_time
        self.read: dict[HeapLocation, None] = {}
        self.watched = [p for p in reachable_locations(function, nest, read=self.read)
                        if not isinstance(p, File)]
        self.real = [p.read() for p in self.watched]
        self.held: dict[HeapLocation, Any] = {p: p.read() for p in self.read}
        self.held.update(zip(self.watched, self.real, strict=True))
        self.known = {id(p.container) for p in self.watched if isinstance(p, Contents)}
        self.own = kept.load()
        self.spliced = [next(list.__iter__(x)) if type(x) is StagedList else None for x in inside]
        self.found: dict[NamedLocation, bool] = {}
        for slot, own, x in zip(kept.slots, self.own, inside, strict=True):
            if own is not x:
                slot.write(x)
        self.began = [p.read() for p in self.watched]
        self.groups: set[Any] = set()
        self.arrays = [(a, a.copy(), slot) for slot in array_slots(function, nest)
                       for a in _arrays_in(slot.read())] if at_run_time else []
        self.reached: Callable[[], set[int]] = set

    def tell(self, allocations: Allocations) -> None:
        """Tells of the containers outside the function, and of those that stand for them."""
        allocations.outside = {id(x): x for p in self.watched if isinstance(p, Contents)
                         and is_plain_container(x := p.container)}
        allocations.persistent = {
            id(c): (c, slot) for slot, x in zip(self.kept.slots, self.inside, strict=True)
            for c in containers_in(x)}
        allocations.before |= {id(p.owner) for p in self.watched if isinstance(p, Contents)}
        allocations.holders = self.holders
        self.reached = lambda: allocations.searched

    def holders(self, container: Any) -> list[NamedLocation]:
        """The slots that lead to a container from outside."""
        return locations_holding(container, self.held.items())

    def aliases(self, changed: Iterable[Any]) -> list[NamedLocation]:
        """The slots, not known to be kept, that lead to containers of the arguments which are
        changed, or are found outside as well and changed there."""
        given = {id(x): x for _, x in self.given if is_plain_container(x) and id(x) in self.known}
        there = [p.container for p, old in zip(self.watched, self.real, strict=True)
                 if isinstance(p, Contents) and id(p.container) in given
                 and not p.same(old, p.read())]
        found = [s for x in (*changed, *there) if id(x) in given for s in self.holders(x)]
        more = self.kept.with_slots(dict.fromkeys(found, False))
        return [] if more.slots == self.kept.slots else found

    def written_arrays(self) -> list[NamedLocation]:
        """The slots that hold arrays outside which the function wrote constants to while it was
        traced, where that has to happen at run time; those writes are undone."""
        found = [(a, old, slot) for a, old, slot in self.arrays if a.tobytes() != old.tobytes()]
        for a, old, _ in found:
            a[...] = old
        return [slot for _, _, slot in found]

    def changes(self, places: bool) -> Iterator[Write]:
        """What a run would have to put outside if the function ended here; `places`: also into
        places that are not known to be kept, as targets `Found`."""
        for slot, x, spliced in zip(self.kept.slots, self.inside, self.spliced, strict=True):
            for target, contents in _slot_write(slot, x, spliced):
                yield OutsideLocation(target.write), contents
        for place, old in zip(self.watched, self.began, strict=True) if places else ():
            if place.same(old, new := place.read()):
                continue
            group = place.group
            if isinstance(place, Contents) and type(new) is list:
                yield Found(group, ReplacedList(partial(_itself, place.container))), new
            elif isinstance(place, Contents) and type(new) in (tuple, bytes):
                yield Found(group, place), new
            for slot in changed_locations(place, old, new):
                if slot not in self.kept.slots:
                    yield Found(group, slot), slot.read()

    def finish(self, leave: Callable[[Any], Any]) -> list[Write]:
        """Put everything back that holds symbolic values; `leave` makes results of nests."""
        slots = zip(self.kept.slots, self.inside, self.spliced, strict=True)
        writes = [w for slot, x, spliced in slots for w in _slot_write(slot, x, spliced)]
        for slot, own, x in zip(self.kept.slots, self.own, self.inside, strict=True):
            if type(own) is list and type(x) is list and len(own) != len(x):
                self.found[slot] = True
        self._give_back()
        changed = [(p, old, p.read()) for p, old in zip(self.watched, self.real, strict=True)]
        changed = [(p, old, new) for p, old, new in changed if not p.same(old, new)]
        for place, _, _ in changed:
            if isinstance(place, Contents) and id(place.owner) in self.reached():
                raise TracingError(
                    f"an object of the class {type(place.owner).__name__} is changed, and may also "
                    "be looked up in a container by what only the run knows\n"
                    "  hint: choose the object in if statements")
        self.groups = groups = {p.group for p, old, new in changed
                  if self.at_run_time or self._is_symbolic(_only_new(old, new))
                  or takes_away(p, old, new)}
        groups |= {slot.group for slot in self.kept.whole}
        for place, old, new in changed:
            if place.group in groups:
                writes += self._discover(place, old, new)
        return [(target, leave(unstage(x))) for target, x in writes]

    def _discover(self, place: HeapLocation, old: Any, new: Any) -> list[Write]:
        """Note what a place was given; what every run has to put there."""
        if isinstance(place, Contents) and not (
                place.has_attributes or _keeps_keys(old, new)):
            is_list = type(new) is list
            self._find(place.container, is_list and len(old) != len(new))
            writes = [_list_write(lambda: place.container, old, new) if is_list else (place, new)]
        else:
            slots = changed_locations(place, old, new)
            self.found.update((s, False) for s in slots)
            writes = [(slot, slot.read()) for slot in slots]
        place.write(old)
        return writes

    def _is_symbolic(self, nest: Any) -> bool:
        return any(isinstance(x, Tensor) or is_new_iterator(x) or holds_symbols(x, self.known)
                   for x in flatten(unstage(nest)))

    def _find(self, container: Any, grows: bool) -> None:
        """Note the slots that lead to a container that is changed."""
        holders = self.holders(container)
        if not holders:
            raise TracingError(
                f"a {type(container).__name__} outside the function is changed, and is in no "
                "variable, attribute or item by which the next call finds it\n"
                "  hint: keep it in a variable, or pass it as an argument")
        self.found.update(dict.fromkeys(holders, grows))

    def _give_back(self) -> None:
        for slot, own in zip(self.kept.slots, self.own, strict=True):
            if slot.read() is not own:
                slot.write(own)

    def restore(self) -> None:
        """Put everything back that holds symbolic values, after the function raised."""
        self._put_back(lambda old, new: self._is_symbolic(_only_new(old, new)))

    def undo(self) -> None:
        """Put everything back, after the trace was given up: the function will run again."""
        self.written_arrays()
        self._put_back(lambda old, new: True)

    def _put_back(self, wanted: Callable[[Any, Any], bool]) -> None:
        self._give_back()
        for place, old in zip(self.watched, self.real, strict=True):
            new = place.read()
            if not place.same(old, new) and wanted(old, new):
                place.write(old)


def _itself(x: Any) -> Any:
    return x


def _slot_write(slot: NamedLocation, inside: Any, spliced: Any) -> list[Write]:
    """What a run has to put into a slot that held `inside` when the function began."""
    now = slot.read()
    if now is not inside:
        return [(slot, now)]
    if type(inside) is not StagedList:
        return []
    first, *rest = list.__iter__(inside)
    if first is not spliced:
        return [(ReplacedList(slot.read), inside)]
    return [(ExtendedList(slot.read), StagedList(rest))] if rest else []


def _list_write(find: Callable[[], Any], old: list[Any], new: list[Any]) -> Write:
    if len(new) > len(old) and all(a is b for a, b in zip(old, new, strict=False)):
        return ExtendedList(find), new[len(old):]
    return ReplacedList(find), new


def _keeps_keys(old: Any, new: Any) -> bool:
    """Whether it is a dict that has all the keys that it had, in their order, and maybe more."""
    return isinstance(new, dict) and list(islice(new, len(old))) == list(old)


def takes_away(place: HeapLocation, old: Any, new: Any) -> bool:
    """Whether something of what a place held is gone: an object, or what was in a container. A
    number, text or None that another constant takes the place of does not count."""
    if isinstance(old, dict) and isinstance(new, dict):
        return any(k not in new or _is_lost(x, new[k]) for k, x in old.items())
    if isinstance(place, Contents) and isinstance(old, bytes):
        return True  # a buffer
    if isinstance(old, frozenset):
        return not old <= new
    if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        return len(new) < len(old) or any(map(_is_lost, old, new))
    return _is_lost(old, new)


def _is_lost(old: Any, new: Any) -> bool:
    return old is not new and type(old) not in LITERALS and not is_undefined(old)


def _only_new(old: Any, new: Any) -> Any:
    """Of a dict, the items that are not what they were."""
    if isinstance(new, dict) and isinstance(old, dict):
        return [x for k, x in new.items() if k not in old or old[k] is not x]
    return new
