"""Functions, methods, classes and iterators that leave a loop with values of one iteration."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial
from types import FunctionType
from typing import Any

from autograph.runtime.heap.escaping_objects import is_new_iterator
from autograph.runtime.heap.locations import Cell, HeapLocation
from autograph.runtime.heap.objects import contents_of, is_known, is_object
from autograph.runtime.heap.rebuilt_functions import CALLING
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.ir.closures import is_method
from autograph.runtime.ir.pytree import LEAVES, children
from autograph.runtime.symbolic.tensor import Tensor


def functions_left(nests: Iterable[Any], outside: Collection[int]) -> Iterator[Any]:
    """Yields the functions, methods and the like in what a region left, each once.

    outside: the ids of the containers and `__dict__`s that were there before.
    """
    pending, seen = list(nests), dict[int, Any]()
    while pending:
        x = pending.pop()
        if type(x) in LEAVES or isinstance(x, Tensor) or id(x) in seen:
            continue
        seen[id(x)] = x
        if isinstance(x, CALLING):
            yield x
        elif type(x) is SelectedObject:
            pending += x.parts()[1:]
        elif isinstance(x, list):
            pending += list.__iter__(x)
        elif (found := children(x)) is not None:
            pending += found[1]
        elif is_object(x) and not is_known(x, outside):
            pending += contents_of(x).values()


def left_with_values(nest: Any, changed: Collection[HeapLocation], given: Collection[int],
                     outside: Collection[int]) -> Any:
    """Returns the first function, method, class or iterator in what a region left that holds a
    symbolic value, or reads a variable that the region binds; None if there is none.

    nest: what the region left.
    changed: the heap locations that it changed.
    given: the ids of what was there before.
    outside: the ids of the containers and `__dict__`s that were there before.
    """
    pending: list[tuple[Any, Any]] = [(nest, None)]
    seen: dict[int, Any] = {}
    while pending:
        x, holder = pending.pop()
        if id(x) in seen or id(x) in given:
            continue
        seen[id(x)] = x
        if isinstance(x, Tensor):
            if holder is not None:
                return holder
            continue
        if (holder is None and is_new_iterator(x)) or _reads(x, changed):
            return holder or x
        held = _held(x)
        if held is not None:
            pending += [(part, holder or x) for part in held]
        elif isinstance(x, list):
            pending += [(part, holder) for part in list.__iter__(x)]
        elif (found := children(x)) is not None:
            pending += [(part, holder) for part in found[1]]
        elif is_object(x) and not is_known(x, outside):
            pending += [(part, holder) for part in contents_of(x).values()]
    return None


def _reads(x: Any, changed: Collection[HeapLocation]) -> bool:
    """Returns True for a function with a variable that is among the locations."""
    return isinstance(x, FunctionType) and any(
        Cell(c, "a variable") in changed for c in x.__closure__ or ())


def _held(x: Any) -> Iterable[Any] | None:
    """Returns what a callable holds; None for what is no callable of these kinds."""
    if isinstance(x, FunctionType):
        cells = (Cell(c, "a variable").read() for c in x.__closure__ or ())
        return [*cells, *(x.__defaults__ or ()), *(x.__kwdefaults__ or {}).values()]
    if isinstance(x, partial):
        return [x.func, *x.args, *x.keywords.values()]
    if isinstance(x, type):
        return vars(x).values() if "<locals>" in x.__qualname__ else ()
    return [x.__func__, x.__self__] if is_method(x) else None
