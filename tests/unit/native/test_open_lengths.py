"""Arrays whose lengths a call gives: one kernel for all of them."""

from collections.abc import Callable
from threading import Thread
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native import array_entry
from autograph.runtime.native.array_kernel import ArrayKernel
from tests.support.native import tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


@pytest.fixture(autouse=True)
def kernels(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    return tell_kernels(monkeypatch, ArrayKernel)


def compiled(plain: Callable[..., Any], *shapes: tuple[int | None, ...]) -> Any:
    return ag.function(plain, jit_compile=True,
                       input_signature=[ag.TensorSpec(shape, np.float64) for shape in shapes])


def numbers(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).normal(size=shape)


def standard(x: Any) -> Any:
    """Reads elements again after a reduction of all: they are in memory of a row."""
    y = np.sin(x)
    return (y - y.mean()) / np.sqrt(((y - y.mean()) ** 2).mean()), y * x


@pytest.mark.parametrize("length", [1, 7, 8, 1023, 1024, 1025, 5000, 200_001])
def test_rows_in_memory(length: int, kernels: list[bool]) -> None:
    f = compiled(standard, (None,))
    x = numbers(length)
    with np.errstate(invalid="ignore"):  # of one number: 0 / 0
        for found, expected in zip(f(x), standard(x), strict=True):
            assert found.tobytes() == expected.tobytes()
    assert kernels[-1]


def test_an_array_that_is_broadcast_is_numpys(kernels: list[bool]) -> None:
    def plain(x: Any, y: Any) -> Any:
        return x * y + x

    f = compiled(plain, (None,), (None,))
    for n, m, by_kernel in ((5, 5, True), (5, 1, False), (1, 5, False), (1, 1, True)):
        x, y = numbers(n), numbers(m)
        assert f(x, y).tobytes() == plain(x, y).tobytes()
        assert kernels[-1] is by_kernel
    with pytest.raises(ValueError, match="could not be broadcast"):
        f(numbers(5), numbers(4))


def test_arrays_that_nothing_brings_together_are_two_groups(kernels: list[bool]) -> None:
    def plain(x: Any, y: Any) -> Any:
        return x * 2 + x, y * 3 + y

    x, y = numbers(5), numbers(9)
    for found, expected in zip(compiled(plain, (None,), (None,))(x, y), plain(x, y), strict=True):
        assert found.tobytes() == expected.tobytes()
    assert kernels == [True, True]


def test_empty_arrays_are_numpys() -> None:
    def plain(x: Any) -> Any:
        return x * 2 + 1, (x * 2).sum()

    f = compiled(plain, (None, 3))
    found, total = f(np.zeros((0, 3)))
    assert found.shape == (0, 3) and total == 0


def test_large_results_are_of_the_pool() -> None:
    def plain(x: Any) -> Any:
        return x * 2 + 1

    f, x = compiled(plain, (None, None)), numbers(300, 400)
    first = f(x)
    address = first.ctypes.data
    assert first.tobytes() == plain(x).tobytes()
    second = f(x)
    assert second.ctypes.data != address
    del first
    assert f(x).ctypes.data == address


def test_no_memory_is_pythons_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    def plain(x: Any) -> Any:
        return x * 2 + 1

    def fails(shape: tuple[int, ...], dtype: Any) -> Any:
        raise MemoryError(shape)

    monkeypatch.setattr(array_entry, "TAKE", fails)
    f = compiled(plain, (None, 7))
    assert f(numbers(3, 7)).shape == (3, 7)
    with pytest.raises(MemoryError, match=r"\(9000, 7\)"):
        f(numbers(9000, 7))


def test_threads_at_once() -> None:
    f = compiled(standard, (None,))
    wrong: list[int] = []

    def work(seed: int) -> None:
        for k in range(40):
            x = numbers(seed * 1000 + k * 37 + 2)
            if f(x)[1].tobytes() != standard(x)[1].tobytes():
                wrong.append(seed)

    threads = [Thread(target=work, args=(k,)) for k in range(1, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_lengths_share_machine_code() -> None:
    """Functions for arrays of any length have the same text, whatever they were called with."""
    def plain(x: Any) -> Any:
        return np.exp(x) * 2 + x

    texts = set()
    for n in (3, 3000):
        f = compiled(plain, (None,))
        f(numbers(n))
        texts.add(f.to_llvm())
    assert len(texts) == 1


def points(u: Any) -> Any:
    return 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True), (x * 2).sum()


@pytest.mark.parametrize("plain", [points, softmax])
@pytest.mark.parametrize("shape", [(3, 3), (40, 7), (7, 40), (3, 2500), (600, 20)])
def test_matrices_are_read_where_they_lie(plain: Callable[[Any], Any], shape: tuple[int, int],
                                          kernels: list[bool]) -> None:
    f = compiled(plain, (None, None))
    x = numbers(shape[0] * 2, shape[1] * 2)
    for given in (x[:shape[0], :shape[1]], x[::2, :shape[1]], x[:shape[0], :shape[1]].copy()):
        found, expected = f(given), plain(given)
        for a, b in zip(found, expected, strict=True) if plain is softmax else [(found, expected)]:
            assert a.tobytes() == b.tobytes()
            assert a.strides == b.strides
    assert kernels[-1]


def test_columns_in_order_are_numpys(kernels: list[bool]) -> None:
    f, x = compiled(points, (None, None)), numbers(20, 30)
    for given in (np.asfortranarray(x), x[::-1], x[:, ::2], np.broadcast_to(x[0], (20, 30))):
        assert f(given).tobytes() == points(given).tobytes()
        assert f(given).strides == points(given).strides


def test_a_number_of_no_axes_has_no_rows() -> None:
    def plain(x: Any) -> Any:
        y = x + 1
        return y[()], y * 2 + x

    x = np.array(2.5)
    assert ag.function(plain, jit_compile=True)(x) == plain(x)


def test_parts_of_arrays_of_three_axes(monkeypatch: pytest.MonkeyPatch) -> None:
    def seven_points(u: Any) -> Any:
        return (u[1:-1, 1:-1, 1:-1] * -6.0 + u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1]
                + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1] + u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2])

    told = tell_kernels(monkeypatch, ArrayKernel)
    native = ag.function(seven_points, jit_compile=True,
                         input_signature=[ag.TensorSpec((None,) * 3, np.float64)])
    for shape in ((3, 3, 3), (4, 5, 6), (3, 9, 2000), (40, 12, 7)):
        n, m, k = shape
        x = np.random.default_rng(0).normal(size=(2 * n, m + 1, k + 1))
        for u in (x[:n, :m, :k].copy(), x[::2, 1:, :k], x[n:, :m, 1:]):
            assert native(u).tobytes() == seven_points(u).tobytes()
    assert all(told)
