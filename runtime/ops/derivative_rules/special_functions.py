"""Derivative rules of special functions: SciPy's by their full name, and those of Python's `math`.

SciPy is imported where a rule needs a function of it: its function was called, so it is there.
"""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.helpers import given
from autograph.runtime.ops.derivatives import (
    ZERO,
    Derivative,
    NotDifferentiableHere,
    Partials,
    Parts,
)

Partial = Callable[..., Any]
ROOT_OF_PI = math.sqrt(math.pi)
ROOT_OF_TWO_PI = math.sqrt(2.0 * math.pi)


def special() -> Any:
    return importlib.import_module("scipy.special")


def _without(name: str) -> Partial:
    """Returns the partial by an operand of which SciPy knows no derivative."""
    def partial(*args: Any) -> Any:
        raise NotDifferentiableHere(f"by its operand {name} it has no rule")

    return partial


def _normal(x: Any) -> Any:
    return 2.0 / ROOT_OF_PI * np.exp(-x * x)


# -- the gamma function ---------------------------------------------------------------------------

STEPS = 10
"""How far the argument moves up: from 10 on, a few terms of the series are exact."""

SERIES = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
"""The Bernoulli numbers B(2k) over 2k."""


def digamma(x: Any) -> Any:
    """Returns the derivative of the logarithm of the gamma function, of operations that have
    derivatives."""
    below = x < 0.5
    positive = np.where(below, 1.0 - x, x)
    y = positive + STEPS
    inverse, made = 1.0 / (y * y), 0.0
    for term in reversed(SERIES):
        made = (made + term) * inverse
    made = np.log(y) - 0.5 / y - made
    for k in range(STEPS):
        made = made - 1.0 / (positive + k)
    angle = np.where(below, x, 0.25) * math.pi
    return np.where(below, made - math.pi / np.tan(angle), made)


def _psi(x: Any) -> Any:
    return special().psi(x)


def _polygamma(n: Any, x: Any) -> Any:
    return _psi(x) if n == 0 else (-1.0) ** (n + 1) * math.factorial(n) * _zeta(n + 1.0, x)


def _zeta(x: Any, q: Any = 1.0) -> Any:
    return special().zeta(x, q)


def _multigammaln(a: Any, d: Any) -> Any:
    made = d * (d - 1) * 0.25 * math.log(math.pi)
    for k in range(d):
        made = made + special().gammaln(a - 0.5 * k)
    return made


def _incomplete_gamma(sign: float) -> Partials:
    def density(z: Any, a: Any, x: Any) -> Any:
        return sign * np.exp((a - 1.0) * np.log(x) - x - special().gammaln(a))

    return Partials(_without("a"), density, singular=True)


def _incomplete_beta(z: Any, a: Any, b: Any, x: Any) -> Any:
    return np.exp((a - 1.0) * np.log(x) + (b - 1.0) * np.log1p(-x) - special().betaln(a, b))


GAMMAS: dict[str, Derivative] = {
    "gamma": Partials(lambda z, x: z * _psi(x)), "rgamma": Partials(lambda z, x: -z * _psi(x)),
    **dict.fromkeys(("gammaln", "loggamma"), Partials(lambda z, x: _psi(x))),
    "psi": Partials(lambda z, x: _zeta(2.0, x)),
    "_ufuncs._zeta": Partials(_without("x"), lambda z, x, q: -x * _zeta(x + 1.0, q)),
    "beta": Partials(lambda z, a, b: z * (_psi(a) - _psi(a + b)),
                     lambda z, a, b: z * (_psi(b) - _psi(a + b))),
    "betaln": Partials(lambda z, a, b: _psi(a) - _psi(a + b),
                       lambda z, a, b: _psi(b) - _psi(a + b)),
    "gammainc": _incomplete_gamma(1.0), "gammaincc": _incomplete_gamma(-1.0),
    "betainc": Partials(_without("a"), _without("b"), _incomplete_beta, singular=True),
}

# -- functions of the normal distribution, and of probabilities -----------------------------------


