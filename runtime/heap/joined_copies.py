"""Copies of containers that joins make, and whether the program can tell them from the originals.

Where the two sides of a branch leave different lists, or a loop binds a name to another one, the
trace goes on with a new list, or with one value. Who knows an original by another name does not see
what is changed in the copy, nor the other way round. So each join notes what it copied. If a copy,
or an original that others know, is changed afterwards, the trace is made again, with the originals
as objects of the graph, of which a join takes the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import permutations
from operator import is_not
from types import CellType, FunctionType
from typing import Any, NamedTuple

from autograph.runtime.heap.joined_tuples import (
    Way,
    note_joined_tuple,
    want_visible_tuples,
)
from autograph.runtime.heap.list_values import Splice
from autograph.runtime.heap.new_objects import is_young
from autograph.runtime.heap.objects import contents_of, is_known, is_object
from autograph.runtime.heap.selected_objects import FlattenedObject, SelectedObject
from autograph.runtime.heap.tuples_of_run import is_given, is_tuple
from autograph.runtime.heap.value_links import closure, links_of
from autograph.runtime.ir.closures import is_method
from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.pytree import field_names
from autograph.runtime.ir.trace_signals import RetraceWithObjects
from autograph.runtime.ir.types import DYNAMIC, is_container
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import containers_in, is_plain_container, parts_of
from autograph.runtime.symbolic.region import Region
from autograph.runtime.symbolic.tensor import Tensor
from autograph.runtime.symbolic.trace import Trace

ABSENT = object()
"""Stands for what a side that always raises does not leave."""


class OneOf:
    """The ids in one of two collections."""

    def __init__(self, first: Collection[int], second: Collection[int]) -> None:
        self.first, self.second = first, second

    def __contains__(self, x: object) -> bool:
        return x in self.first or x in self.second


class Copy(NamedTuple):
    """Containers that a join copied, the copy, and what each of them held then.

    ways    for each original, the way by which it comes into the join: of two ways of one branch,
            only one is taken.
    value   the copy in the graph, if it is one value.
    shared  True if others may know one of the originals.
    """

    originals: tuple[Any, ...]
    ways: tuple[Way, ...]
    made: Any
    value: Value | None
    shared: bool
    contents: tuple[list[Any], ...]

    def is_one_of(self, objects: Iterable[Any]) -> bool:
        """Returns True if the copy, or one of the originals, is among some objects."""
        return any(x is known or (isinstance(x, Tensor) and x.read() is self.value)
                   for x in objects for known in (*self.originals, self.made))

    @property
    def known_ids(self) -> Iterator[int]:
        """The ids of what is known beside this copy: the copy, if others may know an original; the
        originals, if an equation copied them into its result."""
        if self.made is None:
            yield from map(id, self.originals)
        elif self.shared:
            yield id(self.made)

    @property
    def is_changed(self) -> bool:
        """True if one of the containers does not hold the same objects any more."""
        now = map(items_of, (*self.originals, self.made))
        return any(
            len(new) != len(old) or any(map(is_not, new, old))
            for new, old in zip(now, self.contents, strict=True))


def items_of(x: Any) -> list[Any]:
    found = parts_of(x)
    return list(contents_of(x).values()) if found is None and is_object(x) else found or []


def _is_copied(x: Any) -> bool:
    """Returns True for what a trace has copies of, where it is an argument. A frozen data class is
    a class of objects, too: `is` tells two of them."""
    return is_plain_container(x) or field_names(type(x)) is not None


def has_identity(x: Any) -> bool:
    """Returns True for a container or an object that may be changed: it is not the same as a copy.
    """
    return _is_copied(x) or is_object(x)


def note_copies(nests: Iterable[tuple[Any, Any, Any]], shared: Collection[int], excludes: bool,
                body: Region | None = None, left: Sequence[Mapping[int, Any]] = ({}, {})) -> None:
    """Notes which containers of two nests were copied to make a third, for several of these.

    shared: the ids of the containers that others may know.
    excludes: True if it is either what comes from the first ones, or from the second ones.
    body: that of the loop that left the second ones: each iteration may have copied what is older.
    left: for each side, what it left in the containers from outside, by their ids.
    """
    here = trace.current_region()
    known = OneOf(shared, set() if here is None else here.trace.copies.shared)
    join, done = object(), set[tuple[int, ...]]()
    pending = list(nests)
    while pending:
        one, other, made = map(_unflattened, pending.pop())
        key = id(one), id(other), id(made)
        sides = [(x, (join, number) if excludes else (object(), 0))
                 for number, x in enumerate((one, other)) if x is not made and x is not ABSENT]
        if not sides or key in done or (has_identity(made) and is_known(made, known)):
            continue
        done.add(key)
        if isinstance(made, Tensor):
            if body is not None and _accumulates(other):
                sides.append((_older(other, body), (object(), 0)))
            _note_value([(v, way) for x, way in sides if not isinstance(x, Tensor)
                         for v in (x, *_left_in(x, left[way[1]] if excludes else {}))], made, known)
        elif type(made) is SelectedObject:
            pending += _pairs(one, other, *made.parts()[1:])
        else:
            _note([(part, way) for x, way in sides for part in _chosen(x) if has_identity(made)
                   and has_identity(part) and is_known(part, known)], made, known)
            if is_tuple(made):
                note_joined_tuple([(x, way) for x, way in sides if is_tuple(x)], made)
            inside = _parts(made)
            for value in inside:
                if type(value) is Splice:
                    _note_value([(part, way) for x, way in sides for part in _unaligned(x, inside)],
                                value.value, known)
            pending += zip(_parts(one, len(inside)), _parts(other, len(inside)), inside,
                           strict=True)


def _left_in(x: Any, left: Mapping[int, Any]) -> list[Any]:
    """Returns what a side left in the containers of a nest that were there before."""
    return [left[id(part)] for part in with_identity(x) if id(part) in left] if left else []


def _unaligned(x: Any, inside: Sequence[Any]) -> list[Any]:
    """Returns what is in a nest with other parts than the one that a join made: values of unknown
    length hold copies of it."""
    found = _parts(x)
    return found if len(found) != len(inside) else []


def _accumulates(x: Any) -> bool:
    """Returns True for a list to which each iteration of a loop adds."""
    return isinstance(x, list) and any(isinstance(v, Splice) for v in list.__iter__(x))


def _older(x: Any, body: Region) -> list[Any]:
    """Returns what is in a list, and older than the body of the loop that put it there."""
    return [part for part in with_identity(x, lambda v: _is_copied(v) or is_tuple(v))
            if part is not x and not is_young(part, body)]


def want_changed_items(ends: Iterable[Any], changed: Collection[int], body: Region) -> None:
    """Wants the containers from before a loop that its iterations put into lists of unknown length,
    and change: a later iteration changes what an earlier one has put there.

    changed: the ids of the containers that an iteration changes.
    """
    run = body.trace
    for x in filter(_accumulates, ends):
        for part in _older(x, body):
            if id(part) in changed:
                _want(run, part, "is put into a list of unknown length, and changed in the loop")


def _note_value(sides: list[tuple[Any, Way]], made: Tensor, shared: Container[int]) -> None:
    """Notes the containers and the tuples of which a join made one value."""
    _note([(c, way) for x, way in sides for c in with_identity(x)], made, shared)
    if tuples := [(c, way) for x, way in sides for c in with_identity(x, is_tuple)]:
        note_joined_tuple(tuples, made)


def _pairs(one: Any, other: Any, a: Any, b: Any) -> list[tuple[Any, Any, Any]]:
    """Returns the nests of which the two parts of a selection were made: of the two sides of a
    branch, or of the parts of a selection that comes from one side."""
    if one is not ABSENT and other is not ABSENT:
        return [(one, ABSENT, a), (ABSENT, other, b)]
    first, second = (
        x.parts()[1:] if type(x) is SelectedObject else (x, x) for x in (one, other))
    return [(first[0], second[0], a), (first[1], second[1], b)]


def _chosen(x: Any) -> list[Any]:
    """Returns the objects of which a selection is one; of anything else, itself."""
    return [y for part in x.parts()[1:] for y in _chosen(part)] if (
        type(x) is SelectedObject) else [x]


def _unflattened(x: Any) -> Any:
    """Returns the object itself, if it was flattened to go into a loop or out of a region."""
    return x.origin.value if type(x) is FlattenedObject else x


def _note(originals: list[tuple[Any, Way]], made: Any, shared: Container[int]) -> None:
    here = trace.current_region()
    if originals and here is not None:
        copied, ways = zip(*originals, strict=True)
        here.trace.copies.note(Copy(
            copied, ways, made, made.read() if isinstance(made, Tensor) else None,
            any(is_known(x, shared) for x in copied), tuple(map(items_of, (*copied, made)))))


def with_identity(nest: Any, is_wanted: Callable[[Any], bool] = _is_copied) -> Iterator[Any]:
    """Yields the containers and the objects of data classes in a nest, or what is wanted, and in
    its new objects, each as often as it is there: one value holds a copy for each place."""
    here = trace.current_region()
    seen: set[int] = set()
    pending = [nest]
    while pending:
        x = pending.pop()
        if type(x) is Splice:
            x = x.value
        if is_wanted(x):
            yield x
        if id(x) not in seen:
            seen.add(id(x))
            is_new = here is not None and not here.trace.allocations.is_from_outside(x)
            pending += x.parts()[1:] if type(x) is SelectedObject else (
                items_of(x) if is_new else parts_of(x) or ())


def originals_of(x: Any) -> Iterator[Any]:
    """Yields the containers of which joins made a copy, and copies of that copy."""
    here = trace.current_region()
    copied = {id(x)}
    for copy in reversed([] if here is None else here.trace.copies):
        if copy.shared and id(copy.made) in copied:
            copied.update(map(id, copy.originals))
            yield from copy.originals


def _want_arguments(run: Trace, *compared: Any) -> None:
    """Wants an argument as an object of the graph, if it is asked whether it is a container that
    the function finds outside; that one, too, if it is another one now."""
    why = "may be an argument and outside, and its identity is asked for"
    for x, other in permutations(compared, 2):
        if (isinstance(x, Tensor) or id(x) in run.originals) and _is_copied(other) and (
                id(other) not in run.originals and run.allocations.is_from_outside(other)):
            if not isinstance(x, Tensor):
                run.want(x, why)
            if run.originals.get(id(x)) is not other:
                run.want(other, why)


def want_if_copied(*compared: Any) -> None:
    """Wants the originals as objects of the graph, if it is asked whether a copy is an object."""
    here = trace.current_region()
    if here is None:
        return
    _want_arguments(here.trace, *compared)
    for copy in here.trace.copies:
        if copy.is_one_of(compared):
            for x in copy.originals:
                trace.want(x, "is chosen by a staged branch or loop, and its identity is asked for")


def _parts(x: Any, count: int | None = None) -> list[Any]:
    """Returns what is in a nest, one level down; as many as asked for, if they are known."""
    found = parts_of(x)
    if found is None and is_object(x):
        found = list(contents_of(x).values())
    return found or [] if count is None else (
        found if found is not None and len(found) == count else [ABSENT] * count)


def met_again(nests: Iterable[Any], outside: Collection[int]) -> set[int]:
    """Returns the ids of the containers that are in several places of some nests, and in the
    objects and functions in them.

    outside: the ids of what was there before; it is not looked into.
    """
    seen: dict[int, Any] = {}
    again: set[int] = set()
    pending = list(nests)
    while pending:
        x = pending.pop()
        if id(x) in seen:
            if id(x) not in again and not has_identity(x):
                pending += _held(x)  # two ways lead to what is in it, too
            again.add(id(x))
        elif is_tuple(x) or not (is_known(x, outside) or isinstance(x, Tensor)):
            held = list(_held(x))
            if held or has_identity(x):
                seen[id(x)] = x
                pending += held
    return again


def _held(x: Any) -> Iterator[Any]:
    """Yields what is in a container, an object, a closure or a bound method."""
    if isinstance(x, FunctionType):
        yield from (x.__closure__ or ())
        yield from (x.__defaults__ or ())
    elif isinstance(x, CellType):
        with suppress(ValueError):  # an unbound variable
            yield x.cell_contents
    elif isinstance(x, partial):
        yield from (x.func, x.args, x.keywords)
    elif is_method(x):
        yield x.__self__
    elif type(x) is SelectedObject:
        yield from x.parts()
    elif isinstance(x, Splice):
        yield x.value
    else:
        yield from _parts(x)


# -- which are changed when the graph runs --------------------------------------------------------


def want_changed_copies(run: trace.Trace, graph: Graph) -> None:
    """Wants the originals of the copies that are changed after the join, while the function is
    traced or by an equation of the graph.

    A list of ours, which no other name of the program leads to, may stay as it is.
    """
    values = [copy for copy in run.copies if copy.value is not None]
    changed, reached = _changed_values(graph) if values else (set(), set())
    copied: set[int] = set()
    for copy in reversed(run.copies):
        by_run = copy.value in (reached if _is_nested(copy) else changed)
        is_changed = copy.is_changed or id(copy.made) in copied
        if by_run or is_changed:
            copied.update(map(id, copy.originals))  # they may be copies themselves
        for x in copy.originals if by_run or (copy.shared and is_changed) else ():
            if copy.shared or run.allocations.is_known(x) or not run.mode.sites.instrumented:
                _want(run, x, "is chosen by a staged branch or loop, and changed")


def give_up_if_changed() -> None:
    """Gives this trace up if a copy, or an original that others know, is changed already: a loop
    whose test asks for what the other holds might go on without end.

    Raises:
      RetraceWithObjects: the next trace holds the originals as objects.
    """
    here = region = trace.current_region()
    if here is None or not here.trace.copies:
        return
    count = len(here.trace.request.containers)
    while region is not None:
        want_changed_copies(here.trace, region.graph)
        region = region.parent
    if len(here.trace.request.containers) > count and here.trace.retrace_helps:
        raise RetraceWithObjects
    trace.forget_wanted(count)


def _want(run: trace.Trace, x: Any, why: str) -> None:
    """Wants a container as an object of the graph; in place of one that stands for others in a loop
    or behind a branch, those that the program made, if they are not objects anyway."""
    allocations, wanted = run.allocations, [x]
    if run.mode.sites.instrumented and not allocations.is_known(x):
        made = [y for y in _joined_with(run, x) if allocations.is_known(y)]
        if allocations.sites_with(made) != allocations.sites:
            wanted = made
    for y in wanted:
        run.want(y, why)


def _joined_with(run: trace.Trace, x: Any) -> list[Any]:
    """Returns the containers that joins connect with x, also by way of others."""
    found, groups = [x], [(*copy.originals, copy.made) for copy in run.copies]
    ids = {id(x)}
    while near := [group for group in groups if not ids.isdisjoint(map(id, group))]:
        groups = [group for group in groups if ids.isdisjoint(map(id, group))]
        found += [y for group in near for y in group]
        ids.update(map(id, found))
    return found


def want_visible_copies(run: trace.Trace, graph: Graph, escaping: Sequence[Any],
                        otherwise: Iterable[Any]) -> Callable[[], None]:
    """Wants the originals of the copies that leave the function: the caller can tell a copy from
    an original that it knows, or that leaves as well.

    A function that takes derivatives gives copies: of objects of the graph there are none.
    escaping: the result, and what the function left in its arguments and outside.
    otherwise: the same in other forms: what it left where it raised, in regions that have ended.

    Returns:
      A function that wants the originals of those that are made after this call: they leave.
    """
    count, visible = len(run.copies), frozenset[int]()

    def want_later() -> None:
        for x in () if run.differentiates else (
                x for copy in run.copies[count:] for x in copy.originals):
            if run.allocations.is_from_outside(x) or id(x) in visible:
                _want(run, x, "is in a list of unknown length that leaves the function")

    found = escaping_from([*escaping, *otherwise], run.allocations.before)
    visible = frozenset(found)
    given = [x for x in found.values() if is_given(run, x)]
    again = met_again(escaping, run.allocations.before) if given else set()
    want_visible_tuples(run, found, [x for x in given if id(x) in again],
                        lambda some: closure(some, *links_of(graph, _may_lead_to)))
    if run.differentiates or not any(copy.shared for copy in run.copies):
        return want_later
    values = closure((x._handle.value for x in found.values() if isinstance(x, Tensor)),
                     *links_of(graph, _may_lead_to))
    copied: dict[int, list[Way]] = {}
    for copy in reversed(run.copies):
        if not copy.shared or not (id(copy.made) in found or id(copy.made) in copied
                                   or copy.value in values):
            continue
        for x, way in zip(copy.originals, copy.ways, strict=True):
            ways = copied.setdefault(id(x), [])  # it may be a copy itself
            if run.allocations.is_from_outside(x) or id(x) in found or any(
                    way == known or way[0] is not known[0] for known in ways):
                _want(run, x, "is chosen by a staged branch or loop, and leaves the function")
            ways.append(way)
    return want_later


def escaping_from(nests: Iterable[Any], known: Collection[int]) -> dict[int, Any]:
    """Returns, by id, what is in some nests, but for what known containers and objects hold."""
    found: dict[int, Any] = {}
    pending = list(nests)
    while pending:
        x = pending.pop()
        if id(x) not in found:
            found[id(x)] = x
            pending += () if isinstance(x, Tensor) or is_known(x, known) else _held(x)
    return found


def _is_nested(copy: Copy) -> bool:
    return any(items_of(x) and len(list(containers_in(x))) > 1 for x in copy.originals)


def _changed_values(graph: Graph) -> tuple[set[Value], set[Value]]:
    """Returns the values that an equation with an effect may change, and those that lead to them.
    """
    same, parts = links_of(graph, _may_lead_to)
    given = [v for e in graph.walk() if e.op.effect in ("call", "store") for v in e.inputs]
    return closure(given, same), closure(given, same, parts)


def _may_lead_to(e: Equation, output: Value) -> Iterable[Value]:
    return e.inputs if output.type == DYNAMIC or is_container(output.type) else ()
