"""Loops as machine code against plain NumPy, the generated Python, and Numba where it is installed.

    python -m benchmarks.native

Prints microseconds (the best of several turns), the time of plain Python over ours, and of Numba
over ours. Results are compared byte for byte first.
"""

from __future__ import annotations

import importlib.util
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import autograph as ag
from benchmarks.kernel_programs import native_loops as programs


def once(f: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    copies = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in arguments)
    start = time.perf_counter()
    f(*copies)
    return time.perf_counter() - start


def paired(functions: list[Callable[..., Any]], arguments: tuple[Any, ...]) -> list[float]:
    """The best of several turns of each, in turns; of a turn, the best of five calls."""
    turns = [[min(once(f, arguments) for _ in range(5)) for f in functions] for _ in range(5)]
    return [min(column) * 1e6 for column in zip(*turns, strict=True)]


def main() -> None:
    numba = importlib.import_module("numba") if importlib.util.find_spec("numba") else None
    ratios: list[list[float]] = []
    for name, make in programs.PROGRAMS.items():
        plain, arguments = getattr(programs, name), make()
        native, python = ag.function(plain, jit_compile=True), ag.function(plain)
        functions = [plain, python, native]
        if numba is not None:
            functions.append(numba.njit(plain))
        results = [f(*[a.copy() if isinstance(a, np.ndarray) else a for a in arguments])
                   for f in functions]
        same = np.asarray(results[0]).tobytes() == np.asarray(results[2]).tobytes()
        times = paired(functions, arguments)
        ratios.append([times[0] / times[2], times[1] / times[2],
                       times[3] / times[2] if numba is not None else math.nan])
        print(f"{name:22}{'' if same else ' DIFFERS'}", *(f"{t:10.1f}" for t in times),
              *(f"{r:8.2f}" for r in ratios[-1]))
    means = [math.exp(sum(map(math.log, column)) / len(ratios))
             for column in zip(*ratios, strict=True)]
    print("geometric mean of the ratios (plain, generated Python, Numba):",
          *(f"{m:.2f}" for m in means))


if __name__ == "__main__":
    main()
