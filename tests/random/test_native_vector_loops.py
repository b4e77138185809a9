"""Random loops that LLVM may vectorise: bytes, warnings, exceptions and arguments are Python's.

The generated Python does not tell of a number that overflows on the way and is stored over: where
machine code leaves a loop to it, that is the judge.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_vector_loops.py
"""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import autograph as ag
from autograph.runtime.native.kernel import Kernel
from tests.random.int_loops import IntLoops, int_arguments
from tests.random.test_numeric_programs import load
from tests.random.vector_loops import VectorLoops, arguments
from tests.support.amount import seeds
from tests.support.native import compile_short_loops, tell_kernels
from tests.support.outcome import run

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

CALLS = 4
KINDS = {"floats": (VectorLoops, arguments, "f8", ("f8", "f8", "f4", None)),
         "ints": (IntLoops, int_arguments, "i8", ("i8", "i1", None, None))}


def program(kind: str, seed: int) -> tuple[str, Any]:
    source = KINDS[kind][0](Random(seed)).source()
    return source, load(source, f"<loops over {kind} {seed}>")


def outcome(function: Callable[..., Any], given: tuple[Any, ...]) -> tuple[str, str]:
    call = run(function, given)
    return call.describe(), call.told


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(30))
def test_same_as_plain(kind: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    source, plain = program(kind, seed)
    native, *others = (ag.function(plain, **how) for how in (
        {"jit_compile": True}, {"executor": "interpreter"}, {"jit_compile": False}))
    _, made, _, dtypes = KINDS[kind]
    for k in range(CALLS):
        given = made(CALLS * seed + k, dtypes[k], clean=k == 0)
        found, *judges = (outcome(f, given) for f in (native, plain, *others))
        assert found in judges, source


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_run(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many of the programs above reach a kernel that gives the results."""
    compile_short_loops(monkeypatch)
    told = tell_kernels(monkeypatch, Kernel)
    _, made, dtype, _ = KINDS[kind]
    for seed in range(30):
        outcome(ag.function(program(kind, seed)[1], jit_compile=True),
                made(seed, dtype, clean=True))
    assert told.count(True) >= 8
