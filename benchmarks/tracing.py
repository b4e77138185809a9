"""What loops over arrays cost: tracing a triple loop, and a store to an element in each iteration.

A loop is traced once, however many iterations it makes, and a store in it works in the array's own
memory: the time of tracing does not depend on the size, and that of an iteration does not either.
Times are the processor's, medians of several runs in turns.
"""

import statistics
import time
from collections.abc import Callable

import numpy as np

import autograph as ag
from benchmarks import harness

REPEATS = 9
SIZES = (1_000, 10_000, 100_000)


def fill(x, v):
    for i in range(len(x)):
        x[i] = v
    return x


def smooth(x, v):
    for i in range(1, len(x) - 1):
        x[i] = v * (x[i - 1] + x[i] + x[i + 1])
    return x


def triple(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


def median(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Seconds of processor time."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def first_calls(n: int) -> float:
    """Seconds to convert, trace, optimise and emit the triple loop over arrays of n by n."""
    a, b, c = (np.ones((n, n)) for _ in range(3))
    return median(lambda: ag.function(triple).get_concrete_function(a, b, c))


def per_iteration(function: Callable[..., object], n: int) -> dict[str, float]:
    """Seconds of an iteration: of the plain function, and of ours."""
    x, v, traced = np.ones(n), np.float64(0.3), ag.function(function)
    np.testing.assert_array_equal(traced(x.copy(), v), function(x.copy(), v))
    return {"plain": median(lambda: function(x, v)) / n, "ours": median(lambda: traced(x, v)) / n}


def main() -> None:
    for n in (10, 100, 1000):
        print(f"trace a triple loop over {n}x{n}: {harness.pretty(first_calls(n))}")
    for function in (fill, smooth):
        for n in SIZES:
            found = per_iteration(function, n)
            print(f"{function.__name__}, n = {n}: an iteration takes "
                  f"{found['ours'] * 1e9:.0f} ns, plain {found['plain'] * 1e9:.0f} ns")


if __name__ == "__main__":
    main()
