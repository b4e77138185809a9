"""The one symbolic value of a list of unknown length, while its items stay the same.

It is recorded once, and where its items are known: before the branch or the loop that reads it
first. So a branch that only reads a list makes none of its own, and the run appends in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from autograph.runtime.ir.graph import PLAIN, Graph, Value
from autograph.runtime.ir.types import is_maybe_undefined
from autograph.runtime.ops.python import LIST_OF
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.aliasing import Handle
from autograph.runtime.symbolic.numpy_protocols import dispatched
from autograph.runtime.symbolic.region import Region
from autograph.runtime.symbolic.tensor import Tensor, apply


@dataclass(frozen=True)
class Recorded:
    """A list that was recorded: as which value, and by which equation."""

    made: Tensor
    region: Region
    index: int

    def value_of(self, parts: tuple[Any, ...], read: Callable[[Any], Any]) -> Value | None:
        """Returns the value if a list of these parts is the one that was recorded, and the equation
        is still there. `read` gives the value of a leaf."""
        equations, value = self.region.graph.equations, self.made._handle.value
        is_there = self.index < len(equations) and equations[self.index].outputs == (value,)
        return value if is_there and _is_of(equations[self.index].args, parts, read) else None


class Memo:
    """Remembers of a list of unknown length, beside its parts, how it was recorded the last time.
    Lists that differ in it alone do not differ."""

    __slots__ = ("recorded",)

    def __init__(self) -> None:
        self.recorded: Recorded | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Memo)

    def __hash__(self) -> int:
        return 0


class Splice:
    """Stands in a list for the items of another list, a symbolic one.

    memo  of the list that begins with these items, in whatever form.
    """

    __slots__ = ("memo", "value")

    def __init__(self, value: Any, memo: Memo | None = None) -> None:
        self.value = value
        self.memo = memo or Memo()

    def __ag_flatten__(self) -> tuple[Memo, list[Any]]:
        return self.memo, [self.value]

    @classmethod
    def __ag_unflatten__(cls, memo: Memo, values: list[Any]) -> Splice:
        return cls(values[0], memo)

    def __array_function__(self, func: Callable[..., Any], types: Any, args: tuple[Any, ...],
                           kwargs: dict[str, Any]) -> Any:
        return dispatched(func, args, kwargs)


def parts_of(items: list[Any]) -> tuple[tuple[bool, Any], ...]:
    """Returns the arguments of `list_of`: pairs of False and an item, or True and a list whose
    items are spliced in."""
    return tuple((True, x.value) if type(x) is Splice else (False, x) for x in list.__iter__(items))


def list_value(items: list[Any]) -> Tensor:
    """Returns a list as one symbolic value."""
    parts, here = parts_of(items), trace.current.region
    leaves = list(_leaves(parts))
    first = next((x for x in list.__iter__(items) if type(x) is Splice), None)
    if here is None or first is None or not all(map(_is_settled, leaves)):
        return apply(LIST_OF, *parts)  # type: ignore[no-any-return]
    grown = first.memo.recorded
    if grown is not None and grown.region.encloses(here) and grown.value_of(parts, _read):
        return grown.made
    trace.current.region = home = _home(here, [x._handle for x in leaves if isinstance(x, Tensor)])
    try:
        made: Tensor = apply(LIST_OF, *parts)
    finally:
        trace.current.region = here
    first.memo.recorded = Recorded(made, home, len(home.graph.equations) - 1)
    return made


def value_at_end(items: list[Any], read: Callable[[Any], Any], ended: Graph,
                 outer: Region | None) -> Value | None:
    """Returns the value as which a list was recorded in a region that ended, or in one around it;
    None if it was not. `read` gives the value of a leaf at the region's end."""
    grown = next((x.memo.recorded for x in items if type(x) is Splice), None)
    if grown is None or not (grown.region.graph is ended or (
            outer is not None and grown.region.encloses(outer))):
        return None
    return grown.value_of(parts_of(items), read)


def _leaves(nest: Any) -> Iterator[Any]:
    if type(nest) is not tuple:
        yield nest
        return
    for x in nest:
        yield from _leaves(x)


def _is_settled(x: Any) -> bool:
    """Returns True for a leaf that is the same whenever it is read, until its handle is written."""
    return type(x) in PLAIN or (
        isinstance(x, Tensor) and x._handle.base is None and not x._handle.invalidated
        and not is_maybe_undefined(x._handle.value.type))


def _read(x: Any) -> Any:
    return x._handle.value if isinstance(x, Tensor) else x


def _is_of(args: Any, parts: Any, read: Callable[[Any], Any]) -> bool:
    """Returns True if arguments of an equation are these parts."""
    if type(parts) is not tuple:
        return args is read(parts)
    return type(args) is tuple and len(args) == len(parts) and all(
        _is_of(x, y, read) for x, y in zip(args, parts, strict=True))


def _home(here: Region, handles: list[Handle]) -> Region:
    """Returns the outermost region in which the handles stand for what they stand for here."""
    made_in = {h.region for h in handles}
    while here.parent is not None and here not in made_in and not any(
            ("handle", id(h)) in here.journal for h in handles):
        here = here.parent
    return here
