"""Machine code with `fast_math`: random programs are about as near to the exact results as NumPy.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_fast.py
"""

from random import Random

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native import compiler, fast_functions
from autograph.runtime.native.array_kernel import ArrayKernel
from tests.random.fast_arrays import FastArrays, is_near
from tests.random.test_numeric_programs import load
from tests.support.amount import seeds
from tests.support.native import tell_kernels

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
