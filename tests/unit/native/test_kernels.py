"""Loops as machine code: the same bits and boxes, and the same failures, as plain Python."""

import gc
import signal
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native import inner_loops, machine
from autograph.runtime.native.kernel import Kernel
from tests.support.native import compile_short_loops
from tests.support.outcome import run, seen

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


@pytest.fixture(autouse=True)
def short_loops_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """One entry for each call of a kernel: True if it gave the results."""
    found: list[bool] = []
    call = Kernel.__call__

    def counted(self: Kernel, *values: Any) -> Any:
        results = call(self, *values)
        found.append(results is not None)
        return results

    monkeypatch.setattr(Kernel, "__call__", counted)
    return found


def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s


def newton(a):
    x = 1.0
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


def fill(x):
    for i in range(1, len(x)):
        x[i] = x[i - 1] * 0.5 + i
    return x


def table(a, b):
    t = np.zeros((len(a) + 1, len(b) + 1), np.int32)
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                t[i + 1, j + 1] = t[i, j] + 1
            else:
                t[i + 1, j + 1] = max(t[i, j + 1], t[i + 1, j])
    return t


def cheapest(x, n):
    best, last = 0, x[0]
    for i in range(1, len(x)):
        best = best + min(i, n, 3 * i - 4, 2)
        last = max(x[i], last, x[i - 1], 0.5)
    return best, last


def first_above(x, limit):
    found = -1
    for i in range(len(x)):
        if x[i] > limit:
            found = i
            break
    return found


def backwards(x):
    s = x[0]
    for i in range(len(x) - 1, -1, -2):
        s = s * 2 - x[-i]
    return s


def counts(x, n):
    h = np.zeros(n)
    for v in x:
        h[int(v * n)] += 1
    return h


def grouped(x):
    s = np.sin(x[0])
    for i in range(len(x)):
        s = np.exp(-abs(x[i])) * s + np.tanh(s) + np.log1p(x[i] * x[i]) ** 1.5
    return s


FLOATS = np.array([0.5, -1.25, 3.0, 0.75, -0.0])
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (total, (FLOATS,)), (total, (FLOATS.astype("f4"),)), (total, (np.arange(5),)),
    (total, (FLOATS[::-2],)), (newton, (np.float64(7.0),)), (newton, (np.int64(7),)),
    (fill, (FLOATS.copy(),)), (fill, (np.zeros((3, 5))[:, 2],)),
    (table, (np.array([1, 2, 3, 2]), np.array([2, 3, 1]))), (first_above, (FLOATS, 0.6)),
    (first_above, (FLOATS, 9)), (cheapest, (FLOATS, 2)),
    (cheapest, (np.array([np.nan, 1.0, np.nan, -0.0, 0.0]), 1)),
    (backwards, (np.arange(7, dtype=np.int16),)),
    (counts, (np.array([0.1, 0.15, 0.99]), 10)), (grouped, (FLOATS,)),
]


