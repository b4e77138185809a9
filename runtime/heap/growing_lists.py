"""Lists whose length is known only when the graph runs: `out.append(x)` in a staged loop."""

from __future__ import annotations

import itertools
import operator
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import GeneratorType
from typing import Any, NoReturn

import numpy as np

from autograph.extension_points import POINTS
from autograph.own_attributes import class_has
from autograph.runtime.heap.list_values import Splice, list_value
from autograph.runtime.heap.objects import contents_of, is_instance
from autograph.runtime.heap.selected_objects import Flattened, SelectedObject, as_value
from autograph.runtime.heap.sorting import in_order, sorted_items
from autograph.runtime.ir.call_frames import (
    is_asked_by_user,
    is_in_place,
    is_structural,
    is_subscript,
)
from autograph.runtime.ir.errors import SymbolicValueError, TracingError, at
from autograph.runtime.ir.pytree import all_leaves, map_nest
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.ops import OPS, Op, opaque, pure
from autograph.runtime.ops.container_values import order_after
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.numpy_protocols import call_numpy
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import BoundMethod, Tensor, apply


class StagedList(list[Any]):
    """A list that converted code made: Python's own as long as its length is known.

    After a branch or a loop gave it another length, it holds a `Splice` of a symbolic list,
    followed by what was appended since; whatever needs an item or the length is then recorded.

    known  True as long as it holds no `Splice`.
    """

    __slots__ = ("known",)

    def __init__(self, items: Iterable[Any] = ()) -> None:
        list.__init__(self, items)
        self.known = not spliced(list.__iter__(self))

    def hold(self, items: list[Any]) -> None:
        """Hold these items, and no others; they may be splices."""
        list.clear(self)
        list.extend(self, items)
        self.known = not spliced(items)

    def clear(self) -> None:
        self.hold([])

    def tensor(self) -> Tensor:
        """Returns the list as one symbolic value."""
        if list.__len__(self) == 1 and not self.known:
            return list.__getitem__(self, 0).value  # type: ignore[no-any-return]
        return list_value(self)

    def become(self, value: Any) -> None:
        """Hold the items of a symbolic list from now on."""
        self.hold([Splice(value)])

    def extend(self, items: Any) -> None:
        if POINTS.read_each(items, self.append):
            return
        before = list.__len__(self)
        if class_has(type(items), "__ag_rest__"):
            items = items.__ag_rest__()
        if isinstance(items, Tensor):
            list.extend(self, of_its_own([Splice(items)]))
        elif type(items) is StagedList:
            list.extend(self, of_its_own(list.copy(items)))
        else:
            list.extend(self, items)
        self.known &= not spliced(itertools.islice(
            list.__reversed__(self), list.__len__(self) - before))

    def __array_function__(self, func: Callable[..., Any], types: Any, args: tuple[Any, ...],
                           kwargs: dict[str, Any]) -> Any:
        return _numpy(func, args, kwargs)

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        return _numpy(ufunc if method == "__call__" else getattr(ufunc, method), args, kwargs)

    def __iadd__(self, items: Any) -> Any:
        if _is_array(items):
            return NotImplemented
        self.extend(items)
        return self

    def __getitem__(self, index: Any) -> Any:
        if self.known and not _symbolic(index):
            found = list.__getitem__(self, index)
            return StagedList(found) if type(index) is slice else found
        found = apply("getitem", self.tensor(), index)
        return StagedList([Splice(found)]) if type(index) is slice else found

    def __setitem__(self, index: Any, value: Any) -> None:
        value = read_for(index, value)
        if self.known and not _symbolic(index) and not (
                type(index) is slice and is_of_unknown_length(value)):
            list.__setitem__(self, index, value)
        else:
            self.become(apply("setitem", self.tensor(), index, value))

    def pop(self, index: Any = -1) -> Any:
        if self.known and not _symbolic(index):
            return list.pop(self, index)
        item, rest = apply("list_pop", self.tensor(), index)
        self.become(rest)
        return item

    def __len__(self) -> int:
        if self.known:
            return list.__len__(self)
        _refuse("Python asks for len() of", "call ag.len(x) in converted code")

    def __bool__(self) -> bool:
        return len(self) > 0

    def __iter__(self) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller.startswith("numpy."):  # it looks for items that dispatch
            return list.__iter__(self)
        if self.known:
            return _live(self, itertools.count())
        if is_structural(sys._getframe(1)):
            trace.want_one("is unpacked with a star, and known only when the graph runs")
        if is_subscript(sys._getframe(1)):
            trace.want_stored()
        trace.look_into_lists()  # it may be NumPy that asks
        _refuse("Python iterates over", "write a `for` statement in converted code")

    def __reversed__(self) -> Any:
        if not self.known:
            _refuse("Python iterates over", "write a `for` statement in converted code")
        return _live(self, range(list.__len__(self) - 1, -1, -1))

    def __add__(self, other: Any) -> Any:
        if _is_array(other):
            return NotImplemented
        if isinstance(other, Tensor):  # the run knows if it is a list
            return StagedList([Splice(apply(pure(operator.add), self.tensor(), other))])
        if not isinstance(other, list):  # Python asks it, or raises
            return NotImplemented if hasattr(other, "__radd__") else list.__add__(self, other)
        return StagedList(of_its_own([*list.__iter__(self), *list.__iter__(other)]))

    def __radd__(self, other: Any) -> Any:
        """Adds to a list of Python's. Python asks this also for `other += self`, before `other`."""
        if not isinstance(other, (list, deque)):
            return NotImplemented
        if is_in_place(sys._getframe(1)):
            if not self.known and (here := trace.current_region()) is not None:
                here.trace.want(other, "is extended by items that only the run knows")
            other.extend(self)
            return other
        if not isinstance(other, list):
            return NotImplemented
        return StagedList(of_its_own([*list.__iter__(other), *list.__iter__(self)]))

    def copy(self) -> StagedList:
        return StagedList(of_its_own(list.copy(self)))


