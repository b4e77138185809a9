"""Runs the corpus on values nobody chose: the traces must hold for every value of a signature."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.case import Case
from tests.corpus.cases import CASES, GAPS, parameters
from tests.support.outcome import run

SEEDS = (0, 1, 2)
WORKING = [case for case in CASES if f"traced: {case.name}" not in GAPS]
PATIENCE = 0.5
"""Seconds after which a plain program is taken to run for ever on the values it was given."""


class Endless(BaseException):
    """Not an Exception: no program's own handler may catch it."""


@contextmanager
def alarm(seconds: float, of_processor: bool = False) -> Iterator[None]:
    """Raise `Endless` in the block after so many seconds, or seconds of the processor's time, and
    each second after that: Python ignores what is raised while it calls back for a weak reference.
    """
    def ring(*_: object) -> None:
        raise Endless

    clock, kind = (signal.ITIMER_PROF, signal.SIGPROF) if of_processor else (
        signal.ITIMER_REAL, signal.SIGALRM)
    before = signal.signal(kind, ring)
    signal.setitimer(clock, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(clock, 0)
        signal.signal(kind, before)


def varied(value: Any, rng: np.random.Generator) -> Any:
    """The same structure, dtypes and shapes with other small numbers; Python values stay."""
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "iufb":
        numbers = rng.integers(0 if value.dtype.kind in "ub" else -6, 9, value.shape)
        numbers = numbers + rng.integers(0, 4, value.shape) / 4 * (value.dtype.kind == "f")
        other = np.asarray(numbers).astype(value.dtype)
        return other if isinstance(value, np.ndarray) else other[()]
    if isinstance(value, list | tuple):
        return type(value)(varied(item, rng) for item in value)
    if isinstance(value, dict):
        return {key: varied(item, rng) for key, item in value.items()}
    return value


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # see `alarm`
@pytest.mark.parametrize(("mode", "case"), parameters(WORKING, "other values"))
def test_other_values(mode: str, case: Case) -> None:
    function = ag.function(case.function)
    for given in case.arguments:
        run(function, given)
        for arguments in (varied(given, np.random.default_rng(seed)) for seed in SEEDS):
            try:
                with alarm(PATIENCE):
                    plain = run(case.function, arguments).describe()
            except Endless:
                continue
            with alarm(20 * PATIENCE):
                call = run(function, arguments)
            assert call.describe() == plain, call.told


def test_varied_keeps_the_signature() -> None:
    given = (np.ones((2, 3), np.float32), [np.int8(3), 4], {"a": np.array(True)}, "s")
    array, items, table, text = varied(given, np.random.default_rng(0))
    assert (array.dtype, array.shape) == (np.float32, (2, 3))
    assert [type(item) for item in items] == [np.int8, int]
    assert table["a"].dtype == bool and text == "s"
