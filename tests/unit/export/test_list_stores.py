"""Lists of known length that a graph stores into where only the run knows, in ONNX and in JAX."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.program_files import program
from tests.unit.export.comparing import difference
from tests.unit.export.onnx_runs import run_onnx

pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
pytest.importorskip("jax", reason="the extra jax is not installed")
from autograph.runtime.export.onnx.export import model_of
from tests.unit.export.test_jax import as_jax

OF_ANY = (
    "items[i], items[j] = items[j], items[i]",
    "items[-1] = items[i] * 2.0",
    "items[i] = items[j] + 1.5",
)
OF_NUMBERS = (
    "items[j - 4] = float(x[i])",
    "if x[i] > 0:\n        items[i] = float(x[j])",
    "for k in range(4):\n        items[k] = items[k] * 0.5 + 2.0",
    "for v in x:\n        items[int(abs(v)) % 4] += 1.0",
    "items.append(items.pop(0))",
)
STARTS = "[float(v) for v in x]", "[0.0] * 4", "[x, x + 1, 2 * x, x - 3]"
X = np.array([1.0, -2.0, 3.5, 0.25])


def source_of(random: Random) -> str:
    """Returns a random function of an array and two indices, which keeps its state in a list."""
    start = random.choice(STARTS)
    pool = OF_ANY if start is STARTS[-1] else OF_ANY + OF_NUMBERS
    lines = random.choices(pool, k=random.randint(1, 5))
    return "\n    ".join(["def f(x, i, j):", f"items = {start}", *lines, "return items"])


@pytest.mark.parametrize("seed", range(24))
def test_random_stores_agree(seed: int, tmp_path: Path) -> None:
    plain = program(tmp_path, source_of(Random(seed))).f
    arguments: Any = X.astype(("f8", "f4")[seed % 2]), np.int64(seed % 4), np.int64(3 - seed % 3)
    function: Any = ag.function(plain)
    wanted = plain(*arguments)
    model = model_of(function.get_concrete_function(*arguments), "drop")
    for reference in (False, True):
        assert not difference(wanted, run_onnx(model, list(arguments), reference))
    assert not difference(wanted, function.to_jax(checks="drop")(*as_jax(arguments)))


@pytest.mark.parametrize("value", ["1", "x"])
def test_items_may_become_something_else(value: str, tmp_path: Path) -> None:
    f: Any = ag.function(program(tmp_path, "def f(x, i):\n    items = [v for v in x]\n"
                                           f"    items[i] = {value}\n    return items\n").f)
    arguments = X.astype(np.int32), np.int64(1)
    wanted = f(*arguments)
    model = model_of(f.get_concrete_function(*arguments), "drop")
    for reference in (False, True):
        assert not difference(wanted, run_onnx(model, list(arguments), reference))
    assert not difference(wanted, f.to_jax(checks="drop")(*as_jax(arguments)))


def double(z: Any) -> Any:
    return z * 2


def test_a_result_without_a_form_names_its_cause() -> None:
    with pytest.raises(ag.errors.ExportError, match=r"complex128[^.]*z\.real"):
        ag.export_onnx(None, ag.function(double), 3 + 4j)
