"""The old words go: identifiers, docstrings, comments, errors and pages say the field's words."""

import ast
from collections import Counter
from functools import cache

import pytest

from autograph.tools.words import Found, old_words, texts
from tests.house.checkout import ROOT, python_files

FOLDERS = ("autograph", "runtime", "tools", "docs", "benchmarks")

OLD_WORDS: dict[str, int] = {
    "runtime/codegen": 1,
    "runtime/tensor_methods": 1,
}
"""How many old words a package may still say. A number may only go down; the aim is none."""

RIDDLES: dict[str, int] = {
}
"""How many docstrings of a package may still begin with "Whether" or "What"."""


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


@cache
def riddles() -> Counter[str]:
    """The number of docstrings that begin with "Whether" or "What", by folder."""
    counts: Counter[str] = Counter()
    for file in python_files("autograph", "runtime", "tools"):
        for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                doc = ast.get_docstring(node) or ""
                counts[package(file)] += doc.startswith(("Whether", "What"))
    return counts


@pytest.mark.parametrize("folder", sorted(found()))
def test_old_words_go(folder: str) -> None:
    words = found()[folder]
    assert len(words) <= OLD_WORDS.get(folder, 0), "\n".join(
        f"{w.file}:{w.line}: {w.word}: say {w.say}" for w in words)


@pytest.mark.parametrize("folder", sorted(riddles()))
def test_docstrings_say_what_a_thing_does_or_returns(folder: str) -> None:
    assert riddles()[folder] <= RIDDLES.get(folder, 0)


def test_old_words_are_found_in_names_and_texts() -> None:
    text = '"""Twins of a function."""\nNeedsWhole = in_place = __slots__ = place = 0  # owed\n'
    assert [w.word for w in old_words("runtime/a.py", text)] == ["Twins", "whole", "place", "owed"]
    assert [w.word for w in old_words("docs/a.md", "a value rounds to even in 3 rounds")] == [
        "rounds"]
