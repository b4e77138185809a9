"""Lists that a symbolic int repeats: no products of arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def one(v: Any, n: Any) -> Any:
    return [v] * n


def two(v: Any, n: Any) -> Any:
    return n * [v, v + 1]


def constants(v: Any, n: Any) -> Any:
    return [1.0, 2.0] * int(n)


FUNCTIONS = pytest.mark.parametrize("f", [one, two, constants])
ARGUMENTS = np.float64(2.0), np.int64(3)


@FUNCTIONS
def test_onnx_refuses_them(f: Callable[..., Any]) -> None:
    pytest.importorskip("onnx", reason="the extra onnx is not installed")
    with pytest.raises(ag.errors.ExportError, match="of a list"):
        ag.export_onnx(None, ag.function(f), *ARGUMENTS)


@FUNCTIONS
def test_jax_refuses_them(f: Callable[..., Any]) -> None:
    pytest.importorskip("jax", reason="the extra jax is not installed")
    with pytest.raises(ag.errors.ExportError, match="of a list"):
        ag.function(f).to_jax()(*ARGUMENTS)


def test_a_list_beside_an_array_is_an_array() -> None:
    pytest.importorskip("onnx", reason="the extra onnx is not installed")
    assert ag.export_onnx(None, ag.function(lambda x: [1.0, 2.0] * x), np.ones(2))
