"""Special functions: SciPy's, and those of NumPy and Python that have no simple derivative."""

import math
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ops.derivative_rules.special_functions import RULES
from tests.support.slopes import Trial

special = pytest.importorskip("scipy.special")
X, Y = np.array([0.3, 0.7, 1.2]), np.array([1.4, 0.6, 0.9])
NAMES = [name.removeprefix("scipy.special.") for name in RULES if name.startswith("scipy.special.")]
UFUNCS = [name for name in NAMES if isinstance(getattr(special, name, None), np.ufunc)]
BY_THE_LAST = {"gammainc", "gammaincc", "betainc", "pseudo_huber", "jv", "yv", "iv", "kv", "ive"}
"""Functions that have a derivative by their last operand alone."""

FUNCTIONS = {
    "logsumexp": (lambda x: special.logsumexp(np.outer(x, x), axis=1, b=Y), X),
    "softmax": (special.softmax, X), "log_softmax": (special.log_softmax, X),
    "polygamma": (lambda x: special.polygamma(2, x), X),
    "multigammaln": (lambda a: special.multigammaln(a + 2.0, 2), 0.7),
    "zeta": (lambda q: special.zeta(3.0, q), X),
    "where": (lambda x: np.where(x > 0.5, special.gammaln(x), special.xlogy(x, x)), X),
    "math.gamma": (math.gamma, 1.7), "math.gamma below 0": (math.gamma, -1.7),
    "math.lgamma": (math.lgamma, 0.2), "math.lgamma of much": (math.lgamma, 30.0),
    "i0": (np.i0, np.array([0.0, 0.5, 3.0, 7.9, 8.1])),
    "kaiser": (lambda b: np.kaiser(5, b), 2.0), "one number": (lambda b: np.kaiser(1, b), 2.0),
}
SERIES = ["chebyshev.chebval", "legendre.legval", "laguerre.lagval", "hermite.hermval",
          "hermite_e.hermeval", "polynomial.polyval"]


def second(f: Any, *args: Any) -> None:
    """Compares the second derivative along a direction with differences of the first."""
    def total(*given: Any) -> Any:
        return np.sum(f(*given) ** 2)

    gradient = ag.grad(total, tuple(range(len(args))))
    moved = tuple(np.cos(np.arange(np.size(a)) + 1.0).reshape(np.shape(a)) for a in args)
    found = ag.jvp(gradient, tuple(a * 1.0 for a in args), moved)[1]
    ends = [gradient(*(a + s * m for a, m in zip(args, moved, strict=True)))
            for s in (1e-5, -1e-5)]
    for x, up, down in zip(found, *ends, strict=True):
        np.testing.assert_allclose(x, (up - down) / 2e-5, rtol=1e-4, atol=1e-4)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs(name: str) -> None:
    f = getattr(special, name)
    inside = 0.5 if name in ("logit", "ndtri", "erfinv", "erfcinv", "betainc") else 1.0
    given = (*(X, Y, X)[:f.nin - 1], X * inside)
    if name in BY_THE_LAST:
        held = given[:-1]
        with pytest.raises(ag.NotDifferentiable, match=f"scipy.special.{name}.*has no rule"):
            ag.grad(lambda a: np.sum(f(a, *given[1:])))(given[0])
        given, f = given[-1:], lambda x: getattr(special, name)(*held, x)
    verdict = Trial(f, given).verdict()
    assert verdict.outcome == "agree", verdict.told
    if f not in (special.round, special.gammasgn):
        second(f, *given)
    single = ag.grad(lambda x: np.sum(f(*given[:-1], x)))(given[-1].astype(np.float32))
    assert single.dtype == np.float32


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    f, x = FUNCTIONS[name]
    verdict = Trial(f, (x,)).verdict()
    assert verdict.outcome == "agree", verdict.told
    second(f, x)


@pytest.mark.parametrize("x", [0.2, 0.5, 1.0, 3.3, 40.0, -0.7])
def test_the_derivative_of_gamma_is_exact(x: float) -> None:
    np.testing.assert_allclose(ag.grad(math.lgamma)(x), special.digamma(x), rtol=1e-13)


@pytest.mark.parametrize("name", SERIES)
def test_series_of_polynomials(name: str) -> None:
    family, function = name.split(".")
    f = getattr(getattr(np.polynomial, family), function)
    c = np.array([0.3, -1.0, 0.7, 0.2])
    for g, given in ((f, (X, c)), (lambda c: f(X, np.outer(c, c)), (c,)),
                     (lambda x: f(x, [2.0]), (X,)), (lambda x: f(x, c), (0.4,)),
                     (lambda c: f(X, np.outer(c, X), tensor=False), (c,))):
        verdict = Trial(g, given).verdict()
        assert verdict.outcome == "agree", verdict.told
        second(g, *given)


def test_the_type_is_known() -> None:
    text = str(ag.function(lambda x: special.expit(x) + np.i0(x)).graph(X))
    assert "scipy.special.expit" in text
    assert "dynamic" not in text
