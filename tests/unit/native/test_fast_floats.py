"""The functions of `fast_math`: at most two units in the last place off, whatever they are given.

    AUTOGRAPH_TESTS=100 python -m pytest -s tests/unit/native/test_fast_floats.py    shows the worst
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import autograph as ag
from tests.support import minimax
from tests.support.amount import TIMES
from tests.support.functions_of_text import function_of

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

from autograph.runtime.native import fast_functions, fast_series
from autograph.runtime.native.compiler import multiplies_and_adds
from autograph.runtime.native.fast_floats import FORMULAS, SIMPLE

pytestmark = pytest.mark.skipif(
    not multiplies_and_adds(), reason="a processor that does not multiply and add at once")

BOUND = 2.0

EXPONENTS = (3.0, -1.0, -2.0, 0.5, 1.5, 2.5, -0.5, -1.5, -3.0, 4.0, 7.0, -2.5, 15.5, 0.3)

NAMES = [name for name in FORMULAS if name != "power"]

DTYPES = (np.float64, np.float32)

each = pytest.mark.parametrize(("name", "dtype"), [(n, d) for n in NAMES for d in DTYPES],
                               ids=lambda x: x if type(x) is str else x.__name__)


@pytest.fixture(autouse=True)
def own_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours are taken on processors, too, where NumPy's are faster."""
    monkeypatch.setattr(fast_functions, "has_long_vectors", lambda: False)


def fast(name: str) -> Callable[..., Any]:
    """Returns a function of NumPy's as machine code with `fast_math`."""
    return compiled(written(f"np.{name}(x) * 1.0"))


@cache
def written(text: str) -> Callable[..., Any]:
    """Returns a function of x that returns what a text says."""
    f: Callable[..., Any] = function_of(
        f"def f(x):\n    return {text}\n", f"<fast {text}>", {"np": np})
    return f


def compiled(f: Callable[..., Any]) -> Callable[..., Any]:
    return ag.function(f, jit_compile=True, fast_math=True)


# -- arguments -------------------------------------------------------------------------------------

WIDE = {"exp": (745, 104), "exp2": (1074, 149), "expm1": (705, 88), "cosh": (705, 88),
        "tanh": (25, 12)}


def given(name: str, dtype: Any, count: int) -> np.ndarray[Any, Any]:
    """Returns arguments: common and extreme ones, and those where a formula goes over to another
    branch."""
    random = np.random.default_rng(count)
    doubles = dtype is np.float64
    sizes = np.ldexp(random.uniform(1, 2, count), random.integers(*((-1070, 1023) if doubles else (
        -148, 127)), count))
    signs = random.choice([-1.0, 1.0], count)
    near = random.uniform(-2, 2, count)
    if name in ("log", "log2", "log10"):
        found = [sizes, near + 2.01, 1 + near * 1e-3, 0.5 ** 0.5 + near * 1e-6]
    elif name == "log1p":
        found = [sizes, near[near > -1], -sizes[sizes < 1], near * 1e-4]
    elif name in ("sin", "cos", "tan"):
        quarters = np.rint(random.uniform(-1, 1, count) * 2.0 ** random.uniform(
            0, 29 if doubles else 12, count))
        far = (quarters * np.pi / 2).astype(dtype)
        found = [near * 10, signs * sizes, far, np.nextafter(far, dtype(0)),
                 far + near * 1e-3, (quarters + 0.5) * np.pi / 2]
    elif name in ("arcsin", "arccos"):
        found = [near / 2, signs * (1 - sizes[0] * 0 - np.abs(near) * 1e-5 / 2),
                 signs * sizes * (sizes < 1), 0.5 + near * 1e-6]
    else:
        most = WIDE.get(name, (1e3, 1e3))[0 if doubles else 1]
        found = [near, near * most / 2, signs * sizes * (sizes < most), near * 1e-3,
                 signs * np.array([0.625, 0.6681, 1.4966])[random.integers(0, 3, count)]
                 * (1 + near * 1e-6)]
    x = np.concatenate(found).astype(dtype)
    return x[np.isfinite(x)]


SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 5e-324, -1e-310, 1e-45, 1e300, -1e300,
           1e22, 710.0, 709.79, -746.0, -745.13, 88.73, -104.0, 0.5, -0.5, 2.0 ** 30, 1024.0)


# -- errors ----------------------------------------------------------------------------------------


def exact(name: str) -> Callable[..., Any]:
    """Returns a function of mpmath's."""
    named: dict[str, Callable[..., Any]] = {
        "exp2": lambda x: mp.power(2, x), "log2": lambda x: mp.log(x, 2), "arctan": mp.atan,
        "arcsin": mp.asin, "arccos": mp.acos}
    return named.get(name) or getattr(mp, name)


def errors(found: Any, x: Any, near: Any, function: Callable[..., Any], count: int
           ) -> tuple[float, Any]:
    """Returns the greatest error, in units in the last place, and where it is: of those that are
    the farthest off a value of more digits, by mpmath."""
    dtype = found.dtype.type
    with np.errstate(all="ignore"):
        unit = np.spacing(np.abs(near).astype(dtype)).astype(np.longdouble)
        off = np.abs(found.astype(np.longdouble) - near) / unit
    assert np.isfinite(found).all()
    worst, where = 0.0, None
    with mp.workprec(1300 if dtype is np.float64 else 300):
        for k in np.argsort(off)[-count:]:
            value = function(mp.mpf(float(x[k])))
            size = dtype(abs(float(value)))
            error = float(abs(mp.mpf(float(found[k])) - value) / mp.mpf(float(np.spacing(size))))
            if error > worst:
                worst, where = error, x[k]
    return worst, where


@each
def test_at_most_two_units_off(name: str, dtype: Any) -> None:
    check(name, dtype, int(3000 * TIMES))


@pytest.mark.slow
@each
def test_millions_of_arguments(name: str, dtype: Any) -> None:
    check(name, dtype, 300_000)


def check(name: str, dtype: Any, count: int) -> None:
    x = given(name, dtype, count)
    function = getattr(np, name)
    with np.errstate(all="ignore"):
        near = function(x.astype(np.longdouble))
        limits = np.finfo(dtype)
        normal = (np.abs(near) < limits.max) & (np.abs(x) < limits.max)
        x, near = x[normal], near[normal]
        found = fast(name)(x)
        others = found != function(x)  # with AVX-512, some of NumPy's own are off by more
    worst, where = errors(found[others], x[others], near[others], exact(name), 60)
    print(f"{name} of {dtype.__name__}: {worst:.3f} units at {where!r} of {len(x)}")
    assert worst <= BOUND


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("exponent", EXPONENTS)
def test_powers(exponent: float, dtype: Any) -> None:
    if dtype is np.float32 and 2 * exponent not in SIMPLE:
        pytest.skip("NumPy's own")
    count = int(3000 * TIMES)
    random = np.random.default_rng(1)
    x = np.concatenate([random.uniform(0.5, 2, count), np.exp(random.uniform(-3, 3, count)),
                        np.exp(random.uniform(-1, 1, count) * (40 if dtype is np.float64 else 4))])
    x = x.astype(dtype)
    near = x.astype(np.longdouble) ** np.longdouble(exponent)
    found = compiled(written(f"x ** {exponent} * 1.0"))(x)
    worst, where = errors(found, x, near, lambda v: mp.power(v, exponent), 60)
    print(f"power {exponent} of {dtype.__name__}: {worst:.3f} units at {where!r}")
    assert worst <= BOUND


def test_powers_of_arrays() -> None:
    random = np.random.default_rng(2)
    count = int(3000 * TIMES)
    x, y = np.exp(random.uniform(-20, 20, count)), random.normal(size=count) * 7
    found = compiled(lambda x, y: x ** y * 1.0)(x, y)
    near = x.astype(np.longdouble) ** y.astype(np.longdouble)
    off = np.abs(found - near) / np.spacing(np.abs(near).astype(float))
    print(f"power: {float(off.max()):.3f} units")
    assert off.max() <= BOUND


# -- what is extreme -------------------------------------------------------------------------------


