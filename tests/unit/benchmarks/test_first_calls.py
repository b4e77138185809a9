"""First calls: the work for each operation of a long function, counted in calls of functions."""

import itertools
from collections.abc import Iterator

import pytest

import autograph as ag
from benchmarks.latency import X, straight_line, written
from tests.support.work_done import calls_made

SERIAL = itertools.count(9_000_000)

MOST = {"products": 125, "ufuncs": 130, "stores": 275, "slices": 305, "mixed": 165}
"""By the kind of lines: so many calls for each operation, a tenth more than were counted."""


@pytest.fixture(autouse=True)
def as_users() -> Iterator[None]:
    """Graphs are not checked meanwhile."""
    ag.config.check_graphs(False)
    yield
    ag.config.check_graphs(True)


def work(kind: str, operations: int) -> int:
    function = written(straight_line(operations, kind), next(SERIAL))
    return calls_made(lambda: ag.function(function).get_concrete_function(X.copy()))


@pytest.mark.parametrize("kind", MOST)
def test_an_operation_takes_few_calls(kind: str) -> None:
    work(kind, 40)
    assert (work(kind, 240) - work(kind, 40)) / 200 < MOST[kind]
