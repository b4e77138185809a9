"""What an `if`, a loop and a call cost in converted code when every value is a Python number."""

from collections.abc import Callable
from typing import Any

import autograph as ag
from benchmarks import harness

TURNS = 20_000


def helper(x):
    return x


def nothing(n):
    i = 0
    while i < n:
        i += 1
    return i


def calls(n):
    i = 0
    while i < n:
        helper(i)
        i += 1
    return i


def branches(n):
    i = s = 0
    while i < n:
        if i > 5:
            s = i
        i += 1
    return s


def costs(convert: Callable[[Any], Any]) -> dict[str, float]:
    """Seconds a turn: of the bare loop, and of what the other loops have in addition."""
    converted = {f.__name__: convert(f) for f in (nothing, calls, branches)}
    medians = harness.measure({name: lambda f=f: f(TURNS) for name, f in converted.items()})
    loop = medians["nothing"]
    return {"turn of a loop": loop / TURNS, "call": (medians["calls"] - loop) / TURNS,
            "if": (medians["branches"] - loop) / TURNS}


if __name__ == "__main__":
    peers = {"plain Python": lambda f: f, "ours": ag.convert}
    if (tf := harness.tensorflow()) is not None:
        peers["tf.autograph"] = tf.autograph.to_graph
    for name, convert in peers.items():
        print(f"{name:<14}" + "".join(f"{what}: {harness.pretty(seconds):<12}"
                                      for what, seconds in costs(convert).items()))
