"""Aliasing: the cell behind a tensor, its current SSA value, and who shares it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import WeakSet

from autograph.runtime.ir.errors import EscapedTensorError, at
from autograph.runtime.ir.graph import Value, leaves
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.types import is_maybe_undefined
from autograph.runtime.ops.indexing import INTO, SETITEM
from autograph.runtime.ops.stores import STORE_ITEM
from autograph.runtime.ops.views import UPDATE_VIEW, Item, Step
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.record import maker, record
from autograph.runtime.symbolic.source_locations import user_location


class Memory:
    """Memory that only the run knows: one of several handles stands for it, and has the others'."""

    __slots__ = ("handles",)

    def __init__(self, first: Handle) -> None:
        self.handles: WeakSet[Handle] = WeakSet([first])


class Handle:
    """A cell with the current value. Aliases share the handle, so they see a write.

    A view has a `base`: reading it applies `step` to the base's current value, writing it writes
    the base; `seen` is the base's value that `value` was made from. `memories` holds what it may
    stand for when the graph runs, if it may share that with other handles: while one of them lives,
    none is written. A handle is `invalidated` if only the run knows what it stands for, since the
    line `changed_at`.
    """

    __slots__ = ("__weakref__", "base", "changed_at", "invalidated", "memories", "region", "seen",
                 "step", "value")

    def __init__(self, value: Value, base: Handle | None = None, step: Step | None = None,
                 seen: Value | None = None) -> None:
        self.value = value
        self.base = base
        self.step = step
        self.seen = seen
        self.region = trace.current.region
        self.invalidated = False
        self.changed_at: Location | None = None
        self.memories: set[Memory] = set()

    @property
    def root(self) -> Handle:
        handle = self
        while handle.base is not None:
            handle = handle.base
        return handle

    def has_changed(self, value: Value | None) -> bool:
        """Returns True if the array was written since it had this value, as far as is known."""
        return self.value is not value or self.invalidated

    def note_late_check(self) -> None:
        """Notes that an attribute which its object may lack is checked only when it is used: code
        in C read it, and Python raised there, perhaps in a `try`."""
        here = trace.current_region()
        if here is not None and self in here.trace.lacks and is_maybe_undefined(self.value.type):
            here.trace.handled = True

    def read(self) -> Value:
        """Returns the value that the handle stands for now; an outdated view is made again."""
        if self.region is None or not self.region.alive:
            raise EscapedTensorError(_escaped(self.value))
        if self.invalidated:
            trace.need_references("an array is changed in the first iteration of a loop that then "
                                  "rebinds the variable", self.changed_at)
        if self.base is None:
            return self.value
        current = self.base.read()
        if current is not self.seen:
            self._pin()
            self._set(self.again(current), current)
        return self.value

    def _pin(self) -> None:
        """Pins the equation that made the view: it may raise, and must do so before later
        writes."""
        made_by = maker(self.value) if self.step is not None and any(
            isinstance(x, Value) for x in leaves(self.step)) else None
        if made_by is not None:
            made_by.pinned = True

    def again(self, current: Value) -> Value:
        """Records the view of its base's current value."""
        assert self.step is not None
        op, args, kwargs = self.step.call()
        return record(op, (current, *args), kwargs)[0]

    def rely(self) -> None:
        """Called when it matters that this view shares memory with its base."""

    def write(self, value: Value) -> None:
        """Makes the handle, and every alias and view of it, stand for another value."""
        if self.base is None:
            if len(may_share(self)) > 1:
                trace.need_references("which array a variable stands for is decided when the graph "
                                      "runs, and it is written")
            self.rebind(value)
        else:
            self.update(INTO, value)

    def rebind(self, value: Value) -> None:
        """Makes the handle stand for another value, without a write to memory."""
        self._set(value, None)

    def update(self, index: Any, value: Any) -> None:
        """Records `self[index] = value` as a new value of the root; no operand is a tensor."""
        steps: list[Any] = []
        handle = self
        while handle.base is not None:
            steps.append(handle.step)
            handle.rely()
            handle = handle.base
        if steps:
            args = (handle.read(), index, value, tuple(reversed(steps)))
            handle.write(record(UPDATE_VIEW, args, {})[0])
        else:
            handle.write(record(SETITEM, (handle.read(), index, value), {})[0])

    def has_just_got(self, index: Any, view: Handle) -> bool:
        """Returns True if the latest equation wrote into a view, which is `self[index]`: to store
        the view there changes nothing. `x[a:b] += y` does both."""
        here = trace.current_region()
        if view.base is not self or here is None or not here.graph.equations:
            return False
        latest, step = here.graph.equations[-1], view.step
        return latest.op is UPDATE_VIEW and latest.args[3][-1] is step and isinstance(
            step, Item) and view.root.value is latest.outputs[0] and is_same_object(
            step.index, index)

    def invalidate(self) -> None:
        """Marks the value as unknown: whoever reads it needs a trace by reference."""
        self.changed_at = user_location()
        self._set(self.value, self.seen, True)

    def _set(self, value: Value, seen: Value | None, invalidated: bool = False) -> None:
        here = trace.current_region()
        if here is not None and (here is not self.region or here.probed is not None):
            old = self.value, self.seen, self.invalidated
            if here is not self.region:
                here.note(("handle", id(self)), self, lambda: self._restore(*old))
            if here.probed is not None:
                here.probed.setdefault(self, old)
        self.value, self.seen, self.invalidated = value, seen, invalidated

    def exchange(self, other: tuple[Any, ...]) -> tuple[Any, ...]:
        """Makes the handle stand for something else, with no note of it; returns what it stood for.
        """
        now = self.value, self.seen, self.invalidated
        self.value, self.seen, self.invalidated = other
        return now

    def _restore(self, value: Value, seen: Value | None, invalidated: bool) -> None:
        self.value, self.seen, self.invalidated = value, seen, invalidated


