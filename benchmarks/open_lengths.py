"""Functions traced for arrays of any length, against plain NumPy and one trace for each length.

    python -m benchmarks.open_lengths [--cpu] [word ...]

takes the programs whose name holds a word; all if none is given. A row is a program on arrays of
one size. It shows the time of plain NumPy, and how many times as fast is machine code for lengths
that a call gives; the same without machine code; machine code for these lengths alone; and
`tf.function` with a signature of open lengths, where TensorFlow is installed. Then the seconds that
a call with other lengths takes for the first time, open and not. Results are compared with plain
Python's byte for byte first.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import autograph as ag
from benchmarks import harness
from benchmarks.native import agree, least

Program = Callable[..., Any]
SIZES = (10, 100, 700)
RANDOM = np.random.default_rng(0)


def normal(*shape: int) -> Any:
    return RANDOM.normal(size=shape)


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def standardised(x):
    centred = x - np.mean(x)
    return centred / np.sqrt(np.mean(centred * centred))


def layer(x, w, b):
    return np.maximum(np.matmul(x, w) + b, 0.0)


def five_points(u):
    return 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])


def differences(x):
    return (x[1:] - x[:-1]) * 0.5 + x[1:] * x[:-1]


def logistic(x):
    return 1 / (1 + np.exp(-x))


def clipped_error(x, y):
    error = np.abs(x - y)
    return np.sum(np.where(error < 1.0, 0.5 * error * error, error - 0.5))


PROGRAMS: dict[str, tuple[Program, Callable[[int], tuple[Any, ...]]]] = {
    "softmax of rows of 64": (softmax, lambda n: (normal(n, 64),)),
    "softmax": (softmax, lambda n: (normal(n, max(n // 2, 2)),)),
    "standardised": (standardised, lambda n: (normal(n),)),
    "layer": (layer, lambda n: (normal(n, 64), normal(64, 32), normal(32))),
    "five points": (five_points, lambda n: (normal(n, n),)),
    "differences": (differences, lambda n: (normal(10 * n),)),
    "logistic": (logistic, lambda n: (normal(n, n),)),
    "clipped error": (clipped_error, lambda n: (normal(10 * n), normal(10 * n))),
}
"""By name: a program, and what makes its arguments of a size."""


def opened(make: Callable[[int], tuple[Any, ...]]) -> list[tuple[int | None, ...]]:
    """Returns the shapes of arguments, with lengths that depend on the size open."""
    return [tuple(n if n == m else None for n, m in zip(x.shape, y.shape, strict=True))
            for x, y in zip(make(10), make(31), strict=True)]


def of_any_length(plain: Program, make: Any, native: bool) -> Program:
    signature = [ag.TensorSpec(shape, np.float64) for shape in opened(make)]
    made: Program = ag.function(plain, jit_compile=native, input_signature=signature)
    return made


def tensorflow(plain: Program, make: Any) -> dict[str, Program]:
    """Returns TensorFlow's function of a program, if it is installed."""
    if (tf := harness.tensorflow()) is None:
        return {}
    names = {**plain.__globals__, "np": tf.experimental.numpy}
    there = type(plain)(plain.__code__, names, plain.__name__)  # type: ignore[attr-defined]
    run = tf.function(there, input_signature=[tf.TensorSpec(s, tf.float64) for s in opened(make)])
    return {"tf": lambda *arguments: run(*arguments).numpy()}


def first_call(f: Program, arguments: tuple[Any, ...]) -> float:
    """Returns the seconds of a call."""
    start = time.perf_counter()
    f(*arguments)
    return time.perf_counter() - start


def main() -> None:
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    columns = ("open", "python", "known", "tf")
    print(f"{'':24}{'size':>5}{'NumPy':>10}" + "".join(f"{c:>9}" for c in columns)
          + f"{'new, open':>12}{'known':>9}")
    for name, (plain, make) in PROGRAMS.items():
        if words and not any(word in name for word in words):
            continue
        there = tensorflow(plain, make)
        functions = {"open": of_any_length(plain, make, True),
                     "python": of_any_length(plain, make, False),
                     "known": ag.function(plain, jit_compile=True)}
        for size in SIZES:
            arguments = make(size)
            remark = agree(plain, functions["open"], arguments)
            times = least({"plain": plain, **functions, **there}, arguments)
            cells = "".join(f"{times['plain'] / times[c]:9.2f}" if c in times else f"{'-':>9}"
                            for c in columns)
            new = [harness.pretty(first_call(functions[c], make(size + 1)))
                   for c in ("open", "known")]
            print(f"{name:24}{size:5}{harness.pretty(times['plain']):>10}{cells}"
                  f"{new[0]:>12}{new[1]:>9}{remark}", flush=True)


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
