"""Large constants of a stand-alone file: at its end, or in a file of arrays beside it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.tools.cli import main

WEIGHTS = np.random.default_rng(0).random((30, 20)).T
TABLE = np.arange(300) * 0.1
SMALL = np.array([1.0, 2.0])


def layer(x: Any) -> Any:
    return (WEIGHTS @ x * TABLE[:20]) + SMALL[0] + TABLE.sum()


GIVEN = np.linspace(0.0, 1.0, 30)


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("made", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_in_the_text_they_come_last() -> None:
    text = ag.function(layer).to_python(GIVEN)
    scope: dict[str, Any] = {"__name__": "made"}
    exec(text, scope)
    assert scope["layer"](GIVEN).tobytes() == layer(GIVEN).tobytes()
    before, _, after = text.partition("# The large constants")
    assert "b85decode" not in before and "def " not in after
    assert max(map(len, after.splitlines())) <= 100


def test_beside_the_file(tmp_path: Path) -> None:
    text = ag.function(layer).to_python(GIVEN)
    text.save(tmp_path / "made.py")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["made.npz", "made.py"]
    source = (tmp_path / "made.py").read_text()
    assert "b85decode" not in source and "import base64" not in source
    made = loaded(tmp_path / "made.py")
    assert made.layer(GIVEN).tobytes() == layer(GIVEN).tobytes()


def test_a_file_without_large_constants_is_alone(tmp_path: Path) -> None:
    text = ag.function(lambda x: x + SMALL).to_python(np.ones(2))
    text.save(tmp_path / "made.py")
    assert [p.name for p in tmp_path.iterdir()] == ["made.py"]
    assert (tmp_path / "made.py").read_text() == text


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"has to end in \.py"):
        ag.function(layer).to_python(GIVEN).save(tmp_path / "made.txt")


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "program.py"
    source.write_text("import numpy as np\nTABLE = np.arange(500) * 0.5\n"
                      "def look_up(i):\n    return TABLE[i] * 2\n")
    target = str(tmp_path / "made.py")
    call = ["export", "--python", f"{source}::look_up", "-o", target, "--args", "np.int64(3)"]
    assert main(call) == 0
    assert "1 arrays beside it" in capsys.readouterr().err
    assert loaded(tmp_path / "made.py").look_up(np.int64(3)) == 3.0
    assert main([*call[:4], str(source), *call[5:]]) == 2
    assert main(["export", f"{source}::look_up"]) == 2
