"""What a call costs beside the work: tiny functions, many arguments, nests, many signatures.

    python -m benchmarks.call_overhead [--cpu]     eager NumPy, ours, and the peers installed

`--cpu` counts the processor time of the calling thread, which other programs do not disturb; what a
peer does in threads of its own is then left out, in the peer's favour.
"""

import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import autograph as ag
from benchmarks import harness


def add_one(x):
    return x + 1


def nested(a, b, c, d, e):
    return {"u": a + b[0], "v": (b[1]["c"] + c[0], c[1] + d), "w": e["p"] + e["q"][1]}


def nest(x):
    """Five arguments with eleven arrays in them."""
    return (x, (x + 1, {"c": x + 2}), [x + 3, x + 4], x + 5, {"p": x, "q": (x, x)})


def first(a):
    return a


def first_of_5(a, b, c, d, e):
    return a


def first_of_20(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t):  # noqa: E741
    return a


def arrays(count):
    return tuple(np.arange(10.0) + k for k in range(count))


PROGRAMS = {
    "x + 1, a scalar": (add_one, (np.float64(1.0),)),
    "x + 1, ten numbers": (add_one, (np.arange(10.0),)),
    "five nested arguments": (nested, nest(np.ones(10))),
    "no work, 1 array": (first, arrays(1)),
    "no work, 5 arrays": (first_of_5, arrays(5)),
    "no work, 20 arrays": (first_of_20, arrays(20)),
    "no work, nested lists": (first, ([arrays(2), [arrays(2), [arrays(2)]]],)),
    "no work, nested dicts": (first, ({"a": {"x": 1, "y": arrays(1)[0]}, "b": {"z": None}},)),
}

class Model:
    """A method beside the functions."""

    offset = 1

    def plain(self, x):
        return x + self.offset

    @ag.function
    def decorated(self, x):
        return x + self.offset


COUNTS = 1, 4, 8, 100, 1000
"""So many signatures of one function."""


def candidates(function, arguments) -> dict[str, harness.Candidate]:
    """Eager, ours, and the peers with their own arrays."""
    graph = ag.function(function)
    found = {"eager": lambda: function(*arguments), "ours": lambda: graph(*arguments)}
    if (tf := harness.tensorflow()) is not None:
        tensors, peer = tf.nest.map_structure(
            lambda x: x if x is None else tf.constant(x), arguments), tf.function(function)
        found["tf.function"] = lambda: peer(*tensors)
    if (jax := harness.jax()) is not None:
        device, jitted = jax.tree.map(jax.numpy.asarray, arguments), jax.jit(function)
        found["jax.jit"] = lambda: jax.block_until_ready(jitted(*device))
    return found


def saved_and_loaded(function, arguments) -> dict[str, harness.Candidate]:
    """A function, the concrete one of a call, and both after they were saved and loaded."""
    graph = ag.function(function)
    concrete = graph.get_concrete_function(*arguments)
    with tempfile.TemporaryDirectory() as folder:
        ag.save(path := Path(folder) / "kept.agz", graph)
        loaded = ag.load(path)
    again = loaded.get_concrete_function(*arguments)
    return {"function": lambda: graph(*arguments), "loaded": lambda: loaded(*arguments),
            "concrete": lambda: concrete(*arguments), "loaded concrete": lambda: again(*arguments)}


def with_signatures(count: int) -> harness.Candidate:
    """A function with so many signatures, called with the one that was made in the middle."""
    function = ag.function(lambda x, n: x, max_traces=None)
    for n in range(count):
        function(np.float64(1.0), n)
    for _ in range(20):
        function(np.float64(1.0), count // 2)
    return lambda: function(np.float64(1.0), count // 2)


if __name__ == "__main__":
    warnings.simplefilter("ignore", ag.RetracingWarning)
    if "--cpu" in sys.argv:
        harness.clock = time.thread_time
    for title, (function, arguments) in PROGRAMS.items():
        print(harness.show(title, harness.measure(candidates(function, arguments))))
    model, x = Model(), np.float64(1.0)
    print(harness.show("x + 1, a method", harness.measure(
        {"eager": lambda: model.plain(x), "ours": lambda: model.decorated(x)})))
    for title in ("x + 1, ten numbers", "no work, 5 arrays", "five nested arguments"):
        print(harness.show(f"saved: {title}", harness.measure(saved_and_loaded(*PROGRAMS[title]))))
    print(harness.show("signatures of a function", harness.measure(
        {str(count): with_signatures(count) for count in COUNTS})))
