"""`and`, `or`, `not`, comparison chains, `in`, `is`, conditional expressions: laziness too."""

import numpy as np

from tests.corpus.case import Case


def conjunction(x, y):
    if x > 0 and y > 0:
        return x + y
    return x - y


def disjunction(x, y):
    if x > 0 or y > 0:
        return x * y
    return x


def negation(x, y):
    if not x > y:
        return y
    return x


def mixed(x, y):
    if (x > 0 and not y > 0) or x == y:
        return 1
    return 0


def value_of_and(x, y):
    return x and y


def value_of_or(x, y):
    return x or y


def three_operands(x, y):
    return (x > 0) and (y > 0) and (x > y)


def chain(x, y):
    if 0 < x < y <= 10:
        return y - x
    return 0


def chain_value(x, y):
    return -1 <= x < y


def chain_with_call(x, y):
    return 0 < shifted(x) < y


def shifted(x):
    return x + 0.5


def lazy_and(x, i):
    if i < len(x) and x[i] > 0:
        return x[i]
    return 0


def lazy_or(x):
    if len(x) == 0 or x[0] == 0:
        return None
    return 1 / x[0]


def conditional_expression(x, y):
    return x if x > y else y


def nested_conditional_expression(x):
    return 1 if x > 0 else (-1 if x < 0 else 0)


def conditional_expression_is_lazy(x, y):
    return x / y if y != 0 else 0.0


def membership(x, choices):
    if x in choices:
        return "yes"
    return "no"


def no_membership(x, choices):
    return x not in choices


def is_none(x, default):
    if default is None:
        default = 1
    return x + default


def is_not_none(x, default):
    return x if default is not None else -x


def boolean_arrays(x, y):
    return np.where((x > 0) & ~(y > 0), x, y)


def all_and_any(x):
    if all(value > 0 for value in x):
        return 2
    if any(value > 0 for value in x):
        return 1
    return 0


def equality_of_arrays(x, y):
    return x == y, x != y, (x == y).all()


def boolean_arithmetic(x, y):
    return (x > 0) + (y > 0), (x > y) * x, -(x * 1)


def and_assigns_flag(x):
    ok = True
    for value in x:
        ok = ok and value > 0
    return ok


PAIRS = [(np.float64(1.5), np.float64(4.0)), (np.float64(4.0), np.float64(-1.0)),
         (np.float64(-2.0), np.float64(-2.0)), (np.float64(0.0), np.float64(3.0)),
         (2, 3), (0, 5), (-1.0, 0), (np.int32(3), 7), (5, np.float32(2.0)),
         (np.array(3), np.array(8))]
VECTORS = [(np.array([1, 2, 3]),), (np.array([-1, 2, 0]),), (np.array([-1, -2, -3]),), ([1, 2],)]

CASES = [
    Case(conjunction, *PAIRS),
    Case(disjunction, *PAIRS),
    Case(negation, *PAIRS),
    Case(mixed, *PAIRS),
    Case(value_of_and, *PAIRS),
    Case(value_of_or, *PAIRS),
    Case(three_operands, *PAIRS),
    Case(chain, *PAIRS),
    Case(chain_value, *PAIRS),
    Case(chain_with_call, *PAIRS),
    Case(lazy_and, (np.array([1, -2]), 0), (np.array([1, -2]), 1), (np.array([1, -2]), 5),
         (np.array([1, -2]), np.int64(0)), (np.array([1, -2]), np.int64(2))),
    Case(lazy_or, (np.array([2.0, 0.0]),), (np.array([0.0, 1.0]),), (np.zeros(0),), ([4],)),
    Case(conditional_expression, *PAIRS),
    Case(nested_conditional_expression, *[pair[:1] for pair in PAIRS]),
    Case(conditional_expression_is_lazy, *PAIRS),
    Case(membership, (np.int64(2), [1, 2, 3]), (np.int64(5), [1, 2, 3]), (2, (1, 2)),
         (np.int64(3), np.arange(4)), (np.int64(7), np.arange(4)), ("a", "abc")),
    Case(no_membership, (np.int64(2), [1, 2, 3]), (np.int64(5), [1, 2, 3]), (2, {1, 2})),
    Case(is_none, (np.float64(1.0), None), (np.float64(1.0), 2), (1, np.ones(2))),
    Case(is_not_none, (np.float64(1.0), None), (np.float64(1.0), np.float64(3.0))),
    Case(boolean_arrays, (np.array([1, -1, 2]), np.array([1, 1, -1])),
         (np.array([-1, -1, 2]), np.array([0, 3, -1]))),
    Case(all_and_any, *VECTORS),
    Case(equality_of_arrays, (np.array([1, 2]), np.array([1, 2])),
         (np.array([1, 2]), np.array([1, 3]))),
    Case(boolean_arithmetic, *PAIRS),
    Case(and_assigns_flag, *VECTORS, (np.array([1, 0, 5]),)),
]
