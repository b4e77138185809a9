"""Graphs as tasks of Dask, and decorated functions in pools of processes."""

from __future__ import annotations

import os
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.export.dask import as_task, map_blocks, reduce_blocks


@ag.function
def relaxed(x: Any) -> Any:
    y = x.copy()
    for _ in range(100):
        if y.max() > 1.0:
            y = np.where(y > 1.0, y * 0.75, y)
    return y


@ag.function
def sum_and_count(x: Any) -> Any:
    return x.sum(), x.size * 1.0


@ag.function
def added(a: Any, b: Any) -> Any:
    return a[0] + b[0], a[1] + b[1]


@ag.function
def changed(x: Any) -> Any:
    x += 1
    return x


X = np.random.default_rng(1).normal(size=(40, 6)) * 5
WANTED = np.where(np.isnan(X), X, relaxed.python_function(X))  # type: ignore[attr-defined]


def test_tasks_pickle_and_have_a_deterministic_token() -> None:
    task = as_task(relaxed, X)
    again = as_task(relaxed, X)
    assert task.__dask_tokenize__() == again.__dask_tokenize__()
    assert np.array_equal(pickle.loads(pickle.dumps(task))(X), WANTED)
    assert as_task(sum_and_count, X).__dask_tokenize__() != task.__dask_tokenize__()


def test_decorated_functions_in_a_pool_of_processes() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        (found,) = pool.map(relaxed, [X])
    assert np.array_equal(found, WANTED)


@pytest.mark.parametrize("rows", [10, (7, 13, 20)])
def test_blocks(rows: Any) -> None:
    array = pytest.importorskip("dask.array", reason="the extra dask is not installed")
    x = array.from_array(X, chunks=(rows, 6))
    made = map_blocks(relaxed, x)
    assert np.array_equal(made.compute(scheduler="sync"), WANTED)
    assert made.dtype == X.dtype and made.chunks == x.chunks
    total, count = reduce_blocks(sum_and_count, added, x).compute(scheduler="sync")
    assert np.isclose(total, X.sum()) and count == X.size


@ag.function
def difference(x: Any, y: Any) -> Any:
    return np.sqrt(x * x + 1) - y


def test_one_array_twice() -> None:
    array = pytest.importorskip("dask.array", reason="the extra dask is not installed")
    x = array.from_array(X, chunks=(10, 6))
    made = map_blocks(difference, x, x)
    assert np.array_equal(made.compute(scheduler="sync"), np.sqrt(X * X + 1) - X)
    assert np.array_equal(as_task(difference, X, X)(X, X), np.sqrt(X * X + 1) - X)


def test_writes_to_blocks_are_refused() -> None:
    array = pytest.importorskip("dask.array", reason="the extra dask is not installed")
    with pytest.raises(ag.errors.ExportError, match="writes to its arguments"):
        map_blocks(changed, array.ones((4, 4)))


@pytest.mark.parametrize("f", [
    lambda x: x.sum(), lambda x: x[::2], lambda x: np.stack([x, x]), lambda x: x[0]])
def test_a_result_of_another_shape_than_the_block_needs_an_option(f: Any) -> None:
    """Without one, Dask would take the shape of the blocks for that of the result."""
    array = pytest.importorskip("dask.array", reason="the extra dask is not installed")
    with pytest.raises(ag.errors.ExportError, match="of a block of shape"):
        map_blocks(ag.function(f), array.from_array(X, chunks=(10, 6)))


def test_a_result_of_another_shape_with_the_option() -> None:
    array = pytest.importorskip("dask.array", reason="the extra dask is not installed")
    x = array.from_array(X, chunks=(10, 6))
    made = map_blocks(ag.function(lambda x: x[:, 0]), x, drop_axis=1)
    assert made.shape == (40,) and np.array_equal(made.compute(scheduler="sync"), X[:, 0])
    made = map_blocks(ag.function(lambda x, y: x * y), x, array.from_array(X[:, :1], (10, 1)))
    assert made.shape == X.shape and np.array_equal(made.compute(scheduler="sync"), X * X[:, :1])


def test_without_a_dask_array_there_are_no_blocks() -> None:
    pytest.importorskip("dask.array", reason="the extra dask is not installed")
    with pytest.raises(ag.errors.ExportError, match="no Dask array"):
        map_blocks(relaxed, X)


@ag.function
def slow_sum(x: Any) -> Any:
    total = 0.0
    for i in range(150):
        total += np.sum(np.sin(x * i))
    return total


@pytest.mark.slow
def test_a_worker_is_killed_in_the_middle() -> None:
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    import time

    from autograph.runtime.export.dask import submit

    parts = [np.linspace(i, i + 1, 20_000) for i in range(16)]
    wanted = [slow_sum.python_function(p) for p in parts]  # type: ignore[attr-defined]
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None,
                                  protocol="tcp") as cluster, distributed.Client(cluster) as client:
        futures = [submit(client, slow_sum, p) for p in parts]
        while sum(f.done() for f in futures) < 4:
            time.sleep(0.02)
        victim = next(iter(client.run(os.getpid).values()))
        os.kill(victim, 9)
        found = client.gather(futures)
    assert np.allclose(found, wanted, rtol=1e-12)
