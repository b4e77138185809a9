"""Inner loops over vectors: the bits and the exceptions of NumPy's loops, whatever they are given.
"""

from __future__ import annotations

import ctypes
import itertools
import math
from decimal import Decimal, localcontext
from functools import cache
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.amount import TIMES
from tests.support.native import compile_short_loops, finish_compiling

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

from autograph.runtime.native import compiler, nearest_loops
from autograph.runtime.native.compiler import compile_module
from autograph.runtime.native.inner_loops import inner_loop, same_bits
from autograph.runtime.native.machine import c_function
from autograph.runtime.native.nearest_code import text
from autograph.runtime.native.nearest_floats import PI, _sine
from autograph.runtime.native.nearest_loops import (
    COMPLEX_FORMULAS,
    FORMULAS,
    called,
    formula_of,
    operands,
    trials,
)
from autograph.runtime.native.numpys_tanh import INTERVALS, is_of_tanh, middles, table

pytestmark = pytest.mark.skipif(
    not nearest_loops._is_possible(), reason="another C library, or a processor without FMA")

EXPONENTS = (2.0, 3, -1, -2.0, 0.5, 1.5, -0.5, -1.5, 7, 16.0, -16, 15.5)
FLOAT, COMPLEX = np.dtype(float), np.dtype(complex)
LOOPS: list[tuple[Any, Any, Any]] = [
    *((f, None, FLOAT) for f in FORMULAS), *((np.power, e, FLOAT) for e in EXPONENTS),
    *((f, None, COMPLEX) for f in COMPLEX_FORMULAS)]
NAMES = [f"{f.__name__} {'' if e is None else e} {d}" for f, e, d in LOOPS]

each_loop = pytest.mark.parametrize(("ufunc", "exponent", "dtype"), LOOPS, ids=NAMES)


@cache
def both(ufunc: Any, exponent: Any, dtype: Any) -> tuple[Any, Any]:
    """Returns our loop and NumPy's as functions of arrays."""
    loop, formula = inner_loop(ufunc, (dtype,) * ufunc.nargs), formula_of(ufunc, exponent, dtype)
    assert loop is not None
    assert formula is not None
    made = text(formula, ufunc, loop, dtype)
    engine, address = compile_module(made, passes="few")
    nearest_loops._engines.append(engine)
    return called(address, loop.data), called(loop.address, loop.data)


@pytest.mark.parametrize("exponent", [3.0, 2, -1.0, -2, 5.0, 7, 16.0, -16])
def test_powers_of_negative_floats_among_others(exponent: float) -> None:
    """NumPy's loop is asked for the positive ones in blocks: every length, over an operand, too."""
    loop, found = inner_loop(np.power, (FLOAT,) * 3), formula_of(np.power, exponent)
    assert loop is not None
    assert found is not None
    made = text(found._replace(off=0.518, negative=True), np.power, loop)
    engine, address = compile_module(made, passes="few")
    ours, numpys = called(address, loop.data), called(loop.address, loop.data)
    for x, y in operands(np.power, exponent, int(20_000 * TIMES)):
        assert same_bits(ours(x, y), numpys(x, y))
        assert same_bits(called_over_operand(ours, [x[:500], y[:500]]), numpys(x[:500], y[:500]))
        for n in (*range(20), 127, 128, 129, 136, 255, 256, 263):
            assert same_bits(ours(x[:n], y[:n]), numpys(x[:n], y[:n]))
            assert same_bits(ours(x[::2][:n], y[:n]), numpys(x[::2][:n], y[:n]))
    del engine


def numpy_has_the_algorithm(ufunc: Any) -> bool:
    """Returns True if a formula has NumPy's bits here: NumPy asks the C library for the function,
    or has the vectors whose table is found."""
    x = trials(20_000)[3]
    if ufunc is np.tanh:
        return bool((ufunc(x) != [math.tanh(v) for v in x]).any()) and table() is not None
    if ufunc is np.power:
        return bool((np.power(np.abs(x), 1.7) == [math.pow(abs(v), 1.7) for v in x]).all())
    x = np.abs(x) if ufunc is np.log else x
    found: bool = (ufunc(x) == [getattr(math, ufunc.__name__)(v) for v in x]).all()
    return found


