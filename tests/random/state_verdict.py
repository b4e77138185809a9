"""Runs a random program on Python's state plainly and decorated, and says what came of it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.small_programs import MODES
from tests.corpus.state.verdict import REFUSALS, TooSlow, fallbacks, load, outcome_of, seconds

CALLS = ((0.0, 3), (2.0, -1), (5.0, 2))


def outcomes(scope: dict[str, Any], function: Any) -> list[str]:
    """The outcome of each call, and what it leaves of its arguments, outside, and of the result of
    the call before.

    Raises:
      TracingError, ConversionError: the function is refused.
    """
    found = []
    result: Any = None
    made = scope["make"]()
    for number, (a, b) in enumerate(scope.get("CALLS", CALLS)):
        before, result = result, None
        try:
            result = function(np.float64(a), np.int64(b), *made)
        except REFUSALS:
            raise
        except TooSlow:
            raise
        except Exception as error:
            result = error.with_traceback(None)  # it holds what the function had
        found.append(Picture().of((made, scope["kept"](), result, before)))
        if number % 2:
            made = scope["make"]()
    return found


def verdict(text: str, name: str, mode: str, limit: int = 40) -> str:
    """"right", "plain: …" (right, as it ran as plain Python, with a warning), "refused: …",
    "wrong: …", "no end", or "invalid: …" if plain Python does not load or end."""
    try:
        with warnings.catch_warnings(), seconds(5):
            warnings.simplefilter("ignore")
            expected_in, found_in = load(text, name), load(text, name)
            expected = outcomes(expected_in, expected_in["f"])
    except (Exception, TooSlow) as error:
        return f"invalid: {error!r}"
    try:
        with warnings.catch_warnings(), seconds(limit):
            warnings.simplefilter("ignore")
            with fallbacks() as told:
                found = outcomes(found_in, ag.function(found_in["f"], **MODES[mode]))
    except REFUSALS as error:
        return f"refused: {str(error).splitlines()[0]}"
    except TooSlow:
        return "no end"
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        if one != other:
            return f"wrong: call {number}: {one} expected, {other} found"
    return outcome_of(told)


def kind(found: str) -> str:
    """What a verdict has in common with those of smaller programs."""
    return found if found.startswith("refused") else found.split(":")[0]
