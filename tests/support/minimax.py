"""Computes the polynomials of `autograph/runtime/native/fast_series.py`.

    python -m tests.support.minimax        prints the tables of that module

Each is the polynomial that agrees with its function at the Chebyshev points of an interval. It has
sixty digits; its greatest error is at most a few times that of the best one of its degree
(L. N. Trefethen, Approximation Theory and Approximation Practice, 2013, chapter 16).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath as mp

DIGITS = 60


class Series(NamedTuple):
    """A function to be replaced, its interval, and the degrees for floats of 64 and of 32 bits."""

    function: Callable[[Any], Any]
    interval: Callable[[], tuple[Any, Any]]
    degrees: tuple[int, int]


def over(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Returns what is left of an odd function, of the square of its argument: that times the cube
    and the argument are the function."""
    def left(z: Any) -> Any:
        x = mp.sqrt(z)
        return (function(x) / x - 1) / z
    return left


def _cosine(z: Any) -> Any:
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z ** 2


def _logarithm(z: Any) -> Any:
    return (2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 2) / z


HALF_STEP = 0.3467
"""Half of log(2), and a little more."""

SERIES = {
    "EXP": Series(lambda r: mp.hyp1f1(1, 3, r) / 2,
                  lambda: (-mp.mpf(HALF_STEP), mp.mpf(HALF_STEP)), (9, 4)),
    "LOG": Series(_logarithm, lambda: (0, mp.mpf("0.02945")), (6, 3)),
    "SIN": Series(over(mp.sin), lambda: (0, mp.mpf("0.6169")), (5, 3)),
    "COS": Series(_cosine, lambda: (0, mp.mpf("0.6169")), (5, 3)),
    "TAN": Series(over(mp.tan), lambda: (0, mp.mpf("0.6169")), (14, 6)),
    "TANH": Series(over(mp.tanh), lambda: (0, mp.mpf("0.3907")), (11, 5)),
    "ATAN": Series(over(mp.atan), lambda: (0, mp.mpf("0.4466")), (16, 7)),
    "ASIN": Series(over(mp.asin), lambda: (0, mp.mpf("0.25")), (12, 5)),
}


def polynomial(series: Series, degree: int) -> list[Any]:
    """Returns the coefficients, the constant one first."""
    low, high = series.interval()
    count = degree + 1
    points = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * k + 1) / (2 * count))
              for k in range(count)]
    powers = mp.matrix(count, count)
    for row, x in enumerate(points):
        for k in range(count):
            powers[row, k] = x ** k
    found = mp.lu_solve(powers, mp.matrix([series.function(x) for x in points]))
    return [found[k] for k in range(count)]


def text() -> str:
    """Returns the tables as they stand in the module."""
    lines = []
    with mp.workdps(DIGITS):
        for name, series in SERIES.items():
            both = [polynomial(series, degree) for degree in series.degrees]
            lines.append(f"{name} = (")
            for numbers in both:
                shown = [float(x).hex() for x in numbers]
                lines.append("    (" + ", ".join(f'"{x}"' for x in shown[:1]) + ",")
                lines += [f'     "{x}",' for x in shown[1:]]
                lines[-1] = lines[-1][:-1] + "),"
            lines[-1] = lines[-1][:-1] + ")"
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(text(), end="")
