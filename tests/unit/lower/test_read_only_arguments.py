"""Arrays of the caller's that a call leaves as they are may be read-only, whatever others write."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.outcome import seen


def left_in_a_loop(x, y, n):
    for _ in x:
        if n > 2:
            return 1.0
    for i in range(len(x)):
        y[i] = 3
    return 2.0


def raises_after_a_loop(x, y, n):
    for e in x:
        if e > 2:
            break
        y[0] = e
    if n > 2:
        raise KeyError(n)
    return 2.0


def written_in_a_while(x, y, n):
    if x[0] > 5:
        y = y + 1
    while x[0] > 9:
        y[0] = 3
    return y[0] + n


WAYS: list[dict[str, Any]] = [{}, {"effects": "runtime", "captures": "guard"},
                              {"executor": "interpreter"}]


@pytest.mark.parametrize("options", WAYS, ids=str)
@pytest.mark.parametrize("program", [left_in_a_loop, raises_after_a_loop, written_in_a_while])
@pytest.mark.parametrize("length", [3, 200])
def test_as_plain(length: int, program: Any, options: dict[str, Any]) -> None:
    for start in (0.0, 6.0, 10.0):
        for n in (1, 3, np.int64(1), np.int64(3)):
            converted = ag.function(program, **options)
            y = np.zeros(length, np.int32)
            y.flags.writeable = False
            given = np.arange(length) + start, y, n
            if start == 10 and program is written_in_a_while and given[0][0] > 9:
                continue  # it never ends
            found, expected = (seen(f, given) for f in (converted, program))
            assert (found.describe(), found.told) == (expected.describe(), expected.told)
