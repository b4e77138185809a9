"""Quotients by the differences of eigenvalues or singular values, of which the derivatives of their
vectors are made.

Where two values are equal, their vectors may turn freely, and what a function makes of them may
have a derivative that nothing here can know. So there the dividend has to vanish.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ops.derivatives import Formula, dispatching

CLOSE = 8.0
"""Values that differ by less than so many roundings, for each of them, are equal."""

NOISE = 1000.0
"""A dividend of less than so many roundings is zero."""


@dispatching
def over_gaps(x: Any, gaps: Any, values: Any) -> Any:
    """Returns x / gaps, and 0 where both vanish.

    Raises:
      NotDifferentiable: two of the values, of which these are the gaps, are equal, and x is not 0
        there.
    """
    equal = np.abs(gaps) <= _nearness(values)
    noise = NOISE * _precision(values) * np.max(np.abs(x), initial=0.0)
    if np.any(np.where(equal, np.abs(x), 0) > noise):
        _refuse()
    return np.where(equal, 0, x / np.where(equal, 1, gaps))


@dispatching
def of_different_values(g: Any, values: Any, used: Any, over_values: bool) -> Any:
    """Returns a copy of g, whose columns are the cotangents of the vectors that have these values.

    A cotangent that vanishes does not tell that the derivative does: for `(v * w) @ v.T`, which is
    the matrix itself, it is w, and what it is divided by vanishes as well.

    Args:
      used: True where what is differentiated uses the vectors.
      over_values: the derivative of a vector is divided by its value, too.

    Raises:
      NotDifferentiable: a used vector's value is equal to another one.
    """
    columns = np.any(np.broadcast_to(used, np.shape(g)), axis=-2)
    gaps = values[..., :, None] - values[..., None, :]
    equal = (np.abs(gaps) <= _nearness(values)) & ~np.eye(np.shape(values)[-1], dtype=bool)
    if np.any(equal & columns[..., None]) or (over_values and np.any((values == 0) & columns)):
        _refuse()
    return np.array(g)


def _precision(values: Any) -> Any:
    return np.finfo(np.result_type(values, np.float32)).eps


def _nearness(values: Any) -> Any:
    """Returns the differences up to which values are equal."""
    size = np.max(np.abs(values), axis=-1, initial=0.0)[..., None, None]
    return CLOSE * max(1, np.shape(values)[-1]) * _precision(values) * size


def _refuse() -> NoReturn:
    raise NotDifferentiable(
        "two eigenvalues or singular values are equal, or one is 0, so that their vectors have no "
        "derivative\n  hint: use the values alone, by first derivatives; or only vectors of other "
        "values, as u[:, :2]; or add a tiny number to the diagonal, another one to each element")


def _vjp(g: Any, z: Any, x: Any, gaps: Any, values: Any) -> Any:
    return over_gaps(g, gaps, values), -over_gaps(g * z, gaps, values), None


def _jvp(t: Any, z: Any, x: Any, gaps: Any, values: Any) -> Any:
    made = None if t[0] is None else over_gaps(t[0], gaps, values)
    if t[1] is None:
        return made
    turned = over_gaps(z * t[1], gaps, values)
    return -turned if made is None else made - turned


OVER_GAPS = Formula(_vjp, _jvp)
OF_DIFFERENT_VALUES = Formula(lambda g, z, x, *args: (g,), lambda t, z, x, *args: t[0])
