"""The rows of the tables, on arrays that lie in memory in every way that NumPy knows.

A trace serves arrays of one dtype and shape, however they lie in memory. A part of the rows runs
each time; all of them, on both executors, with

    AUTOGRAPH_TESTS=1000 python -m pytest -n 2 tests/corpus/numpy/test_layouts.py
"""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.case import Case
from tests.corpus.cases import GAPS, TABLES
from tests.corpus.numpy.layouts import LAYOUTS
from tests.support.amount import one_of
from tests.support.outcome import arrays, seen

EVERY = one_of(4)
"""One row of so many is run on one executor, another one on the other."""

# What cannot agree: why, and which rows.
LEFT_OUT: dict[str, str] = {
    "np.lib.stride_tricks.as_strided(u, (3,), (16,))": "reads memory that is not the array's",
    "np.random.default_rng(0).standard_normal(out=v); return v":
        "the interpreter draws into a copy, which is contiguous",
    "o = np.zeros_like(np.positive(x)); np.positive(x, out=(o,), where=b); return o":
        "the order of a copy that is optimised away",
}


def cases() -> Iterator[Any]:
    found = [(name, case) for name, rows in TABLES.items() for case in rows
             if f"traced: {case.name}" not in GAPS and case.title not in LEFT_OUT]
    for number, (name, case) in enumerate(found):
        for offset, executor in enumerate(("python", "interpreter")):
            if (number + offset) % EVERY == 0 and any(map(_is_array, case.arguments[0])):
                yield pytest.param(case, executor, id=f"{executor}: {name}: {case.title}")


def _is_array(x: Any) -> bool:
    return isinstance(x, np.ndarray)


@pytest.mark.parametrize(("case", "executor"), list(cases()))
def test_layouts(case: Case, executor: str) -> None:
    function = ag.function(case.function, executor=executor)
    for name, layout in LAYOUTS.items():
        for arguments in case.arguments:
            plain, traced = (tuple(layout(x) if _is_array(x) else copy.deepcopy(x)
                                   for x in arguments) for _ in range(2))
            if ".at(" in case.title and not arrays_are_writeable(plain):
                continue  # NumPy itself writes into what is read-only
            assert facts(function, traced) == facts(case.function, plain), name
    assert function.experimental_get_tracing_count() <= 2, "one for each byte order"


def facts(function: Any, arguments: tuple[Any, ...]) -> Any:
    """What can be seen of a call, the order in memory included."""
    call = seen(function, arguments)
    if call.error is not None and not arrays_are_writeable(arguments):
        return "raises", leaves(arguments)  # of several reasons, another one may come first
    orders = [(a.flags.c_contiguous, a.flags.f_contiguous) for a in arrays(call.result)]
    return call.describe(), orders


def leaves(arguments: tuple[Any, ...]) -> list[str]:
    return [repr(a.tolist()) for a in arrays(arguments)]


def arrays_are_writeable(arguments: tuple[Any, ...]) -> bool:
    return all(a.flags.writeable for a in arrays(arguments))


def test_every_row_left_out_is_a_row() -> None:
    texts = {case.title for rows in TABLES.values() for case in rows}
    assert [text for text in LEFT_OUT if text not in texts] == []


WEIGHTS = np.random.default_rng(0).normal(size=(4, 4))


def test_what_is_made_of_an_outside_array_keeps_its_layout():
    """BLAS rounds otherwise if it does not."""
    def function(x):
        turned = np.transpose(WEIGHTS)
        return np.dot(x, turned), turned * x

    traced = ag.function(function)
    for x in np.random.default_rng(1).normal(size=(20, 4)):
        (product, scaled), expected = traced(x), function(x)
        assert product.tobytes() == expected[0].tobytes()
        assert scaled.flags.f_contiguous == expected[1].flags.f_contiguous
