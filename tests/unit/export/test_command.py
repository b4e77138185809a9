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


def test_a_file_that_cannot_be_written_is_told_in_the_systems_words(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnx", reason="the extra onnx is not installed")
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    args = ["export", f"{file}::halved", "--args", "np.ones(3)"]
    assert main([*args, "--onnx", "-o", "/dev/full"]) == 2
    assert "cannot write '/dev/full': No space left on device" in capsys.readouterr().err
    assert main([*args, "--python", "-o", str(tmp_path / "no" / "h.py")]) == 2
    assert "h.py': No such file or directory" in capsys.readouterr().err


def test_a_word_too_many_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["export", "program.py::halved", "--onnx", "--form=x", "--args", "np.ones(3)"])
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
