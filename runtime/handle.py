"""The cell behind a tensor: which SSA value it stands for, and how aliases and views share it."""

from __future__ import annotations

from typing import Any

from autograph.runtime import trace
from autograph.runtime.errors import EscapedTensorError, at
from autograph.runtime.graph import Value
from autograph.runtime.ops import OPS

Step = tuple[str, tuple[Any, ...], dict[str, Any]]
"""One step from a base to a view of it: op name, further args, kwargs (values and constants)."""


class Handle:
    """A cell with the current value. Aliases share the handle, so they see a write.

    A view has a `base`: reading it applies `step` to the base's current value, writing it writes
    the base; `seen` is the base's value that `value` was made from.
    """

    __slots__ = ("base", "lost", "region", "seen", "step", "value")

    def __init__(self, value: Value, base: Handle | None = None, step: Step | None = None,
                 seen: Value | None = None) -> None:
        self.value = value
        self.base = base
        self.step = step
        self.seen = seen
        self.region = trace.current_region()
        self.lost = ""

    @property
    def root(self) -> Handle:
        handle = self
        while handle.base is not None:
            handle = handle.base
        return handle

    def read(self) -> Value:
        """The value that the handle stands for now; a view that is out of date is made again."""
        if self.region is None or not self.region.alive:
            raise EscapedTensorError(_escaped(self.value))
        if self.lost:
            raise EscapedTensorError(self.lost + at(trace.user_location()))
        if self.base is None:
            return self.value
        current = self.base.read()
        if current is not self.seen:
            self._set(self.again(current), current)
        return self.value

    def again(self, current: Value) -> Value:
        """The view of its base's current value."""
        assert self.step is not None
        name, args, kwargs = self.step
        return trace.record(OPS[name], (current, *args), kwargs)[0]

    def rely(self) -> None:
        """Called when it matters that writes to this view and to its base show in each other."""

    def write(self, value: Value) -> None:
        """Make the handle, and every alias and view of it, stand for another value."""
        if self.base is None:
            self._set(value, None)
        else:
            self.update(Ellipsis, value)

    def update(self, index: Any, value: Any) -> None:
        """`self[index] = value` as a new value of the root; `index` and `value` hold no tensors."""
        steps: list[Any] = []
        handle = self
        while handle.base is not None:
            steps.append(handle.step)
            handle.rely()
            handle = handle.base
        if steps:
            args = (handle.read(), index, value, tuple(reversed(steps)))
            handle.write(trace.record(OPS["update_view"], args, {})[0])
        else:
            handle.write(trace.record(OPS["setitem"], (handle.read(), index, value), {})[0])

    def lose(self, why: str) -> None:
        """Refuse every later read, with this reason: what it stands for is no longer known."""
        self._set(self.value, self.seen, why)

    def _set(self, value: Value, seen: Value | None, lost: str = "") -> None:
        here = trace.current_region()
        if here is not None and here is not self.region:
            old = self.value, self.seen, self.lost
            here.note(("handle", id(self)), self, lambda: self._restore(*old))
        self.value, self.seen, self.lost = value, seen, lost

    def _restore(self, value: Value, seen: Value | None, lost: str) -> None:
        self.value, self.seen, self.lost = value, seen, lost


def steps_of(handle: Handle) -> list[Step]:
    """The steps from the root to a view, the first one first."""
    steps: list[Step] = []
    while handle.base is not None:
        assert handle.step is not None
        steps.insert(0, handle.step)
        handle = handle.base
    return steps


class Reshaped(Handle):
    """A view of its base if the memory order allows it: it does if `needs` are in C order.

    `needs` is None if nothing is known: then it is checked when the graph runs.
    """

    __slots__ = ("needs",)

    def __init__(self, view: Handle, needs: frozenset[Value] | None) -> None:
        super().__init__(view.value, view.base, view.step, view.seen)
        self.needs = needs

    def again(self, current: Value) -> Value:
        self.rely()
        if self.needs is not None:
            return super().again(current)
        assert self.step is not None
        return trace.record(OPS["view_of"], (current, *self.step), {})[0]

    def rely(self) -> None:
        _take_as_ordered(self.needs)


class Rearranged(Handle):
    """A copy, because its source is in another memory order if `needs` are in C order."""

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


class Choice(Handle):
    """What `a if pred else b` is an alias of, when a or b is an array from outside the branches.

    Reading it follows changes of a and b; writing it writes the one that was chosen. A side that
    was made in its branch has no handle.
    """

    __slots__ = ("pred", "sides", "versions")

    def __init__(self, value: Value, pred: Value,
                 sides: tuple[Handle | None, Handle | None]) -> None:
        super().__init__(value)
        self.pred = pred
        self.sides = sides
        self.versions = self._current()

    def _current(self) -> tuple[Value | None, ...]:
        return tuple(None if s is None else s.read() for s in self.sides)

    def read(self) -> Value:
        value = super().read()
        current = self._current()
        if any(a is not b for a, b in zip(current, self.versions, strict=True)):
            a, b = (value if c is None else c for c in current)
            (value,) = trace.record(OPS["select_"], (self.pred, a, b), {})
            self._set(value, None)
            self._set_versions(current)
        return value

    def write(self, value: Value) -> None:
        self._set(value, None)
        for number, side in enumerate(self.sides):
            if side is not None:
                pair = (value, side.read()) if number == 0 else (side.read(), value)
                side.write(trace.record(OPS["select_"], (self.pred, *pair), {})[0])
        self._set_versions(self._current())

    def _set_versions(self, versions: tuple[Value | None, ...]) -> None:
        here = trace.current_region()
        if here is not None and here is not self.region:
            old = self.versions
            here.note(("versions", id(self)), self, lambda: setattr(self, "versions", old))
        self.versions = versions


def _escaped(value: Value) -> str:
    name = f" {value.hint!r}" if value.hint else ""
    return (f"the symbolic value{name} ({value.type}) is used outside the trace or branch that "
            f"made it{at(trace.user_location())}\n"
            "  hint: return it from the function, or from the branch")
