"""An error of a graph holds what the plain function's does: names and objects, of which Python
makes "Did you mean", and objects with values that the run computes."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

LENGTH = 3


class Layer:
    def __init__(self, weights: Any) -> None:
        self.weights = weights


class Failed(Exception):
    pass


def of_an_array(x: Any, layer: Any) -> Any:
    return x.argmx()


def of_a_computed_array(x: Any, layer: Any) -> Any:
    y = x + 1
    return y.argmx()


def of_a_module(x: Any, layer: Any) -> Any:
    return np.summ(x)


def of_an_object(x: Any, layer: Any) -> Any:
    return x * layer.wieghts


def of_a_new_object(x: Any, layer: Any) -> Any:
    return Layer(x * 2).wieghts


def of_one_path(x: Any, layer: Any) -> Any:
    if x.sum() > 100:
        return x
    return x * layer.wieghts


def of_a_global(x: Any, layer: Any) -> Any:
    return x * LENGHT  # type: ignore[name-defined]  # noqa: F821


def of_a_variable(x: Any, layer: Any) -> Any:
    lenght = 3  # noqa: F841
    return x * lenth  # type: ignore[name-defined]  # noqa: F821


def of_an_import(x: Any, layer: Any) -> Any:
    from numpy import sqtr  # type: ignore[attr-defined]
    return sqtr(x)


SLIPS = [of_an_array, of_a_computed_array, of_a_module, of_an_object, of_a_new_object, of_one_path,
         of_a_global, of_a_variable, of_an_import]


def error_of(f: Callable[..., Any], *args: Any) -> BaseException:
    with pytest.raises((AttributeError, NameError, ImportError, Failed)) as caught:
        f(*args)
    return caught.value


@pytest.mark.parametrize("plain", SLIPS)
def test_python_has_what_it_makes_did_you_mean_of(plain: Callable[..., Any]) -> None:
    f = ag.function(plain)
    for k in range(2):
        args = np.arange(3.0) + k, Layer(np.ones(3) * k)
        wanted, found = error_of(plain, *args), error_of(f, *args)
        for name in ("name", "path", "name_from"):
            assert getattr(found, name, None) == getattr(wanted, name, None)
        assert_same(getattr(found, "obj", None), getattr(wanted, "obj", None))
        texts = ["".join(traceback.format_exception_only(e)).splitlines()[0]
                 for e in (wanted, found)]
        assert texts[0] == texts[1]


def assert_same(found: Any, wanted: Any) -> None:
    assert type(found) is type(wanted)
    if isinstance(wanted, Layer):
        assert_same(found.weights, wanted.weights)
    elif isinstance(wanted, np.ndarray):
        np.testing.assert_array_equal(found, wanted)
    else:
        assert found is wanted


def with_a_new_object(x: Any, layer: Any) -> Any:
    raise Failed(Layer(x + 1))


def with_a_new_object_as_attribute(x: Any, layer: Any) -> Any:
    error = Failed("no")
    error.layer = Layer(x + 1)  # type: ignore[attr-defined]
    raise error


def with_a_new_object_on_one_path(x: Any, layer: Any) -> Any:
    if x.sum() > 100:
        return x
    raise Failed([Layer(x + 1)])


@pytest.mark.parametrize("plain", [with_a_new_object, with_a_new_object_as_attribute,
                                   with_a_new_object_on_one_path])
def test_objects_in_an_error_hold_what_the_run_computed(plain: Callable[..., Any]) -> None:
    f = ag.function(plain)
    for k in range(2):
        error = error_of(f, np.arange(3.0) + k, None)
        held = getattr(error, "layer", error.args[0])
        layer = held[0] if isinstance(held, list) else held
        np.testing.assert_array_equal(layer.weights, np.arange(3.0) + k + 1)
