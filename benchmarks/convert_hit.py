"""What `ag.convert` costs generated code that calls the same things again and again."""

import functools
import math
import time
from collections.abc import Callable

import numpy as np

import autograph as ag
from autograph.conversion.conversion_rules import note_generated

CALLS = 100_000


def plain(x):
    return x


def closure():
    k = 1
    return lambda x: x and k


class Thing:
    def __init__(self, x):
        self.x = x

    def method(self):
        return self


def ask(convert: Callable[[object], object], f: object, calls: range) -> float:
    start = time.perf_counter()
    for _ in calls:
        convert(f)
    return time.perf_counter() - start


# `ag.convert` answers generated code in another way than a user: pose as generated code.
note_generated(ask.__code__, None)


def main() -> None:
    """Prints nanoseconds per call, as generated code sees them, without those of an empty call."""
    cases = {"function": plain, "closure": closure(), "bound method": Thing(1).method,
             "list.append": [].append, "class": Thing, "partial": functools.partial(plain, 1),
             "np.zeros": np.zeros, "np.sin": np.sin, "math.sqrt": math.sqrt, "len": len}
    calls = range(CALLS)
    for name, f in cases.items():
        empty = min(ask(id, f, calls) for _ in range(5))
        found = min(ask(ag.convert, f, calls) for _ in range(5))
        print(f"{name:<14}{(found - empty) / CALLS * 1e9:8.0f} ns")


if __name__ == "__main__":
    main()
