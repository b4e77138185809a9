"""Functions in which the run decides which array a variable stands for, and which is written.

Each takes (x, y, n): two arrays of four floats and an int.
"""

import numpy as np


def double_buffer(x, y, n):
    for _ in range(n):
        y[1:-1] = 0.5 * (x[2:] + x[:-2])
        x, y = y, x
    return x


def three_buffers(x, y, n):
    z = x.copy()
    for _ in range(n):
        z[1:-1] = 2 * y[1:-1] - x[1:-1] + 0.1 * (y[2:] - 2 * y[1:-1] + y[:-2])
        x, y, z = y, z, x
    return y, x, z


def argument_or_new(x, y, n):
    if n > 2:
        x = y * 2
    x *= 3
    x[0] = y[1]
    return x


def view_or_array(x, y, n):
    part = x[1:] if n > 2 else y
    part[0] = 7.0
    part += 1
    return x.sum() * y


def one_of_two_arguments(x, y, n):
    z = x if n % 2 else y
    z[n % 4] = 5.0
    z *= x
    return z + x


def nested_choice(x, y, n):
    z = x
    if n > 1:
        if n > 3:
            z = y
        else:
            z = y * 2
    z[1] += x[1] + y[1]
    return z


def made_in_a_loop(x, y, n):
    for i in range(n):
        x = x * 0.5
        x[0] = y[i % 4]
    x += 1
    return x


def kept_from_a_loop(x, y, n):
    best = x
    for i in range(n):
        y = y * 0.9 + i
        if y.sum() > best.sum():
            best = y
    best[0] = 0.0
    return best + y


def chosen_by_index(x, y, n):
    z = [x, y][n % 2]
    z[-1] += 4.0
    return x - y


def inner_loop(x, y, n):
    k = 0
    while k < n:
        k += 1
        for _ in range(2):
            x[k % 4] += y[0]
            x, y = y, x
        y[0] -= 1
    return x


def written_by_a_helper(x, y, n):
    def halve(v):
        v[1:] *= 0.5
        return v[::-1]

    z = halve(x) if n > 2 else halve(y)
    z[0] = 9.0
    return z


def rows_of_a_table(x, y, n):
    table = np.zeros((3, 4))
    for row in table:
        row[n % 4] = 1.0
        row += x
        x, y = y, x
    return table


def out_argument(x, y, n):
    z = x if n > 2 else y
    np.multiply(z, 2.0, out=z)
    np.add.at(z, [0, 0], 1.0)
    z.sort()
    return z


def transposed(x, y, n):
    a = np.outer(x, y)
    b = a.T if n > 2 else a * 2
    b[0] = y
    return a + b


def raises(x, y, n):
    z = x if n > 2 else y
    z[n] = 1.0
    return z


def left_early(x, y, n):
    for i in range(n):
        x[i % 4] += 1
        if x.sum() > 8:
            break
        x, y = y, x
    return x, y


def stays_bound(x, y, n):
    while n > 0:
        z = x if n % 2 else y
        z[0] += 1
        n -= 1
    return x * 10 + y


def turned_around(x, y, n):
    for i in range(n):
        x = x[::-1]
        x[0] += 0.5 * y[i % 4]
    return x


def transposed_again(x, y, n):
    a = np.outer(x, y)
    while n > 0:
        a = a.T
        a[0] *= x
        n -= 1
    return a


ALL = [f for f in list(globals().values()) if callable(f) and f.__module__ == __name__]
