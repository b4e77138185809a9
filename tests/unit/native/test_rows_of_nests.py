"""Rows of loop nests: numbers that a row shares, rows of few elements, pieces of rows."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native import lowered_arrays
from autograph.runtime.native.array_kernel import ArrayKernel
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.native import strides_in, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SPECIAL = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e200, 1e-310]
DTYPES = ("f8", "f4", "i8", "i4", "u1", "?")


@pytest.fixture(autouse=True)
def kernels(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    monkeypatch.setattr(lowered_arrays, "WORTH", 1)
    return tell_kernels(monkeypatch, ArrayKernel)


def numbers(dtype: str, *shape: int) -> Any:
    random = np.random.default_rng(len(dtype) + sum(shape))
    x = random.normal(size=shape) * 3
    if dtype[0] == "f":
        x[random.random(shape) < 0.04] = random.choice(SPECIAL)
    with np.errstate(over="ignore"):
        return (np.abs(x) if dtype in "u1?" else x).astype(dtype)


def same(text: str, *arguments: Any) -> None:
    """Compares a function of x, y and z with plain NumPy: bits, memory orders, warnings."""
    plain = load(f"def f({', '.join('xyz'[:len(arguments)])}):\n    return {text}\n", f"<{text}>")

    def told(*given: Any) -> Any:
        result = native(*given)
        return result, strides_in(result)

    def expected(*given: Any) -> Any:
        result = plain(*given)
        return result, strides_in(result)

    native = ag.function(plain, jit_compile=True)
    for _ in range(2):
        assert outcome(told, arguments) == outcome(expected, arguments)


SHORT = (
    "((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2)",
    "np.exp(-((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=-1) / 2)",
    "(x[:, None] * y).sum(axis=-1, keepdims=True)", "np.sqrt((x * x).mean(axis=-1)) + 1",
    "(x * x).prod(axis=-1)", "(x + 1).sum(axis=-1), (x * 2).prod(axis=-1)",
    "(x - x.sum(axis=-1, keepdims=True)) * 2", "x * x + 1, (x * x).sum(axis=-1)",
    "(x * 2).max(axis=-1)", "(x > 0).any(axis=-1)", "np.sin((x * 0.5).sum(axis=1)) * 2")


@pytest.mark.parametrize("length", [1, 2, 3, 5, 7, 8, 9])
@pytest.mark.parametrize("text", SHORT)
def test_rows_of_few_elements(text: str, length: int, kernels: list[bool]) -> None:
    for dtype in DTYPES:
        same(text, numbers(dtype, 20, length), numbers(dtype, 17, length))
    assert length < 3 or not text.endswith("axis=2)") or kernels.count(True) > 4


def test_a_sum_of_negative_zeros_is_zero() -> None:
    x = np.full((40, 3), -0.0)
    same("(x * 1.0).sum(axis=-1)", x)
    same("(x * 1.0).prod(axis=-1)", x)


SHARED = (
    "x[:, 0:1].T - x[:, 0:1]", "(x[:, 0:1].T - x[:, 0:1]) ** 2 + 0.5, x[:, 1:2].T * 2",
    "x[:, 1] * x[:, :1] + 1", "x[:, None, 0] + x[:, 0][None] * 2", "x.T + 1", "x.T + x.T * 2",
    "np.swapaxes(x[:, 0:1], 0, 1) * x[:, 2:3]", "np.expand_dims(x[:, 0], 1) - x[:, 0]",
    "np.squeeze(x[:, 0:1]) * 2 + x[:, 1]", "np.moveaxis(x[:, 0:1], 0, 1) + x[:, 1:2] * 0.5",
    "np.maximum(x[:, 0:1], x[:, 0]) > 0", "np.power(np.abs(x[:, 0:1]) + 1, x[:, 1])",
    "(x[:, :1] * x[:, 1] + 1).sum(axis=-1)", "(x[:, :1] * x[:, 1]).sum()",
    "np.where(x[:, :1] > 0, x[:, 1], x[:, :1] + 1)", "x[:, :1].astype(np.float32) * x[:, 1]",
    "x[:, :1] // 2 + x[:, 1] * x[:, 2:3]")


@pytest.mark.parametrize("rows", [1, 2, 15, 16, 40, 130])
@pytest.mark.parametrize("text", SHARED)
def test_numbers_that_a_row_shares(text: str, rows: int) -> None:
    for dtype in DTYPES:
        if dtype != "?" or "-" not in text:
            same(text, numbers(dtype, rows, 3))
    same(text, np.asfortranarray(numbers("f8", rows, 3)))
    same(text, numbers("f8", rows, 6)[:, ::2])


PIECES = (
    "x[0:2, 5:123] / y[0:2, 6:124].max()", "x[0:2, 5:123].astype(np.float64) * y[:2, 6:124].sum()",
    "x[:, 1:] * x[:, 1:].max() + y[:, :-1]", "(x[1:, 4:] * 2 - (x[1:, 4:] * 2).max()) * 3",
    "np.sin(x[1:3, 5:123]) * np.sin(x[1:3, 5:123]).max()")


@pytest.mark.parametrize("width", [60, 70, 130, 600, 1100])
@pytest.mark.parametrize("text", PIECES)
def test_pieces_of_what_a_later_phase_reads(text: str, width: int) -> None:
    for dtype in ("f8", "f4", "i8", "i4", "u1"):
        for other in (dtype, "f8"):
            same(text, numbers(dtype, 9, width), numbers(other, 9, width))


VIEWS = ("v, np.sqrt(v * v) + 1", "(v + 1) * 2, v[:], v", "v * v, x[::-1]")


@pytest.mark.parametrize("text", VIEWS)
def test_a_view_of_what_the_group_and_a_view_beside_it_read(text: str) -> None:
    """The array that both read is a view itself, which the group leaves to Python."""
    for length in (1, 5):
        x = numbers("f8", length)
        source = f"def f(x):\n    v = x[::-1][:]\n    return {text}\n"
        plain = load(source, f"<{text}>")
        assert outcome(ag.function(plain, jit_compile=True), (x,)) == outcome(plain, (x,))


@pytest.mark.parametrize("shape", [(91, 93), (150, 130), (3, 9000), (1000, 12)])
@pytest.mark.parametrize("open_lengths", [False, True])
def test_a_sum_over_gaps_is_in_numpys_pieces(shape: tuple[int, int], open_lengths: bool) -> None:
    """NumPy copies 8,192 elements of an array with gaps, adds them up, and then the next ones."""
    def of_view(x: Any) -> Any:
        v = x[1:, :-2]
        return v - v.mean(), v.sum() * 2

    def of_all(x: Any) -> Any:
        return x - x.mean(), (x * x).sum(), x.sum() * 2

    signature = [ag.TensorSpec((None, None), np.float64)] if open_lengths else None
    x = numbers("i8", 2 * shape[0], 2 * shape[1]) / 7
    for given in (x[:shape[0], :shape[1]], x[::2, :shape[1]], x[:shape[0], ::2],
                  x[:shape[0], :shape[1]].copy()):
        for plain in (of_view, of_all):
            native = ag.function(plain, jit_compile=True, input_signature=signature)
            for _ in range(2):
                assert outcome(native, (given,)) == outcome(plain, (given,))
