"""The blocks of the page on other engines that need one: they run where it is installed."""

import re
import runpy
from pathlib import Path

import pytest

from tests.house.checkout import ROOT


def blocks(section: str) -> list[str]:
    """Returns the blocks of a section of the page, without prompts."""
    text = (ROOT / "docs" / "scaling.md").read_text().partition(f"\n## {section}\n")[2]
    return [re.sub(r"^>>> ", "", block, flags=re.M) for block in re.findall(
        r"```(?:python|text)\n(.*?)```", text.partition("\n## ")[0], flags=re.S)]


def run(program: str, folder: Path) -> dict[str, object]:
    path = folder / "page.py"
    path.write_text(program)
    return runpy.run_path(str(path))


def test_onnx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnxruntime")
    monkeypatch.chdir(tmp_path)
    made = run("\n".join(["import onnxruntime", *blocks("ONNX")]), tmp_path)
    assert made["mean"] == 1.0 and made["after"].shape == (9,)  # type: ignore[attr-defined]


def test_jax(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    before = "import jax, numpy as np\nimport autograph as ag\n" \
             "f = ag.function(lambda x: (x * x).sum())\n" \
             "x, rows = np.ones(3, np.float32), np.ones((2, 3), np.float32)\n"
    block, = blocks("JAX")
    made = run(before + re.sub(r"^(jax\.jit)", r"found = \1", block, flags=re.M), tmp_path)
    value, gradient, values = made["found"]  # type: ignore[misc]
    assert float(value) == 3.0 and gradient.tolist() == [2.0] * 3 and values.tolist() == [3.0] * 2
