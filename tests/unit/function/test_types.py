"""Type checkers know decorated functions: parameters, results, options and what they tell."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.checkout import ROOT

PROGRAM = Path(__file__).with_name("typed_program.py")
MISTAKES = [number for number, line in enumerate(PROGRAM.read_text("utf-8").splitlines(), 1)
            if line.endswith("# error")]


def lines_with_errors(command: list[str], cwd: Path) -> list[int]:
    """The lines of the program for which a type checker reports errors."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=280,
                          check=False)
    found = re.findall(rf"{PROGRAM.name}:(\d+):(?:\d+)?.*?error", done.stdout)
    assert found, done.stdout + done.stderr
    return sorted(set(map(int, found)))


@pytest.mark.slow
def test_mypy_finds_the_mistakes_and_nothing_else(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent",
               "--cache-dir", str(ROOT / ".mypy_cache"), str(PROGRAM)]
    assert lines_with_errors(command, ROOT) == MISTAKES


@pytest.mark.slow
def test_pyright_finds_the_mistakes_and_nothing_else(tmp_path: Path) -> None:
    if shutil.which("pyright") is None:
        pytest.skip("pyright is not installed")
    program = shutil.copy(PROGRAM, tmp_path)
    (tmp_path / "pyrightconfig.json").write_text(f'{{"extraPaths": ["{ROOT}"]}}', "utf-8")
    command = ["pyright", "--pythonpath", sys.executable, str(program)]
    assert lines_with_errors(command, tmp_path) == MISTAKES
