"""`ag.check` and `autograph check`: agreement, and differences that were put in on purpose."""

import itertools
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

import autograph as ag
from autograph.checking import divergence
from autograph.runtime import optimize
from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Graph
from autograph.tools import cli
from tests.support import explained_programs as programs
from tests.support.broken_kernels import broken_kernel
from tests.unit.tools import folder

ALL = ["plain", "converted", "traced", "optimised", "generated"]


@pytest.mark.parametrize(("function", "arguments"), [
    (programs.settle, (programs.GRID, 0.5)), (programs.fade, (np.ones(3),)),
    (programs.noisy, (np.ones(3),)), (programs.collatz, (np.int64(27),)),
    (programs.long, (np.ones(2),)), (programs.smooth, (np.ones(3),)),
    (programs.settle, (programs.GRID, 0.5, True))])
def test_agreement(function: Callable, arguments: tuple) -> None:
    before = [np.copy(x) for x in arguments]
    outcome = ag.check(function, *arguments)
    assert outcome, str(outcome)
    assert [came.stage for came in outcome.outcomes] == ALL
    assert all(np.array_equal(x, y) for x, y in zip(before, arguments, strict=True))


def test_state_is_put_back() -> None:
    seen: list[int] = []
    cache = np.zeros(2)

    def step(x):
        nonlocal seen
        seen = [*seen, 1]
        cache[0] += x[0]
        return x + np.random.random() + cache  # noqa: NPY002

    total = ag.Variable(np.zeros(2))
    assert ag.check(step, np.ones(2))
    assert ag.check(lambda x: total.assign_add(x).read_value() * 2, np.ones(2))
    assert (seen, total.numpy().tolist(), cache.tolist()) == ([], [0, 0], [0, 0])


GENERATOR = np.random.default_rng(1)
COUNTER = itertools.count()


def test_draws_are_put_back() -> None:
    generator = np.random.default_rng(2)

    def draws(x):
        return x + GENERATOR.normal() + generator.normal() + np.random.random()  # noqa: NPY002

    before = generator.bit_generator.state, GENERATOR.bit_generator.state
    assert ag.check(draws, np.ones(3))
    assert (generator.bit_generator.state, GENERATOR.bit_generator.state) == before


def test_what_cannot_be_put_back_is_told() -> None:
    def counts(x):
        return x + next(COUNTER)

    outcome = ag.check(counts, np.ones(2))
    assert not outcome and [o.stage for o in outcome.outcomes] == ["plain"]
    assert str(outcome).startswith("counts: two plain calls differ: the result: ")
    assert "an iterator" in str(outcome) and "  hint: " in str(outcome)


def test_wrong_arguments_name_the_function() -> None:
    with pytest.raises(TypeError, match=r"^double\(\): missing a required argument: 'x'\n"):
        ag.check(ag.function(double))


def double(x):
    return 2 * x


def test_exceptions_agree() -> None:
    def third(x):
        return x[x.argmax() + 2]

    def refuses(x):
        raise KeyError("no")

    assert ag.check(third, np.arange(9.0)[::-1])
    outcome = ag.check(third, np.arange(3.0))
    assert outcome
    assert isinstance(outcome.outcomes[-1].error, IndexError)
    assert "raises IndexError" in str(outcome)
    assert ag.check(refuses, np.ones(1))


def root(x):
    y = x * 2
    for _ in range(20):
        y = np.sqrt(y) + x
    return y - 1


def test_broken_kernel_in_a_loop() -> None:
    def halves(x):
        y = x * 1
        for _ in range(20):
            z = np.sqrt(y)
            y = z + x
        return y

    with broken_kernel("np.sqrt", lambda x: np.sqrt(x) + (x > 2)):
        outcome = ag.check(halves, np.ones(2))
    assert not outcome
    assert "converted and traced differ: the result: element [0] is" in str(outcome)
    assert ", the 3rd time: z is array([1.5537" in outcome.where
    assert "z = np.sqrt(y)\n                    ^^^^^^^^^^\n" in outcome.where
    assert "np.sqrt(y)\n  with y = array(" in outcome.where


def test_broken_kernel_inside_an_expression() -> None:
    with broken_kernel("np.sqrt", lambda x: np.sqrt(x) + 1):
        outcome = ag.check(lambda x: np.sqrt(x) * 3, np.ones(2))
    assert "interpreted array([2., 2.]), generated array([1., 1.])" in outcome.where
    assert "np.sqrt(x)" in outcome.where


def test_broken_kernel_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(divergence, "MAX_SECONDS", 0.2)
    with broken_kernel("floor_divide", lambda x, y: np.floor_divide(x, y) + 1):
        outcome = ag.check(programs.collatz.python_function, np.int64(27))
    assert "traced raises DoesNotEnd: still running after" in str(outcome)
    assert "n is np.int64(41), and np.int64(42) here" in outcome.where
    assert "floor_divide(n, 2)\n  with n = np.int64(82)" in outcome.where


def seven(graph: Graph, record: Record) -> None:
    """A pass that is wrong: it adds 7 instead of what the user adds."""
    for e in graph.walk():
        if e.op.name == "add":
            e.args = (e.args[0], 7)
            e.collect_inputs()


def test_broken_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = (*optimize.PASSES[:3], optimize.Pass("seven", seven), *optimize.PASSES[3:])
    monkeypatch.setattr(optimize, "PASSES", passes)
    outcome = ag.check(root, np.ones(2))
    assert not outcome
    assert outcome.difference.startswith("traced and optimised differ: the result: element [0] is")
    assert outcome.blamed == "seven"
    assert "  by the pass 'seven'\n" in str(outcome)
    assert "y = np.sqrt(y) + x\n                ^^^^^^^^^^^^^^" in outcome.where
    assert ", 7)\n  with " in outcome.where


