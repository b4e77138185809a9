"""Breaks printed lines that are too long, at the points where the printer allows it.

The printer writes markers between the words of a line: where a bracket opens and closes, and where
the line may be broken. Markers are lone surrogates, which no source holds; they are removed here.
"""

from __future__ import annotations

import re
from typing import NamedTuple

WIDTH = 100

OPEN, CLOSE = "\ud800", "\ud801"
"""After an opening bracket, and before the closing one."""

COMMA, SIGN = "\ud802", "\ud803"
"""The space after a comma, and the one before an operator; the latter is a break of second rank."""

BEGIN, END = "\ud804", "\ud805"
"""Around a value that may be put in brackets, in order to break its line."""

FIRST, NEXT = "\ud806", "\ud807"
"""Before the first of several strings side by side, and the space before one in a line of its own:
in brackets, it goes below the first."""

LINE = "\ud808"
"""The end of a line inside a string."""

COMMENT = "\ud809"
"""Before a comment, which does not count as part of the line's length."""

NOTE, NOTED = "\ud80a", "\ud80b"
"""Around a comment on what stands before it: the line is broken at the next break, after it."""

BREAKS = (COMMA, SIGN, NEXT)

_DROPPED = str.maketrans({**dict.fromkeys((OPEN, CLOSE, BEGIN, END, FIRST, COMMENT)),
                          **dict.fromkeys(BREAKS, " "), LINE: "\n"})
_MARKER = re.compile(f"({NOTE}[^{NOTED}]*{NOTED}|[{OPEN}-{NEXT}])")
_NOTES = re.compile(f"{NOTE}[^{NOTED}]*{NOTED}")


def in_margin(comment: str) -> str:
    """Returns the mark of a comment on what was printed last."""
    return NOTE + comment + NOTED


def without_markers(text: str) -> str:
    """Returns the text without markers, in which no line is broken."""
    return (_NOTES.sub("", text) if NOTE in text else text).translate(_DROPPED)


def break_long_lines(text: str) -> str:
    """Returns the text with its long lines broken.

    >>> line = f"total = f({OPEN}{'a' * 40},{COMMA}{'b' * 40},{COMMA}{'c' * 30}{CLOSE})"
    >>> print(break_long_lines(line))
    total = f(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,
              cccccccccccccccccccccccccccccc)
    """
    plain = without_markers(text)
    if NEXT not in text and NOTE not in text and _width(plain) <= WIDTH:
        return plain
    return "\n".join(map(_break_line, text.split("\n")))


def _width(text: str) -> int:
    """The length of the longest line."""
    return max(map(len, text.split("\n")))


def _break_line(line: str) -> str:
    code, _, comment = line.partition(COMMENT)
    plain = without_markers(code)
    if NEXT in code or NOTE in code or _width(plain) > WIDTH:
        tokens = _with_brackets(_MARKER.split(code))
        aligned, hanging = _LineFiller(tokens), _LineFiller(tokens, _last_bracket(tokens))
        plain = min(aligned.text(), hanging.text(), key=_cost)
    return plain + without_markers(comment)


def _cost(text: str) -> tuple[int, int]:
    """Returns the length of the longest line, if it is too long, and the number of lines."""
    return max(WIDTH, _width(text)), text.count("\n")


def _with_brackets(tokens: list[str]) -> list[str]:
    """Returns the line with brackets around a value that has a break outside its own brackets."""
    if BEGIN not in tokens:
        return tokens
    begin, end, depth = tokens.index(BEGIN), tokens.index(END), 0
    for token in tokens[begin:end]:
        depth += (token == OPEN) - (token == CLOSE)
        if token in BREAKS and not depth:
            return [*tokens[:begin], "(", OPEN, *tokens[begin + 1:end], CLOSE, ")",
                    *tokens[end + 1:]]
    return [token for token in tokens if token not in (BEGIN, END)]


def _last_bracket(tokens: list[str]) -> int:
    """Returns the index of the last outermost bracket in which the line can be broken, or -1."""
    depth, opened, found = 0, -1, -1
    for i, token in enumerate(tokens):
        if token == OPEN:
            opened = i if depth == 0 else opened
            depth += 1
        elif token == CLOSE:
            depth -= 1
        elif token in BREAKS and depth:
            found = opened
    return found


class _Bracket(NamedTuple):
    """A bracket that is open: where what is below it begins, and if each item has a line."""

    column: int
    noted: bool


class _LineFiller:
    """Fills one line: the rest of it goes below, indented to where its bracket was opened.

    `hanging`: the index of a bracket after which the line is broken at once, to be indented.
    """

    def __init__(self, tokens: list[str], hanging: int = -1) -> None:
        self.tokens, self.hanging = tokens, hanging
        self.lines: list[str] = []
        self.line = ""
        self.first = 0
        self.note = ""

    def text(self) -> str:
        """Returns the lines."""
        margin = len(self.tokens[0]) - len(self.tokens[0].lstrip())
        stack: list[_Bracket] = []
        for i, token in enumerate(self.tokens):
            if token == OPEN:
                if i == self.hanging:
                    self.below(margin + 4)
                stack.append(_Bracket(self.column(), self.is_noted(i)))
            elif token == CLOSE:
                stack.pop()
            elif token == FIRST:
                self.first = self.column()
            elif token[:1] == NOTE:
                self.note += f"  {token[1:-1]}"
            elif token not in BREAKS:
                self.line += token
            elif not stack or not (token == NEXT or stack[-1].noted or self.note or (
                    self.column() + 1 + self.ahead(i) > WIDTH)):
                self.line += " "
            else:
                self.below(self.first if token == NEXT else stack[-1].column)
        return without_markers("\n".join([*self.lines, self.line + self.note]))

    def column(self) -> int:
        """Returns the length of the last line so far."""
        return len(self.line) - self.line.rfind(LINE) - 1

    def below(self, column: int) -> None:
        """Begins a new line, indented to the column."""
        self.lines.append(self.line + self.note)
        self.line, self.note = " " * column, ""

    def is_noted(self, start: int) -> bool:
        """Returns True if there is a comment on an item of the bracket that opens here."""
        depth = 0
        for token in self.tokens[start + 1:]:
            depth += (token == OPEN) - (token == CLOSE)
            if depth < 0 or (depth == 0 and token[:1] == NOTE):
                break
        return depth == 0

    def ahead(self, start: int) -> int:
        """Returns the length of the text from a break to the next that could be used instead."""
        depth = length = 0
        for token in self.tokens[start + 1:]:
            if token == OPEN:
                depth += 1
            elif token == CLOSE:
                depth -= 1
            elif token not in (*BREAKS, FIRST) and token[:1] != NOTE:
                length += len(token.partition(LINE)[0])
            if token == NEXT or LINE in token:
                break
            if token in (COMMA, SIGN):
                if depth < 0 or (depth == 0 and (token, self.tokens[start]) != (SIGN, COMMA)):
                    break
                length += 1
        return length
