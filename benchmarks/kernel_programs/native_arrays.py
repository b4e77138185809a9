"""Programs on whole arrays, by the class of what limits them, each with makers of arguments."""

from collections.abc import Callable
from typing import Any

import numpy as np


def polynomial(x):
    return ((((((x + 0.5) * x - 1.25) * x + 2.0) * x - 0.75) * x + 3.0) * x - 1.0) * x + 0.1


def black_scholes(price, strike, years):
    deviation = 0.2 * np.sqrt(years)
    d1 = (np.log(price / strike) + 0.07 * years) / deviation
    d2 = d1 - deviation
    return price * np.tanh(d1) - strike * np.exp(-0.05 * years) * np.tanh(d2)


def chain(x):
    return np.exp(np.sin(x) * np.cos(x)) * x


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x):
    m = x - x.mean(axis=-1, keepdims=True)
    return m / np.sqrt((m * m).mean(axis=-1, keepdims=True) + 1e-5)


def squared_distance(x, y):
    return ((x - y) ** 2).sum()


def clipped(x, low):
    return np.where(x > low, np.minimum(x, 0.9), low).astype(np.float32)


def numbers(count: int, length: int, row: int = 0) -> tuple[Any, ...]:
    random = np.random.default_rng(0)
    made = [random.random(length) + 0.1 for _ in range(count)]
    return tuple(x.reshape(-1, row) if row else x for x in made)


LENGTHS = (1_000, 100_000, 1_000_000)

PROGRAMS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "arithmetic": (polynomial, 1, 0), "functions": (black_scholes, 3, 0),
    "functions of the C library": (chain, 1, 0), "rows: softmax": (softmax, 1, 100),
    "rows: layer norm": (layer_norm, 1, 100), "sum": (squared_distance, 2, 0),
    "choices and casts": (clipped, 2, 0)}
"""By class: the program, the number of its arguments, the length of their rows; 0 for one axis."""
