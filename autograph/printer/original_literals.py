"""Finds the text of each literal in the user's source, so that it is printed as it was written."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Any

from autograph.printer.line_breaking import FIRST, LINE, NEXT, SIGN
from autograph.syntax.gast_conversion import as_ast
from autograph.syntax.node_inventory import children

Position = tuple[int, int, int, int]
"""First line and column, last line and column; columns in bytes, as in trees."""


class OriginalLiterals:
    """The text of each literal of a tree, from the lines that it was parsed from.

    A literal is found by its position, which passes keep, and by its value: a pass may put another
    literal in the same position.
    """

    def __init__(self, tree: Any = None, lines: Sequence[str] = ()) -> None:
        self._found = dict(_texts(tree, lines)) if lines else {}

    def of(self, node: Any) -> str | None:
        """Returns the user's text of a literal, with markers for line breaks, if there is one."""
        found = self._found.get(_position(node))
        return found[1] if found is not None and found[0] == _content(node) else None


NO_LITERALS = OriginalLiterals()


def _texts(tree: Any, lines: Sequence[str]) -> Iterator[tuple[Position, tuple[object, str]]]:
    """Yields the position, the value and the text of each literal."""
    for node, is_inside in _literals(tree):
        position = _position(node)
        text = _segment(lines, position)
        if not is_inside:
            yield position, (_content(node), _with_markers(text))
        elif _is_read_as(text, node.value):
            yield position, (_content(node), text)


def _literals(tree: Any) -> Iterator[tuple[Any, bool]]:
    """Yields each literal in a tree, and True if it is in the braces of an f-string.

    Of the parts of an f-string, only constants in braces; its own text is no literal.
    """
    todo = [(tree, False)]
    while todo:
        node, is_inside = todo.pop()
        kind = node.__class__.__name__
        if kind == "Constant" or (kind == "JoinedStr" and not is_inside):
            yield node, is_inside
        below = children(node)
        if kind == "JoinedStr":
            below = (child for child in below if child.__class__.__name__ != "Constant")
        todo += [(child, is_inside or kind == "JoinedStr") for child in below]


def _position(node: Any) -> Position:
    held = node.__dict__
    return (held.get("lineno", 0), held.get("col_offset", 0), held.get("end_lineno", 0),
            held.get("end_col_offset", 0))


def _content(node: Any) -> object:
    """Returns a value that is equal for two literals that mean the same."""
    if node.__class__.__name__ == "JoinedStr":
        return ast.dump(as_ast(node))
    return type(node.value), repr(node.value), node.kind


END = "\r\n"


def _segment(lines: Sequence[str], position: Position) -> str:
    """The text at a position, with line ends as Python reads them."""
    first, start, last, end = position
    text = [f"{line.rstrip(END)}\n".encode() for line in lines[first - 1: last]]
    text[-1] = text[-1][:end]
    text[0] = text[0][start:]
    return b"".join(text).decode()


def _is_read_as(text: str, value: object) -> bool:
    """Returns True if a text is a literal of that value: positions in f-strings may be inexact."""
    if "\\" in text or "\n" in text:
        return False
    try:
        read = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return False
    return type(read) is type(value) and read == value


ALONE = re.compile(r"""[a-z]*(?:'[^'\n]*' | "[^"\n]*")""", re.VERBOSE | re.IGNORECASE)
"""A string that is certainly one."""


def _with_markers(text: str) -> str:
    """Returns adjacent strings with markers where the line goes on or breaks."""
    if text[-1] not in "'\"" or ALONE.fullmatch(text):
        return text
    parts, last_line = [], 0
    for first, end, part in _strings(text):
        if last_line:
            parts.append(SIGN if first == last_line else NEXT)
        parts.append(part.replace("\n", LINE))
        last_line = end
    return "".join([FIRST if NEXT in parts else "", *parts])


def _strings(text: str) -> Iterator[tuple[int, int, str]]:
    """The first line, the last line and the text of each string of a literal."""
    lines, depth, start = StringIO(f"({text})").readlines(), 0, (0, 0)
    for token in tokenize.generate_tokens(iter(lines).__next__):
        kind = tokenize.tok_name[token.type]
        if depth == 0:
            start = token.start
        depth += (kind == "FSTRING_START") - (kind == "FSTRING_END")
        if depth == 0 and kind in ("STRING", "FSTRING_END"):
            yield start[0], token.end[0], _between(lines, start, token.end)


def _between(lines: Sequence[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    part = list(lines[start[0] - 1: end[0]])
    part[-1] = part[-1][:end[1]]
    part[0] = part[0][start[1]:]
    return "".join(part)
