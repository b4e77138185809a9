"""Lists that a comprehension makes in a branch or a loop are joined item by item."""

from typing import Any

import numpy as np
import pytest

import autograph as ag

X = np.array([1.0, 2.0])


def clipped(x):
    made = [x, 2.0 * x[0]]
    if x[0] > 0.3:
        made = [v * 3.0 for v in made]
    return made[0].sum() + made[1]


def clipped_list_of_a_comprehension(x):
    made = [v * x for v in (x, x[0])]
    if x[0] > 0.3:
        made = [v * 3.0 for v in made]
    else:
        made = made[::-1]
    return [v.sum() for v in made]


def trained(x):
    made, k = [x, 2.0 * x[0]], 0
    while made[0].sum() < 50.0 and k < 9:
        speeds = [0.5 * v for v in made]
        if speeds[1] > 3.0:
            speeds = [v * 0.9 for v in speeds]
        made = [v + s for v, s in zip(made, speeds, strict=True)]
        k += 1
    return made, k


def swapped(x):
    a, b = [v + 0.0 for v in x], [v * 2.0 for v in x]
    for i in range(int(x[0] * 0) + 3):
        if x[i % 2] > 1.5:
            a, b = b, [v + 1.0 for v in a]
    return a, b


def appended_after(x):
    made = [v + 0.0 for v in x]
    if x[0] > 0.3:
        made = [v * 3.0 for v in made]
    for v in x:
        if v > 1.5:
            made.append(v)
    return made


def of_another_length(x):
    made = [v + 0.0 for v in x]
    if x[0] > 0.3:
        made = [v * 3.0 for v in made[:1]]
    return made


def known_by_another_name(x):
    made = [v + 0.0 for v in x]
    other = made
    if x[0] > 0.3:
        made = [v * 3.0 for v in made]
    other.append(x[0])
    made.append(x[1])
    return made, other, made is other


def changed_and_rebuilt(x):
    made = [v + 0.0 for v in x]
    first = made
    for i in range(int(x[0] * 0) + 2):
        made[0] = made[0] + x[i]
        made = [v * 2.0 for v in made]
    return made, first


PROGRAMS = [clipped, clipped_list_of_a_comprehension, trained, swapped, appended_after,
            of_another_length, known_by_another_name, changed_and_rebuilt]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("x", [X, 0.1 * X, -X], ids=["large", "small", "negative"])
def test_same_result(f, x):
    expected, found = f(x.copy()), ag.function(f)(x.copy())
    assert repr(found) == repr(expected)


def test_the_items_keep_their_types():
    text = str(ag.function(clipped).graph(X))
    assert "dynamic" not in text


def test_items_of_a_loop_keep_their_types():
    text = str(ag.function(trained).graph(X))
    assert "dynamic" not in text


def results_of_two_lengths(a: Any, b: Any, x: np.ndarray) -> Any:
    out: list[Any] = []
    if a < 1:
        return np.maximum(x, 0), out
    n = a * 0
    while n < 3 and b > a:
        n += 1
        out.append(b if a < 0 else a)
    return a, x, out


@pytest.mark.parametrize(("a", "b"), [(3, 2), (0, 5), (2, 4)])
def test_results_of_two_lengths(a: int, b: int) -> None:
    """The list in the longer result grew, or kept its items."""
    given = np.int64(a), np.int64(b), np.array([7, 5])
    f = ag.function(results_of_two_lengths)
    assert repr(f(*given)) == repr(results_of_two_lengths(*given))
