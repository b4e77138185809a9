"""Complex numbers in native loops: a pair of floats each, with Python's bits and NumPy's."""

from collections.abc import Callable
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

PARTS = (0.0, -0.0, 1.0, -2.5, 1e-300, 1e200, np.inf, np.nan)
AWKWARD = [complex(*parts) for parts in product(PARTS, repeat=2)]


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    compile_short_loops(monkeypatch)
    return tell_kernels(monkeypatch, Kernel)


def compare(plain: Callable[..., Any], *makers: Callable[[], tuple[Any, ...]]) -> None:
    native = ag.function(plain, jit_compile=True)
    for make in (makers[0], *makers):
        assert outcome(native, make()) == outcome(plain, make())


# -- programs --------------------------------------------------------------------------------------

def escape(c, n):
    z = 0j
    k = 0
    for _ in range(n):
        z = z * z + c
        if abs(z) > 2:
            break
        k += 1
    return z, k


def picture(height, width, steps):
    out = np.zeros((height, width), np.int64)
    for i in range(height):
        for j in range(width):
            c = complex(-2 + 3 * j / width, -1.5 + 3 * i / height)
            z, k = 0j, 0
            while k < steps and z.real * z.real + z.imag * z.imag <= 4.0:
                z = z * z + c
                k += 1
            out[i, j] = k
    return out


def transform(x):
    n = len(x)
    out = np.zeros(n, complex)
    for k in range(n):
        s = 0j
        for t in range(n):
            s += x[t] * np.exp(-2j * np.pi * k * t / n)
        out[k] = s
    return out


def fast_transform(x):
    n, y, j = len(x), x.copy(), 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            first = y[i]
            y[i] = y[j]
            y[j] = first
    m = 2
    while m <= n:
        w = np.exp(-2j * np.pi / m)
        for k in range(0, n, m):
            u = 1 + 0j
            for h in range(m // 2):
                a, b = y[k + h], y[k + h + m // 2] * u
                y[k + h], y[k + h + m // 2] = a + b, a - b
                u = u * w
        m *= 2
    return y


def root(z, n):
    for _ in range(n):
        z = z - (z ** 3 - 1) / (3 * z ** 2)
    return z, np.conj(z), abs(z), z == 1, -z, z.real, z.imag


def roots(p, r, n):
    m = len(r)
    for _ in range(n):
        for i in range(m):
            value, others = p[0], p[0]
            for k in range(1, m + 1):
                value = value * r[i] + p[k]
            for j in range(m):
                if j != i:
                    others = others * (r[i] - r[j])
            r[i] = r[i] - value / others
    return r


def waves(x, y):
    z = np.zeros(len(x), complex)
    for i in range(20):
        z = z * x + y - np.conj(z) / 3
        z[i % 5] = z.sum() * 1e-3
    return z, z.real.sum(), (z == x).sum(), np.abs(z), np.where(x.real > 0, x, z)


def numbers(n):
    return np.random.default_rng(n).normal(size=(2, n)).T.copy().view(complex)[:, 0]


@pytest.mark.parametrize(("program", "make"), [
    (escape, lambda: (np.complex128(0.1 + 0.2j), np.int64(90))),
    (picture, lambda: (np.int64(6), np.int64(7), np.int64(20))),
    (transform, lambda: (numbers(16),)),
    (fast_transform, lambda: (numbers(32),)),
    (root, lambda: (np.complex128(0.3 + 0.4j), np.int64(9))),
    (root, lambda: (np.complex64(0.3 + 0.4j), np.int64(9))),
    (roots, lambda: (numbers(7), numbers(6), np.int64(5))),
    (waves, lambda: (numbers(30) * 0.3, numbers(30))),
    (waves, lambda: (numbers(30)[::2], numbers(30)[1::2])),
    (waves, lambda: (numbers(9).astype(np.complex64), numbers(9)))])
def test_programs(program: Any, make: Any, told: list[bool]) -> None:
    compare(program, make)
    assert any(told)


# -- awkward numbers -------------------------------------------------------------------------------

@pytest.mark.parametrize("sign", ["+", "-", "*", "/", "==", "!=", "**"])
@pytest.mark.parametrize("given", ["complex(x[i], y[i]), complex(y[j], x[i])",
                                   "complex(x[i], y[i]), y[j]",
                                   "y[j], complex(x[i], y[i])", "3, complex(y[j], x[i])"])
def test_python_numbers(sign: str, given: str) -> None:
    """Of each pair, with the class of the result, or the error."""
    source = f"""
def f(x, y):
    found = 0j
    for i in range(len(x)):
        for j in range(len(y)):
            a, b = {given}
            found = a {sign} b
    return found
"""
    plain = load(source, f"<complex {sign} {given}>")
    compare(plain, *[lambda z=z, w=w: (np.array([z]), np.array([w.real, w.imag]))
                     for z, w in product(PARTS[:5], AWKWARD)])


def rounded(x, y, out):
    for i in range(len(x)):
        out[0, i] = x[i] / y[i]
        out[1, i] = x[i] * y[i] - x[i] + y[i]
        out[2, i] = abs(x[i]) + (x[i] == y[i]) - (x[i] != y[i])
        out[3, i] = -x[i] + np.conj(y[i]) * 2 - y[i].real + 1j * x[i].imag
    return out


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_numbers_of_numpy(dtype: Any) -> None:
    pairs = np.array(list(product(AWKWARD, AWKWARD)))
    with np.errstate(all="ignore"):
        x, y = pairs.astype(dtype).T
    for error in ("warn", "ignore"):
        with np.errstate(all=error):
            compare(rounded, lambda x=x, y=y: (x, y, np.zeros((4, len(x)), dtype)))


# -- random arrays ---------------------------------------------------------------------------------

TERMS = ("x * y", "x + 1j", "2 - y", "-x", "x / (y + 3)", "np.conj(x)", "abs(y)", "x.real",
         "y.imag * x", "np.exp(x * 0.1)", "x[::-1] * y", "np.sqrt(x)", "x == y", "x * s",
         "z[i] + y", "np.where(x.real > 0, x, y)", "x.astype(np.complex64)", "np.square(y)",
         "x.sum() * y", "np.multiply(x, y)", "s ** 2 + x", "np.abs(x).max() - y", "x.copy()",
         "bool(s) * x")


@pytest.mark.parametrize("seed", range(24))
def test_arrays(seed: int) -> None:
    random = Random(seed)
    lines = [f"        x = {random.choice(TERMS)}",
              f"        z[i] = ({random.choice(TERMS)}).sum()",
              "        s = s * z[i] + z[i - 1]", f"        y = {random.choice(TERMS)} * 0.5"]
    source = "import numpy as np\ndef f(x, y, z, s):\n    for i in range(len(z)):\n" + "\n".join(
        lines) + "\n    return x, y, z, s\n"
    plain = load(source, f"<complex {seed}>")
    n, kind = random.choice([0, 1, 5, 33]), random.choice(["c16", "c8", "f8"])

    def make() -> tuple[Any, ...]:
        x, y = numbers(n).astype("c16"), numbers(2 * n)[::2]
        x = x.real.astype(kind) if kind == "f8" else x.astype(kind)
        return x, y, numbers(4), random.choice([1 + 2j, np.complex128(1j), np.complex64(2)])

    state = random.getstate()
    native = ag.function(plain, jit_compile=True)
    for _ in range(2):
        random.setstate(state)
        expected = outcome(plain, make())
        random.setstate(state)
        assert outcome(native, make()) == expected, source
