"""Which variables of the user's are given the result of an expression, read off the source."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache

from autograph.runtime.graph import Location

Span = tuple[int, int, int, int]


@lru_cache(maxsize=4096)
def assigned(place: Location) -> tuple[str, ...]:
    """The variables that the expression (or the augmented assignment) at a place is bound to.

    Unlike `Location.targets`, which reads the code that runs, it sees what the user wrote: in a
    staged loop, `x = x + 1` runs as `return x + 1`.
    """
    return _table("".join(linecache.getlines(place.filename))).get(place.span, ())


@lru_cache(maxsize=16)
def _table(text: str) -> dict[Span, tuple[str, ...]]:
    """The names, for every expression of a file that is bound to any."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}
    return {span: names for node in ast.walk(tree) for span, names in _bindings(node)}


def _bindings(node: ast.AST) -> Iterator[tuple[Span, tuple[str, ...]]]:
    if isinstance(node, ast.AugAssign):
        yield _span(node), _names(node.target)
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        yield from _bound(node.target, node.value)
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _bound(target, node.value)


def _bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """What is bound by `target = value`; `a, b = x, y` binds twice."""
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)) and (
            len(target.elts) == len(value.elts)):
        for left, right in zip(target.elts, value.elts, strict=True):
            yield from _bound(left, right)
    else:
        yield _span(value), _names(target)


def _names(target: ast.expr) -> tuple[str, ...]:
    """The variables of a target, if it has nothing else."""
    if isinstance(target, ast.Name):
        return (target.id,)
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    names = tuple(part.id for part in parts if isinstance(part, ast.Name))
    return names if len(names) == len(parts) else ()


def _span(node: ast.expr | ast.stmt) -> Span:
    return (node.lineno, node.end_lineno or node.lineno, node.col_offset,
            node.end_col_offset or node.col_offset)
