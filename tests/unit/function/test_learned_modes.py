"""A trace for a call like an earlier one begins in the mode which that one's attempts came to."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.symbolic.trace_mode import RetraceRequest


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[RetraceRequest]]:
    """The request of each attempt to make a trace."""
    asked: list[RetraceRequest] = []
    next_mode = RetraceRequest.next_mode

    def noted(self: RetraceRequest, *args: Any) -> Any:
        asked.append(self)
        return next_mode(self, *args)

    monkeypatch.setattr(RetraceRequest, "next_mode", noted)
    yield asked


def queue(x):
    waiting = []
    for v in x:
        if v > 1:
            heappush(waiting, v * 2)
    total = 0.0
    while waiting:
        total += heappop(waiting)
    return total


class Node:
    def __init__(self, v, rest):
        self.v, self.rest = v, rest


def linked(x, n):
    head = None
    for i in range(n):
        if x[i % 4] > 0:
            head = Node(x[i % 4], head)
    total, at = 0.0, head
    while at is not None:
        total, at = total + at.v, at.rest
    return total


class Account:
    def __init__(self):
        self.held = {}

    @ag.function
    def pay(self, name, x):
        if x.sum() > 0:
            self.held[name] = self.held.get(name, 0.0) + x.sum()
        return len(self.held)


def remembered(n: Any, known: dict[Any, Any]) -> Any:
    """A function that calls itself, and remembers its results in what is an object of the graph."""
    if n < 2:
        return n
    if n not in known:
        known[n] = remembered(n - 1, known) + remembered(n - 2, known)
    return known[n]


def fibonacci(n: Any) -> Any:
    known: dict[Any, Any] = {}
    return remembered(n, known), len(known)


class Leaf:
    """One of a search tree."""

    def __init__(self, key: Any) -> None:
        self.key, self.left, self.right = key, None, None


def inserted(leaf: Any, key: Any) -> Any:
    """A search tree with one more key: a branch chooses from all its leaves."""
    if leaf is None:
        return Leaf(key)
    if key < leaf.key:
        leaf.left = inserted(leaf.left, key)
    elif key > leaf.key:
        leaf.right = inserted(leaf.right, key)
    return leaf


def tree(x: Any, k: Any) -> Any:
    root = None
    for key in [3, x, k, 7, x + k]:
        root = inserted(root, key)
    return root.key, root.left is None, root.right is None


X = np.array([0.5, 2.5, 1.5, -3.0])
PROGRAMS = [(queue, (X,)), (linked, (X, 40))]


def of_dtype(args: tuple[Any, ...], dtype: str) -> tuple[Any, ...]:
    return tuple(x.astype(dtype) if isinstance(x, np.ndarray) else x for x in args)


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_a_call_with_other_dtypes_takes_one_attempt(
        f: Callable[..., Any], args: tuple[Any, ...], attempts: list[RetraceRequest]) -> None:
    function = ag.function(f)
    for turn, dtype in enumerate(["f8", "f4", "i8"]):
        given = of_dtype(args, dtype)
        attempts.clear()
        result = function(*copy.deepcopy(given))
        assert len(attempts) > 1 if turn == 0 else len(attempts) == 1
        plain = f(*copy.deepcopy(given))
        assert repr(result) == repr(plain)


def test_other_sizes_take_one_attempt_unless_loops_were_too_long(
        attempts: list[RetraceRequest]) -> None:
    function = ag.function(queue)
    function(X)
    attempts.clear()
    assert function(np.ones(9) * 3) == queue(np.ones(9) * 3)
    assert len(attempts) == 1


def test_other_constants_are_traced_from_the_beginning() -> None:
    """A graph does not depend on the calls before it where it could be shorter."""
    first, second = ag.function(linked), ag.function(linked)
    first(X, 40)
    assert str(first.graph(X, 3)) == str(second.graph(X, 3))


def test_what_is_refused_in_a_learned_mode_is_traced_from_the_beginning(
        monkeypatch: pytest.MonkeyPatch) -> None:
    """The learned mode is only a guess."""
    function = ag.function(queue)
    function(X)
    tracer = function.__ag_dispatcher__.tracer
    trace_once, modes = tracer._trace_once, []

    def refused(call: Any, mode: Any, cursors: Any) -> Any:
        modes.append(mode)
        if mode is not None:
            raise ag.errors.TracingError("not in this mode")
        return trace_once(call, mode, cursors)

    monkeypatch.setattr(tracer, "_trace_once", refused)
    y = X.astype("f4")
    assert function(y) == queue(y)
    assert modes[0] is not None and modes[-1] is None


def test_state_found_by_the_first_trace_takes_one_attempt_more(
        attempts: list[RetraceRequest]) -> None:
    account = Account()
    assert account.pay("a", X) == 1
    attempts.clear()
    assert account.pay("a", X) == 1
    assert len(attempts) <= 2
    assert account.pay("a", X) == 1 and account.held == {"a": 4.5}


def test_a_function_that_calls_itself_is_found_once(attempts: list[RetraceRequest]) -> None:
    """It is known in each of its forms: in that which tells where it makes containers, too."""
    n = np.int64(7)
    assert ag.function(fibonacci)(n) == fibonacci(n)
    assert [request.recursion is not None for request in attempts].count(True) == 1
    assert any(request.containers for request in attempts)


def test_where_no_trace_could_tell_which_object_it_is_the_next_holds_them_all(
        attempts: list[RetraceRequest]) -> None:
    args = np.float64(2.5), np.int64(1)
    assert ag.function(tree)(*args) == tree(*args)
    reasons = [why.reason for request in attempts for _, why in request.containers]
    assert reasons == ["is one of more than 16 objects that branches choose from"]
