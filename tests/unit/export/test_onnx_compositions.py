"""Functions of NumPy that are written in others for ONNX: on NaNs, matrices, open dimensions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.unit.export.comparing import difference
from tests.unit.export.onnx_runs import started

pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")

RNG = np.random.default_rng(7)
GAPS = RNG.normal(size=(4, 5))
GAPS[0, 1] = GAPS[2, 3] = GAPS[2, 4] = np.nan
GAPS[:, 0] = [3.0, 1.0, 2.0, -5.0]
FULL = RNG.normal(size=(4, 5))
MATRIX = RNG.normal(size=(7, 7))
ROTATED = np.roll(np.eye(6), 1, axis=0)  # every pivot is on another row
POSITIVE = MATRIX @ MATRIX.T + np.eye(7)

REDUCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(np, name) for name in (
        "nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanstd", "nanvar", "nanmedian",
        "median")}
METHODS = ("linear", "lower", "higher", "midpoint")
QUANTILES: dict[str, Callable[..., Any]] = {
    f"{name} {q} {method}": partial(getattr(np, name), q=q, method=method)
    for name, q in (("quantile", 0.3), ("nanquantile", 0.8), ("percentile", [10, 75.0]),
                    ("nanpercentile", [[0, 50], [99, 100]]))
    for method in METHODS}
AXES: tuple[dict[str, Any], ...] = ({}, {"axis": 0}, {"axis": -1, "keepdims": True},
                                    {"axis": (0, 1)})


def exported_result(fn: Callable[..., Any], *arrays: Any, open_dims: bool = False) -> list[Any]:
    specs = [ag.TensorSpec((None,) * x.ndim, x.dtype) for x in arrays] if open_dims else arrays
    model = ag.export_onnx(None, ag.function(fn), *specs, checks="drop")
    return started(model, list(arrays))


def assert_same(fn: Callable[..., Any], *arrays: Any, open_dims: bool = False) -> None:
    wanted = fn(*arrays)
    several = isinstance(wanted, (tuple, list))
    found = exported_result(fn, *arrays, open_dims=open_dims)
    assert difference(list(wanted) if several else [wanted], found) == ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("keywords", AXES, ids=str)
@pytest.mark.parametrize("name", [*REDUCTIONS, *QUANTILES])
def test_rows_with_nans(name: str, keywords: dict[str, Any]) -> None:
    fn = (REDUCTIONS | QUANTILES)[name]
    for x in (GAPS, FULL.astype(np.float32), np.full((2, 3), np.nan)):
        assert_same(lambda x: fn(x, **keywords), x)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*REDUCTIONS, *QUANTILES])
def test_open_dimensions(name: str) -> None:
    fn = (REDUCTIONS | QUANTILES)[name]
    assert_same(lambda x: fn(x, axis=0), GAPS, open_dims=True)
    assert_same(lambda x: fn(x, axis=1), FULL, open_dims=True)


@pytest.mark.parametrize("matrix", [MATRIX, ROTATED, POSITIVE, MATRIX[:1, :1]], ids=len)
def test_linear_systems(matrix: Any) -> None:
    n = len(matrix)
    assert_same(lambda a, b: np.linalg.solve(a, b), matrix, RNG.normal(size=n))
    assert_same(lambda a, b: np.linalg.solve(a, b), matrix, RNG.normal(size=(n, 3)))
    assert_same(lambda a: np.linalg.inv(a), matrix)
    assert_same(lambda a: np.linalg.det(a), matrix)
    assert_same(lambda a: tuple(np.linalg.slogdet(a)), matrix)


def test_cholesky() -> None:
    assert_same(lambda a: np.linalg.cholesky(a), POSITIVE)


HEAVY = [[2.0, np.nan, 0.0, np.inf], [1.0, np.inf, np.inf, np.inf], [-np.inf, np.inf, 1.0],
         [-np.inf, np.inf], [np.inf], [3.0, 1.0, 2.0, 4.0]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("q", [0, 50, 75, 100])
@pytest.mark.parametrize("row", HEAVY, ids=str)
def test_rows_with_infinities(row: list[float], q: int) -> None:
    x = np.array(row)
    for fn in (np.percentile, np.nanpercentile):
        assert_same(lambda x: [fn(x, q, method=m) for m in METHODS], x)  # noqa: B023
    assert_same(lambda x: (np.median(x), np.nanmedian(x)), x)


def test_a_matrix_of_ones_whose_size_the_run_knows() -> None:
    assert_same(lambda n: np.eye(n), np.int64(3))


@pytest.mark.parametrize("keywords", [{}, {"axis": None}, {"axis": 1, "keepdims": True}], ids=str)
@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.minimum, np.logical_and,
                                   np.logical_or], ids=lambda u: u.__name__)
def test_what_reduces_by_a_ufunc(ufunc: Any, keywords: dict[str, Any]) -> None:
    for dtype in ("f4", "i8", "b1"):
        assert_same(lambda x: ufunc.reduce(x, **keywords), (FULL * 2).astype(dtype))


def test_what_raises_is_refused_unless_it_is_dropped() -> None:
    with pytest.raises(ag.errors.ExportError, match="cannot raise"):
        ag.export_onnx(None, ag.function(lambda a: np.linalg.inv(a)), MATRIX)


def test_a_singular_matrix_has_the_determinant_zero() -> None:
    assert exported_result(lambda a: np.linalg.det(a), np.ones((3, 3)))[0] == 0


def loss(w: Any, b: Any, x: Any, y: Any) -> Any:
    hidden = np.tanh(x @ w + b)
    return np.mean((hidden - y) ** 2)


@pytest.mark.parametrize("open_dims", [False, True])
def test_a_training_step(open_dims: bool) -> None:
    step = ag.value_and_grad(loss, argnums=(0, 1))

    def trained(w: Any, b: Any, x: Any, y: Any) -> Any:
        value, (dw, db) = step(w, b, x, y)
        return value, w - 0.1 * dw, b - 0.1 * db

    arrays = [RNG.normal(size=s) for s in ((3, 2), (2,), (5, 3), (5, 2))]
    wanted = list(trained(*arrays))
    model = ag.export_onnx(None, ag.function(trained), *(
        ag.TensorSpec((None, *x.shape[1:]), x.dtype) if open_dims and i > 1 else x
        for i, x in enumerate(arrays)), checks="drop")
    assert difference(wanted, started(model, arrays)) == ""
