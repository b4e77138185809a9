"""Converts the functions of the standard library: no internal error, and the result compiles."""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gast
import pytest

from autograph.analysis.statements import statements
from autograph.passes import pipeline
from autograph.syntax.context import Context
from autograph.syntax.recursion_limit import deep_recursion
from tests.support.amount import one_of

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
SAMPLE = ("argparse", "ast", "contextlib", "difflib", "enum", "http/cookiejar", "inspect",
          "statistics", "tarfile", "textwrap", "threading", "typing")


def functions(body: list[Any], owner: str | None = None) -> Iterator[tuple[Any, str | None]]:
    """The functions and methods of a module, with the class that holds them."""
    for statement in statements(body):
        if isinstance(statement, gast.FunctionDef):
            yield statement, owner
        elif isinstance(statement, gast.ClassDef):
            yield from functions(statement.body, statement.name)


def convert_all(file: Path) -> int:
    """Converts and compiles every function of a file; the number of functions."""
    count = 0
    for function, owner in functions(gast.parse(file.read_bytes()).body):
        converted = pipeline.run(function, Context(class_name=owner))
        converted.decorator_list = []
        compiled(gast.gast_to_ast(converted), file)
        count += 1
    return count


def compiled(function: Any, file: Path) -> None:
    """Compiles a function as a method is: its class may be a free variable."""
    factory = ast.parse("def factory(__class__): pass")
    factory.body[0].body = [function]  # type: ignore[attr-defined]
    compile(ast.fix_missing_locations(factory), str(file), "exec")


@pytest.mark.parametrize("name", SAMPLE)
def test_sample(name: str) -> None:
    assert convert_all(LIBRARY / f"{name}.py") > 5


PARTS = 8


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_all(part: int) -> None:
    """Every eighth file; all with `AUTOGRAPH_TESTS=1000`."""
    files = [file for file in sorted(LIBRARY.rglob("*.py"))
             if not {"site-packages", "lib2to3", "test"} & set(file.parts)]
    step = one_of(8)
    with deep_recursion():
        converted = sum(convert_all(file) for file in files[::step][part::PARTS])
    assert converted > 500 // step
