"""Calls that no trace can follow run as plain Python, with a warning."""

from __future__ import annotations

import functools
import itertools
import operator
import warnings
from collections.abc import Sized
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.symbolic import record


class Base:
    scale = np.array(5.0)


def computing() -> Any:
    """Returns an object of a new class, whose base has an attribute that can be changed."""
    class Computing(Base):
        def __init__(self) -> None:
            self.log: list[Any] = []

    return Computing()


def adjusted(x: Any, o: Any) -> Any:
    print("adjusted")
    o.log.append(x)
    if x > 1:
        type(o).scale = x
    return o.scale * 2


def test_the_answer_is_right_and_the_warning_comes_once(capsys: Any) -> None:
    f, o, plain = ag.function(adjusted), computing(), computing()
    values = [0.0, 3.0, 0.5, 3.0]
    with pytest.warns(ag.FallbackWarning, match="sets the attribute 'scale'") as caught:
        found = [f(np.float64(x), o) for x in values]
    assert len(caught) == 1
    assert "if x > 1:" in str(caught[0].message) and "hint: set the attribute" in str(
        caught[0].message)
    capsys.readouterr()
    assert found == [adjusted(np.float64(x), plain) for x in values]
    assert vars(o) == vars(plain)
    assert f.cache_info().traced == 0


def test_prints_are_those_of_plain_python(capsys: Any) -> None:
    f, o = ag.function(adjusted), computing()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f(np.float64(0.0), o)
        f(np.float64(2.0), o)
    assert capsys.readouterr().out == "adjusted\n" * 2


def test_a_graph_is_refused() -> None:
    f = ag.function(adjusted)
    with pytest.raises(ag.errors.TracingError, match="sets the attribute 'scale'"):
        f.graph(np.float64(0.0), computing())


def test_a_derivative_is_refused() -> None:
    x = ag.Variable(2.0)
    with ag.GradientTape(), pytest.raises(ag.errors.TracingError, match="'scale'"):
        ag.function(adjusted)(x, computing())


def test_the_warning_can_be_an_error() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", ag.FallbackWarning)
        f = ag.function(adjusted)
        for _ in range(2):
            with pytest.raises(ag.errors.TracingError, match="'scale'"):
                f(np.float64(0.0), computing())


def test_what_was_read_from_an_iterator_is_not_lost() -> None:
    @ag.function
    def f(x: Any, it: Any, o: Any) -> Any:
        return next(it) + adjusted(x, o)

    it = iter([1, 2, 3])
    with pytest.raises(ag.errors.TracingError, match="'scale'"):
        f(np.float64(0.0), it, computing())


@ag.do_not_convert
def asks(x: Any) -> int:
    return 1 if x > 1 else 0


def test_what_the_user_asks_of_a_symbolic_value_is_refused() -> None:
    with pytest.raises(ag.errors.SymbolicValueError, match="a Python bool"):
        ag.function(lambda x: asks(x))(np.float64(1.0))


def steps(x: Any, items: list[list[int]]) -> Any:
    for [item] in items:
        x = np.sin(x) + item
    return x


def test_a_trace_that_comes_to_no_end_is_given_up(monkeypatch: Any) -> None:
    monkeypatch.setattr(record, "MAX_SECONDS", 0.05)
    f, x, many = ag.function(steps), np.arange(3.0), [[k] for k in range(2000)]
    with pytest.warns(ag.FallbackWarning, match="not done after .* seconds") as caught:
        found = [f(x, many), f(x, many), f(x + 1, many[1:])]
    assert len(caught) == 1
    np.testing.assert_array_equal(found, [steps(x, many)] * 2 + [steps(x + 1, many[1:])])
    assert f.cache_info().traced == 0
    f.get_concrete_function(x, many)  # it takes the time that it takes
    np.testing.assert_array_equal(f(x, many), steps(x, many))
    assert f.cache_info().traced == 1


def test_a_trace_that_records_nothing_is_given_up(monkeypatch: Any) -> None:
    monkeypatch.setattr(record, "MAX_SECONDS", 0.05)

    def last(x: Any) -> Any:
        return x + list(map(str, (int(x.ndim) + i for i in range(200_000))))[-1].count("9")

    with pytest.warns(ag.FallbackWarning, match="not done after .* seconds"):
        assert ag.function(last)(np.float64(1.0)) == 6.0


def test_a_function_that_calls_a_decorated_one_is_undone_completely() -> None:
    inner = ag.function(lambda x: x + 1)

    def outer(x: Any, o: Any) -> Any:
        return inner(adjusted(x, o)) + operator.itemgetter("a")({"a": x})

    f = ag.function(outer)
    with pytest.warns(ag.FallbackWarning, match="'scale'"):
        assert f(np.float64(3.0), computing()) == outer(np.float64(3.0), computing())


@functools.lru_cache
def scaled(v: int) -> int:
    return 3 * v


def adjusted_by_cache(x: Any, o: Any, known: bool) -> Any:
    factor = scaled(2) if known else 6
    return adjusted(x, o) * (factor + scaled(int(x) + 1))


def test_a_cache_that_no_trace_filled_is_undone_completely() -> None:
    f = ag.function(adjusted_by_cache)
    with pytest.warns(ag.FallbackWarning, match="'scale'"):
        assert f(np.float64(3.0), computing(), False) == 108


def test_what_a_trace_left_in_a_cache_is_not_undone() -> None:
    scaled.cache_clear()
    with pytest.raises(ag.errors.TracingError, match="'scale'"):
        ag.function(adjusted_by_cache)(np.float64(3.0), computing(), True)


class Tree:
    def fit(self, y: Any) -> None:
        self.root = self.build(y)

    def build(self, y: Any, depth: int = 0) -> Any:
        v = self.criterion(y)  # type: ignore[attr-defined]
        return (self.build(y[:2], depth + 1), v) if v > 0.1 and depth < 2 else v

    def variance(self, y: Any) -> Any:
        return np.var(y)


class Explicit(Tree):
    def fit(self, y: Any) -> None:
        self.criterion = self.variance
        super(Explicit, self).fit(y)  # noqa: UP008


class Bare(Tree):
    def fit(self, y: Any) -> None:
        self.criterion = self.variance
        super().fit(y)


@pytest.mark.parametrize("cls", [Explicit, Bare])
def test_super_of_an_object_that_only_the_run_knows(cls: Any) -> None:
    fit, ours, plain = ag.function(cls.fit), cls(), cls()
    with pytest.warns(ag.FallbackWarning, match="object that only the run knows"):
        fit(ours, np.arange(4.0))
    plain.fit(np.arange(4.0))
    assert ours.root == plain.root


class Length(NamedTuple):
    value: Any


class Kept(Sized):
    def __init__(self, x: Any) -> None:
        self.x = x

    def __len__(self) -> int:
        return 1


ONES = itertools.repeat(1)


def of_a_named_tuple(x: Any) -> Any:
    return "%s".strip() % Length(x)


def of_an_abstract_class(x: Any) -> Any:
    return "%s".strip() % Kept(x).x


def by_an_endless_iterator(x: Any) -> Any:
    return [x + y for y in itertools.islice(ONES, 2)] if x > 0 else []


@pytest.mark.parametrize("function", [of_a_named_tuple, of_an_abstract_class,
                                      by_an_endless_iterator])
def test_what_holds_nothing_that_changes_is_no_reason_to_refuse(function: Any) -> None:
    f = ag.function(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ag.FallbackWarning)
        for x in (2.5, -1.0, 4.0):
            assert f(np.float64(x)) == function(np.float64(x))
