"""The golden graphs before and after their pass: the numbers stay the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from autograph.runtime.interpret import interpreter
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.types import PyType
from autograph.runtime.ops.parse import parse
from tests.golden.test_golden import run_pass
from tests.golden.texts import Golden, of
from tests.support.outcome import describe

SPECIAL = {"f": [-0.0, np.inf, np.nan, 1e-310, -2.5], "i": [0, -1, 127], "b": [True, False]}
CASES = of("graphs")


def samples(graph: Graph, seed: int) -> list[object]:
    """An argument for each input, with numbers that are easy to get wrong among them."""
    random = np.random.default_rng(seed)
    found = []
    for value in graph.inputs:
        if isinstance(value.type, PyType):
            found.append(seed)
            continue
        dtype, shape = value.type.dtype, value.type.shape
        array = np.array(np.round(random.normal(size=shape) * 4, 2)).astype(dtype)
        special = SPECIAL[dtype.kind]
        if seed:
            array.flat[: len(special)] = special[: array.size]
        found.append(array[()] if value.type.scalar else array)
    return found


def outcome(graph: Graph, arguments: list[object]) -> str:
    try:
        return describe(interpreter.run(graph, *arguments))
    except Exception as error:
        return type(error).__name__


EXACT = [case for case in CASES if "fast_math" not in case.stage and "random" not in case.name]


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("case", EXACT, ids=lambda case: case.name)
@np.errstate(all="ignore")
def test_the_numbers_are_the_same(case: Golden, seed: int) -> None:
    before, after = parse(case.source), parse(case.source)
    run_pass(after, case.stage)
    arguments = samples(before, seed)
    assert outcome(after, arguments) == outcome(before, arguments)


@pytest.mark.parametrize("case", [c for c in CASES if "fast_math" in c.stage],
                         ids=lambda case: case.name)
def test_with_fast_math_the_numbers_are_close(case: Golden) -> None:
    before, after = parse(case.source), parse(case.source)
    run_pass(after, case.stage)
    arguments = samples(before, 0)
    for a, b in zip(interpreter.run(after, *arguments), interpreter.run(before, *arguments),
                    strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
