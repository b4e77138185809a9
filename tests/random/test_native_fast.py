"""Machine code with `fast_math`: random programs are about as near to the exact results as NumPy.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_fast.py
"""

import copy
from random import Random

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native import compiler, fast_functions
from autograph.runtime.native.array_kernel import ArrayKernel
from tests.random import fast_loops
from tests.random.fast_arrays import FastArrays, is_near
from tests.random.fast_loops import FastLoops
from tests.random.test_numeric_programs import load
from tests.support.amount import seeds
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


@pytest.mark.parametrize("any_processor", [False, True])
@pytest.mark.parametrize("seed", seeds(60))
def test_as_near_as_numpy(seed: int, any_processor: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_functions, "has_long_vectors", lambda: False)
    if any_processor:
        monkeypatch.setattr(compiler, "processor", lambda: ("x86-64", ""))
    program = FastArrays(Random(seed))
    source = program.source()
    plain = load(source, f"<fast {seed}>")
    plain.__globals__["np"] = np
    given = list(program.arguments.values())
    if any(isinstance(x, np.ndarray) and not x.size for x in given):
        pytest.skip("a mean of nothing warns")
    with np.errstate(all="ignore"):
        numpys, exact = plain(*given), plain(*program.in_more_digits())
    for open_lengths in (False, True):
        fast = ag.function(plain, jit_compile=True, fast_math=True, reduce_retracing=open_lengths)
        for _ in range(2):
            with np.errstate(all="ignore"):
                found = fast(*given)
            for x, y, z in zip(found, numpys, exact, strict=True):
                assert is_near(x, y, z), f"{source}\n{x}\n{y}\n{z}"


def test_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of the programs have a kernel that gives the results."""
    ran = tell_kernels(monkeypatch, ArrayKernel)
    for seed in range(20):
        program = FastArrays(Random(seed))
        plain = load(program.source(), f"<fast {seed}>")
        plain.__globals__["np"] = np
        with np.errstate(all="ignore"):
            ag.function(plain, jit_compile=True, fast_math=True)(*program.arguments.values())
    assert ran.count(True) >= 10


@pytest.mark.parametrize("seed", seeds(60))
def test_loops(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)
    source = FastLoops(Random(seed)).source()
    plain = load(source, f"<fast loops {seed}>")
    fast = ag.function(plain, jit_compile=True, fast_math=True)
    for k in range(4):
        given = fast_loops.arguments(4 * seed + k)
        digits = [x.astype(np.longdouble) if isinstance(x, np.ndarray) else x for x in given]
        numpys, exact = plain(*copy.deepcopy(given)), plain(*digits)
        for x, y, z in zip(fast(*copy.deepcopy(given)), numpys, exact, strict=True):
            assert type(x) is type(y), source
            assert is_near(*map(np.asarray, (x, y, z))), f"{source}\n{x}\n{y}\n{z}"