@each_loop
def test_the_bits_of_numpys_loop(ufunc: Any, exponent: Any, dtype: Any) -> None:
    if not numpy_has_the_algorithm(ufunc):
        pytest.skip("NumPy has other vectors for it on this processor")
    ours, numpys = both(ufunc, exponent, dtype)
    for given in operands(ufunc, exponent, int(20_000 * TIMES), dtype):
        assert same_bits(ours(*given), numpys(*given))


@each_loop
def test_every_length_and_step(ufunc: Any, exponent: Any, dtype: Any) -> None:
    ours, numpys = both(ufunc, exponent, dtype)
    if not numpy_has_the_algorithm(ufunc):
        numpys = ours
    for given in operands(ufunc, exponent, 64, dtype):
        for n in range(20):
            for step in (1, 2, -1):
                parts = [x[::step][:n] for x in given]
                assert same_bits(ours(*parts), numpys(*parts))


@each_loop
def test_the_exceptions_of_numpys_loop(ufunc: Any, exponent: Any, dtype: Any) -> None:
    """One element at a time and in company, the same exceptions are pending afterwards."""
    ours, numpys = both(ufunc, exponent, dtype)
    clear, test = c_function("feclearexcept", 1), c_function("fetestexcept", 1)

    def pending(run: Any, given: list[Any]) -> int:
        clear(0x3d)
        run(*given)
        found: int = test(0x1d)
        clear(0x3d)
        return found

    for given in operands(ufunc, exponent, 200, dtype):
        for k in range(0, 200, 8):
            same = [x[k:k + 8] for x in given]
            assert pending(ours, same) == pending(numpys, same), same
    extreme = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, 5e-324, 1e308, -1e308, 750, -750])
    for x in extreme:
        for y in [exponent] if exponent is not None else extreme[:9:2] if ufunc.nin == 2 else [0]:
            given = [np.full(8, x), np.broadcast_to(float(y), 8)][:ufunc.nin]
            if dtype == COMPLEX:
                given = [np.full(8, complex(x, imag)) for imag in extreme]
                for imags in given:
                    assert pending(ours, [imags]) == pending(numpys, [imags]), (x, imags)
                continue
            assert pending(ours, given) == pending(numpys, given), (x, y)


def test_a_result_that_is_written_over_an_operand() -> None:
    for ufunc, exponent, dtype in LOOPS:
        ours, _ = both(ufunc, exponent, dtype)
        for given in operands(ufunc, exponent, 100, dtype):
            expected = ours(*given)
            loop = called_over_operand(ours, given)
            assert same_bits(loop, expected)


def called_over_operand(run: Any, given: list[Any]) -> Any:
    """Returns the result, which was written over the first operand."""
    x = given[0].copy()
    address = run.__closure__[0].cell_contents
    arrays = [x, *given[1:], x]
    count = len(arrays)
    address((ctypes.c_void_p * count)(*[a.ctypes.data for a in arrays]),
            (ctypes.c_int64 * 1)(len(x)), (ctypes.c_int64 * count)(*[a.strides[0] for a in arrays]),
            None)
    return x


def exact(ufunc: Any, x: float, y: float) -> Decimal:
    if ufunc is np.exp:
        return Decimal(x).exp()
    if ufunc is np.log:
        return Decimal(x).ln()
    if ufunc in (np.sin, np.cos):
        return _sine((Decimal(x) + (PI / 2 if ufunc is np.cos else 0)) % (2 * PI))
    return (Decimal(y) * Decimal(x).ln()).exp()


def hostile(ufunc: Any, count: int) -> Any:
    """Returns operands where little is left of what a formula begins with: angles whose sines are
    almost 0, or floats next to 1."""
    random = np.random.default_rng(2)
    small = random.choice([-1, 1], count) * 2.0 ** random.uniform(-20, -14, count)
    if ufunc in (np.sin, np.cos):
        return random.integers(1, 63_000, count) * (np.pi / 2) + small
    return 1 + small * random.choice([1, 2 ** 10], count)


FUNCTIONS = [(np.exp, None), (np.log, None), (np.sin, None), (np.cos, None), (np.power, 3),
             (np.power, -1.5), (np.power, 16), (np.power, None)]


