"""Sums and extremes of all elements, found piece by piece: every bit and every warning of the plain
function."""

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.kernels import tiled, tiled_reductions
from autograph.runtime.kernels.tiled_reductions import added, halves
from tests.unit.kernels.test_tiled import LAYOUTS, caught, described_with_layout, uniform

RNG = np.random.default_rng(7)


def squared_distance(x, y):
    return np.sum((x - y) ** 2)


def mean_and_rest(x, y):
    d = x - y
    m = np.mean(d)
    return (d - m) * 2, m, np.abs(d).max()


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e), e


def extremes(x, y):
    d = x * 3 - y
    return d.min(), d.max(), d, (d + 1).sum()


def likelihood(x, y):
    return -0.5 * np.sum((x - y) ** 2 + np.log(x)) - x.size


def counted(x, y):
    steps = 0
    while np.max(np.abs(x - y)) > 0.25:
        x = x + (y - x) * 0.5
        steps += 1
    return x, steps


def normal(*shape, dtype=np.float64):
    made = np.clip(RNG.normal(size=shape) ** 7 * 50, -30_000, 30_000)
    return (made if np.dtype(dtype).kind != "u" else np.abs(made) % 250).astype(dtype)


SIZES = [(33_000,), (70_001,), (300_007,), (330, 1000), (40, 30, 300)]
DTYPES = [np.float64, np.float32, np.int64, np.int16, np.uint8, np.bool_, np.complex64, np.float16]
CASES = [
    *[(squared_distance, (normal(*shape), normal(*shape))) for shape in SIZES],
    *[(squared_distance, (normal(300_007, dtype=d), normal(300_007, dtype=d)))
      for d in DTYPES[:5]],
    *[(extremes, (normal(70_001, dtype=d), normal(70_001, dtype=d))) for d in DTYPES],
    (squared_distance, (normal(330, 1000), normal(1000))),
    (squared_distance, (normal(70_001), np.float64(0.5))),
    *[(mean_and_rest, (normal(*shape), normal(*shape))) for shape in SIZES],
    *[(softmax, (uniform(*shape),)) for shape in SIZES],
    (likelihood, (uniform(300_007), uniform(300_007))),
    (counted, (uniform(70_001), uniform(70_001))),
]


@pytest.fixture(params=[1, 3])
def threads(request, monkeypatch):
    """So many threads, and pieces of few elements."""
    for module in (tiled, tiled_reductions):
        monkeypatch.setattr(module, "LARGE", 1 << 15)
        monkeypatch.setattr(module, "PIECE", 9000)
    monkeypatch.setattr(tiled, "WORTH", 0.0)
    monkeypatch.setattr(tiled, "AGAIN", 2)
    tiled.set_threads(request.param)
    yield request.param
    tiled.set_threads()


@pytest.mark.filterwarnings("ignore:(overflow|invalid value):RuntimeWarning")
@pytest.mark.parametrize(("function", "arguments"), CASES)
def test_bits_are_the_plain_functions(function, arguments, threads):
    expected, traced = described(function(*arguments)), ag.function(function)
    for _ in range(3):
        assert described(traced(*arguments)) == expected


def described(result):
    parts = result if type(result) is tuple else (result,)
    return [described_with_layout(p) if isinstance(p, np.ndarray) else (type(p), repr(p))
            for p in parts]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout, threads):
    x, y = (LAYOUTS[layout](normal(700, 600)) for _ in range(2))
    expected, traced = described(extremes(x, y)), ag.function(extremes)
    for _ in range(3):
        assert described(traced(x, y)) == expected


@pytest.mark.parametrize("special", [0.0, -0.0, np.nan, -np.nan, np.inf, 5e-324])
def test_extremes_that_have_more_than_one_form(special, threads):
    def highest(x):
        return np.max(x * 1.0 - 0.0), np.min(-(x * 1.0))

    x = -np.abs(uniform(70_001))
    x[[5, 60_000]] = special, -special
    for each in (x, x[::-1].copy()):
        with np.errstate(invalid="ignore"):
            found, expected = ag.function(highest)(each), highest(each)
        assert [v.tobytes() for v in found] == [v.tobytes() for v in expected]


def test_a_warning_comes_once_and_as_numpy_gives_it(threads):
    x, y = uniform(500_000), uniform(500_000)
    x[[3, 400_000]] = 0.0, -1.0
    traced = ag.function(likelihood)
    for _ in range(3):
        assert caught(traced, x, y) == caught(likelihood, x, y)


def test_arrays_among_the_results_are_their_own(threads):
    e = ag.function(softmax)(uniform(300, 400))[1]
    assert e.flags.owndata
    assert e.base is None


def test_a_total_ends_what_runs_in_pieces():
    source = ag.function(softmax).get_concrete_function(uniform(70_001)).source
    assert "in_halves(rows, 1, [np.add], [(f64,)]" in source
    assert "in_halves" not in ag.function(squared_distance).get_concrete_function(
        normal(330, 1000), normal(1000)).source  # rows share the second array


@pytest.mark.parametrize("length", [1, 127, 128, 129, 1000, 7001, 65_537])
@pytest.mark.parametrize("most", [128, 1000])
def test_halves_are_those_of_numpy(length, most):
    x = normal(length)
    pieces = list(halves(length, most))
    assert np.concatenate([x[p] for p in pieces]).tobytes() == x.tobytes()
    assert max(p.stop - p.start for p in pieces) <= most
    assert added(iter([np.sum(x[p]) for p in pieces]), length, most) == np.sum(x)


def test_this_numpy_agrees():
    assert tiled_reductions.agrees()
