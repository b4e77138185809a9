"""Views: the steps from an array to a view of it, and a store through a view."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from autograph.runtime.ir.graph import NESTS
from autograph.runtime.ir.types import DYNAMIC
from autograph.runtime.ops.indexing import GETITEM, is_basic_index, stored_type
from autograph.runtime.ops.op import OPS, Op, define
from autograph.runtime.ops.samples import CUBE, MATRIX, VECTOR, call
from autograph.runtime.ops.shape import TRANSPOSE

Call = tuple[Op, tuple[Any, ...], dict[str, Any]]
"""An op, and its arguments after the array."""


class Item(NamedTuple):
    """The step to `x[index]`."""

    index: Any

    def call(self) -> Call:
        return GETITEM, (self.index,), {}

    def of(self, x: Any) -> Any:
        return x[self.index]

    def show(self, nest: Callable[[Any], str]) -> str:
        return f"{GETITEM.name}({nest(self.index)})"


class Apply(NamedTuple):
    """The step to `op(x, *args, **kwargs)`, for a view op that gives one array."""

    op: Op
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}

    def call(self) -> Call:
        return self.op, self.args, self.kwargs

    def of(self, x: Any) -> Any:
        return self.op.kernel(x, *self.args, **self.kwargs)

    def show(self, nest: Callable[[Any], str]) -> str:
        given = [*map(nest, self.args), *(f"{k}={nest(v)}" for k, v in self.kwargs.items())]
        return f"{self.op.name}({', '.join(given)})"


class Output(NamedTuple):
    """The step to one of the several arrays that a view op gives."""

    number: int
    several: Apply

    def call(self) -> Call:
        return PART, (self.number, self.several), {}

    def of(self, x: Any) -> Any:
        return self.several.of(x)[self.number]

    def show(self, nest: Callable[[Any], str]) -> str:
        return f"{PART.name}({self.number}, {nest(self.several)})"


NO_NAMES: Mapping[str, Any] = {}

Step = Item | Apply | Output
"""A step from an array to a view of it; its arguments may be values of the graph."""

NESTS.update((Item, Apply, Output))


def step_of(op: Op, args: Sequence[Any], kwargs: dict[str, Any]) -> Step:
    """Returns the step that a view op makes from its first argument, given the further ones."""
    if op is GETITEM:
        return Item(args[0])
    return Output(*args) if op is PART else Apply(op, tuple(args), kwargs)


def may_share(op: Op, args: Sequence[Any], kwargs: Mapping[str, Any] = NO_NAMES) -> bool | None:
    """Returns True if an op's result is a view of its first argument, None if only the run knows,
    False if it has memory of its own; the values among the arguments are types."""
    is_fresh = op.fresh and kwargs.get("copy", True) is True
    if not op.view or is_fresh or getattr(args[0], "rank", None) in op.copied_ranks:
        return False
    return is_basic_index(args[1]) if op is GETITEM else True


def is_surely_view(step: Step) -> bool:
    """Returns True if a step gives a view of an array, never a copy; its values are types."""
    if isinstance(step, Item):
        return is_basic_index(step.index) is True
    return isinstance(step, Apply) and step.op.always_view


def path_with(path: tuple[Step, ...], step: Step) -> tuple[Step, ...]:
    """Returns a path with one more step; views that only turn axes around, or
    transpose it twice, stay one step, so a loop that does so leads to few views.

    >>> back = Item(slice(None, None, -1))
    >>> path_with((back,), back)
    (Item(index=(slice(None, None, 1),)),)
    """
    if not path:
        return (step,)  # not dropped: a view is another object than its array
    first, second = _directions(path[-1]), _directions(step)
    if first is not None and second is not None:
        both = zip_longest(first, second, fillvalue=1)
        return (*path[:-1], Item(tuple(slice(None, None, a * b) for a, b in both)))
    if step == path[-1] == Apply(TRANSPOSE):
        return path_with(path[:-1], Item(()))
    return (*path, step)


def _directions(step: Step) -> list[int] | None:
    """Returns 1 or -1 for each axis of an index that takes the full array; None for others."""
    index = step.index if isinstance(step, Item) else None
    parts = index if isinstance(index, tuple) else (index,)
    full = [part for part in parts if isinstance(part, slice) and part.start is None
             and part.stop is None and part.step in (None, 1, -1)]
    if index is None or len(full) < len(parts):
        return None
    return [part.step or 1 for part in full]


# -- stores through a view ------------------------------------------------------------------------


def assign_through(x: Any, index: Any, value: Any, path: Sequence[Step]) -> Any:
    """Writes x through the view to which the steps of `path` lead: `x.T[1:][index] = value`.

    Raises:
      ValueError: a step makes a copy when the graph runs (a reshape of an array that is not
        contiguous), so that the write would not reach x.
    """
    view = x
    for step in path:
        view = step.of(view)
    surely_view(view, x)[index] = value
    return x


def update_view(x: Any, index: Any, value: Any, path: Sequence[Step]) -> Any:
    """Returns a copy of `x`, written through a view of it."""
    return assign_through(copy.copy(x), index, value, path)


def surely_view(view: Any, x: Any) -> Any:
    """Returns the view, if it has the memory of the array."""
    if isinstance(x, np.ndarray) and view.size and not np.may_share_memory(view, x):
        raise ValueError("a view of an array turned out to be a copy when the graph ran (a reshape "
                         "of an array that is not in C order), and one of both is written to\n"
                         "  hint: take the copy yourself: np.ascontiguousarray(x).reshape(…)")
    return view


def part(x: Any, number: int, several: Apply) -> Any:
    """Returns one of the several arrays that a view op gives."""
    return several.of(x)[number]


def _part_type(x: Any, number: int, several: Apply) -> Any:
    types = several.op.infer(x, *several.args, **several.kwargs)
    return types[number] if isinstance(types, tuple) else DYNAMIC


SPLIT = OPS["split"]

UPDATE_VIEW = define(Op(
    "update_view", update_view, stored_type, "",
    (call(MATRIX, 0, 9.0, (Apply(TRANSPOSE), Item(slice(1, 3)))),
     call(VECTOR, Ellipsis, 1, (Item(slice(0, 2)),))),
    onnx=None, inplace=assign_through,
    doc="the array after a store through a view of it"))
PART = define(Op(
    "part", part, _part_type, "",
    (call(MATRIX, 1, Apply(SPLIT, (3,), {"axis": 1})), call(CUBE, 0, Apply(SPLIT, (2,)))),
    onnx=None, view=True, doc="one of the views that a view op gives"))
