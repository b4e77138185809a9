"""The programs of the corpus, rewritten so that the run decides more of them: as plain Python does
them, or refused; none is wrong in silence.

    AUTOGRAPH_TESTS=100 python -m pytest -n 2 tests/random/test_mutated_programs.py
"""

import linecache
import warnings
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

import autograph as ag
from tests.corpus import language
from tests.corpus.cases import themes
from tests.corpus.state.small_programs import MODES
from tests.random.mutations import ONE, mutated
from tests.support.amount import seeds
from tests.support.beside_plain import verdict

FILES = [str(theme.__file__) for theme in themes(language)]
EACH = 4
"""Programs of a rewritten file that are tried."""


def loaded(text: str, name: str) -> ModuleType:
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    module = ModuleType("mutated")
    setattr(module, ONE, ag.Variable(1))
    exec(compile(text, name, "exec"), module.__dict__)
    return module


@pytest.mark.parametrize("seed", seeds(12))
def test_programs_mean_the_same(seed: int) -> None:
    random = Random(seed)
    file = random.choice(FILES)
    module: Any = loaded(mutated(Path(file).read_text("utf-8"), random), f"<mutated {seed}>")
    for case in random.sample(module.CASES, min(EACH, len(module.CASES))):
        sets = [(arguments, {}) for arguments in case.arguments[:3]]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ag.FallbackWarning)
            found = verdict(case.function, sets, random.choice(list(MODES)))
        assert found.kind in ("same", "refused"), (
            f"{case.title} of {file}: {found.why}\n{found.trace}")
