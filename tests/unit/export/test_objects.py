"""Objects of the user's classes in exports: their numbers are computed, or the line is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import autograph as ag

jax = pytest.importorskip("jax", reason="the extra jax is not installed")
jax.config.update("jax_enable_x64", True)


@dataclass(order=True)
class Pair:
    a: Any
    b: Any


class Reversed:
    def __init__(self, v: Any) -> None:
        self.v = v

    def __lt__(self, other: Reversed) -> Any:
        return self.v > other.v


def compared_in_a_loop(x: Any) -> Any:
    best = Reversed(x[0])
    for i in range(len(x)):
        other = Reversed(x[i])
        if best < other:
            best = other
    return best.v


def sorted_by_its_numbers(x: Any) -> Any:
    return sorted([Pair(x[0], x[1]), Pair(x[1], x[2])], key=lambda p: p.a)[0].b


def least_pair(x: Any) -> Any:
    return min(Pair(x[0], x[1]), Pair(x[1], x[2])).a


def listed(x: Any) -> Any:
    return min([Reversed(v) for v in x]).v


@pytest.mark.parametrize("x", [[1.0, 1.5, 3.0], [3.0, -1.0, 2.0], [1.0, 5.0, 1.2]])
def test_comparisons_of_objects_that_are_converted(x: Any) -> None:
    x = np.array(x)
    assert ag.function(compared_in_a_loop).to_jax()(x) == compared_in_a_loop(x)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("f", "name"), [(least_pair, "Pair"), (listed, "Reversed")])
def test_an_object_that_python_compares_is_refused_by_its_class(
        f: Callable[..., Any], name: str) -> None:
    told = (rf"the line has no form in JAX here: it needs an object of class {name}"
            r"(.|\n)*test_objects\.py:\d+(.|\n)*hint: compare, sort and keep its numbers")
    with pytest.raises(ag.errors.ExportError, match=told):
        ag.function(f).to_jax(checks="drop")(np.ones(3))  # type: ignore[attr-defined]


def test_a_method_of_arrays_has_its_name_in_a_refusal() -> None:
    @ag.function
    def digits(x: Any) -> Any:
        return x.hex()

    with pytest.raises(ag.errors.ExportError, match=r"ndarray\.hex has no form in JAX here"):
        digits.to_jax()(np.float64(3.0))  # type: ignore[attr-defined]
