"""`raise`, `assert`, `try`, `with`: which exception, when, and what has happened by then."""

import numpy as np

from tests.corpus.case import Case


def raises_in_branch(x):
    if x < 0:
        raise ValueError("negative")
    return np.sqrt(x)


def asserts(x):
    assert x > 0, "must be positive"
    return 1 / x


def raises_in_loop(x):
    total = 0
    for value in x:
        if value < 0:
            raise ArithmeticError("negative")
        total = total + value
    return total


def always_raises(x):
    raise KeyError(x.shape)


def raises_on_both_paths(x):
    if x > 0:
        raise ValueError("positive")
    else:
        raise TypeError("not positive")


def catches_own(x):
    try:
        if x < 0:
            raise ValueError("negative")
        y = x + 1
    except ValueError:
        y = 0
    return y


def catches_and_reraises(x):
    try:
        return positive_only(x)
    except ValueError as error:
        raise RuntimeError("wrapped") from error


def positive_only(x):
    if x <= 0:
        raise ValueError("not positive")
    return x


def finally_runs(x, log):
    try:
        if x < 0:
            raise ValueError("negative")
        log[0] = 1
    finally:
        log[1] = 1
    return x


def try_else(x):
    try:
        y = 10 // x
    except ZeroDivisionError:
        y = -1
    else:
        y = y + 1
    return y


def singular(a, b):
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        return b


def index_error(x, i):
    try:
        return x[i]
    except IndexError:
        return None


def with_statement(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = 1 / x
        if y.sum() > 10:
            y = y * 0
    return y


def retries(x):
    attempts = 0
    while True:
        try:
            attempts += 1
            return positive_only(x), attempts
        except ValueError:
            x = x + 1


def raises_custom(x):
    if x > 1:
        raise TooLarge(x)
    return x


class TooLarge(Exception):
    """The number is too large."""


def appends_until_it_fails(x, found):
    for k in range(12):
        found.append(x[k] * 2)
    return found


def counts_what_went_well(x, count):
    for k in range(len(x)):
        count["seen"] = k
        x[k] = count["table"][x[k]]
        count["done"] += 1
    return count


def doubles_then_fails(x, y):
    x *= 2
    x[:] = x[::-1]
    y += x
    x -= 1
    return y[len(x)]


def transfers(accounts, source, target, amount):
    accounts[target] += amount
    if accounts[source] < amount:
        raise ValueError("not enough")
    accounts[source] -= amount


def fills_rows(matrix, rows):
    for k, row in enumerate(rows):
        matrix[k] = row / row[k]
        matrix[k, row[0]] = 0
    return matrix.sum()


SCALARS = [(np.float64(3.5),), (np.float64(-2.0),), (2,), (-3.5,), (np.int64(6),), (np.int64(1),)]
VECTORS = [(np.array([3, 1, 2]),), (np.array([3, -5, 9]),), ([1, -1, 4],)]


class OverDrawn(Exception):
    """Is initialised with other arguments than those that it keeps."""

    def __init__(self, account, missing):
        super().__init__(f"{account} misses {missing}")
        self.account, self.missing = account, missing


class BadLine(OSError):
    def __init__(self, line, *, file="a.txt"):
        super().__init__(2, "bad line", file)
        self.line = line


def raises_with_arguments_of_its_own(x):
    if x < 0:
        raise OverDrawn("mine", 3)
    return x


def raises_with_a_value(x):
    if x < 0:
        raise OverDrawn("mine", -x)
    return x


def raises_an_error_of_the_system(x):
    if x < 0:
        raise BadLine(7)
    return x


CASES = [
    Case(raises_in_branch, *SCALARS),
    Case(asserts, *SCALARS),
    Case(raises_in_loop, *VECTORS),
    Case(always_raises, *VECTORS[:2]),
    Case(raises_on_both_paths, *SCALARS),
    Case(catches_own, *SCALARS),
    Case(catches_and_reraises, *SCALARS),
    Case(finally_runs, *[(*s, np.zeros(2)) for s in SCALARS]),
    Case(try_else, (5,), (0,), (np.int64(3),)),
    Case(singular, (np.eye(2), np.ones(2)), (np.ones((2, 2)), np.ones(2))),
    Case(index_error, ([1, 2], 1), ([1, 2], 2), (np.arange(2), 1), (np.arange(2), 5),
         (np.arange(2), np.int64(1)), (np.arange(2), np.int64(5))),
    Case(with_statement, (np.array([1.0, 2.0]),), (np.array([0.01, 2.0]),),
         (np.array([0.0, 1.0]),)),
    Case(retries, *SCALARS),
    Case(raises_custom, *SCALARS),
    Case(appends_until_it_fails, (np.arange(4.0), []), (np.arange(20.0), [])),
    Case(counts_what_went_well,
         (np.array([0, 2, 1]), {"seen": -1, "done": 0, "table": np.array([5, 6, 7])}),
         (np.array([0, 1, 9]), {"seen": -1, "done": 0, "table": np.array([5, 6, 7])})),
    Case(doubles_then_fails, (np.arange(3.0), np.ones(3)), (np.arange(3.0), np.ones(4))),
    Case(transfers, (np.array([5.0, 1.0]), np.int64(0), np.int64(1), np.float64(3)),
         (np.array([5.0, 1.0]), np.int64(0), np.int64(1), np.float64(9)),
         (np.array([5.0, 1.0]), np.int64(3), np.int64(1), np.float64(9))),
    Case(fills_rows, (np.zeros((2, 3)), np.array([[1, 2], [1, 4]]).repeat(2, 1)[:, :3]),
         (np.zeros((2, 3)), np.array([[1, 2, 3], [7, 5, 6]])),
         (np.zeros((1, 3)), np.array([[1, 2, 3], [0, 5, 6]]))),
    Case(raises_with_arguments_of_its_own, *SCALARS),
    Case(raises_with_a_value, *SCALARS),
    Case(raises_an_error_of_the_system, *SCALARS),
]
