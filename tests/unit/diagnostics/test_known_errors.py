"""Errors that the trace knows: the run raises them, and their notes have the operands."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def product(x: Any, y: Any) -> Any:
    d = x - 1
    e = y * 2
    return d @ e


def sums(x: Any, y: Any) -> Any:
    t = np.exp(x)
    u = np.concatenate([t, t])
    return u + y


def on_one_path(x: Any, y: Any) -> Any:
    d = x[:2] * 2
    if x[0] > 0:
        return d + y
    return d


@pytest.mark.parametrize(("plain", "names"), [
    (product, {"d", "e"}), (sums, {"u"}), (on_one_path, {"d"})])
def test_the_frame_has_the_operands(plain: Callable[..., Any], names: set[str]) -> None:
    f = ag.function(plain)
    given = np.arange(1.0, 4.0), np.ones(4)
    with pytest.raises(ValueError) as wanted:  # NumPy's own words
        plain(*given)
    for _ in range(2):
        with pytest.raises(ValueError) as caught:  # the same
            f(*given)
        assert str(caught.value) == str(wanted.value)
        own, found = wanted.traceback[-1].frame.f_locals, caught.traceback[-1].frame.f_locals
        note = "\n".join(caught.value.__notes__)
        for name in names:
            assert np.array_equal(found[name], own[name])
            assert f"{name}: float64{own[name].shape}" in note


def of_an_axis(x: Any, table: Any) -> Any:
    return x.sum(axis=table["axis"])


def of_a_key(x: Any, table: Any) -> Any:
    return table["axes"]


def of_a_callee(x: Any, table: Any) -> Any:
    return (lambda k: table[k])("axes")


@pytest.mark.parametrize("plain", [of_an_axis, of_a_key, of_a_callee])
def test_an_error_before_anything_is_recorded_has_the_arguments(plain: Callable[..., Any]) -> None:
    f, x = ag.function(plain), np.arange(3.0)
    for _ in range(2):
        with pytest.raises((LookupError, ValueError)) as caught:
            f(x, {"axis": 1})
        frame = next(e.frame for e in caught.traceback if e.name == plain.__name__)
        assert np.array_equal(frame.f_locals["x"], x) and "ag" not in frame.f_locals
        assert "x: float64(3,)" in caught.value.__notes__[0]


def of_a_ufunc(x: Any, table: Any) -> Any:
    return np.equal.reduce(x)  # NumPy's error has another one as its context


def test_an_error_that_was_handled_around_the_call_keeps_its_frames() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", ag.FallbackWarning)
        try:
            1 / 0  # noqa: B018  # raises
        except ZeroDivisionError as around:
            with pytest.raises(TypeError, match="loop"):  # NumPy has two texts for it
                ag.function(of_a_ufunc)(np.ones((2, 3)), {})
            assert around.__traceback__ is not None


@ag.function
def item_of_roots(x: Any, k: Any) -> Any:
    m = k * 2
    y = np.sqrt(x) * m  # in the memory of x, of which nothing is left
    return y[m]


@ag.function
def of_the_first(x: Any, k: Any) -> Any:
    z = x[:3] + 1
    return item_of_roots(z, k)


def test_a_note_has_no_variable_of_the_caller_under_a_name_of_the_callee() -> None:
    with pytest.raises(IndexError) as caught:
        of_the_first(np.ones(4), np.int64(5))
    note = caught.value.__notes__[0]
    assert "in item_of_roots" in note and "y: float64(3,)" in note and "x: float64(4,)" not in note
