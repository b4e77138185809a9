"""Runs a source plainly and converted, on Python values, and compares what can be seen."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import gast

from autograph import operators
from autograph.passes import pipeline
from autograph.printer.original_literals import OriginalLiterals
from autograph.printer.statements import to_text
from autograph.staging.warning_calls import _warn
from autograph.syntax.context import Context

OPERATORS = SimpleNamespace(
    **{name: getattr(operators, name) for name in operators.OPERATORS},
    converted=lambda f: _warn if f is warnings.warn else f)


def parsed(source: str) -> Any:
    """The first statement of a source, as gast."""
    return gast.parse(source.strip("\n")).body[0]


def text(source: str, upto: str | None = None) -> str:
    """What the compiler makes of a function's source."""
    source = source.strip("\n")
    tree = parsed(source)
    made = pipeline.run(tree, Context(), stop_after=upto)
    return to_text(made, literals=OriginalLiterals(tree, source.split("\n"))).strip("\n")


def converted_module(source: str) -> ast.Module:
    """The module with every top-level function converted, with its positions as in the source."""
    module = gast.parse(source)
    module.body = [pipeline.run(node, Context()) if isinstance(node, gast.FunctionDef) else node
                   for node in module.body]
    return gast.gast_to_ast(module)


def namespace(tree: ast.Module | str) -> dict[str, Any]:
    """What running a module defines."""
    space: dict[str, Any] = {"ag": OPERATORS, "__name__": "program"}
    exec(compile(tree, "<program>", "exec"), space)
    return space


def both(source: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The definitions of a source, plain and converted."""
    return namespace(source), namespace(converted_module(source))


def outcome(function: Callable[..., Any], *arguments: Any) -> tuple[Any, ...]:
    """What a call shows: its result or its exception, and what it appended to its log."""
    log: list[Any] = []
    try:
        return "result", function(log, *arguments), log
    except Exception as error:
        return type(error).__name__, str(error), log


def lines_of(source: str) -> int:
    """The number of lines that say something."""
    return sum(bool(line.strip()) for line in source.splitlines())
