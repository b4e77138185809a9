"""docs/onnx-coverage.md has a row for every op, and says of each what the export does."""

from __future__ import annotations

import os

import pytest

from autograph.runtime.ops.op import OPS
from tests.house.checkout import ROOT

pytest.importorskip("onnx", reason="the extra onnx is not installed")
from autograph.runtime.export.onnx.coverage import DTYPES, how, outcome

ROWS = {line.split("`")[1]: line for line in (ROOT / "docs/onnx-coverage.md").read_text(
    encoding="utf-8").splitlines() if line.startswith("| `")}
NAMES = sorted(OPS) if os.environ.get("AUTOGRAPH_ALL_EXPORTS") else sorted(OPS)[::25]


def test_every_op_has_a_row() -> None:
    assert ROWS.keys() == OPS.keys()


@pytest.mark.parametrize("name", NAMES)
def test_row_is_what_the_export_does(name: str) -> None:
    op = OPS[name]
    wanted = f"| `{name}` | {how(op)} | {' | '.join(outcome(op, d) for d in DTYPES)} |"
    assert ROWS[name] == wanted
