"""Objects that are operands: symbolic values in objects and containers in them are found."""

import numpy as np
import pytest

import autograph as ag


class Pair:
    def __init__(self, first, second=None):
        self.first = first
        self.second = second

    def shown(self):
        return [x.shown() if isinstance(x, Pair) else x for x in (self.first, self.second)]


def in_an_object(x):
    return Pair(Pair(x[0]))


def in_a_list(x):
    return [Pair(x[0])]


def in_an_object_in_a_dict(x):
    return {1: Pair(Pair(x[0]), x[1])}


def in_a_ring(x):
    ring = Pair(x[0], Pair(x[1]))
    ring.second.second = [ring]
    return ring


def shown(x):
    if isinstance(x, dict):
        return {k: shown(v) for k, v in x.items()}
    return [shown(v) for v in x] if isinstance(x, list) else (
        [type(x.first), type(x.second)] if isinstance(x, Pair) and isinstance(
            x.second, Pair) else x.shown() if isinstance(x, Pair) else x)


@pytest.mark.parametrize("make", [in_an_object, in_a_list, in_an_object_in_a_dict, in_a_ring])
def test_no_symbolic_value_is_left_in_a_list_of_the_run(make):
    def f(x):
        items = [make(x), 2]
        items[int(x[0] * 2) % 2] = x[1]
        if x[1] > 0.3:
            items.append(4)
        return items

    x = np.array([0.6, 0.2])
    made, plain = ag.function(f)(x), f(x)
    assert shown(made) == shown(plain) and "Tensor" not in str(shown(made))
