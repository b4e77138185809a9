"""Runs every case of the corpus plainly and in each converted form; all must agree.

The forms of a case that are traced by default share one function, and so its traces. The rows of
NumPy's tables are all traced; a part of them runs in the other forms as well, and all of them with

    AUTOGRAPH_TESTS=1000 python -m pytest -n 2 tests/corpus/test_corpus.py
"""

import copy
import inspect
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.interpret import interpreter
from autograph.runtime.ir.graph import Graph
from tests.corpus.case import Case
from tests.corpus.cases import CASES, GAPS, OTHER_WARNINGS, ROWS, parameters
from tests.support.alarm import Endless, alarm
from tests.support.amount import one_of
from tests.support.outcome import describe, run


@lru_cache(maxsize=1)
def traced(case: Case) -> Any:
    """The function of a case, which the tests of that case share as they follow each other."""
    return ag.function(case.function)


MODES: dict[str, Callable[[Case], Any]] = {
    "converted": lambda case: ag.convert(case.function),
    "interpreted": lambda case: ag.function(case.function, executor="interpreter"),
    "traced": traced,
}
PATIENCE = 0.5
"""Seconds after which a plain program is taken to run for ever on the values it was given."""


def check_calls(mode: str, case: Case) -> None:
    """Two rounds: the first makes the traces, the second uses them."""
    function = MODES[mode](case)
    # Results are looked at when all calls are done: none may live in memory that is used again.
    calls = [run(function, arguments) for arguments in case.arguments]
    traces = traces_of(function)
    calls += [run(function, arguments) for arguments in case.arguments]
    told = case.name not in OTHER_WARNINGS
    for arguments, call in zip(case.arguments * 2, calls, strict=True):
        assert call.describe(told) == run(case.function, arguments).describe(told), call.told
    assert traces_of(function) == traces
    assert case.traces is None or traces <= case.traces


def check_other_values(case: Case) -> None:
    """Values that nobody chose: the traces must hold for every value of a signature."""
    function = traced(case)
    for given in case.arguments:
        run(function, given)
        for arguments in (varied(given, np.random.default_rng(seed)) for seed in range(3)):
            try:
                with alarm(PATIENCE):
                    plain = run(case.function, arguments).describe()
            except Endless:
                continue
            with alarm(20 * PATIENCE):
                call = run(function, arguments)
            assert call.describe() == plain, call.told


def check_optimised(case: Case) -> None:
    """The graph as traced and as optimised give the same bits, on the interpreter."""
    dispatcher = traced(case).__ag_dispatcher__
    for arguments in copy.deepcopy(case.arguments):
        found = inspect.signature(case.function).bind(*arguments)
        found.apply_defaults()
        try:
            concrete, bound = dispatcher.find(dict(found.arguments))
        except Exception:  # what cannot be traced is the business of the other forms
            continue
        leaves = [leaf.value for leaf in bound.leaves]
        assert interpreted(concrete.graph, leaves) == interpreted(concrete.traced_graph, leaves)
        for change in concrete.changes:
            assert str(change)


CHECKS: dict[str, Callable[[Case], None]] = {
    "other values": check_other_values, "optimised": check_optimised}
EVERY = one_of(8)
"""One row of so many runs in the forms that are not traced by the default executor."""
FORMS = [
    *(p for case in CASES for p in parameters(
        [case], *MODES, *(() if f"traced: {case.name}" in GAPS else CHECKS))),
    *parameters(ROWS, "traced"), *parameters(ROWS[::EVERY], "converted", "interpreted")]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # see `alarm`
@pytest.mark.parametrize(("mode", "case"), FORMS)
def test_case(mode: str, case: Case) -> None:
    if mode in MODES:
        check_calls(mode, case)
    else:
        CHECKS[mode](case)


def traces_of(function: object) -> int:
    """How many traces a function has."""
    count = getattr(function, "experimental_get_tracing_count", None)
    return 0 if count is None else count()


def interpreted(graph: Graph, arguments: list[object]) -> str:
    """The graph's outputs, or the exception's class, as text."""
    np.random.seed(1)  # noqa: NPY002  # the programs draw from the global state
    try:
        text = describe(interpreter.run(graph, *copy.deepcopy(arguments)))
        return re.sub(r" at 0x[0-9a-f]+", "", text)  # objects are others in each run
    except Exception as error:
        return type(error).__name__


def varied(value: Any, rng: np.random.Generator) -> Any:
    """The same structure, dtypes and shapes with other small numbers; Python values stay."""
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "iufb":
        numbers = rng.integers(0 if value.dtype.kind in "ub" else -6, 9, value.shape)
        numbers = numbers + rng.integers(0, 4, value.shape) / 4 * (value.dtype.kind == "f")
        other = np.asarray(numbers).astype(value.dtype)
        return other if isinstance(value, np.ndarray) else other[()]
    if isinstance(value, list | tuple):
        return type(value)(varied(item, rng) for item in value)
    if isinstance(value, dict):
        return {key: varied(item, rng) for key, item in value.items()}
    return value


def test_every_gap_names_a_case() -> None:
    modes = [*MODES, *CHECKS]
    names = {f"{mode}: {case.name}" for mode in modes for case in (*CASES, *ROWS)}
    assert [gap for gap in GAPS if gap not in names] == []


def test_the_corpus_is_large_and_has_no_duplicates() -> None:
    names = [case.name for case in (*CASES, *ROWS)]
    assert sorted(names) == sorted(set(names))
    assert len(CASES) >= 1300 and len(ROWS) >= 2000
    assert all(case.arguments for case in CASES)


def test_programs_are_called_again_with_other_values() -> None:
    """Most have two argument sets of one signature, which share a trace."""
    assert sum(len(set(map(kinds, case.arguments))) < len(case.arguments) for case in CASES) >= 1000


def kinds(x: object) -> object:
    """Types and nesting; of arrays dtype and shape."""
    if isinstance(x, np.ndarray):
        return x.dtype.str, x.shape
    if isinstance(x, list | tuple):
        return type(x), tuple(map(kinds, x))
    return tuple((k, kinds(v)) for k, v in x.items()) if isinstance(x, dict) else type(x)


def test_varied_keeps_the_signature() -> None:
    given = (np.ones((2, 3), np.float32), [np.int8(3), 4], {"a": np.array(True)}, "s")
    array, items, table, text = varied(given, np.random.default_rng(0))
    assert (array.dtype, array.shape) == (np.float32, (2, 3))
    assert [type(item) for item in items] == [np.int8, int]
    assert table["a"].dtype == bool and text == "s"
