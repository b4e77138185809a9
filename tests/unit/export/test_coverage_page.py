"""docs/onnx-coverage.md and docs/jax-coverage.md say of each op what the export does."""

from __future__ import annotations

import pytest

from autograph.runtime.ops.op import OPS
from tests.support.amount import one_of
from tests.unit.export.test_coverage_rows import ROWS

NAMES = sorted(OPS)[::one_of(25)]


@pytest.mark.parametrize("name", NAMES)
def test_row_of_onnx_is_what_the_export_does(name: str) -> None:
    pytest.importorskip("onnx", reason="the extra onnx is not installed")
    from autograph.runtime.export.onnx.coverage import line

    assert ROWS["onnx"][name] == line(OPS[name])


@pytest.mark.parametrize("name", NAMES)
def test_row_of_jax_is_what_the_lowering_does(name: str) -> None:
    jax = pytest.importorskip("jax", reason="the extra jax is not installed")
    from autograph.runtime.export.jax.coverage import line

    jax.config.update("jax_enable_x64", True)
    assert ROWS["jax"][name] == line(OPS[name])
