"""Functions whose lists and dicts only the run knows, and which they change.

Each takes (x, y, n): two arrays of four floats and an int.
"""

import numpy as np


def values_while_changed(x, y, n):
    held = {"p": x.sum(), "q": y[0]}
    total = 0.0
    for v in held.values():
        held["q"] = np.tanh(v * y[1])
        total = total + v
        if n > 4:
            return total
    return total + held["p"] * held["q"]


def keys_of_the_run(x, y, n):
    held = {}
    for i in range(n):
        held[i % 3] = x * i + y
    total = np.zeros(4)
    for key, v in held.items():
        total = total + v * key
    return total


def memo(x, y, n):
    known = {0: x[0], 1: y[0]}
    for i in range(2, n + 2):
        known[i] = np.sin(known[i - 1]) * known[i - 2] + x[i % 4]
    return known[n]


def get_and_default(x, y, n):
    held = {0: x.sum()}
    held.setdefault(n % 2, y[0])
    held[n] = held.get(n, 0.5) * y[1]
    return held.get(n % 3, x[1]) * held[0]


def popped_and_deleted(x, y, n):
    held = {0: x[0], 1: y[0], n + 2: x[1] * y[1]}
    taken = held.pop(n % 2)
    del held[n + 2]
    total = 0.0
    for v in held.values():
        total = total + v * v
    return taken * total


def replaced_dict(x, y, n):
    held = {"p": x[0], "q": y[0]}
    while held["p"] < n:
        if held["q"] > 0.4:
            held = {"p": held["p"] + 1.0, "q": held["q"] * y[1]}
        held["p"] = held["p"] + np.exp(x[1])
    return held["p"] * held["q"], x


def list_by_index(x, y, n):
    rows = [x[0], x[1], y[0]]
    for i in range(n):
        rows[i % 3] = rows[(i + 1) % 3] * y[1] + rows[i % 3]
    rows.insert(n % 2, x[2])
    return rows[0] * rows[1] + rows[n % 4]


def step_of_each_parameter(x, y, n):
    params = {"w": x * 1.0, "b": y[0]}
    for i in range(n):
        for name in params:
            params[name] = params[name] - 0.1 * np.sin(params[name]) * y[i % 4]
        if params["b"] > 5.0:
            return params["w"]
    return params["w"] * params["b"]


def list_of_keys(x, y, n):
    held = {n: x[0], n + 1: y[0]}
    held[n + 2] = x[1]
    total = 0.0
    for key in list(held):
        total = total + held[key] * key
        held[key] = total
    return total * held[n]


def array_and_dict(x, y, n):
    held = {n: x[0]}
    z = x
    while z[0] < n:
        z, y = y, z
        z[0] = z[0] + 0.75 + held[n]
        held[n] = held[n] * 0.5 + y[1] * 0.1
    return z * held[n]


def grown_while_read(x, y, n):
    held = {0: x[0], 1: y[0]}
    total = 0.0
    for v in held.values():
        total = total + v
        held[n] = total
    return total


def left_by_a_loop(x, y, n):
    held = {"p": x[0], "q": y[0]}
    while held["q"] < n:
        held = {"p": y[1], "q": held["q"] + 1.0}
    held["p"] = np.tanh(x[1])
    return held["p"] * held["q"], x


ALL = [values_while_changed, keys_of_the_run, memo, get_and_default, popped_and_deleted,
       replaced_dict, list_by_index, step_of_each_parameter, list_of_keys, array_and_dict,
       left_by_a_loop, grown_while_read]
