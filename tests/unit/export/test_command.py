"""The command `autograph export`."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograph.tools.cli import main

PROGRAM = """
import numpy as np
import autograph as ag

@ag.function
def halved(x):
    if x.sum() > 1:
        return x / 2
    return x

@ag.function
def refused(x):
    return np.linalg.svd(x)
"""


def test_a_model_is_written_or_refused_with_the_line(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
    file, out = tmp_path / "program.py", tmp_path / "halved.onnx"
    file.write_text(PROGRAM)
    args = ["--onnx", "-o", str(out), "--args", "np.ones(3)"]
    assert main(["export", f"{file}::halved", *args]) == 0
    assert onnx.load(out).graph.input[0].name == "x"
    assert main(["export", f"{file}::refused", "--onnx", "--args", "np.ones((2, 2))"]) == 1
    assert "program.py:13" in capsys.readouterr().err
    assert main(["export", f"{file}::halved", "--args", "np.ones(3)"]) == 2
