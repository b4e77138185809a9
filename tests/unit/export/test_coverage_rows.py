"""docs/onnx-coverage.md has a row for every op; the extra onnx is not needed to see that."""

from __future__ import annotations

from autograph.runtime.ops.op import OPS
from tests.house.checkout import ROOT

ROWS = {line.split("`")[1]: line for line in (ROOT / "docs/onnx-coverage.md").read_text(
    encoding="utf-8").splitlines() if line.startswith("| `")}


def test_every_op_has_a_row() -> None:
    assert ROWS.keys() == OPS.keys()
