"""Kernels that differ in lengths only: the second one is compiled for any lengths."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.native import tell_modules

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

from autograph.runtime.native import shared_forms


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    shared_forms._lengths.clear()
    return tell_modules(monkeypatch)


def scaled(x: Any, y: Any) -> Any:
    return np.sqrt(x * x + y) * 2.0 - y


def softmax(x: Any, y: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) + y


def standardised(x: Any, y: Any) -> Any:
    centred = x - x.mean()
    return centred / np.sqrt((centred * centred).mean()), y - (x * y).sum()


def numbers(*shape: int) -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    return random.random(shape), random.random(shape)


@pytest.mark.parametrize(("plain", "shape"), [
    (scaled, lambda k: (70 * k,)), (scaled, lambda k: (k + 1, 70)),
    (softmax, lambda k: (3, 70 * k)), (softmax, lambda k: (5 * k, 20)),
    (standardised, lambda k: (100 * k,))])
def test_two_modules_for_many_lengths(plain: Callable[..., Any], shape: Callable[[int], Any],
                                      compiled: list[tuple[str, str]]) -> None:
    f = ag.function(plain, jit_compile=True)
    for k in range(1, 8):
        given = numbers(*shape(k))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ag.RetracingWarning)
            found = f(*given)
        for x, y in zip(np.vstack(found), np.vstack(plain(*given)), strict=True):
            assert x.tobytes() == y.tobytes()
    assert len(compiled) == 2


def test_other_constants_are_another_form(compiled: list[tuple[str, str]]) -> None:
    def first(x: Any) -> Any:
        return x * 2.0 + 1.0

    def second(x: Any) -> Any:
        return x * 2.0 + 1.5

    used = []
    for n in (100, 200, 300):
        x = np.arange(float(n))
        for plain in (first, second):
            used.append(ag.function(plain, jit_compile=True))
            assert used[-1](x).tobytes() == plain(x).tobytes()
    assert len(compiled) == 4


def test_short_rows_stay_known(compiled: list[tuple[str, str]]) -> None:
    """A row of three elements has no loop."""
    for n in (100, 200, 300):
        x = np.random.default_rng(0).random((n, 3))
        f = ag.function(lambda x: ((x - 0.5) ** 2).sum(axis=-1), jit_compile=True)
        assert f(x).tobytes() == ((x - 0.5) ** 2).sum(axis=-1).tobytes()
    assert len(compiled) == 2
