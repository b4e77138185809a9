"""NumPy's functions that call a function of the user's for each number, row or part of an array.

NumPy's own code calls it when the graph runs. A derivative has to look inside: so where one is
taken, the calls are made while the function is traced, one after the other, as NumPy makes them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from autograph.extension_points import POINTS
from autograph.operators.control_flow import cond
from autograph.runtime.heap.run_time_containers import has_tensor
from autograph.runtime.ir.errors import NotDifferentiable, at
from autograph.runtime.ir.graph import Atom, Value, atom_type
from autograph.runtime.ir.regions import as_branch
from autograph.runtime.ir.types import ArrayType, PyType, type_of
from autograph.runtime.ops.type_rules import DISCOVERED
from autograph.runtime.replacements.functions import REPLACEMENTS, called_as_it_is
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.record import maker
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply

Fn = Callable[..., Any]

MOST_CALLS = 256
"""So many calls are recorded one by one; a graph of more would be too long."""

NUMBERS = "biufc"
"""The kinds of dtypes whose items are Python's numbers."""


def _in_place_of(original: Fn) -> Callable[[Fn], Fn]:
    """Makes a function the form of another for calls of which a derivative is taken; it gives
    NotImplemented for calls that it does not know."""
    def decorate(form: Fn) -> Fn:
        otherwise = REPLACEMENTS.get(original) or called_as_it_is(original)

        @functools.wraps(original, updated=())
        def replacement(*args: Any, **kwargs: Any) -> Any:
            if not trace.takes_derivatives():
                return otherwise(*args, **kwargs)
            made = form(*args, **kwargs)
            return otherwise(*args, **kwargs) if made is NotImplemented else made

        return replacement

    return decorate


class _Array(NamedTuple):
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def _known(x: Any) -> _Array | None:
    """The shape and dtype of an array or number, if they are known."""
    t = x.type if isinstance(x, Tensor) else type_of(x)
    if not isinstance(t, ArrayType) or t.dtype is None or t.shape is None or not t.is_static:
        return None
    return _Array(tuple(int(d or 0) for d in t.shape), t.dtype)


@_in_place_of(np.fromfunction)
def _fromfunction(function: Fn, shape: Any, *, dtype: Any = float, **kwargs: Any) -> Any:
    if has_tensor((shape, dtype)) or "like" in kwargs:
        return NotImplemented
    return POINTS.convert_callback(function)(*np.indices(shape, dtype=dtype), **kwargs)


@_in_place_of(np.piecewise)
def _piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    t = _known(x)
    if t is None or not t.shape or not isinstance(condlist, (list, tuple)):
        return NotImplemented
    tests = [np.asarray(test, dtype=bool) if not isinstance(test, Tensor) else test
             for test in condlist]
    if any((found := _known(test)) is None or found.shape != t.shape for test in tests):
        return NotImplemented
    if len(tests) == len(funclist) - 1:
        tests.append(np.logical_not(functools.reduce(np.logical_or, tests)))
    elif len(tests) != len(funclist):
        return NotImplemented  # raises
    made = apply("zeros_like", x)
    for test, function in zip(tests, funclist, strict=True):
        made = _put(made, test, function, x, args, kw)
    return made


def _put(made: Any, test: Any, function: Any, x: Any, args: Any, kw: Any) -> Any:
    """Returns an array with what a function gives for the numbers of which a test is true; it is
    not called if there are none."""
    if not callable(function):
        return apply("setitem", made, test, function)
    called = POINTS.convert_callback(function)
    return cond(np.any(test), lambda: apply("setitem", made, test, called(x[test], *args, **kw)),
                lambda: made)


