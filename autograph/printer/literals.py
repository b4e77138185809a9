"""Writes strings, docstrings and f-strings so that every supported Python reads the same value."""

from __future__ import annotations

import ast
from collections.abc import Callable

QUOTES = ("'", '"', "'''", '"""')


def docstring(node: ast.Constant) -> str:
    """A documentation string in triple quotes, its lines as they are.

    >>> print(docstring(ast.Constant("Say 'hi'.")))
    \"""Say 'hi'.\"""
    """
    return f'"""{escaped(str(node.value), chr(34) * 3)}"""'


def escaped(text: str, quote: str, braces: bool = False) -> str:
    """Returns `text` escaped for use between two `quote`s; `braces`: in an f-string.

    >>> escaped("a'b\\n", "'")
    "a\\\\'b\\\\n"
    """
    out = []
    for i, c in enumerate(text):
        if c == "\n" and len(quote) == 3:
            out.append(c)
        elif c == quote[0] and (len(quote) == 1 or text[i + 1: i + 2] in ("", c)):
            out.append("\\" + c)
        elif c == "\\" or not c.isprintable():
            out.append(c.encode("unicode_escape").decode())
        else:
            out.append(c * 2 if braces and c in "{}" else c)
    return "".join(out)


def string_inside(text: str) -> str:
    """A string in the braces of an f-string, if possible without a backslash (3.11 refuses it)."""
    for quote in QUOTES:
        ends_badly = text.endswith(quote[0]) and len(quote) == 3
        if quote not in text and not ends_badly and escaped(text, quote) == text:
            return quote + text + quote
    return repr(text)


def fstring(node: ast.JoinedStr, expression: Callable[[ast.expr], str]) -> str:
    """An f-string; `expression` prints what stands in the braces.

    Quotes that the expressions do not use are chosen, so that it is read before PEP 701 too. Where
    there are none (the source was written for 3.12 or later), the expressions reuse them.
    """
    printed = {id(n): expression(n.value) for n in _fields(node)}
    inside = "".join(printed.values())
    free = [q for q in QUOTES if q not in inside]
    if "\n" in inside:
        free = [q for q in free if len(q) == 3]
    quote = (free or ['"'])[0]
    return f"f{quote}{_parts(node, quote, printed)}{quote}"


def _fields(node: ast.JoinedStr) -> list[ast.FormattedValue]:
    """The replacement fields of an f-string and of its format specifications."""
    found = []
    for value in node.values:
        if isinstance(value, ast.FormattedValue):
            found.append(value)
            if isinstance(value.format_spec, ast.JoinedStr):
                found += _fields(value.format_spec)
    return found


def _parts(node: ast.JoinedStr, quote: str, printed: dict[int, str]) -> str:
    return "".join(
        _field(v, quote, printed) if isinstance(v, ast.FormattedValue)
        else escaped(v.value, quote, braces=True).replace("\n", "\\n")  # type: ignore[attr-defined]
        for v in node.values)


def _field(node: ast.FormattedValue, quote: str, printed: dict[int, str]) -> str:
    text = printed[id(node)]
    space = " " if text.startswith("{") else ""
    conversion = "" if node.conversion == -1 else f"!{chr(node.conversion)}"
    spec = ""
    if isinstance(node.format_spec, ast.JoinedStr):
        spec = ":" + _parts(node.format_spec, quote, printed)
    return f"{{{space}{text}{conversion}{spec}}}"
