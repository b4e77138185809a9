"""Quotients by the differences of eigenvalues or singular values, of which the derivatives of their
vectors are made.

Where two values are equal, their vectors may turn freely, and what a function makes of them may
have a derivative that nothing here can know. So there the dividend has to vanish.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ops.derivatives import Formula, dispatching

CLOSE = 8.0
"""Values that differ by less than so many roundings, for each of them, are equal."""

NOISE = 1000.0
"""A dividend of less than so many roundings is zero."""


@dispatching
def over_gaps(x: Any, gaps: Any, values: Any) -> Any:
    """Returns x / gaps beside the diagonal, which is 0; and 0 where both vanish.

    Raises:
      NotDifferentiable: two of the values, of which these are the gaps, are equal, and x is not 0
        there.
    """
    values = np.asarray(values)
    precision = np.finfo(np.result_type(values, np.float32)).eps
    size = np.max(np.abs(values), axis=-1, initial=0.0)[..., None, None]
    equal = np.abs(gaps) <= CLOSE * max(1, values.shape[-1]) * precision * size
    beside = equal & ~np.eye(values.shape[-1], dtype=bool)
    if np.any(beside) and np.any(np.abs(x)[beside] > NOISE * precision * np.max(np.abs(x))):
        raise NotDifferentiable(
            "two eigenvalues or singular values are equal, so that their vectors have no derivative"
            "\n  hint: use the values alone, by first derivatives; or add a tiny number to the "
            "diagonal, another one to each element")
    return np.where(equal, 0, x / np.where(equal, 1, gaps))


def _vjp(g: Any, z: Any, x: Any, gaps: Any, values: Any) -> Any:
    return over_gaps(g, gaps, values), -over_gaps(g * z, gaps, values), None


def _jvp(t: Any, z: Any, x: Any, gaps: Any, values: Any) -> Any:
    made = None if t[0] is None else over_gaps(t[0], gaps, values)
    if t[1] is None:
        return made
    turned = over_gaps(z * t[1], gaps, values)
    return -turned if made is None else made - turned


OVER_GAPS = Formula(_vjp, _jvp)
