"""Lists that one side of a branch makes or changes, where the other side raises or recurses."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.corpus.case import Case


def made_or_raised(n, k):
    if n == 2:
        found = []
        i = 0
        while i < k:
            found.append(i)
            i += 1
    else:
        raise ValueError(f"no list for {n}")
    if k > 0:
        found.append(1)
    return found


def returned_or_raised(n, k):
    if n == 2:
        found = []
        for i in range(k):
            if i % 2 == 0:
                found.append([i, np.zeros(2)])
        return found, {"last": found[-1:]}
    raise ValueError("no list")


def made_or_called_again(n, k):
    if n == 2:
        found, i = [], 0
        while i < k:
            found.append(i)
            i += 1
        return found
    return made_or_called_again(n - 1, k)


def pairs_with_sum(numbers, total):
    numbers.sort()
    left, right, found = 0, len(numbers) - 1, []
    while left < right:
        now = numbers[left] + numbers[right]
        if now < total:
            left += 1
        elif now > total:
            right -= 1
        else:
            found.append([numbers[left], numbers[right]])
            left += 1
            right -= 1
    return found


def tuples_with_sum(n, numbers, total):
    if n == 2:
        found = pairs_with_sum(numbers, total)
    else:
        found = []
        for i, number in enumerate(numbers):
            for more in tuples_with_sum(n - 1, numbers[i + 1:], total - number):
                more.append(number)
                found.append(sorted(more))
    return found


CHANGES: dict[str, Callable[[list[Any], Any], object]] = {
    "sort": lambda a, x: a.sort(),
    "append": lambda a, x: a.append(x),
    "store": lambda a, x: a.__setitem__(0, x),
    "extend": lambda a, x: a.extend([x, 5]),
    "pop": lambda a, x: a.pop(0),
    "insert": lambda a, x: a.insert(1, x),
    "reverse": lambda a, x: a.reverse(),
}
HANDED_ON: dict[str, Callable[[list[Any]], list[Any]]] = {
    "itself": lambda a: a, "slice": lambda a: a[1:], "copy": list, "sum": lambda a: [*a, 3],
    "in turn": lambda a: a[::-1],
}


def changed_at_the_end(change, hand_on):
    def program(n, a, x):
        if n <= 0:
            change(a, x)
            return a[0], len(a)
        return program(n - 1, hand_on(a), x)

    return program


def changed_on_the_way(change, hand_on):
    def program(n, a, x):
        change(a, x)
        first = a[0]
        if n > 0:
            first = first + program(n - 1, hand_on(a), x)
        return first

    return program


def arguments(n):
    return np.int64(n), [4, -1, 0, 1, 2, 6, -4], np.int64(7)


TWO, THREE = np.int64(2), np.int64(3)
CASES = [
    *[Case(f, (TWO, THREE), (THREE, TWO), (TWO, np.int64(0)))
      for f in (made_or_raised, returned_or_raised)],
    Case(made_or_called_again, (TWO, THREE), (np.int64(5), TWO)),
    Case(tuples_with_sum, (THREE, [-1, 0, 1, 2, -1, -4], np.int64(0)),
         (TWO, [3, 1, 2, 0], np.int64(3))),
    *[Case(make(CHANGES[change], HANDED_ON[handed]), arguments(2), arguments(0), arguments(3),
           title=f"{make.__name__} {change} {handed}")
      for make, change, handed in itertools.product(
          (changed_at_the_end, changed_on_the_way), CHANGES, HANDED_ON)],
]
