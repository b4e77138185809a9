"""The rows of the tables, on arguments of every shape and dtype, and on numbers instead of arrays.

All arguments are changed in one way, then only one of them. A part of that runs each time; all of
it, on both executors, with

    AUTOGRAPH_TESTS=1000 python -m pytest -n 2 tests/corpus/numpy/test_kinds.py
"""

from collections.abc import Iterator
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.errors import TracingError
from tests.corpus.case import Case
from tests.corpus.cases import GAPS, TABLES
from tests.corpus.numpy.kinds import KINDS, changed
from tests.support.amount import one_of
from tests.support.outcome import run

EVERY = one_of(40)
"""One call of so many is made."""

# What does not agree: why, of which rows, and for which kinds ("" for all).
LEFT_OUT: list[tuple[str, str, tuple[str, ...]]] = [
    ("it reads memory that is not the array's", "",
     ("np.lib.stride_tricks.as_strided(u, (3,), (16,))",)),
    ("x.flat is read as a copy: an index that only flatiter takes is refused", "",
     ("x.flat[k]", "x.flat[i]")),
    ("NumPy writes some elements before it raises; a graph writes all or none",
     "0-d one", ("np.put(v, [0, 1], [8, 9]); return v", "v.put([0, 1], 5); return v",
                 "np.put(x, [0, 1], v[:2]); return x, v",
                 "x.flat[[0, 1]] = w[:2]; return x, w")),
    ("what NumPy makes of a constant is a constant, which leaves the function as a copy",
     "Python number", ("np.broadcast_to(v, (2, 3))", "np.broadcast_to(s, (k, 2))")),
    ("only the run knows how many elements an array of objects has",
     "O", ("sum(x.flat)", "len(x.flat)", "list(x.flat)", "[a for a in x.flat]", "np.poly(v)",
           "[(i2, a) for i2, a in np.ndenumerate(x)]", "sum(x[i2] for i2 in np.ndindex(x.shape))",
           "np.roots(np.array([1.0, -3.0, 2.0]) * pos[0])")),
]

# Errors that are NumPy's in class only: why, and which rows.
OTHER_WORDS: list[tuple[str, tuple[str, ...]]] = [
    ("x += y of numbers is x + y", (
        "x @= q; return x", "q @= q; return q", "v @= q; return v, q", "n //= 2; return n",
        "u8[k] -= 200; return u8, k", "m[k] ^= True; return m, k")),
    ("x **= 2 is recorded as a power", ("x **= 2; return x",)),
    ("the elements of an object array are asked in another order", (
        "np.linalg.norm([v, w], axis=1)", "np.std([v, w])")),
    ("what is stored in an element is stored as by x[i, ...]", (
        "a = np.zeros(n); a[0] = s; a[-1] = 2; return a", "np.flip(x)[0] = 5; return x")),
    ("the dtype is asked about before `ddof` is", ("np.std(x, axis=0, ddof=k)",)),
    ("text times numbers has its own words without `out`", ("t *= i; return t, i",)),
    ("what is transposed is not known to be a number", ("x @ y.T", "x.T @ x", "f @ f.T")),
    ("np.matmul is recorded as the operator", (
        "np.matmul(x, y.T)", "np.matmul(x, x.T)", "np.matmul(c[0].T, x[0])",
        "o = np.zeros_like(np.matmul(x, x.T)); np.matmul(x, x.T, out=o); return o")),
]
WORDS = {text for _, texts in OTHER_WORDS for text in texts}


def cases() -> Iterator[Any]:
    """(row, its changes, the executor) for each row and executor that something is run of."""
    for table, rows in TABLES.items():
        for case in rows:
            for executor in ("python", "interpreter"):
                found = [c for c in changes(case) if f"traced: {case.name}" not in GAPS
                         and crc32(f"{executor} {c} {case.title}".encode()) % EVERY == 0]
                if found:
                    yield pytest.param(case, found, executor,
                                       id=f"{executor}: {table}: {case.title}")


def changes(case: Case) -> Iterator[tuple[str, tuple[int, ...]]]:
    """(kind, the numbers of the parameters that are changed)."""
    arrays = tuple(k for k, x in enumerate(case.arguments[0])
                   if isinstance(x, np.ndarray | np.generic))
    left_out = [kinds for _, kinds, texts in LEFT_OUT if case.title in texts]
    for number, kind in enumerate(KINDS if arrays and "" not in left_out else ()):
        if not any(kind in kinds for kinds in left_out):
            yield kind, arrays
            if len(arrays) > 1:
                yield kind, (arrays[(number + len(case.title)) % len(arrays)],)


@pytest.mark.parametrize(("case", "found", "executor"), list(cases()))
def test_kinds(case: Case, found: list[tuple[str, tuple[int, ...]]], executor: str) -> None:
    for kind, places in found:
        function = ag.function(case.function, executor=executor, strict=True)
        for number, values in enumerate(case.arguments):
            arguments = tuple(changed(kind, x, number) if k in places else x
                              for k, x in enumerate(values))
            plain, call = run(case.function, arguments), run(function, arguments)
            if plain.error is None:
                assert call.describe() == plain.describe(), (kind, places, call.told)
            else:
                assert_same_error(case.title, call.error, plain.error)


def assert_same_error(row: str, error: Any, expected: Exception) -> None:
    """Of two reasons why a call must fail, the one that is found while tracing comes first."""
    assert error is not None, f"plain Python raises {expected!r}"
    if isinstance(error, TracingError):
        assert "hint: " in str(error)
    elif row not in WORDS:
        assert (type(error), str(error)) == (type(expected), str(expected))


def test_every_row_left_out_is_a_row() -> None:
    texts = {case.title for rows in TABLES.values() for case in rows}
    assert {text for _, _, left_out in LEFT_OUT for text in left_out} | WORDS <= texts