@pytest.mark.parametrize(("f", "arguments"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_as_plain(f: Callable[..., Any], arguments: tuple[Any, ...], kernels: list[bool]) -> None:
    native = ag.function(f, jit_compile=True)
    for _ in range(2):
        assert run(native, arguments).describe() == run(f, arguments).describe()
    assert kernels == [True] * len(kernels) and (kernels or (f, arguments[0].dtype) in [
        (total, np.dtype("f4")), (total, np.dtype("i8"))])


@pytest.mark.parametrize(("f", "arguments"), [
    (total, (np.zeros(0),)), (fill, (np.zeros(1),)), (first_above, (np.zeros(0), 1.0))])
def test_no_iteration_gives_back_what_was_there(f: Any, arguments: Any) -> None:
    """`s = 0.0` is still Python's float then."""
    native = ag.function(f, jit_compile=True)
    assert run(native, arguments).describe() == run(f, arguments).describe()


def quotients(x, y):
    q = x[0] + y[0]
    for i in range(len(x)):
        for j in range(len(y)):
            q = (x[i] // y[j]) + (x[i] % y[j]) * 3
    return q


NATIVE_QUOTIENTS = ag.function(quotients, jit_compile=True)
AWKWARD = np.array([7.5, -7.5, 0.0, -0.0, 1e300, 5e-324, np.inf, 2.0, -3.0])


@pytest.mark.parametrize(("a", "b"), list(product(AWKWARD, AWKWARD)))
def test_floor_and_remainder_of_floats(a: float, b: float) -> None:
    arguments = (np.array([a]), np.array([b]))
    assert run(NATIVE_QUOTIENTS, arguments).describe() == run(quotients, arguments).describe()


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4"])
def test_floor_and_remainder_of_ints(dtype: str) -> None:
    limits = np.iinfo(dtype)
    values = [limits.min, limits.max, 7, 3, 1, 0, *([-1, -3, -7] if dtype[0] == "i" else [])]
    native = ag.function(quotients, jit_compile=True)
    for a, b in product(values, values):
        arguments = (np.array([a], dtype), np.array([b], dtype))
        assert run(native, arguments).describe() == run(quotients, arguments).describe()


def powers(x, n):
    s = 1
    for i in range(n):
        s = s * x[i % 2]
    return s


@pytest.mark.parametrize("x", [
    np.array([3, 5]), np.array([3.0, 1e200]), np.array([2, 3], np.int8), np.array([True, False])])
def test_what_does_not_fit_runs_as_numpy_does_it(x: Any) -> None:
    """Overflow warns, or wraps: the kernel steps back."""
    native = ag.function(powers, jit_compile=True)
    for n in (3, 100):
        assert run(native, (x, n)).describe() == run(powers, (x, n)).describe()


def stored(x, y, out):
    for i in range(len(y)):
        out[i] = x[i] + y[i]
        out[3:] = y[i]
    return out


@pytest.mark.parametrize("numbers", [[1, 2, 3], [-1, 300, 5], [1, 2 ** 40, -2 ** 35 - 1]])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "u8", "i8"])
def test_stores_of_numbers_check_or_wrap_as_numpy_does(dtype: str, numbers: list[int]) -> None:
    native = ag.function(stored, jit_compile=True)
    for place in range(3):
        given = (np.ones(3, np.int16), np.roll(np.array(numbers), place), np.zeros(5, dtype))
        found, expected = (run(f, given) for f in (native, stored))
        assert (found.describe(), found.told) == (expected.describe(), expected.told)


def multiples(x):
    found = 0
    for i in range(3):
        found = found ^ (x[i] * 3)
    return found


@pytest.mark.parametrize("last", [(2 ** 63 - 1) // 3, -((2 ** 63) // 3)])
def test_products_with_a_constant_fit_to_the_last_one(last: int, kernels: list[bool]) -> None:
    native = ag.function(multiples, jit_compile=True)
    for number, fits in ((last, True), (last + last // abs(last), False), (3 * last, False)):
        arguments = (np.array([1, number, -2]),)
        assert run(native, arguments).describe() == run(multiples, arguments).describe()
        assert kernels.pop() == fits


def writes_until_it_fails(x, y):
    for i in range(len(y)):
        x[i] = y[i] / 2
    return x


def test_error_on_the_line_with_the_writes_before_it() -> None:
    x, y = np.zeros(3), np.arange(5.0)
    native = ag.function(writes_until_it_fails, jit_compile=True)
    with pytest.raises(IndexError, match="index 3 is out of bounds") as caught:
        native(x, y)
    assert x.tolist() == [0.0, 0.5, 1.0]
    assert any("writes_until_it_fails" in str(entry) for entry in caught.traceback)


def test_warnings_and_errstate() -> None:
    def inverses(x):
        s = 0.0
        for i in range(len(x)):
            s = s + 1.0 / x[i]
        return s

    native, x = ag.function(inverses, jit_compile=True), np.array([1.0, 0.0])
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert native(x) == np.inf
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        native(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert native(np.array([np.nan, 2.0]))  # a NaN that is there raises nothing


@pytest.mark.parametrize("jit_compile", [True, False])
def test_python_divides_and_compares_ints_exactly(jit_compile: bool) -> None:
    def third(n, x):
        a, q, same = 2 ** 53, 0.0, 0
        for i in range(n):
            a = a + 1
            q = a / 3
            if a == x[i]:
                same = same + 1
        return a, q, same

    native, x = ag.function(third, jit_compile=jit_compile), np.full(3, 2.0 ** 53)
    assert native(3, x) == third(3, x)


def test_arguments_that_share_memory() -> None:
    def shifted(x, y):
        for i in range(len(x) - 1):
            y[i] = x[i + 1] * 2
        return y

    native, made = ag.function(shifted, jit_compile=True), np.arange(6.0)
    for offset in (0, 1, 2):
        base, expected = made.copy(), made.copy()
        native(base[:4], base[offset:offset + 4])
        shifted(expected[:4], expected[offset:offset + 4])
        assert base.tolist() == expected.tolist()


def test_threads() -> None:
    native, x = ag.function(total, jit_compile=True), np.arange(2000.0)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(native(x))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [total(x)] * 8


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Python's own handler of SIGINT: a debugger that an earlier test ran may have left its own."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def endless(x):
    s = x[0]
    while s < 2.0:
        s = s * 1.0
    return s


def endless_with_a_short_loop(x):
    s = x[0]
    while s < 2.0:
        for _ in range(50):
            s = s * 1.0
    return s


def test_only_the_loop_around_a_short_one_asks_python() -> None:
    concrete = ag.function(endless_with_a_short_loop, jit_compile=True).get_concrete_function(
        np.array([3.0]))
    loop = concrete.llvm.partition('@"loop"(')[2].partition("define")[0]
    assert loop.count('@"$ask"(') == 1


@pytest.mark.usefixtures("interrupts")
@pytest.mark.parametrize("endless", [endless, endless_with_a_short_loop])
def test_control_c_ends_a_kernel(endless: Callable[..., Any]) -> None:
    """Asked for once, however early. No garbage is collected meanwhile: an interrupt that meets a
    collection may get lost there."""
    native = ag.function(endless, jit_compile=True)
    assert native(np.array([3.0])) == 3.0
    bell = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    gc.disable()
    try:
        with pytest.raises(KeyboardInterrupt):
            bell.start()
            native(np.array([1.0]))
    finally:
        gc.enable()
    bell.join()


def test_what_is_native_and_why_the_rest_is_not() -> None:
    def mixed(x):
        s, n = 0.0, 0.0
        for i in range(len(x)):
            s += x[i]
        for i in range(len(x)):
            n += x[i::-1].sum()
        return s, n

    concrete = ag.function(mixed, jit_compile=True).get_concrete_function(np.zeros(4))
    (_, first), (where, second) = concrete.native_loops
    assert not first and second == "a slice with a step that is not positive"
    assert "test_kernels" in where
    assert "define ptr @\"kernel\"" in concrete.llvm


def shares_and_makes(x, y, n):
    z = np.zeros(4)
    for i in range(n):
        x[i] = y[i] + z[i]
        z = z + 1.0
    return x, y, z


def test_a_call_keeps_and_drops_no_references(kernels: list[bool]) -> None:
    """Of what it is given, what it copies and what it makes; also where it steps back.

    Others hold ``None`` and the types too, and let them go when they like: a reference
    that a call keeps or drops shows in every round, theirs in some.
    """
    f, x, y = ag.function(shares_and_makes, jit_compile=True), np.ones(4), np.ones(4)

    def references() -> list[int]:
        for _ in range(50):
            made = weakref.ref(f(x, y, 4)[2])
            with pytest.raises(IndexError):
                f(x, y, 5)
            assert made() is None
        gc.collect()
        return [sys.getrefcount(thing) for thing in (x, y, None, float, np.ndarray)]

    references()
    counts = np.array([references() for _ in range(6)])
    assert np.abs(np.diff(counts, axis=0)).min(axis=0).max() < 20
    assert {True, False} == set(kernels)


@pytest.mark.parametrize("ufunc", [np.exp, np.sin, np.arctan2, np.tanh])
def test_inner_loops_are_numpys(ufunc: Any) -> None:
    assert inner_loops.inner_loop(ufunc, (np.dtype(float),) * ufunc.nargs) is not None


def test_without_llvmlite(monkeypatch: pytest.MonkeyPatch) -> None:
    machine.missing.cache_clear()
    monkeypatch.setattr(machine.importlib.util, "find_spec", lambda name: None)
    try:
        with pytest.raises(ag.errors.NativeUnavailableError, match=r"\[native\]"):
            ag.function(total, jit_compile=True)(FLOATS)
    finally:
        machine.missing.cache_clear()


@pytest.mark.parametrize("n", [0, 2])
@pytest.mark.parametrize("step", [1, 2])
def test_read_only_arrays(n: int, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first store raises, after the stores before it; without one there is no error."""
    def stores(x, y, n):
        for i in range(4):
            if n > i:
                y[i] = i + 1.0
                x[i] = 1.0
        return n

    compile_short_loops(monkeypatch)
    x = np.zeros(8)[::step]
    x.flags.writeable = False
    calls = []
    for f in (stores, ag.function(stores, jit_compile=True)):
        y = np.zeros(4)
        call = seen(f, (x, y, n))
        calls.append((call.told, call.result, y.tolist()))
    assert calls[0] == calls[1]


def extremes(x):
    low, high, either = np.inf, x[0], 0.0
    for i in range(len(x)):
        low = min(low, x[i])
        high = np.maximum(high, x[i])
        either = max(x[i], either)
    return low, high, either


def test_a_nan_in_a_minimum_is_no_reason_to_leave(kernels):
    """The fast form of a comparison raises for it; then the other form of the kernel runs."""
    compiled = ag.function(extremes, jit_compile=True)
    for at in (None, 0, 7, 99):
        x = np.linspace(-1.0, 1.0, 100)
        if at is not None:
            x[at] = np.nan
        assert seen(compiled, (x,)).describe() == seen(extremes, (x,)).describe()
    assert all(kernels)


def shortest(x):
    s = 0.0
    for i in range(len(x)):
        s = min(s, np.sqrt(x[i]))
    return s


def test_what_numpy_warns_of_beside_a_minimum_is_told():
    compiled = ag.function(shortest, jit_compile=True)
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="invalid value encountered in sqrt"):
            compiled(np.array([1.0, -1.0, 2.0]))
