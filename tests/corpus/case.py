"""A program and the arguments it is run on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Case:
    """A function and argument tuples; the plain function says what is right for each."""

    function: Callable[..., Any]
    arguments: tuple[tuple[Any, ...], ...]
    title: str
    traces: int | None = None
    """At most so many traces serve all the arguments, where that is known."""

    def __init__(self, function: Callable[..., Any], *arguments: tuple[Any, ...],
                 title: str = "", traces: int | None = None) -> None:
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "arguments", arguments)
        object.__setattr__(self, "title", title or function.__name__)
        object.__setattr__(self, "traces", traces)

    @property
    def name(self) -> str:
        """`theme.title`, for test names and for the table of known gaps."""
        return f"{self.function.__module__.rpartition('.')[2]}.{self.title}"


def titled(title: str, function: Callable[..., Any], *arguments: tuple[Any, ...]) -> Case:
    """A case that is called by the construct that it is about."""
    return Case(function, *arguments, title=title)
