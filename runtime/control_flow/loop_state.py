"""The state of a staged loop: which leaves of its variables are carried as values, and aliases.

A loop's state is a nest: its variables, and the contents of the heap locations that it changes. A
leaf that changes from iteration to iteration is a `Carried`; any other leaf is a constant of the
loop. `joined` widens the nest until it admits what an iteration leaves behind.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from operator import is_, is_not
from typing import Any, NamedTuple, TypeVar

from autograph.runtime.control_flow.known_containers import (
    Same,
    inside_of,
    is_known_nest,
    rebuild,
    structure,
    with_known,
)
from autograph.runtime.control_flow.known_objects import IndexOf, joined_objects
from autograph.runtime.control_flow.left_nests import Inner
from autograph.runtime.control_flow.traced_regions import TracedRegion, leaf_type
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.objects import contents_of, is_object
from autograph.runtime.heap.selected_objects import (
    FlattenedObject,
    FlattenedSelection,
    ObjectIndex,
    Origin,
    merged_if_unshared,
    unflattened,
)
from autograph.runtime.heap.tuples_of_run import is_tuple, traces_tuples
from autograph.runtime.ir.constants import same_constant
from autograph.runtime.ir.graph import Graph, Value, equations_in
from autograph.runtime.ir.pytree import children, is_immutable_nest, is_leaf
from autograph.runtime.ir.types import ArrayType, PyType, Type, is_number, join, may_have_memory
from autograph.runtime.symbolic.aliasing import Handle, may_share
from autograph.runtime.symbolic.allocation_sites import parts_of
from autograph.runtime.symbolic.tensor import Tensor

T = TypeVar("T")


@is_leaf
class Carried:
    """A leaf of the state that is carried as a value from iteration to iteration.

    handle     the handle of its tensor in the region that is being traced.
    unchanged  True if the body leaves the variable bound to what it found there.
    written    True if the body changes in place the array that it finds there.
    """

    __slots__ = ("handle", "hint", "init", "input", "type", "unchanged", "written")

    def __init__(self, type: Type, init: Any, hint: str = "") -> None:
        self.type = type
        self.init = init
        self.hint = hint or (init._handle.value.hint if isinstance(init, Tensor) else "")
        self.handle: Handle | None = None
        self.input: Value | None = None
        self.unchanged = self.written = False

    def enter(self, inputs: list[Value]) -> Tensor:
        """Add an input to a region's inputs; returns its tensor."""
        self.input = Value(self.type, self.hint)
        inputs.append(self.input)
        tensor = Tensor(self.input)
        self.handle = tensor._handle
        return tensor

    def was_written(self) -> bool:
        """Returns True if the region that was just traced changed the array in place."""
        return self.handle is not None and self.handle.has_changed(self.input)

    def start(self) -> set[Handle]:
        """Returns what the variable may share memory with before the loop."""
        init = self.init
        known = isinstance(init, Tensor) and may_have_memory(init._handle.value.type)
        return may_share(init._handle) if known else set()

    def after_loop(self, output: Tensor) -> Any:
        """Returns the leaf after the loop, given the output of the loop's equation."""
        return self.init if self.unchanged and not self.was_written() else output

    def invalidate_start(self) -> None:
        """Invalidate the array from before the loop, if the body changes it in an iteration."""
        if self.written and isinstance(self.init, Tensor):
            self.init._handle.root.invalidate()


def is_one_value(x: Any) -> bool:
    """Returns True for a tuple, where a loop carries it as one value."""
    return is_tuple(x) and traces_tuples()


def carried_structure(x: Any) -> Any:
    """Returns the structure of a container; None for one that a loop carries as one value."""
    return None if is_one_value(x) else structure(x)


def carried_at(init: Any, name: str, known: Collection[int], rebound: bool = False) -> Any:
    """Returns the nest of a loop variable before the first attempt: numbers are carried.

    known: the ids of the containers that are heap locations.
    rebound: an array is carried, too: the body is likely to bind the variable to another one.
    """
    if rebound and isinstance(init, Tensor):
        return Carried(leaf_type(init), init, name)

    def leaf(x: Any) -> Any:
        t = leaf_type(x)
        # An array that the body only changes in place stays the array from outside.
        moving = not may_have_memory(t) if isinstance(x, Tensor) else (
            isinstance(t, ArrayType) or is_number(t))
        return Carried(t, x, name) if moving else x

    return with_known(init, known, leaf, is_one_value)