def is_same_object(a: Any, b: Any) -> bool:
    """Returns True if two indices are of the same objects; Python makes slices and tuples anew."""
    if type(a) is not type(b):
        return False
    if type(a) is slice:
        return a.start is b.start and a.stop is b.stop and a.step is b.step
    if type(a) is tuple:
        return len(a) == len(b) and all(map(is_same_object, a, b))
    return a is b


def steps_of(handle: Handle) -> list[Step]:
    """Returns the steps from the root to a view, in order."""
    steps: list[Step] = []
    while handle.base is not None:
        assert handle.step is not None
        steps.insert(0, handle.step)
        handle = handle.base
    return steps


class Reshaped(Handle):
    """A view of its base if the arguments `needs` are in C order, else a copy.

    `needs` is None if nothing is known about the memory order.
    """

    __slots__ = ("needs",)

    def __init__(self, view: Handle, needs: frozenset[Value] | None) -> None:
        super().__init__(view.value, view.base, view.step, view.seen)
        self.needs = needs

    def again(self, current: Value) -> Value:
        self.rely()
        return super().again(current)

    def rely(self) -> None:
        if self.needs is None:
            trace.need_references("whether a reshape is a view or a copy is decided when the graph "
                                  "runs, and one of both is written")
        _take_as_ordered(self.needs)


class Rearranged(Handle):
    """A copy of its source, whose memory order differs if the arguments `needs` are in C order."""

    __slots__ = ("needs", "source")

    def __init__(self, view: Handle, needs: frozenset[Value]) -> None:
        super().__init__(view.value, None, None, view.seen)
        assert view.base is not None
        self.source = view.base
        self.needs = needs

    def read(self) -> Value:
        source = self.source
        if source.region is not None and source.region.alive and source.read() is not self.seen:
            self.rely()
        return super().read()

    def write(self, value: Value) -> None:
        self.rely()
        self._set(value, self.seen)

    def rely(self) -> None:
        _take_as_ordered(self.needs)


def _take_as_ordered(arguments: frozenset[Value] | None) -> None:
    here = trace.current_region()
    if here is not None and arguments:
        here.trace.ordered.update(dict.fromkeys(arguments))


class Reference(Handle):
    """A handle of a trace by reference: its value is the array itself, which a write changes."""

    __slots__ = ()

    def write(self, value: Value) -> None:
        record(STORE_ITEM, (self.read(), Ellipsis, value), {})

    def update(self, index: Any, value: Any) -> None:
        record(STORE_ITEM, (self.read(), index, value), {})


def may_share(handle: Handle) -> set[Handle]:
    """Returns the roots of all handles that one may share memory with, its own included."""
    root = handle.root
    return {root, *(x for memory in root.memories for x in memory.handles)}


def may_be_one(handle: Handle, other: Handle) -> bool:
    """Returns True if two handles may stand for one array when the graph runs.

    Raises:
      RetraceByReference: they may, and only a trace by reference can ask.
    """
    if trace.by_reference():
        return True
    if handle is other or handle.root is other.root or other.root not in may_share(handle):
        return False
    trace.need_references("`is` asks whether two variables are one array, which only the run knows")


def tie(handle: Handle, others: Iterable[Handle]) -> None:
    """Notes that a new handle may share memory with others, and with what they may share it."""
    root = handle.root
    for other in {o.root for o in others} - {root}:
        if not other.memories:
            other.memories.add(Memory(other))
        for memory in other.memories - root.memories:
            memory.handles.add(root)
        root.memories |= other.memories


def _escaped(value: Value) -> str:
    name = f" {value.hint!r}" if value.hint else ""
    return (f"the symbolic value{name} ({value.type}) is used outside the trace or branch that "
            f"made it{at(user_location())}\n"
            "  hint: return it from the function, or from the branch")