@_in_place_of(np.apply_along_axis)
def _apply_along_axis(func1d: Fn, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    t = _known(arr)
    if t is None or not t.shape or has_tensor(axis):
        return NotImplemented
    axis = range(len(t.shape))[axis]
    rows: Any = np.moveaxis(arr, axis, -1)
    lead = tuple(n for k, n in enumerate(t.shape) if k != axis)
    if not 0 < math.prod(lead) <= MOST_CALLS:
        return NotImplemented
    called = POINTS.convert_callback(func1d)
    results = [called(rows[index], *args, **kwargs) for index in np.ndindex(*lead)]
    made = _stacked(results, results[0])
    inner = made.shape[1:]
    made = made.reshape(lead + inner)
    last = range(len(lead), len(lead) + len(inner))
    return np.moveaxis(made, tuple(last), tuple(range(axis, axis + len(inner))))


def _stacked(results: Sequence[Any], first: Any, dtype: Any = None) -> Any:
    """Returns an array of results in a dtype, or in that of the first result, as NumPy does."""
    made = np.stack(results)
    given = first.read() if isinstance(first, Tensor) else first
    found = {np.dtype(dtype)} if dtype else set(_dtypes(given))
    if len(found) != 1 or None in found:
        raise NotDifferentiable(
            "NumPy gives the results the dtype of the first one, which only the run knows"
            f"{at(user_location())}\n  hint: return numbers of one dtype, float(x) on every path")
    known, (wanted,) = _known(made), found
    return made if known and known.dtype == wanted else made.astype(wanted)


def _dtypes(x: Atom) -> Iterator[np.dtype[Any] | None]:
    """Yields the dtypes that an array of a value may have; None if one is not known."""
    made = maker(x) if isinstance(x, Value) else None
    branch = as_branch(made) if made is not None else None
    t = atom_type(x)
    if branch is not None and (not isinstance(t, ArrayType) or t.dtype is None):
        k = branch.results.index(x)
        for _, side in branch.sides():
            yield from _dtypes(side.outputs[k])
    elif isinstance(t, PyType):
        yield DISCOVERED.get(t.cls)
    else:
        yield t.dtype if isinstance(t, ArrayType) else None


def vectorized(function: Any) -> Fn:
    """Returns the replacement of an `np.vectorize`."""
    otherwise = called_as_it_is(function)

    def replacement(*args: Any, **kwargs: Any) -> Any:
        known = trace.takes_derivatives() and not kwargs and not function.excluded and (
            function.signature is None and callable(function.pyfunc))
        made = _each(function, args) if known else NotImplemented
        return otherwise(*args, **kwargs) if made is NotImplemented else made

    return replacement


def _each(function: Any, args: tuple[Any, ...]) -> Any:
    arrays = [x if isinstance(x, Tensor) else np.asarray(x) for x in args]
    known = [t for t in map(_known, arrays) if t is not None and t.dtype.kind in NUMBERS]
    if len(known) < len(arrays):
        return NotImplemented
    shape = np.broadcast_shapes(*(t.shape for t in known))
    if not 0 < math.prod(shape) <= MOST_CALLS:
        return NotImplemented
    called = POINTS.convert_callback(function.pyfunc)
    columns = [np.broadcast_to(x, shape).ravel() for x in arrays]
    first = called(*(column[0] for column in columns)) if function.otypes is None else None
    results = [called(*(column[k].item() for column in columns)) for k in range(math.prod(shape))]
    several = isinstance(results[0], tuple)
    parts = list(zip(*results, strict=True)) if several else [results]
    firsts = first if several and first else [first] * len(parts)
    otypes = function.otypes or [None] * len(parts)
    made = [_stacked(x, y, dtype).reshape(shape)
            for x, y, dtype in zip(parts, firsts, otypes, strict=True)]
    return tuple(made) if several else made[0]


NUMPY_CALLBACKS: dict[Fn, Fn] = {
    np.fromfunction: _fromfunction, np.piecewise: _piecewise,
    np.apply_along_axis: _apply_along_axis}
"""Function of NumPy -> its replacement."""
VECTORIZED: dict[type, Callable[[Any], Fn]] = {np.vectorize: vectorized}
"""The class of such functions -> what makes their replacements."""
