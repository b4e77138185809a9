"""Functions of SciPy are called as they are when the graph runs, also with functions of ours."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.errors import TracingError

reason = "SciPy is not installed"
linalg = pytest.importorskip("scipy.linalg", reason=reason)
special = pytest.importorskip("scipy.special", reason=reason)
ndimage = pytest.importorskip("scipy.ndimage", reason=reason)
signal = pytest.importorskip("scipy.signal", reason=reason)
optimize = pytest.importorskip("scipy.optimize", reason=reason)
integrate = pytest.importorskip("scipy.integrate", reason=reason)
interpolate = pytest.importorskip("scipy.interpolate", reason=reason)
sparse = pytest.importorskip("scipy.sparse", reason=reason)
stats = pytest.importorskip("scipy.stats", reason=reason)


def decompositions(x):
    p, lower, upper = linalg.lu(x)
    return p @ lower @ upper, linalg.expm(x / 4).sum(axis=0), linalg.solve(x, x[0])


def functions_of_elements(x):
    out = np.empty_like(x)
    special.erf(x, out=out)
    x[0] = special.j0(x[1])
    return out * special.gamma(x + 1), special.logsumexp(x, axis=0)


def pictures(x):
    labels, count = ndimage.label(x > 1)
    return ndimage.gaussian_filter(x, 1.0)[1:] + labels[1:], count


def filters(x):
    b, a = signal.butter(3, 0.2)
    return signal.lfilter(b, a, x), signal.convolve2d(x, np.ones((2, 2)), mode="same").max()


def root(x):
    return optimize.brentq(lambda t: t ** 3 - x[0, 0] - 2, 0, 10) * 2


def minimum(x):
    def cost(p):
        return ((p - x[0]) ** 2).sum()

    found = optimize.minimize(cost, np.zeros(3))
    return np.round(found.x, 3), found.success


def fit(x):
    def line(t, a, b):
        return a * t + b

    found, _ = optimize.curve_fit(line, np.arange(3.0), x[0])
    return np.round(found, 6)


def ordinary_equation(x):
    rate = x[0, 0] / 2

    def slope(t, y):
        return -rate * y + t

    path = integrate.solve_ivp(slope, (0, 1), x[0])
    return path.y[:, -1], path.t.size, path.success


def helpers_of_helpers(x):
    def inner(t, a=x[0, 1]):
        return t * x[0, 0] + a

    def outer(t):
        return inner(t) ** 2 if t > 0.5 else inner(t)

    return integrate.quad(outer, 0, 1)[0]


def calls_itself(x):
    def factorial(n):
        return x[0, 0] if n < 1 else n * factorial(n - 1)

    return optimize.brentq(lambda t: t - factorial(3), 0, 100)


def counts_calls(x):
    seen = []

    def f(t):
        seen.append(t)
        return t - x[0, 0]

    return optimize.brentq(f, 0, 10)


def sparse_products(x):
    m = sparse.csr_matrix(x * (x > 1))
    return m @ x[0], m.toarray(), m.nnz


def interpolated(x):
    line = interpolate.interp1d(np.arange(3.0), x[0])
    return line(np.array([0.5, 1.5])) + 1


def in_a_loop(x):
    for i in range(3):
        if special.erf(x[i, i]) > 0.9:
            x[i] = special.expit(x[i])
        else:
            x[i] = linalg.solve(x + 3 * np.eye(3), x[i])
    return x


class Model:
    """Keeps what it was fitted to, and has methods that solvers call."""

    scale = 2.0

    def __init__(self, x):
        self.x = x
        self.inner = None

    def cost(self, p):
        return ((p - self.x[0]) ** 2).sum() * self.scale

    def fit(self):
        self.found = np.round(optimize.minimize(self.cost, np.zeros(3)).x, 3)
        return self.found

    def centred(self, y):
        return np.apply_along_axis(lambda row: row - self.x.mean(), 1, y)


def methods_of_objects(x):
    model, other = Model(x), Model(x + 1)
    model.inner = other
    root = optimize.brentq(lambda t: t - model.inner.x[0, 0], 0, 10)
    return model.fit(), model.found, model.centred(x), root


def functions_that_numpy_calls(x):
    m = x.mean()
    rows = np.apply_along_axis(lambda row: row - m, 1, x)
    sides = np.piecewise(x, [x > m, x <= m], [lambda v: v - m, lambda v: v * m])
    return rows, sides, np.apply_over_axes(lambda a, axis: a.sum(axis) + m, x, [0, 1])


PROGRAMS = [decompositions, functions_of_elements, pictures, filters, root, minimum, fit,
            ordinary_equation, helpers_of_helpers, calls_itself, counts_calls, sparse_products,
            interpolated, in_a_loop, methods_of_objects, functions_that_numpy_calls]
ARRAYS = [np.array([[2.0, 1.0, 0.5], [0.3, 3.0, 1.0], [1.0, 0.2, 4.0]]),
          np.array([[1.0, 0.1, 0.2], [0.3, 0.6, 0.1], [0.5, 0.2, 2.0]])]


def described(x: Any) -> Any:
    return [*map(described, x)] if isinstance(x, tuple | list) else (type(x).__name__, repr(x))


@pytest.mark.parametrize("executor", ["python", "interpreter"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_same_as_plain(program, executor):
    traced = ag.function(program, executor=executor)
    for array in ARRAYS * 2:
        given, left = array.copy(), array.copy()
        assert described(traced(given)) == described(program(left))
        np.testing.assert_array_equal(given, left)
    assert traced.experimental_get_tracing_count() == 1


def test_a_report_says_that_the_call_is_opaque():
    traced = ag.function(root)
    traced(ARRAYS[0])
    assert "opaque call of scipy.optimize" in str(traced.explain())


class Counting(Model):
    calls = 0

    def cost(self, p):
        self.calls += 1
        return super().cost(p)


class Logging(Model):
    def __init__(self, x):
        super().__init__(x)
        self.log = []

    def cost(self, p):
        self.log.append(p)
        return super().cost(p)


def test_a_method_that_adds_an_attribute_is_refused():
    with pytest.raises(TracingError, match="may set the attribute 'calls'"):
        ag.function(lambda x: Counting(x).fit())(ARRAYS[0])


def test_a_method_that_changes_a_list():
    def f(x):
        model = Logging(x)
        return model.fit(), len(model.log)

    assert described(ag.function(f)(ARRAYS[0])) == described(f(ARRAYS[0]))


def test_a_function_that_rebinds_a_symbolic_variable_agrees():
    def f(x):
        best = x[0, 0]

        def cost(t):
            nonlocal best
            best = t
            return t - x[0, 0]

        return optimize.brentq(cost, 0, 10) + best

    assert described(ag.function(f)(ARRAYS[0])) == described(f(ARRAYS[0]))



def global_draws(x, rng):
    return x + stats.norm.rvs(size=3), stats.norm.rvs(x) - stats.norm.rvs(x)


def given_draws(x, rng):
    noise = stats.gamma.rvs(2.0, size=3, random_state=rng)
    return x + noise, stats.norm(2.0).rvs(3, random_state=rng), rng.normal()


def unused_draws(x, rng):
    stats.norm.rvs(size=5)
    stats.norm.rvs(x)
    return x + stats.uniform.rvs(size=3)


FROZEN = stats.norm(5.0)
FROZEN.random_state = 11


def own_draws(x, rng):
    return x * FROZEN.rvs(3)


@pytest.mark.parametrize("function", [global_draws, given_draws, unused_draws, own_draws])
@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_draws_happen_when_the_graph_runs(function: Any, make: Any) -> None:
    def three(f: Any) -> list[Any]:
        np.random.seed(5)  # noqa: NPY002
        FROZEN.random_state = 11
        rng = make(7)
        return [f(np.arange(3.0) + i, rng) for i in range(3)]

    got = three(ag.function(function))
    np.testing.assert_array_equal(flat(got), flat(three(function)))


def flat(results: list[Any]) -> Any:
    return np.concatenate([np.ravel(x) for result in results for x in (
        result if isinstance(result, tuple) else (result,))])
