"""What a call did, as text that can be compared: its result or exception, and its effects."""

import copy
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from traceback import extract_tb
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Call:
    """One call: the arguments as it left them, what it returned or raised, and its warnings."""

    arguments: tuple[Any, ...]
    result: Any = None
    error: BaseException | None = None
    warned: frozenset[str] = frozenset()

    def describe(self, warnings: bool = True) -> str:
        """Values, dtypes, types, nesting, exception class, effects, shared memory, warnings."""
        warned = set(self.warned)
        with recorded(warned):  # some arrays warn when they are looked at
            ended = f"raises {type(self.error).__name__}"
            if self.error is None:
                shared = list(shared_memory(self.arguments, self.result))
                ended = f"returns {describe(self.result)}\nshares {shared}"
            left = describe(self.arguments)
        return f"{ended}\nleaves {left}" + f"\nwarns {sorted(warned)}" * warnings

    @property
    def told(self) -> str:
        """The class and message of the exception, if there was one."""
        return f"{type(self.error).__name__}: {self.error}" if self.error else ""


def run(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Call:
    """Call with a copy of the arguments."""
    return seen(function, copy.deepcopy(arguments))


def seen(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Call:
    """Call with the arguments themselves."""
    result = error = None
    warned: set[str] = set()
    with recorded(warned):
        try:
            result = function(*arguments)
        except Exception as raised:
            error = raised
    return Call(arguments, result, error, frozenset(warned))


@contextmanager
def recorded(warned: set[str]) -> Iterator[None]:
    """Adds the warnings of the block to a set, except those about new traces."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    warned |= {f"{w.category.__name__}: {w.message}" for w in caught
               if " made a new trace" not in str(w.message)}


def raised_by(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, str, str]:
    """(class, message, file of the innermost line of the traceback) of what a call raises."""
    error = run(function, arguments).error
    if error is None:
        return "nothing", "", ""
    return type(error).__name__, str(error), extract_tb(error.__traceback__)[-1].filename


def describe(value: Any) -> str:
    """A text that is equal only for equal values of the same types; NaN equals NaN.

    >>> describe([np.float32(1), np.ones((2, 1)), (None, {"a": 2})])
    "[float32 1.0, ndarray float64 (2, 1) [[1.0], [1.0]], (NoneType None, {'a': int 2})]"
    """
    cls = type(value).__name__
    match value:
        case np.ndarray():
            read_only = "" if value.flags.writeable else " read-only"
            return f"{cls} {value.dtype} {value.shape}{read_only} {value.tolist()!r}"
        case np.generic():
            return f"{cls} {value.item()!r}"
        case list() | tuple():
            ends = "[]" if isinstance(value, list) else "()"
            inside = ", ".join(map(describe, value))
            return f"{'' if cls in ('list', 'tuple') else cls}{ends[0]}{inside}{ends[1]}"
        case dict():
            inside = ", ".join(f"{k!r}: {describe(v)}" for k, v in value.items())
            return f"{'' if cls == 'dict' else cls}{{{inside}}}"
        case _:
            return f"{cls} {value!r}"


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
