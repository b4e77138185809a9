"""A function whose traces serve one call each runs other such calls as plain Python."""

import warnings
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.function import retracing


class Stack:
    def __init__(self) -> None:
        self.items: list[Any] = []


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retracing, "UNUSED", 8)


def called(f: Any, values: Any) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ag.RetracingWarning)
        return [f(x) for x in values]


def test_other_calls_run_as_plain_python() -> None:
    f = ag.function(lambda n: n * n)
    assert called(f, range(40)) == [n * n for n in range(40)]
    assert f.cache_info().traced == 8


def test_a_call_that_comes_again_gets_a_trace() -> None:
    f = ag.function(lambda n: n * n)
    called(f, range(20))
    assert called(f, [15, 15, 15]) == [225] * 3
    assert f.cache_info().traced == 9


def test_traces_that_are_used_pay_for_others() -> None:
    f = ag.function(lambda x: x.sum())
    for n in range(20):
        called(f, [np.ones(n)] * 3)
    assert f.cache_info().traced == 20


def test_traces_of_calls_that_came_again_and_are_not_used_get_rare() -> None:
    f = ag.function(lambda n: n * n, max_traces=1)
    assert called(f, [*range(20)] * 40) == [n * n for n in range(20)] * 40
    assert 8 < f.cache_info().traced < 100


@pytest.mark.parametrize("effects", ["trace", "runtime"])
def test_effects_on_arguments_are_exact(effects: Any) -> None:
    @ag.function(effects=effects)
    def push(stack, x):
        stack.items.append(x)
        return len(stack.items)

    stack = Stack()
    assert called(lambda x: push(stack, x), [*range(20)] * 3) == [*range(1, 61)]
    assert stack.items == [*range(20)] * 3


def test_there_is_a_warning() -> None:
    f = ag.function(lambda n: n * n)
    with pytest.warns(ag.RetracingWarning, match="hardly one was used again"):
        for n in range(12):
            f(n)


def test_asked_graphs_and_verified_calls_are_traced() -> None:
    f = ag.function(lambda n: n * n)
    called(f, range(20))
    assert f.get_concrete_function(30)(30) == 900
    g = ag.function(lambda n: n * n, verify=100)
    called(g, range(20))
    assert g.cache_info().traced == 20


def test_a_tape_follows_such_calls() -> None:
    f = ag.function(lambda x, n: x * n)
    x = np.array([2.0])
    called(lambda n: f(x, n), range(20))
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = f(x, 30)
    assert tape.gradient(y, x) == [30.0]


def test_what_is_used_already_is_no_remedy() -> None:
    @ag.function(reduce_retracing=True)
    def f(x: Any, text: str) -> Any:
        return x * len(text)

    with pytest.warns(ag.RetracingWarning) as told:
        for n in range(60):
            f(np.ones((1,) * (n % 20)), "x" * (n + 1))
    assert told and "reduce_retracing" not in "".join(str(w.message) for w in told)
