"""`items.sort(key=…)` of a list whose items are known, by keys that only the run knows."""

import numpy as np
import pytest

import autograph as ag


class Item:
    def __init__(self, n):
        self.n, self.asked = n, 0

    def near(self, a):
        self.asked += 1
        return abs(self.n - a)


def made():
    items = [Item(3), Item(1), Item(2)]
    return [3.0, 1.0, 2.0, 1.0], items, {"k": [[2, "b"], [1, "a"]]}, []


def distance(a, numbers, items, table, log):
    numbers.sort(key=lambda v: abs(v - a))
    return numbers[0]


def ties(a, numbers, items, table, log):
    numbers.sort(key=lambda v: (v > a, -v), reverse=True)
    return [*numbers]


def chosen_reverse(a, numbers, items, table, log):
    numbers.sort(key=lambda v: v, reverse=bool(a > 1))
    numbers.sort(reverse=bool(a > 2))
    return numbers[-1]


def logged(a, numbers, items, table, log):
    numbers.sort(key=lambda v: log.append(v) or (v - a) ** 2)


def objects(a, numbers, items, table, log):
    first = items[0]
    items.sort(key=lambda o: o.near(a))
    return items[0].n, first is items[0], [o.asked for o in items]


def in_branch(a, numbers, items, table, log):
    same = numbers
    if a > 1:
        numbers.sort(key=lambda v: abs(v - a))
    same.append(a)
    return numbers[0]


def rows(a, numbers, items, table, log):
    table["k"].sort(key=lambda row: row[0] * a)
    table["k"][0].append(a)
    return table["k"][-1]


def known(a, numbers, items, table, log):
    numbers.sort(key=lambda v: -v)
    items.sort(key=lambda o: o.n)
    return numbers[0] + a


def failing(a, numbers, items, table, log):
    try:
        numbers.sort(key=lambda v: [1, 2][int(v)])
    except IndexError as error:
        return str(error)
    return a


def misused(a, numbers, items, table, log):
    try:
        numbers.sort(lambda v: v)
    except TypeError as error:
        return str(error)
    return a


def shown(x):
    return {k: shown(v) for k, v in vars(x).items()} if isinstance(x, Item) else (
        [shown(v) for v in x] if isinstance(x, list) else x)


@pytest.mark.parametrize("options", [{}, {"effects": "runtime", "captures": "guard"}])
@pytest.mark.parametrize("f", [distance, ties, chosen_reverse, logged, objects, in_branch, rows,
                               known, failing, misused])
@pytest.mark.filterwarnings("error::autograph.FallbackWarning")
def test_as_in_python(f, options):
    traced = ag.function(f, **options)
    for a in (0.0, 2.0, 3.0, 1.0):
        one, other = made(), made()
        assert str(traced(np.float64(a), *one)) == str(f(np.float64(a), *other))
        assert shown([*one[:2], one[2]["k"], one[3]]) == shown(
            [*other[:2], other[2]["k"], other[3]])
