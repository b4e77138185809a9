"""What signatures cost in memory: distinct ones by the thousand, with the bound and without.

    python -m benchmarks.memory [SIGNATURES]

Python counts what it allocates meanwhile, which takes four times as long as the traces alone.
"""

import gc
import sys
import tracemalloc
import warnings

import numpy as np

import autograph as ag


def program(x, n):
    if np.sum(x) > n:
        x = x - n
    return np.sqrt(np.abs(x)) + n


def grown(count: int, **options) -> tuple[int, int]:
    """(bytes that so many distinct signatures leave behind, traces kept)."""
    function = ag.function(program, **options)
    x = np.ones(3)
    function(x, -1)
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for n in range(count):
        function(x, n)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return after - before, function.cache_info().traces


if __name__ == "__main__":
    warnings.simplefilter("ignore", ag.RetracingWarning)
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    for title, options in {"default": {}, "max_traces=100": {"max_traces": 100},
                           "max_traces=None": {"max_traces": None}}.items():
        grew, kept = grown(count, **options)
        print(f"{title:<18}{count} signatures: {kept} traces kept, {grew / 1e6:.1f} MB, "
              f"{grew / max(kept, 1) / 1e3:.1f} kB a trace")
