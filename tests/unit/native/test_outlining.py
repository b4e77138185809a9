"""Loops, and the equations between them, that share a kernel."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


@pytest.fixture(autouse=True)
def short_loops_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)


def filled_and_summed(x: Any) -> Any:
    table = np.zeros(5)
    for i in range(5):
        table[i] = x[i] * 2
    table[0] = 1.0
    total = 0.0
    for i in range(5):
        total = total + table[i]
    return total / 2


def number_of_two_classes(x: Any) -> Any:
    total = 0.0
    for i in range(3):
        for j in range(i):
            total = total + x[j]
    for i in range(3):
        for j in range(i):
            total = total * x[j]
    return total


def array_between(x: Any) -> Any:
    table = np.zeros(5)
    for i in range(5):
        table[i] = x[i]
    for i in range(5):
        x[i] = table[4 - i]
    return table, x


def view_between(x: Any) -> Any:
    part = x[1:]
    for i in range(4):
        x[i] = part[i] + 1
    for i in range(4):
        part[i] = part[i] * 2
    return part


def made_before_a_sum(x: Any) -> Any:
    table = np.empty(5)
    total = np.sum(x[1:])
    table[0] = total
    for i in range(4):
        table[i + 1] = table[i] - x[i]
    return table


def array_of_numbers(x: Any) -> Any:
    total, y = 0.5, x * 1
    for i in range(3):
        for j in range(i):
            total = total + x[j]
        y = y * total + np.array([total, x[i], x[0] * 2, total, x[1]])
    return y


def small_arrays_around(x: Any) -> Any:
    out, total = np.empty(4), np.sum(x[:2])
    for i in range(4):
        total = total + x[i + 1] - x[i]
        out[i] = total
    return out / 2


def stores_between(x: Any) -> Any:
    y = x.copy()
    y[1:] = y[:-1] * 2 + 1
    y[:2] = (y[2:4] - y[1:3]) * 3
    return np.maximum(y, 1) - y[::-1]


def products_between(x: Any) -> Any:
    w = x[:, None] * x
    h = np.maximum(np.matmul(w, x) - 1, 0.5)
    return np.matmul(w * 0.5, h) + h * x


@pytest.mark.parametrize("f", [
    filled_and_summed, number_of_two_classes, array_between, view_between, made_before_a_sum,
    array_of_numbers, small_arrays_around, stores_between, products_between])
def test_one_kernel_runs_all(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tell_kernels(monkeypatch, Kernel)
    native = ag.function(f, jit_compile=True)
    for dtype in (float, np.float32, int):
        ours, x = (np.arange(1, 6).astype(dtype) for _ in range(2))
        native(ours.copy())
        told.clear()
        found, wanted = native(ours), f(x)
        assert repr(found) == repr(wanted) and repr(ours) == repr(x)
        if dtype is float:
            assert told == [True]


def test_a_break_is_in_no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel is of what stands before the branch that leaves a loop of Python's."""
    def f(a: Any, x: Any) -> Any:
        t, s = x[0], 0j
        for i in range(len(x)):
            s = 1j / (a + x[i])
            for _ in range(i):
                s = s + x[-1] / a
            if i > abs(s):
                break
            s = t
        return s, i

    told = tell_kernels(monkeypatch, Kernel)
    native = ag.function(f, jit_compile=True)
    for scale in (1, 1, 3, 0.1):
        given = np.float32(0.5), scale * np.arange(1, 6) * (1 + 2j)
        assert repr(native(*given)) == repr(f(*given))
    assert any(told)


def test_what_a_kernel_makes_is_not_pending_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(y: Any, x: Any) -> Any:
        y[0] = x
        if x < 1:
            y[1] = x
            raise [ValueError, KeyError, OSError][int(x) % 3]("some")
        return y

    native = ag.function(f, jit_compile=True)
    for x in (2.5, -1.0, 0.0, 1.0):
        given = [np.zeros(2), np.zeros(2)]
        told = []
        for g, y in zip((native, f), given, strict=True):
            try:
                told.append(repr(g(y, np.float64(x))))
            except Exception as error:
                told.append(type(error).__name__)
        assert told[0] == told[1] and repr(given[0]) == repr(given[1])


def test_rows_of_a_large_array_are_stored_outside_of_kernels() -> None:
    """A kernel would keep all that the array held, in each iteration."""
    def rows(x: Any, y: Any, z: Any) -> Any:
        one, two = np.zeros((100, 32, 64)), np.zeros((100, 32, 64))
        for t in range(100):
            x = np.tanh(x @ y)
            w = x[:, :32] * z
            one[t, :, :32] = w
            v = np.tanh(w)
            two[t, :, :32] = v + w
            one[t, :, 32:] = x[:, 32:] * v + w
        return x, one, two

    native = ag.function(rows, jit_compile=True)
    given = np.full((32, 64), 1.5), np.full((64, 64), 0.025), np.ones((32, 32))
    for found, wanted in zip(native(*given), rows(*given), strict=True):
        assert np.array_equal(found, wanted)
    source = native.get_concrete_function(*given).source
    runs = [line for line in source.splitlines() if ".run(" in line]
    assert not [line for line in runs if ", t, " in line]  # where the rows are


def least_of_the_last_row(x: Any) -> Any:
    table = np.zeros((60, 50))
    for i in range(1, 60):
        for j in range(50):
            table[i, j] = table[i - 1, j] + x[i % 5] * j
    return table[-1].min(), table[-1, ::2].sum()


def test_a_small_view_of_a_large_array_is_in_its_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    told = tell_kernels(monkeypatch, Kernel)
    x = np.array([0.5, -1.25, 3.0, 1e-3, -2.0])
    native = ag.function(least_of_the_last_row, jit_compile=True)
    for _ in range(2):
        assert native(x) == least_of_the_last_row(x)
    assert told == [True] * 2
    assert "reduce" not in native.get_concrete_function(x).source.split("else:")[-1]


def test_a_loop_of_many_equations_is_left_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM ended the process: a loop on numbers that are known is recorded item by item."""
    def f(n: Any) -> Any:
        i = s = 0
        while i < n:
            j = 0
            while j < 3000:
                s += j & 3
                j += 1
            i += 1
        return s

    compile_short_loops(monkeypatch, unroll=True)
    told = tell_kernels(monkeypatch, Kernel)
    native = ag.function(f, jit_compile=True)
    assert native(np.int64(3)) == f(3)
    assert told == []
    assert "more than 2000 equations" in str(
        native.get_concrete_function(np.int64(3)).native_loops)
