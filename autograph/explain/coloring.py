"""Python source as HTML with keywords, strings, comments and numbers marked: the same text on
every Python, so without `tokenize`."""

from __future__ import annotations

import keyword
import re
from html import escape

QUOTED = r"""(?:'''(?:\\.|[^\\])*?(?:'''|\Z)|\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)
    |'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?)"""
TOKENS = re.compile(rf"""
    (?P<com>\#[^\n]*)
  | (?P<str>(?:\b[rRbBuUfF]{{1,2}})?{QUOTED})
  | (?P<num>\b\d[\w.]*)
  | (?P<word>\b[^\W\d]\w*)
""", re.VERBOSE | re.DOTALL)
KEYWORDS = frozenset(keyword.kwlist)


def colored_lines(text: str) -> list[str]:
    """Returns the lines of a text, escaped; a token that spans lines is marked on each.

    >>> colored_lines("if x:  # <")
    ['<span class="kw">if</span> x:  <span class="com"># &lt;</span>']
    """
    parts, at = [], 0
    for token in TOKENS.finditer(text):
        parts += [escape(text[at: token.start()]), _marked(token)]
        at = token.end()
    return "".join([*parts, escape(text[at:])]).split("\n")


def _marked(token: re.Match[str]) -> str:
    kind, text = token.lastgroup, token.group()
    if kind == "word":
        if text not in KEYWORDS:
            return escape(text)
        kind = "kw"
    return "\n".join(f'<span class="{kind}">{escape(line)}</span>' if line else ""
                     for line in text.split("\n"))
