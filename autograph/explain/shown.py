"""Finds the user's functions that a graph has equations of: their lines and converted text."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from autograph.compiled_again import parsed
from autograph.conversion import driver
from autograph.conversion.code_cache import operators
from autograph.conversion.convert import plain_function
from autograph.conversion.module import Module
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.location import Location
from autograph.syntax.errors import ConversionError
from autograph.syntax.gast_conversion import as_ast

Line = tuple[str, int]
"""A file and a line of it."""

Rows = tuple[tuple[int, int], ...]
"""Pairs of a line of the converted text (from 1) and the line of the user's file."""


@dataclass(frozen=True)
class Shown:
    """A user's function or file, as an explanation shows it.

    first, lines   the number of its first line in the file, and its text.
    converted      the converted text; empty if there is none.
    rows           the user's lines of the lines of `converted`.
    """

    name: str
    filename: str
    first: int
    lines: tuple[str, ...]
    converted: str = ""
    rows: Rows = ()

    def has(self, location: Location | None) -> bool:
        """Returns True if a location is in these lines."""
        return location is not None and location.filename == self.filename and (
            self.first <= location.line < self.first + len(self.lines))

    def line_of(self, generated: int) -> int | None:
        """Returns the user's line that a line of the converted text comes from."""
        return dict(reversed(self.rows)).get(generated)


def pairs(text: str, tree: Any) -> Rows:
    """Returns the rows of a text that was printed from a tree."""
    printed = [n for n in ast.walk(parsed(text)) if isinstance(n, ast.stmt)]
    module = ast.Module([as_ast(tree)], [])
    made = [n for n in ast.walk(module) if isinstance(n, ast.stmt)]
    return tuple(sorted({(p.lineno, m.lineno) for p, m in zip(printed, made, strict=True)
                         if hasattr(m, "lineno")}))


def shown_function(function: Any) -> Shown:
    """Returns a function with its text converted as it is when it is called.

    Raises:
      ConversionError: it has no source, or it cannot be converted.
    """
    f: FunctionType = plain_function(function)
    rewritten = driver.rewrite(f, operators())
    text = driver.text_of(rewritten)
    filename = rewritten.source.filename
    lines, first = source_lines(filename, f.__code__.co_firstlineno)
    is_def = hasattr(rewritten.tree, "body") and isinstance(rewritten.tree.body, list)
    return Shown(f.__qualname__.rpartition("<locals>.")[2], filename, first, lines, text,
                 pairs(text, rewritten.tree) if is_def else ((1, first),))


def source_lines(filename: str, line: int, origin: Line | None = None
                 ) -> tuple[tuple[str, ...], int]:
    """Returns the lines of the function (or else statement) at a line, and the first's number.

    origin: where the function begins that is explained; a function around it is not shown.
    """
    text = linecache.getlines(filename)
    file, inside = origin or (filename, line)
    try:
        found = statement_at(parsed("".join(text)), line, inside if file == filename else 0)
    except SyntaxError:
        found = None
    if found is None:
        return tuple(x.rstrip("\n") for x in text[line - 1: line]), line
    first = _first(found)
    return tuple(x.rstrip("\n") for x in text[first - 1: found.end_lineno]), first


def statement_at(module: ast.Module, line: int, origin: int) -> ast.stmt | None:
    """Returns the outermost function (or other statement) around a line that is not also around
    the line `origin`."""
    body: Sequence[ast.stmt] = module.body
    while True:
        found = next((s for s in body if _first(s) <= line <= (s.end_lineno or s.lineno)), None)
        around = isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef)) and (
            _first(found) < origin <= (found.end_lineno or 0))
        if found is None or not (
                around or isinstance(found, (ast.ClassDef, ast.If, ast.Try, ast.With))):
            return found
        body = [s for s in ast.iter_child_nodes(found) if isinstance(s, ast.stmt)]


def _first(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])


def functions_of(function: Any, graphs: Iterable[Graph]) -> tuple[Shown, ...]:
    """Returns a function and those that it called while it was traced, in order of first use."""
    found = [shown_function(function)]
    origin = found[0].filename, plain_function(function).__code__.co_firstlineno
    for graph in graphs:
        for equation in graph.walk():
            location = equation.location
            if location is not None and not any(s.has(location) for s in found):
                found.append(_callee(location, origin))
    return tuple(found)


def _callee(location: Location, origin: Line) -> Shown:
    lines, first = source_lines(location.filename, location.line, origin)
    name = location.function.partition(".<locals>")[0]
    try:
        module = Module("".join(linecache.getlines(location.filename)), location.filename)
        functions = [f for f in module.every() if f.lines[0] == first]
        (outcome,) = module.convert(functions).outcomes
    except (ConversionError, ValueError):
        return Shown(name, location.filename, first, lines)
    if outcome.error is not None:
        return Shown(name, location.filename, first, lines)
    return Shown(outcome.function.qualname, location.filename, first, lines, outcome.text,
                 _rows_of_method(outcome))


def _rows_of_method(outcome: Any) -> Rows:
    return pairs(without_margin(outcome.text), outcome.tree)


def without_margin(text: str) -> str:
    """Returns a function's text without the indentation of its first line, where lines have it."""
    margin = text[: len(text) - len(text.lstrip())]
    return "".join(line.removeprefix(margin) for line in text.splitlines(keepends=True))
