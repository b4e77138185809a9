"""How the time of a first call grows with the size of the program: time against size, for each
family of programs, and the exponent of the growth.

    python -m benchmarks.first_calls [family ...]
"""

from __future__ import annotations

import gc
import math
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import autograph as ag
from benchmarks import harness
from benchmarks.scaling import function_of

SIZES = (125, 250, 500, 1000)
LIMIT = 20.0
"""Seconds; after a first call that took longer, no larger size is tried."""

Source = Callable[[int], str]


def lines(text: str) -> Source:
    """So many lines, each with its number."""
    return lambda n: "".join(f"    {text.format(i=i, j=(i * 7) % 100, k=i % 100)}\n"
                             for i in range(n))


def nest(n: int) -> str:
    """A nest of three ranges over state in an array, of n iterations in all."""
    side = max(2, round(n ** (1 / 3)))
    return (f"    for i in range({side}):\n        for j in range({side}):\n"
            f"            for k in range({side}):\n"
            "                x[i] += x[j] * 0.5 + x[k]\n")


def depth(head: str, n: int) -> str:
    """Blocks, each in the one before; a size of 125 is a depth of two."""
    deep = max(1, n // 62)
    return "".join("    " * (d + 1) + head.format(d=d) + "\n" for d in range(deep)) + (
        "    " * (deep + 1) + "x[0] += 1.0\n")


def whiles(n: int) -> str:
    """Loops whose tests are symbolic, each in the one before."""
    deep = max(1, n // 62)
    text = ""
    for d in range(deep):
        text += "    " * (d + 1) + f"c{d} = x[{d}]\n" + "    " * (d + 1) + f"while c{d} < 2.0:\n"
    for d in reversed(range(deep)):
        text += "    " * (d + 2) + ("x[0] += 1.0\n" if d == deep - 1 else "")
        text = text.rstrip(" ") + "    " * (d + 2) + f"c{d} = c{d} + 1.0\n"
    return text


FAMILIES: dict[str, Source] = {
    "straight lines": lines("x = x * 0.5 + {i}"),
    "stores by index": lines("x[{k}] = {i}.0"),
    "stores of loads": lines("x[{k}] = x[{j}] * .5 + 1.0"),
    "stores by slice": lines("x[{k}:] += {i}.0"),
    "stores in views": lines("v = x[{k}:]; v *= 0.5"),
    "chains of copies": lines("y{i} = x.copy(); y{i}[0] = {i}.0; x = y{i}"),
    "nests of ranges": nest,
    "depth of ranges": lambda n: depth("for i{d} in range(2):", n // 2),
    "depth of whiles": whiles,
    "depth of branches": lambda n: depth("if x[{d}] < 2.0:", n),
    "branches": lines("x = x + 1.0 if x[{k}] > {i} else x"),
    "if statements": lines("if x[{k}] > {i}: x[{j}] = 1.0"),
    "boolean chains": lambda n: "    if " + " or ".join(
        f"x[{i % 100}] > {i}" for i in range(n)) + ":\n        x[0] = 1.0\n",
    "ternaries": lambda n: "    s = " + " + ".join(
        f"(x[{i % 100}] if x[{i * 7 % 100}] > {i} else 2.0)" for i in range(n // 4)) + (
        "\n    x[0] = s\n"),
    "early returns": lambda n: "".join(
        f"    if x[{i % 100}] > {i + 5}.0:\n        return x * {i}.0\n" for i in range(n // 8)),
    "wide containers": lambda n: "    d = {" + ", ".join(
        f"'a{i}': x[{i % 100}]" for i in range(n)) + "}\n    for i in range(30):\n" + (
        "        d['a0'] = d['a0'] * 0.5\n    x[0] = d['a0']\n"),
    "helper chains": lines("x = helper(x, {i}.0)"),
    "comprehensions": lambda n: f"    rows = [x * i for i in range({n})]\n    x = sum(rows)\n",
    "objects bound anew": lambda n: "    p = P(x[0], x[1])\n" + lines(
        "if p.v + x[{k}] > {i}: p = -p")(n // 8) + "    x[0] = p.v\n",
    "methods of objects": lambda n: "    p = P(x[0], x[1])\n" + lines(
        "p.move(x[{k}])")(n // 8) + "    x[0] = p.v\n",
    "objects in a list": lambda n: f"    ps = [P(x[i % 100], 1.0) for i in range({n // 8})]\n"
        + lines("if x[{k}] > {i}: ps[{i}].v = x[{j}]")(n // 8) + "    x[0] = ps[-1].v\n",
    "large constants": lambda n: f"    t = np.arange({n * 1000}.0)\n    x[0] += (t * 2).sum()\n",
}

HEAD = """import numpy as np


def helper(a, b):
    return a * 0.5 + b


class P:
    def __init__(self, v, w):
        self.v, self.w = v, w

    def __neg__(self):
        return P(-self.v, -self.w)

    def move(self, d):
        self.v = self.v + d
        if self.v > 3.0:
            self.w = self.w * 0.5


def f(x):
"""


def first_call(family: str, size: int) -> float:
    """Seconds of processor time for the first call of a program of a size."""
    source = HEAD + FAMILIES[family](size) + "    return x\n"
    with tempfile.TemporaryDirectory() as folder:
        plain = function_of(source, Path(folder))
        f = ag.function(plain)
        x, y = np.ones(100), np.ones(100)
        gc.collect()  # what the programs before this one left is not its own
        start = time.process_time()
        made = f(x)
        taken = time.process_time() - start
    if "slow" not in sys.argv:
        assert np.array_equal(made, plain(y), equal_nan=True) and np.array_equal(
            x, y, equal_nan=True), family
    return taken


def exponent(times: dict[int, float]) -> float:
    """The slope of the line through the logarithms of sizes and times, of the larger half."""
    (a, s), (b, t) = list(times.items())[-2:]
    return math.log(t / s) / math.log(b / a)


def main() -> None:
    """The families named on the command line, or all."""
    np.seterr(all="ignore")
    first_call("straight lines", 10)
    first_call("branches", 10)
    for family in sys.argv[1:] or FAMILIES:
        times: dict[int, float] = {}
        for size in SIZES:
            times[size] = first_call(family, size)
            if times[size] > LIMIT:
                break
        cells = "".join(f"{size}: {harness.pretty(t):<10}" for size, t in times.items())
        print(f"{family:<20}{cells}" + (
            f"exponent {exponent(times):.2f}" if len(times) > 1 else ""), flush=True)


if __name__ == "__main__":
    main()
