"""The programs, and the arrays that they are called with."""

from collections.abc import Callable
from typing import Any

import numpy as np

RNG = np.random.default_rng(0)
X = RNG.uniform(0.3, 1.7, (4,))
M = RNG.uniform(0.3, 1.7, (3, 3)) + 2 * np.eye(3)
R = RNG.standard_normal((4, 3))
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []


def program(*arguments: Any) -> Callable[[Any], Any]:
    """Enters a function with its arguments."""

    def enter(function: Any) -> Any:
        PROGRAMS.append((function, arguments))
        return function

    return enter
