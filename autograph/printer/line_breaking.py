"""Breaks printed lines that are too long, at the points where the printer allows it.

The printer writes markers between the words of a line: where a bracket opens and closes, and where
the line may be broken. Markers are lone surrogates, which no source holds; they are removed here.
"""

from __future__ import annotations

import re

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

BREAKS = (COMMA, SIGN, NEXT)

_DROPPED = str.maketrans({**dict.fromkeys((OPEN, CLOSE, BEGIN, END, FIRST, COMMENT)),
                          **dict.fromkeys(BREAKS, " "), LINE: "\n"})
_MARKER = re.compile(f"([{OPEN}-{NEXT}])")


def without_markers(text: str) -> str:
    """Returns the text without markers, in which no line is broken."""
    return text.translate(_DROPPED)


def break_long_lines(text: str) -> str:
    """Returns the text with its long lines broken.

    >>> line = f"total = f({OPEN}{'a' * 40},{COMMA}{'b' * 40},{COMMA}{'c' * 30}{CLOSE})"
    >>> print(break_long_lines(line))
    total = f(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,
              cccccccccccccccccccccccccccccc)
    """
    plain = without_markers(text)
    if NEXT not in text and _width(plain) <= WIDTH:
        return plain
    return "\n".join(map(_break_line, text.split("\n")))


def _width(text: str) -> int:
    """The length of the longest line."""
    return max(map(len, text.split("\n")))


def _break_line(line: str) -> str:
    code, _, comment = line.partition(COMMENT)
    plain = without_markers(code)
    if NEXT in code or _width(plain) > WIDTH:
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


class _LineFiller:
    """Fills one line: the rest of it goes below, indented to where its bracket was opened.

    `hanging`: the index of a bracket after which the line is broken at once, to be indented.
    """

    def __init__(self, tokens: list[str], hanging: int = -1) -> None:
        self.tokens, self.hanging = tokens, hanging
        self.lines: list[str] = []
        self.line = ""
        self.first = 0

    def text(self) -> str:
        """Returns the lines."""
        margin = len(self.tokens[0]) - len(self.tokens[0].lstrip())
        stack: list[int] = []
        for i, token in enumerate(self.tokens):
            if token == OPEN:
                if i == self.hanging:
                    self.below(margin + 4)
                stack.append(self.column())
            elif token == CLOSE:
                stack.pop()
            elif token == FIRST:
                self.first = self.column()
            elif token not in BREAKS:
                self.line += token
            elif not stack or (token != NEXT and self.column() + 1 + self.ahead(i) <= WIDTH):
                self.line += " "
            else:
                self.below(self.first if token == NEXT else stack[-1])
        return without_markers("\n".join([*self.lines, self.line]))

    def column(self) -> int:
        """Returns the length of the last line so far."""
        return len(self.line) - self.line.rfind(LINE) - 1

    def below(self, column: int) -> None:
        """Begins a new line, indented to the column."""
        self.lines.append(self.line)
        self.line = " " * column

    def ahead(self, start: int) -> int:
        """Returns the length of the text from a break to the next that could be used instead."""
        depth = length = 0
        for token in self.tokens[start + 1:]:
            if token == OPEN:
                depth += 1
            elif token == CLOSE:
                depth -= 1
            elif token not in (*BREAKS, FIRST):
                length += len(token.partition(LINE)[0])
            if token == NEXT or LINE in token:
                break
            if token in (COMMA, SIGN):
                if depth < 0 or (depth == 0 and (token, self.tokens[start]) != (SIGN, COMMA)):
                    break
                length += 1
        return length
