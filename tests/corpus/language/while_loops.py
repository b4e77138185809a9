"""`while` loops: data-dependent ends, several variables, nesting, `else`, changing types."""

import numpy as np

from tests.corpus.case import Case


def countdown(n):
    while n > 0:
        n = n - 1
    return n


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


def newton_sqrt(x):
    guess = x
    change = x
    while change > 1e-12 * guess:
        following = 0.5 * (guess + x / guess)
        change = abs(following - guess)
        guess = following
    return guess


def bisect(low, high, tolerance):
    value_low = low * low * low - low - 2.0
    while high - low > tolerance:
        middle = 0.5 * (low + high)
        value = middle * middle * middle - middle - 2.0
        if value_low * value <= 0.0:
            high = middle
        else:
            low = middle
            value_low = value
    return 0.5 * (low + high)


def integer_log(n):
    power = 1
    exponent = 0
    while power * 2 <= n:
        power *= 2
        exponent += 1
    return exponent


def becomes_float(n):
    total = 0
    while n > 0:
        total = total + n / 2
        n = n - 1
    return total


def nested_loops(n):
    total = 0
    i = 0
    while i < n:
        j = 0
        while j < i:
            total += i * j
            j += 1
        i += 1
    return total


def with_else(n, limit):
    while n < limit:
        n = n * 2
    else:
        n = n + 1
    return n


def never_runs(x):
    while np.sum(x) < 0:
        x = x + 1
        y = x
    return x


def on_an_array(x):
    steps = 0
    while np.max(x) > 1:
        x = np.where(x > 1, x / 2, x)
        steps += 1
    return x, steps


def mutates_an_array(x):
    i = 0
    while i < len(x) and x[i] > 0:
        x[i] = -x[i]
        i += 1
    return i


def condition_with_and(x, limit):
    steps = 0
    while x > 1 and steps < limit:
        x = x / 3
        steps += 1
    return x, steps


def condition_calls_helper(x):
    while not small_enough(x):
        x = x * 0.5
    return x


def small_enough(x):
    return np.abs(x) < 1e-3


def literal_true(n):
    steps = 0
    while True:
        if n <= 1:
            return steps
        n = n // 3
        steps += 1


def digits(n):
    found = []
    while n > 0:
        found.append(n % 10)
        n = n // 10
    return found[::-1]


def walrus_condition(x):
    steps = 0
    while (x := x / 2) > 1:
        steps += 1
    return x, steps


def name_first_bound_in_loop(n):
    while n > 5:
        last = n
        n = n - 3
    return last


def common_beginning(first, second):
    index = 0
    while first[index] == second[index]:
        index = index + 1
        if index >= len(first) or index >= len(second):
            return first[0:index]
    return first[0:index]


NUMBERS = [(np.int64(27),), (np.int64(6),), (np.int32(9),), (7,), (np.array(11),)]

CASES = [
    Case(countdown, *NUMBERS, (3.5,), (np.float32(2.5),)),
    Case(collatz, *NUMBERS),
    Case(gcd, (np.int64(48), np.int64(18)), (np.int64(7), np.int64(5)), (48, 18),
         (48, np.int64(5))),
    Case(newton_sqrt, (np.float64(2.0),), (np.float64(1e6),), (9.0,)),
    Case(bisect, (np.float64(1.0), np.float64(2.0), np.float64(1e-9)),
         (np.float64(0.0), np.float64(4.0), np.float64(1e-3)), (1.0, 2.0, 1e-6)),
    Case(integer_log, *NUMBERS, (np.int64(1000),)),
    Case(becomes_float, *NUMBERS, (np.int64(0),), (0,)),
    Case(nested_loops, *NUMBERS),
    Case(with_else, (np.int64(3), np.int64(100)), (np.int64(300), np.int64(100)), (3, 100)),
    Case(never_runs, (np.ones(3),), (np.array([-5.0, 1.0]),)),
    Case(on_an_array, (np.array([1.0, 5.0, 80.0]),), (np.array([0.5, 3.0, 0.1]),)),
    Case(mutates_an_array, (np.array([1, 2, 3]),), (np.array([1, -2, 3]),),
         (np.array([1.5, 2.5]),)),
    Case(condition_with_and, (np.float64(100.0), np.int64(10)), (np.float64(1e9), np.int64(3)),
         (100.0, 10), (np.float64(100.0), 10)),
    Case(condition_calls_helper, (np.float64(3.0),), (np.float64(-8.0),), (1.0,)),
    Case(literal_true, *NUMBERS, (np.int64(0),)),
    Case(digits, (np.int64(40321),), (np.int64(7),), (np.int64(0),), (123,)),
    Case(common_beginning, ("flowers", "flowers"), ("flower", "flow"), ("dog", "flow"),
         ("dogs", "dogsled")),
    Case(walrus_condition, (np.float64(100.0),), (np.float64(1.0),), (9.0,)),
    Case(name_first_bound_in_loop, (np.int64(12),), (np.int64(6),), (np.int64(2),), (12,), (2,)),
]
