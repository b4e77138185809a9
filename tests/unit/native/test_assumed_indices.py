"""Indices of whose sign nothing is known are taken to count from the start; where one does not,
the code for arrays of any layout gives the plain function's result."""

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.support.native import compile_short_loops, tell_kernels
from tests.support.outcome import seen

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


@pytest.fixture(autouse=True)
def short_loops_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)


def picked(x, at):
    s = 0.0
    for i in range(len(at)):
        s += x[at[i]]
    return s


def stored(x, at):
    for i in range(len(at)):
        x[i] += 1.0
        x[at[i]] = x[at[i]] * 2.0
    return x


def backwards_from(x, at):
    for i in range(at[0], at[1]):
        x[i] = x[i - at[2]] + 1.0
    return x


def of_new_arrays(x, at):
    found = np.zeros(9, np.int64)
    for i in range(len(at)):
        found[at[i]] += 1
        x[i] = found[i]
    return found, x


PROGRAMS = [picked, stored, backwards_from, of_new_arrays]


@pytest.mark.parametrize("plain", PROGRAMS)
@pytest.mark.parametrize("at", [
    [0, 5, 2], [3, 8, 3], [3, 8, 4], [-2, 3, 1], [0, 9, 9], [0, 9, -1], [8, -9, 2], [2, 9, 2, -9],
    [2, 9, 1, -10], [1, 2, 3, 4, 5, 6, 7, 8, 9], [5, 5, -2 ** 63], [1, 2, 2 ** 63 - 1]])
def test_the_plain_functions_outcome(plain, at):
    staged = ag.function(plain, jit_compile=True)

    def outcome(f):
        return seen(f, (np.arange(9.0), np.array(at))).describe()

    assert [outcome(staged), outcome(staged)] == [outcome(plain)] * 2


@pytest.mark.parametrize("plain", PROGRAMS)
@pytest.mark.parametrize("at", [[0, 5, 2], [-2, 3, -1]])
def test_a_kernel_gives_it(plain, at, monkeypatch):
    told = tell_kernels(monkeypatch, Kernel)
    ag.function(plain, jit_compile=True)(np.arange(9.0), np.array(at))
    assert told == [True]


def test_only_the_other_form_counts_from_the_end():
    staged = ag.function(picked, jit_compile=True)
    arguments = np.arange(9.0), np.array([0, 5, 2])
    staged(*arguments)
    assert "select" not in staged.to_llvm(*arguments).partition("ModuleID = entry")[0]
