"""Dicts, ranges and lists that are looked up, sorted or split by what only the run knows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.unit.export.comparing import difference
from tests.unit.export.onnx_runs import run_onnx

pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
pytest.importorskip("jax", reason="the extra jax is not installed")

from autograph.runtime.export.onnx.export import model_of
from tests.unit.export.test_jax import as_jax


def members(n, x):
    return (n in {1: 2, 3: 4}, n in range(2, 9, 3), n in [1, None, "a"], n in {1, 2},
            (n, 1) in [(3, 1), (2, 1.0)], 5 in range(n, 10), x[0] in range(n, 10), n in ("a", None))


def entries(n, x):
    by_number, by_pair = {1: x[0], 3: x[1], 5.0: x[2]}, {(0, 1): x[0], (2, 3): x[1]}
    return by_number[n] if n != 2 else 0.0, by_pair[(n - 1, n)] if n in (1, 3) else -1.0


def characters(n, x):
    return "abcdef"[n], range(10, 0, -2)[n - 1], [("low", 1.5), ("high", 2.5)][n % 2]


def memo(n, x):
    made = {}
    if x[0] > 2:
        made[1] = x[0]
    if 1 not in made:
        made[1] = x[1] * n
    return made[1]


def unpacked(n, x):
    first, *rest = x
    a, *b, c = [v * n for v in x]
    return first, rest, a, b, c


def in_order(n, x):
    pairs = [(x[i] % 2, x[i], i) for i in range(4)]
    return (sorted(x, key=lambda v: -v), sorted(pairs, key=lambda p: (p[0], -p[1]), reverse=True),
            sorted(["a", "b", "c", "d"], key=lambda name: x["abcd".index(name)]))


def best(n, x):
    return (min(range(4), key=lambda i: x[i]), max([(x[0], 1), (x[1], 2)]),
            min([(x[2], x[0]), (x[3], x[1])]))


def all_and_any(n, x):
    return all(x > 0), any(x > 1), all(v > -3 for v in x), float(x[0] * 2).is_integer()


def fraction(n, x):
    return math.modf(x[0])


def sorted_in_place(n, x):
    made = list(x)
    made.sort(reverse=True)
    return made[0], made


def ended_by_a_flag(n, x):
    def small():
        for v in x:
            if v > 3:
                return
            yield v
    return [v * 2.0 for v in small()]


FUNCTIONS = [members, entries, characters, memo, unpacked, in_order, best, all_and_any, fraction,
             sorted_in_place, ended_by_a_flag]
NUMBERS = [np.int64(n) for n in (1, 2, 3)]
XS = [np.array(x) for x in ([1.5, -2, 3.25, 0], [5.0, 2, -2, -2], [2.0, -1.5, 2, 4])]


def told(engine: str, function: Any, n: Any, x: Any) -> Callable[[Any, Any], Any]:
    """Returns what runs a function on an engine, without errors."""
    if engine == "onnx":
        model = model_of(function.get_concrete_function(n, x), "drop")
        return lambda n, x: run_onnx(model, [n, x])
    run = function.to_jax(checks="drop")
    return lambda n, x: run(*as_jax((n, x)))


@pytest.mark.parametrize("engine", ["onnx", "jax"])
@pytest.mark.parametrize("plain", FUNCTIONS)
def test_engines_give_what_python_gives(plain: Callable[..., Any], engine: str) -> None:
    run = told(engine, ag.function(plain), NUMBERS[0], XS[0])
    for n in NUMBERS:
        for x in XS:
            assert not difference(plain(n, x), run(n, x))


def parts_of_lists(n, x):
    xs = [x[0], x[1] * 2, x[2] - 1, 3.5]
    grown = []
    for v in x:
        if v > -3:
            grown.append((v, v + 1))  # noqa: PERF401
    return xs[:n], xs[n:], xs[-n:], grown, max(v for v in x if v > -3)


def sorted_list(n, x):
    grown = []
    for v in x:
        if v > -3:
            grown.append((v, v + 1))  # noqa: PERF401
    grown.sort(key=lambda pair: (pair[1], pair[0]))
    return grown


def unpacked_list(n, x):
    first, *rest = [v * n for v in x if v > -3]
    return first, rest


def run_lengths(n, x):
    values, lengths, seen = [], [], []
    for v in x:
        if values and values[-1] == v:
            lengths[-1] += n
        else:
            values.append(v)
            lengths.append(1)
        if (v, n) not in seen:
            seen.append((v, n))
    return values, lengths, seen


@pytest.mark.parametrize("plain", [parts_of_lists, run_lengths, sorted_list, unpacked_list])
def test_lists_of_a_length_that_the_run_knows(plain: Callable[..., Any]) -> None:
    run = told("onnx", ag.function(plain), NUMBERS[0], XS[0])
    for n in NUMBERS:
        for x in XS:
            assert not difference(plain(n, x), run(n, x))


@pytest.mark.parametrize("x", [[np.nan, 2.0, 1], [2.0, np.nan, 3], [1.0, -1, -1]])
def test_the_extremes_of_a_list_with_nan_are_pythons(x: list[float]) -> None:
    def extremes(x):
        xs = [v for v in x if v != 1]
        return max(xs), min(xs)

    model = model_of(ag.function(extremes).get_concrete_function(np.array(x)), "drop")
    assert not difference(extremes(np.array(x)), run_onnx(model, [np.array(x)]))


@pytest.mark.parametrize("x", [[np.nan, 1, -np.inf, 0], [np.nan, 1, np.nan, 1], [3, 1, 3], []])
def test_distinct_elements_where_some_are_nan(x: list[float]) -> None:
    def distinct(x):
        return np.unique(x, return_index=True, return_inverse=True, return_counts=True)

    given = np.array(x, float)
    model = model_of(ag.function(distinct).get_concrete_function(given), "drop")
    assert not difference(distinct(given), run_onnx(model, [given]))


@pytest.mark.parametrize("shape", [(0,), (3,), (0, 2), (2, 3)])
def test_extremes_with_a_start_of_what_may_be_empty(shape: tuple[int, ...]) -> None:
    def extremes(x):
        return x.max(axis=-1, initial=-1.0), np.min(x, axis=0, initial=5.0), x.sum(initial=2.0)

    x = np.arange(np.prod(shape, dtype=int)).reshape(shape) * 2.0
    spec = ag.TensorSpec((None,) * len(shape), np.float64)
    model = model_of(ag.function(extremes).get_concrete_function(spec), "drop")
    assert not difference(extremes(x), run_onnx(model, [x]))


def test_dicts_whose_keys_are_no_texts() -> None:
    def by_pairs(x):
        return {(0, 1): x[0], 2: [x[1], None]}, {"output": x[0]}, {"a": {"items": x}}

    x = np.arange(3.0)
    model = model_of(ag.function(by_pairs).get_concrete_function(x))
    found = run_onnx(model, [x])
    assert [list(part) for part in found] == [[(0, 1), 2], ["output"], ["a"]]
    assert not difference(by_pairs(x), found)


def test_what_raises_in_python_is_refused() -> None:
    @ag.function
    def looked_up(n, x):
        return {1: x[0], 2: x[1]}[n]

    concrete = looked_up.get_concrete_function(NUMBERS[0], XS[0])
    with pytest.raises(ag.errors.ExportError, match="cannot raise"):
        model_of(concrete, "refuse")
