"""Colours Python source on a terminal, if pygments is there."""

from __future__ import annotations

import importlib
from typing import Any


def highlighted(text: str) -> str:
    """The text with ANSI colours; as it is if pygments is not installed."""
    try:
        pygments: Any = importlib.import_module("pygments")
        lexers: Any = importlib.import_module("pygments.lexers")
        formatters: Any = importlib.import_module("pygments.formatters")
    except ImportError:
        return text
    colored: str = pygments.highlight(
        text, lexers.PythonLexer(stripnl=False, ensurenl=False), formatters.TerminalFormatter())
    return colored
