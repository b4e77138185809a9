"""`verify`: the first calls of each signature are also run as plain Python, and compared."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout

import numpy as np
import pytest

import autograph as ag
from autograph.checking.call_state import CallState
from autograph.checking.walk import roots_of
from tests.corpus.state.small_programs import MODES, Small, programs, verdict
from tests.support import outcome
from tests.support.amount import sample
from tests.support.broken_kernels import broken_kernel

PROGRAMS = [p for p in programs() if p.remark in ("", "while tracing")]


NOT_RESTORED = (
    "counts of a cache are the run's", "a cache that a branch clears")
"""The plain run fills a cache of functools, which nothing can put back."""

OTHER_TUPLES = (
    "a list is extended by a tuple that holds a list",
    "__iter__ and __len__ are called as often as Python calls them",
    "returned set of function", "kept: dict by function from function returned many")
"""Here `verify` takes a tuple of the caller's, what an iterator has, or a new function in several
containers, for another one."""


@pytest.mark.parametrize("program", [
    pytest.param(p, marks=[pytest.mark.xfail(strict=True, reason="verify does not restore it")]
                 if p.name in (*NOT_RESTORED, *OTHER_TUPLES) else [])
    for p in sample([p for p in PROGRAMS if not p.remark], 3)],
    ids=lambda p: p.name)
def test_right_programs_pass(program: Small) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ag.VerificationWarning)
        assert verdict(program, verify=9, **MODES["runtime"]) == "right"


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p.remark], ids=lambda p: p.name)
def test_what_happens_while_tracing_is_found(program: Small) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ag.VerificationWarning)
        found = verdict(program, verify=9)
    told = any(w.category is ag.VerificationWarning for w in caught)
    assert "VerificationError" in found or told, found


def root(x, log):
    y = x * 3
    z = np.sqrt(y)
    log.append(z[0])
    return z + 1


@pytest.mark.parametrize(("kernel", "told"), [
    (lambda x: np.sqrt(x) + 1, "the result: element [0] is np.float64(2.73"),
    (lambda x: np.sqrt(x).astype("f4"), "the result: "),
])
def test_a_wrong_kernel_is_found(kernel: Callable, told: str) -> None:
    x, log = np.ones(3), []
    with broken_kernel("np.sqrt", kernel), pytest.raises(ag.VerificationError) as raised:
        ag.function(root, verify=1, executor="interpreter")(x, log)
    text = str(raised.value)
    assert text.startswith(f"root() does something else than the plain function\n  {told}")
    assert "z = np.sqrt(y)\n" in text
    assert "  hint: " in text
    assert log == []  # as it was before the call


LOG: list[int] = []
FACTOR = [1]
DRAWS = np.random.default_rng(5)


def test_state_outside_names_the_line() -> None:
    @ag.function(verify=3)
    def step(x):
        y = x + 1
        LOG.append(3)
        return y

    LOG.clear()
    step(np.ones(2))
    with pytest.raises(ag.VerificationError) as raised:
        step(np.ones(2))
    text = str(raised.value)
    assert "  global LOG: [3, 3] against [3] in the graph" in text
    assert ": LOG.append(3)\n" in text
    assert 'effects="runtime"' in text
    assert LOG == [3]


def test_frozen_captures_are_found() -> None:
    @ag.function(verify=3)
    def scaled(x):
        return x * FACTOR[0]

    FACTOR[0] = 1
    scaled(2.0)
    FACTOR[0] = 5
    with pytest.raises(ag.VerificationError, match=r"result: .*10\.0.* against .*2\.0") as raised:
        scaled(2.0)
    assert 'captures="guard"' in str(raised.value)


@pytest.mark.parametrize(("plain", "graph", "told"), [
    (lambda x: x, lambda x: x + 0, "the object of argument x against a new ndarray"),
    (lambda x: x[1:], lambda x: x[1:].copy(), "shares memory with argument x"),
    (lambda x: [x, 1], lambda x: (x, 1), "list"),
    (lambda x: 1, lambda x: True, "1 against True"),
    (lambda x: 0.0, lambda x: -0.0, "0.0 against -0.0"),
    (lambda x: {"a": 1, "b": 2}, lambda x: {"b": 2, "a": 1}, "'a': 1"),
    (lambda x: [[1]] * 2, lambda x: [[1], [1]], "the object of the result[0] against a new list"),
    (lambda x: x.fill(2), lambda x: x.fill(3), "argument x: element [0] is"),
    (lambda x: 1 / 0, lambda x: 1, "the exception ZeroDivisionError"),
    (lambda x: [][x.size], lambda x: {}[x.size], "the exception"),
    (lambda x: np.random.rand() * 0, lambda x: 0.0, "the numbers of np.random"),  # noqa: NPY002
    (lambda x: DRAWS.random() * 0, lambda x: 0.0, "DRAWS"),
])
def test_each_kind_of_difference(plain: Callable, graph: Callable, told: str) -> None:
    decorated = ag.function(plain, verify=1)
    decorated.__ag_dispatcher__.tracer.transformed = ag.convert(graph)
    with pytest.raises(ag.VerificationError) as raised:
        decorated(np.arange(3.0))
    assert told in str(raised.value)


def test_only_the_first_calls_are_verified() -> None:
    class Probe:
        lines = 0

        def __enter__(self):
            sys.settrace(self.seen)

        def __exit__(self, *raised):
            sys.settrace(None)

        def seen(self, frame, event, arg):
            self.lines += frame.f_code is plain.__code__

    def plain(x):
        return x + 1

    function, probe = ag.function(plain, verify=2), Probe()
    with probe:
        for _ in range(20):
            function(np.ones(2))
    assert probe.lines == 2
    (concrete,) = function.__ag_dispatcher__.traces.values()
    assert function.__ag_dispatcher__.entry_point.written == (concrete,)


def test_guards_wait_for_the_verified_calls() -> None:
    function = ag.function(lambda x: x * 2, verify=30)
    for _ in range(20):
        function(1.0)
    assert function.__ag_dispatcher__.entry_point.written == ()
    for _ in range(20):
        function(1.0)
    assert len(function.__ag_dispatcher__.entry_point.written) == 1


def test_prints_and_draws_happen_once() -> None:
    @ag.function(verify=2)
    def noisy(x):
        print("traced")
        ag.print("run")
        return x + np.random.random() + DRAWS.random()  # noqa: NPY002

    def quiet(x):
        return x + np.random.random() + DRAWS.random()  # noqa: NPY002

    before = CallState(roots_of(quiet, {}))
    expected = [quiet(1.0) for _ in range(3)]
    before.put_back()
    with redirect_stdout(io.StringIO()) as out:
        assert [float(noisy(1.0)) for _ in range(3)] == expected
    assert out.getvalue().split() == ["traced", "run", "run", "run"]


def test_variables() -> None:
    total = ag.Variable(np.zeros(2))

    @ag.function(verify=3)
    def add(x):
        total.assign_add(x)
        return total.read_value()

    assert [add(np.ones(2)).tolist() for _ in range(4)] == [[1, 1], [2, 2], [3, 3], [4, 4]]


def test_nested_functions_are_plain_in_the_plain_run() -> None:
    @ag.function(verify=2)
    def inner(x):
        return np.sqrt(x)

    @ag.function(verify=2)
    def outer(x):
        return inner(x) + 1

    for _ in range(20):
        inner(np.ones(2))
    with broken_kernel("np.sqrt", lambda x: np.sqrt(x) + 1), pytest.raises(ag.VerificationError):
        ag.function(outer.python_function, verify=1, executor="interpreter")(np.ones(2))
    assert outer(np.ones(2)).tolist() == [2, 2]


class Counter:
    def __init__(self) -> None:
        self.n = 0
        self.items: list[float] = []

    @ag.function(verify=2, effects="runtime")
    def add(self, x):
        self.n += 1
        self.items.append(x.sum())
        return self


def test_methods() -> None:
    counter = Counter()
    for _ in range(4):
        assert counter.add(np.ones(2)) is counter
    assert (counter.n, counter.items) == (4, [2.0] * 4)


def numbers() -> Iterator[int]:
    yield from range(9)


@pytest.mark.parametrize(("make", "named"), [
    (numbers, "a generator"), (lambda: iter([1, 2, 3]), "a list_iterator"),
    (lambda: zip([1, 2], [3, 4], strict=True), "a zip")])
def test_what_is_read_once_is_not_verified(make: Callable, named: str) -> None:
    function = ag.function(lambda x, items: x + len(list(items)), verify=2)
    with pytest.warns(ag.VerificationWarning, match=f"argument items is {named}, which can be"):
        function(1.0, make())


def test_what_changes_by_itself_is_told() -> None:
    import time

    function = ag.function(lambda x: x + time.perf_counter_ns(), verify=1)
    with pytest.warns(ag.VerificationWarning, match="two plain calls differ: the result"):
        assert function(1.0) > 1


def test_an_exception_of_both_is_raised() -> None:
    class Own(Exception):
        def __init__(self, a, b):
            super().__init__(f"{a} {b}")
            self.a = a

    @ag.function(verify=2)
    def fails(x, log):
        log.append(1)
        if x > 1:
            raise Own(1, 2)
        return x

    log: list[int] = []
    for _ in range(3):
        with pytest.raises(Own, match="1 2"):
            fails(3.0, log)
    assert log == [1, 1, 1]
    assert fails(np.float64(0.0), log) == 0


def test_a_refusal_is_told_as_ever() -> None:
    @ag.do_not_convert
    def sign(v):
        return 1 if v > 0 else -1

    with pytest.raises(ag.errors.SymbolicValueError):
        ag.function(lambda x: sign(x) * x, verify=1)(np.array(2.0))


def test_threads() -> None:
    function = ag.function(lambda x: np.sin(x) * 2, verify=5)
    found: list[list[float]] = []

    def run() -> None:
        found.append([float(function(np.float64(k))) for k in range(40)])

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[float(np.sin(float(k)) * 2) for k in range(40)]] * 4


def test_the_switch() -> None:
    assert ag.config.verify == 0
    ag.config.verify = 2
    try:
        function = ag.function(lambda x: x + 1)
        function(1.0)
        assert next(iter(function.__ag_dispatcher__.traces.values())).unverified == 1
        never = ag.function(lambda x: x + 1, verify=0)
        never(1.0)
        assert next(iter(never.__ag_dispatcher__.traces.values())).unverified == 0
    finally:
        ag.config.verify = 0
    for wrong in (-1, "3", 2.0):
        with pytest.raises(ValueError, match="verify must be a number of calls"):
            ag.function(lambda x: x, verify=wrong)
        with pytest.raises(ValueError, match="verify must be a number of calls"):
            ag.config.verify = wrong


def test_the_environment_sets_the_switch() -> None:
    asked = [sys.executable, "-c", "import autograph as ag; print(ag.config.verify)"]
    environment = {**os.environ, "AUTOGRAPH_VERIFY": "3"}
    assert subprocess.run(asked, env=environment, capture_output=True, text=True,
                          check=True).stdout == "3\n"


def test_results_keep_their_identity() -> None:
    function = ag.function(lambda x, items: (x, items, x[1:]), verify=3)
    x, items = np.arange(3.0), [1]
    for _ in range(4):
        a, b, c = function(x, items)
        assert (a is x, b is items) == (True, True)
        assert list(outcome.shared_memory((x,), c)) == [(0, 1)]
