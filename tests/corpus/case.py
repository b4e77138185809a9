"""A program and the arguments it is run on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """A function and argument tuples; the plain function says what is right for each."""

    function: Callable[..., Any]
    arguments: tuple[tuple[Any, ...], ...]

    def __init__(self, function: Callable[..., Any], *arguments: tuple[Any, ...]) -> None:
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "arguments", arguments)

    @property
    def name(self) -> str:
        """`theme.function`, for test names and for the table of known gaps."""
        return f"{self.function.__module__.rpartition('.')[2]}.{self.function.__name__}"
