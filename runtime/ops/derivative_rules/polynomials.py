"""Derivative rules of polynomials, by the full name of their function."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.helpers import as_array, is_complex, known, rank
from autograph.runtime.ops.derivative_rules.numpy_functions import convolved
from autograph.runtime.ops.derivatives import Derivative, Formula, NotDifferentiableHere, Parts


def _polyval(p: Any, x: Any) -> Any:
    made = np.zeros_like(x) + 0.0
    for k in range(np.shape(p)[0]):
        made = made * x + p[k]
    return made


def _polynomial_polyval(x: Any, c: Any, tensor: Any = True) -> Any:
    c = c if rank(c) == 1 or not tensor else np.reshape(c, (*np.shape(c), *(1,) * rank(x)))
    made = c[-1] + x * 0
    for k in range(np.shape(c)[0] - 2, -1, -1):
        made = made * x + c[k]
    return made


FOLLOWING: dict[str, Any] = {
    "chebyshev.chebval": lambda k, x, p, before: x * p if k == 0 else 2.0 * x * p - before,
    "legendre.legval": lambda k, x, p, before: ((2 * k + 1) * x * p - k * before) / (k + 1),
    "laguerre.lagval": lambda k, x, p, before: ((2 * k + 1 - x) * p - k * before) / (k + 1),
    "hermite.hermval": lambda k, x, p, before: 2.0 * x * p - 2.0 * k * before,
    "hermite_e.hermeval": lambda k, x, p, before: x * p - k * before,
}
"""How polynomial k + 1 of a family follows from the two before it."""


def _series(following: Any) -> Any:
    """Returns the parts of the value of a series in polynomials of a family."""
    def parts(x: Any, c: Any, tensor: Any = True) -> Any:
        c = c if rank(c) == 1 or not tensor else np.reshape(c, (*np.shape(c), *(1,) * rank(x)))
        p, before = x * 0 + 1.0, 0.0
        made = c[0] * p
        for k in range(np.shape(c)[0] - 1):
            p, before = following(k, x, p, before), p
            made = made + c[k + 1] * p
        return made

    return parts


def _vander(x: Any, N: Any = None, increasing: Any = False) -> Any:
    n = np.shape(x)[0] if N is None else N
    x = as_array(x) + np.int64(0)  # as NumPy promotes it
    columns = [np.ones_like(x)]
    for _ in range(n - 1):
        columns.append(columns[-1] * x)
    return np.stack(columns[:n] if increasing else columns[:n][::-1], 1)


def _sum(sign: float) -> Any:
    def parts(a1: Any, a2: Any) -> Any:
        a, b = (np.reshape(x, -1) for x in (a1, a2))
        n = max(np.shape(a)[0], np.shape(b)[0])
        return np.pad(a, (n - np.shape(a)[0], 0)) + sign * np.pad(b, (n - np.shape(b)[0], 0))

    return parts


def _product(a1: Any, a2: Any) -> Any:
    """Leading zeros are left out."""
    made = convolved(a1, a2)
    return made[np.argmax(made != 0):]


def _quotient(u: Any, v: Any) -> Any:
    u, v = np.reshape(u, -1), np.reshape(v, -1)
    n, count = np.shape(v)[0], np.shape(u)[0] - np.shape(v)[0] + 1
    if count < 1:
        return 0.0 * u[:1], u * 1.0
    made, rest = [], u
    for _ in range(count):
        made.append(rest[0] / v[0])
        rest = np.concatenate([rest[1:n] - made[-1] * v[1:], rest[n:]])
    if np.shape(rest)[0] == 0:
        return np.stack(made), 0.0 * u[:1]
    small = np.concatenate([np.isclose(rest[:-1], 0, 0.0, 1e-8), [False]])
    return np.stack(made), rest[np.argmin(small):]


def _derived(p: Any, m: Any = 1) -> Any:
    for _ in range(known(m, "m")):
        p = p[:-1] * np.arange(np.shape(p)[0] - 1, 0, -1)
    return p


def _integral(p: Any, m: Any = 1, k: Any = None) -> Any:
    count = known(m, "m")
    constants = [0.0] * count if k is None else np.zeros(count) + k
    for i in range(count):
        p = np.concatenate([p / np.arange(np.shape(p)[0], 0, -1), np.reshape(constants[i], -1)])
    return p


def _fit(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None,
         cov: Any = False) -> Any:
    if full or cov or np.ndim(deg):
        raise NotDifferentiableHere("`full=`, `cov=` and lists of degrees have no rule")
    x, y = as_array(x) + 0.0, as_array(y) + 0.0
    columns = _vander(x, deg + 1)
    size = np.sqrt(np.sum(columns * columns, axis=0))
    if w is not None:
        columns = columns * np.reshape(w, (-1, 1))
        y = y * (w if rank(y) == 1 else np.reshape(w, (-1, 1)))
        size = np.sqrt(np.sum(columns * columns, axis=0))
    found = np.linalg.lstsq(columns / size, y, rcond)[0]
    return np.transpose(np.transpose(found) / size)


def _of_roots(seq_of_zeros: Any) -> Any:
    if rank(seq_of_zeros) != 1 or is_complex(seq_of_zeros):
        raise NotDifferentiableHere("it has a rule for real roots alone")
    made: Any = np.ones(1)
    for k in range(np.shape(seq_of_zeros)[0]):
        made = np.pad(made, (0, 1)) - np.pad(made, (1, 0)) * seq_of_zeros[k]
    return made


def _roots_vjp(g: Any, z: Any, p: Any) -> Any:
    """By the implicit function theorem: of p(z) = 0."""
    n = np.shape(p)[0]
    slope = _polyval(_derived(p), z)
    return (-np.matmul(g / slope, _vander(z, n)),)


def _roots_jvp(t: Any, z: Any, p: Any) -> Any:
    return -_polyval(t[0], z) / _polyval(_derived(p), z)


RULES: dict[str, Derivative] = {f"numpy.{name}": rule for name, rule in {
    "polyval": Parts(_polyval), "vander": Parts(_vander),
    "polynomial.polynomial.polyval": Parts(_polynomial_polyval),
    **{f"polynomial.{name}": Parts(_series(rule)) for name, rule in FOLLOWING.items()},
    "polyadd": Parts(_sum(1.0)), "polysub": Parts(_sum(-1.0)), "polymul": Parts(_product),
    "polydiv": Parts(_quotient), "polyder": Parts(_derived), "polyint": Parts(_integral),
    "polyfit": Parts(_fit), "poly": Parts(_of_roots), "roots": Formula(_roots_vjp, _roots_jvp),
}.items()}
