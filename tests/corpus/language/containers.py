"""Lists, tuples, dicts and sets: as arguments, as state of loops and branches, as results."""

import numpy as np

from tests.corpus.case import Case


def appends(x):
    items = []
    for value in x:
        if value > 0:
            items.append(value)
    return items


def appends_in_branch(x):
    items = [x]
    if x > 0:
        items.append(x + 1)
    else:
        items.append(x - 1)
    return items


def pops(x):
    stack = [x, x + 1, x + 2]
    total = 0
    while stack:
        total = 10 * total + stack.pop()
    return total


def list_of_fixed_length(x):
    state = [x, 0]
    while state[0] > 1:
        state[0] = state[0] / 2
        state[1] = state[1] + 1
    return state


def tuple_state(x):
    state = (x, 0)
    while state[0] > 1:
        state = (state[0] / 2, state[1] + 1)
    return state


def dict_state(x):
    state = {"value": x, "steps": 0}
    while state["value"] > 1:
        state["value"] = state["value"] / 2
        state["steps"] += 1
    return state


def dict_in_branch(x):
    settings = {"low": x, "high": x}
    if x > 0:
        settings["high"] = 2 * x
    else:
        settings["low"] = 2 * x
    return settings


def new_key_in_branch(x):
    settings = {}
    if x > 0:
        settings["positive"] = x
    return settings


def nested_result(x):
    return {"sum": x.sum(), "parts": [x, (x + 1, {"max": x.max()})]}


def nested_argument(parameters):
    layers, bias = parameters["layers"], parameters["bias"]
    x = bias
    for weight in layers:
        x = np.maximum(weight @ x + bias, 0)
    return x


def changes_argument_list(items, x):
    items.append(x)
    items[0] = x * 2
    return len(items)


def changes_argument_dict(table, x):
    if x > 0:
        table["x"] = x
    return table


def unpacking(x):
    first, *middle, last = x
    return first, middle, last


def swap_in_list(items):
    if items[0] > items[1]:
        items[0], items[1] = items[1], items[0]
    return items


def list_comprehension(x):
    return [value * 2 for value in x if value is not None]


def filtered_comprehension(x):
    return [value for value in x if value > 1]


def dict_comprehension(x):
    return {i: value * i for i, value in enumerate(x)}


def slices_of_lists(x):
    items = [x, x * 2, x * 3, x * 4]
    return items[1:3], items[::-1], items[-1]


def concatenates_lists(x):
    items = [x] + [x + 1] * 2
    items += [x]
    items.extend((x, 0))
    return items


def set_of_constants(x):
    seen = set()
    for name in ["a", "b", "a"]:
        seen.add(name)
    return x * len(seen)


def length_in_condition(items, x):
    if len(items) > 2:
        return x
    return -x


def index_list_by_symbolic(x, i):
    table = [x, x * 10, x * 100]
    return table[i]


def none_results():
    return None, (), [], {}


def list_of_lists(x):
    rows = [[0 * x for _ in range(2)] for _ in range(2)]
    rows[0][1] = x
    rows[1][0] = rows[0][1] + 1
    return rows


def string_building(x, names):
    text = ""
    for name in names:
        text += name.upper()
    return text, x


SCALARS = [(np.float64(3.5),), (np.float64(-2.0),), (np.float64(40.0),), (2,), (-3.5,),
           (np.int64(6),)]
VECTORS = [(np.array([3, -1, 2]),), (np.array([-3, 5, 9]),), (np.array([0.5, 2.25]),),
           ([1, -1, 4],)]

CASES = [
    Case(appends, *VECTORS),
    Case(appends_in_branch, *SCALARS),
    Case(pops, *SCALARS),
    Case(list_of_fixed_length, *SCALARS),
    Case(tuple_state, *SCALARS),
    Case(dict_state, *SCALARS),
    Case(dict_in_branch, *SCALARS),
    Case(new_key_in_branch, *SCALARS),
    Case(nested_result, *VECTORS[:3]),
    Case(nested_argument, ({"layers": [np.eye(2), np.ones((2, 2))], "bias": np.ones(2)},),
         ({"layers": [np.ones((2, 2)), -np.eye(2)], "bias": np.arange(2.0)},),
         ({"layers": [], "bias": np.arange(2.0)},)),
    Case(changes_argument_list, ([np.float64(1.0)], np.float64(2.0)), ([1, 2], 3),
         ([np.ones(2)], np.zeros(2))),
    Case(changes_argument_dict, ({}, np.float64(1.0)), ({}, np.float64(-1.0)), ({"x": 1}, 2)),
    Case(unpacking, *VECTORS),
    Case(swap_in_list, ([np.float64(2.0), np.float64(1.0)],), ([np.float64(1.0), np.float64(2.0)],),
         ([3, 1],)),
    Case(list_comprehension, *VECTORS),
    Case(filtered_comprehension, *VECTORS),
    Case(dict_comprehension, *VECTORS),
    Case(slices_of_lists, *SCALARS),
    Case(concatenates_lists, *SCALARS),
    Case(set_of_constants, *SCALARS),
    Case(length_in_condition, ([1, 2, 3], np.float64(1.0)), ([1], np.float64(1.0))),
    Case(index_list_by_symbolic, (np.float64(1.5), 2), (np.float64(1.5), np.int64(2)),
         (np.float64(1.5), np.int64(-3)), (np.float64(1.5), np.int64(3))),
    Case(none_results, ()),
    Case(list_of_lists, *SCALARS),
    Case(string_building, (np.float64(1.0), ["a", "b"]), (1, ("c",))),
]
