"""Calls of the user's own functions: helpers, recursion, defaults, `*args`, methods, lambdas."""

import functools
import math

import numpy as np

from tests.corpus.case import Case


def clamp(x, low, high):
    if x < low:
        return low
    if x > high:
        return high
    return x


def calls_helper(x):
    return clamp(x, 0, 10) + clamp(x, -5, 5)


def helper_in_loop(x):
    total = 0
    for value in x:
        total = total + clamp(value, 0, 2)
    return total


def helper_that_mutates(x):
    double_first(x)
    double_first(x)
    return x


def double_first(x):
    if x[0] > 0:
        x[0] = x[0] * 2


def helper_returns_tuple(x):
    low, high = extremes(x)
    return high - low


def extremes(x):
    low = high = x[0]
    for value in x:
        if value < low:
            low = value
        if value > high:
            high = value
    return low, high


def with_defaults(x, scale=2, *, shift=1):
    return x * scale + shift


def calls_with_keywords(x):
    return with_defaults(x) + with_defaults(x, shift=x) + with_defaults(scale=3, x=x)


def collects_arguments(*values, **named):
    total = 0
    for value in values:
        total = total + value
    for name in named:
        total = total + named[name]
    return total


def passes_arguments(x, y):
    both = (x, y)
    return collects_arguments(*both, **{"a": x}) + collects_arguments(x)


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


def function_as_value(x):
    operation = np.sqrt if len(x) > 2 else np.square
    return operation(x)


def apply_twice(function, x):
    return function(function(x))


def passes_a_function(x):
    return apply_twice(negate_if_positive, x)


def negate_if_positive(x):
    return -x if x > 0 else x - 1


def lambdas(x):
    choose = lambda a, b: a if a > b else b
    return choose(x, 3) + choose(5, x)


def partial(x):
    return functools.partial(clamp, low=0)(x, high=4)


def maps(x):
    return sum(map(lambda v: v * v, x)), [negate_if_positive(v) for v in x]


def builtin_calls(x):
    return abs(x), max(x, 3), min(x, 0.5), round(x, 1), divmod(x, 2), pow(x, 2)


def conversions(x):
    return int(x), float(x), bool(x), complex(x)


def math_functions(x):
    if math.isfinite(x):
        return math.sqrt(abs(x)) + math.pi
    return math.inf


class Counter:
    """Counts, and remembers a step."""

    def __init__(self, step):
        self.step = step
        self.count = 0 * step

    def advance(self, times):
        for _ in range(times):
            self.count = self.count + self.step
        return self

    def __call__(self, x):
        if x > self.count:
            return x
        return self.count


def uses_an_object(step, times):
    counter = Counter(step)
    counter.advance(times)
    return counter(3), counter.count


def sorts_by_key(x):
    return sorted(x, key=lambda v: -v)


SCALARS = [(np.float64(3.25),), (np.float64(-7.5),), (np.float64(40.0),), (2,), (-3.5,),
           (np.int64(6),), (np.float32(1.25),)]
VECTORS = [(np.array([3, -1, 2]),), (np.array([-3, 5, 9]),), (np.array([0.5, 0.25]),)]
NATURALS = [(5,), (np.int64(5),), (np.int64(8),), (0,), (np.int64(0),)]

CASES = [
    Case(calls_helper, *SCALARS),
    Case(helper_in_loop, *VECTORS),
    Case(helper_that_mutates, *VECTORS),
    Case(helper_returns_tuple, *VECTORS),
    Case(with_defaults, *SCALARS, (np.ones(2), np.float64(3.0))),
    Case(calls_with_keywords, *SCALARS),
    Case(collects_arguments, (1, np.float64(2.0)), (np.ones(2), np.ones(2)), ()),
    Case(passes_arguments, (np.float64(1.0), 2), (1, 2)),
    Case(factorial, *NATURALS),
    Case(even, *NATURALS),
    Case(function_as_value, *[(np.abs(v[0]),) for v in VECTORS]),
    Case(passes_a_function, *SCALARS),
    Case(lambdas, *SCALARS),
    Case(partial, *SCALARS),
    Case(maps, *VECTORS),
    Case(builtin_calls, *SCALARS),
    Case(conversions, *SCALARS, (np.array(2.5),), (np.array([4]).sum(),)),
    Case(math_functions, *SCALARS, (np.float64(np.inf),)),
    Case(uses_an_object, (np.float64(0.5), 3), (2, 5), (np.float64(0.5), np.int64(12))),
    Case(sorts_by_key, *VECTORS),
]
