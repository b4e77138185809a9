"""Conversion by several threads at once, beside one thread that does the same work.

The same functions are converted by every thread, so all of them meet in the caches; what comes out
is compared. Python runs one thread at a time, so as fast as one thread is as fast as it can be.

    python -m benchmarks.threads
"""

from __future__ import annotations

import statistics
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from types import FunctionType

import autograph as ag
from benchmarks import harness
from benchmarks.conversion import functions

THREADS = (1, 2, 8)
LIBRARY = (statistics, textwrap)


def twice(f: FunctionType) -> tuple[object, str]:
    """The converted function, and its text."""
    return ag.convert(f), ag.to_code(f)


def seconds(threads: int, found: list[FunctionType]) -> float:
    """The time of all conversions, each by one of the threads; their results must agree."""
    todo = [f for f in found for _ in range(max(THREADS))]
    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        results = list(pool.map(twice, todo))
    taken = time.perf_counter() - start
    for i in range(0, len(results), max(THREADS)):
        same = results[i:i + max(THREADS)]
        assert all(made is same[0][0] and text == same[0][1] for made, text in same)
    return taken


def main() -> None:
    """A line for each number of threads."""
    found = [f for module in LIBRARY for f in functions(module)]
    seconds(1, found[:10])
    for threads in THREADS:
        print(f"{threads} threads: {harness.pretty(seconds(threads, found))} for {len(found)} "
              f"functions, each {max(THREADS)} times", flush=True)


if __name__ == "__main__":
    main()
