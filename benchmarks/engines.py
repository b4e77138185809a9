"""One elementwise program on every engine that takes graphs: where each begins to pay.

    python -m benchmarks.engines

prints a table: the best time of several in milliseconds, and behind it the median of the times of
NumPy's that it took, each against NumPy on one core just before or after. NumPy on one core and on
two, the graph on one and on two, onnxruntime with one thread and with two, JAX, Dask's threads. Two
cores are two processes that have done the work before; arrays go there and back. Results are
compared with NumPy's. Then comes what a block costs Dask beside the work itself, and the machine,
with the processes that wanted to run meanwhile. It needs the extras onnx, jax and dask.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np

import autograph as ag
from benchmarks.devices import Array, check, milliseconds, orbit

SIZES = 1_000, 100_000, 2_000_000
PIECES = 8
REPEATS, SECONDS = 50, 15.0
"""So many pairs of calls for each engine, or those that fit in some seconds, and three at least."""

BLOCKS = 200
"""Blocks of one element, for the cost of a block."""


@ag.function
def graph(x: Array, v: Array) -> tuple[Array, Array]:
    return orbit(x, v)


def pieces(x: Array, v: Array) -> list[list[Array]]:
    return [np.array_split(a, PIECES) for a in (x, v)]


def together(found: Any) -> tuple[Array, ...]:
    return tuple(map(np.concatenate, zip(*found, strict=True)))


def on_onnxruntime(x: Array, v: Array, threads: int) -> Callable[[], Any]:
    import onnxruntime

    from autograph.runtime.export.onnx.export import model_of

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    model = model_of(graph.get_concrete_function(x, v), "refuse")  # type: ignore[attr-defined]
    run = onnxruntime.InferenceSession(model.SerializeToString(), options).run
    return lambda: tuple(run(None, {"x": x, "v": v}))


def on_jax(x: Array, v: Array) -> Callable[[], Any]:
    import jax

    jax.config.update("jax_enable_x64", True)
    run, given = jax.jit(graph.to_jax()), (jax.numpy.asarray(x), jax.numpy.asarray(v))  # type: ignore[attr-defined]
    return lambda: jax.block_until_ready(run(*given))


def on_dask(x: Array, v: Array) -> Callable[[], Any]:
    import dask

    from autograph.runtime.export.dask import as_task

    task = dask.delayed(as_task(graph, *[ag.TensorSpec([None], np.float64)] * 2))
    return lambda: together(dask.compute(  # type: ignore[attr-defined]
        [task(*pair) for pair in zip(*pieces(x, v), strict=True)], scheduler="threads",
        num_workers=2)[0])


def engines(x: Array, v: Array, pool: ProcessPoolExecutor
            ) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yields the name of each engine, and a call of the program on it."""
    yield "NumPy", lambda: orbit(x, v)
    yield "NumPy, 2 processes", lambda: together(pool.map(orbit, *pieces(x, v)))
    yield "graph", lambda: graph(x, v)
    yield "graph, 2 processes", lambda: together(pool.map(graph, *pieces(x, v)))
    yield "onnxruntime, 1 thread", on_onnxruntime(x, v, 1)
    yield "2 threads", on_onnxruntime(x, v, 2)
    yield "JAX, jitted", on_jax(x, v)
    yield "Dask, 2 threads", on_dask(x, v)


def block_cost() -> float:
    """Returns the milliseconds that a block costs Dask, with a graph that does next to nothing."""
    import dask.array as da

    from autograph.runtime.export.dask import map_blocks

    made = map_blocks(ag.function(lambda x: x + 1.0), da.zeros(BLOCKS, chunks=1))
    return milliseconds(lambda: made.compute(scheduler="sync")) / BLOCKS


def pair(run: Callable[[], Any], numpy: Callable[[], Any], turn: int) -> tuple[float, float]:
    """Returns the milliseconds of a call, and those of NumPy's just before or after it."""
    found = {}
    for call in (run, numpy)[::1 if turn % 2 else -1]:
        start = time.perf_counter()
        call()
        found[call] = 1000 * (time.perf_counter() - start)
    return found[run], found[numpy]


def cell(run: Callable[[], Any], numpy: Callable[[], Any]) -> str:
    """Returns the best time of a call, and the median of what it is in times of NumPy's."""
    pairs: list[tuple[float, float]] = []
    start = time.perf_counter()
    while len(pairs) < REPEATS and (len(pairs) < 3 or time.perf_counter() - start < SECONDS):
        pairs.append(pair(run, numpy, len(pairs)))
    best = min(mine for mine, _ in pairs)
    ratio = statistics.median(mine / other for mine, other in pairs)
    return f"{best:,.2g} ({ratio:.2g})" if best < 100 else f"{best:,.0f} ({ratio:.2g})"


def main() -> None:
    rng = np.random.default_rng(1)
    loads = [os.getloadavg()[0]]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        for n in SIZES:
            x, v = rng.random(n) + 0.5, rng.random(n)
            cells, wanted = {}, orbit(x, v)
            for name, run in engines(x, v, pool):
                for _ in range(2):
                    check(run(), wanted)
                cells[name] = cell(run, lambda x=x, v=v: orbit(x, v))  # type: ignore[misc]
            if n == SIZES[0]:
                print("| elements | " + " | ".join(cells) + " |")
                print("|" + "---|" * (len(cells) + 1))
            print(f"| {n:,} | " + " | ".join(cells.values()) + " |", flush=True)
            loads.append(os.getloadavg()[0])
    print(f"a block of Dask: {block_cost():.2g} ms")
    print(f"{os.cpu_count()} cores, {platform.machine()}; load by row: "
          + ", ".join(f"{load:.1f}" for load in loads))


if __name__ == "__main__":
    main()
