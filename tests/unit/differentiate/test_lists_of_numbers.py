"""Lists of numbers that only the run knows, where NumPy wants an array: by each number and by the
array beside them, in both modes, against differences. To a rule such a list is an array, whether
the derivative is taken by what is in it or not.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

W = np.array([0.5, 1.9, 1.25])
NUMBERS = 0.1, 1.0, 2.0
STEP = 1e-6


def put(w: Any, a: Any, b: Any) -> Any:
    made = w.copy()
    np.put(made, [0, 1], [a, b])
    return made


CALLS: dict[str, Callable[..., Any]] = {
    "histogram": lambda w, a, b, c: np.histogram(np.array([0.5, 1.5]), [a, b, c])[0] * w[:2],
    "histogram, weights": lambda w, a, b, c: np.histogram(W, [0.0, 1.0, 2.0], weights=[a, b, c])[0],
    "insert": lambda w, a, b, c: np.insert(w, [0, 2], [a, b]) * c,
    "insert, by name": lambda w, a, b, c: np.insert(w, [0, 2], values=[a, b]) * c,
    "nanquantile": lambda w, a, b, c: np.nanquantile(w, [a + 0.2, b * 0.3]) * c,
    "quantile, by name": lambda w, a, b, c: np.quantile(w, q=[a + 0.2, b * 0.3]) * c,
    "pad": lambda w, a, b, c: np.pad(w, 2, constant_values=[a, b]) * c,
    "pad, an array": lambda w, a, b, c: np.pad(w, 2, constant_values=np.array([a, b])) * c,
    "pad, of pairs": lambda w, a, b, c: np.pad(
        np.outer(w, w), [(1, 2), (0, 1)], constant_values=((a, b), (c, a))),
    "interp": lambda w, a, b, c: np.interp(w, [a, b, c], [b, c, a]),
    "interp, by name": lambda w, a, b, c: np.interp(w, xp=[a, b, c], fp=[b, c, a]),
    "average": lambda w, a, b, c: np.average(w, weights=[a + 1, b, c]),
    "gradient": lambda w, a, b, c: np.gradient(w, [a, b, c]),
    "trapezoid": lambda w, a, b, c: np.trapezoid(w, [a, b, c]),
    "dot": lambda w, a, b, c: np.dot(w, [a, b, c]),
    "einsum": lambda w, a, b, c: np.einsum("i,i->", w, [a, b, c]),
    "where": lambda w, a, b, c: np.where(w > 0.7, [a, b, c], w),
    "clip": lambda w, a, b, c: np.clip(w, [a, a, b], c + 1.0),
    "polyval": lambda w, a, b, c: np.polyval([a, b, c], w),
    "choose": lambda w, a, b, c: np.choose([0, 1, 0], [w, [a, b, c]]),
    "put": lambda w, a, b, c: put(w, a, b) * c,
    "solve": lambda w, a, b, c: np.linalg.solve([[a + 3, b], [c, b + 4]], w[:2]),
    "pinv": lambda w, a, b, c: np.linalg.pinv([[a + 3, b], [c, b + 4]]) @ w[:2],
    "append": lambda w, a, b, c: np.append(w, [a, b]) * c,
    "full": lambda w, a, b, c: np.full((2, 3), [a, b, c]) * w,
    "full_like": lambda w, a, b, c: np.full_like(np.outer(w, w), [a, b, c]) * w,
    "maximum": lambda w, a, b, c: np.maximum(w, [a, b, c]),
    "arithmetic": lambda w, a, b, c: np.outer(w, w) ** [a, b, c],
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", CALLS)
def test_by_each_operand(name: str) -> None:
    def f(w: Any, a: Any, b: Any, c: Any) -> Any:
        return np.sum(np.sin(CALLS[name](w, a, b, c)))

    args = (W, *NUMBERS)
    directions = (np.array([0.3, -0.7, 0.9]), 0.6, -0.4, 0.8)
    for k, d in enumerate(directions):
        ahead, back = (f(*args[:k], args[k] + s * STEP * d, *args[k + 1:]) for s in (1, -1))
        slope = (ahead - back) / (2 * STEP)
        found = np.sum(ag.grad(f, argnums=k)(*args) * np.asarray(d))
        tangents = [None] * 4
        tangents[k] = d
        _, tangent = ag.jvp(f, args, tuple(tangents))
        np.testing.assert_allclose([found, tangent], slope, rtol=1e-6, atol=1e-7)
