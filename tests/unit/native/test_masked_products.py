"""What gradients add to the programs of users, as machine code: products that are 0 where a factor
is, and constants of one number. Byte for byte what NumPy's form gives.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native import lowered_arrays
from autograph.runtime.native.array_kernel import ArrayKernel
from autograph.runtime.ops.derivatives import KERNELS
from autograph.runtime.symbolic.tensor import apply
from tests.support.native import tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SPECIAL = [0.0, -0.0, 1.0, -1.5, 3.0, np.inf, -np.inf, np.nan, 1e-310, 1e300, 2.5]
SHAPES = [((11,), (11,)), ((7, 11), (11,)), ((7, 1), (7, 11)), ((), (11,)), ((3, 4), (3, 4))]


@pytest.fixture(autouse=True)
def single_operations_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowered_arrays, "WORTH", 1)


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    return tell_kernels(monkeypatch, ArrayKernel)


def numbers(shape: tuple[int, ...], dtype: Any, finite: bool, seed: int) -> Any:
    random = np.random.default_rng(seed)
    with np.errstate(over="ignore"):
        given = np.array(SPECIAL).astype(dtype)
    given = given[np.isfinite(given)] if finite else given
    return random.choice(given, shape)[()]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_product_that_is_zero_where_a_factor_is(
        shapes: tuple[tuple[int, ...], tuple[int, ...]], dtype: Any, kernels: list[bool]) -> None:
    compiled = ag.function(lambda g, p: apply("masked_product", g, p), autograph=False,
                           jit_compile=True)
    with np.errstate(all="ignore"):
        for seed in range(20):
            g = numbers(shapes[0], dtype, seed % 2 == 0, seed)
            p = numbers(shapes[1], dtype, seed % 3 == 0, seed + 100)
            found, expected = compiled(g, p), KERNELS["masked_product"](g, p)
            assert type(found) is type(expected)
            np.testing.assert_array_equal(found, expected)
            np.testing.assert_array_equal(np.signbit(found[found == 0]), False)
    assert kernels


def test_infinite_factors_of_zeros_are_not_invalid(kernels: list[bool]) -> None:
    compiled = ag.function(lambda g, p: apply("masked_product", g, p), autograph=False,
                           jit_compile=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = compiled(np.array([0.0, 2.0]), np.array([np.inf, 3.0]))
    assert found.tolist() == [0.0, 6.0]
    assert kernels == [True]


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return np.sum(e / np.sum(e, axis=-1, keepdims=True) * np.arange(x.shape[-1]))


def unit_rows(x: Any) -> Any:
    norms = np.linalg.norm(x, axis=1, keepdims=True)
    return np.sum(x / np.where(norms == 0, 1, norms))


def logarithms(x: Any) -> Any:
    return np.sum(np.where(x > 0, np.log(x), 0.0) * x)


def roots(x: Any) -> Any:
    return np.sum(np.sqrt(np.maximum(x, 0.0)) / (1.0 + x * x))


@pytest.mark.parametrize("f", [softmax, unit_rows, logarithms, roots])
@pytest.mark.parametrize("shape", [(2, 3), (5, 40), (33, 1)])
def test_gradients_of_programs(f: Callable[..., Any], shape: tuple[int, int],
                               kernels: list[bool]) -> None:
    x = np.random.default_rng(3).normal(size=shape)
    x[0] = 0.0
    with np.errstate(all="ignore"):
        both = [ag.function(ag.value_and_grad(f), jit_compile=jit)(x) for jit in (True, False)]
    for a, b in zip(*both, strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.tobytes() == b.tobytes()
    assert kernels


def test_constant_arrays_of_objects_stay() -> None:
    things = np.array([2, 2], object)

    @ag.function(jit_compile=True)
    def f(x: Any) -> Any:
        return x * things

    assert f(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]
