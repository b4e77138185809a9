"""Staged branches: both sides are traced, joined leaf by leaf, and recorded as one `cond`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Any, NoReturn

from autograph.runtime.control_flow.known_containers import (
    Same,
    is_same_data_class,
    rebuild,
    structure,
)
from autograph.runtime.control_flow.left_nests import Inner
from autograph.runtime.control_flow.objects_left import holds_objects
from autograph.runtime.control_flow.traced_regions import TracedRegion, trace_region
from autograph.runtime.heap.growing_lists import FlattenedList, StagedList
from autograph.runtime.heap.joined_copies import ABSENT, note_copies
from autograph.runtime.heap.kept_functions import keeps_effects
from autograph.runtime.heap.locations import Contents, HeapLocation, aligned
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.reachability import changeable_locations
from autograph.runtime.heap.selected_fields import holds_number, is_field
from autograph.runtime.heap.selected_objects import (
    FlattenedObject,
    FlattenedSelection,
    SelectedObject,
    needs_selection,
    unflattened,
)
from autograph.runtime.heap.snapshot import Snapshot
from autograph.runtime.heap.tuples_of_run import is_of_run, is_tuple, traces_tuples
from autograph.runtime.ir.constants import same_constant
from autograph.runtime.ir.graph import Value, atom_type
from autograph.runtime.ir.pytree import children, flatten, is_immutable_nest, is_leaf
from autograph.runtime.ir.trace_signals import NeverCompletes
from autograph.runtime.ir.types import DYNAMIC, ArrayType, Type, join, may_have_memory
from autograph.runtime.ops import OPS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.aliasing import Handle, tie
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, lower


@is_leaf
class Output:
    """Stands in a result for an output of the equation before that is recorded.

    index   the number of the output.
    memory  the arrays that it may share memory with.
    tied    the handles of its tensors.
    """

    __slots__ = ("index", "memory", "tied")

    def __init__(self, index: int, memory: set[Handle]) -> None:
        self.index = index
        self.memory = memory
        self.tied: list[Handle] = []

    def tensor(self, value: Value, others: list[Output]) -> Tensor:
        """Returns the output as a tensor, tied to the arrays and other outputs that it may be."""
        tensor = Tensor(value)
        if may_have_memory(value.type):
            outside = [h for h in self.memory if h.region is not None and h.region.alive]
            tie(tensor._handle, outside + [h for s in others if s is not self and (
                s.memory & self.memory) for h in s.tied])
            self.tied.append(tensor._handle)
        return tensor


CONDITION = object()
"""Stands in a result for the condition of the branch."""


@dataclass
class Outputs:
    """The outputs of an equation with two regions: a pair of atoms each, and their joined type.

    A side that always raises has no values: its atoms are None and do not count for the type.
    """

    sides: tuple[TracedRegion, TracedRegion]
    atoms: list[tuple[Any, Any]] = field(default_factory=list)
    objects: dict[tuple[int, int], Any] = field(default_factory=dict)
    tuples: list[tuple[Any, Output]] = field(default_factory=list)

    def add(self, a: Any, b: Any, memory: Iterable[Handle] = ()) -> Output:
        self.atoms.append((a, b))
        return Output(len(self.atoms) - 1, set(memory))

    def types(self) -> tuple[Type, ...]:
        return tuple(map(self._type, self.atoms))

    def hints(self) -> list[str]:
        """Returns a name for each output of which a side has a named value."""
        return [next((x.hint for x in pair if isinstance(x, Value) and x.hint), "")
                for pair in self.atoms]

    def _type(self, pair: tuple[Any, Any]) -> Type:
        a, b = map(atom_type, pair)
        left, right = self.sides
        if left.raised or right.raised:
            return b if left.raised else a
        return join(a, b)

    def merge(self, a: Any, b: Any, items: bool = False) -> Any:
        """Returns the results of the two sides as one nest, with an `Output` where they differ.

        items: they are the items of one list.
        """
        if self._same(a, b) or (a is b and is_immutable_nest(a)):
            return a
        if is_same_data_class(a) or is_same_data_class(b):
            return self._selection(a, b)
        a, b = self.sides[0].held_by(a), self.sides[1].held_by(b)
        x, y = structure(a), structure(b)
        if x is not None and y is not None and x[0] == y[0]:
            if (id(a), id(b)) in self.objects:
                return self.objects[id(a), id(b)][2]
            merged = rebuild(x, y)([self.merge(*pair) for pair in zip(x[1], y[1], strict=True)])
            if isinstance(a, FlattenedObject) or is_immutable_nest(a):
                self.objects[id(a), id(b)] = a, b, merged
                self.note_tuple(merged, a, b)
            return merged
        if needs_selection(a) or needs_selection(b) or holds_objects(a) or holds_objects(b) or (
                not items and (_lists_effects(a) or _lists_effects(b))):
            return self._selection(a, b)
        left, right = self.sides
        return self.add(left.pack(a), right.pack(b), left.memory(a) | right.memory(b))

    def _selection(self, a: Any, b: Any) -> FlattenedSelection:
        """Returns what becomes a selected object. If both sides left objects of one class that hold
        numbers alone, it knows its attributes, whichever object it is."""
        fields = self._fields(a, b)
        parts = [self.one_sided(a, 0), self.one_sided(b, 1)] if fields is None else [
            FlattenedObject(x.cls, x.names, [*fields.values()], x.origin)
            if type(x) is FlattenedObject else x for x in (a, b)]
        return FlattenedSelection([CONDITION, *parts], fields)

    def _fields(self, a: Any, b: Any) -> dict[str, Any] | None:
        one, other = (side.fields_of(x, self.sides) for side, x in zip(
            self.sides, (a, b), strict=True))
        if one is None or other is None or one[0] is not other[0] or list(one[1]) != list(other[1]):
            return None
        made = {}
        for (name, x), y in zip(one[1].items(), other[1].values(), strict=True):
            x, y = (Same(v) if children(v) is not None else v for v in (x, y))
            if self._same(x, y):
                made[name] = x
            elif _is_number(x) and _is_number(y):
                made[name] = self.add(self.sides[0].atom(x), self.sides[1].atom(y))
            else:
                return None
        return made

    def one_sided(self, nest: Any, side: int) -> Any:
        """Returns a nest of one side, with an `Output` for each value; the other side has no such
        nest, or always raises."""
        def leaf(x: Any) -> Any:
            if not isinstance(x, Inner) and type(x) is not StagedList:
                return x
            atom, memory = self.sides[side].atom(x), self.sides[side].memory(x)
            return self.add(atom, None, memory) if side == 0 else self.add(None, atom, memory)

        return self._rebuilt_side(nest, side, leaf)

    def _rebuilt_side(self, nest: Any, side: int, leaf: Callable[[Any], Any]) -> Any:
        found = children(nest)
        if found is None:
            return leaf(nest)
        parts = [self._rebuilt_side(x, side, leaf) for x in found[1]]
        if is_immutable_nest(nest) and all(map(is_, parts, found[1])):
            return nest
        made = found[2](parts)
        self.note_tuple(made, *((nest, None) if side == 0 else (None, nest)))
        return made

    def note_tuple(self, merged: Any, a: Any, b: Any) -> None:
        """Adds the output that is a joined tuple itself, where that is a value of the run; a side
        that always raises has None."""
        given = [(side, x) for side, x in zip(self.sides, (a, b), strict=True) if x is not None]
        if not traces_tuples() or not is_tuple(merged) or (
                all(x is side.result for side, x in given) and len(_targets()) > 1):
            return
        left, right = self.sides
        output = self.add(None if a is None else left.pack(a), None if b is None else right.pack(b),
                          [h for side, x in given for h in side.memory(x)])
        self.tuples.append((merged, output))

    def result(self) -> Any:
        """Returns the results of the two sides as one nest."""
        a, b = self.sides
        if a.raised and b.raised:
            return ()
        if a.raised or b.raised:
            side = 1 if a.raised else 0
            return self.one_sided(self.sides[side].result, side)
        return self.merge(a.result, b.result)

    def handles(self) -> dict[Handle, Output]:
        """Returns the outer arrays that a side writes, with the outputs that they become."""
        a, b = self.sides
        return {h: self.add(a.written_or_old(h), b.written_or_old(h))
                for h in {**a.written, **b.written}}

    def contents(self) -> dict[HeapLocation, Any]:
        """Returns the heap locations that a side changes, with what they hold after the branch."""
        a, b = self.sides
        ends = {x: aligned(x, a.left_in(x), b.left_in(x))
                for x in {**a.locations, **b.locations}}
        for side in self.sides:
            for x in ends.keys() - side.locations.keys() if not side.raised else ():
                side.note_shared(x, x.read())  # a side that leaves a list as it is, too
        refuse_shared(ends, a.shared | b.shared)
        return {x: self.merge(a, b, isinstance(x, Contents)) for x, (a, b) in ends.items()}

    def record(self, condition: Value, hints: list[str]) -> Sequence[Value]:
        """Append the `cond` equation; returns its outputs, named by `hints` if these fit."""
        a, b = (side.graph for side in self.sides)
        a.outputs, b.outputs = (tuple(pair[i] for pair in self.atoms) for i in (0, 1))
        return record(OPS["cond"], (condition,), {}, (a, b), self.types(),
                      hints if len(hints) == len(self.atoms) else self.hints())

    @staticmethod
    def _same(a: Any, b: Any) -> bool:
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            return a._handle is b._handle
        if isinstance(a, Same):
            return a.is_also(b)
        return not isinstance(a, (Inner, Tensor)) and same_constant(a, b)


def _is_number(x: Any) -> bool:
    return is_field(x.value.type) if isinstance(x, Inner) else holds_number(x)


def _lists_effects(x: Any) -> bool:
    """Returns True for a list that the function made and that holds functions with effects: the
    trace goes on with the lists of both sides."""
    items = x.values if type(x) is FlattenedList else x if type(x) is list else ()
    return any(map(keeps_effects, items))


def cond(pred: Tensor, true_fn: Callable[..., Any], false_fn: Callable[..., Any],
         *operands: Any) -> Any:
    """Record `true_fn(*operands) if pred else false_fn(*operands)` as one equation.

    Each function is traced once, in a region; what it changes (arrays, shared variables, objects)
    is put back before the other is traced, and becomes an output of the equation.

    Raises:
      ValueError: `pred` is certainly an array of several elements (NumPy's own message).
    """
    check_predicate(pred)
    condition = pred.read()  # the sides may write to the array that it is
    for x in operands:
        if type(x) is SelectedObject:
            x.fields()  # it may become one object, while nothing watches those that it is one of
    watched = changeable_locations(true_fn, false_fn, operands)
    a = trace_region("true", lambda: true_fn(*operands), watched)
    b = trace_region("false", lambda: false_fn(*operands), watched)
    outputs = Outputs((a, b))
    result, handles, contents = outputs.result(), outputs.handles(), outputs.contents()
    values = outputs.record(condition, [] if handles or contents else _targets())
    if a.raised and b.raised:
        raise NeverCompletes
    for handle, output in handles.items():
        handle.rebind(values[output.index])
    for handle in a.invalidated | b.invalidated:
        handle.invalidate()
    fill = _filler(condition, values, [result, *contents.values()])
    before = Snapshot.take(contents)
    for location, nest in contents.items():
        location.write(fill(nest))
        trace.note_staged(location)
    made = fill(result)
    for merged, output in outputs.tuples:
        is_of_run(fill(merged), output.tensor(values[output.index], []))
    note_joined(a, b, made, before)
    return made


def note_joined(a: TracedRegion, b: TracedRegion, made: Any, before: dict[HeapLocation, Any]
                ) -> None:
    """Notes the containers that were copied to join what two sides left.

    before: the locations that they changed, with what these held before.
    """
    shared = a.shared_ids | b.shared_ids
    ends = [(a.own_result, b.own_result, made)]
    for x, old in before.items():
        one, other = aligned(x, a.own_locations.get(x, old), b.own_locations.get(x, old))
        ends.append((one, other, x.read()))
    note_copies([(ABSENT if a.raised else one, ABSENT if b.raised else other, now)
                 for one, other, now in ends], shared, excludes=True,
                left=[{id(x.container): held for x, held in side.own_locations.items()
                       if isinstance(x, Contents)} for side in (a, b)])


def _targets() -> list[str]:
    """Returns the names that the program binds the result to."""
    source = user_location()
    return [] if source is None else source.targets


def _filler(condition: Value, values: Sequence[Value], nests: list[Any]) -> Callable[[Any], Any]:
    """Returns a function that puts the values of the equation, and real objects, into a nest."""
    used = [x for x in flatten(nests) if isinstance(x, Output)]
    built: dict[int, Any] = {}

    def leaf(x: Any) -> Any:
        if x is CONDITION:
            return Tensor(condition)
        if isinstance(x, Same):
            return x.value
        return x.tensor(values[x.index], used) if isinstance(x, Output) else x

    return lambda nest: unflattened(nest, leaf, built)


def raise_value(error: Any, *cause: Any) -> NoReturn:
    """Record `raise error from cause`, where only the run knows the error or its cause."""
    record(OPS["raise_"], (lower(error), *lower(cause)), {"itself": True}, types=(DYNAMIC,))
    raise NeverCompletes


def refuse_shared(ends: dict[HeapLocation, tuple[Any, Any]],
                  shared: dict[HeapLocation, Any]) -> None:
    """Refuse to make a value of a list that gets another length on one side and holds a container
    that others may know and change: that container has to be an object of the graph.

    Raises:
      TracingError: there is such a list.
    """
    for location, inside in shared.items():
        left, right = map(structure, ends[location])
        if left is None or right is None or left[0] != right[0]:
            need_object(inside, "is in a list that gets another length in a staged branch")


def check_predicate(pred: Tensor) -> None:
    """Raise NumPy's own error for a condition that is certainly an array of several elements."""
    t = pred.type
    if isinstance(t, ArrayType) and t.shape is not None and any(
            isinstance(d, int) and d > 1 for d in t.shape):
        raise ValueError("The truth value of an array with more than one element is ambiguous. "
                         "Use a.any() or a.all()")
