# ruff: noqa: PERF401, PERF402, RUF005  # programs as users write them
"""Lists whose length only the run knows, in ONNX: one array for each leaf of their items."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.unit.export.comparing import difference
from tests.unit.export.onnx_runs import run_onnx

pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
from autograph.runtime.export.onnx.export import model_of

X, NONE, MIXED = np.array([3.0, 1.0, 2.0]), np.array([-1.0, -2.0, -3.0]), np.array([1.0, -1.0, 4.0])


def path(n):
    made = [n]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        made.append(n)
    return made, len(made), sum(made), made[-1], made[len(made) // 2]


def positive(x):
    made = []
    for v in x:
        if v > 0:
            made.append(v * 2)
    return made, len(made), np.array(made), made[1:], made[:-1]


def powers(n, x):
    made = [x]
    for _ in range(n):
        made.append(made[-1] * 0.5)
    return np.stack(made), np.concatenate(made), np.stack(made, axis=1), np.mean(made, axis=0)


def pairs(x):
    made = [(0, 0.0)]
    for k in range(len(x)):
        if x[k] > 0:
            made.append((k, x[k]))
            made.append((k + 1, -x[k]))
    total = 0.0
    while made:
        k, v = made.pop()
        total = total + k * v
    return total


def halves(n):
    """A list that is longer and shorter in turn."""
    todo, done = [n], 0
    while todo:
        k = todo.pop()
        done += 1
        if k > 1:
            todo.append(k // 2)
            todo.append(k - k // 2)
    return done


def any_item(n):
    made = [7, 8]
    for k in range(n):
        made.append(k)
    first = made.pop(0)
    middle = made.pop(n // 2)
    return first, middle, made


def weak(x):
    """Items that are Python's floats leave a float32 as it is."""
    scales = [0.5]
    for v in x:
        if v > 0:
            scales.append(2.0)
    return x * scales[-1], x * scales.pop()


def chosen(x):
    """On one path a list in other things, on the other a number."""
    if x.sum() > 3:
        return x[0], {"k": [v for v in x if v > 1]}
    return 0


CALLS = [(chosen, (X,)), (chosen, (NONE,)), (path, (np.int64(7),)), (path, (np.int64(1),)),
         (positive, (X,)), (positive, (MIXED,)), (powers, (np.int64(3), X)),
         (powers, (np.int64(0), X)), (pairs, (MIXED,)), (pairs, (NONE,)), (halves, (np.int64(11),)),
         (any_item, (np.int64(3),)),
         (weak, (MIXED.astype(np.float32),)), (weak, (NONE.astype(np.float32),))]


@pytest.mark.parametrize("reference", [False, True])
@pytest.mark.parametrize(("f", "arguments"), CALLS)
def test_the_model_gives_what_the_function_gives(f: Any, arguments: Any, reference: bool) -> None:
    concrete = ag.function(f).get_concrete_function(*arguments)
    found = run_onnx(model_of(concrete, "drop"), list(arguments), reference)
    assert difference(f(*copy.deepcopy(arguments)), found) == ""


def test_an_empty_list_has_the_dtype_of_its_items() -> None:
    concrete = ag.function(positive).get_concrete_function(NONE)
    made, count, array, *_ = run_onnx(model_of(concrete, "drop"), [NONE])
    assert (made, count, array.shape, array.dtype) == ([], 0, (0,), np.float64)


def image(x):
    made = []
    for i in range(30):
        row = []
        for j in range(30):
            if x[0] > j:
                row.append(max(0.0, float(x[0] * i)))
            else:
                row.append(0.0)
        made.append(row)
    return np.array(made)


def test_lists_of_lists_have_the_dtype_of_their_items() -> None:
    concrete = ag.function(image).get_concrete_function(X)
    assert difference(image(X), run_onnx(model_of(concrete, "drop"), [X])) == ""


def growing(x):
    made = []
    for k in range(len(x)):
        if x[k] > 0:
            made.append(x[:k + 1])
    return made


def added(x):
    made = []
    for v in x:
        if v > 0:
            made.append(v)
    return made + [1.0], made * 2


def text(x):
    made = []
    for v in x:
        if v > 0:
            made.append("a")
    return len(made)


def of_two_dtypes(x):
    made = [1]
    for v in x:
        if v > 0:
            made.append(np.int8(v))
    return made


def of_two_ranks(x):
    made = []
    for v in x:
        if v > 0:
            made.append(x)
        made.append(v)
    return made


def of_two_lists(x):
    numbers, signs = [], []
    for v in x:
        if v > 0:
            numbers.append(v)
            signs.append(v > 1)
    return numbers + signs


@pytest.mark.parametrize(("f", "said"), [
    (of_two_dtypes, "only the run knows are of dtype int64 and int8"),
    (of_two_ranks, "only the run knows are arrays of 1 and 0 dimensions"),
    (of_two_lists, "only the run knows are of dtype float64 and bool"),
    (growing, "arrays whose shapes differ"), (added, "length only the run knows"),
    (text, "a str")])
def test_others_are_refused_with_the_line(f: Any, said: str) -> None:
    with pytest.raises(ag.errors.ExportError, match=said) as refused:
        model_of(ag.function(f).get_concrete_function(X), "drop")
    assert f"in {f.__name__}" in str(refused.value)
