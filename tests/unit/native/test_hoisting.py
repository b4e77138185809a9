"""Checks that a loop's item decides are done before the loop, or not at all; errors stay exact."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.builder import Builder
from autograph.runtime.native.hoisting import Hoisting, Opened
from autograph.runtime.native.kernel import Kernel
from autograph.runtime.native.llvm_ir import I64, Function, Module, word
from autograph.runtime.native.ranges import Range
from tests.support.native import compile_short_loops, tell_kernels
from tests.support.outcome import run

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

X = np.arange(1.0, 9.0)
Y = np.arange(12.0).reshape(3, 4)


def neighbours(x, n):
    for i in range(1, n):
        x[i] = x[i - 1] + x[i]
    return x


def backwards(x, n):
    for i in range(n, -1, -1):
        x[i] = x[i] + i
    return x


def around(x, n):
    s = 0.0
    for i in range(n):
        s += x[i - 2] * x[-i]
    return s


def by_steps(x, n):
    s = 0.0
    for i in range(0, n, 3):
        s += x[i] + x[2 * i + 1]
    return s


def flat(x, n):
    s = 0.0
    for i in range(n):
        for j in range(2):
            s += x[i * 2 + j]
    return s


def triangle(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            s += x[j] - x[i]
    return s


def none_inside(x, n):
    s = 0.0
    for i in range(n):
        for j in range(n - 3, 2):
            s += x[i + 6] * j
    return s


def guarded(x, n):
    s = 0.0
    for i in range(n):
        if i < len(x):
            s += x[i]
    return s


def left_early(x, n):
    for i in range(n):
        if x[i] > 4:
            break
    return i


def of_their_product(x, n):
    s = 0
    for i in range(n):
        s += i * (n * n * n * 2 ** 58)
    return s


def far_away(x, n):
    s = 0
    for i in range(n * 2 ** 61, n * 2 ** 61 + 3):
        s += i % 5
    return s


def after_no_round(x, n):
    s = 0.0
    for i in range(n):
        for _ in range(i, 2):
            s += i
        s += x[i]
    return s


def beside_no_round(x, n):
    s = 0.0
    for i in range(n):
        if i < 3:
            for j in range(i, 2):
                s += j
        s += x[i]
    return s


def of_no_array(x, n):
    for _ in range(n - 9, 0):
        x[0] = x[2 ** 63 + n, ...]
    return x


PROGRAMS: list[Callable[..., Any]] = [
    neighbours, backwards, around, by_steps, flat, triangle, none_inside, guarded, left_early,
    of_their_product, far_away, of_no_array, after_no_round,
    beside_no_round]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("x", [X, X[::2], X[:0], X[::-1]], ids=["whole", "second", "none", "back"])
def test_bounds_are_exact(program: Callable[..., Any], x: Any, monkeypatch: pytest.MonkeyPatch
                          ) -> None:
    """Also where the last round is out of bounds, and where there is no round."""
    compile_short_loops(monkeypatch)
    for n in (0, 1, 3, 4, 7, 8, 9, 1, -1):
        f = ag.function(program, jit_compile=True)
        for _ in range(2):
            found, expected = run(f, (x, n)), run(program, (x, n))
            assert (found.describe(), found.told) == (expected.describe(), expected.told), n


@pytest.mark.parametrize("program", PROGRAMS[:8])
def test_kernels_run_in_bounds(program: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
                               ) -> None:
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    ag.function(program, jit_compile=True)(X.copy(), np.int64(2))
    assert told == [True]


def smoothed(y):
    for i in range(1, 2):
        for j in range(1, 3):
            y[i, j] = y[i - 1, j] + y[i, j + 1]
    return y


@pytest.mark.parametrize(("program", "arguments", "checks"), [
    (smoothed, (Y,), 2),  # the shape
    (neighbours, (X, 5), 1), (triangle, (X, 8), 1),
    (neighbours, (X, np.int64(5)), 2)])  # for a large `n`, the other form runs
def test_what_always_holds_is_not_checked(program: Callable[..., Any], arguments: Any, checks: int,
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    f = ag.function(program, jit_compile=True)
    f(*arguments)
    text: str = f.to_llvm()
    assert text[:text.index("@\"kernel\"")].count("label %fail") == checks


def test_a_check_moves_out_of_all_loops_that_surely_run() -> None:
    """`0 <= i + j < size` for i in range(a, a + 4), j in range(3): two checks before the outer one.
    """
    function = Function(Module("m"), I64, [I64, I64], "f")
    first, fail, *heads = map(function.append_basic_block, ("entry", "fail", "head", "head"))
    a, size = function.args
    builder = Builder(first)
    hoisting = Hoisting(builder, lambda *_: pytest.fail("nothing overflows"))
    hoisting.ranges.enter(a, Range(0, 100))
    outer = Opened(first, (a, builder.add(a, word(3))), word(4), function.count)
    builder.position_at_end(heads[0])
    inner = Opened(heads[0], (word(0), word(2)), word(3), function.count + 1)
    outer.item = builder.load(a, I64)
    hoisting.enter_item(outer, Range(0, 103))
    builder.position_at_end(heads[1])
    inner.item = builder.load(a, I64)
    hoisting.enter_item(inner, Range(0, 2))
    with hoisting.inside(outer), hoisting.inside(inner):
        x = hoisting.arithmetic("add", outer.item, inner.item, pytest.fail)
        assert hoisting.holds(x, Range(0, 1), size)
    hoisting.end_before(inner, heads[1], fail)
    hoisting.end_before(outer, heads[0], fail)
    tests = [line.partition(" = ")[2] for line in first.lines if "icmp ult" in str(line)]
    assert tests == [f"icmp ult i64 {x}, %a1" for x in ("%a0", "%v1", "%v8", "%v9")]
    assert "  %v8 = add i64 %a0, 2" in str(first)
    assert heads[0].end == "br label %head.3"
