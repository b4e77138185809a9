"""Errors that the trace knows: the run raises them, and their notes have the operands."""

from __future__ import annotations

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
