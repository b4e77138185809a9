"""Cells of notebooks under %%time, %%timeit and %%prun: decorated functions in them are found."""

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import autograph as ag
from tests.house.checkout import ROOT

DEFINED = """\
def helper(x):
    return x + 1

@ag.function
def f(x):
    if x > 0:
        x = helper(x) * 2
    return x
"""
OTHER = DEFINED.replace("* 2", "* 7")


@pytest.fixture
def history(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The cells of a shell that stands for IPython's."""
    cells: list[str] = []
    shell = SimpleNamespace(transform_cell=lambda text: text,
                            history_manager=SimpleNamespace(input_hist_raw=cells))
    ipython = ModuleType("IPython")
    ipython.get_ipython = lambda: shell
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    return cells


def executed(text: str, filename: str) -> dict:
    """The names after a cell, run as the magics do: %%timeit makes a function of it."""
    names: dict = {"ag": ag, "np": np}
    tree = ast.parse(text)
    if filename == "<magic-timeit>":
        outer = ast.parse("def inner(_it, _timer):\n  for _ in _it: pass\n  return f")
        outer.body[0].body[0].body = tree.body
        names["f"] = run(outer, filename, names)["inner"]([0], None)
        return names
    return run(tree, filename, names)


def run(tree: ast.Module, filename: str, names: dict) -> dict:
    exec(compile(tree, filename, "exec"), names)
    return names


@pytest.mark.parametrize("filename", ["<timed exec>", "<string>", "<magic-timeit>"])
def test_function_under_a_magic_is_converted(filename: str, history: list[str]) -> None:
    history += [f"%%time\n{OTHER}", f"%%magic -n 2\n%%time\n\n{DEFINED}", "%%bash\nf f f (",
                "f(1)", f"%%time\n{OTHER}"]
    f = executed(DEFINED, filename)["f"]
    assert [f(np.float64(x)) for x in (3, -1, 4)] == [8, -1, 10]
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("cells", [[], [DEFINED], [f"%%time\n{OTHER}"], ["%%time\n\n\n(f"]])
def test_another_function_is_never_taken(cells: list[str], history: list[str]) -> None:
    history += cells
    with pytest.raises(ag.SourceUnavailableError):
        executed(DEFINED, "<string>")


@pytest.mark.parametrize("filename", ["<timed exec>", "<string>", "<magic-timeit>"])
def test_an_explanation_and_an_error_show_the_lines_of_the_cell(
        filename: str, history: list[str]) -> None:
    first = DEFINED.replace("x > 0", "x.sum() > 0").replace("* 2", "/ np.ones(3)")
    second = first.replace("/ np.ones(3)", "@ np.ones(4)")
    history += ["", f"%%time\n{first}"]
    f = executed(first, filename)["f"]
    history += [f"%%time\n{second}"]
    g = executed(second, filename)["f"]  # a later cell has the same file name
    with pytest.raises(ValueError, match=r"helper\(x\) / np.ones\(3\)"):
        f(np.ones(2))
    with pytest.raises(ValueError, match=r"helper\(x\) @ np.ones\(4\)"):
        g(np.ones(3))
    for function, text in ((f, "helper(x) / np.ones(3)"), (g, "helper(x) @ np.ones(4)")):
        explanation = function.explain(np.ones(1) if function is f else np.ones(4))
        assert text in str(explanation) and text in explanation.html()
        assert [shown.lines[0].strip() for shown in explanation.functions] == [
            "@ag.function", "def helper(x):"]


NOTEBOOK = r'''
import sys
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
for cell in CELLS:
    result = shell.run_cell(cell, store_history=True)
    result.raise_error()
assert shell.user_ns["ok"] == 5, shell.user_ns["ok"]
'''
CELLS = [
    "import numpy as np, autograph as ag\nok = 0",
    f"%%time\n{DEFINED}r = f(np.float64(3.0))",
    "assert r == 8; ok += 1",
    f"%%timeit -n2 -r1\n{OTHER}assert f(np.float64(3.0)) == 28",
    f"%%prun -q\n{OTHER}r = f(np.float64(3.0))",
    "assert r == 28; ok += 1",
    f"%%capture out\n{DEFINED}r = f(np.float64(3.0))",
    "assert r == 8; ok += 1",
    "%%time\n\ng = ag.function(lambda x: x - 1 if x > 0 else x)\nr = g(np.float64(3.0))",
    "assert r == 2; ok += 1",
    "@ag.function(captures='guard')\ndef h(x):\n    return helper(x)",
    "assert h(np.float64(1.0)) == 2",
    "def helper(x):\n    return x + 10",
    "assert h(np.float64(1.0)) == 11; ok += 1",
]


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("IPython") is None, reason="IPython is not installed")
def test_notebook_runs_in_ipython(tmp_path: Path) -> None:
    file = tmp_path / "notebook.py"
    file.write_text(f"CELLS = {CELLS!r}\n{NOTEBOOK}", encoding="utf-8")
    result = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, env={
        "PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path), "HOME": str(tmp_path)})
    assert result.returncode == 0, result.stdout + result.stderr
