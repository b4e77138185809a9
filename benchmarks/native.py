"""Machine code against plain NumPy, the generated Python, and Numba and JAX where installed.

    python -m benchmarks.native [loops | arrays]

Prints microseconds (the best of several turns) and the time of each other over ours: for loops
plain Python, generated Python and Numba, for arrays NumPy, generated Python and `jax.jit`. Results
are compared with plain Python's byte for byte first.
"""

from __future__ import annotations

import importlib.util
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import autograph as ag
from benchmarks.kernel_programs import native_arrays
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


def loops() -> None:
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
    tell_means("plain, generated Python, Numba", ratios)


def arrays() -> None:
    jitted = jax_jit()
    for length in native_arrays.LENGTHS:
        ratios: list[list[float]] = []
        for name, (plain, count, row) in native_arrays.PROGRAMS.items():
            arguments = native_arrays.numbers(count, length, row)
            functions = [plain, ag.function(plain), ag.function(plain, jit_compile=True)]
            functions += [jitted(plain)] if jitted is not None else []
            results = [np.asarray(f(*arguments)).tobytes() for f in functions[:3]]
            for f in functions:
                f(*arguments)
            times = paired(functions, arguments)
            others = [*times[:2], *times[3:]]
            ratios.append([t / times[2] for t in others])
            print(f"{name:28}{length:9}{'' if results[0] == results[2] else ' DIFFERS'}",
                  *(f"{t:10.1f}" for t in times), *(f"{r:8.2f}" for r in ratios[-1]))
        tell_means("NumPy, generated Python, JAX", ratios)


def jax_jit() -> Callable[..., Any] | None:
    """Returns `jax.jit` of a NumPy program, whose arrays are ready when it returns; None without
    JAX."""
    if importlib.util.find_spec("jax") is None:
        return None
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    scope = importlib.import_module("jax.numpy")

    def jitted(plain: Callable[..., Any]) -> Callable[..., Any]:
        same = type(plain)(plain.__code__, {**plain.__globals__, "np": scope})
        run = jax.jit(same)
        return lambda *arguments: jax.block_until_ready(run(*arguments))

    return jitted


def tell_means(of: str, ratios: list[list[float]]) -> None:
    means = [math.exp(sum(map(math.log, column)) / len(ratios))
             for column in zip(*ratios, strict=True)]
    print(f"geometric mean of the ratios ({of}):", *(f"{m:.2f}" for m in means))


def main() -> None:
    chosen = sys.argv[1:] or ["loops", "arrays"]
    for part in (loops, arrays):
        if part.__name__ in chosen:
            part()


if __name__ == "__main__":
    main()