def own_operator(x: StagedList, name: str) -> Callable[..., Any]:
    """Returns the method of a list that `list.__add__` and its like stand for.

    Raises:
      TracingError: the list has none that knows of items of the run.
    """
    if not x.known and name not in vars(StagedList):
        raise TracingError(
            f"list.{name} is called with a list whose length only the run knows"
            f"{at(user_location())}\n  hint: write the operator, or the function, that it is for")
    return getattr(x, name)  # type: ignore[no-any-return]


OF_RUN = (BoundMethod, SelectedObject, Splice, StagedList, Tensor)
"""The classes of what stands for values of the run."""


class FlattenedList(Flattened):
    """A staged list of known length, as a nest."""

    __slots__ = ()

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __ag_flatten__(self) -> tuple[int, list[Any]]:
        return len(self.values), self.values

    @classmethod
    def __ag_unflatten__(cls, metadata: int, values: list[Any]) -> FlattenedList:
        return cls(values)

    def build(self, values: list[Any]) -> StagedList:
        return StagedList(values)


def of_its_own(items: list[Any]) -> list[Any]:
    """Returns items for a new list: if all are those of one value, of whatever kind, they are in a
    list made now, which is not that value."""
    if len(items) != 1 or type(items[0]) is not Splice:
        return [Splice(x.value) if type(x) is Splice else x for x in items]
    return [Splice(apply("list_of", (True, items[0].value)))]


def _is_array(x: Any) -> bool:
    """Returns True for arrays and NumPy's numbers: `+` adds elementwise, as they see to it."""
    return isinstance(x, (np.ndarray, np.generic)) or (
        isinstance(x, Tensor) and isinstance(x.type, ArrayType))


def is_of_unknown_length(x: Any) -> bool:
    """Returns True for a list, array or other value whose items only the run knows."""
    if isinstance(x, Tensor):
        t = x.type
        return not (isinstance(t, ArrayType) and t.shape is not None and (
            not t.shape or isinstance(t.shape[0], int)))
    return type(x) is StagedList and not x.known


