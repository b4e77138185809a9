"""`for` loops: over ranges, arrays, lists, dicts, `enumerate` and `zip`; nested; with `else`."""

import numpy as np

from tests.corpus.case import Case


def sum_of_range(n):
    total = 0
    for i in range(n):
        total += i
    return total


def over_vector(x):
    total = 0.0
    for value in x:
        total = total + value * value
    return total


def over_rows(x):
    best = x[0]
    for row in x:
        if row.sum() > best.sum():
            best = row
    return best


def power(x, n):
    result = np.eye(2, dtype=x.dtype)
    for _ in range(n):
        result = x @ result
    return result


def fibonacci(n, modulus):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, (a + b) % modulus
    return a


def range_with_step(x, start, stop, step):
    total = x * 0
    for i in range(start, stop, step):
        total = total + i * x
    return total


def index_survives(x):
    for i in range(len(x)):
        x[i] = x[i] + i
    return i


def enumerates(x):
    total = 0
    for i, value in enumerate(x):
        total = total + i * value
    return total


def zips(x, y):
    total = 0
    for a, b in zip(x, y):
        if a > b:
            total = total + a
        else:
            total = total + b
    return total


def over_list_of_arrays(arrays):
    total = arrays[0]
    for array in arrays[1:]:
        total = total + array
    return total


def over_dict(weights):
    total = 0
    for name in weights:
        total = total + weights[name]
    for name, weight in weights.items():
        total = total + len(name) * weight
    return total


def nested_ranges(x):
    rows, columns = x.shape
    total = 0
    for i in range(rows):
        for j in range(columns):
            total += (i - j) * x[i, j]
    return total


def triangle(n, x):
    total = x
    for i in range(n):
        for j in range(i):
            total = total + i * j
    return total


def builds_a_list(x):
    squares = []
    for value in x:
        squares.append(value * value)
    return squares


def builds_and_stacks(x, ys):
    states = []
    for y in ys:
        x = 0.9 * x + y
        states.append(x)
    return np.stack(states)


def running_maximum(x):
    result = np.empty_like(x)
    best = x[0]
    for i in range(len(x)):
        if x[i] > best:
            best = x[i]
        result[i] = best
    return result


def unpacks_rows(points):
    total = 0.0
    for x, y in points:
        total = total + x * y
    return total


def over_empty(x):
    y = x
    for value in []:
        y = y + value
    return y


def for_else(x, wanted):
    for i, value in enumerate(x):
        if value == wanted:
            break
    else:
        i = -1
    return i


def reversed_range(x):
    total = 0
    for i in reversed(range(len(x))):
        total = 2 * total + x[i]
    return total


def symbolic_bounds(first, last):
    product = 1
    for i in range(first, last + 1):
        product = product * i
    return product


def long_loop(x):
    for i in range(200):
        x = x * 0.99 + i
    return x


def target_is_an_item(x, values):
    for x[0] in values:
        x[1] += x[0]
    return x


def asks_a_range(n):
    numbers = range(2, n, 3)
    return numbers.start, numbers.stop, numbers.step, len(numbers)


CASES = [
    Case(sum_of_range, (5,), (0,), (np.int64(5),), (np.int64(0),), (np.int64(9),)),
    Case(over_vector, (np.arange(5.0),), (np.ones(5),), (np.arange(3, dtype=np.float32),)),
    Case(over_rows, (np.arange(6.0).reshape(3, 2),), (-np.arange(6.0).reshape(3, 2),)),
    Case(power, (np.array([[1, 1], [1, 0]]), 10), (np.array([[1, 1], [1, 0]]), np.int64(7)),
         (np.array([[1, 1], [1, 0]]), np.int64(0)), (np.eye(2), 0)),
    Case(fibonacci, (90, 1000), (np.int64(90), np.int64(1000)), (np.int64(50), np.int64(7))),
    Case(range_with_step, (np.float64(2.0), 1, 10, 3), (np.float64(2.0), 10, 0, -4),
         (np.ones(2), np.int64(0), np.int64(7), np.int64(2))),
    Case(index_survives, (np.zeros(4),), (np.ones(4),), (np.zeros(0),)),
    Case(enumerates, (np.arange(4),), (np.array([3, 1, 4, 1]),)),
    Case(zips, (np.arange(4), np.arange(4)[::-1].copy()), (np.zeros(3), np.ones(5))),
    Case(over_list_of_arrays, ([np.ones(2), np.arange(2.0), np.ones(2)],), ([np.ones(3)],)),
    Case(over_dict, ({"a": np.float64(1.5), "bc": np.float64(2.0)},), ({"x": 3},)),
    Case(nested_ranges, (np.arange(6).reshape(2, 3),), (np.ones((2, 3), dtype=int),)),
    Case(triangle, (4, np.float64(1.0)), (np.int64(4), np.float64(1.0)), (12, np.ones(2))),
    Case(builds_a_list, (np.arange(4),), (np.ones(4, dtype=int),), ([1, 2.5],)),
    Case(builds_and_stacks, (np.zeros(2), np.ones((3, 2))), (np.ones(2), np.ones((3, 2))),
         (np.ones(2), np.arange(40.0).reshape(20, 2))),
    Case(running_maximum, (np.array([1, 3, 2, 5, 4]),), (np.array([5, 4, 3, 2, 1]),)),
    Case(unpacks_rows, (np.arange(6.0).reshape(3, 2),), ([(1, 2), (3, 4)],)),
    Case(over_empty, (np.ones(2),), (3,)),
    Case(for_else, (np.array([4, 7, 9]), np.int64(7)), (np.array([4, 7, 9]), np.int64(1)),
         ([1, 2], 2), ([1, 2], 3)),
    Case(reversed_range, (np.array([1, 0, 1]),), (np.array([1, 1, 1]),)),
    Case(symbolic_bounds, (np.int64(1), np.int64(5)), (np.int64(3), np.int64(2)), (1, 5)),
    Case(long_loop, (np.float64(1.0),), (np.ones(3),), (1.0,)),
    Case(target_is_an_item, (np.zeros(2), [1.0, 2.0, 3.0]), (np.zeros(2), np.arange(4.0))),
    Case(asks_a_range, (np.int64(9),), (np.int64(2),), (7,)),
]
