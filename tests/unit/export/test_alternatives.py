"""What is one of several things, as the run decides: None or a number, texts, lists of lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.unit.export.comparing import difference
from tests.unit.export.onnx_runs import run_onnx

pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
pytest.importorskip("jax", reason="the extra jax is not installed")
import jax

from autograph.runtime.export.onnx.export import model_of
from tests.unit.export.test_jax import as_jax


def least_above_zero(x):
    best = None
    for v in x:
        if v > 0:
            if best is None or v < best:
                best = v
    if best is not None:
        return best * 2
    return None


def labelled(x):
    size = "big" if x.sum() > 1 else "small"
    if size == "big":
        return x + 1, size
    return x, size


def picked(x):
    out = []
    for i in range(3):
        if x[i] > 0:
            out += [x[i]]
    return len(out), out


def two_sum(x):
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            if x[i] + x[j] == 3:
                return i, j
    return None


def first_above_one(x):
    found = None
    i = 0
    while i < len(x):
        if x[i] > 1:
            found = i
            break
        i += 1
    if found is None:
        return x * 0
    return x * found


def of_three_structures(x):
    r = None
    if x[0] > 0:
        r = (x[0], "pos")
    elif x[1] > 0:
        r = x[1]
    if r is None:
        return 0.0
    return r


def mean_of_positive(x):
    kept = []
    for v in x:
        if v > 0:
            kept += [v]
    return sum(kept) / len(kept) if kept else 0.0


def named_steps(x):
    mode, total = "up", 0.0
    for v in x:
        if mode == "up":
            total = total + v
            mode = "down" if v > 1 else "up"
        else:
            total = total - v
            mode = "up"
    return total, mode


def not_none_first(x):
    found = x[0] if x[0] > 0 else None
    if not found is None:  # noqa: E714
        found = found + 1
    return -1.0 if found is None else found * found


def looped_over(x):
    rows = [x, x * 2] if x[0] > 0 else [x]
    total = 0.0
    for row in rows:
        total = total + row.sum()
    return total


def relabelled(x):
    items = list(x)
    items[np.argmax(x)] = "top"
    return items


FUNCTIONS: list[Callable[..., Any]] = [
    least_above_zero, labelled, picked, two_sum, first_above_one, of_three_structures,
    mean_of_positive, named_steps, not_none_first, looped_over,
    relabelled]
XS = [np.array(x) for x in (
    [0.0, 1.0, 2.0], [-1.0, 2.0, 0.5], [-1.0, -2.0, -3.0], [0.0, 0.0, 3.0], [5.0, 1.0, 3.0])]


@pytest.mark.parametrize("checks", ["refuse", "drop"])
@pytest.mark.parametrize("plain", FUNCTIONS)
def test_each_thing_is_what_the_run_selects(plain: Callable[..., Any], checks: str) -> None:
    function: Any = ag.function(plain)
    model = model_of(function.get_concrete_function(XS[0]), checks)
    g = function.to_jax(checks=checks)
    for x in XS:
        for reference in (False, True):
            assert not difference(plain(x), run_onnx(model, [x], reference))
        assert not difference(plain(x), g(*as_jax((x,))))


def test_a_result_of_unlike_structure_is_refused_under_jit() -> None:
    g = ag.function(two_sum).to_jax()  # type: ignore[attr-defined]
    with pytest.raises(ag.errors.ExportError, match="one of 2 things of unlike structure"):
        jax.jit(g)(*as_jax((XS[0],)))
    inside = jax.jit(ag.function(first_above_one).to_jax())  # type: ignore[attr-defined]
    assert not difference(first_above_one(XS[4]), inside(*as_jax((XS[4],))))


def none_may_be_added(x):
    found = None
    if x[0] > 0:
        found = x[0]
    return found + 1


def grown(x):
    kept = []
    for v in x:
        if v > 0:
            kept += [v]
    return kept


def test_what_may_raise_or_is_too_much_is_refused() -> None:
    function: Any = ag.function(none_may_be_added)
    for export in (lambda: ag.export_onnx(None, function, XS[0]),
                   lambda: function.to_jax()(*as_jax((XS[0],)))):
        with pytest.raises(ag.errors.ExportError, match="cannot raise Python's exceptions"):
            export()
    assert function.to_jax(checks="drop")(*as_jax((XS[4],))) == 6.0
    with pytest.raises(ag.errors.ExportError, match=r"do not settle|more than"):
        ag.function(grown).to_jax()(*as_jax((np.ones(200),)))  # type: ignore[attr-defined]


def merged(x):
    named = {"p": x[0], "q": x[1]}
    others = {"q": x[2]} if x[0] > 0 else {"z": x[1]}
    return {**named, **others}["q"], tuple(others.values())


def test_dicts_of_unlike_keys_may_be_merged() -> None:
    function: Any = ag.function(merged)
    model = model_of(function.get_concrete_function(XS[0]), "drop")
    g = function.to_jax(checks="drop")
    for x in XS:
        assert not difference(merged(x), run_onnx(model, [x], False))
        assert not difference(merged(x), g(*as_jax((x,))))
