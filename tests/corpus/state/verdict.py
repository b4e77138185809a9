"""Runs a program of the matrix plainly and traced, and says what came of it."""

from __future__ import annotations

import builtins
import linecache
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import autograph as ag
from tests.corpus.state.matrix import argument, program

CALLS = (0.0, 2.0, 5.0, 2.0, 1.0)
"""The condition of each construct holds for some of these."""

REFUSALS = (ag.errors.TracingError, ag.errors.ConversionError)


class TooSlow(Exception):
    """A program did not end."""


@contextmanager
def seconds(limit: int) -> Iterator[None]:
    """Raises TooSlow after so many seconds of work; what else the machine does counts not."""
    def stop(*_: Any) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def fallbacks() -> Iterator[list[str]]:
    """Lists what calls warn of that run as plain Python, as no trace can follow what they do."""
    told: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ag.FallbackWarning)
        yield told
    for w in caught:
        if w.category is ag.FallbackWarning:
            told.append(str(w.message).splitlines()[0])
        else:
            warnings.warn_explicit(w.message, w.category, w.filename, w.lineno)


def outcome_of(told: list[str]) -> str:
    """"right", or "plain: …" if calls ran as plain Python."""
    return f"plain: {told[0]}" if told else "right"


def load(text: str, name: str) -> dict[str, Any]:
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    scope: dict[str, Any] = {"__name__": name}
    exec(compile(text, name, "exec", dont_inherit=True), scope)
    return scope


def plain(x: Any) -> Any:
    """A value as Python data that can be compared: classes, dtypes and contents."""
    match x:
        case np.ndarray() | np.generic():
            return type(x).__name__, str(x.dtype), x.tolist()
        case list() | tuple():
            return type(x).__name__, [plain(item) for item in x]
        case dict():
            return "dict", [(plain(k), plain(v)) for k, v in x.items()]
        case set():
            return "set", sorted(map(plain, x))
        case builtins.int() | builtins.float() | str() | bytearray() | None:
            return type(x).__name__, x
    if hasattr(x, "__dict__"):
        return type(x).__name__, plain(vars(x))
    return type(x).__name__, [plain(item) for item in x]


def history(scope: dict[str, Any], function: Any, o: Any) -> list[Any]:
    """The outcome of each call, and the state after it.

    Raises:
      TracingError, ConversionError: the function is refused.
    """
    found: list[Any] = []
    for x in CALLS:
        try:
            result = function(np.float64(x), o)
        except REFUSALS:
            raise
        except (ValueError, AssertionError, IndexError) as error:
            result = type(error).__name__, str(error)
        found.append((plain(result), plain(o), plain(scope["kept"]())))
    return found


def verdict(effect: str, home: str, construct: str, **options: Any) -> str:
    """"right", "plain: ...", "refused: ...", "wrong: ..." or "no end"."""
    text = program(effect, home, construct)
    assert text is not None
    name = f"<{effect}, {home}, {construct}>"
    expected_in, found_in = load(text, name), load(text, name)
    make = argument(effect, home)
    expected = history(expected_in, expected_in["f"], eval(make, expected_in))
    try:
        with seconds(20), fallbacks() as told:
            found = history(found_in, ag.function(found_in["f"], **options), eval(make, found_in))
    except REFUSALS as error:
        return f"refused: {str(error).splitlines()[0]}"
    except TooSlow:
        return "no end"
    except Exception as error:
        return f"wrong: {type(error).__name__}: {str(error).splitlines()[0]}"
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        if one != other:
            return f"wrong: call {number}: {one} expected, {other} found"
    return outcome_of(told)
