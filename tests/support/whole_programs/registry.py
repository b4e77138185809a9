"""The programs, with their arguments."""

from collections.abc import Callable
from typing import Any

PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []


def program(*arguments: Any) -> Callable[[Any], Any]:
    """Enters a function with its arguments."""

    def enter(function: Any) -> Any:
        PROGRAMS.append((function, arguments))
        return function

    return enter
