"""What other people's code costs in a traced function: the first call, a later one, and plain.

    python -m benchmarks.other_code [program ...]

Time is that of the processor. `traces` says how many traces six calls with other values needed,
`ops` how many equations the graph has. Programs whose library is not installed are left out.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import autograph as ag
from benchmarks import harness

Fn = Callable[..., Any]
GENERATOR = np.random.default_rng(4)


def rows_of_a_list(x):
    return [row * 2 for row in x]


def drawn_shifts(x):
    total = 0
    for _ in range(1000):
        total += 1 << random.randrange(10)
    return total + x[0, 0]


def drawn_in_a_loop_of_the_run(x):
    total, count = 0, 0
    while count < x.shape[0] and total < x[0, 0] * 1e6:
        total += 1 << random.randrange(10)
        count += 1
    return total


def with_scipy() -> Iterator[Fn]:
    """Yields programs that call SciPy."""
    from scipy import integrate, interpolate, ndimage, optimize, signal, stats

    def savgol_filter(x):
        return signal.savgol_filter(x[:, 0], 11, 3)

    def minimize(x):
        return optimize.minimize(lambda p: ((p - x[0]) ** 2).sum(), np.zeros(x.shape[1])).x

    def solve_ivp(x):
        return integrate.solve_ivp(lambda t, y: -y * x[0, 0], (0, 1), [1.0]).y[:, -1]

    def spline(x):
        return interpolate.CubicSpline(np.arange(len(x)), x[:, 0])(1.5)

    def smoothed(x):
        return ndimage.gaussian_filter(x, 2)

    def tested(x):
        return stats.ttest_ind(x[:, 0], x[:, 1]).pvalue

    yield from (savgol_filter, minimize, solve_ivp, spline, smoothed, tested)


def with_pandas() -> Iterator[Fn]:
    """Yields programs that call pandas."""
    import pandas as pd

    def grouped(x):
        frame = pd.DataFrame({"a": x[:, 0], "k": (x[:, 1] > 0).astype(int)})
        return frame.groupby("k")["a"].mean().to_numpy()

    yield grouped


def with_sklearn() -> Iterator[Fn]:
    """Yields programs that call scikit-learn."""
    from sklearn.linear_model import Ridge
    from sklearn.preprocessing import StandardScaler

    def scaled_and_fitted(x):
        scaled = StandardScaler().fit_transform(x[:, 1:])
        return Ridge(0.1).fit(scaled, x[:, 0]).coef_

    yield scaled_and_fitted


def programs() -> Iterator[Fn]:
    """Yields the programs whose libraries are installed."""
    yield from (rows_of_a_list, drawn_shifts, drawn_in_a_loop_of_the_run)
    for made in (with_scipy, with_pandas, with_sklearn):
        try:
            yield from made()
        except ImportError:
            continue


def data() -> np.ndarray:
    """Other values at each call."""
    return GENERATOR.normal(size=(2000, 4)) + 3.0


def seconds(f: Fn, x: np.ndarray) -> float:
    """Seconds of the processor for a call."""
    start = time.process_time()
    f(x)
    return time.process_time() - start


def row(f: Fn) -> str:
    """A line of the table."""
    traced = ag.function(f)
    f(data())  # what the library itself does once is not the trace's
    first = seconds(traced, data())
    later = statistics.median(seconds(traced, data()) for _ in range(5))
    plain = statistics.median(seconds(f, data()) for _ in range(5))
    equations = sum(1 for _ in traced.get_concrete_function(data()).graph.equations)
    return (f"{f.__name__:<28}{harness.pretty(first):>10}{harness.pretty(later):>10}"
            f"{harness.pretty(plain):>10}{traced.experimental_get_tracing_count():>8}"
            f"{equations:>6}")


def main() -> None:
    """The programs named on the command line, or all."""
    print(f"{'':<28}{'first':>10}{'later':>10}{'plain':>10}{'traces':>8}{'ops':>6}")
    ag.function(lambda x: x + 1)(data())
    for f in programs():
        if f.__name__ in (sys.argv[1:] or [f.__name__]):
            print(row(f), flush=True)


if __name__ == "__main__":
    main()