@pytest.mark.parametrize(("ufunc", "exponent"), FUNCTIONS)
def test_a_float_is_sure_only_near_the_exact_value(ufunc: Any, exponent: Any) -> None:
    """Results of a formula that is always sure: none is off by more than its share of a unit, and
    all about halfway between two floats are among those that the formula itself is not sure of."""
    loop = inner_loop(ufunc, (np.dtype(float),) * ufunc.nargs)
    formula = formula_of(ufunc, exponent)
    assert loop is not None
    assert formula is not None
    bold = formula._replace(off=0.5)
    engine, address = compile_module(text(bold, ufunc, loop), passes="few")
    run = called(address, loop.data)
    x = np.concatenate([np.random.default_rng(1).uniform(0.1, 5, 2000), hostile(ufunc, 2000)])
    y = np.full(x.shape, float(exponent or 0))
    if ufunc is np.power and exponent is None:  # powers of all sizes
        y = np.random.default_rng(3).uniform(-690, 690, x.shape) / np.log(x)
    found = run(*[x, y][:ufunc.nin])
    with localcontext(prec=60):
        for a, b, made in zip(x, y, found, strict=True):
            off = abs(Decimal(float(made)) - exact(ufunc, float(a), float(b)))
            unit = Decimal(float(np.spacing(abs(made))))
            assert off / unit < Decimal("0.5") + Decimal("0.01"), a
    del engine


def test_kernels_call_it_once_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    later = itertools.count()  # NumPy's loops, which come second, take longer
    monkeypatch.setattr(nearest_loops, "_seconds", lambda *given: next(later))

    def wave(x: Any, y: Any) -> Any:
        return np.sin(x) * np.cos(y[::2]) + (x * x + 1) ** -1.5

    x, y = np.random.default_rng(0).normal(size=1001), np.random.default_rng(1).normal(size=2002)
    native = ag.function(wave, jit_compile=True)
    for _ in range(3):
        assert native(x, y).tobytes() == wave(x, y).tobytes()
    finish_compiling()
    for _ in range(3):
        assert native(x, y).tobytes() == wave(x, y).tobytes()
    assert "cell sin" in native.to_llvm(x, y)


def test_one_that_gives_other_bits_is_not_called() -> None:
    loop = inner_loop(np.exp, (np.dtype(float),) * 2)
    assert loop is not None
    wrong = FORMULAS[np.exp]._replace(write=FORMULAS[np.sin].write)
    engine, address = compile_module(text(wrong, np.exp, loop), passes="few")
    assert not nearest_loops.is_better(address, np.exp, loop)
    del engine


def test_where_no_thread_begins_numpys_loop_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: Any) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(compiler.Thread, "start", refused)
    done: list[int] = []
    compiler.later(lambda: done.append(1))
    function = ag.function(lambda x: np.sin(x) * 0.73125 + x, jit_compile=True)
    x = np.arange(300.0)
    for _ in range(3):
        assert function(x).tobytes() == (np.sin(x) * 0.73125 + x).tobytes()
    assert done == []


def test_a_table_is_known_by_its_values() -> None:
    """What only begins like the table of `tanh` is no table, nor is one of another function."""
    rows = np.zeros((18, INTERVALS))
    rows[0] = middles()
    assert not is_of_tanh(rows)
    rows[1], rows[2] = np.tanh(rows[0]), 1 - np.tanh(rows[0]) ** 2
    assert is_of_tanh(rows)
    rows[5, 3] = np.nan
    assert not is_of_tanh(rows)


@pytest.mark.skipif(not numpy_has_the_algorithm(np.tanh), reason="this NumPy has another tanh")
def test_tanh_at_the_ends_of_intervals() -> None:
    """The bits of NumPy's, of the floats about each power of two and its half above."""
    ends = np.array([m * 2.0 ** e for e in range(-210, 12) for m in (1.0, 1.25, 1.5, 1.75)])
    x = np.concatenate([np.nextafter(ends, 0), ends, np.nextafter(ends, np.inf)])
    ours, numpys = both(np.tanh, None, FLOAT)
    for given in (x, -x, np.resize(x, 3 * x.size)[::-1].copy()):
        assert same_bits(ours(given), numpys(given))


def test_without_a_table_numpys_loop_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = inner_loop(np.tanh, (np.dtype(float),) * 2)
    assert loop is not None
    cell = ctypes.c_uint64(loop.address)
    formula = FORMULAS[np.tanh]._replace(table=lambda: None)
    nearest_loops._fill(cell, [formula], np.tanh, loop, None)
    assert cell.value == loop.address
