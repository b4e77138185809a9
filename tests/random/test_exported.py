"""Random numeric programs give the same on onnxruntime and JAX, in each dtype, or are refused."""

from __future__ import annotations

import copy
import inspect
import warnings
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.random.exported import Exported, arguments
from tests.random.test_numeric_programs import load
from tests.support.amount import seeds
from tests.unit.export.comparing import difference, in_c_order, typed_outputs
from tests.unit.export.onnx_runs import run_onnx

SEEDS = seeds(4)
REFUSALS = (ag.errors.ExportError, ag.errors.TracingError, ag.ConversionError)
UNDEFINED = "invalid value encountered in cast"
"""NumPy gives what the processor makes of it."""


def on_onnx(function: Any, args: tuple[Any, ...]) -> Any:
    from autograph.runtime.export.onnx.export import model_of

    bound = inspect.signature(function.python_function).bind(*copy.deepcopy(args))
    concrete, call = function.__ag_dispatcher__.find(dict(bound.arguments))
    return run_onnx(model_of(concrete, "drop"), [leaf.value for leaf in call.leaves])


def on_jax(function: Any, args: tuple[Any, ...]) -> Any:
    import jax

    jax.config.update("jax_enable_x64", True)
    given = [jax.numpy.asarray(x) for x in args]
    return function.to_jax(checks="drop", written_arguments=True)(*given)[0]


def plain(f: Any, args: tuple[Any, ...]) -> Any:
    """What the plain function gives; None if it raises, or if NumPy leaves the result open."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn"):
        warnings.simplefilter("always")
        try:
            result = f(*in_c_order(copy.deepcopy(args)))
        except Exception:
            return None
    return None if any(UNDEFINED in str(w.message) for w in caught) else result


def rounded(result: Any, args: tuple[Any, ...]) -> Any:
    """Results in the precision of the arguments: each library has its own `exp` of a float32."""
    widths = [x.dtype.itemsize for x in args if x.dtype.kind == "f"]
    floats = np.dtype(f"f{min(widths, default=8)}")
    few = {2: floats, 4: floats, 8: floats if widths else np.dtype("f4")}
    return tuple(np.asarray(x).astype(few.get(np.asarray(x).dtype.itemsize, floats)) if np.asarray(
        x).dtype.kind == "f" else np.asarray(x) for x in result)


@pytest.mark.parametrize(("library", "runs"), [("onnxruntime", on_onnx), ("jax", on_jax)])
def test_exported_programs_compute_the_same(library: str, runs: Any) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    fates: Counter[str] = Counter()
    wrong = []
    for seed in SEEDS:
        f = load(Exported(Random(seed)).source(), f"<exported {seed}>")
        for number, args in enumerate(arguments()):
            wanted = plain(f, args)
            if wanted is None:
                continue
            function = ag.function(f)
            try:
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    found = runs(function, args)
                    told = difference(rounded(wanted, args), rounded(found, args),
                                      typed_outputs(function))
            except REFUSALS as error:
                told = ""
                fates[f"refused: {str(error).splitlines()[0]}"] += 1
            else:
                fates["same"] += not told
            if told:
                wrong.append((seed, number, told))
    assert wrong == []
    assert fates["same"] > len(SEEDS)  # those whose variables change their dtype are refused
