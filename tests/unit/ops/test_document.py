"""docs/ops.md is what the op table says."""

from autograph.runtime.ops import OPS
from autograph.runtime.ops.document import page
from tests.house.checkout import ROOT


def test_page_is_up_to_date() -> None:
    assert (ROOT / "docs" / "ops.md").read_text(encoding="utf-8") == page(), (
        "run: python -m autograph.runtime.ops.document > docs/ops.md")


def test_page_has_a_row_for_every_op() -> None:
    rows = [line.split("|")[1].strip() for line in page().splitlines() if line.startswith("| `")]
    assert rows == [f"`{name}`" for name in OPS]
