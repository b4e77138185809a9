"""Traced state: the locations outside a function during a trace, changed and restored."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Any

from autograph.runtime.functions.persistent_state import PersistentState
from autograph.runtime.functions.state_changes import (
    Write,
    changed_names,
    holds_symbols,
    keeps_keys,
    list_write,
    map_contents,
    new_contents,
    removes,
    writes_to_all,
)
from autograph.runtime.functions.traced_arrays import TracedArrays
from autograph.runtime.heap.escaping_objects import (
    Unstaged,
    is_new_iterator,
    is_symbolic_object,
    unstage_attributes,
)
from autograph.runtime.heap.growing_lists import StagedList, unstage
from autograph.runtime.heap.identities import Identities
from autograph.runtime.heap.joined_copies import escaping_from, has_identity
from autograph.runtime.heap.locations import (
    Cell,
    Contents,
    File,
    Global,
    HeapLocation,
    locations_of,
)
from autograph.runtime.heap.named_locations import (
    Item,
    NamedLocation,
    ReplacedList,
    Variable,
    changed_locations,
    locations_holding,
)
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.objects import (
    contents_of,
    is_instance,
    is_known,
    is_object,
    refuse_order,
)
from autograph.runtime.heap.objects_of_run import asked_objects
from autograph.runtime.heap.reachability import reachable_locations
from autograph.runtime.heap.rebuilt_functions import uses_symbols
from autograph.runtime.heap.snapshot import Change, Snapshot
from autograph.runtime.heap.store_targets import ALL
from autograph.runtime.ir.errors import TracingError
from autograph.runtime.ir.frame_state import OutsideLocation
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.ir.types import CONTAINERS
from autograph.runtime.signatures.binding import PERSISTENT, Bound
from autograph.runtime.signatures.cache_keys import ByReference
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import (
    Allocations,
    containers_in,
    is_plain_container,
    parts_of,
)

Watched = Cell | Global | Contents
"""A location that is watched: all but files."""


@dataclass(frozen=True)
class TentativeTarget:
    """The target of a write that runs make only if its group turns out to be persistent."""

    group: Any
    target: Any


class TracedState:
    """The locations outside a function during one trace.

    Those of the persistent state hold symbolic values meanwhile, and get their own values back.

    new_state  the locations that this trace wrote symbolic values to, and whether each holds a list
               that grows.
    visited    what the function and its arguments lead to.
    before     what the locations held that the function can reach.
    files      the streams in memory that it can reach, and what they held.
    arrays     the arrays that the function can reach.
    at_start   what they held when the function began, symbolic values among it; identities: tells
               which of them may hold something else now.
    at_raise   what they held where the graph may first raise, if it does so by a statement of the
               user's, or a handler of the user's may see it.
    staged     the locations that branches and loops change.
    before_raising, pending_once  what branches and loops, or others, changed before a raise.
    of_arguments  the containers, attributes and cells that the arguments lead to, without the
                  object that the function is a method of.
    constant   identifies the locations that the trace changed itself, by constants.
    groups     the groups of locations that turned out to be persistent.
    known      the locations that a trace with inputs by reference finds by itself.
    reads      the iterators from outside of which the trace read copies, and how many items.
    copies     the ids of what stands for the caller's containers while the function is traced.
    """

    def __init__(self, state: PersistentState, symbolic: tuple[Any, ...], function: Any,
                 bound: Bound, at_run_time: bool, staged: Set[HeapLocation],
                 before_raising: Sequence[tuple[Watched, Any, Any]] = (),
                 instance: str | None = None) -> None:
        nest, self.given = tuple(bound.nest.values()), bound.containers
        self.references = [leaf.value for leaf in bound.leaves
                           if isinstance(leaf.type, ByReference) and has_identity(leaf.value)]
        self.copies: frozenset[int] = frozenset()
        self.state = state
        self.symbolic = symbolic
        self.at_run_time = at_run_time
        read: dict[HeapLocation, None] = {}
        reached = reachable_locations(function, *nest, read=read)
        given = reachable_locations([x for k, x in bound.nest.items() if k != PERSISTENT])
        self.visited = reached.visited
        others = given if instance is None else reachable_locations(
            [x for k, x in bound.nest.items() if k not in (PERSISTENT, instance)])
        self.of_arguments = frozenset(x for x in others if isinstance(x, (Contents, Cell)))
        self.arrays = TracedArrays(reached.arrays, given.arrays, function, nest)
        self.before: Snapshot[Watched] = Snapshot.take(
            x for x in reached if not isinstance(x, File))
        self.files = Snapshot.take(x for x in reached if isinstance(x, File))
        self.held = Snapshot.take(read)
        self.held.update(self.before.items())
        self.containers = {id(x.container) for x in self.before if isinstance(x, Contents)}
        self.own = state.load()
        self.first = [next(list.__iter__(x)) if type(x) is StagedList else None for x in symbolic]
        self.new_state: dict[NamedLocation, bool] = {}
        for location, own, x in zip(state.locations, self.own, symbolic, strict=True):
            if own is not x:
                location.write(x)
        self.known = reachable_locations(function, *nest) if self.references else ()
        self.at_start = Snapshot.take(self.before)
        self.at_raise: Snapshot[Watched] = Snapshot()
        self.identities = Identities(self.at_start)
        self.groups, self.constant = set[Any](), frozenset[Hashable]()
        self.staged, self.before_raising = staged, before_raising
        self.pending_once: dict[Watched, tuple[Any, Any]] = {}
        self.searched: Callable[[], dict[int, Any]] = dict
        self.reads: list[tuple[Iterator[Any], int | None]] = []

    def register(self, allocations: Allocations) -> None:
        """Registers the containers outside the function, and those that stand for them."""
        allocations.outside = {id(x): x for p in self.before if isinstance(p, Contents)
                               for x in (p.container, p.owner) if has_identity(x)}
        allocations.persistent = {
            id(c): (c, location) for location, x in zip(
                self.state.locations, self.symbolic, strict=True) for c in containers_in(x)}
        allocations.before |= {id(p.owner) for p in self.before if isinstance(p, Contents)}
        allocations.holders = self.holders
        self.searched = lambda: allocations.searched | asked_objects()

    def holders(self, container: Any) -> list[NamedLocation]:
        """Returns the locations that lead to a container from outside."""
        return locations_holding(container, self.held.items())

    def aliases(self, changed: Iterable[Any]) -> list[NamedLocation]:
        """Returns locations outside that hold changed containers of the arguments as well, or one
        that is an input by reference.

        `changed` are containers of the arguments; those that were changed through a location
        outside are found here. Nothing is returned if all are persistent state already.
        """
        given: dict[HeapLocation, Any] = {
            location: x for _, x in self.given for location in locations_of(x)
            if id(location.container) in self.containers}
        outside = [given[x] for x, _, _ in self.before.changes() if x in given]
        found = [s for x in (*changed, *outside) if any(map(given.__contains__, locations_of(x)))
                 for s in self.holders(x)]
        found += [s for x in self.references if id(x) in self.containers for s in self.holders(x)]
        more = self.state.with_locations(dict.fromkeys(found, False), self.own)
        return [] if more.locations == self.state.locations else found

    def written_arrays(self) -> list[NamedLocation]:
        """Undoes writes to arrays that have to happen when the graph runs; returns the locations
        that hold those arrays.

        Python made the writes, of constants, while the function was traced.
        """
        return self.arrays.locations_of(self.arrays.restore(self.at_run_time))

    def unseen_stores(self, targets: dict[int, tuple[Any, list[Any]]], rebound: Set[str]
                      ) -> list[NamedLocation]:
        """Returns the locations that branches and loops store into, and that hold what they held:
        as inputs of the next trace they hold something else."""
        if not targets and not rebound:
            return []
        found: list[NamedLocation] = []
        for location, old in self.before.items():
            new = location.read()
            if isinstance(location, (Cell, Global)):
                if location.name in rebound and location.same(old, new):
                    found.append(Variable(location))
            elif location not in self.of_arguments:
                for x in {id(location.owner), id(location.container)} & targets.keys():
                    found += self._unchanged(location, old, new, targets[x][1])
        stored = {id(x) for x, _ in targets.values()}
        found += self.arrays.locations_of(a for a in self.arrays.known if id(a) in stored)
        more = self.state.with_locations(dict.fromkeys(found, False), self.own)
        return [] if more.locations == self.state.locations else found

    def _unchanged(self, location: Contents, old: Any, new: Any, keys: list[Any]
                   ) -> list[NamedLocation]:
        """Returns the locations by which the next trace finds the items that a store left as they
        were."""
        if not isinstance(old, dict):
            return self.holders(location.container) if location.same(old, new) else []
        keys = list(old) if ALL in keys else keys
        return [Item(location, k) for k in keys if k in old and new.get(k, ALL) is old[k]]

    def changed(self) -> dict[HeapLocation, Set[Any]]:
        """Returns the locations that the run changes at its end, from what the trace has done so
        far, and the keys or names of what changes in them."""
        return {x: changed_names(old, new) for x, old, new in self.at_start.changes()
                if self.at_run_time or x in self.of_arguments or x in self.staged
                or holds_symbols(new)}

    # -- pending writes ---------------------------------------------------------------------------

    def pending(self, tentative: bool) -> Iterator[Write]:
        """Yields the writes that a run would have to make if the function ended here.

        `tentative`: also those to locations that are not known to be persistent.
        """
        for target, contents in self._persistent_writes():
            yield OutsideLocation(target.write), contents
        for location in self.identities.maybe_changed() if tentative else ():
            old, new = self.at_start[location], location.read()
            if not location.same(old, new):
                if self.at_run_time or location in self.of_arguments or self._is_symbolic(new):
                    self.pending_once[location] = old, new
                yield from self._tentative(location, old, new)

    def _tentative(self, location: Watched, old: Any, new: Any) -> Iterator[Write]:
        group = location.group
        if isinstance(location, Contents) and type(new) is list:
            find = partial(lambda x: x, location.container)
            yield TentativeTarget(group, ReplacedList(find)), new
        elif isinstance(location, Contents) and type(new) in (tuple, bytes, frozenset):
            yield TentativeTarget(group, location), new
        for part in changed_locations(location, old, new):
            if part not in self.state.locations:
                yield TentativeTarget(group, part), part.read()

    def _persistent_writes(self) -> list[Write]:
        """Returns the writes to the locations of the persistent state."""
        if not self.state.locations:
            return []
        known = zip(self.state.locations, self.symbolic, self.first, strict=True)
        return writes_to_all(known)

    # -- the end of the trace ---------------------------------------------------------------------

    def finish(self, escape: Callable[[Any], Any]) -> list[Write]:
        """Restores what holds symbolic values; returns the writes that every run makes.

        `escape` makes a result of a nest.
        """
        writes = self._persistent_writes()
        for known, own, x in zip(self.state.locations, self.own, self.symbolic, strict=True):
            if type(own) is list and type(x) is list and len(own) != len(x):
                self.new_state[known] = True
        self._restore_own()
        changes = self.before.changes()
        self._check_searched(changes)
        self.groups = self._persistent_groups(changes)
        self.constant = frozenset(i for x, old, new in changes if x.group not in self.groups
                                  for i in _identities(x, old, new))
        for location, old, new in changes:
            if location.group in self.groups:
                _check_order(location, old, new)
                writes += self._discover(location, old, new)
        self._note_before_raising()
        return [(target, escape(x)) for target, x in writes]

    def _note_before_raising(self) -> None:
        """Notes what changes only where the graph raises: pending writes change it."""
        once = [(x, *change) for x, change in self.pending_once.items()]
        for location, old, new in (*self.before_raising, *once):
            if location in self.before:
                self.groups.add(location.group)
                self.new_state.update(self._named(location, old, new))

    def left(self) -> Iterator[Any]:
        """Yields what the function left in the locations that it changed, and in the persistent
        state."""
        yield from (contents for _, contents in self._persistent_writes())
        for location, _, new in self.before.changes():
            if not isinstance(location, Contents):
                yield new
            else:
                yield from new.values() if isinstance(new, dict) else new

    def settle(self, unstaged: Unstaged) -> dict[int, Any]:
        """Puts Python's own lists in place of those of the trace in what the trace itself changed;
        returns, by id, what is there then, and no run leaves there."""
        changes = self.before.changes()
        groups = self._persistent_groups(changes) if changes else ()
        by_trace, by_run = [], [contents for _, contents in self._persistent_writes()]
        for location, old, new in changes:
            if location.group in groups:
                by_run.append(new_contents(old, new))
                continue
            settled = map_contents(unstaged, new) if isinstance(location, Contents) else (
                unstaged(new))
            if settled is not new:
                location.write(settled)
            by_trace.append(new_contents(old, settled))
        for x in [*escaping_from(by_trace, self.containers).values()]:
            unstage_attributes(x, self.containers, unstaged)
        others = escaping_from(by_run, self.containers)
        return {i: x for i, x in escaping_from(by_trace, self.containers).items()
                if i not in others}

    def exchanged(self) -> Iterator[tuple[Any, Any]]:
        """Yields what the changed locations held before, and what they hold now."""
        return ((old, new) for _, old, new in self.at_start.changes())

    def _check_searched(self, changes: list[Change[Watched]]) -> None:
        """Makes sure that the run has an object that is changed, and that it may find in a
        container."""
        searched = self.searched() if changes else {}
        for location, _, _ in changes:
            if isinstance(location, Contents) and id(location.owner) in searched:
                need_object(location.owner, "is changed, and the run may find it by another way")

    def _persistent_groups(self, changes: list[Change[Watched]]) -> set[Any]:
        """Returns the groups of locations whose changes have to happen when the graph runs.

        Those of arguments are among them, except in the trace that makes variables: it may set up
        the object that they are for.
        """
        exact = frozenset() if makes_variables() else self.of_arguments
        groups = {location.group for location, old, new in changes
                  if self.at_run_time or location in self.staged or location in exact
                  or self._is_symbolic(new_contents(old, new))
                  or self._is_changed_after_raise(location, new)
                  or removes(location, old, new)}
        groups |= {location.group for location in self.state.by_reference}
        return self._with_shared(groups, changes)

    def note_raise(self) -> None:
        """Notes that only the run knows if what follows happens: the graph may raise here."""
        if not (self.at_raise or self.at_run_time or makes_variables()):
            self.at_raise = Snapshot.take(self.before)

    def _is_changed_after_raise(self, location: Watched, new: Any) -> bool:
        return location in self.at_raise and not location.same(self.at_raise[location], new)

    def _with_shared(self, groups: set[Any], changes: list[Change[Watched]]) -> set[Any]:
        """Adds the groups of locations that hold new containers or objects which a location of the
        groups holds, too: each run makes another one of these, for all who hold it."""
        waiting = [c for c in changes if c.location.group not in groups]
        found = [c for c in changes if c.location.group in groups] if waiting else []
        while found:
            shared = {i for c in found for i in self._new_in(c)}
            found = [c for c in waiting if shared and not shared.isdisjoint(self._new_in(c))]
            groups = groups | {c.location.group for c in found}
            waiting = [c for c in waiting if c.location.group not in groups]
        return groups

    def _new_in(self, change: Change[Watched]) -> set[int]:
        """Returns the ids of the new containers and objects that a location got."""
        left = escaping_from([new_contents(change.old, change.new)], self.containers)
        before = set(map(id, self.visited)) if left else set()
        return {i for i, x in left.items() if i not in before and (
            is_plain_container(x) or is_instance(x))}

    def discovered(self, expected: Set[Hashable], defaults: Iterable[Any]
                   ) -> dict[NamedLocation, bool]:
        """Returns the locations that were changed, but for those expected to be, and those that the
        defaults of arguments lead to; nothing is restored."""
        found: dict[NamedLocation, bool] = {}
        changes = self.before.changes()
        arguments = frozenset(reachable_locations(*defaults)) if changes else frozenset()
        for location, old, new in changes:
            if location not in arguments and not expected >= set(
                    _identities(location, old, new)):
                found.update(self._named(location, old, new))
        written = self.arrays.before.changed()
        return found | dict.fromkeys(self.arrays.locations_of(written), False) if written else found

    def _discover(self, location: Watched, old: Any, new: Any) -> list[Write]:
        """Notes new persistent state, and restores it; returns the writes that every run makes."""
        named = self._named(location, old, new)
        self.new_state.update(named)
        writes: list[Write]
        if not _is_by_holders(location, old, new):
            writes = [(x, x.read()) for x in named]
        elif type(new) is list:
            container = location.container  # type: ignore[union-attr]
            writes = [list_write(lambda: container, old, new)]
        else:
            writes = [(location, new)]
        location.write(old)
        return writes

    def _named(self, location: Watched, old: Any, new: Any) -> dict[NamedLocation, bool]:
        """Returns the locations by which the next call finds what was changed."""
        if not _is_by_holders(location, old, new):
            return dict.fromkeys(changed_locations(location, old, new), False)
        assert isinstance(location, Contents)
        return self._named_holders(location.container, type(new) is list and len(old) != len(new))

    def _named_holders(self, container: Any, grows: bool) -> dict[NamedLocation, bool]:
        """Returns the locations that lead to a container that is changed."""
        cls, holders = type(container), self.holders(container)
        if not holders or cls not in (*CONTAINERS, StagedList):
            why = "it is in no variable, attribute or item by which the next call finds it" if (
                not holders) else "the next call does not see what is in an object of this class"
            raise TracingError(
                f"a {cls.__name__} outside the function is changed, and {why}\n"
                "  hint: keep it in a variable, or pass it as an argument")
        return dict.fromkeys(holders, grows)

    @property
    def is_symbolic(self) -> bool:
        """True if something outside holds what belongs to one call."""
        return any(map(self._belongs_to_call, self.before.changes()))

    def _belongs_to_call(self, change: Change[Watched]) -> bool:
        return self._is_symbolic(new_contents(change.old, change.new))

    def _is_symbolic(self, nest: Any) -> bool:
        return self._holds_argument(nest) or any(
            uses_symbols(x, set()) or is_new_iterator(x) or is_symbolic_object(x, self.containers)
            for x in flatten(unstage(nest)))

    def _holds_argument(self, nest: Any) -> bool:
        """Returns True if a container of the caller's, for which the trace has a copy, is in what
        a location holds."""
        pending, seen = [nest], set[int]()
        while pending:
            x = pending.pop()
            if id(x) in self.copies:
                return True
            if id(x) not in seen and not is_known(x, self.containers):
                seen.add(id(x))
                pending += contents_of(x).values() if is_object(x) else parts_of(x) or ()
        return False

    def restore(self) -> None:
        """Restores everything that holds symbolic values, after the function raised."""
        self._restore_own()
        self.before.restore(self._belongs_to_call)

    def undo(self) -> None:
        """Restores everything, after the trace was given up: the function will run again."""
        self.arrays.restore(at_run_time=True)
        self._restore_own()
        self.before.restore()
        self.files.restore()

    def forget_symbols(self) -> None:
        """Forgets all but what `undo` asks for: the rest holds symbolic values."""
        for name in vars(self).keys() - {"arrays", "state", "own", "before", "files"}:
            delattr(self, name)

    def _restore_own(self) -> None:
        for location, own in zip(self.state.locations, self.own, strict=True):
            if location.read() is not own:
                location.write(own)


def _check_order(location: Watched, old: Any, new: Any) -> None:
    """Refuses to write attributes that are in another order than the writes leave them in."""
    if type(location) is Contents and location.has_attributes and list(new) != [
            *(name for name in old if name in new), *(name for name in new if name not in old)]:
        refuse_order(location.owner)


def makes_variables() -> bool:
    """Returns True if the function that is traced made a variable."""
    here = trace.current_region()
    return here is not None and bool(here.trace.new_variables)


def _is_by_holders(location: Watched, old: Any, new: Any) -> bool:
    """Returns True if what leads to a container counts as changed, and not its items alone."""
    return isinstance(location, Contents) and not (
        location.has_attributes or keeps_keys(old, new))


def _identities(location: Watched, old: Any, new: Any) -> Iterable[Hashable]:
    """Returns what tells the parts of a location that were changed from others."""
    if _is_by_holders(location, old, new):
        return (location.group,)
    return [part.identity for part in changed_locations(location, old, new)]
