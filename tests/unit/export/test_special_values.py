"""Arrays that hold NaN, infinities and the ends of the integers: an engine gives what NumPy gives,
or refuses. The samples are those of the op table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.export.samples import DTYPES
from tests.support.amount import sample
from tests.unit.export import test_jax, test_onnx
from tests.unit.export.comparing import difference
from tests.unit.export.onnx_runs import run_onnx, started
from tests.unit.export.special_samples import special_samples

onnxruntime = pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
jnp = pytest.importorskip("jax.numpy", reason="the extra jax is not installed")

from autograph.runtime.export.jax.coverage import lowered, recorded  # noqa: E402
from autograph.runtime.export.onnx.coverage import exported  # noqa: E402
from autograph.runtime.export.onnx.export import model_of  # noqa: E402

FLOATS_ONLY = ("add_at", "sum_to", "sum_to_type", "linalg.", "numpy.linalg.")
"""Of integers: gradients have none, and matrices of large ones are singular or not by rounding."""


def rows(ops: Any) -> list[tuple[Any, str]]:
    """Returns the ops that are tried, each with the dtypes."""
    return [(op, d) for op in ops for d in DTYPES[:-1]
            if d[0] == "f" or not op.name.startswith(FLOATS_ONLY)]


def name_of(x: Any) -> str:
    return x if isinstance(x, str) else str(x.name)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("op", "dtype"), sample(rows(test_onnx.OPS_TRIED), 90), ids=name_of)
def test_onnx_gives_what_numpy_gives_or_stops(op: Any, dtype: str) -> None:
    for args, kwargs, wanted in special_samples(op, dtype):
        try:
            one = exported(op, args, kwargs, wanted)
            found = started(one.model, one.inputs)
        except ag.errors.ExportError:
            continue
        except Exception as error:  # its own, without a class of its own
            assert "out of data bounds" in str(error)
            continue
        results = list(wanted) if isinstance(wanted, (tuple, list)) and len(found) > 1 else [wanted]
        if op.name == "argsort":
            results, found = ([test_onnx.sorted_by(order, *args, **kwargs) for order in xs]
                              for xs in (results, found))
        if op.name in test_onnx.MIXED:
            results, found = ([np.asarray(x, float) for x in xs] for xs in (results, found))
        assert difference(results, found) == "", (args, kwargs)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("op", "dtype"), sample(rows(
    op for op in test_jax.OPS_TRIED if not op.name.startswith("fft.")), 90), ids=name_of)
def test_jax_gives_what_numpy_gives_or_refuses(op: Any, dtype: str) -> None:
    for args, kwargs, wanted in special_samples(op, dtype):
        try:
            recorded(op, args, kwargs, wanted)
            call, arrays = lowered(op, args, kwargs)
            found = call(*map(jnp.asarray, arrays))
        except ag.errors.ExportError:
            continue
        found = [np.asarray(x) if hasattr(x, "dtype") else x for x in found]
        results = list(wanted) if isinstance(wanted, (tuple, list)) and len(found) > 1 else [wanted]
        assert difference(results, found) == "", (args, kwargs)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "ihfft"])
def test_the_transform_of_an_infinity_is_refused_in_a_call(name: str) -> None:
    f: Any = ag.function(lambda x: getattr(np.fft, name)(x))
    assert difference(getattr(np.fft, name)(np.arange(4.0)), f.to_jax()(jnp.arange(4.0))) == ""
    with pytest.raises(ag.errors.ExportError, match=f"{name} of infinities"):
        f.to_jax()(jnp.asarray([1.0, np.inf, 2.0]))


WIDE = np.array([[2 ** 60 + 1, 2, -5], [2 ** 62 - 1, 2 ** 62 + 3, 7]])


@pytest.mark.parametrize("dtype", ["int64", "uint64", "int32"])
@pytest.mark.parametrize("plain", [
    lambda x: (np.sum(x), np.sum(x, axis=0), np.sum(x, axis=1, keepdims=True)),
    lambda x: (np.prod(x), np.prod(x, axis=1), np.prod(x[:0], axis=0)),
    lambda x: (np.trace(x), np.vdot(x, x), np.inner(x, x), x @ x.T, np.cumsum(x)),
    lambda x: (np.einsum("ij->", x), np.einsum("ij->i", x), np.einsum("ij,kj->i", x, x)),
    lambda x: (x.sum(dtype=x.dtype), np.nansum(x), np.dot(x[0], x[1]))])
def test_onnx_sums_large_integers_exactly(plain: Callable[..., Any], dtype: str) -> None:
    x = WIDE.astype(dtype)
    try:
        model = model_of(ag.function(lambda x: plain(x)).get_concrete_function(x), "drop")
    except ag.errors.ExportError:
        assert dtype != "int64"
        return
    for reference in (False, True):
        assert difference(plain(x), run_onnx(model, [x], reference)) == ""


XS = [np.array(x) for x in (
    [[np.nan, 1.0, 2.0], [np.nan, -1.0, 0.5], [3.0, 2.0, 1.0]],
    [[np.inf, 1.0, 2.0], [0.25, -1.0, np.nan], [3.0, -np.inf, 1.0]],
    [[1.0, np.inf, np.inf], [0.25, -1.0, 2.0], [3.0, 2.0, 1.0]])]

FUNCTIONS: list[Callable[..., Any]] = [
    lambda x: (np.ptp(x), np.ptp(x, axis=1, keepdims=True)),
    lambda x: (np.nanvar(x), np.nanstd(x, axis=1)),
    np.trace,
    lambda x: (np.nanmean(x, axis=0), np.nansum(x), np.nanmax(x, axis=1), np.nanmedian(x)),
    lambda x: (np.sort(x, axis=0), np.median(x), np.argmax(x), np.argmin(x, axis=1)),
    lambda x: (np.cumsum(x, axis=1), np.diff(x), np.clip(x, 0, 2), np.max(x), np.min(x, axis=0)),
    lambda x: np.unique(x, return_counts=True),
    lambda x: [np.searchsorted(np.sort(x.ravel()), x, side) for side in ("left", "right")],
    lambda x: (np.intersect1d(x, x[1:]), np.union1d(x, x[0]), np.setdiff1d(x, x[:, 0])),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("plain", FUNCTIONS)
def test_calls_of_several_functions(plain: Callable[..., Any]) -> None:
    model = model_of(ag.function(lambda x: plain(x)).get_concrete_function(XS[0]), "drop")
    for x in XS:
        with np.errstate(all="ignore"):
            assert not difference(plain(x), run_onnx(model, [x]))
