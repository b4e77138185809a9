"""Whole kernels, unmodified, against plain NumPy: ours, plain and the ratio, results bit for bit.

    python -m benchmarks.kernels [--cpu] [--numpy] [--native] [name ...]

`--cpu` compares the least processor time, of all threads together, which other programs disturb
less. `--numpy` runs over NumPy alone, without machine code; `--native` demands machine code.
"""

from __future__ import annotations

import copy
import statistics
import sys
import time
from typing import Any

import numpy as np

import autograph as ag
from benchmarks import harness
from benchmarks.kernel_programs import (  # noqa: F401  # they enter their kernels
    KERNELS,
    Kernel,
    grids,
    linear_algebra,
    mixed,
    simulations,
    tables,
)

SECONDS = 2.0
"""How long the repetitions of one kernel take, of both candidates together."""

Timings = tuple[float, float, float]

CPU = "--cpu" in sys.argv
OPTIONS = {"jit_compile": False} if "--numpy" in sys.argv else (
    {"jit_compile": True} if "--native" in sys.argv else {})
clock = time.process_time if CPU else time.perf_counter
typical = min if CPU else statistics.median


def same(a: Any, b: Any) -> bool:
    """Returns True if two results, or lists of arguments, are equal bit for bit."""
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (np.ndarray, np.generic)):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return bool(a == b)


def timed(function: Any, arguments: tuple[Any, ...]) -> float:
    """Seconds of one call on copies of the arguments."""
    given = copy.deepcopy(arguments)
    start = clock()
    function(*given)
    return clock() - start


def measure(name: str, kernel: Kernel) -> Timings:
    """Seconds of the plain kernel and of ours, taking turns, and those of our first call.

    Raises:
      AssertionError: the results, or the arguments afterwards, are not the same bit for bit.
    """
    plain, ours = kernel.function, ag.function(kernel.function, **OPTIONS)
    arguments = kernel.arguments(np.random.default_rng(0))
    first = timed(ours, arguments)
    for _ in range(2):
        given = copy.deepcopy(arguments), copy.deepcopy(arguments)
        assert same(plain(*given[0]), ours(*given[1])), f"{name}: other results"
        assert same(given[0], given[1]), f"{name}: other arguments"
    times: tuple[list[float], list[float]] = [], []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(times[0]) < 5:
        order = ((plain, times[0]), (ours, times[1]))
        for function, found in order[:: 1 if len(times[0]) % 2 else -1]:
            found.append(timed(function, arguments))
    return typical(times[0]), typical(times[1]), first


def main() -> None:
    """The kernels named on the command line, or all."""
    names = [x for x in sys.argv[1:] if x[:2] != "--"] or KERNELS
    report({name: KERNELS[name] for name in names})


def report(kernels: dict[str, Kernel]) -> None:
    """Prints a line for each kernel, the geometric mean, and the worst."""
    ratios = {}
    for name, kernel in kernels.items():
        plain, ours, first = measure(name, kernel)
        ratios[name] = plain / ours
        print(f"{name:<28}plain {harness.pretty(plain):<9} ours {harness.pretty(ours):<9} "
              f"{ratios[name]:5.2f}   first call {harness.pretty(first)}", flush=True)
    print(f"\n{len(ratios)} kernels, geometric mean "
          f"{statistics.geometric_mean(ratios.values()):.3f} times plain NumPy")
    for name in sorted(ratios, key=lambda name: ratios[name])[:12]:
        print(f"  {ratios[name]:5.2f} {name}")


if __name__ == "__main__":
    main()