def spliced(items: Iterable[Any]) -> bool:
    """Returns True if a list of these items is of unknown length."""
    return any(type(x) is Splice for x in items)


class PlainList(list[Any]):
    """A staged list while Python alone runs a loop: the same object, without methods of its
    own."""

    __slots__ = ("known",)


def _live(items: StagedList, positions: Iterable[int]) -> Iterator[Any]:
    """Yields the items at some positions, up to the first that there is not, as the list is then.

    Raises:
      SymbolicValueError: the list has got a length that only the run knows.
    """
    for position in positions:
        if not items.known:
            trace.want(items, "is changed while it is iterated over")
            _refuse("Python iterates over", "change a copy of the list")
        if position >= list.__len__(items):
            return
        yield list.__getitem__(items, position)


def live_items(iterator: GeneratorType[Any, Any, Any]) -> StagedList | None:
    """Returns the list that an iterator goes through, if it is that of a staged list."""
    frame = iterator.gi_frame
    return frame.f_locals["items"] if frame and iterator.gi_code is _live.__code__ else None


def read_for(index: Any, value: Any) -> Any:
    """Returns what a list is given for an item, or for a slice: for this, an iterator is read."""
    if type(index) is not slice or not (
            class_has(type(value), "__ag_rest__") or hasattr(type(value), "__next__")):
        return value
    made = StagedList()
    made.extend(value)
    return made


