"""NumPy's functions that exports take apart by the parts that derivative rules name."""

from __future__ import annotations

import copy
import math
import operator
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.unit.export.comparing import difference
from tests.unit.export.onnx_runs import run_onnx

pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
pytest.importorskip("jax", reason="the extra jax is not installed")
from autograph.runtime.export.onnx.export import model_of
from tests.unit.export.test_jax import as_jax

V, W = np.array([2.0, -1.0, 0.5, 7.25, 3.0, 4.0]), np.array([1.0, -2.0, 0.5])
M, N = np.arange(12.0).reshape(3, 4) % 5 - 1, np.arange(12.0).reshape(4, 3) % 7
INDEX = np.array([3, 1, 4, 1, 5, 0])
SMOOTH = np.array([0.0, 3.0, 6.5, -2.0, 11.0, 12.0])

FUNCTIONS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda a, v: np.convolve(a, v), (V, W)),
    (lambda a, v: np.convolve(v, a, "same"), (V, W)),
    (lambda a, v: np.correlate(a, v, mode="valid"), (V, W)),
    (lambda m: np.cov(m), (M,)), (lambda m: np.cov(m, rowvar=False, ddof=0), (M,)),
    (lambda m: np.corrcoef(m), (M,)), (lambda x: np.gradient(x), (V,)),
    (lambda m: np.gradient(m), (M,)), (lambda x: np.gradient(x, 0.5, edge_order=2), (V,)),
    (lambda y, x: np.trapezoid(y, x), (V, SMOOTH)), (lambda x: np.unwrap(x), (SMOOTH,)),
    (lambda x: np.ediff1d(x, to_end=9), (V,)), (lambda x: np.sinc(x), (V,)),
    (lambda x: np.resize(x, (2, 4)), (V,)), (lambda a, b: np.vecdot(a, b), (M, M)),
    (lambda a, b: np.linalg.multi_dot([a, b, a]), (M, N)), (lambda x: np.diagflat(x), (W,)),
    (lambda x: np.hsplit(x, 2), (M,)), (lambda x: np.rollaxis(x, 1), (M,)),
    (lambda x: np.linalg.matrix_transpose(x), (M,)), (lambda a, b: np.matvec(a, b), (M, V[:4])),
    (lambda x: np.cumulative_sum(x, include_initial=True), (V,)),
    (lambda x: np.asfortranarray(x), (M,)), (lambda a, b: np.linalg.cross(a, b), (W, W[::-1])),
    (lambda x: np.linalg.trace(x), (M[:, :3],)),
    (lambda c, x: np.polyval(c, x), (W, V)),
    (lambda x: np.maximum.accumulate(x), (V,)), (lambda m: np.minimum.accumulate(m, 1), (M,)),
    (lambda x, y: np.interp(x, np.arange(6.0), y), (V, SMOOTH)),
    (lambda x: np.digitize(x, [0.0, 1.0, 2.0]), (V,)), (lambda x: np.isin(x, [2.0, 3.0]), (V,)),
    (lambda x, y: np.isin(x, y, invert=True), (V, W)), (lambda x: np.isposinf(x / 0.5), (V,)),
    (lambda x: np.piecewise(x, [x < 0, x > 2], [-1, 1]), (V,)),
    (lambda x: np.piecewise(x, [x < 0], [lambda v: -v, lambda v: v * 2]), (V,)),
    (lambda x: np.array_equiv(x, x[:1]), (V,)), (lambda x: np.float32(x[0]), (V,)),
    (lambda x: operator.lt(x[0], x[1]), (V,)), (lambda x: sorted(x), (V,)),
    (lambda x: sorted([x[0], x[1], x[2]], reverse=True), (V,)),
    (lambda x: math.sqrt(x[0]) + math.floor(x[3]), (V,)), (lambda x: x.tolist(), (V,)),
    (lambda x: math.prod([x[0], x[1], x[3]]), (V,)), (lambda x: math.fsum([x[0], x[1]]), (V,)),
    (lambda x: any([x[0] > 3, x[1] < 0]), (V,)), (lambda x: all([x[0] > 3, x[1] < 0]), (V,)),
    (lambda x: np.add.reduceat(x, [0, 2, 1]), (V,)),
    (lambda x: np.bitwise_count(np.astype(x, np.int16)), (V,)),
    (lambda x: np.max(x, initial=99), (V,)), (lambda x: np.sum(x, where=x > 0, initial=3), (V,)),
]
STORES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda x, i, v: np.maximum.at(x, i, v), (V, INDEX, V[::-1])),
    (lambda x, i: np.add.at(x, i, 3), (V, INDEX)), (lambda x: np.square.at(x, [0, 0, 1]), (V,)),
    (lambda x, i, v: np.fmin.at(x, i, v), (V, INDEX, V + 1)),
    (lambda x: np.place(x, x > 2, [1.0, 2.0]), (V,)),
    (lambda x: np.putmask(x, x > 2, [1, 2]), (V,)),
    (lambda x, i: np.put(x, i, [1.0, 2.0]), (V, INDEX)),
    (lambda m: np.put_along_axis(m, np.array([[1], [0], [2]]), 9.0, 1), (M,)),
    (lambda m: np.fill_diagonal(m, 7.0), (M,)), (lambda m: m.flat.__setitem__([0, 2], 7.0), (M,)),
]
GROUPS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda i: np.bincount(i), (INDEX,)), (lambda i, v: np.bincount(i, v, minlength=9), (INDEX, V)),
    (lambda i: np.setdiff1d(i, [1, 5]), (INDEX,)),
    (lambda i: np.unique(i, return_counts=True), (INDEX,)),
    (lambda i: np.unique(i, return_index=True, return_inverse=True), (INDEX.reshape(2, 3),)),
    (lambda x: np.histogram(x, 4), (V,)), (lambda x: np.histogram(x, [0.0, 1.0, 5.0]), (V,)),
]
"""Their results have a length that the data decide: JAX refuses most of them."""


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4"])
@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
def test_parts_give_what_numpy_does(number: int, dtype: str) -> None:
    plain, given = FUNCTIONS[number]
    arguments: list[Any] = [np.ascontiguousarray((2 * x).astype(dtype)) for x in given]
    function: Any = ag.function(plain)
    wanted, tolerance = plain(*arguments), dtype == "f4"
    assert not _far(wanted, run_onnx(model_of(
        function.get_concrete_function(*arguments), "drop"), arguments), tolerance)
    assert not _far(wanted, function.to_jax(checks="drop")(*as_jax(arguments)), tolerance)


