"""Names and attributes that are bound on some paths only, of which a program asks if they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.export.exported import exported_program
from autograph.runtime.ir.verifier import check
from tests.unit.export.comparing import difference
from tests.unit.export.onnx_runs import run_onnx

pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
pytest.importorskip("jax", reason="the extra jax is not installed")

from autograph.runtime.export.onnx.export import model_of
from tests.unit.export.test_jax import as_jax


class Box:
    size = 2

    def __init__(self):
        self.v = 1


def added(x):
    box = Box()
    if x > 0:
        box.extra = x
    return hasattr(box, "extra"), getattr(box, "extra", -1.0), hasattr(box, "v")


def deleted(x):
    box = Box()
    if x > 0:
        del box.v
    return hasattr(box, "v")


def read_where_it_is(x):
    box = Box()
    if x > 0:
        box.extra = x
    if hasattr(box, "extra"):
        return box.extra * 2
    return x


def added_in_a_loop(x):
    box = Box()
    for k in range(4):
        if x > k + 1:
            box.last = k * x
    return getattr(box, "last", -1.0), hasattr(box, "last")


def asked_by_a_loop(x):
    box = Box()
    n = 0
    while not hasattr(box, "done"):
        n += 1
        if n > x:
            box.done = n
    return n


def of_the_class(x):
    box = Box()
    if x > 0:
        box.size = x
    return hasattr(box, "size"), hasattr(box, "label"), box.size * 1.0


def in_branches_of_branches(x):
    box = Box()
    if x > 0:
        if x > 2:
            box.extra = x
    elif x < -1:
        box.extra = -x
    return hasattr(box, "extra"), getattr(box, "extra", 0.5)


FUNCTIONS = [added, deleted, read_where_it_is, added_in_a_loop, asked_by_a_loop, of_the_class,
             in_branches_of_branches]
XS = [np.float64(x) for x in (-2, -0.5, 0, 1.5, 3)]


@pytest.mark.parametrize("plain", FUNCTIONS)
def test_engines_know_what_is_bound(plain: Callable[..., Any]) -> None:
    function: Any = ag.function(plain)
    concrete = function.get_concrete_function(XS[0])
    check(exported_program(concrete, "ONNX").graph)
    model, g = model_of(concrete, "drop"), function.to_jax(checks="drop")
    for x in XS:
        assert not difference(plain(x), run_onnx(model, [x]))
        assert not difference(plain(x), g(*as_jax((x,))))


def test_a_read_where_the_attribute_is_there_cannot_raise() -> None:
    model_of(ag.function(read_where_it_is).get_concrete_function(XS[0]), "refuse")
