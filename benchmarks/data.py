"""The workloads: which program runs on which data, and in which family."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import programs as p

FAMILIES = ("call: scalar", "call: 10 numbers", "call: nested", "power", "scalar loops",
            "array loops", "elementwise 1e3", "elementwise 1e5", "elementwise 1e7", "others")


@dataclass(frozen=True)
class Workload:
    """A program on data. `loose`: it also runs on Python's own numbers."""

    name: str
    family: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    loose: bool = False


def workloads() -> Iterator[Workload]:
    """All of them, the cheap ones first; data is made when its turn comes."""
    yield from calls()
    yield from scalar_loops()
    yield from array_loops()
    for name, size in (("1e3", 1000), ("1e5", 100_000), ("1e7", 10_000_000)):
        yield from elementwise(name, size)


def calls() -> Iterator[Workload]:
    x, rng = np.ones(10), np.random.default_rng(1)
    nest = (x, (x + 1, {"c": x + 2}), [x + 3, x + 4], x + 5, {"p": x, "q": (x, x)})
    matrix = rng.integers(0, 10, (10, 10))
    yield Workload("x + 1, a scalar", "call: scalar", p.add_one, (np.float64(1.0),))
    yield Workload("x + 1, ten numbers", "call: 10 numbers", p.add_one, (np.arange(10.0),))
    yield Workload("five nested arguments", "call: nested", p.nested, nest)
    yield Workload("power", "power", p.power, (matrix, 100))
    yield Workload("power, symbolic y", "power", p.power, (matrix, np.int64(100)))


def scalar_loops() -> Iterator[Workload]:
    def loop(name: str, function: Callable[..., Any], *numbers: Any) -> Workload:
        return Workload(name, "scalar loops", function, numbers, loose=True)

    yield loop("collatz", p.collatz, np.int64(837799))
    yield loop("newton", p.newton, np.float64(2e20))
    yield loop("gcd", p.gcd, np.int64(7540113804746346429), np.int64(4660046610375530309))
    yield loop("fibonacci", p.fibonacci, np.int64(10000), np.int64(1000000007))
    yield loop("sum of primes", p.sum_of_primes, np.int64(2000))
    yield loop("bisect", p.bisect, np.float64(1.0), np.float64(2.0), np.float64(1e-13))
    yield Workload("rk45", "scalar loops", p.rk45, (
        np.array([2.0, 0.0]), np.float64(20.0), np.float64(1e-6)))


def elementwise(size: str, n: int) -> Iterator[Workload]:
    rng = np.random.default_rng(2)
    rows = (10, 100) if n == 1000 else (n // 1000, 1000)

    def make(name: str, function: Callable[..., Any], *arguments: Any,
             family: str = f"elementwise {size}") -> Workload:
        return Workload(f"{name} {size}", family, function, arguments)

    x = rng.uniform(-1, 1, n)
    yield make("chain", p.chain, x)
    yield make("polynomial", p.polynomial, x)
    yield make("Black-Scholes", p.black_scholes, rng.uniform(10, 50, n), rng.uniform(10, 50, n),
               rng.uniform(0.2, 2.0, n))
    yield make("softmax", p.softmax, rng.normal(size=rows))
    yield make("layer norm", p.layer_norm, rng.normal(size=rows), rng.normal(size=rows[1]),
               rng.normal(size=rows[1]))
    yield make("squared distance", p.squared_distance, x, rng.normal(size=n), family="others")


def array_loops() -> Iterator[Workload]:
    rng = np.random.default_rng(8)

    def make(name: str, function: Callable[..., Any], *arguments: Any) -> Workload:
        return Workload(name, "array loops", function, arguments)

    plane = np.broadcast_arrays(np.linspace(-2, 0.5, 256), np.linspace(-1.25, 1.25, 256)[:, None])
    yield make("Mandelbrot", p.mandelbrot, *map(np.ascontiguousarray, plane))
    yield make("life", p.life, (rng.random((256, 256)) < 0.3).astype(np.int32))
    yield make("Jacobi", p.jacobi, rng.random((256, 256)))
    yield make("Floyd-Warshall", p.floyd, rng.uniform(1, 100, (128, 128)))
    yield make("k-means", p.kmeans_step, rng.normal(size=(2000, 8)), rng.normal(size=(16, 8)))
    yield make("Viterbi", p.viterbi, np.log(rng.dirichlet(np.ones(64), 64)),
               np.log(rng.dirichlet(np.ones(64), 100)))
    yield make("RNN", p.rnn, *recurrent_data(1))
    yield make("LSTM", p.lstm, *recurrent_data(4))
    yield make("list append", p.list_of_states, rng.normal(size=10), rng.normal(size=(100, 10)))
    yield Workload("training step", "others", p.training_step, training_data())
    yield Workload("x[i] = v", "others", p.running_total, (rng.normal(size=1000),))


def recurrent_data(gates: int) -> tuple[np.ndarray, ...]:
    """A sequence and the weights of a recurrent network."""
    rng, steps, batch, width, single = np.random.default_rng(13), 100, 32, 64, np.float32
    return (rng.normal(size=(steps, batch, width)).astype(single),
            (rng.normal(size=(width, gates * width)) * 0.1).astype(single),
            (rng.normal(size=(width, gates * width)) * 0.1).astype(single),
            np.zeros(gates * width, single))


def training_data() -> tuple[np.ndarray, ...]:
    """A batch, its labels, and the weights of a network of two layers."""
    rng, single = np.random.default_rng(15), np.float32
    return (rng.normal(size=(32, 64)).astype(single),
            np.eye(10, dtype=single)[rng.integers(0, 10, 32)],
            (rng.normal(size=(64, 64)) * 0.1).astype(single), np.zeros(64, single),
            (rng.normal(size=(64, 10)) * 0.1).astype(single), np.zeros(10, single))
