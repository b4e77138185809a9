"""Derivatives through `defaultdict` and `Counter`, whose keys only the run knows."""

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.slopes import Trial

X = np.array([0.5, -0.7, 1.3, 0.2, 0.9])
KEYS = np.array([2, 0, 2, 1, 0])


def sums_by_key(x: Any, keys: Any, n: Any) -> Any:
    sums = defaultdict(float)
    for i in range(n):
        sums[int(keys[i])] += x[i] * x[0]
    return sum(v**2 for v in sums.values())


def means_by_key(x: Any, keys: Any, n: Any) -> Any:
    sums, counts = defaultdict(float), Counter()
    for i in range(n):
        sums[int(keys[i])] += x[i] ** 2
        counts[int(keys[i])] += 1
    total = 0.0
    for key in sums:
        total = total + np.sin(sums[key] / counts[key])
    return total


def what_is_not_there(x: Any, keys: Any, n: Any) -> Any:
    found, counts = defaultdict(int), Counter()
    total = x[0]
    for i in range(n):
        if int(keys[i]) in found:
            total = total * x[i]
        found[int(keys[i])] = x[i]
        total = total + counts[i] + found[10 + i]
    return total * len(found) + len(counts) * x[1]


def without_items(x: Any, keys: Any, n: Any) -> Any:
    found = defaultdict(float, {5: x[4], 6: 2.0})
    for i in range(n):
        found[int(keys[i])] = found.get(int(keys[i]), x[1]) * x[i]
    total = found.pop(2) ** 2 + found.pop(99, 0.5)
    del found[0]
    while found:
        total = total + found[5] * 3.0 + found[6] * found[1]
        found.clear()
    return total + found.setdefault(7, x[3]) * found[7] + found[8]


@pytest.mark.parametrize("f", [sums_by_key, means_by_key, what_is_not_there, without_items])
@pytest.mark.parametrize("n", [5, np.int64(5), np.int64(4)])
def test_both_modes_give_the_slope(f: Callable[..., Any], n: Any) -> None:
    verdict = Trial(lambda x: f(x, KEYS, n), (X,)).verdict()
    assert verdict.outcome == "agree", verdict.told
    value, _ = ag.value_and_grad(f)(X, KEYS, n)
    np.testing.assert_allclose(value, f(X, KEYS, n), rtol=1e-15)


def test_the_object_is_what_it_was() -> None:
    def f(x: Any, keys: Any) -> Any:
        sums, counts = defaultdict(float), Counter()
        for i in range(len(x)):
            sums[int(keys[i])] += x[i]
            counts[int(keys[i])] += 1
        return sums[0] * sums[2], (sums, counts)

    for derivative in (ag.grad(f, has_aux=True), ag.function(ag.grad(f, has_aux=True))):
        _, (sums, counts) = derivative(X, KEYS)
        expected = f(X, KEYS)[1]
        assert (type(sums), type(counts)) == (defaultdict, Counter)
        assert sums.default_factory is float
        assert (dict(sums), counts) == (dict(expected[0]), expected[1])
        assert list(sums) == list(expected[0])
        assert sums[77] == 0.0 and counts[77] == 0 and 77 not in counts


def test_a_missing_key_raises_as_it_does() -> None:
    def f(x: Any, keys: Any) -> Any:
        found = defaultdict(float)
        found[int(keys[0])] = x[0]
        return found.pop(int(keys[1])) * x[1]

    with pytest.raises(KeyError) as plain:
        f(X, KEYS)
    with pytest.raises(KeyError) as derived:
        ag.function(ag.grad(f))(X, KEYS)
    assert derived.value.args == plain.value.args
