"""Sums of products that the loops of derivatives make are one product behind the loop."""

from typing import Any

import numpy as np
import pytest

import autograph as ag

MODES: tuple[dict[str, Any], ...] = ({}, {"jit_compile": True}, {"executor": "interpreter"})


def vectors(w: Any, u: Any, xs: Any, h: Any) -> Any:
    for t in range(len(xs)):
        h = np.tanh(w @ h + xs[t] @ u)
    return np.sum(h * h)


def rows(w: Any, u: Any, xs: Any, h: Any) -> Any:
    for x in xs:
        h = np.tanh(h @ w + x @ u)
    return np.sum(h * h)


def columns(w: Any, u: Any, xs: Any, h: Any) -> Any:
    for t in range(len(xs)):
        h = np.tanh(w @ h + u.T @ xs[t])
    return np.sum(h * h)


def with_a_bias(w: Any, b: Any, xs: Any, h: Any) -> Any:
    total = np.sum(w * w) + np.sum(b)
    for t in range(len(xs)):
        h = np.tanh(h @ w + b + xs[t][:, :16])
        total = total + np.sum(h)
    return total


def elsewhere_too(w: Any, u: Any, xs: Any, h: Any) -> Any:
    """A product that is added, and used in another way, stays."""
    for x in xs:
        h = np.tanh(h @ w + x @ (u + w[:8] * np.sum(h)))
    return np.sum(h * h)


def given(rows_of_each: tuple[int, ...], n: int = 20, dtype: Any = float) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)

    def made(*shape: int) -> Any:
        x = rng.normal(size=shape) * 0.3
        if np.dtype(dtype).kind == "c":
            x = x + 0.3j * rng.normal(size=shape)
        return x.astype(dtype)

    return (made(16, 16), made(8, 16), made(n, *rows_of_each, 8), made(*rows_of_each, 16))


def turned(args: tuple[Any, ...]) -> tuple[Any, ...]:
    w, u, xs, h = args
    return w, u, np.swapaxes(xs, 1, 2).copy(), h.T.copy()


PROGRAMS = {
    "vectors": (vectors, given((), 80)), "rows of vectors": (rows, given((), 80)),
    "rows": (rows, given((4,))), "columns": (columns, turned(given((4,)))),
    "elsewhere": (elsewhere_too, given((4,))),
    "a bias": (with_a_bias, (given((4,))[0], np.zeros(16), np.ones((20, 4, 16)), given((4,))[3]))}


def text(f: Any, args: tuple[Any, ...]) -> str:
    return str(ag.grad(f, (0, 1)).graph(*args))


def differences(f: Any, args: tuple[Any, ...], k: int, along: Any) -> Any:
    def at(h: float) -> Any:
        return f(*(x + h * along if i == k else x for i, x in enumerate(args)))

    return (at(1e-6) - at(-1e-6)) / 2e-6


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_those_of_the_loop(name: str, mode: dict[str, Any]) -> None:
    f, args = PROGRAMS[name]
    found = ag.function(ag.grad(f, (0, 1)), **mode)(*args)
    for k, g in enumerate(found):
        along = np.cos(np.arange(g.size)).reshape(g.shape)
        np.testing.assert_allclose(np.sum(g * along), differences(f, args, k, along), rtol=1e-6)


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n != "elsewhere"])
def test_the_loop_makes_no_such_product(name: str) -> None:
    f, args = PROGRAMS[name]
    loop = text(f, args).split("range(")[-1]
    assert "f64[16, 16] = add" not in loop.split("yield")[0]
    assert "f64[16, 16] = matmul" in loop.split("yield")[1]


@pytest.mark.parametrize("args", [given((4,), 5), tuple(x[..., :2] if x.ndim < 3 else x[..., :1]
                                                        for x in given((4,)))])
def test_short_loops_and_few_numbers_stay(args: tuple[Any, ...]) -> None:
    w, u, xs, h = args
    args = (w[:w.shape[1]], u[:xs.shape[-1]], xs, h)
    assert "empty" not in text(rows, args)


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_other_dtypes(dtype: Any) -> None:
    def real(*args: Any) -> Any:
        return np.sum(np.real(rows_of(*args)))

    def rows_of(w: Any, u: Any, xs: Any, h: Any) -> Any:
        for x in xs:
            h = (h @ w + x @ u) / 2 + h * h / 50
        return h

    args = given((4,), dtype=dtype)
    small = tuple(x.astype(np.complex128 if np.iscomplexobj(x) else float) for x in args)
    for g, expected in zip(ag.grad(real, (0, 1))(*args), ag.grad(real, (0, 1))(*small),
                           strict=True):
        assert g.dtype == dtype
        np.testing.assert_allclose(g, expected, rtol=1e-4)


def test_second_derivatives_and_maps() -> None:
    f, args = PROGRAMS["rows"]
    along = tuple(np.sin(np.arange(x.size)).reshape(x.shape) for x in args)
    _, found = ag.jvp(lambda *xs: ag.grad(f, (0, 1))(*xs), args, along)
    h = 1e-6
    moved = [ag.grad(f, (0, 1))(*(x + s * t for x, t in zip(args, along, strict=True)))
             for s in (h, -h)]
    for g, a, b in zip(found, *moved, strict=True):
        np.testing.assert_allclose(g, (a - b) / (2 * h), rtol=1e-5, atol=1e-6)
    twice = ag.grad(lambda *xs: sum(np.sum(g * t) for g, t in zip(
        ag.grad(f, (0, 1))(*xs), along[:2], strict=True)))(*args)
    _, expected = ag.jvp(lambda w, u: ag.grad(f)(w, u, *args[2:]), args[:2], along[:2])
    np.testing.assert_allclose(twice, expected, rtol=1e-9)
    many = np.stack([args[3], args[3] * 0.5])
    each = ag.vmap(lambda h: ag.grad(f)(*args[:3], h))(many)
    np.testing.assert_allclose(each, [ag.grad(f)(*args[:3], h) for h in many])


def test_checkpoints() -> None:
    f, args = PROGRAMS["rows"]
    for g, expected in zip(ag.grad(ag.checkpoint(f), (0, 1))(*args), ag.grad(f, (0, 1))(*args),
                           strict=True):
        np.testing.assert_allclose(g, expected, rtol=1e-12)
