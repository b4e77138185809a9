"""The old words go: identifiers, docstrings, comments, errors and pages say the field's words."""

import ast
from functools import cache

import pytest

from autograph.tools.words import Found, old_words, texts
from tests.house.checkout import ROOT, python_files

FOLDERS = ("autograph", "runtime", "tools", "docs", "benchmarks")
DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module


def package(file: str) -> str:
    """The package, or folder of pages, that a file is in: the first two folders of its path."""
    return "/".join(file.split("/")[:-1][:2])


@cache
def found() -> dict[str, list[Found]]:
    """The old words of the checkout by folder."""
    folders: dict[str, list[Found]] = {}
    for file, text in texts(ROOT, FOLDERS):
        folders.setdefault(package(file), []).extend(old_words(file, text))
    return folders


@pytest.mark.parametrize("folder", sorted(found()))
def test_old_words_go(folder: str) -> None:
    words = found()[folder]
    assert words == [], "\n".join(
        f"{w.file}:{w.line}: {w.word}: say {w.say}" for w in words)


@pytest.mark.parametrize("file", python_files("autograph", "runtime", "tools"))
def test_docstrings_say_what_a_thing_does_or_returns(file: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    found = [(getattr(node, "name", file), ast.get_docstring(node) or "")
             for node in ast.walk(tree) if isinstance(node, DEFINITIONS)]
    assert [name for name, doc in found if doc.startswith(("Whether", "What"))] == []


def test_old_words_are_found_in_names_and_texts() -> None:
    text = '"""Twins of a function."""\nNeedsWhole = in_place = __slots__ = place = 0  # owed\n'
    assert [w.word for w in old_words("runtime/a.py", text)] == ["Twins", "whole", "place", "owed"]
    assert [w.word for w in old_words("docs/a.md", "a value rounds to even in 3 rounds")] == [
        "rounds"]
