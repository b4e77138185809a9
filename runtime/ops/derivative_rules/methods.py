"""Derivative rules of ufuncs' methods: `np.add.reduce`, `accumulate`, `reduceat`, `outer`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.helpers import as_array, axis_of, known, rank
from autograph.runtime.ops.derivatives import (
    Derivative,
    Linear,
    NotDifferentiableHere,
    Parts,
    Refused,
)


def _log_of_sum(log: Callable[..., Any], exp: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(array: Any, axis: Any = 0, keepdims: Any = False, **more: Any) -> Any:
        if more:
            raise NotDifferentiableHere(f"the option {next(iter(more))!r} has no rule; write "
                                        "np.log(np.sum(np.exp(x - m))) + m with m = np.max(x)")
        top = np.max(array, axis=axis, keepdims=True)
        top = np.where(np.isfinite(top), top, 0.0)
        made = log(np.sum(exp(array - top), axis=axis, keepdims=True)) + top
        return made if keepdims else np.squeeze(made, axis)

    return reduce


def _length(array: Any, axis: Any = 0, keepdims: Any = False, **more: Any) -> Any:
    if more:
        raise NotDifferentiableHere(f"the option {next(iter(more))!r} has no rule; write "
                                    "np.sqrt(np.sum(x * x))")
    return np.linalg.norm(array, axis=axis, keepdims=keepdims)


REDUCTIONS: dict[str, Callable[..., Any]] = {
    "add": np.sum, "multiply": np.prod, "maximum": np.max, "minimum": np.min,
    "fmax": np.nanmax, "fmin": np.nanmin, "logical_and": np.all, "logical_or": np.any,
    "logaddexp": _log_of_sum(np.log, np.exp), "logaddexp2": _log_of_sum(np.log2, np.exp2),
    "hypot": _length,
}
"""By ufunc: the function that reduces in the same way."""

SCANS: dict[str, Callable[..., Any]] = {"add": np.cumsum, "multiply": np.cumprod}
LONGEST = 100
"""Of how many elements an operation without a function of its own is taken step by step."""


def _reduce(fn: Callable[..., Any]) -> Callable[..., Any]:
    def parts(array: Any, axis: Any = 0, dtype: Any = None, out: Any = None,
              keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
        given = {"dtype": dtype, "initial": initial, "where": None if where is True else where}
        return fn(array, axis=axis, keepdims=keepdims,
                  **{k: v for k, v in given.items() if v is not None})

    return parts


def _accumulate(fn: Callable[..., Any]) -> Callable[..., Any]:
    return lambda array, axis=0, dtype=None, out=None: fn(array, axis, dtype)


def _running_extreme(better: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the parts of a running maximum: the element where the record was last set."""
    def parts(array: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        at = axis_of(axis, rank(array))
        first: tuple[Any, ...] = (slice(None),) * at
        so_far = better.accumulate(array, at)  # type: ignore[attr-defined]
        new = array[(*first, slice(1, None))] != so_far[(*first, slice(0, -1))]
        kept = so_far[(*first, slice(1, None))] == array[(*first, slice(1, None))]
        number = np.cumsum(np.ones_like(array, dtype=int), at) - 1
        record = np.concatenate([number[(*first, slice(0, 1))], np.where(
            new & kept, number[(*first, slice(1, None))], 0)], at)
        return np.take_along_axis(array, np.maximum.accumulate(record, at), at)

    return parts


def _steps(ufunc: np.ufunc) -> Callable[..., Any]:
    """Returns the parts of `accumulate`, and of `reduce`, its last: one step for each element."""
    def parts(array: Any, axis: Any = 0, dtype: Any = None, out: Any = None,
              keepdims: Any = False, **more: Any) -> Any:
        if more or rank(array) == 0:
            raise NotDifferentiableHere(f"{', '.join(more) or 'a number'} has no rule; use a loop")
        rows = np.moveaxis(array, axis_of(axis, rank(array)), 0)
        count = np.shape(rows)[0]
        if not (isinstance(count, int) and 0 < count <= LONGEST):
            raise NotDifferentiableHere(
                f"np.{ufunc.__name__} has a rule for 1 to {LONGEST} elements, of which the trace "
                "knows how many; write a loop")
        made = [rows[0]]
        for k in range(1, count):
            made.append(ufunc(made[-1], rows[k]))
        return made

    return parts


def _step_by_step(ufunc: np.ufunc, method: str) -> Callable[..., Any]:
    steps = _steps(ufunc)

    def accumulated(array: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        return np.stack(steps(array, axis), axis)

    def reduced(array: Any, axis: Any = 0, dtype: Any = None, out: Any = None,
                keepdims: Any = False, **more: Any) -> Any:
        made = steps(array, axis, **more)[-1]
        return np.expand_dims(made, axis) if keepdims else made

    return accumulated if method == "accumulate" else reduced


def _takes_other_steps(ufunc: np.ufunc, method: str) -> bool:
    """Returns True if a ufunc's method gives another result than its steps: of some ufuncs
    NumPy's vector loops read the running result before it is written.

    It is tried, if it makes floats of floats: a call that NumPy refuses would change the class of
    its errors from then on.
    """
    if "dd->d" not in ufunc.types:
        return False
    x = np.array([1.3, 0.7, 1.1, 1.7, 0.9, 1.2, 0.8, 1.5, 1.4])
    steps = np.stack(_steps(ufunc)(x))
    made = getattr(ufunc, method)(x)
    return not np.allclose(made, steps if method == "accumulate" else steps[-1])


def reduced_pieces(reduce: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the parts of `ufunc.reduceat`: a reduction for each piece."""
    def parts(array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        at = axis_of(axis, rank(array))
        first: tuple[Any, ...] = (slice(None),) * at
        starts = [int(i) for i in known(indices, "indices")]
        pieces = [slice(i, None if k + 1 == len(starts) else max(starts[k + 1], i + 1))
                  for k, i in enumerate(starts)]
        return np.stack([reduce(array[(*first, piece)], axis=at) for piece in pieces], at)

    return parts


def _sums_of_pieces(g: Any, z: Any, array: Any, indices: Any, axis: Any = 0, dtype: Any = None,
                    out: Any = None) -> Any:
    """The transpose of `np.add.reduceat`: piece i ends where piece i + 1 begins, if that is later,
    else it is one element."""
    at = axis_of(axis, rank(array))
    n, starts = np.shape(array)[at], as_array(indices)
    stops = np.concatenate([starts[1:], [n]])
    stops = np.where(stops > starts, stops, starts + 1)
    number = np.arange(n)
    inside = (number >= starts[:, None]) & (number < stops[:, None])
    return np.moveaxis(np.tensordot(g, inside * 1.0, ([at], [0])), -1, at)


def outer(ufunc: np.ufunc) -> Callable[..., Any]:
    """Returns the parts of `ufunc.outer(a, b)`."""
    def parts(a: Any, b: Any, **more: Any) -> Any:
        return ufunc(np.reshape(a, (*np.shape(a), *(1,) * rank(b))), b, **more)

    return parts


def rule_of(ufunc: np.ufunc, method: str) -> Derivative:
    """Returns the rule of a ufunc's method."""
    name = ufunc.__name__
    if method == "outer" and ufunc.nout == 1:
        return Parts(outer(ufunc))
    if method == "reduce" and name in REDUCTIONS:
        return Parts(_reduce(REDUCTIONS[name]))
    if method == "accumulate" and name in SCANS:
        return Parts(_accumulate(SCANS[name]))
    if method == "accumulate" and name in ("maximum", "minimum"):
        return Parts(_running_extreme(ufunc), value=_step_by_step(ufunc, method))
    if method == "reduceat" and name == "add":
        return Linear(_sums_of_pieces)
    if method == "reduceat" and name in REDUCTIONS:
        return Parts(reduced_pieces(REDUCTIONS[name]))
    if method in ("reduce", "accumulate") and ufunc.nin == 2 and ufunc.nout == 1:
        if _takes_other_steps(ufunc, method):
            return Refused(f"NumPy's np.{name}.{method} does not apply np.{name} to one element "
                           "after the other here; write a loop")
        return Parts(_step_by_step(ufunc, method))
    return Refused(f"np.{name}.{method} has no rule; np.add, np.multiply, np.maximum and "
                   "np.minimum have")
