"""Machine code for arrays of any length: random programs, called with arrays of many lengths.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_open_lengths.py
"""

from math import prod
from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.array_kernel import ArrayKernel
from tests.random.arrays import Arrays
from tests.random.complex_arrays import ComplexArrays
from tests.random.test_native_arrays import with_strides
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.amount import seeds
from tests.support.native import tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SEEDS = seeds(60)
FEW, MANY = (2, 3, 5, 6, 7, 8, 12), (0, 1, 9, 63, 64, 65, 130, 1023, 1024, 1025, 2047, 2500, 5000)
FIRST = 4
"""So many calls come before lengths are open."""


class Lengths:
    """Arguments of a program with other lengths along some axes of its arrays."""

    def __init__(self, program: Arrays, random: Random) -> None:
        self.arguments = tuple(program.arguments.values())
        self.shape, self.rank = program.shape, len(program.shape)
        axes = range(self.rank)
        self.axes = random.choice([[0], [0], list(axes), axes[-1:]]) if axes else []
        self.random = random

    def given(self, most: int) -> tuple[Any, ...]:
        """Returns arguments; no length is above `most`."""
        size = prod(n for k, n in enumerate(self.shape) if k not in self.axes)
        lengths = {}
        for axis in self.axes:
            allowed = [n for n in (*FEW, *MANY) if n <= most and n * size <= max(MANY)]
            lengths[axis] = self.random.choice(allowed or [2])
            size *= lengths[axis]
        return tuple(self.changed(x, lengths) for x in self.arguments)

    def changed(self, x: Any, lengths: dict[int, int]) -> Any:
        """Repeats the elements of an array along axes that are not broadcast."""
        if type(x) is not np.ndarray:
            return x
        made = x
        for axis, n in lengths.items():
            own = axis - self.rank + x.ndim
            if own >= 0 and x.shape[own] > 1:
                made = made.take(np.arange(n) % x.shape[own], own)
        return made if self.random.random() < 0.9 else np.asfortranarray(made)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", [Arrays, ComplexArrays])
def test_same_as_plain(kind: type[Arrays], seed: int) -> None:
    random = Random(seed)
    program = kind(random)
    source, lengths = program.source(), Lengths(program, random)
    plain = load(source, f"<open {seed}>")
    plain.__globals__["np"] = program.numpy
    native = ag.function(plain, jit_compile=True, reduce_retracing=True)
    python = ag.function(plain, reduce_retracing=True)
    for k in range(14):
        arguments = lengths.given(7 if k < FIRST else 10 ** (k // 3))
        expected = outcome(with_strides(python), arguments)
        assert outcome(with_strides(native), arguments) == expected, source
        told = outcome(with_strides(plain), arguments)[0]
        assert told == expected[0] or "Error" in told, source  # of what nothing uses


SLICES = ("1:-1, 1:-1", "2:, 1:-1", ":-2, 1:-1", "1:-1, 2:", "1:-1, :-2", "2:, 2:", ":-2, :-2")
ENDS = ("{}", "{}", "({}).sum(axis=-1)", "({}).sum()", "({}).mean()", "({}).mean(axis=1)",
        "({}).max(axis=1, keepdims=True)", "({}).min()", "(lambda t: t - t.mean())({})",
        "(lambda t: np.exp(t - t.max(axis=-1, keepdims=True)))({})",
        "(lambda t: (t, t.sum(axis=-1), t * 2))({})", "(lambda t: t / (1 + abs(t).sum()))({})")


def of_matrices(random: Random) -> str:
    """Returns an expression of matrices `u` and `v` without their borders, a row and a column."""
    terms = [f"{random.choice('uv')}[{random.choice(SLICES)}]" for _ in range(random.randint(1, 5))]
    others = ["row", "column", "n", "0.25", "u[1:-1, 1:-1].T.T"]
    terms += random.sample(others, random.randint(0, 2))
    random.shuffle(terms)
    made = terms[0]
    for term in terms[1:]:
        made = f"({made} {random.choice('+-*')} {term})"
    if random.random() < 0.3:
        made = random.choice(["np.sin", "np.exp", "np.abs", "np.sqrt"]) + f"({made})"
    return random.choice(ENDS).format(made)


def matrix(random: Random, n: int, m: int) -> Any:
    """Returns a matrix of numbers in some order of memory."""
    r = np.random.default_rng(random.getrandbits(32))
    x = r.normal(size=(2 * n, 2 * m)) * random.choice([1, 3])
    if random.random() < 0.1:
        x[r.random(x.shape) < 0.02] = random.choice([np.nan, np.inf, -0.0])
    return random.choice([
        x[:n, :m].copy(), x[:n, :m].copy(), x[:n, :m], x[::2, 1:m + 1], x[n:, m:], x[:n, ::2],
        np.asfortranarray(x[:n, :m]), x[:n, :m][::-1], x[:n, :m][:, ::-1],
        np.broadcast_to(x[0, :m], (n, m)), x[:n, :m].astype(np.float32)])


@pytest.mark.parametrize("seed", SEEDS)
def test_matrices(seed: int) -> None:
    """Parts of matrices, whose rows have gaps between them."""
    random = Random(seed)
    text = of_matrices(random)
    plain = load(f"def f(u, v, row, column, n):\n    return {text}\n", f"<matrices {seed}>")
    sizes = [random.choice([(5, None), (None, 6), (None, None), (None, None)])] * 14
    native = ag.function(plain, jit_compile=True, reduce_retracing=True)
    for k, (rows, columns) in enumerate(sizes):
        allowed = [3, 4, 5, 8] if k < FIRST else [2, 3, 4, 9, 10, 11, 40, 66, 130, 1027]
        n, m = rows or random.choice(allowed), columns or random.choice(allowed[:9])
        arguments = (matrix(random, n, m), matrix(random, n, m), matrix(random, 1, m)[0, 2:],
                     matrix(random, n, 1)[2:], random.choice([2, 0.5, np.float64(3)]))
        expected = outcome(with_strides(plain), arguments)
        assert outcome(with_strides(native), arguments)[0] == expected[0], text


def test_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of the programs have a kernel that gives the results, for all lengths."""
    told = tell_kernels(monkeypatch, ArrayKernel)
    kernels = 0
    for seed in range(20):
        random = Random(seed)
        program = Arrays(random)
        lengths = Lengths(program, random)
        plain = load(program.source(), f"<open {seed}>")
        plain.__globals__["np"] = program.numpy
        native = ag.function(plain, jit_compile=True, reduce_retracing=True)
        for _ in range(FIRST):
            outcome(native, lengths.given(7))
        before = len(told)
        outcome(native, lengths.given(10 ** 4))
        kernels += told[before:].count(True)
    assert kernels >= 6
