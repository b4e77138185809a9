"""Programs on NumPy, as graphs, and on JAX's devices: the CPU, and a GPU if JAX has one.

    pip install "jax[cuda12]" && python -m benchmarks.devices [--small]

prints a table in milliseconds, the best of several: the last columns are JAX with arrays that are
on the device already, with arrays that come from NumPy and go back, and the first call, which
compiles. Results are compared with NumPy's.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import autograph as ag

TOLERANCES = {4: 1e-4, 8: 1e-9}
"""What results may differ by, of the largest element, by the bytes of an element."""

Array = np.ndarray[Any, Any]


def orbit(x: Array, v: Array) -> tuple[Array, Array]:
    for _ in range(60):
        r = np.sqrt(x * x + 0.01)
        v = v - 0.01 * x / (r * r * r)
        x = x + 0.01 * v
    return x, v


def layers(x: Array, a: Array, b: Array, c: Array) -> Array:
    return np.asarray(np.tanh(np.maximum(x @ a, 0) @ b) @ c)


def heat(u: Array, steps: np.int64) -> Any:
    for _ in range(steps):
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.2 * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    return u.sum()


def bodies(p: Array, v: Array, m: Array, steps: np.int64) -> tuple[Array, Array]:
    for _ in range(steps):
        d = p[None, :, :] - p[:, None, :]
        r = (d * d).sum(-1) + 0.01
        v = v + 0.01 * (d * (m[None, :] / (r * np.sqrt(r)))[:, :, None]).sum(1)
        p = p + 0.01 * v
    return p, v


def escape(re: Array, im: Array, most: np.int64) -> Array:
    x, y, count, n = re * 0, im * 0, np.zeros(re.shape), 0
    while n < most and (x * x + y * y < 4.0).any():
        inside = x * x + y * y < 4.0
        count = count + inside
        x, y = np.where(inside, x * x - y * y + re, x), np.where(inside, 2 * x * y + im, y)
        n += 1
    return count


def paths(s: Array, draws: Array) -> Any:
    best = s
    for row in draws:
        s = s * np.exp(0.0001 + 0.01 * row)
        best = np.maximum(best, s)
    return np.maximum(best - s, 0).mean()


def descent(w: Array, x: Array, y: Array, steps: np.int64) -> Array:
    for _ in range(steps):
        p = 1 / (1 + np.exp(-(x @ w)))
        w = w - 0.5 * (x.T @ (p - y)) / len(y)
    return w


def loss(w: Array, x: Array, y: Array) -> Any:
    p = 1 / (1 + np.exp(-(x @ w)))
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))


def loss_gradient(w: Array, x: Array, y: Array) -> Any:
    return ag.grad(loss)(w, x, y)


def programs(small: bool) -> Iterator[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """Yields titles, functions and arguments; the small ones are for a look at the script."""
    rng, down = np.random.default_rng(1), 100 if small else 1
    for n in (100_000 // down, 20_000_000 // down):
        yield f"orbit, 60 steps on {n:,}", orbit, (rng.random(n) + 0.5, rng.random(n))
    side = 4096 // (10 if small else 1)
    matrices = tuple(rng.normal(size=(side, side)) / 64 for _ in range(4))
    yield f"three layers of {side}", layers, matrices
    yield "the same in float32", layers, tuple(x.astype(np.float32) for x in matrices)
    side = 2500 // (10 if small else 1)
    yield f"heat, 100 steps, {side} by {side}, in place", heat, (
        rng.random((side, side)), np.int64(100))
    n = 3000 // (10 if small else 1)
    yield f"{n:,} bodies, 5 steps", bodies, (
        rng.normal(size=(n, 3)), np.zeros((n, 3)), rng.random(n), np.int64(5))
    side = 1200 // (10 if small else 1)
    re, im = np.meshgrid(np.linspace(-2, 0.6, side), np.linspace(-1.2, 1.2, side))
    yield f"escape times, {side} by {side}", escape, (re, im, np.int64(100))
    n = 1_000_000 // down
    yield f"{n:,} paths of 50 steps", paths, (np.ones(n), rng.normal(size=(50, n)))
    x = rng.normal(size=(n, 64))
    y = (x @ rng.normal(size=64) > 0).astype(float)
    yield f"50 steps of descent, {n:,} by 64", descent, (np.zeros(64), x, y, np.int64(50))
    yield f"gradient of a loss, {n // 2:,} by 64", loss_gradient, (
        0.1 * rng.normal(size=64), x[:n // 2].copy(), y[:n // 2].copy())


def milliseconds(run: Callable[[], Any], most: int = 5, seconds: float = 3.0) -> float:
    """The best of so many calls, or of those that fit in some seconds."""
    found, start = [], time.perf_counter()
    while len(found) < most and (not found or time.perf_counter() - start < seconds):
        before = time.perf_counter()
        run()
        found.append(time.perf_counter() - before)
    return 1000 * min(found)


def check(found: Any, wanted: Any) -> None:
    """Raises an error if results differ."""
    for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (found, wanted)), strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, b.dtype, a.shape, b.shape)
        size = max(1.0, float(np.max(np.abs(b))))
        assert np.max(np.abs(a - b)) <= TOLERANCES[b.dtype.itemsize] * size


def copied(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(x.copy() if isinstance(x, np.ndarray) else x for x in arguments)


def row(plain: Callable[..., Any], arguments: tuple[Any, ...], devices: list[Any]) -> list[float]:
    """NumPy, the graph; on each device JAX's three times."""
    import jax

    wanted, spare, f = plain(*copied(arguments)), copied(arguments), ag.function(plain)
    found = [milliseconds(lambda: plain(*spare)), milliseconds(lambda: f(*spare))]
    exported = f.to_jax(checks="drop", written_arguments=True)
    for device in devices:
        run = jax.jit(lambda *xs: exported(*xs)[0])

        def put(device: Any = device) -> list[Any]:
            return [jax.device_put(x, device) for x in arguments]

        def there_and_back(run: Any = run, put: Any = put) -> Any:
            return jax.device_get(run(*put()))

        given, start = put(), time.perf_counter()
        check(jax.block_until_ready(run(*given)), wanted)
        first = 1000 * (time.perf_counter() - start)
        found += [milliseconds(lambda run=run, given=given: jax.block_until_ready(  # type: ignore[misc]
            run(*given))), milliseconds(there_and_back), first]
    return found


def main() -> None:
    import jax

    jax.config.update("jax_enable_x64", True)
    devices = [jax.devices("cpu")[0], *(d for d in jax.devices()[:1] if d.platform != "cpu")]
    print(f"JAX {jax.__version__}, NumPy {np.__version__}, {devices}")
    names = [f"{d.platform}{more}" for d in devices for more in ("", ", transfers", ", first call")]
    print("| program | NumPy | graph | " + " | ".join(names) + " |")
    print("|" + "---|" * (len(names) + 3))
    for title, plain, arguments in programs("--small" in sys.argv):
        cells = [f"{x:,.3g}" if x < 1000 else f"{x:,.0f}" for x in row(plain, arguments, devices)]
        print(f"| {title} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
