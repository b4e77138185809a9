"""What a call did, as text that can be compared: its result or exception, and its effects."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Call:
    """One call: the arguments as it left them, and what it returned or raised."""

    arguments: tuple[Any, ...]
    result: Any = None
    error: BaseException | None = None

    def describe(self) -> str:
        """Values, dtypes, shapes, types, nesting, exception class, effects and shared memory."""
        arguments = f"arguments left as {describe(self.arguments)}"
        if self.error is not None:
            return f"raises {type(self.error).__name__}; {arguments}"
        shared = list(shared_memory(self.arguments, self.result))
        return f"returns {describe(self.result)}; {arguments}; shares {shared}"


def run(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Call:
    """Call with a copy of the arguments."""
    arguments = copy.deepcopy(arguments)
    try:
        return Call(arguments, function(*arguments))
    except Exception as error:
        return Call(arguments, error=error)


def describe(value: Any) -> str:
    """A text that is equal only for equal values of the same types; NaN equals NaN.

    >>> describe([np.float32(1), np.ones((2, 1)), {"a": None}])
    "[float32 1.0, array float64 (2, 1) [[1.0], [1.0]], {'a': NoneType None}]"
    """
    match value:
        case np.ndarray():
            return f"array {value.dtype} {value.shape} {value.tolist()!r}"
        case np.generic():
            return f"{type(value).__name__} {value.item()!r}"
        case list():
            return f"[{', '.join(map(describe, value))}]"
        case tuple():
            return f"({', '.join(map(describe, value))},)"
        case dict():
            return "{" + ", ".join(f"{k!r}: {describe(v)}" for k, v in value.items()) + "}"
        case _:
            return f"{type(value).__name__} {value!r}"


def arrays(value: Any) -> Iterator[np.ndarray]:
    """The arrays in a nest of containers, in order."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, list | tuple | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from arrays(item)


def shared_memory(arguments: Any, result: Any) -> Iterator[tuple[int, int]]:
    """Which arrays of arguments and result, in order, overlap: writes to one show in the other."""
    found = [*arrays(arguments), *arrays(result)]
    for j, second in enumerate(found):
        yield from ((i, j) for i, first in enumerate(found[:j]) if np.shares_memory(first, second))
