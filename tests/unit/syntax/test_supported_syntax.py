"""Every kind of syntax is either supported or refused with a message of its own."""

from __future__ import annotations

import ast
from typing import Any

import gast
import pytest

from autograph.passes import pipeline
from autograph.syntax import supported_syntax
from autograph.syntax.context import Context
from autograph.syntax.errors import UnsupportedSyntaxError
from tests.support.compiler import parsed

KINDS = [kind.__name__ for base in (ast.stmt, ast.expr, ast.pattern, ast.excepthandler)
         for kind in base.__subclasses__() if kind.__module__ in ("ast", "_ast")]
# Kinds that the parser no longer makes; gast turns the last ones into others.
GONE = {"Num", "Str", "Bytes", "NameConstant", "Ellipsis", "Index", "ExtSlice"}


@pytest.mark.parametrize("kind", sorted(set(KINDS) - GONE))
def test_kind_is_named(kind: str) -> None:
    assert (kind in supported_syntax.SUPPORTED) != (kind in supported_syntax.REFUSED)


@pytest.mark.parametrize("kind", sorted(supported_syntax.REFUSED))
def test_refusal(kind: str) -> None:
    tree: Any = parsed("def f(x):\n    x = 1")
    node = getattr(gast, kind)()
    tree.body[0].value = node
    with pytest.raises(UnsupportedSyntaxError, match="use ") as caught:
        supported_syntax.check(
            tree, Context(filename="file.py", source_lines=("def f(x):", "    x = 1"))
        )
    assert str(caught.value).startswith("file.py:2:5: AG103 ")
    assert "    x = 1\n" in str(caught.value)


def test_unknown_statement_is_refused() -> None:
    tree: Any = parsed("def f(x):\n    x = 1")
    tree.body[0] = None  # what gast makes of a statement that it does not know
    with pytest.raises(UnsupportedSyntaxError, match="does not support this syntax"):
        pipeline.run(tree, Context())


def test_blanks_in_dicts_and_parameters_are_fine() -> None:
    supported_syntax.check(parsed("def f(*, a, b=1): return {**a, 1: b}"), Context())
