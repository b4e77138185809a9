"""The commands that run a file: `autograph report` and `autograph graph`."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from autograph.tools import cli
from tests.house.checkout import ROOT
from tests.unit.tools import folder

PROGRAM = """\
    import numpy as np
    import autograph as ag

    START = np.arange(4.0)

    @ag.function
    def decay(x, rate=0.5, *, rounds=2):
        while x.max() > 1:
            x = x * rate
        return x

    def plain(x):
        return x + 1

    class Model:
        @staticmethod
        @ag.function
        def run(x):
            return -x

    LIMIT = 3
    decay(START)
    """


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., folder.Said]:
    (tmp_path / "model_of_decay.py").write_text(dedent(PROGRAM))
    (tmp_path / "raising.py").write_text("1 / 0\n")
    monkeypatch.chdir(tmp_path)
    return folder.caller(cli.main, capfdbinary.readouterr)


FILE = "model_of_decay.py"
ROWS: list[tuple[list[str], int, str]] = [
    (["report", f"{FILE}::decay"], 0, "trace 1: x: f64[4], rate: 0.5, rounds: 2"),
    (["report", f"{FILE}::decay", "--args", "START", "rate=0.25"], 0, "rate: 0.25"),
    (["report", f"{FILE}::decay", "--args", "np.ones(3)", "0.1"], 0, "x: f64[3], rate: 0.1"),
    (["report", f"{FILE}::plain", "--args", "START"], 0, "1 node: add"),
    (["report", f"{FILE}::Model.run", "--args", "START"], 0, "1 node: negative"),
    (["report", f"{FILE}::plain"], 0, "no trace yet"),
    (["report", FILE], 2, "say which function"),
    (["report", f"{FILE}::nothing"], 2, "has no 'nothing' (it has: decay, plain)"),
    (["report", f"{FILE}::LIMIT"], 2, "LIMIT in model_of_decay.py is int, not a function"),
    (["report", "none.py::f"], 2, "there is no file 'none.py'"),
    (["report", f"{FILE}::decay", "--args", "nonsense"], 2, "argument 'nonsense': NameError"),
    (["report", f"{FILE}::decay", "--args", "1 +"], 2, "argument '1 +': SyntaxError"),
    (["report", f"{FILE}::decay", "--args", "1", "2", "3"], 2,
     "too many positional arguments; the function's arguments follow --args"),
    (["report", f"{FILE}::decay", "--args", "1, 2"], 2, "give each as a word, or write '(1, 2)'"),
    (["run"], 2, "say what to run: a script, or -m MODULE"),
    (["run", "--convert", FILE], 2, "--convert is followed by a package, then the script"),
    (["help"], 0, "report     say what became of a function"),
    (["report", "raising.py::f"], 1, "ZeroDivisionError: division by zero"),
    (["report", "raising.py::f", "--traceback"], 1, "Traceback (most recent call last)"),
    (["graph", f"{FILE}::decay", "--args", "START"], 0, "while(x)"),
    (["graph", f"{FILE}::decay", "--args", "START", "--format", "lines"], 0, "# model_of_decay.py"),
    (["graph", f"{FILE}::decay", "--args", "START", "--format", "dot"], 0, 'digraph "decay" {'),
    (["graph", f"{FILE}::decay", "--args", "START", "--format", "html"], 0, "<details open"),
    (["graph", f"{FILE}::decay", "--args", "START", "--format", "python"], 0, "def decay(x):"),
    (["graph", f"{FILE}::decay", "--args", "'a' + 1"], 2, "TypeError"),
    (["graph", f"{FILE}::decay"], 2, "missing a required argument"),
    (["graph", "raising.py::f"], 1, "ZeroDivisionError"),
    (["--help"], 0, "report     say what became of a function"),
]


@pytest.mark.parametrize(("words", "code", "text"), ROWS, ids=lambda x: " ".join(x) if isinstance(
    x, list) else None)
def test_row(run: Callable[..., folder.Said], words: list[str], code: int, text: str) -> None:
    said = run(*words)
    assert said.code == code, said.err
    assert text in (said.err if code else said.out)


def test_files(run: Callable[..., folder.Said]) -> None:
    words = (f"{FILE}::decay", "--args", "START")
    assert run("report", *words, "--html", "out.html") == folder.Said(0, "", "")
    assert Path("out.html").read_text().startswith("<!doctype html>")
    assert run("graph", *words, "--format", "dot", "-o", "out.dot").code == 0
    assert Path("out.dot").read_text().startswith("digraph")


@pytest.mark.parametrize("command", [("-m", "autograph"), ("script.py",)])
def test_the_commands_own_call_is_not_told(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / FILE).write_text(dedent(PROGRAM))
    (tmp_path / "script.py").write_text("from autograph.tools.cli import main\nmain()\n")
    said = subprocess.run(
        [sys.executable, *command, "report", f"{FILE}::plain", "--args", "START"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        check=True).stdout
    assert "  why: the first call\n" in said
