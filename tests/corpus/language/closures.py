"""Nested functions: what they capture, when they see it, and what `nonlocal` does to it."""

import numpy as np

from tests.corpus.case import Case


def reads_outer(x):
    def double():
        return 2 * x
    return double() + double()


def sees_later_value(x):
    def read():
        return x
    if x > 0:
        x = x + 100
    return read()


def sees_loop_value(x):
    readers = []
    for value in x:
        readers.append(lambda: value)
    return [read() for read in readers]


def default_keeps_value(x):
    readers = []
    for value in x:
        readers.append(lambda v=value: v)
    return [read() for read in readers]


def counts_with_nonlocal(x):
    count = 0

    def note(value):
        nonlocal count
        if value > 0:
            count += 1

    for value in x:
        note(value)
    return count


def changes_captured_in_branch(x):
    total = x

    def add(value):
        nonlocal total
        total = total + value

    if x > 0:
        add(10)
    else:
        add(-1)
        add(-2)
    return total


def returns_a_function_result(x):
    def make(step):
        def advance(value):
            if value > 3:
                return value
            return value + step
        return advance

    small, large = make(1), make(10)
    return small(x), large(x), small(large(x))


def recursion_inside(n):
    def count(k):
        if k <= 0:
            return 0
        return 1 + count(k - 2)
    return count(n)


def captured_in_while(x):
    history = []

    def remember():
        history.append(x)

    while x > 1:
        remember()
        x = x / 2
    return history


def shadows(x):
    def inner(x):
        x = x + 1
        return x
    y = inner(x)
    return x, y


def comprehension_scope(x):
    i = 10
    squares = [i * i for i in range(3)]
    return squares, i + x


def lambda_in_condition(x):
    test = lambda v: v > 2
    if test(x):
        x = x - 2
    return x


def branch_defines_function(x):
    if x > 0:
        def change(v):
            return v + 1
    else:
        def change(v):
            return v - 1
    return change(x)


def generator_inside(x):
    def odd_places():
        for i, value in enumerate(x):
            if i % 2:
                yield value
    return sum(odd_places())


SCALARS = [(np.float64(3.5),), (np.float64(-2.0),), (np.float64(40.0),), (2,), (-3.5,),
           (np.int64(6),)]
VECTORS = [(np.array([3, -1, 2]),), (np.array([-3, 5, 9]),), (np.array([0.5, 0.25]),), ([1, -1],)]

CASES = [
    Case(reads_outer, *SCALARS),
    Case(sees_later_value, *SCALARS),
    Case(sees_loop_value, *VECTORS),
    Case(default_keeps_value, *VECTORS),
    Case(counts_with_nonlocal, *VECTORS),
    Case(changes_captured_in_branch, *SCALARS),
    Case(returns_a_function_result, *SCALARS),
    Case(recursion_inside, *SCALARS),
    Case(captured_in_while, *SCALARS),
    Case(shadows, *SCALARS),
    Case(comprehension_scope, *SCALARS),
    Case(lambda_in_condition, *SCALARS),
    Case(branch_defines_function, *SCALARS),
    Case(generator_inside, *VECTORS),
]
