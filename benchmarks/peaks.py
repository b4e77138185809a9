"""Peak memory of kernels against plain NumPy: what is allocated at most at a time during one call.

    python -m benchmarks.peaks [name ...]

All run over NumPy, without machine code: a first call that compiles takes memory of its own.
"""

from __future__ import annotations

import copy
import gc
import math
import sys
import tracemalloc
import warnings
from typing import Any

import numpy as np

import autograph as ag
from benchmarks.kernel_programs import (  # noqa: F401  # they enter their kernels
    KERNELS,
    grids,
    linear_algebra,
    mixed,
    simulations,
    tables,
)

LIMIT = 1.2
"""How many times the plain function's peak is asked for at most."""

ARRAYS = 1 << 16
"""Bytes: what goes beyond the plain peak by less is no array, but what a call itself takes."""


def peak(function: Any, arguments: tuple[Any, ...]) -> int:
    """Bytes that a call allocates at most at a time, on a copy of the arguments."""
    given = copy.deepcopy(arguments)
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    function(*given)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most - before


def main() -> None:
    """The kernels named on the command line, or all; the geometric mean, and those over the
    limit."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    ratios = {}
    for name in sys.argv[1:] or KERNELS:
        kernel = KERNELS[name]
        arguments = kernel.arguments(np.random.default_rng(0))
        ours = ag.function(kernel.function, jit_compile=False)
        for _ in range(3):
            ours(*copy.deepcopy(arguments))
        plain, made = peak(kernel.function, arguments), peak(ours, arguments)
        ratios[name] = made / plain if made - plain > ARRAYS else 1.0
        print(f"{name:<28}plain {plain / 1e3:9.1f} kB   ours {made / 1e3:9.1f} kB   "
              f"{made / plain:.2f}", flush=True)
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    print(f"\n{len(ratios)} kernels, geometric mean {mean:.2f} times the plain peak")
    for name, ratio in sorted(ratios.items(), key=lambda item: -item[1]):
        if ratio > LIMIT:
            print(f"   {ratio:.2f} {name}")


if __name__ == "__main__":
    main()
