"""What a call did, as text: its result, its exception, its warnings, what it did to arguments."""

import copy
import warnings
from collections.abc import Callable
from traceback import extract_tb
from typing import Any

import numpy as np

from tests.support.outcome import shared_memory


def outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, Any]:
    """(text, exception) of a call with a copy of the arguments."""
    return seen(function, copy.deepcopy(arguments))[:2]


def seen(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, Any, Any]:
    """(text, exception, result) of a call."""
    error = result = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*arguments)
            shared = sorted(shared_memory(arguments, result))
            text = f"returns {describe(result)}\nshares {shared}"
        except Exception as raised:
            error = raised
            text = f"raises {type(raised).__name__}"
    told = sorted({f"{w.category.__name__}: {w.message}" for w in caught})
    return f"{text}\nleaves {describe(arguments)}\nwarns {told}", error, result


def raised_by(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, str, str]:
    """(class, message, file of the innermost line of the traceback) of what a call raises."""
    try:
        function(*copy.deepcopy(arguments))
    except Exception as error:
        return type(error).__name__, str(error), extract_tb(error.__traceback__)[-1].filename
    return "nothing", "", ""


def describe(value: Any) -> str:
    """A text that is equal only for equal values of the same types; NaN equals NaN.

    >>> describe([np.float32(1), np.ones((2, 1)), (None, 2)])
    '[float32 1.0, ndarray float64 (2, 1) [[1.0], [1.0]], (NoneType None, int 2)]'
    """
    cls = type(value).__name__
    match value:
        case np.ndarray():
            read_only = "" if value.flags.writeable else " read-only"
            return f"{cls} {value.dtype} {value.shape}{read_only} {value.tolist()!r}"
        case np.generic():
            return f"{cls} {value.item()!r}"
        case list() | tuple():
            inside = ", ".join(map(describe, value))
            ends = "[]" if isinstance(value, list) else "()"
            return f"{'' if cls in ('list', 'tuple') else cls}{ends[0]}{inside}{ends[1]}"
        case dict():
            return "{" + ", ".join(f"{k!r}: {describe(v)}" for k, v in value.items()) + "}"
        case _:
            return f"{cls} {value!r}"
