"""The calls and iterations that ordinary code is full of are traced, and agree, in both modes.

`PLAIN` are the programs that run as plain Python, each with a part of the reason. A quarter of the
programs runs each time; all of them with

    AUTOGRAPH_TESTS=1000 python -m pytest tests/corpus/library/test_met_often.py
"""

import random
import warnings
from copy import deepcopy

import pytest

import autograph as ag
from tests.corpus.library.packages import calls_met_often, calls_with_stars, iterations_met_often
from tests.corpus.library.test_packages import Fn, programs_of
from tests.corpus.state.small_programs import MODES
from tests.support.amount import sample
from tests.support.beside_plain import Arguments, verdict

PLAIN = {
    "stack_of_doors": "a function in a method may change a container",
    "base_of_a_view": "the memory of a symbolic value is asked for",
    "base_as_memory": "the memory of a symbolic value is asked for",
    "nditer_indexed": "np.nditer walks through the memory of symbolic values",
    "nditer_of_two": "np.nditer walks through the memory of symbolic values",
    "endless_zip": "an iterator gives more than 1000 items",
    "endless_send": "a value is sent into a generator",
    "user_iterator_of_another": "a `__next__` raises StopIteration under a condition",
}

PROGRAMS = sample([pytest.param(f, sets, id=f.__name__) for module in (
    calls_met_often, iterations_met_often, calls_with_stars) for f, sets in programs_of(module)], 4)


def fallbacks(f: Fn, sets: list[Arguments], mode: str) -> list[str]:
    """The reasons why calls ran as plain Python."""
    traced = ag.function(f, **MODES[mode])
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for args, kwargs in deepcopy(sets):
            random.seed(5)
            try:
                traced(*args, **kwargs)
            except (ArithmeticError, LookupError, ValueError):
                continue
    return [str(w.message) for w in found if issubclass(w.category, ag.FallbackWarning)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("f", "sets"), PROGRAMS)
def test_agrees_and_is_traced(f: Fn, sets: list[Arguments], mode: str) -> None:
    found = verdict(f, sets, mode)
    assert (found.kind, found.calls) == ("same", len(sets) + 1), found
    why = fallbacks(f, sets, mode)
    assert bool(why) == (f.__name__ in PLAIN), why
    assert all(PLAIN[f.__name__] in text for text in why)