def _numpy(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a NumPy function on staged lists, or on containers of them."""
    if any(type(x) is StagedList and (not x.known or any(
            isinstance(i, Tensor) for i in all_leaves(_plain(x))))
            for x in all_leaves((args, kwargs))):
        return call_numpy(function, args, kwargs)
    return function(*_plain(args), **_plain(kwargs))


def _plain(nest: Any) -> Any:
    """Returns a nest with Python's own lists in place of staged lists of known length."""
    if type(nest) is StagedList:
        return [_plain(x) for x in list.__iter__(nest)] if nest.known else nest
    return map_nest(lambda x: _plain(x) if type(x) is StagedList else x, nest)


def _changing(name: str) -> Callable[..., Any]:
    """Returns a method that takes items away or moves them: Python's own, or recorded as a new
    value of the list."""
    own = getattr(list, name)

    def method(self: StagedList, *args: Any) -> Any:
        if self.known and not _symbolic(args) and not (
                name in COMPARING and holds_symbols((list.copy(self), args))):
            return own(self, *args)
        items = self.tensor()
        return self.become(apply("picked", items, apply(pure(order_after), items, name, *args)))

    method.__name__ = name
    return method


def _insert(self: StagedList, index: Any, item: Any) -> Any:
    """`items.insert(index, item)`"""
    if self.known and not _symbolic(index):
        return list.insert(self, index, item)
    items = self.tensor()
    before, after = (apply("getitem", items, part) for part in (
        slice(None, index), slice(index, None)))
    return self.become(apply("list_of", (True, before), (False, item), (True, after)))


def _repeat(self: StagedList, times: Any) -> Any:
    """`items *= times`; NumPy's numbers make a new list."""
    if _is_array(times):
        return NotImplemented
    if self.known and not _symbolic(times):
        return list.__imul__(self, times)
    self.become(apply("multiply", self.tensor(), times))
    return self


def _sort(self: StagedList, *, key: Any = None, reverse: Any = False) -> Any:
    """`items.sort(…)`; the key function is called once for each item, while tracing."""
    items = list.copy(self)
    if not self.known:
        made = POINTS.operators().converted(sorted)(self, key=key, reverse=reverse)
        return self.hold(list.copy(made) if type(made) is StagedList else [Splice(made)])
    keys = items if key is None else [key(x) for x in items]
    if not holds_symbols((keys, reverse)):
        items[:] = in_order(items, keys, reverse)
        return list.__setitem__(self, slice(None), items)
    return self.become(sorted_items(items, keys, reverse))


def _asking(name: str, recorded: Op | None = None) -> Callable[..., Any]:
    """Returns a method that only reads the list; `recorded` is what the graph calls in its
    place."""
    own = getattr(list, name)

    def method(self: StagedList, *args: Any) -> Any:
        if self.known and not any(isinstance(a, Tensor) for a in args) and not (
                name in COMPARING and holds_symbols((list.copy(self), args))):
            return own(self, *args)
        return apply(recorded or opaque(own), self.tensor(), *args)

    method.__name__ = name
    return method


COMPARING = frozenset({"index", "count", "remove", "__contains__"})
"""Methods of lists that compare the items."""


def holds_symbols(nest: Any) -> bool:
    """Returns True if a symbolic value is in a nest, or in an object that is in it."""
    return any(isinstance(x, Tensor) or type(x) in (StagedList, SelectedObject) or (
        is_instance(x) and any(
            isinstance(v, Tensor) for v in all_leaves([*contents_of(x).values()])))
        for x in all_leaves(_plain(nest)))


setattr(StagedList, "sort", _sort)  # noqa: B010
setattr(StagedList, "insert", _insert)  # noqa: B010
setattr(StagedList, "__imul__", _repeat)  # noqa: B010
BINARY = {"__eq__": opaque(operator.eq), "__ne__": opaque(operator.ne),
          "__lt__": opaque(operator.lt), "__mul__": OPS["multiply"], "__rmul__": OPS["multiply"]}
"""Methods of lists that may return NotImplemented -> the ops that ask both operands."""


StagedList.__name__ = "list"  # Python's errors name the class
for _name in ("remove", "reverse", "__delitem__"):
    setattr(StagedList, _name, _changing(_name))
for _name in ("index", "count", "__contains__", *BINARY):
    setattr(StagedList, _name, _asking(_name, BINARY.get(_name)))


def unstage(nest: Any, made: dict[int, Any] | None = None,
            selected: Callable[[Any], Any] = as_value,
            keep: Callable[[Any], bool] = lambda x: False) -> Any:
    """Returns a nest of results with plain lists, and tensors for lists of unknown length. A
    container without any stays the same object, since the caller may know it by identity.

    made: what was returned for each container so far, so that one stays one.
    selected: gives what stands for a selected object.
    keep: returns True for a container that stays the same object, whatever is in it.
    """
    made = {} if made is None else made
    if type(nest) is SelectedObject:
        return selected(nest)
    if type(nest) not in (tuple, list, dict, StagedList) or keep(nest):
        return nest
    if id(nest) not in made:
        made[id(nest)] = nest, _unstaged(nest, lambda x: unstage(x, made, selected, keep))
    return made[id(nest)][1]


def _unstaged(nest: Any, unstage: Callable[[Any], Any]) -> Any:
    if type(nest) is StagedList:
        return [unstage(x) for x in list.__iter__(nest)] if nest.known else nest.tensor()
    inside = list(nest.values()) if type(nest) is dict else nest
    new = [unstage(x) for x in inside]
    if all(map(operator.is_, new, inside)):
        return nest
    return dict(zip(nest, new, strict=True)) if type(nest) is dict else type(nest)(new)


def _symbolic(index: Any) -> bool:
    if type(index) in (tuple, dict):
        return any(map(_symbolic, index.values() if type(index) is dict else index))
    if type(index) is slice:
        return any(isinstance(x, Tensor) for x in (index.start, index.stop, index.step))
    return isinstance(index, Tensor)


def _refuse(wanted: str, instead: str) -> NoReturn:
    error = SymbolicValueError(f"{wanted} a list whose length is known only when the graph runs"
                               f"{at(user_location())}\n  hint: {instead}")
    if is_asked_by_user(sys._getframe(2)):
        trace.note_refusal(error)
    raise error


def lowered(items: StagedList) -> Any:
    """Returns a staged list as an operand: its items if they are known, or one symbolic value."""
    return list(list.__iter__(items)) if items.known else items.tensor()
