"""Each table of what a target takes has a row for every op; the extras are not needed to see it."""

from __future__ import annotations

import pytest

from autograph.runtime.ops.op import OPS
from tests.house.checkout import ROOT


def rows_of(target: str) -> dict[str, str]:
    lines = (ROOT / f"docs/{target}-coverage.md").read_text(encoding="utf-8").splitlines()
    return {line.split("`")[1]: line for line in lines if line.startswith("| `")}


ROWS = {target: rows_of(target) for target in ("onnx", "jax")}


@pytest.mark.parametrize("target", ROWS)
def test_every_op_has_a_row(target: str) -> None:
    assert ROWS[target].keys() == OPS.keys()
