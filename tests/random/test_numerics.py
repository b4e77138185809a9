"""Random numeric programs give the same bits, errors and warnings, optimised or not."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any
from unittest import mock

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.functions import finished_program
from autograph.runtime.optimize import PASSES, optimize
from tests.random.numerics import Numerics
from tests.random.test_numeric_programs import load
from tests.support.amount import seeds
from tests.support.outcome import describe

SEEDS = seeds(20)
FLOATS = [0.5, -0.0, 3.0, -2.5]
AWKWARD = [np.nan, np.inf, -0.0, 1e200]

ARGUMENTS: list[Callable[[], tuple[Any, ...]]] = [
    lambda: (np.array(FLOATS), np.array([1.0, 2.0, 0.0, 4.0]), np.float64(1.5), np.int64(3)),
    lambda: (np.array(AWKWARD), np.array(FLOATS), np.float64(-0.0), np.int64(0)),
    lambda: (np.array(FLOATS, np.float32), np.array([1, 2, 0, -7]), np.float32(0.25), np.int64(9)),
    lambda: (np.array([1, -1, 0, 2**62]), np.array([3, 1, 1, 2]), np.int64(-3), np.int64(2)),
    lambda: (np.array([1, 200, 0, 3], np.uint8), np.array([1, -128, 127, 0], np.int8), np.int8(5),
             np.int64(1)),
    lambda: (np.array([True, False, True, True]), np.array(FLOATS), np.bool_(True), np.int64(12)),
]


only_pruned = partial(optimize, passes=[p for p in PASSES if p.name == "dead code"])
"""The optimiser without what it optimises: only what nothing uses is gone."""


def outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, list[str]]:
    """What a call returns and leaves of its arguments, or raises; and of what it warns: once each,
    in order, without the ufunc's name."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = f"{describe(function(*arguments))}, arguments {describe(arguments)}"
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    said = dict.fromkeys(str(w.message).rpartition(" in ")[0] for w in caught
                         if w.category is RuntimeWarning)
    return result, list(said)


UNKNOWN = [ag.TensorSpec((None,), np.float64), ag.TensorSpec(None, np.float64),
           ag.TensorSpec((), np.float64), ag.TensorSpec((), np.int64)]
"""Neither lengths nor ranks are known before the graph runs."""


def same(source: str, function: Callable[..., Any], makers: Any, **options: Any) -> None:
    """The optimised graph, interpreted and emitted, does what the traced graph does."""
    optimised = ag.function(function, executor="interpreter", **options)
    emitted = ag.function(function, **options)
    for make in makers:
        with mock.patch.object(finished_program, "optimize", only_pruned):
            plain = ag.function(function, executor="interpreter", **options)
            expected = outcome(plain, make())
        assert outcome(optimised, make()) == expected, source
        assert outcome(emitted, make()) == expected, source
    for trace in optimised.__ag_dispatcher__.traces.values():
        places = {e.location for e in trace.traced_graph.walk()}
        assert {e.location for e in trace.graph.walk()} <= places
        assert {p.filename for p in places if p} <= {function.__code__.co_filename}


@pytest.mark.parametrize("seed", SEEDS)
def test_optimised_as_traced(seed: int) -> None:
    source = Numerics(Random(seed)).source()
    same(source, load(source, f"<random numerics {seed}>"), ARGUMENTS)


@pytest.mark.parametrize("seed", SEEDS[::2])
def test_of_unknown_shapes(seed: int) -> None:
    source = Numerics(Random(seed + 10**6)).source()
    same(source, load(source, f"<random numerics of any shape {seed}>"), ARGUMENTS[:2],
         input_signature=UNKNOWN)
