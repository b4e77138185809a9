"""What `MappingProxyType` shows is taken from outside like the items of a dict."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from numpy import dot  # since NumPy 2.4 it has a signature, with a view of its parameters

import autograph as ag

ITEMS: dict[str, Any] = {}
VIEW = MappingProxyType(ITEMS)
CONSTANTS = MappingProxyType({"gravity": 9.81, "of a list": [1.0, 2.0]})


class Model:
    options = VIEW

    def __init__(self) -> None:
        self.own = MappingProxyType(ITEMS)

    def run(self, x: Any) -> Any:
        return x * self.own["scale"] + self.options["list"][0]


MODEL = Model()


def of_an_item(x: Any) -> Any:
    return x * VIEW["scale"] + VIEW["list"][0]


def of_a_function(x: Any) -> Any:
    return VIEW["function"](x)


def of_all(x: Any) -> Any:
    return x + len(VIEW) + sum(v for k, v in VIEW.items() if k == "scale")


def of_an_object(x: Any) -> Any:
    return MODEL.run(x)


@pytest.mark.filterwarnings("ignore::autograph.RetracingWarning")
@pytest.mark.parametrize("f", [of_an_item, of_a_function, of_all, of_an_object])
def test_changes_are_seen(f: Callable[[Any], Any]) -> None:
    guarded = ag.function(f, effects="runtime", captures="guard")
    ITEMS.clear()
    ITEMS.update({"list": [1.0], "function": lambda x: x + 1, "scale": 2})
    for change in (lambda: None, lambda: ITEMS.update(scale=3), lambda: None,
                   lambda: ITEMS["list"].__setitem__(0, 5.0),
                   lambda: ITEMS.update(function=lambda x: x * 7),
                   lambda: ITEMS.update(list=[9.0]), lambda: ITEMS.update(more=3), lambda: None):
        change()
        for _ in range(2):
            assert guarded(np.float64(2.0)) == f(np.float64(2.0))


def writes_and_reads(x: Any) -> Any:
    x[0] = 1.0
    return x * CONSTANTS["gravity"] + CONSTANTS["of a list"][1]


def writes_and_calls_what_has_a_signature(x: Any) -> Any:
    x[0] = 1.0
    return dot(x, x)


@pytest.mark.parametrize("options", [{}, {"effects": "runtime", "captures": "guard"}],
                         ids=["default", "runtime"])
@pytest.mark.parametrize("f", [writes_and_reads, writes_and_calls_what_has_a_signature])
def test_a_view_of_what_nothing_else_leads_to_is_read(
        f: Callable[[Any], Any], options: dict[str, Any]) -> None:
    called = ag.function(f, **options)
    for _ in range(2):
        assert np.array_equal(called(np.full(3, 2.0)), f(np.full(3, 2.0)))
