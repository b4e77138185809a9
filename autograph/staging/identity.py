"""Which object a value is: `x is y` and `id(x)` while a function is traced."""

from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from autograph.operators.builtins import id as builtin_id
from autograph.operators.logical import is_
from autograph.runtime.heap.iterators import Cursor
from autograph.runtime.heap.joined_copies import has_identity, want_if_copied
from autograph.runtime.heap.joined_tuples import ask_any, ask_which
from autograph.runtime.heap.kept_functions import made_by_function
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.new_objects import is_young
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.heap.tuples_of_run import is_given, is_tuple, of_the_run, value_of
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import children
from autograph.runtime.ir.types import DynamicType, PyType, may_have_memory
from autograph.runtime.ops import pure
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.aliasing import may_be_one
from autograph.runtime.symbolic.allocation_sites import is_plain_container
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging.attributes import class_of

IS = pure(operator.is_)
ID = pure(builtins.id)


def same(x: Any, other: Any) -> Any:
    """Returns `x is other`; a symbolic value, if only the run knows."""
    x, other = (v.iterator if issubclass(type(v), Cursor) else v for v in (x, other))
    if is_tuple(x) and is_tuple(other):
        made = _tuples_of_run(x, other)
        if made is None:
            return x is other
        x, other = made
    if _may_be_any(x) or _may_be_any(other):  # only the run tells which tuple that is
        ask_which(*filter(is_tuple, (x, other)), given=True)
        _want_given(x, other)
        x, other = map(value_of, (x, other))
    if type(other) is SelectedObject:
        return other.each(lambda one: is_(x, one))
    if isinstance(x, np.bool_) or isinstance(other, np.bool_):
        if _is_unknown(x) or _is_unknown(other):
            return apply(IS_BOOL, *((x, bool(other)) if _is_unknown(x) else (other, bool(x))))
        both = _is_numpy_bool(x) and _is_numpy_bool(other)
        return apply("truth", x == other) if both else False
    _refuse_rebuilt(x, other)
    if x is other or not (_may_be_any(x) or _may_be_any(other) or _may_be_one(x, other)):
        if x is not other:
            want_if_copied(x, other)
        return x is other
    want_if_copied(x, other)
    return apply(IS, x, other)


def _tuples_of_run(x: Any, other: Any) -> tuple[Any, Any] | None:
    """Returns the values of the run that two tuples are, one of which is such a value; None if it
    is known whether they are one."""
    if x is other or not _may_be_like(x, other):
        return None
    ask_which(x, other)
    if of_the_run(x) is None and of_the_run(other) is None:
        _refuse_given(x, other)
        return None
    return value_of(x), value_of(other)


def _want_given(*compared: Any) -> None:
    """Asks that a tuple of the arguments be an object of the graph.

    Raises:
      SymbolicValueError: one is not.
    """
    here = trace.current_region()
    for x in compared:
        if here is not None and is_given(here.trace, x):
            need_object(x, "may be what only the run knows, and its identity is asked for")


def _refuse_given(x: Any, other: Any) -> None:
    """Refuses to tell whether a tuple of the arguments is one that the function did not make: a
    trace makes it anew, but if it is an object of the graph.

    Raises:
      SymbolicValueError: that is asked.
    """
    if not (is_young(x) and is_young(other)) or _are_given(x, other):
        _want_given(x, other)


def _are_given(*tuples: Any) -> bool:
    here = trace.current_region()
    return here is not None and all(is_given(here.trace, x) for x in tuples)


def _is_unknown(x: Any) -> bool:
    """Returns True if only the run knows the class of a value."""
    return isinstance(x, Tensor) and isinstance(x.type, DynamicType)


IS_BOOL = pure(lambda x, value: x is np.bool_(value), lambda *types: PyType(bool))


