"""Machine code for other processors, and beside the inner loops that NumPy has on them."""

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.house.checkout import ROOT
from tests.support.native import compile_short_loops

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


def mixed(x: Any, n: Any) -> Any:
    """Has lanes, inner loops, sums, numbers and casts, in a group and in a loop."""
    y = np.floor(np.sqrt(x * x + 1) * 3) + np.exp(-x)
    total = 0.0
    for i in range(1, len(n)):
        y[i:] = y[i:] * 0.5 + np.rint(y[:-i])
        n[i] += n[i - 1] % 7
        total += y[:i].sum() + n[i]
    return y, n.astype(np.float32) / 3, total


def arguments() -> tuple[Any, ...]:
    return np.random.default_rng(0).normal(size=70), np.arange(70)


def same(found: Any, expected: Any) -> bool:
    return all(np.asarray(a).tobytes() == np.asarray(b).tobytes()
               for a, b in zip(found, expected, strict=True))


def test_code_for_any_x86_64_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the vectors of newer ones."""
    from autograph.runtime.native import compiler

    compile_short_loops(monkeypatch)
    monkeypatch.setattr(compiler, "processor", lambda: ("x86-64", ""))
    native = ag.function(mixed, jit_compile=True)
    for _ in range(2):
        assert same(native(*arguments()), mixed(*arguments()))


def test_the_text_compiles_for_aarch64(monkeypatch: pytest.MonkeyPatch) -> None:
    from llvmlite import binding

    compile_short_loops(monkeypatch)
    text = ag.function(mixed, jit_compile=True).to_llvm(*arguments())
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    target = binding.Target.from_triple("aarch64-unknown-linux-gnu").create_target_machine(opt=1)
    modules = text.split("; ModuleID")[1:]
    assert len(modules) >= 2
    for module in modules:
        made = target.emit_object(binding.parse_assembly("; ModuleID" + module))
        assert made[:4] == b"\x7fELF" and made[18] == 0xB7


FEATURES = {"AVX2": lambda name: name.startswith("AVX512") or name == "X86_V4",
            "baseline": lambda name: True}
KERNELS = ("tests/unit/native/test_loops_on_arrays.py::test_same_as_numpy[carried]",
           "tests/unit/native/test_loops_on_arrays.py::test_same_as_numpy[rows]",
           "tests/unit/native/test_array_kernels.py::test_every_ufunc[exp]",
           "tests/unit/native/test_array_kernels.py::test_every_ufunc[arctan2]",
           "tests/unit/native/test_array_kernels.py::test_rows_of_every_length[1025]")


@pytest.mark.parametrize("features", FEATURES)
def test_numpys_loops_for_other_processors(features: str) -> None:
    """NumPy chooses its inner loops when it is imported: kernels call those."""
    umath: Any = np._core._multiarray_umath  # type: ignore[attr-defined]
    off = [name for name in umath.__cpu_dispatch__
           if umath.__cpu_features__.get(name) and FEATURES[features](name)]
    if not off:
        pytest.skip("this processor has none of the features to switch off")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *KERNELS],
        env={**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(off)}, cwd=ROOT,
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