def _log_normal(z: Any, x: Any) -> Any:
    return np.exp(-0.5 * x * x - z) / ROOT_OF_TWO_PI


PROBABILITIES: dict[str, Derivative] = {
    "expit": Partials(lambda z, x: z * (1.0 - z)),
    "logit": Partials(lambda z, x: 1.0 / (x * (1.0 - x)), singular=True),
    "log_expit": Partials(lambda z, x: special().expit(-x)),
    "erf": Partials(lambda z, x: _normal(x)), "erfc": Partials(lambda z, x: -_normal(x)),
    "erfcx": Partials(lambda z, x: 2.0 * x * z - 2.0 / ROOT_OF_PI),
    "erfi": Partials(lambda z, x: 2.0 / ROOT_OF_PI * np.exp(x * x)),
    "dawsn": Partials(lambda z, x: 1.0 - 2.0 * x * z),
    "erfinv": Partials(lambda z, x: 0.5 * ROOT_OF_PI * np.exp(z * z), singular=True),
    "erfcinv": Partials(lambda z, x: -0.5 * ROOT_OF_PI * np.exp(z * z), singular=True),
    "ndtr": Partials(lambda z, x: np.exp(-0.5 * x * x) / ROOT_OF_TWO_PI),
    "log_ndtr": Partials(_log_normal),
    "ndtri": Partials(lambda z, x: ROOT_OF_TWO_PI * np.exp(0.5 * z * z), singular=True),
    "xlogy": Partials(lambda z, x, y: np.log(y), lambda z, x, y: x / y, singular=True),
    "xlog1py": Partials(lambda z, x, y: np.log1p(y), lambda z, x, y: x / (1.0 + y),
                        singular=True),
    "entr": Partials(lambda z, x: -np.log(x) - 1.0, singular=True),
    "rel_entr": Partials(lambda z, x, y: np.log(x / y) + 1.0, lambda z, x, y: -x / y,
                         singular=True),
    "kl_div": Partials(lambda z, x, y: np.log(x / y), lambda z, x, y: 1.0 - x / y,
                       singular=True),
    "huber": Partials(lambda z, d, r: np.where(np.abs(r) > d, np.abs(r) - d, 0.0),
                      lambda z, d, r: np.clip(r, -d, d)),
    "pseudo_huber": Partials(_without("delta"), lambda z, d, r: r / np.hypot(1.0, r / d)),
    "exp10": Partials(lambda z, x: z * math.log(10.0)),
    "exp2": Partials(lambda z, x: z * math.log(2.0)), "expm1": Partials(lambda z, x: z + 1.0),
    "log1p": Partials(lambda z, x: 1.0 / (1.0 + x), singular=True),
    "cbrt": Partials(lambda z, x: 1.0 / (3.0 * z * z), singular=True),
    **dict.fromkeys(("round", "gammasgn"), ZERO),
}

# -- Bessel functions -----------------------------------------------------------------------------


def _half_of(name: str, lower: float, upper: float) -> Partials:
    """Returns the rule of a Bessel function: half the sum of its neighbours, with signs."""
    def partial(z: Any, v: Any, x: Any) -> Any:
        f = getattr(special(), name)
        return 0.5 * (lower * f(v - 1.0, x) + upper * f(v + 1.0, x))

    return Partials(_without("v"), partial)


def _of_order(name: str, order: float, lower: float, upper: float) -> Partials:
    """Returns the rule of a Bessel function of one order."""
    def partial(z: Any, x: Any) -> Any:
        f = getattr(special(), name)
        return 0.5 * (lower * f(order - 1.0, x) + upper * f(order + 1.0, x))

    return Partials(partial)


def _scaled(z: Any, v: Any, x: Any) -> Any:
    """The partial of `exp(-abs(x)) * iv(v, x)`."""
    f = special().ive
    return 0.5 * (f(v - 1.0, x) + f(v + 1.0, x)) - np.sign(x) * z


