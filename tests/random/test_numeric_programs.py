"""Random numeric programs give the same traced, on both executors, as plain."""

import linecache
import warnings
from random import Random

import numpy as np
import pytest

import autograph as ag
from tests.random.numeric_programs import Program, WiderProgram
from tests.support.amount import seeds

SEEDS = {Program: seeds(40), WiderProgram: seeds(20)}

SHOWN = {Program: (939,)}
"""Programs beyond those numbers that have shown a mistake: an array taken for a number."""

# Programs that do not agree yet; an entry that agrees fails the test.
KNOWN_GAPS: dict[str, str] = {}

ARGUMENTS = [
    lambda: (np.int64(3), np.int64(-2), np.array([1, 4])),
    lambda: (np.int64(0), np.int64(5), np.array([-1, 2])),
    lambda: (np.int64(7), np.int64(1), np.array([0, 0])),
]


def load(source, name):
    """The function `f` of a source, with lines that tracebacks and the compiler can find."""
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope = {"__name__": "random_program"}
    exec(compile(source, name, "exec"), scope)
    return scope["f"]


def outcome(function, arguments):
    """What a call returns or raises, and what it leaves of its arguments, as text with types."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = repr(function(*arguments))
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    return result, repr(arguments)


def programs():
    """Every program by its kind and number; the known gaps marked."""
    for kind, seeds_of_kind in SEEDS.items():
        for seed in sorted({*seeds_of_kind, *SHOWN.get(kind, ())}):
            name = f"{kind.__name__} {seed}"
            marks = [pytest.mark.xfail(reason=KNOWN_GAPS[name], strict=True)] if (
                name in KNOWN_GAPS) else []
            yield pytest.param(kind, seed, marks=marks, id=name)


@pytest.mark.parametrize("executor", ["python", "interpreter"])
@pytest.mark.parametrize(("kind", "seed"), list(programs()))
def test_same_as_plain(kind, seed, executor):
    source = kind(Random(seed)).source()
    plain = load(source, f"<{kind.__name__} {seed}>")
    traced = ag.function(plain, executor=executor)
    for make in (*ARGUMENTS, *ARGUMENTS):
        assert outcome(traced, make()) == outcome(plain, make()), source
