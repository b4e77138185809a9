"""What it takes to compile machine code: scalar loops, Black-Scholes, kernels of sixty lines.

    python -m benchmarks.compile_times [turns] [word ...]

takes the rows whose name holds a word; all if none is given. A row is all kernels of a function,
each compiled anew, from the graph to code that Python can call: the least processor time of so many
turns, and what of it LLVM takes.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import autograph as ag
from autograph.runtime.native import compiler, loop_entry
from benchmarks import data, latency, programs
from benchmarks.native import watched

TURNS = 30

Row = tuple[str, Callable[..., Any], tuple[Any, ...]]


def rows() -> Iterator[Row]:
    """All rows."""
    for work in data.scalar_loops():
        yield work.name, work.function, work.arguments
    for work in data.elementwise("1e5", 100_000):
        if work.function is programs.black_scholes:
            yield work.name, work.function, work.arguments
    for number, (name, (text, arguments)) in enumerate(latency.KERNELS.items()):
        yield f"sixty lines: {name}", latency.written(text, number), arguments


def compiled_anew(kernels: list[Any]) -> float:
    """Returns the seconds that it takes to compile kernels, with nothing kept from before."""
    compiler._engines.clear()
    loop_entry.entry_text.cache_clear()
    for kernel in kernels:
        kernel._module = None  # of a loop nest
    start = time.thread_time()
    for kernel in kernels:
        kernel.compiled()
    return time.thread_time() - start


def in_llvm() -> list[float]:
    """Returns a list whose number grows by the seconds that LLVM takes from here on."""
    plain, found = compiler._machine_code, [0.0]

    def timed(text: str, passes: compiler.Passes) -> bytes:
        start = time.thread_time()
        made = plain(text, passes)
        found[0] += time.thread_time() - start
        return made

    compiler._machine_code = timed
    return found


def main() -> None:
    given = sys.argv[1:]
    turns = int(given.pop(0)) if given and given[0].isdigit() else TURNS
    spent = in_llvm()
    print(f"{'':40}{'kernels':>9}{'ms':>9}{'LLVM':>9}")
    for name, function, arguments in rows():
        if given and not any(word in name for word in given):
            continue
        told = watched()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            ag.function(function, jit_compile=True)(*arguments)
        found = []
        for _ in range(turns):
            spent[0] = 0.0
            found.append((compiled_anew(told.made), spent[0]))
        all_of_it, llvm = min(found)
        print(f"{name:40}{len(told.made):9}{1e3 * all_of_it:9.1f}{1e3 * llvm:9.1f}", flush=True)


if __name__ == "__main__":
    main()
