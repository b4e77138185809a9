"""Machine code stays small: what all kernels share, rooms on the ground, bytes, one loop a row."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.native import compile_short_loops

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


def stepped(x, n):
    for i in range(n):
        y = np.zeros(21)
        z = np.ones(21)
        y[3:] = x[i, 3:] * 2.0
        z += np.sqrt(np.abs(y)) - x[i]
        w = z.copy()
        w[w > 1.0] = 0.5
        x[i] = w / z
    return x


def parts_of(function: Any, *arguments: Any) -> str:
    text: str = ag.function(function, jit_compile=True).get_concrete_function(*arguments).llvm
    return text


def test_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    x = np.random.default_rng(0).normal(size=(40, 21))
    found, expected = (f(x.copy(), np.int64(40)) for f in (
        ag.function(stepped, jit_compile=True), stepped))
    assert found.tobytes() == expected.tobytes()


def test_rooms_of_known_size_take_no_memory_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    text = parts_of(stepped, np.ones((40, 21)), np.int64(40))
    assert "%ground = alloca" in text
    assert "$grown" not in text


def test_what_all_kernels_call_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    text = parts_of(stepped, np.ones((40, 21)), np.int64(40))
    assert '@"$ask"(' in text
    assert 'define internal preserve_mostcc i32 @"ask"' not in text


def test_copies_and_zeros_are_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)

    def moved(x, n):
        for i in range(n):
            y = np.zeros(700)
            y[1:] = x[i, 1:]
            x[i] = y
        return x

    text = parts_of(moved, np.ones((5, 700)), np.int64(5))
    assert "$c memset" in text and "$c memcpy" in text
    assert '@"each' not in text


@pytest.mark.parametrize("size", range(1, 40))
def test_the_last_vector_may_have_elements_again(size: int, monkeypatch: pytest.MonkeyPatch
                                                 ) -> None:
    compile_short_loops(monkeypatch)

    def turned(x, y, n):
        for _ in range(n):
            y[:] = (x - y) * x + 0.1
            x[y > x] = 1.5
            x += y * y
        return x, y

    x, y = np.random.default_rng(size).normal(size=(2, size))
    found, expected = (f(x.copy(), y.copy(), np.int64(3)) for f in (
        ag.function(turned, jit_compile=True), turned))
    assert [a.tobytes() for a in found] == [a.tobytes() for a in expected]
