"""Paired timing: candidates take turns in one process, and medians are compared within one run."""

import statistics
import time
from collections.abc import Callable
from typing import Any

Candidate = Callable[[], Any]

clock: Callable[[], float] = time.perf_counter
"""Seconds; `time.thread_time` on a machine that does other things, too, if one thread does it."""

REPEATS = 11
CHUNK = 0.005
"""Seconds that one timing takes at least; shorter ones measure the clock."""

WARM_UP = 20
"""So many calls come before the first that is timed, or fewer if they take long."""


def repetitions(candidate: Candidate) -> int:
    """How often to call so that a chunk is long enough; the first calls, which may compile and be
    watched, do not count."""
    spent = 0.0
    for _ in range(WARM_UP):
        spent += chunk(candidate, 1)
        if spent > 0.2:
            break
    number = 1
    while (elapsed := chunk(candidate, number)) < CHUNK:
        number = max(number + 1, int(number * min(10.0, 1.2 * CHUNK / max(elapsed, 1e-9))))
    return number


def chunk(candidate: Candidate, number: int, clock: Callable[[], float] = time.perf_counter
          ) -> float:
    """Seconds for so many calls."""
    start = clock()
    for _ in range(number):
        candidate()
    return clock() - start


def measure(candidates: dict[str, Candidate], repeats: int = REPEATS) -> dict[str, float]:
    """Median seconds per call of each; every other time in the opposite order."""
    numbers = {name: repetitions(candidate) for name, candidate in candidates.items()}
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for turn in range(repeats):
        for name in list(candidates)[:: 1 if turn % 2 == 0 else -1]:
            times[name].append(chunk(candidates[name], numbers[name]) / numbers[name])
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def show(title: str, medians: dict[str, float]) -> str:
    """One line: each candidate's time, and how many times as fast as the first it is."""
    (_, base), *_ = medians.items()
    cells = [f"{name} {pretty(seconds)} ({base / seconds:.2f}x)"
             for name, seconds in medians.items()]
    return f"{title:<24} " + "   ".join(cells)


def pretty(seconds: float) -> str:
    """Seconds with three digits and a unit.

    >>> pretty(0.00123), pretty(4.2e-8)
    ('1.23 ms', '42 ns')
    """
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def tensorflow() -> Any:
    """TensorFlow, the peer, if it is installed; else None."""
    try:
        import tensorflow
    except ImportError:
        return None
    return tensorflow


def jax() -> Any:
    """JAX, the peer, with float64 on, if it is installed; else None."""
    try:
        import jax
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    return jax