@pytest.mark.parametrize("number", range(len(STORES)))
def test_parts_change_what_numpy_does(number: int) -> None:
    change, given = STORES[number]

    def plain(x: Any, *more: Any) -> Any:
        change(x, *more)
        return x

    function: Any = ag.function(plain)
    wanted = plain(*copy.deepcopy(given))
    model = model_of(function.get_concrete_function(*copy.deepcopy(given)), "drop")
    assert not difference(wanted, run_onnx(model, list(given)))
    found, _ = function.to_jax(checks="drop", written_arguments=True)(*as_jax(given))
    assert not difference(wanted, found)


@pytest.mark.parametrize("number", range(len(GROUPS)))
def test_groups_are_those_of_numpy(number: int) -> None:
    plain, given = GROUPS[number]
    function: Any = ag.function(plain)
    model = model_of(function.get_concrete_function(*given), "drop")
    for reference in (False, True):
        assert not difference(plain(*given), run_onnx(model, list(given), reference))


def _far(wanted: Any, found: Any, single: bool) -> str:
    """Returns the difference, in single precision of all but the last digits."""
    if isinstance(wanted, (list, tuple)):
        return "".join(_far(x, y, single) for x, y in zip(wanted, found, strict=True))
    found = np.asarray(found)
    assert (found.dtype, found.shape) == (np.asarray(wanted).dtype, np.shape(wanted))
    return "" if np.allclose(wanted, found, rtol=1e-4 if single else 1e-12,
                             atol=1e-5 if single else 1e-12) else difference(wanted, found)


def test_numbers_of_rows_may_be_open() -> None:
    function: Any = ag.function(FUNCTIONS[18][0])
    model = model_of(function.get_concrete_function(ag.TensorSpec([None, 4])), "drop")
    for x in (M, M[:2]):
        assert not difference(FUNCTIONS[18][0](x), run_onnx(model, [x]))


def test_what_numpy_refuses_is_refused() -> None:
    f: Any = ag.function(lambda x: np.gradient(x))
    with pytest.raises(ag.errors.ExportError, match=r"numpy\.gradient .*too small"):
        ag.export_onnx(None, f, np.ones(1))
    with pytest.raises(ag.errors.ExportError, match=r"gradient .*only the run knows"):
        ag.export_onnx(None, f, ag.TensorSpec([None]))


EXPORTED_ELSEWHERE = """
import sys
import numpy as np
import autograph as ag
ag.export_onnx(sys.argv[2], ag.load(sys.argv[1]), np.ones(3), np.arange(3.0))
"""


def test_a_loaded_function_is_taken_apart_in_a_process_that_traced_nothing(tmp_path: Path) -> None:
    file, model = tmp_path / "f.agz", tmp_path / "f.onnx"
    ag.save(file, ag.function(lambda x, y: np.isin(x, y)), (np.ones(3), np.arange(3.0)))
    subprocess.run([sys.executable, "-c", EXPORTED_ELSEWHERE, str(file), str(model)], check=True,
                   env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert model.stat().st_size
