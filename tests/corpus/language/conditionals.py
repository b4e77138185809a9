"""`if` statements: one branch, both, nested, chains, new names, names changed on one path."""

import numpy as np

from tests.corpus.case import Case


def no_else(x):
    if x > 0:
        x = x * 2
    return x


def both_branches(x):
    if x > 0:
        y = x + 1
    else:
        y = x - 1
    return y


def two_names(x, y):
    if x > y:
        x, y = y, x
    return x, y


def elif_chain(x):
    if x > 10:
        size = 3
    elif x > 5:
        size = 2
    elif x > 0:
        size = 1
    else:
        size = 0
    return size * x


def nested(x, y):
    if x > 0:
        if y > 0:
            quadrant = 1
        else:
            quadrant = 4
    else:
        if y > 0:
            quadrant = 2
        else:
            quadrant = 3
    return quadrant


def whole_array(x):
    if np.sum(x) > 0:
        x = np.sqrt(np.abs(x))
    else:
        x = -x
    return x


def different_shapes(x):
    if x[0] > 0:
        y = x
    else:
        y = np.concatenate([x, x])
    return y, y.shape


def different_dtypes(x):
    if x > 0:
        y = x
    else:
        y = 0.5
    return y


def none_on_one_path(x):
    best = None
    if x > 3:
        best = x
    return best


def only_effect(x, out):
    if x > 0:
        out[0] = x
    return out


def unbound_on_one_path(x):
    if x > 0:
        y = x * 2
    return y


def bound_again_before_use(x):
    if x > 0:
        y = 1
    y = 2
    return x + y


def pass_branches(x):
    if x > 0:
        pass
    else:
        pass
    return x


def same_condition_twice(x):
    flag = x > 2
    if flag:
        x = x - 2
    if flag:
        x = x * 10
    return x


def truthiness(x):
    if x:
        return x + 1
    return x - 1


def deletes_a_name(x):
    y = x * 2
    if x > 0:
        z = y
        del y
        y = z + 1
    return y


def string_result(x):
    kind = "zero"
    if x > 0:
        kind = "positive"
    elif x < 0:
        kind = "negative"
    return kind, x


def match_on_value(x):
    match x:
        case 0:
            y = 10
        case 1 | 2:
            y = 20
        case _:
            y = 30
    return y


SCALARS = [(np.int64(3),), (np.int64(-3),), (np.int64(0),), (3,), (-3,), (2.5,), (np.float32(7),),
           (np.array(12),), (np.array(-1.5),)]
PAIRS = [(np.float64(1), np.float64(2)), (np.float64(2), np.float64(-1)),
         (np.float64(-2), np.float64(-1)), (1, -1), (np.int8(5), np.float32(3)), (-1, np.int64(4))]

CASES = [
    Case(no_else, *SCALARS),
    Case(both_branches, *SCALARS),
    Case(two_names, *PAIRS),
    Case(elif_chain, *SCALARS, (np.int64(20),)),
    Case(nested, *PAIRS),
    Case(whole_array, (np.arange(4.0),), (-np.arange(4.0),), (np.array([[1, -5]]),)),
    Case(different_shapes, (np.array([1.0, 2.0]),), (np.array([-1.0, 2.0]),)),
    Case(different_dtypes, *SCALARS),
    Case(none_on_one_path, *SCALARS, (np.int64(9),)),
    Case(only_effect, (np.int64(1), np.zeros(3)), (np.int64(-1), np.zeros(3)), (2, np.zeros(2))),
    Case(unbound_on_one_path, *SCALARS),
    Case(bound_again_before_use, *SCALARS),
    Case(pass_branches, *SCALARS),
    Case(same_condition_twice, *SCALARS),
    Case(truthiness, *SCALARS),
    Case(deletes_a_name, *SCALARS),
    Case(string_result, *SCALARS),
    Case(match_on_value, (0,), (2,), (5,), (np.int64(1),), (np.int64(9),), (np.int64(0),)),
]
