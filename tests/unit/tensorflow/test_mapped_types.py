"""What `vmap`, `map_fn` and `scan` stack has the type of all results, not that of the first, called
plainly or in a decorated function; arguments of `vmap` may be nests."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph as ag
from tests.support.outcome import describe

X = np.array([1.0, -1.0, 2.0])
M = np.arange(6.0).reshape(3, 2)

RESULTS: dict[str, Callable[[Any], Any]] = {
    "int or float": lambda v: 1 if v > 0 else 2.5,
    "bool or int": lambda v: v > 0 if v > 0 else 7,
    "int or complex": lambda v: 2 if v > 0 else 1j,
    "two floats": lambda v: np.float32(1) if v > 0 else np.float64(1e-300),
    "two integers": lambda v: np.int8(1) if v > 0 else 1000,
    "texts": lambda v: "a" if v > 0 else "long",
    "None or float": lambda v: None if v > 0 else 1.0,
    "nests": lambda v: {"a": 1 if v > 0 else 0.5, "b": (v, [v > 0])},
    "a comprehension": lambda v: [v * k for k in range(2)],
}


def stacked(results: list[Any]) -> Any:
    first = results[0]
    if isinstance(first, dict):
        return {k: stacked([r[k] for r in results]) for k in first}
    if isinstance(first, (list, tuple)):
        return type(first)(stacked([r[k] for r in results]) for k in range(len(first)))
    return np.stack(results)


@pytest.mark.parametrize("mapper", (ag.map_fn, lambda f, x: ag.vmap(f)(x)), ids=("map_fn", "vmap"))
@pytest.mark.parametrize("name", RESULTS)
def test_the_type_is_that_of_all_results(name: str, mapper: Any) -> None:
    f = RESULTS[name]
    expected = describe(stacked([f(v) for v in X]))
    assert describe(mapper(f, X)) == expected
    assert describe(ag.function(lambda x: mapper(f, x))(X)) == expected


def two_before(x: Any) -> Any:
    return ag.scan(lambda a, v: (v, a[0]), x, initializer=(0, 0))


def from_an_int(x: Any) -> Any:
    return ag.scan(lambda a, v: a if v > 0 else a + 0.5, x, initializer=1)


def longer_texts(x: Any) -> Any:
    return ag.scan(lambda a, v: a + "b", x, initializer="a")


@pytest.mark.parametrize("f, expected", (
    (two_before, (np.array([1.0, -1, 2]), np.array([0.0, 1, -1]))),
    (from_an_int, np.array([1, 1.5, 1.5])), (longer_texts, np.array(["ab", "abb", "abbb"]))))
def test_a_scan_may_change_its_type(f: Callable[[Any], Any], expected: Any) -> None:
    assert describe(f(X)) == describe(ag.function(f)(X)) == describe(expected)


def test_such_a_scan_has_a_gradient() -> None:
    assert ag.grad(lambda x: two_before(x)[1].sum())(X).tolist() == [1, 1, 0]


class Pair(NamedTuple):
    a: Any
    b: Any


@pytest.mark.parametrize("make", (
    lambda a, b: Pair(a, b), lambda a, b: [a, b], lambda a, b: (a, b), lambda a, b: {"a": a, "b": b}
), ids=("named", "list", "tuple", "dict"))
def test_an_argument_is_a_nest(make: Callable[[Any, Any], Any]) -> None:
    def f(nest: Any, scale: Any) -> Any:
        a, b = nest.values() if isinstance(nest, dict) else nest
        return (a * scale).sum() + b if b > 0 else a[0]

    expected = [f(make(a, b), 2.0) for a, b in zip(M, X, strict=True)]
    for axes in ((0, None), (make(0, 0), None)):
        mapped = ag.vmap(f, in_axes=axes)
        assert mapped(make(M, X), 2.0).tolist() == expected
        assert ag.function(mapped)(make(M, X), 2.0).tolist() == expected
    turned = ag.vmap(f, in_axes=(make(1, 0), None))
    assert turned(make(M.T, X), 2.0).tolist() == expected


def test_gradients_of_each_example() -> None:
    def loss(w: Any, x: Any, y: Any) -> Any:
        return (w["a"] @ x + w["b"] - y) ** 2

    w = {"a": np.ones(2), "b": 0.5}
    found = ag.vmap(ag.grad(loss), in_axes=(None, 0, 0))(w, M, X)
    each = [ag.grad(loss)(w, x, y) for x, y in zip(M, X, strict=True)]
    assert found["a"].tolist() == [g["a"].tolist() for g in each]
    assert found["b"].tolist() == [g["b"] for g in each]


def test_arguments_by_name_are_mapped() -> None:
    assert ag.vmap(lambda a, k: a * k)(X, k=X).tolist() == (X * X).tolist()


def test_a_list_of_numbers_is_an_array() -> None:
    assert ag.vmap(lambda v: v + 1)([1.0, 2.0]).tolist() == [2.0, 3.0]


@pytest.mark.parametrize("axes, message", (
    (({"a": 0},), "in_axes has {'a': 0} for an argument of class ndarray"),
    (("a",), "in_axes has 'a'"), ((None,), "no argument to go along")))
def test_axes_that_do_not_fit(axes: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ag.vmap(lambda v: v, in_axes=axes)(X)
