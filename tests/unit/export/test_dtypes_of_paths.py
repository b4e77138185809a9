"""A value of one dtype or rank on one path and of another on the other: each is computed on its
own, and comes out as what it is."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.unit.export.comparing import difference

pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("jax", reason="the extra jax is not installed")
import jax

from tests.corpus.case import Case
from tests.support.exported_programs import on_jax, on_onnx
from tests.unit.export.test_jax import as_jax


def either(c, x, y):
    return x if c > 0 else y


def computed(c, x, y):
    v = x if c > 0 else y
    return v * 2, v.sum(), v > 1


def both(c, x, y):
    v, w = (x, y) if c > 0 else (y, x)
    return v + w, v * np.float32(2)


def from_the_first_iteration_on(c, x, y):
    v = x
    while c < 2:
        v = v + y
        c = c + 1
    return v


def of_iterations(c, x, y):
    v = y
    for _ in range(3):
        if c > 0:
            v = v * x
        else:
            v = x
        c = -c
    return v


def written(c, x, y):
    v = x.copy() if c > 0 else y.copy()
    v[0] = 2.75
    return v


def of_ranks(c, x, y):
    v = x if c > 0 else y[0]
    return v + 1, v.ndim


def total_of_rows(c, x, y):
    total = 0
    for row in (x, y):
        if c > 0:
            total = total + row
        c = -c
    return total


def item(c, x, y):
    return [x, y, 7][c + 1] * 3


def asked(c, x, y):
    found = False
    if c > 0:
        found = x[1]
    return (x[0] if found else y[0]), found


def thrice(c, x, y):
    v = x if c > 0 else y
    w = y if c < 0 else v > 1
    return w * v, w


def largest(c, x, y):
    v = x if c > 0 else y
    return max(x[0], y[1]), min(x[1], y[0]), max(v[0], 3)


def largest_of_list(c, x, y):
    found = max([c, *x, *y])
    return found, found / 2


def largest_so_far(c, x, y):
    best = x[c]
    for v in y:
        best = max(best, v)
    return best


def least_row(c, x, y):
    return min(x[:1], y[1:2]), max(x[:1], y[0])


FUNCTIONS: list[Callable[..., Any]] = [
    either, computed, both, from_the_first_iteration_on, of_iterations, written, of_ranks,
    total_of_rows, item, asked, thrice, largest, largest_of_list, largest_so_far, least_row]
NUMBERS = [100, 7, 3]
PAIRS = [tuple(np.array(NUMBERS).astype(d) for d in pair)
         for pair in (("i1", "f8"), ("i8", "f4"), ("u1", "i4"))]


@pytest.mark.parametrize("target", [on_onnx, on_jax])
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0].dtype}-{pair[1].dtype}")
@pytest.mark.parametrize("plain", FUNCTIONS)
def test_each_path_has_its_dtype(plain, pair, target):
    for c in map(np.int64, (1, -1)):
        arguments = (c, *pair)
        _, (run, *_) = target(Case(plain, arguments), copy.deepcopy(arguments), "drop")
        assert not difference(plain(*copy.deepcopy(arguments)), run(), [True] * 3)


def doubled_item(c, x, y):
    v = [x[0], 0.5, y][c + 1]
    return v * 2 * np.float32([1, 2, 3])


def negative(c, x, y):
    v = -(y if c > 0 else 0.5)
    return (v if c > 5 else v * 3) * np.float32([1, 2, 3])


def of_what_may_be_none(c, x, y):
    r = 0.25 if c > 0 else 0.5 if c > -3 else None
    return r * 2 * np.float32([1, 2, 3])


@pytest.mark.parametrize("target", [on_onnx, on_jax])
@pytest.mark.parametrize("plain", [doubled_item, negative, of_what_may_be_none])
def test_what_is_computed_of_pythons_numbers_is_pythons(plain, target):
    for c in map(np.int64, (1, 0, -1)):
        arguments = (c, *PAIRS[1][:1], np.int64(3))
        _, (run, *_) = target(Case(plain, arguments), copy.deepcopy(arguments), "drop")
        assert not difference(plain(*arguments), run(), [True])


def doubled(c, x):
    h = 2 if c > 0 else 2.5
    return x * h


def times_what_may_be_an_int(c, x):
    h = 2
    if c > 0:
        h = x.mean()
    return x * h


def made_an_array(c, x):
    h = 2 if c > 0 else 2.5
    return np.array([h, h]), x


def absolute(c, x):
    h = -2 if c > 0 else 2.5
    return np.abs(h) + x


@pytest.mark.parametrize("target", [on_onnx, on_jax])
@pytest.mark.parametrize("plain", [doubled, times_what_may_be_an_int, made_an_array, absolute])
def test_an_int_of_python_is_no_float_of_its(plain, target):
    arguments = np.int64(1), np.array(NUMBERS, np.int8)
    with pytest.raises(ag.errors.ExportError, match=r"int(64| of Python's) on one path") as caught:
        target(Case(plain, arguments), arguments, "drop")[1][0]()
    assert caught.value.location is not None


@pytest.mark.parametrize("target", [on_onnx, on_jax])
@pytest.mark.parametrize("plain", [doubled, times_what_may_be_an_int])
def test_beside_floats_it_is_the_same(plain, target):
    for c in map(np.int64, (1, -1)):
        arguments = c, np.array(NUMBERS) / 4
        _, (run, *_) = target(Case(plain, arguments), copy.deepcopy(arguments), "drop")
        assert not difference(plain(*arguments), run(), [True])


def test_under_jit_one_dtype_is_wanted() -> None:
    arguments = np.int64(1), *PAIRS[0]
    with pytest.raises(ag.errors.ExportError, match="one of 2 things of unlike structure"):
        jax.jit(ag.function(either).to_jax())(*as_jax(arguments))  # type: ignore[attr-defined]


def rounded_numbers(x, y):
    return round(x[0]) * 3, round(x[1]) + x


def averages(x, y):
    return np.average(x, weights=y), np.average(y, weights=x)


def differences(x, y):
    return np.gradient(x), np.vander(x, 3), np.cov(x, y)


@pytest.mark.parametrize("target", [on_onnx, on_jax])
@pytest.mark.parametrize("pair", ["f4 i8", "u1 f4", "f4 f4", "i8 i1"])
@pytest.mark.parametrize("plain", [rounded_numbers, averages, differences])
def test_functions_of_several_operations_promote_as_numpy_does(plain, pair, target):
    one, other = pair.split()
    x, y = np.array(NUMBERS).astype(one), np.array([1, 5, 120]).astype(other)
    _, (run, *_) = target(Case(plain, ((x, y),)), (x, y), "drop")
    assert not difference(plain(x, y), run(), [True] * 3)
