"""Arrays that hold NaN and infinities: an engine gives what NumPy gives, or refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.unit.export.comparing import difference
from tests.unit.export.onnx_runs import run_onnx

pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")

from autograph.runtime.export.onnx.export import model_of

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
def test_onnx_gives_what_numpy_gives(plain: Callable[..., Any]) -> None:
    model = model_of(ag.function(lambda x: plain(x)).get_concrete_function(XS[0]), "drop")
    for x in XS:
        with np.errstate(all="ignore"):
            assert not difference(plain(x), run_onnx(model, [x]))