def filled(nest: Any, fill: Callable[[Carried], Any]) -> Any:
    """Returns a nest with its carried leaves filled in and its flattened objects made."""
    def leaf(x: Any) -> Any:
        return fill(x) if isinstance(x, Carried) else x.value if isinstance(x, Same) else x

    return unflattened(nest, leaf, {})


def unchanged_or(init: Any, made: Any) -> Any:
    """Returns a state after a loop; a tuple of before it that has the same parts is the same one.
    """
    one, two = children(init), children(made)
    if one is None or two is None or one[0] != two[0] or init is made:
        return made
    parts = list(map(unchanged_or, one[1], two[1]))
    if is_immutable_nest(init) and all(map(is_, parts, one[1])):
        return init
    return made if all(map(is_, parts, two[1])) else two[2](parts)


def with_flattened(pattern: Any, init: Any, new: Any, known: Collection[int]) -> tuple[Any, Any]:
    """Returns the nest, and the state before the loop, with an object flattened if the body
    replaces it by a new one of its class.

    known: the ids of the containers that are heap locations.
    """
    if joined_objects(pattern, new, known) is not None:
        return pattern, init
    if isinstance(new, (FlattenedObject, FlattenedSelection)) and not isinstance(
            pattern, (FlattenedObject, Carried)):
        init = merged_if_unshared(init, set())
        if is_object(init):
            contents = contents_of(init)
            flat = FlattenedObject(
                type(init), tuple(contents), list(contents.values()), Origin(init))
            return carried_at(flat, "", known), flat
    parts = [carried_structure(x) for x in (pattern, init, new)]
    left, middle, right = parts
    if not (left and middle and right) or not left[0] == middle[0] == right[0]:
        return pattern, init
    pairs = [with_flattened(*xs, known) for xs in zip(left[1], middle[1], right[1], strict=True)]
    if all(a is x and b is y for (a, b), x, y in zip(pairs, left[1], middle[1], strict=True)):
        return pattern, init
    return left[2]([a for a, _ in pairs]), middle[2]([b for _, b in pairs])


def joined(old: Any, new: Any, init: Any, ran: TracedRegion) -> tuple[Any, bool]:
    """Returns the nest, widened so that it admits `new` as well, which a region left, and True if
    it had to change."""
    objects = joined_objects(old, new, ran.outside)
    if objects is not None and isinstance(old, ObjectIndex):
        return ObjectIndex(tuple(objects), old.index), len(objects) > len(old.objects)
    if objects is not None:
        return ObjectIndex(tuple(objects), Carried(PyType(int), init)), True
    if isinstance(old, Same):
        if old.is_also(new):
            return old, False
        deep = inside_of(old.value, ran.outside)
        return joined(deep, new, init, ran)[0], True
    if isinstance(new, Same) and new.value is old:
        return old, False
    if old is new and type(old) is StagedList and id(old) in ran.outside:
        return old, False  # what it holds is a location of its own
    new = ran.held_by(new)
    if old is new:
        return old, False
    if isinstance(old, Carried):
        old.unchanged = isinstance(new, Inner) and new.handle is old.handle
        wider = join(old.type, leaf_type(new))
        changed = wider != old.type
        old.type = wider
        return old, changed
    left, right, inits = map(carried_structure, (old, new, init))
    if left and right and inits and left[0] == right[0] == inits[0]:
        parts = [joined(*xs, ran) for xs in zip(left[1], right[1], inits[1], strict=True)]
        how = rebuild(left, right)
        return how([part for part, _ in parts]), how is not left[2] or any(
            changed for _, changed in parts)
    if isinstance(old, Tensor) and isinstance(new, Tensor) and old._handle is new._handle:
        return old, False
    if left is None and not isinstance(new, (Inner, Tensor)) and same_constant(old, new):
        return old, False
    return Carried(join(leaf_type(init), leaf_type(new)), init), True


