"""Tables of programs that a decorator fills, each with its arguments."""

from collections.abc import Callable
from typing import Any

Programs = list[tuple[Callable[..., Any], tuple[Any, ...]]]


def registry() -> tuple[Programs, Callable[..., Callable[[Any], Any]]]:
    """Returns an empty table, and the decorator that enters a function with its arguments."""
    programs: Programs = []

    def program(*arguments: Any) -> Callable[[Any], Any]:
        def enter(function: Any) -> Any:
            programs.append((function, arguments))
            return function

        return enter

    return programs, program
