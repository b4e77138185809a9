"""A row of a table: the construct, a program that uses it, and what it is called with."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.support.outcome import run


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

    def outcomes(self, function: Callable[..., Any]) -> Iterator[tuple[object, object, str]]:
        """What each call of a function shows beside one of the program, all done twice; and the
        text of its error."""
        for arguments in self.arguments * 2:
            call, plain = run(function, arguments), run(self.function, arguments)
            told = f"{type(call.error).__name__}: {call.error}" if call.error else ""
            yield call.describe(), plain.describe(), told
