"""What the run calls out of the trace's sight, and what changes or reads state outside: functions
of `functools.lru_cache`, and methods of classes that a library is given.
"""

import functools
import json
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES

LOG: list[Any] = []
TABLE: dict[int, int] = {}


class Counter:
    n = 0


COUNTER = Counter()


@functools.lru_cache
def noted(k: int) -> int:
    LOG.append(k)
    return k * 2


@functools.cache
def counted(k: int) -> int:
    COUNTER.n += 1
    TABLE[k] = COUNTER.n
    return k


@functools.lru_cache(maxsize=2)
def with_length(k: int) -> int:
    return k + len(LOG)


@functools.lru_cache
def with_last(k: int) -> Any:
    return LOG[-1] + k


@functools.cache
def ways(n: int) -> int:
    return ways(n - 1) + ways(n - 2) if n > 1 else n + 1


class Encoder(json.JSONEncoder):
    def default(self, o: Any) -> Any:
        LOG.append("encoded")
        return float(o.sum())


class PlainEncoder(json.JSONEncoder):
    def default(self, o: Any) -> Any:
        return o.tolist()


def changed_by_a_method(x):
    return json.dumps({"a": x, "b": [x[:2]]}, cls=Encoder), len(LOG)


def changed_then_read(x):
    return noted(int(x[0])), len(LOG)


def changed_on_one_side(x):
    if x[0] > 0:
        noted(int(x[1]))
    return len(LOG), x[0]


def changed_in_a_loop(x):
    for v in x:
        counted(int(v))
    return COUNTER.n, sorted(TABLE)


def changed_by_both(x):
    COUNTER.n = int(x[0])
    counted(int(x[1]))
    LOG.append(1)
    noted(int(x[2]))
    return COUNTER.n, list(LOG)


def called_by_map(x):
    return list(map(noted, [int(v) for v in x])), len(LOG)


def called_by_a_key(x):
    return sorted(x, key=lambda v: noted(int(v))), len(LOG)


def reads_what_was_changed(x):
    LOG.append(x[0])
    return with_length(int(x[0])), len(LOG)


def reads_what_is_changed_later(x):
    total = 0
    for v in x:
        total += with_length(int(v))
        LOG.append(v)
    return total


def keeps_nothing_symbolic(x):
    LOG.append(x[0])
    return with_last(3)


PROGRAMS = [changed_then_read, changed_on_one_side, changed_in_a_loop, changed_by_both,
            called_by_map, called_by_a_key, reads_what_was_changed, reads_what_is_changed_later,
            keeps_nothing_symbolic, changed_by_a_method]

ARRAYS = [np.array(x) for x in (
    [1.0, -2.0, 3.0], [2.0, 5.0, 1.0], [-1.0, 2.0, 2.0], [1.0, 1.0, 1.0])]


def outcomes(f: Callable[..., Any]) -> list[str]:
    """The results of some calls, each with the state after it."""
    LOG.clear()
    TABLE.clear()
    COUNTER.n = 0
    for cached in (noted, counted, with_length, with_last):
        cached.cache_clear()
    return [repr((f(x.copy()), LOG, TABLE, COUNTER.n)) for x in ARRAYS]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_state_is_that_of_plain_python(program: Callable[..., Any], mode: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ag.FallbackWarning)
        traced = outcomes(ag.function(program, **MODES[mode]))
    assert traced == outcomes(program)


@pytest.mark.parametrize("mode", MODES)
def test_without_state_they_are_traced(mode: str) -> None:
    def program(x):
        return ways(int(x[0]) + 3) * x[1], json.dumps([x], cls=PlainEncoder)

    traced = ag.function(program, **MODES[mode])
    with warnings.catch_warnings():
        warnings.simplefilter("error", ag.FallbackWarning)
        assert [traced(x) for x in ARRAYS] == [program(x) for x in ARRAYS]