def identity(x: Any) -> Any:
    """Returns `id(x)` of what only the run knows; else NotImplemented. Ids may be compared, or be
    keys: so an object whose id is asked for counts as compared with all others like it.

    Raises:
      TracingError: x is an array, and may be another one whose id was asked for.
      SymbolicValueError: it is a tuple of the arguments, which a trace makes anew.
    """
    here = trace.current_region()
    if here is None:
        return NotImplemented
    if type(x) is SelectedObject:
        return x.each(builtin_id)
    if is_tuple(x):
        ask_which(x)
        _want_given(x)
        x = x if (made := of_the_run(x)) is None else made
    known, of_run = here.trace.identified, _may_be_any(x)
    if of_run:
        ask_any()
    for other, is_of_run in [] if id(x) in known else list(known.values()):
        if of_run or is_of_run:  # its id is a number of the run
            _want_to_be_of_run(x, other)
        if _is_alive(other):
            _compare(x, other, of_run and is_of_run)
    known[id(x)] = x, of_run
    return apply(ID, x) if of_run else IdOfCopy(x) if (
        isinstance(x, Tensor) or is_tuple(x) or _is_wanted(x)) else NotImplemented


class IdOfCopy(int):
    """The id of what stands for an object while a function is traced: it may be compared, and not
    leave the trace.

    object  what it is the id of.
    """

    object: Any

    def __new__(cls, x: Any) -> IdOfCopy:
        made = super().__new__(cls, builtins.id(x))
        made.object = x
        return made

    def __ag_leave__(self) -> None:
        """Refuses to be a constant of the graph; a container becomes an object of the graph.

        Raises:
          SymbolicValueError: always.
        """
        need_object(self.object, "has its id used as a number")


def _want_to_be_of_run(*objects: Any) -> None:
    for x in filter(_is_wanted, objects):
        trace.want(x, "may be an object that only the run knows, and its id is asked for")


def _compare(x: Any, other: Any, by_run: bool) -> None:
    if not by_run and _may_be_one(x, other):
        raise TracingError(
            "the ids of two arrays are asked for, and only the run knows whether these are one "
            f"array{at(user_location())}\n  hint: compare them by `is`")
    if not (is_tuple(x) and is_tuple(other)):
        _refuse_rebuilt(x, other)
    want_if_copied(x, other)


def _refuse_rebuilt(x: Any, other: Any) -> None:
    """Refuses to tell whether two containers are one, of those that cannot be changed: a trace
    makes such a container anew wherever it is among the arguments.

    Raises:
      TracingError: they may be one.
    """
    made = other if isinstance(x, Tensor) else x
    if x is not other and not isinstance(made, Tensor) and not has_identity(made) and (
            _may_be_like(made, x) and _may_be_like(made, other)):
        raise TracingError(
            f"only the run knows whether two objects of the class {type(made).__name__} are one"
            f"{at(user_location())}\n  hint: compare what is in them, or lists")


def _may_be_like(made: Any, x: Any) -> bool:
    """Returns True if a value may be a container of the kind of one that was made, and of as many
    parts, of which there are some."""
    if isinstance(x, Tensor):
        return isinstance(x.type, DynamicType) or class_of(x) is type(made)
    if type(x) is not type(made):
        return False
    one, two = children(made), children(x)
    return one is not None and two is not None and one[0] == two[0] and bool(one[1])


def _is_alive(x: Any) -> bool:
    """Returns False for a value of a region that has ended."""
    return not isinstance(x, Tensor) or (
        x._handle.region is not None and x._handle.region.alive)


def _is_wanted(x: Any) -> bool:
    """Returns True for a container or object whose id in the run is another one."""
    here = trace.current_region()
    return is_plain_container(x) or (has_identity(x) and here is not None and (
        id(x) in here.trace.originals or made_by_function(x)))


def _may_be_any(x: Any) -> bool:
    """Returns True if only the run may know which object a value is."""
    return isinstance(x, Tensor) and isinstance(x.type, (DynamicType, PyType))


def _may_be_one(x: Any, other: Any) -> bool:
    """Returns True if only the run knows whether two arrays are the same object."""
    if isinstance(x, np.ndarray) or isinstance(other, np.ndarray):
        trace.note_comparison(other if isinstance(x, np.ndarray) else x)
    both = isinstance(x, Tensor) and isinstance(other, Tensor)
    return both and may_have_memory(x.type) and may_have_memory(other.type) and may_be_one(
        x._handle, other._handle)


def _is_numpy_bool(x: Any) -> bool:
    """Returns True for NumPy's `True_` and `False_`, of which there is one object each."""
    return isinstance(x, np.bool_) or (isinstance(x, Tensor) and class_of(x) is np.bool_)
