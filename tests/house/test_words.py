"""The old words go: identifiers, docstrings, comments, errors and pages say the field's words."""

import ast

from autograph.tools.words import old_words, texts
from tests.house.checkout import ROOT, python_files, tree_of

FOLDERS = ("autograph", "runtime", "tools", "docs", "benchmarks")
DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module


def test_old_words_go() -> None:
    found = [f"{w.file}:{w.line}: {w.word}: say {w.say}" for file, text in texts(ROOT, FOLDERS)
             for w in old_words(file, text)]
    assert found == []


def test_docstrings_say_what_a_thing_does_or_returns() -> None:
    found = [(file, getattr(node, "name", file))
             for file in python_files("autograph", "runtime", "tools")
             for node in ast.walk(tree_of(file)) if isinstance(node, DEFINITIONS)
             and (ast.get_docstring(node) or "").startswith(("Whether", "What"))]
    assert found == []
