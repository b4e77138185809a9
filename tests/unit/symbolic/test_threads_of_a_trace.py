"""A function may use threads: no trace waits for a thread that cannot go on."""

import asyncio
import concurrent.futures
import contextvars
import multiprocessing.dummy
import queue
import threading

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.verdict import seconds


def square(v):
    return v * v


def pool(x):
    with multiprocessing.dummy.Pool(2) as p:
        return p.map(square, x)


def items_of_a_pool(x):
    with multiprocessing.dummy.Pool(2) as p:
        return list(p.imap(square, [x[0], x[1]]))


def executor(x):
    with concurrent.futures.ThreadPoolExecutor(2) as p:
        return [*p.map(square, x), p.submit(square, x[0]).result()]


def thread(x):
    out = []
    t = threading.Thread(target=lambda: out.append(square(x)))
    t.start()
    t.join()
    return out


def event(x):
    e = threading.Event()
    t = threading.Thread(target=lambda: (x.sum(), e.set()))
    t.start()
    e.wait()
    t.join()
    return x * 2, e.is_set()


def barrier(x):
    b = threading.Barrier(2)

    def work():
        x.sum()
        b.wait()

    threading.Thread(target=work, daemon=True).start()
    b.wait()
    return x * 2


def producer(x):
    q = queue.Queue()

    def work():
        for v in x:
            q.put(v)
        q.put(None)

    threading.Thread(target=work, daemon=True).start()
    s = 0.0
    while (v := q.get()) is not None:
        s = s + v
    return s


def context(x):
    return contextvars.copy_context().run(square, x)


def coroutines(x):
    async def double(v):
        await asyncio.sleep(0)
        return v * 2

    async def main():
        return await asyncio.gather(double(x), double(x[0]))

    return asyncio.run(main())


ALL = (pool, items_of_a_pool, executor, thread, event, barrier, producer, context, coroutines)


@pytest.mark.parametrize("effects", ["trace", "runtime"])
@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_threads_compute_what_they_do_in_plain_python(f, effects):
    traced = ag.function(f, effects=effects)
    for x in (np.array([2.0, 1.0, 3.0]), np.array([4.0, 0.0, 1.0])):
        with seconds(30):
            np.testing.assert_equal(traced(x), f(x))


def test_what_threads_of_the_run_see_are_values():
    graph = ag.function(pool).graph(np.array([2.0, 1.0, 3.0]))
    assert "Pool" in str(graph)


def test_a_thread_is_refused_where_it_is_started():
    made = []

    def start(x):
        with multiprocessing.dummy.Pool(2) as p:
            made.append(p)
            return p.map(square, x)

    with seconds(30):
        np.testing.assert_equal(ag.function(start)(np.array([2.0, 1.0])), [4.0, 1.0])


def test_threads_outside_a_trace_start():
    out = []
    t = threading.Thread(target=out.append, args=(1,))
    t.start()
    t.join()
    assert out == [1]
