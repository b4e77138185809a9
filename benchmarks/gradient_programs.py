"""The programs of `benchmarks.gradients`: plain NumPy, and the same for the peers where they need
another form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Function = Callable[..., Any]
N = 1000


@dataclass(frozen=True)
class Row:
    """A program to one number, its arguments, and those that the gradient is by.

    stores      True if it stores into an array.
    jax         gives the program in JAX's form; None if it has none, or no reverse mode.
    tensorflow  the same for TensorFlow; None if the plain code serves.
    """

    name: str
    function: Function
    arguments: tuple[Any, ...]
    argnums: int | tuple[int, ...] = 0
    stores: bool = False
    jax: Callable[[Any], Function] | None = None
    tensorflow: Callable[[Any], Function] | None = None


def power(x: Any) -> Any:
    y = x
    while abs(y) < 1e6:
        y = y * 1.01
    return y


def power_tf(tf: Any) -> Function:
    def f(x: Any) -> Any:
        y = x
        while tf.abs(y) < 1e6:
            y = y * 1.01
        return y

    return f


def slope(t: Any, y: Any) -> Any:
    return t - y * y


def rk4_step(t: Any, y: Any) -> Any:
    h = 0.001
    k1 = slope(t, y)
    k2 = slope(t + h / 2, y + h / 2 * k1)
    k3 = slope(t + h / 2, y + h / 2 * k2)
    k4 = slope(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def rk4(y: Any) -> Any:
    t = 0.0
    for _ in range(N):
        y = rk4_step(t, y)
        t = t + 0.001
    return y


def rk4_jax(jax: Any) -> Function:
    def f(y: Any) -> Any:
        return jax.lax.fori_loop(0, N, lambda _, s: (s[0] + 0.001, rk4_step(*s)), (0.0, y))[1]

    return f


def rk4_tf(tf: Any) -> Function:
    def f(y: Any) -> Any:
        t = tf.constant(0.0, tf.float64)
        for _ in tf.range(N):
            y = rk4_step(t, y)
            t = t + 0.001
        return y

    return f


def fill(x: Any) -> Any:
    y = np.zeros(N)
    y[0] = x[0]
    for i in range(1, N):
        y[i] = 0.5 * y[i - 1] + x[i] * x[i]
    return np.sum(y * y)


def fill_jax(jax: Any) -> Function:
    def f(x: Any) -> Any:
        y = jax.numpy.zeros(N).at[0].set(x[0])
        y = jax.lax.fori_loop(
            1, N, lambda i, y: y.at[i].set(0.5 * y[i - 1] + x[i] * x[i]), y)
        return jax.numpy.sum(y * y)

    return f


def fill_tf(tf: Any) -> Function:
    def f(x: Any) -> Any:
        y = tf.TensorArray(tf.float64, N, clear_after_read=False).write(0, x[0])
        for i in tf.range(1, N):
            y = y.write(i, 0.5 * y.read(i - 1) + x[i] * x[i])
        return tf.reduce_sum(tf.square(y.stack()))

    return f


def dot(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total = total + x[i] * x[i]
    return total


def dot_jax(jax: Any) -> Function:
    return lambda x: jax.lax.fori_loop(0, len(x), lambda i, total: total + x[i] * x[i], 0.0)


def dot_tf(tf: Any) -> Function:
    def f(x: Any) -> Any:
        total = tf.constant(0.0, tf.float64)
        for i in tf.range(N):
            total = total + x[i] * x[i]
        return total

    return f


def mlp(w: Any, b: Any, v: Any, c: Any, x: Any, y: Any) -> Any:
    z = np.tanh(x @ w + b) @ v + c
    z = z - np.max(z, axis=1, keepdims=True)
    return -np.sum((z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))) * y) / 32.0


def cell(w: Any, u: Any, b: Any, x: Any, h: Any, c: Any) -> Any:
    n = h.shape[1]
    z = x @ w + h @ u + b
    i = 1.0 / (1.0 + np.exp(-z[:, :n]))
    f = 1.0 / (1.0 + np.exp(-z[:, n:2 * n]))
    o = 1.0 / (1.0 + np.exp(-z[:, 2 * n:3 * n]))
    c = f * c + i * np.tanh(z[:, 3 * n:])
    return o * np.tanh(c), c


def lstm(w: Any, u: Any, b: Any, xs: Any, h: Any, c: Any) -> Any:
    for t in range(len(xs)):
        h, c = cell(w, u, b, xs[t], h, c)
    return np.sum(h * h)


def lstm_jax(jax: Any) -> Function:
    from benchmarks.gradients import with_numpy

    one = with_numpy(cell, jax.numpy)

    def f(w: Any, u: Any, b: Any, xs: Any, h: Any, c: Any) -> Any:
        (h, c), _ = jax.lax.scan(lambda s, x: (one(w, u, b, x, *s), None), (h, c), xs)
        return jax.numpy.sum(h * h)

    return f


def lstm_tf(tf: Any) -> Function:
    from benchmarks.gradients import with_numpy

    one = with_numpy(cell, tf.experimental.numpy)

    def f(w: Any, u: Any, b: Any, xs: Any, h: Any, c: Any) -> Any:
        for t in tf.range(tf.shape(xs)[0]):
            h, c = one(w, u, b, xs[t], h, c)
        return tf.reduce_sum(h * h)

    return f


def rnn_step(w: Any, u: Any, x: Any, h: Any) -> Any:
    return np.tanh(h @ w + x @ u)


def rnn(w: Any, u: Any, xs: Any, h: Any) -> Any:
    for t in range(len(xs)):
        h = rnn_step(w, u, xs[t], h)
    return np.sum(h * h)


def rnn_jax(jax: Any) -> Function:
    from benchmarks.gradients import with_numpy

    one = with_numpy(rnn_step, jax.numpy)

    def f(w: Any, u: Any, xs: Any, h: Any) -> Any:
        h, _ = jax.lax.scan(lambda h, x: (one(w, u, x, h), None), h, xs)
        return jax.numpy.sum(h * h)

    return f


def rnn_tf(tf: Any) -> Function:
    from benchmarks.gradients import with_numpy

    one = with_numpy(rnn_step, tf.experimental.numpy)

    def f(w: Any, u: Any, xs: Any, h: Any) -> Any:
        for t in tf.range(tf.shape(xs)[0]):
            h = one(w, u, xs[t], h)
        return tf.reduce_sum(h * h)

    return f


def mlp_jax(jax: Any) -> Function:
    from benchmarks.gradients import with_numpy

    return with_numpy(mlp, jax.numpy)


RNG = np.random.default_rng(0)


def lstm_arguments(steps: int, batch: int, size: int) -> tuple[Any, ...]:
    w, u = RNG.normal(size=(2, size, 4 * size)) / size ** 0.5
    return (w, u, np.zeros(4 * size), RNG.normal(size=(steps, batch, size)),
            np.zeros((batch, size)), np.zeros((batch, size)))


MLP_ARGUMENTS = (RNG.normal(size=(64, 64)) / 8, np.zeros(64), RNG.normal(size=(64, 10)) / 8,
                 np.zeros(10), RNG.normal(size=(32, 64)), np.eye(10)[RNG.integers(0, 10, 32)])

ROWS = (
    Row("power, while", power, (np.float64(1.0),), tensorflow=power_tf),
    Row("RK4, 1000 steps", rk4, (np.float64(0.5),), jax=rk4_jax, tensorflow=rk4_tf),
    Row("fill by index, 1000", fill, (RNG.normal(size=N),), stores=True, jax=fill_jax,
        tensorflow=fill_tf),
    Row("sum by index, 1000", dot, (RNG.normal(size=N),), jax=dot_jax, tensorflow=dot_tf),
    Row("MLP 32x64", mlp, MLP_ARGUMENTS, (0, 1, 2, 3), jax=mlp_jax),
    Row("RNN 100 of 64", rnn, (RNG.normal(size=(64, 64)) / 8, RNG.normal(size=(64, 64)) / 8,
                               RNG.normal(size=(100, 64)), np.zeros(64)), (0, 1), jax=rnn_jax,
        tensorflow=rnn_tf),
    Row("LSTM 50 of 16x16", lstm, lstm_arguments(50, 16, 16), (0, 1, 2), jax=lstm_jax,
        tensorflow=lstm_tf),
    Row("LSTM 100 of 32x64", lstm, lstm_arguments(100, 32, 64), (0, 1, 2), jax=lstm_jax,
        tensorflow=lstm_tf),
)