BESSEL: dict[str, Derivative] = {
    "jv": _half_of("jv", 1.0, -1.0), "yv": _half_of("yv", 1.0, -1.0),
    "iv": _half_of("iv", 1.0, 1.0), "kv": _half_of("kv", -1.0, -1.0),
    "j0": Partials(lambda z, x: -special().j1(x)), "j1": _of_order("jv", 1.0, 1.0, -1.0),
    "y0": Partials(lambda z, x: -special().y1(x)), "y1": _of_order("yv", 1.0, 1.0, -1.0),
    "i0": Partials(lambda z, x: special().i1(x)), "i1": _of_order("iv", 1.0, 1.0, 1.0),
    "k0": Partials(lambda z, x: -special().k1(x)), "k1": _of_order("kv", 1.0, -1.0, -1.0),
    "i0e": Partials(lambda z, x: _scaled(z, 0.0, x)),
    "i1e": Partials(lambda z, x: _scaled(z, 1.0, x)), "ive": Partials(_without("v"), _scaled),
}



def _chebyshev(x: Any, coefficients: Any) -> Any:
    """Returns the sum of a series as Cephes, and NumPy after it, writes it."""
    last: Any = 0.0
    made: Any = float(coefficients[0])
    before: Any = 0.0
    for c in coefficients[1:]:
        before, last, made = last, made, x * made - last + float(c)
    return 0.5 * (made - before)


def _i0(x: Any) -> Any:
    """`np.i0`, from the coefficients that it has itself."""
    tables = inspect.unwrap(np.i0).__globals__
    x = np.where(x < 0, -x, x)  # of which a slope is there at 0, too, for the second derivative
    small, large = np.where(x <= 8.0, x, 8.0), np.where(x <= 8.0, 8.0, x)
    return np.where(x <= 8.0, np.exp(small) * _chebyshev(0.5 * small - 2.0, tables["_i0A"]),
                    np.exp(large) * _chebyshev(32.0 / large - 2.0, tables["_i0B"])
                    / np.sqrt(large))


def _kaiser(M: Any, beta: Any) -> Any:
    half = (M - 1) / 2.0
    if half == 0:
        return np.ones(1) + 0.0 * beta
    heights = np.sqrt(1.0 - ((np.arange(M) - half) / half) ** 2)
    return _i0(beta * heights) / _i0(beta)


# -- sums of exponentials -------------------------------------------------------------------------


def _logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: Any = False,
               return_sign: Any = False) -> Any:
    if return_sign:
        raise NotDifferentiableHere("return_sign=True has no rule")
    top = np.max(a, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    weights = np.exp(a - top) if b is None else b * np.exp(a - top)
    made = np.log(np.sum(weights, axis=axis, keepdims=True)) + top
    return made if given(keepdims) else np.sum(made, axis=axis)


def _softmax(x: Any, axis: Any = None) -> Any:
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def _log_softmax(x: Any, axis: Any = None) -> Any:
    return x - _logsumexp(x, axis, keepdims=True)


RULES: dict[str, Derivative] = {
    **{f"scipy.special.{name}": rule for name, rule in (
        *GAMMAS.items(), *PROBABILITIES.items(), *BESSEL.items())},
    **{f"scipy.special._logsumexp.{name}": Parts(fn) for name, fn in (
        ("logsumexp", _logsumexp), ("softmax", _softmax), ("log_softmax", _log_softmax))},
    "scipy.special._basic.polygamma": Parts(_polygamma),
    "scipy.special._basic.zeta": Partials(_without("x"), lambda z, x, q=1.0, *more: -x * _zeta(
        x + 1.0, q)),
    "scipy.special._basic.softplus": Partials(lambda z, x: special().expit(x)),
    "scipy.special._spfun_stats.multigammaln": Parts(_multigammaln),
    "numpy.i0": Parts(_i0), "numpy.kaiser": Parts(_kaiser),
    "math.gamma": Partials(lambda z, x: z * digamma(x)),
    "math.lgamma": Partials(lambda z, x: digamma(x)),
}
