"""Exceptions of graphs are freed at once, with the arrays that their frames hold: no cycles."""

from __future__ import annotations

import gc
import weakref
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import autograph as ag


def raises(x):
    if x[0] > 0:
        raise ValueError("positive")
    raise TypeError("not positive")


def beyond(x):
    y = x * 2
    return y[10] + x[0]


def after_a_store(x):
    x[0] = x[1] + 1
    return x[10]


def in_a_call(x):
    return beyond(x) + 1


@pytest.mark.parametrize("f", [raises, beyond, after_a_store, in_a_call])
def test_an_exception_frees_the_arguments(f: Any) -> None:
    traced = ag.function(f)

    def call() -> Any:
        x = np.ones(3)
        with suppress(ValueError, IndexError):
            traced(x)
        return weakref.ref(x)

    for _ in range(20):
        call()
    gc.disable()
    try:
        assert call()() is None
    finally:
        gc.enable()
