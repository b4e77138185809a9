"""Functions that write arrays and pass tuples on from branches and loops.

Each takes (x, y, n): two arrays of four floats and an int.
"""


def first_above(x, y, n):
    for i in range(n):
        x[i % 4] += y[0]
        if x.sum() > 4:
            return x, i, y * 0.5
        y = y * 1.5
    return x, -1, y


def tuple_of_a_call(x, y, n):
    for _ in range(n):
        u, i, v = first_above(x, y, 3)
        y = v + u * 0.1
        x[0] += 0.3 * i
        x[1:] *= 0.7
    return x, y


def other_kinds_of_tuples(x, y, n):
    for i in range(n):
        if x[0] > 1.0:
            return x, (y, x[0] * 2.0)
        x[i % 4] *= 0.5
        if y[1] > 1.5:
            return y * 2, y[1]
        y[1] += 0.3
    x[1:] *= 2.0
    return x * 1, y, x[2]


def name_of_a_tuple(x, y, n):
    for i in range(n):
        if i > 1:
            pair = x, y * 2
        x[i % 4] *= 0.5
    x[0] += 1.0
    return pair[0] * pair[1] if n > 2 else x


ALL = [f for f in list(globals().values()) if callable(f) and f.__module__ == __name__]