@each
def test_what_numpy_says_of_special_arguments(name: str, dtype: Any) -> None:
    """Infinities, NaNs, zeros, subnormal floats: NumPy's results and warnings."""
    function, ours = getattr(np, name), fast(name)
    for value in SPECIAL:
        x = np.full(19, 0.25, dtype)
        with np.errstate(all="ignore"):
            x[7] = x[18] = dtype(value)
        expected, told = outcome(function, x)
        found, told_by_us = outcome(ours, x)
        assert told == told_by_us, value
        assert np.array_equal(np.isnan(found), np.isnan(expected)), value
        assert np.array_equal(np.isinf(found), np.isinf(expected)), value
        assert np.array_equal(np.signbit(found), np.signbit(expected)) or np.isnan(value), value
        with np.errstate(all="ignore"):
            off = np.abs(found - expected) / np.spacing(np.abs(expected))
        assert not (off > 2 * BOUND + 3).any(), value  # NumPy's own are off by up to three


def outcome(function: Callable[..., Any], x: Any) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = function(x)
    return found, sorted({str(w.message).split(" in ")[0] for w in told})


@each
def test_an_element_is_the_same_wherever_it_is(name: str, dtype: Any) -> None:
    f = written(f"np.{name}(x) + 0.0")
    ours = compiled(f)
    x = np.abs(given(name, dtype, 20)[:83])
    x = x / 2 if name in ("arcsin", "arccos") else x
    with np.errstate(all="ignore"):
        together = ours(x)
        for k in range(len(x)):
            assert same(ours(x[k:k + 1]), together[k:k + 1])
            assert same(ours(x[k:k + 11]), together[k:k + 11])
        assert same(ag.function(f, jit_compile=True, fast_math=True, reduce_retracing=True)(x),
                    together)


def same(x: Any, y: Any) -> bool:
    return bool(np.array_equal(x, y, equal_nan=True))


def test_huge_angles() -> None:
    x = np.array([1e300, -1e22, 2.0 ** 40, 3.0, 1e9, 2e9])
    for name in ("sin", "cos", "tan"):
        assert np.allclose(fast(name)(x), getattr(np, name)(x), rtol=1e-15, atol=0)


# -- where it is, and where it is not --------------------------------------------------------------


def test_the_series_are_those_of_the_tool() -> None:
    assert fast_series.__file__ is not None
    assert Path(fast_series.__file__).read_text().endswith("\n\n" + minimax.text())


def test_nothing_is_fast_unless_it_is_asked_for() -> None:
    def f(x: Any, y: Any) -> Any:
        return np.sum(np.exp(x) * y + np.tanh(y))

    x = np.linspace(-1, 1, 1000)
    shown = {is_fast: str(ag.function(f, jit_compile=True, fast_math=is_fast).graph(
        x, x, stage="loops")) for is_fast in (False, True)}
    assert "fast exp" in shown[True]
    assert "ab+c" in shown[True]
    assert "total add" in shown[True]
    assert not any(word in shown[False] for word in ("fast", "ab+c", "total"))
    assert ag.function(f, jit_compile=True)(x, x).tobytes() == f(x, x).tobytes()


@pytest.mark.parametrize("shape", [(1,), (7,), (8,), (9,), (1023,), (1025,), (5000,), (7, 5),
                                   (7, 33), (3, 2000)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_in_any_order(shape: tuple[int, ...], dtype: Any) -> None:
    def f(x: Any, y: Any) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        return (centred * y + x).sum(-1), np.mean(x * y), centred * y - x, y - x * 3

    random = np.random.default_rng(0)
    x, y = (random.normal(size=shape).astype(dtype) for _ in range(2))
    for open_lengths in (False, True):
        ours = ag.function(f, jit_compile=True, fast_math=True, reduce_retracing=open_lengths)
        for found, expected in zip(ours(x, y), f(x, y), strict=True):
            assert type(found) is type(expected)
            assert found.dtype == expected.dtype
            assert np.allclose(found, expected, *(2e-4, 2e-4) if dtype is np.float32 else (
                1e-12, 1e-12))


def test_a_sum_of_negative_zeros() -> None:
    x = np.full(100, -0.0)
    assert not np.signbit(compiled(lambda x: np.sum(x * 1.0))(x))
