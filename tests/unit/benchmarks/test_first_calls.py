"""First calls: the work for each operation of a long function, counted in calls of functions."""

import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import autograph as ag
from benchmarks.first_calls import FAMILIES, HEAD
from benchmarks.latency import X, straight_line, written
from benchmarks.scaling import function_of
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
    work(kind, 240)  # what is done once for a length, and for a process
    assert (work(kind, 240) - work(kind, 40)) / 200 < MOST[kind]


CLASS = """
class Account{i}:
    def __init__(self, balance):
        self.balance, self.log = balance, []

    def move(self, other, amount):
        if self.balance > amount:
            self.balance -= amount
            other.balance += amount
        self.log.append((amount, self.balance))

    def sums(self):
        return [a + b for a, b in self.log], max(self.log, key=lambda pair: pair[1])


def f{i}(x):
    a, b = Account{i}(x[0]), Account{i}(x[1])
    a.move(b, x[2])
    return a.sums(), b.balance
"""


def calls_in_a_file_of(programs: int, folder: Path) -> int:
    f = function_of("".join(CLASS.format(i=i) for i in range(programs)) + "\n\nf = f0\n", folder)
    return calls_made(lambda: ag.function(f).get_concrete_function(X[:3].copy()))


def test_what_else_is_in_the_file_costs_little(tmp_path: Path) -> None:
    calls_in_a_file_of(1, tmp_path)
    each = (calls_in_a_file_of(101, tmp_path) - calls_in_a_file_of(1, tmp_path)) / 100
    assert each < 150  # it was 1035 while the whole file was gone through


def calls_for_objects(number: int) -> int:
    """Calls for a program with so many objects in a list, of which as many branches change one."""
    text = HEAD + FAMILIES["objects in a list"](number * 8) + "    return x\n"
    with tempfile.TemporaryDirectory() as folder:
        f = function_of(text, Path(folder))
        return calls_made(lambda: ag.function(f).get_concrete_function(X.copy()))


def test_objects_that_a_branch_leaves_as_they_are_cost_little() -> None:
    calls_for_objects(10)  # what is done once
    assert calls_for_objects(80) < 2.6 * calls_for_objects(40)  # it was 3.06 times as many
