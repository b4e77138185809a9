"""The `power` example, 100 products of a 10x10 matrix: eager NumPy, ours, tf.function."""

import numpy as np

import autograph as ag
from benchmarks import harness

X = np.random.default_rng(1).integers(0, 10, (10, 10)).astype(np.int32)


def power(x, y):
    result = np.eye(10, dtype=np.int32)
    for _ in range(y):
        result = np.matmul(x, result)
    return result


def candidates() -> dict[str, harness.Candidate]:
    """Whoever is here, all checked to give the same matrix."""
    graph, trips = ag.function(power), np.int64(100)
    found = {
        "eager NumPy": lambda: power(X, 100),
        "ours, y=100": lambda: graph(X, 100),
        "ours, symbolic y": lambda: graph(X, trips),
    }
    if (tf := harness.tensorflow()) is not None:
        tensor, peer = tf.constant(X), tf.function(tf_power(tf))
        found["tf.function"] = lambda: peer(tensor, 100).numpy()
    for name, candidate in found.items():
        assert np.array_equal(candidate(), power(X, 100)), name
    return found


def tf_power(tf):
    """The same program over TensorFlow."""
    def power(x, y):
        result = tf.eye(10, dtype=tf.int32)
        for _ in range(y):
            result = tf.matmul(x, result)
        return result
    return power


if __name__ == "__main__":
    print(harness.show("power(x, 100)", harness.measure(candidates())))
