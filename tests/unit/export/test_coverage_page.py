"""docs/onnx-coverage.md says of each op what the export does."""

from __future__ import annotations

import os

import pytest

from autograph.runtime.ops.op import OPS
from tests.unit.export.test_coverage_rows import ROWS

pytest.importorskip("onnx", reason="the extra onnx is not installed")
from autograph.runtime.export.onnx.coverage import DTYPES, how, outcome

NAMES = sorted(OPS) if os.environ.get("AUTOGRAPH_ALL_EXPORTS") else sorted(OPS)[::25]


@pytest.mark.parametrize("name", NAMES)
def test_row_is_what_the_export_does(name: str) -> None:
    op = OPS[name]
    wanted = f"| `{name}` | {how(op)} | {' | '.join(outcome(op, d) for d in DTYPES)} |"
    assert ROWS[name] == wanted
