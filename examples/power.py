"""A matrix multiplied by itself again and again: a loop eagerly, and as a graph, timed."""

import timeit

import numpy as np

import autograph as ag

x = np.random.default_rng(1).integers(0, 10, (10, 10)).astype(np.int32)


def power(x, y):
    result = np.eye(10, dtype=np.int32)
    for _ in range(y):
        result = np.matmul(x, result)
    return result


power_as_graph = ag.function(power)


def main():
    assert np.array_equal(power(x, 100), power_as_graph(x, 100))
    print("Eager execution:", timeit.timeit(lambda: power(x, 100), number=1000), "seconds")
    print("Graph execution:", timeit.timeit(lambda: power_as_graph(x, 100), number=1000), "seconds")


if __name__ == "__main__":
    main()
