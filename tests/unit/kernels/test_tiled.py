"""Runs of elementwise operations in tiles: every bit and every warning of the plain function."""

import os
import threading
import warnings
import weakref

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.kernels import tiled
from autograph.runtime.kernels.buffer_pool import BUFFERS, Buffers
from autograph.runtime.kernels.tiled import AGAIN, Experience, Way, in_c_order, words

RNG = np.random.default_rng(5)


def polynomial(x):
    return ((0.1 * x + 0.2) * x - 0.3) * x + 0.5


def mixed(x, y):
    z = np.where(x > y, x - 2, y * 0.5)
    return np.sqrt(z * z + 1), (z > 0.25).astype(np.int32) * 3, -z


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def layer_norm(x, gain, bias):
    d = x - np.mean(x, axis=-1, keepdims=True)
    return d / np.sqrt(np.mean(d * d, axis=-1, keepdims=True) + 1e-5) * gain + bias


def logarithms(x):
    return np.log(x) * 2 - 1 / x


def powers(x):
    return x**2 + x**3 - x**0.5


def aliased(x):
    y = x * 2 + 1
    x += y * 0.5 - y
    return y, x


def smoothed(u):
    for _ in range(12):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u


def counted(c):
    z, n = np.zeros_like(c), np.zeros(c.shape, np.int32)
    while np.max(n) < 12:
        z = np.where(z * z + c < 4.0, z * z + c, z)
        n = n + (z < 2).astype(np.int32) + 1
    return z, n


def zeros_of_pairs(x):
    return np.copysign(1.0, np.fmax(x, -x)) * 2 + np.copysign(1.0, np.fmin(x, -x)) * 3 + x


def uniform(*shape, dtype=np.float64):
    return (RNG.uniform(0.1, 2, shape) * 20).astype(dtype)


SIZES = [(40_000,), (70_001,), (300_001,), (330, 1000), (1000, 330), (300_000, 1), (2, 40_000),
         (40, 30, 300)]
