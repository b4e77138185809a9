"""What gradients cost: forward and backward beside forward alone, and beside other libraries.

    python -m benchmarks.gradients            the rows below; peers that are installed take part
    python -m benchmarks.gradients corpus [--cpu] [--numpy] [--native]
                                              the numeric programs of the tests; `--cpu`: processor
                                              time; over NumPy alone, or as machine code, where the
                                              default chooses for each function
Candidates take turns in one run; a row has the shortest time of each, as a busy machine only adds
to it. `over forward` is value and gradient over the value alone, both compiled by us; for a peer,
how many times as long as ours it takes. All compute in float64. Values are compared with
central differences along a random direction first.
"""

from __future__ import annotations

import importlib
import math
import statistics
import sys
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import autograph as ag
from autograph.gradients.engine import untransformed
from autograph.runtime.ir.pytree import flatten, map_nest
from benchmarks import harness
from benchmarks.gradient_programs import ROWS, Row
from tests.corpus.cases import CASES

TURNS = 15
Times = dict[str, float]


def shortest(found: dict[str, harness.Candidate]) -> Times:
    """The shortest seconds of a call of each."""
    numbers = {name: harness.repetitions(candidate) for name, candidate in found.items()}
    times = dict.fromkeys(found, math.inf)
    for turn in range(TURNS):
        for name in list(found)[:: 1 if turn % 2 == 0 else -1]:
            seconds = harness.chunk(found[name], numbers[name], harness.clock) / numbers[name]
            times[name] = min(times[name], seconds)
    return times


def with_numpy(f: Callable[..., Any], module: Any) -> Callable[..., Any]:
    """A function of the same code over another library's NumPy."""
    scope = {**f.__globals__, "np": module}
    for name, thing in list(scope.items()):
        if isinstance(thing, types.FunctionType) and thing.__module__ == f.__module__:
            scope[name] = types.FunctionType(thing.__code__, scope, name, thing.__defaults__)
    made: Callable[..., Any] = scope[f.__name__]
    return made


def candidates(row: Row) -> dict[str, harness.Candidate]:
    """Ours forward, ours with the gradient, plain NumPy, and the peers that are installed."""
    forward, both = (ag.function(f, jit_compile=True) for f in (
        row.function, ag.value_and_grad(row.function, row.argnums)))
    check(row.function, row.arguments, row.argnums)
    found: dict[str, harness.Candidate] = {
        "both": lambda: both(*row.arguments),
        "forward": lambda: forward(*row.arguments),
        "plain": lambda: row.function(*row.arguments)}
    for name, make in (("autograd", autograd_peer), ("jax", jax_peer), ("tf", tensorflow_peer)):
        peer = make(row)
        if peer is not None:
            peer()
            found[name] = peer
    return found


def autograd_peer(row: Row) -> harness.Candidate | None:
    """HIPS autograd on the same code, where it has no store into an array."""
    if row.stores or importlib.util.find_spec("autograd") is None:
        return None
    peer = importlib.import_module("autograd")
    numpy = importlib.import_module("autograd.numpy")
    f = peer.value_and_grad(with_numpy(row.function, numpy), row.argnums)
    return lambda: f(*row.arguments)


def jax_peer(row: Row) -> harness.Candidate | None:
    jax = harness.jax()
    if jax is None or row.jax is None:
        return None
    f = jax.jit(jax.value_and_grad(row.jax(jax), row.argnums))
    given = jax.tree_util.tree_map(jax.numpy.asarray, row.arguments)
    return lambda: jax.block_until_ready(f(*given))


def tensorflow_peer(row: Row) -> harness.Candidate | None:
    tf = harness.tensorflow()
    if tf is None:
        return None
    tf.experimental.numpy.experimental_enable_numpy_behavior()
    f = row.tensorflow(tf) if row.tensorflow else with_numpy(row.function, tf.experimental.numpy)
    chosen = (row.argnums,) if isinstance(row.argnums, int) else row.argnums

    @tf.function
    def step(*args: Any) -> Any:
        with tf.GradientTape() as tape:
            sources = [args[k] for k in chosen]
            tape.watch(sources)
            y = f(*args)
        return y, tape.gradient(y, sources)

    given = tf.nest.map_structure(lambda x: tf.constant(x, tf.float64), row.arguments)
    return lambda: step(*given)


