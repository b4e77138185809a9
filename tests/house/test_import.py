"""`import autograph` loads what a decorator needs, and works with what is imported later."""

import subprocess
import sys

import pytest

from tests.house.checkout import ROOT

LATER = ("numpy.random", "concurrent.futures", "html", "astunparse", "autograph.printer.statements",
         "autograph.explain", "autograph.runtime.codegen.standalone", "importlib.resources",
         "difflib")
"""What takes long to import, and is of use in few programs."""


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], cwd=ROOT, text=True, check=True,
                          capture_output=True).stdout


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    return set(run("import sys, autograph; print(*sys.modules)").split())


@pytest.mark.parametrize("name", LATER)
def test_import_leaves_to_later(name: str, loaded: set[str]) -> None:
    assert "autograph.function" in loaded
    assert name not in loaded


DRAWS = '''
import linecache, sys
import numpy as np
import autograph as ag

TEXT = """
def draw(x):
    np.random.seed(3)
    rng = np.random.default_rng(7)
    return x + np.random.rand() + rng.normal()
"""
assert "numpy.random" not in sys.modules
linecache.cache["draws"] = len(TEXT), None, TEXT.splitlines(True), "draws"
exec(compile(TEXT, "draws", "exec"))
traced = ag.function(draw)
x = np.ones(2)
assert [str(traced(x)), str(traced(x))] == [str(draw(x)), str(draw(x))]
print(*{e.op.name for e in traced.graph(x).walk()} & {"draw", "make_generator"})
'''


def test_random_numbers_are_drawn_by_the_graph_if_numpy_imports_them_late() -> None:
    assert set(run(DRAWS).split()) == {"draw", "make_generator"}
