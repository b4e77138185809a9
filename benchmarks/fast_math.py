"""Machine code with `fast_math=True` against plain NumPy, NumPy's bits, Numba and JAX.

    python -m benchmarks.fast_math [--cpu] [word ...]

takes the rows of `benchmarks.native` whose name or class holds a word; by default those on whole
arrays and the kernels of simulations. It shows the time of plain NumPy, and how many times as fast
machine code with `fast_math` is as NumPy, as machine code with NumPy's bits, as Numba with
`fastmath=True` and as `jax.jit`, of the same source, in turns of one run; then the greatest
difference from NumPy's result, of its largest number. At the end: geometric means.
"""

from __future__ import annotations

import copy
import math
import sys
import warnings
from typing import Any

import numpy as np

import autograph as ag
from autograph.runtime.ir.pytree import flatten
from benchmarks import harness
from benchmarks.native import Row, least, peers, rows

COLUMNS = ("exact", "numba", "jax")
USUAL = ("arrays", "elementwise", "simulations")


def difference(found: Any, expected: Any) -> float:
    """Returns the greatest difference, of the largest number of each result."""
    worst = 0.0
    for x, y in zip(flatten(found), flatten(expected), strict=True):
        x, y = np.asarray(x), np.asarray(y)
        known = np.isfinite(y) if y.dtype.kind == "f" else np.zeros(y.shape, bool)
        if known.any():
            most = float(np.abs(y[known]).max()) or 1.0
            worst = max(worst, float(np.abs(x[known] - y[known]).max()) / most)
    return worst


def measure(row: Row) -> dict[str, float]:
    """Prints a row and returns its ratios, by column."""
    arguments = row.arguments()
    fast = ag.function(row.function, jit_compile=True, fast_math=True)
    candidates = {"plain": row.function, "fast": fast,
                  "exact": ag.function(row.function, jit_compile=True)}
    off = difference(fast(*copy.deepcopy(arguments)), row.function(*copy.deepcopy(arguments)))
    times = least(candidates | peers(row.function, arguments, fastmath=True), arguments)
    ratios = {name: times[name] / times["fast"] for name in times if name != "fast"}
    cells = "".join(f"{ratios[name]:9.2f}" if name in ratios else f"{'-':>9}"
                    for name in ("plain", *COLUMNS))
    print(f"{row.name[:40]:41}{harness.pretty(times['plain']):>9}{cells}{off:10.1e}", flush=True)
    return ratios


def main() -> None:
    words = [word for word in sys.argv[1:] if not word.startswith("--")] or USUAL
    print(f"{'':41}{'NumPy':>9}{'x':>9}" + "".join(f"{n:>9}" for n in COLUMNS) + f"{'off':>10}")
    found = []
    for row in rows():
        if any(word in f"{row.name} {row.family}" for word in words):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.append(measure(row))
    cells = ""
    for name in ("plain", *COLUMNS):
        logs = [math.log(r[name]) for r in found if name in r]
        cells += f"{math.exp(sum(logs) / len(logs)):9.2f}" if logs else f"{'-':>9}"
    print(f"{f'{len(found)} rows, geometric means':50}{cells}")


if __name__ == "__main__":
    main()
