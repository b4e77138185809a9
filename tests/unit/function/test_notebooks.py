"""Notebooks, executed by a kernel: what the cells show is what is stored in them."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.house.checkout import ROOT

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed (extra `notebooks`)")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed (extra `notebooks`)")
pytest.importorskip("ipykernel", reason="ipykernel is not installed (extra `notebooks`)")

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


@pytest.fixture(autouse=True)
def of_this_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel imports what the tests import."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (
        str(ROOT), os.environ.get("PYTHONPATH")))))


def executed(notebook: Any) -> Any:
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return notebook


def shown(notebook: Any) -> list[str]:
    """Returns the text of every output."""
    return [out.get("text") or out["data"]["text/plain"]
            for cell in notebook.cells for out in cell.get("outputs", ())]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_shows_what_is_stored(path: Any) -> None:
    stored = nbformat.read(path, as_version=4)
    expected = shown(stored)
    assert len(expected) > 5
    assert shown(executed(stored)) == expected


CELLS = (
    "import numpy as np, autograph as ag\nx = np.float64(3.0)",
    "rate = 2.0\ndef helper(v):\n    return v + 1",
    "@ag.function\ndef f(v):\n    return helper(v) * rate",
    "@ag.function(captures='freeze')\ndef frozen(v):\n    return helper(v) * rate",
    "f(x), frozen(x)",
    "def helper(v):\n    return v + 10",
    "f(x), frozen(x)",
    "rate = 5.0",
    "f(x), f.python_function(x), frozen(x)",
)


def test_what_a_cell_defines_anew_is_used() -> None:
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    assert shown(executed(made)) == [
        "(np.float64(8.0), np.float64(8.0))", "(np.float64(26.0), np.float64(8.0))",
        "(np.float64(65.0), np.float64(65.0), np.float64(8.0))"]


def test_names_have_a_short_form_and_a_page() -> None:
    cells = (*CELLS[:3], "f(x)", "f", "f.explain(x)", "f.graph(x)", "ag.check(f, x)")
    made = executed(nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(text) for text in cells]))
    pages = [cell.outputs[0]["data"] for cell in made.cells[4:]]
    assert all("text/html" in data and len(data["text/plain"]) < 200 for data in pages)
    assert len(pages[0]["text/html"]) < 2000 < len(pages[1]["text/html"])
