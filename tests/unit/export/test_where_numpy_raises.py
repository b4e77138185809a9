"""What NumPy refuses for its dtype or its memory is refused by exports, with the line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("jax", reason="the extra jax is not installed")

V, T = np.array([1.0, 2.0, 3.0]), np.arange(6).reshape(2, 3)


def complex_store(v):
    v[0] = 1j
    return v


def large_store(v):
    v[0] = 300
    return v


def nan_store(t):
    t[0, 0] = np.nan
    return t


def divided_in_place(t):
    t /= 2
    return t


def broadcast_store(v):
    np.broadcast_to(v, (2, 3))[0] = 1
    return v


def diagonal_store(t):
    np.diagonal(t)[0] = 1
    return t


def float_size(n):
    return np.zeros((n, 2))


def float_end(v, n):
    return v[-n:]


CALLS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (complex_store, (V,)), (large_store, (V.astype("u1"),)), (nan_store, (T,)),
    (divided_in_place, (T,)), (broadcast_store, (V,)), (diagonal_store, (T,)),
    (float_size, (np.float32(2),)), (float_end, (V, np.float32(2))),
]


@pytest.mark.parametrize("checks", ["refuse", "drop"])
@pytest.mark.parametrize(("function", "arguments"), CALLS, ids=lambda x: getattr(x, "__name__", ""))
def test_it_is_refused(function: Any, arguments: tuple[Any, ...], checks: str) -> None:
    f: Any = ag.function(function)
    with pytest.raises((TypeError, ValueError, OverflowError)):
        function(*(np.copy(x)[()] for x in arguments))
    with pytest.raises(ag.errors.ExportError, match=f"in {function.__name__}"):
        ag.export_onnx(None, f, *arguments, checks=checks)
    with pytest.raises(ag.errors.ExportError, match=f"in {function.__name__}"):
        f.to_jax(checks=checks, written_arguments=True)(*arguments)


def handled(x, i):
    total = 0.0
    for v in x:
        try:
            total += x[i] / v
        except IndexError:
            total -= 1
    return total


def harmless(x):
    try:
        y = x * 2 + 1
    finally:
        z = x - 1
    return y, z


def test_what_a_handler_catches_is_refused_with_the_line() -> None:
    for checks in ("refuse", "drop"):
        with pytest.raises(ag.errors.ExportError, match=r"has a handler(.|\n)*, in handled\n"):
            ag.export_onnx(None, ag.function(handled), V, np.int64(1), checks=checks)


def test_a_handler_of_what_never_raises_is_exported() -> None:
    import onnxruntime

    model = ag.export_onnx(None, ag.function(harmless), V)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    for found, wanted in zip(session.run(None, {"x": V}), harmless(V), strict=True):
        assert np.array_equal(found, wanted)


def test_integers_to_powers_that_may_be_negative_are_refused() -> None:
    power: Any = ag.function(lambda x, n: x ** n)
    for n in (T, np.int64(2)):
        with pytest.raises(ag.errors.ExportError, match="cannot raise"):
            ag.export_onnx(None, power, T, n)
        with pytest.raises(ag.errors.ExportError, match="cannot raise"):
            power.to_jax()(T, n)
        assert ag.export_onnx(None, power, T, n, checks="drop")
    assert ag.export_onnx(None, power, T, 2) and ag.export_onnx(None, power, T, T.astype("u1"))
