"""Each method of an array, with arguments of every kind: traced, it gives and leaves what it gives
and leaves plain, and where NumPy refuses the arguments, so does the trace."""

from __future__ import annotations

import inspect
import linecache
from itertools import product
from typing import Any

import numpy as np
import pytest

import autograph as ag

ARRAYS = {"vector": np.arange(5), "matrix": np.arange(6.0).reshape(2, 3),
          "bools": np.array([True, False, True])}
WORDS: tuple[Any, ...] = (None, 0, 1, -1, 5, 1.5, "C", (0, 1), [0, 1], np.float32, "f4", True)
PAIRS = tuple(product((None, 0, 1), (0, 1, "F")))
NAMED: tuple[dict[str, Any], ...] = (
    *({"axis": a} for a in (0, -1, None, 7, (0,))), {"keepdims": True}, {"dtype": np.float32},
    {"dtype": "i8"}, {"order": "F"}, {"order": "Z"}, {"copy": False}, {"initial": 1},
    {"where": True}, {"ddof": 1}, {"decimals": 1}, {"min": 1}, {"max": 3}, {"kind": "stable"},
    {"mode": "wrap"}, {"offset": 1}, {"casting": "safe"}, {"min": 1, "max": 2}, {"shape": (3, 2)})
OF_FILES_AND_MEMORY = {"dump", "dumps", "tofile", "setflags", "getfield", "setfield", "resize"}
METHODS = [name for name in dir(np.ndarray) if not name.startswith("_") and inspect.isroutine(
    getattr(np.ndarray, name)) and name not in OF_FILES_AND_MEMORY]
CASES = [((), {}), *(((a,), {}) for a in WORDS), *((p, {}) for p in PAIRS),
         *(((), n) for n in NAMED), *(((a,), n) for a in (0, (0, 1)) for n in NAMED[5:])]
LOOSE = {"choose (0, 1)", "fill (0, 1)", "reshape None", "conj None", "conjugate None",
         "choose None", "choose 0", "choose 1", "fill [0, 1]"}
"""NumPy takes these, and they mean nothing: objects out of None, a sequence as one number."""


def written(name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A function that calls the method with these arguments, with its source."""
    text = f"def called(x):\n    return x.{name}(*args, **named)\n"
    file = f"<method {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"args": args, "named": named}
    exec(compile(text, file, "exec"), scope)
    return scope["called"]


def seen(x: Any) -> Any:
    if isinstance(x, (np.ndarray, np.generic)):
        return type(x), x.dtype, x.shape, repr(x.tolist())
    return tuple(map(seen, x)) if isinstance(x, tuple) else (type(x), repr(x))


def outcome(call: Any, x: Any) -> tuple[Any, Any]:
    """What a call gives and leaves in a copy of the array, or that it is refused."""
    given = x.copy()
    try:
        return seen(call(given)), seen(given)
    except Exception:
        return "refused", seen(given)


@pytest.mark.parametrize("array", ARRAYS)
@pytest.mark.parametrize("name", METHODS)
def test_method(name: str, array: str) -> None:
    for args, named in CASES:
        if not (args and f"{name} {args[0]}" in LOOSE):
            plain = written(name, args, named)
            assert outcome(ag.function(plain), ARRAYS[array]) == outcome(plain, ARRAYS[array]), (
                args, named)
