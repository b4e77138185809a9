"""What a call costs beside the work: tiny functions and a nest of arguments."""

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


PROGRAMS = {
    "x + 1, a scalar": (add_one, (np.float64(1.0),)),
    "x + 1, ten numbers": (add_one, (np.arange(10.0),)),
    "five nested arguments": (nested, nest(np.ones(10))),
}


def candidates(function, arguments) -> dict[str, harness.Candidate]:
    """Eager, ours, and the peer with its own tensors."""
    graph = ag.function(function)
    found = {"eager": lambda: function(*arguments), "ours": lambda: graph(*arguments)}
    if (tf := harness.tensorflow()) is not None:
        tensors, peer = tf.nest.map_structure(tf.constant, arguments), tf.function(function)
        found["tf.function"] = lambda: peer(*tensors)
    return found


if __name__ == "__main__":
    for title, (function, arguments) in PROGRAMS.items():
        print(harness.show(title, harness.measure(candidates(function, arguments))))
