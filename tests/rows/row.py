"""A row of a table: the construct, a program that uses it, and what it is called with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """`arguments` are tuples: with arrays or NumPy numbers in them the program is staged."""

    construct: str
    function: Callable[..., Any]
    arguments: tuple[tuple[Any, ...], ...]

    def __init__(self, construct: str, function: Callable[..., Any],
                 *arguments: tuple[Any, ...]) -> None:
        object.__setattr__(self, "construct", construct)
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "arguments", arguments)
