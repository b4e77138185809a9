"""Times every workload: eager NumPy, Python numbers, ours, tf.function if it is installed.

    python -m benchmarks.workloads [--cpu] [WORD …]

takes those whose name or family holds a word; all if none is given. Candidates take turns and are
called at least five times each; the shortest time counts, because a busy machine only adds to it.
With `--cpu` the processor time of one thread counts, to which a busy machine adds least; TensorFlow
has threads of its own and is left out. Results are compared with the plain function's, bit by
bit, first.
"""

import math
import sys
import time
import types
from typing import Any

import numpy as np

import autograph as ag
from autograph.runtime.kernels import tiled
from benchmarks import harness
from benchmarks.data import Workload, workloads

SECONDS = 1.0
"""For one workload, all its candidates together."""

Times = dict[str, float]
HEAD = ("workload", "eager", "ours", "x eager", "numbers", "ours/numbers", "tf.function", "x tf")


def main(words: list[str]) -> None:
    """Prints the table, and a line for every family."""
    found: dict[str, list[Times]] = {}
    if one_thread := "--cpu" in words:
        words.remove("--cpu")
        tiled.set_threads(1)
    print(row(HEAD))
    for work in workloads():
        if words and not any(word in f"{work.name} {work.family}" for word in words):
            continue
        times = shortest(candidates(work, one_thread), one_thread)
        found.setdefault(work.family, []).append(times)
        print(row(cells(work.name, times)), flush=True)
    print()
    for line in summary(found):
        print(line)


def candidates(work: Workload, one_thread: bool = False) -> dict[str, harness.Candidate]:
    """Who takes part; all have been called once."""
    f, arguments = work.function, work.arguments
    graph = ag.function(f)
    np.testing.assert_equal(graph(*arguments), f(*arguments))
    found = {"eager": lambda: f(*arguments), "ours": lambda: graph(*arguments)}
    if work.loose:
        numbers = tuple(x.item() for x in arguments)
        found["numbers"] = lambda: f(*numbers)
    tf = None if one_thread else harness.tensorflow()
    if tf is not None and (peer := tensorflow_peer(tf, work)):
        found["tf"] = peer
    return found


def tensorflow_peer(tf: Any, work: Workload) -> harness.Candidate | None:
    """The same program over TensorFlow's NumPy, on its own tensors; None if it refuses."""
    tf.experimental.numpy.experimental_enable_numpy_behavior()
    scope = {**work.function.__globals__, "np": tf.experimental.numpy}
    for name, thing in list(scope.items()):
        if isinstance(thing, types.FunctionType) and thing.__module__ == work.function.__module__:
            scope[name] = types.FunctionType(thing.__code__, scope, name, thing.__defaults__)
    peer = tf.function(scope[work.function.__name__])
    given = tf.nest.map_structure(
        lambda x: x if type(x) is int else tf.constant(x), work.arguments)
    try:
        peer(*given)
    except Exception:
        return None
    return lambda: peer(*given)


def shortest(found: dict[str, harness.Candidate], one_thread: bool = False) -> Times:
    """The shortest time per call of each, over calls that take about a second."""
    clock = time.thread_time if one_thread else time.perf_counter
    numbers = {name: harness.repetitions(candidate) for name, candidate in found.items()}
    times = dict.fromkeys(found, math.inf)
    start, turn = time.perf_counter(), 0
    while turn < 5 or time.perf_counter() - start < SECONDS:
        for name in list(found)[:: 1 if turn % 2 == 0 else -1]:
            seconds = harness.chunk(found[name], numbers[name], clock) / numbers[name]
            times[name] = min(times[name], seconds)
        turn += 1
    return times


def cells(name: str, times: Times) -> tuple[str, ...]:
    def ratio(a: str, b: str) -> str:
        return f"{times[a] / times[b]:.2f}" if a in times and b in times else "-"

    def pretty(who: str) -> str:
        return harness.pretty(times[who]) if who in times else "-"

    return (name, pretty("eager"), pretty("ours"), ratio("eager", "ours"), pretty("numbers"),
            ratio("ours", "numbers"), pretty("tf"), ratio("tf", "ours"))


def row(texts: tuple[str, ...]) -> str:
    return f"{texts[0]:<24}" + "".join(f"{text:>13}" for text in texts[1:])


def mean(rows: list[Times], top: str, bottom: str) -> float | None:
    """The geometric mean of top/bottom over the rows that have both."""
    logs = [math.log(t[top] / t[bottom]) for t in rows if top in t and bottom in t]
    return math.exp(sum(logs) / len(logs)) if logs else None


def summary(found: dict[str, list[Times]]) -> list[str]:
    """A line for each family: its geometric means."""
    lines = [row(("family", "x eager", "x tf", "ours/numbers"))]
    everything = [times for rows in found.values() for times in rows]
    for name, rows in [*found.items(), ("all", everything)]:
        means = mean(rows, "eager", "ours"), mean(rows, "tf", "ours"), mean(rows, "ours", "numbers")
        lines.append(row((name, *("-" if value is None else f"{value:.2f}" for value in means))))
    return lines


if __name__ == "__main__":
    main(sys.argv[1:])
