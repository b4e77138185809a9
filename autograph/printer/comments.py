"""Finds the user's comments, and which printed statement each belongs to."""

from __future__ import annotations

import ast
import tokenize
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gast


class Comments:
    """The comments of a stretch of source, by the line of the statement that each belongs to.

    A comment on a line of its own belongs to the next statement, one beside code to the statement
    it stands beside, one beside `else:` to the next statement again. Each is printed once, at
    the first statement printed that carries the line (passes copy positions), or where `settle`
    puts it. `statements` gives the first line of each statement, and the last (of its head, if it
    has a body).
    """

    def __init__(self, lines: Sequence[str] = (), first_line: int = 1,
                 statements: Mapping[int, int] | None = None) -> None:
        self._before: dict[int, list[tuple[int, str]]] = {}
        self._beside: dict[int, str] = {}
        self._beside_lambdas: dict[int, str] = {}
        ends = statements or {}
        starts = sorted(ends)
        for lineno, alone, text in _comments(lines, first_line):
            index = bisect_right(starts, lineno) - 1
            inside = index >= 0 and lineno <= ends[starts[index]]
            if not alone and inside and lineno == starts[index]:
                self._beside[lineno] = text
            elif inside:
                self._before.setdefault(starts[index], []).append((lineno, text))
            elif index + 1 < len(starts):
                self._before.setdefault(starts[index + 1], []).append((lineno, text))

    def settle(self, tree: ast.AST) -> None:
        """Settles where comments of statements go that are none in a tree any more: beside the
        lambda that one became, if there is one comment, else before the statement that took it in.
        """
        statements = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and hasattr(n, "lineno")]
        lines = sorted({n.lineno for n in statements})
        lambdas = {n.body.lineno for n in ast.walk(tree) if isinstance(n, ast.Lambda)}
        for line in sorted(({*self._before, *self._beside}).difference(lines) if lines else ()):
            taken_in_by = lines[max(bisect_right(lines, line) - 1, 0)]
            found = self._before.pop(line, [])
            if line in self._beside:
                found.append((line, self._beside.pop(line)))
            before = self._before.setdefault(taken_in_by, [])
            if line in lambdas and len(found) == 1:
                self._beside_lambdas[line] = found[0][1]
                found = []
                if taken_in_by in self._beside:
                    found.append((taken_in_by, self._beside.pop(taken_in_by)))
            before += found

    def before(self, node: ast.stmt, simple: bool) -> list[str]:
        """Returns the comments to print above a statement; if compound, also those beside it."""
        line = getattr(node, "lineno", 0)
        found = self._before.pop(line, [])
        if not simple and line in self._beside:
            found.append((line, self._beside.pop(line)))
        return [text for _, text in sorted(found)]

    def beside(self, node: ast.stmt) -> str | None:
        """Returns the comment to print after a simple statement, on its line."""
        return self._beside.pop(getattr(node, "lineno", 0), None)

    def beside_lambda(self, node: ast.Lambda) -> str | None:
        """Returns the comment to print after a lambda that was a statement."""
        return self._beside_lambdas.pop(node.body.lineno, None) if self._beside_lambdas else None


def _comments(lines: Sequence[str], first_line: int) -> Iterator[tuple[int, bool, str]]:
    """Yields (line, True if alone on it, text) of each comment; none if it does not tokenize."""
    feed = iter([*lines, ""])
    try:
        for token in tokenize.generate_tokens(lambda: next(feed, "")):
            if token.type == tokenize.COMMENT:
                alone = not token.line[: token.start[1]].strip()
                yield first_line + token.start[0] - 1, alone, token.string
    except (tokenize.TokenError, IndentationError):
        return


NO_COMMENTS = Comments()


BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def comments_of(tree: Any, lines: Sequence[str]) -> Comments:
    """Returns the comments of a function in its file; none for a lambda, which is an expression."""
    if not hasattr(tree, "decorator_list"):
        return NO_COMMENTS
    first = min([tree.lineno, *(d.lineno for d in tree.decorator_list)])
    return Comments(lines[first - 1: tree.end_lineno], first, dict(_heads(tree)))


def _heads(node: Any) -> Iterator[tuple[int, int]]:
    """The first and the last line of each statement that is printed as one, without its body.

    An `elif` is not: what stands beside it goes to the statement after it.
    """
    own = [getattr(node, name, None) for name in node._fields if name not in BLOCKS]
    inner = (child for value in own for part in (value if isinstance(value, list) else [value])
             if isinstance(part, ast.AST) for child in gast.walk(part))
    yield node.lineno, max([node.lineno, *(getattr(n, "end_lineno", 0) or 0 for n in inner)])
    for block in _blocks(node):
        for statement in block:
            yield from _heads(statement)


def _blocks(node: Any) -> Iterator[list[Any]]:
    """The lists of statements in a compound statement, the arms of an `elif` chain among them."""
    for part in (node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield getattr(part, "body", [])
    arm = getattr(node, "orelse", [])
    while len(arm) == 1 and type(arm[0]).__name__ == "If" and type(node).__name__ == "If":
        node = arm[0]
        yield node.body
        arm = node.orelse
    yield arm
    yield getattr(node, "finalbody", [])
