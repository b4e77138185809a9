"""Loops over elements run on vectors where no exception of floats can be lost."""

import re
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.regions import as_loop, is_loop
from autograph.runtime.lower.in_place import plan_inplace
from autograph.runtime.native.inference import native_loop
from autograph.runtime.native.kernel import Kernel
from autograph.runtime.native.plain_floats import plain_floats
from autograph.runtime.ops.parse import parse
from tests.support.native import tell_kernels
from tests.support.outcome import run

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

LOOP = """\
f(x: f64[99], y: f64[99], k: f64, n: py.int):
  z: f64[99] = copy(x)
  z_1: f64[99] = for(range(1, 98), z):
    body(i: py.int, z_2: f64[99]):
{}
      yield e
  return z_1
"""


@pytest.mark.parametrize(("body", "plain"), [
    ("a: f64 = x[i]\nb: f64 = multiply(k, a)\ne: f64[99] = setitem(z_2, i, b)", "be"),
    ("a: f64 = x[i]\nb: f64 = divide(a, k)\nc: f64 = absolute(b)\nj: py.int = add(i, 1)\n"
     "e: f64[99] = setitem(z_2, j, c)", "bce"),
    ("a: f64 = x[i]\nb: f64 = multiply(k, a)\ne: f64[99] = setitem(z_2, n, b)", ""),
    ("a: f64 = divide(k, i)\ne: f64[99] = setitem(z_2, i, a)", ""),
    ("a: f64 = x[i]\nc: f64 = divide(1.0, i)\nb: f64 = multiply(c, a)\n"
     "e: f64[99] = setitem(z_2, i, b)", "be"),
    ("a: f64 = x[i]\nb: f64 = divide(k, a)\nc: bool = greater(a, k)\nd: f64 = where(c, a, b)\n"
     "e: f64[99] = setitem(z_2, i, d)", ""),
    ("a: f64 = x[i]\nb: f64 = divide(k, a)\nd: f64[99] = setitem(z_2, i, b)\n"
     "e: f64[99] = setitem(d, i, a)", ""),
    ("a: f64 = x[i]\nb: f64 = divide(k, a)\nd: f64[99] = setitem(z_2, i, b)\n"
     "j: py.int = add(i, 1)\ne: f64[99] = setitem(d, j, a)", "bde"),
    ("a: f64 = x[i]\nc: bool = greater(a, k)\ne: f64[99] = cond(c):\n  true():\n"
     "    b: f64 = divide(k, a)\n    d: f64[99] = setitem(z_2, i, b)\n    yield d\n"
     "  false():\n    yield z_2", "")],
    ids=["product", "quotient and its size", "one place", "of the item alone", "of the item",
         "chosen", "stored over", "two stores", "in a branch"])
def test_which_operations(body: str, plain: str) -> None:
    """Those of loaded elements that a store needs in each iteration, and these stores."""
    graph = parse(LOOP.format("\n".join("      " + line for line in body.splitlines())))
    e = next(e for e in graph.equations if is_loop(e))
    native, loop = native_loop(e, plan_inplace(graph)), as_loop(e)
    assert loop is not None
    found = plain_floats(loop, native.kind)
    assert "".join(sorted(out.hint for e in found for out in e.outputs)) == plain


def scaled(x, y, k):
    for i in range(len(x)):
        y[i] = x[i] * k + 1.0 / np.sqrt(x[i])
    return y


def clamped(x, y, k):
    n = 0
    for i in range(len(x)):
        v = x[i]
        if v < -k:
            v = -k
        elif v > k:
            v = k
            n += 1
        y[i] = v
    return y, n


def assembled(function: Any, *arguments: Any) -> str:
    """Returns the IR of a function's machine code, as LLVM leaves it."""
    from llvmlite import binding

    from autograph.runtime.native import compiler

    loop, _, _ = function.to_llvm(*arguments).partition("; ModuleID = entry")
    module = binding.parse_assembly(loop)
    compiler._improve(module, compiler._emitter(1), "all", loop)
    return str(module)


@pytest.mark.parametrize("function", [scaled, clamped])
def test_vectors(function: Any) -> None:
    compiled = ag.function(function, jit_compile=True)
    x, y = np.random.default_rng(0).uniform(0.1, 1, size=(2, 1000))
    assert run(compiled, (x, y, 0.5)).describe() == run(function, (x, y, 0.5)).describe()
    text = assembled(compiled, x, y, 0.5)
    assert re.search(r"store <\d+ x double>", text)
    assert "fmuladd" not in text and "reassoc" not in text


@pytest.mark.parametrize("value", [0.0, np.inf, np.nan, 1e300, 5e-324, -1.0])
@pytest.mark.parametrize("at", [0, 1, 63, 64, 500, 997, 998, 999])
def test_exceptions(at: int, value: float) -> None:
    """What one element of a vector raises is told, and nothing else."""
    x, y = np.random.default_rng(0).uniform(1, 2, size=(2, 1000))
    x[at] = value
    for k in (0.5, 1e200):
        given = x, y, np.float64(k)
        compiled = ag.function(scaled, jit_compile=True)
        assert run(compiled, given).describe() == run(scaled, given).describe()


def test_a_nan_that_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other machine code runs then, which compares without an exception."""
    told = tell_kernels(monkeypatch, Kernel)
    compiled = ag.function(clamped, jit_compile=True)
    x, y = np.random.default_rng(0).normal(size=(2, 1000))
    x[[3, 700]] = np.nan
    assert run(compiled, (x, y, 0.5)).describe() == run(clamped, (x, y, 0.5)).describe()
    assert told == [True]