def check(f: Callable[..., Any], arguments: tuple[Any, ...], argnums: Any) -> None:
    """Compares a gradient with central differences along a random direction."""
    chosen = (argnums,) if isinstance(argnums, int) else argnums
    random = np.random.default_rng(1)
    given = [arguments[k] for k in chosen]
    along = [map_nest(lambda x: random.normal(size=np.shape(x)), x) for x in given]
    gradients = ag.grad(f, tuple(chosen))(*arguments)
    slope = sum(np.sum(g * t) for g, t in zip(flatten(gradients), flatten(along), strict=True))

    def at(h: float) -> Any:
        moved = dict(zip(chosen, given, strict=True))
        for k, t in zip(chosen, along, strict=True):
            steps = iter(flatten(t))
            moved[k] = map_nest(lambda x, s=steps: x + h * next(s), moved[k])
        return f(*(moved.get(k, x) for k, x in enumerate(arguments)))

    h = 1e-6
    np.testing.assert_allclose(slope, (at(h) - at(-h)) / (2 * h), rtol=1e-4, atol=1e-6)


def rows(words: list[str]) -> None:
    """Prints a line for every row, and the geometric means."""
    found = []
    for row in ROWS:
        if words and not any(word in row.name for word in words):
            continue
        times = shortest(candidates(row))
        found.append(times)
        cells = [f"{row.name:<22} value and gradient {harness.pretty(times['both']):>8}",
                 f"over forward {times['both'] / times['forward']:5.2f}",
                 f"over plain {times['both'] / times['plain']:5.2f}"]
        cells += [f"{name} {times[name] / times['both']:.2f}x" for name in (
            "autograd", "jax", "tf") if name in times]
        print("   ".join(cells), flush=True)
    print(f"forward and backward over forward, mean: "
          f"{statistics.mean(t['both'] / t['forward'] for t in found):.2f}")
    for name in ("autograd", "jax", "tf"):
        ratios = [t[name] / t["both"] for t in found if name in t]
        if ratios:
            print(f"times as fast as {name}, geometric mean: "
                  f"{statistics.geometric_mean(ratios):.2f}")


# -- the corpus -----------------------------------------------------------------------------------


def programs() -> Iterator[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """The numeric cases of the corpus that take float arrays: a function to one number each."""
    for case in CASES:
        theme = case.function.__module__
        arguments = case.arguments[0]
        if ".corpus.numpy." in theme and arguments and all(map(is_float, arguments)):
            yield case.name, total_of(case.function), arguments


def is_float(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.floating)) and x.dtype.kind == "f" and x.size > 0


def total_of(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that sums what is a float array in the result of another."""
    def total(*args: Any) -> Any:
        made = f(*args)
        parts = made if isinstance(made, (tuple, list)) else (made,)
        return sum(np.sum(x * 0.5) for x in parts)

    return total


def as_asked(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function for what the command line asks for: NumPy alone, machine code, or the default."""
    flags = "--numpy" in sys.argv, "--native" in sys.argv
    return ag.function(f, jit_compile=flags[1]) if any(flags) else f


def corpus() -> None:
    """Prints the ratios of the programs that have a gradient, and the mean."""
    ratios, refused = {}, 0
    harness.clock = time.thread_time if "--cpu" in sys.argv else harness.clock
    for name, f, arguments in programs():
        forward, both = (as_asked(g) for g in (
            untransformed(f), ag.value_and_grad(f, tuple(range(len(arguments))))))
        try:
            with np.errstate(all="ignore"):
                forward(*arguments)
                both(*arguments)
                times = shortest({"both": lambda: both(*arguments),  # noqa: B023
                                  "forward": lambda: forward(*arguments)})  # noqa: B023
        except Exception:
            refused += 1
            continue
        ratios[name] = times["both"] / times["forward"]
    for name, ratio in sorted(ratios.items(), key=lambda pair: pair[1]):
        print(f"{name:<50} {ratio:6.2f}")
    print(f"{len(ratios)} programs, {refused} that have no such gradient; "
          f"geometric mean {statistics.geometric_mean(ratios.values()):.2f}, "
          f"mean {statistics.mean(ratios.values()):.2f}, "
          f"median {statistics.median(ratios.values()):.2f}")


if __name__ == "__main__":
    corpus() if "corpus" in sys.argv else rows(sys.argv[1:])