def test_changed_arguments_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(x):
        x[1:] = 5.0

    with broken_kernel("setitem", lambda x, index, value: x):
        outcome = ag.check(fill, np.zeros(3))
    assert "argument x afterwards: element [1] is" in str(outcome)


CALLS: list[int] = []
COUNTS = np.zeros(2)
TOTAL = ag.Variable(0.0)


def appends(x):
    CALLS.append(1)
    return x + len(CALLS)


def counts_in_an_array(x):
    COUNTS[0] += 1
    return x + COUNTS


def appends_alone(x):
    CALLS.append(1)
    return x


def counts_in_a_variable(x):
    TOTAL.assign_add(1.0)
    return x + TOTAL


class Lazy(ag.Module):
    """Makes its variable in the first call; counts the calls of another method."""

    def __init__(self):
        self.v = None
        self.calls = 0

    def __call__(self, x):
        if self.v is None:
            self.v = ag.Variable(np.zeros(2))
        self.v.assign_add(x)
        return self.v.value()

    def counts(self, x):
        self.calls += 1
        return x + self.calls


@pytest.mark.parametrize(("function", "told"), [
    (appends, "plain and generated differ in a second call: the result: element [0] is"),
    (Lazy().counts, "plain and generated differ in a second call: the result: element [0] is"),
    (counts_in_an_array, "plain and traced differ in all calls but the first: the result"),
    (appends_alone, ""), (counts_in_a_variable, ""), (Lazy(), ""),
])
def test_second_calls_agree_or_it_is_told(function: Callable, told: str) -> None:
    outcome = ag.check(function, np.ones(2))
    assert bool(outcome) is (not told) and told in str(outcome)
    assert not told or "a trace reads Python's own state once" in outcome.where
    assert not told or ag.check(ag.function(function, effects="runtime"), np.ones(2))
    assert CALLS == [] and COUNTS.tolist() == [0, 0] and TOTAL.value() == 0


def test_functions_that_cannot_be_traced_are_told() -> None:
    def shape(n):
        return n.__array__().shape

    outcome = ag.check(shape, np.int64(3))
    assert not outcome
    assert "traced raises" in str(outcome)


PROGRAM = """\
    import sys
    import numpy as np
    import autograph as ag

    @ag.function
    def twice(x):
        print("tracing")
        return x * 2

    @ag.function
    def root(x):
        return np.sqrt(x)

    def plain(x, y=1):
        return x + y

    if __name__ == "__main__":
        print(twice(np.ones(2)), twice(np.ones(2)), sys.argv[1:])
        root(np.float64(twice(4.0)))
    """


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., folder.Said]:
    (tmp_path / "doubling.py").write_text(dedent(PROGRAM))
    (tmp_path / "failing.py").write_text("1 / 0\n")
    (tmp_path / "leaving.py").write_text("import sys\nsys.exit(3)\n")
    monkeypatch.chdir(tmp_path)
    return folder.caller(cli.main, capfdbinary.readouterr)


ROWS: list[tuple[list[str], int, str]] = [
    (["doubling.py"], 0, "twice: the same at every stage (plain, converted"),
    (["doubling.py"], 0, "root: the same"),
    (["doubling.py::root"], 0, "root: the same"),
    (["doubling.py::root", "--args", "np.ones(2)"], 0, "it gives array([1., 1.])"),
    (["doubling.py::plain", "--args", "np.ones(2)", "y=3"], 0, "it gives array([4., 4.])"),
    (["doubling.py::plain"], 2, "calls no plain: give --args"),
    (["doubling.py::nothing"], 2, "calls no nothing: give --args"),
    (["doubling.py", "--args", "1"], 2, "say which function"),
    (["none.py"], 2, "there is no file 'none.py'"),
    (["failing.py"], 1, "ZeroDivisionError: division by zero"),
    (["leaving.py"], 1, "ended with exit code 3"),
]


@pytest.mark.parametrize(("words", "code", "text"), ROWS)
def test_command(run: Callable[..., folder.Said], words: list[str], code: int, text: str) -> None:
    said = run("check", *words)
    assert (said.code, text in (said.err if code else said.out)) == (code, True), said


def test_program_prints_as_ever(run: Callable[..., folder.Said]) -> None:
    lines = run("check", "doubling.py").out.splitlines()
    assert lines[:3] == ["tracing", "[2. 2.] [2. 2.] []", "tracing"]
    assert [line.partition(":")[0] for line in lines[3:]] == ["twice", "twice", "root"]


def test_difference_is_exit_code_1(run: Callable[..., folder.Said]) -> None:
    with broken_kernel("np.sqrt", lambda x: np.sqrt(x) + 1):
        said = run("check", "doubling.py::root")
    assert said.code == 1
    assert "doubling.py:12" in said.out


def unused_index(x, n):
    q = x[n]  # noqa: F841  # nothing uses it
    return x + 1


def test_what_the_graph_leaves_out_is_no_difference() -> None:
    found = ag.check(unused_index, np.ones(2), np.int64(5))
    assert found and "raises IndexError" in found.left_out
    assert "in what nothing uses" in str(found) and "strict=True" in str(found)
    strict = ag.check(ag.function(unused_index, strict=True), np.ones(2), np.int64(5))
    assert strict and not strict.left_out and "raises IndexError" in str(strict)
