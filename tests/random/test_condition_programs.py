"""Random programs whose conditions compute: the graph gives what Python gives.

    AUTOGRAPH_TESTS=100 python -m pytest -n 2 tests/random/test_condition_programs.py
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES
from tests.random.condition_programs import ConditionProgram
from tests.random.test_numeric_programs import load, outcome
from tests.support.amount import seeds

SEEDS = seeds(6)


def source(seed: int) -> str:
    return ConditionProgram(Random(seed)).source()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("options", [*MODES.values(), {"strict": True}], ids=[*MODES, "strict"])
def test_as_plain(seed: int, options: dict[str, Any]) -> None:
    plain = load(source(seed), f"<condition program {seed}>")
    traced, rng = ag.function(plain, **options), np.random.default_rng(seed)
    for _ in range(4):
        x, limit = rng.integers(-3, 9, 3), np.int64(rng.integers(2, 7))
        assert outcome(traced, [x.copy(), limit]) == outcome(plain, [x.copy(), limit]), source(seed)


def test_programs_do_something() -> None:
    sources = [source(seed).partition("def f(")[2] for seed in range(100)]
    for word in ("while ", "for ", "elif ", "else:", "lambda j", "(k := ", "pick(", " is None",
                 " is not None", ".rest", "any(", "all(", "near(", "break", " in (", " < 7"):
        assert sum(word in text for text in sources) >= 4, word