def at_carried(pattern: Any, nest: Any, read: Callable[[Any], T], ran: TracedRegion) -> list[T]:
    """Returns the results of `read` for the parts of a nest, which a region left, at the carried
    leaves of a pattern."""
    if isinstance(pattern, Carried):
        return [read(nest)]
    if isinstance(pattern, ObjectIndex):
        return [read(IndexOf(nest, pattern.objects))]
    if type(pattern) is StagedList:
        return []
    left, right = carried_structure(pattern), carried_structure(ran.held_by(nest))
    if left is None or right is None:
        return []
    return [x for pair in zip(left[1], right[1], strict=True)
            for x in at_carried(*pair, read, ran)]


class Given(NamedTuple):
    """A copy that an iteration is given of a container from before the loop, and what it held."""

    original: Any
    made: Any
    contents: list[Any]

    @property
    def is_changed(self) -> bool:
        now = parts_of(self.made) or []
        return len(now) != len(self.contents) or any(map(is_not, now, self.contents))


def given_copies(pattern: Any, init: Any, state: Any, known: Collection[int]) -> Iterator[Given]:
    """Yields the copies of known containers that a loop variable is given."""
    left, right, made = map(carried_structure, (pattern, init, state))
    if isinstance(pattern, (Carried, Same)) or not (left and right and made):
        return
    if id(init) in known or is_known_nest(init, known):
        yield Given(init, state, parts_of(state) or [])
    for parts in zip(left[1], right[1], made[1], strict=False):
        yield from given_copies(*parts, known)


class Aliases:
    """Which carried variables may be the same array, in some iteration of a loop or after it.

    starts   what each may share memory with before the loop.
    ends     what it may share memory with at the end of an iteration: with what the iteration
             began with (`entered`), with arrays from outside, or with the other variables.
    entered  the handles with which the iteration began.
    """

    def __init__(self, leaves: list[Carried], ends: list[set[Handle]]) -> None:
        self.leaves = leaves
        self.starts = [x.start() for x in leaves]
        self.ends = ends
        self.entered = [x.handle for x in leaves]
        self._starting, self._ending = _positions(self.starts), _positions(ends)
        self._entering = _positions([x] if x is not None else [] for x in self.entered)
        self._outside: dict[int, set[Handle]] = {}

    def of(self, k: int) -> list[int]:
        """Returns the other variables that may be the same array as number k."""
        entered = self.entered[k]
        found = [*(self._starting[h] for h in self.starts[k]),
                 *(self._ending[h] for h in self.ends[k]),
                 *(self._entering.get(h, ()) for h in self.ends[k]),
                 self._ending.get(entered, ()) if entered is not None else ()]
        return sorted({j for positions in found for j in positions} - {k})

    def bound(self, k: int) -> set[Handle]:
        """Returns the arrays from outside that the body may bind the variable to."""
        return {h for h in self.ends[k] if h.region is not None and h.region.alive}

    def outside(self, k: int) -> set[Handle]:
        """Returns all arrays from outside that the variable may be after the loop."""
        if k not in self._outside:
            group, pending = {k}, [k]
            while pending:
                new = set(self.of(pending.pop())) - group
                group |= new
                pending += new
            found = set[Handle]().union(*(self.starts[j] | self.bound(j) for j in group))
            self._outside.update(dict.fromkeys(group, found))
        return self._outside[k]

    def need_references(self, ran: TracedRegion) -> bool:
        """Returns True if the body changes an array that has two names, of which one may be
        rebound."""
        own = {x.init._handle.root for x in self.leaves if x.written and isinstance(x.init, Tensor)}
        if ran.invalidated - own:
            return True
        return any((x.written and (self.of(k) or self.bound(k)))
                   or (self.starts[k] | self.bound(k)) & ran.written.keys()
                   for k, x in enumerate(self.leaves))


def _positions(groups: Iterable[Iterable[Handle]]) -> dict[Handle, list[int]]:
    """Returns, for each handle, the positions of the groups that it is in."""
    found: dict[Handle, list[int]] = {}
    for k, group in enumerate(groups):
        for handle in group:
            found.setdefault(handle, []).append(k)
    return found


def beyond_numbers(body: Graph) -> int:
    """Returns how many equations of a body are not numbers that its item alone decides."""
    known, count = set(body.inputs[:1]), 0
    for e in equations_in(body):
        if e.is_repeatable and known.issuperset(e.inputs) and all(
                isinstance(v.type, PyType) for v in e.outputs):
            known.update(e.outputs)
        else:
            count += 1
    return count
