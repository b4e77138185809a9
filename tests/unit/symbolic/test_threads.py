"""A function that hands values of the run to another thread runs as plain Python, or is refused."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import autograph as ag

# What a thread of the function's raises goes to `threading.excepthook` alone.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnhandledThreadExceptionWarning", "ignore::autograph.FallbackWarning")

GOT: list[float] = []


def started(x: float) -> float:
    thread = threading.Thread(target=lambda: GOT.append(x * 2))
    thread.start()
    thread.join()
    return x


def test_a_thread_of_the_function_runs_in_plain_python() -> None:
    f = ag.function(started)
    assert [f(np.float64(x)) for x in (1.0, 3.0)] == [1.0, 3.0]
    assert GOT == [2.0, 6.0]


def test_a_pool_from_outside_computes_in_each_call() -> None:
    with ThreadPoolExecutor(1) as pool:
        @ag.function
        def pooled(x: float) -> float:
            return pool.submit(lambda: x * 2).result()

        assert [pooled(np.float64(x)) for x in (1.0, 4.0)] == [2.0, 8.0]


def test_threads_that_call_a_function_each_trace_it() -> None:
    f = ag.function(lambda x: x * 2 if x > 1 else x)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda x: float(f(np.float64(x))), range(8))) == [
            0.0, 1.0, *range(4, 16, 2)]