DTYPES = [np.float64, np.float32, np.int64, np.int32, np.uint8, np.complex64, np.float16]
EXACT = [
    *[(polynomial, (uniform(*shape),)) for shape in SIZES],
    *[(polynomial, (uniform(300_001, dtype=dtype),)) for dtype in DTYPES],
    *[(mixed, (uniform(*shape), uniform(*shape))) for shape in SIZES],
    *[(mixed, (uniform(700, 500, dtype=d), uniform(500, dtype=d))) for d in DTYPES[:5]],
    (mixed, (uniform(700, 500), uniform(700, 1))), (mixed, (uniform(700, 500), uniform(1, 500))),
    *[(softmax, (uniform(*shape),)) for shape in SIZES[3:]],
    *[(softmax, (uniform(700, 500, dtype=d),)) for d in DTYPES[:4]],
    (layer_norm, (uniform(701, 501), uniform(501), uniform(501))),
    (layer_norm, (uniform(701, 501, dtype=np.float32), uniform(501), uniform(501))),
    (powers, (uniform(300_001),)), (powers, (uniform(300_001, dtype=np.float32),)),
    (powers, (uniform(300_001, dtype=np.int64),)),
    (zeros_of_pairs, (uniform(700, 501) // 20 * -0.0,)),
    (aliased, (uniform(300_001),)), (smoothed, (uniform(256, 258),)),
    (smoothed, (uniform(600, 600, dtype=np.float32),)), (counted, (uniform(200, 300) / 20,)),
]


class Other(np.ndarray):
    """An array that is not quite one."""


LAYOUTS = {
    "F": np.asfortranarray, "reversed": lambda x: x[::-1].copy()[::-1],
    "step": lambda x: np.repeat(x, 2, -1)[..., ::2], "C": lambda x: x,
    "unaligned": lambda x: np.frombuffer(b"\0" + x.tobytes(), x.dtype, x.size, 1).reshape(x.shape),
}


def copies(arguments):
    return [x.copy(order="K") for x in arguments]


def described(result):
    """Every bit of the arrays of a result."""
    parts = result if isinstance(result, tuple) else (result,)
    return [(type(p), p.dtype, p.shape, p.tobytes()) for p in parts]


def described_with_layout(result):
    parts = result if isinstance(result, tuple) else (result,)
    return [*described(result), *[(p.flags.c_contiguous, p.flags.f_contiguous) for p in parts]]


@pytest.fixture(params=[1, 3])
def threads(request, monkeypatch):
    """So many threads, which are asked for any amount of work."""
    monkeypatch.setattr(tiled, "WORTH", 0.0)
    monkeypatch.setattr(tiled, "AGAIN", 2)
    tiled.set_threads(request.param)
    yield request.param
    tiled.set_threads()


@pytest.mark.parametrize(("function", "arguments"), EXACT)
def test_bits_are_the_plain_functions(function, arguments, threads):
    plain, traced = copies(arguments), ag.function(function)
    expected = described_with_layout(function(*plain))
    for _ in range(4):
        given = copies(arguments)
        assert described_with_layout(traced(*given)) == expected
        assert described(tuple(given)) == described(tuple(plain))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", [polynomial, softmax, mixed])
def test_layouts(function, layout, threads):
    x = LAYOUTS[layout](uniform(700, 600))
    arguments = (x, x) if function is mixed else (x,)
    expected = described_with_layout(function(*arguments))
    traced = ag.function(function)
    for _ in range(3):
        assert described_with_layout(traced(*arguments)) == expected


def test_generated_code_has_tiles():
    source = ag.function(softmax).get_concrete_function(uniform(330, 1000)).source
    assert "in_tiles(rows" in source
    assert "in_tiles" not in ag.function(softmax).get_concrete_function(uniform(10, 10)).source


def caught(function, *arguments):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = function(*arguments)
    return described(result), [(w.category, str(w.message)) for w in found]


def test_a_warning_comes_once_and_as_numpy_gives_it(threads):
    x = uniform(500_000)
    x[[3, 400_000]] = 0.0, -1.0
    traced = ag.function(logarithms)
    for _ in range(3):
        assert caught(traced, x) == caught(logarithms, x)


@pytest.mark.parametrize("mode", ["ignore", "raise", "warn"])
def test_errstate_of_the_caller(mode, threads):
    x = uniform(500_000)
    x[-1] = 0.0
    traced = ag.function(logarithms)
    with np.errstate(all="ignore"):
        traced(x)
    with np.errstate(divide=mode, under="raise"):
        if mode == "raise":
            with pytest.raises(FloatingPointError, match="divide by zero encountered in log") as e:
                traced(x)
            assert e.value.__context__ is None
            assert "in logarithms" in "".join(e.value.__notes__)
        elif mode == "warn":
            with pytest.warns(RuntimeWarning, match="divide by zero encountered"):
                traced(x)
        else:
            assert described(traced(x)) == described(logarithms(x))


def test_errstate_call_is_called_once_for_each_operation(threads):
    x, calls = uniform(500_000), []
    x[::1000] = 0.0
    traced = ag.function(logarithms)
    with np.errstate(divide="call", call=lambda *seen: calls.append(seen)):
        traced(x)
        made, calls[:] = list(calls), []
        logarithms(x)
    assert made == calls


def test_results_live_in_memory_of_their_own():
    """What somebody still holds, as an array, a view, or weakly, is not written to again."""
    traced, x = ag.function(polynomial), uniform(40_000)
    first = traced(x)
    view, bits = traced(x)[5:9], first.tobytes()
    seen = weakref.ref(traced(x))
    kept = [traced(x + i) for i in range(1, 40)]
    assert first.tobytes() == bits
    assert view.tobytes() == first[5:9].tobytes()
    assert seen() is None or seen().tobytes() == bits
    assert first.flags.owndata
    assert first.base is None
    assert not any(np.shares_memory(a, b) for a in [first, view] for b in kept)
    assert len({id(k) for k in kept}) == len(kept)
    for i, k in enumerate(kept, 1):
        assert k.tobytes() == polynomial(x + i).tobytes()


def test_many_threads_call_at_once(threads):
    traced, x = ag.function(softmax), uniform(600, 500)
    expected, wrong = softmax(x).tobytes(), []

    def call():
        wrong.extend(i for i in range(10) if traced(x).tobytes() != expected)

    workers = [threading.Thread(target=call) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


@pytest.mark.filterwarnings("ignore:os.fork")  # a module of JAX warns once it is imported
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_after_a_fork(threads):
    traced, x = ag.function(polynomial), uniform(600_000)
    expected = polynomial(x).tobytes()
    assert [traced(x).tobytes() for _ in range(3)] == [expected] * 3
    child = os.fork()
    if not child:
        os._exit(0 if traced(x).tobytes() == expected else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_buffers_are_bounded_and_used_again():
    buffers, kind = Buffers(), np.dtype("f8")
    first = buffers.take((1000,), kind)
    address = first.ctypes.data
    assert buffers.take((1000,), kind) is not first
    del first
    assert buffers.take((1000,), kind).ctypes.data == address
    held = [buffers.take((1 << 19,), kind) for _ in range(40)]
    arrays = [a for pool in buffers.pools.values() for a in pool]
    assert sum(a.nbytes for a in arrays) == buffers.bytes <= 1 << 25
    assert len(arrays) == buffers.count
    del arrays
    assert len({a.ctypes.data for a in held}) == 40
    assert buffers.take((1 << 24,), kind).nbytes == 1 << 27
    assert BUFFERS is not buffers


@pytest.mark.filterwarnings("ignore:Setting the (shape|dtype):DeprecationWarning")
def test_who_had_an_array_may_have_changed_it():
    buffers, kind = Buffers(), np.dtype("f8")
    for change in (lambda x: setattr(x, "shape", (10, 100)), lambda x: x.setflags(write=False),
                   lambda x: setattr(x, "dtype", "i8")):
        change(buffers.take((1000,), kind))
        again = buffers.take((1000,), kind)
        assert again.shape == (1000,) and again.dtype == kind and again.flags.carray
        del again
    assert buffers.count == 1


def test_set_threads_refuses_nonsense():
    with pytest.raises(ValueError, match="at least 1"):
        tiled.set_threads(0)


@pytest.mark.parametrize(("x", "ordered"), [
    (3.5, True), (np.ones(5)[::-1], True), (np.ones((3, 4)), True), (np.ones((3, 4)).T, False),
    (np.ones((9, 9))[1:5, 2:4], True), (np.ones((3, 4))[::-1], False),
    (np.broadcast_to(np.ones(4), (3, 4)), True), (np.ones(3).view(Other), False),
])
def test_in_c_order(x, ordered):
    assert in_c_order(x) is ordered


def test_the_fastest_way_is_taken_and_the_others_are_tried_again() -> None:
    known, seconds = Experience(), {Way.PIECES: 3e-3, Way.PLAIN: 1e-3, Way.THREADS: 2e-3}
    tiled.set_threads(2)
    try:
        taken = []
        for _ in range(4 * AGAIN):
            taken.append(known.way())
            known.took(taken[-1], seconds[taken[-1]])
    finally:
        tiled.set_threads()
    assert taken[:3] == [Way.PIECES, Way.PLAIN, Way.THREADS]
    assert taken.count(Way.PLAIN) > 4 * AGAIN - 8
    assert {*taken[3:]} == {*Way}


def test_masks_fit_the_cache_that_their_numbers_would_not() -> None:
    assert words(1 << 18, (np.dtype(bool),)) == 1 << 15
    assert words(1 << 18, (np.dtype(float), 2)) == 1 << 19
