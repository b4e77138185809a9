"""Saved functions that raise near a handler, and that look methods up."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.serialize.save import dumps, loads


def checked(x):
    if x[0] < 0:
        raise ValueError(f"negative: {x[0]}")
    return np.sqrt(x)


def raised_outside_the_block(x, i):
    y = checked(x)
    try:
        y = y * 2 + 1
    finally:
        done = len(y)
    return y, x[i], done


def raised_inside(x):
    try:
        return checked(x)
    except ValueError:
        return x


def derived_outside_and_raised_inside(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(np.linalg.solve(np.diag(x), x))
    try:
        return tape.gradient(y, x)
    except np.linalg.LinAlgError:
        return x


def written_in_a_recursion(x, n):
    if n <= 0:
        if x[0] > 5:
            raise OverflowError("too large")
        return x
    x[0] = x[0] * 2
    return written_in_a_recursion(x, n - 1)


def test_a_line_that_raises_outside_all_handlers_is_saved() -> None:
    x = np.array([4.0, 9.0])
    loaded = loads(dumps(ag.function(raised_outside_the_block), (x, np.int64(0))))
    for args in ((x, np.int64(1)), (-x, np.int64(0)), (x, np.int64(7))):
        assert outcome_of(loaded, *args) == outcome_of(raised_outside_the_block, *args)


def outcome_of(f: Any, *args: Any) -> str:
    try:
        return repr(f(*args))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("function", [raised_inside, derived_outside_and_raised_inside])
def test_a_line_that_raises_under_a_handler_is_refused(function: Any) -> None:
    with pytest.raises(ag.errors.SaveError, match=r"its handler(.|\n)*, in (checked|derived)"):
        dumps(ag.function(function), (np.ones(2),))


def test_a_saved_call_that_raises_leaves_its_arguments_as_they_were() -> None:
    loaded = loads(dumps(ag.function(written_in_a_recursion), (np.ones(2), np.int64(3))))
    x = np.ones(2)
    assert loaded(x, np.int64(2)) is x
    assert x[0] == 4
    with pytest.raises(OverflowError):
        loaded(x, np.int64(2))
    assert x[0] == 4
    assert dumps(loaded) == dumps(loads(dumps(loaded)))


def grouped(keys, values):
    groups = {}
    for k, v in zip(keys, values, strict=True):
        groups.setdefault(int(k), [])
        append = groups[int(k)].append
        append(float(v))
    return groups


def test_a_method_that_is_looked_up_and_called_is_one_call_of_it() -> None:
    args = np.array([1, 2, 1]), np.array([0.5, 1.5, 2.5])
    data = dumps(ag.function(grouped), args)
    assert loads(data)(*args) == grouped(*args) and dumps(loads(data)) == data
    assert b"getattr_" not in data


def with_a_cache(x, n):
    @functools.cache
    def scaled(a, by=1.0):
        return x[a] * by

    return scaled(n) + scaled(n, by=2.0) + scaled(n), scaled.cache_info()[:2]


def test_a_cache_that_the_function_makes_is_in_the_file() -> None:
    x, n = np.array([1.0, 2.0]), np.int64(1)
    data = dumps(ag.function(with_a_cache), (x, n))
    for k in (n, np.int64(0)):
        assert repr(loads(data)(x + 3, k)) == repr(with_a_cache(x + 3, k))
    assert dumps(loads(data)) == data


def test_methods_that_nothing_replaces_are_called_in_the_loaded_function_too():
    def swapped(x, n):
        return x.byteswap(), x.astype(">f4").byteswap(), n.bit_count()

    x, n = np.array([1.5, -2.0]), np.int64(13)
    loaded = loads(dumps(ag.function(swapped), (x, n)))
    assert repr(loaded(x, n)) == repr(swapped(x, n))


def test_a_function_among_the_arguments_is_refused_by_its_name():
    def applied(f, x):
        return f(x)

    with pytest.raises(ag.errors.SaveError, match="checked' cannot be saved"):
        dumps(ag.function(applied), (checked, np.ones(2)))
