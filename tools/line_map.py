"""Says for each generated statement which statement of the user's it comes from."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from autograph.conversion.module import Converted, Module
from autograph.syntax.gast_conversion import as_ast

Rows = Sequence[Sequence[int]]
"""Generated line and column, and the user's line and column: lines from 1, columns from 0."""


def line_maps(converted: Converted, name: str) -> dict[str, Rows]:
    """The rows of each converted function, by qualified name.

    The text is parsed again and both trees are walked together, which is exact, where counting
    lines while printing is not.
    """
    printed = {f.qualname: f.node for f in Module(converted.text, name).functions}
    return {o.function.qualname: _rows(printed[o.function.qualname], as_ast(o.tree))
            for o in converted.outcomes if not o.error}


def _rows(printed: ast.AST, tree: ast.AST) -> Rows:
    pairs = zip(_statements(printed), _statements(tree), strict=True)
    rows = [[new.lineno, new.col_offset, old.lineno, old.col_offset] for new, old in pairs]
    return sorted(rows)


def _statements(tree: ast.AST) -> Iterator[Any]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
