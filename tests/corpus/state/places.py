"""State that is not a name: attributes, items, by keys and indices that may be symbolic."""

import types

import numpy as np

from tests.corpus.arguments import NUMBERS, SCALARS
from tests.corpus.case import titled

INDICES = [(np.int64(0),), (np.int64(1),), (np.int64(2),), (np.int64(-1),), (np.int64(3),)]
VECTORS = [(np.array([1.0, -2.0, 3.0]),), (np.array([1.0, 0.5, 8.0]),)]


class Box:
    def __init__(self, value):
        self.value = value
        self.parts = [value, 1.0]
        self.named = {"k": value}
        self.inner = None


def attributes(x):
    box = Box(x)
    if x > 0:
        box.value = x * 2
        box.inner = Box(x)
        box.inner.value += 1
    else:
        box.value -= 1
        box.inner = Box(-x)
    while box.inner.value > 3:
        box.inner.value -= 2
        box.value += 1
    return box.value, box.inner.value


def attributes_of_attributes(x):
    box = Box(0.0)
    box.inner = Box(x)
    box.inner.inner = Box(1.0)
    i = 0
    while i < x:
        box.inner.inner.value += box.inner.value
        box.inner.parts[-1] *= 2
        box.inner.named["k"] += 1
        i += 1
        if box.inner.inner.value > 100:
            break
    return box.inner.inner.value, box.inner.parts, box.inner.named


def attribute_of_new_name(x):
    space = types.SimpleNamespace()
    space.a = x
    if x > 0:
        space.a = 1.0
        space.b = x
    else:
        space.b = -x
    return space.a, space.b


def attribute_deleted(x):
    box = Box(x)
    del box.named
    if x > 0:
        box.value = 1.0
    return hasattr(box, "named"), hasattr(box, "value"), getattr(box, "other", x), box.value


def by_getattr_and_setattr(x):
    box = Box(x)
    for name in ("value", "extra"):
        setattr(box, name, getattr(box, name, 0.0) + x)
        if x > 0:
            setattr(box, name, -x)
    return box.value, box.extra, vars(box)["extra"]


def items_of_dict(x):
    d = {"a": x, "b": {"c": 1.0}}
    if x > 0:
        d["a"] = d["a"] + 1
        d["b"]["c"] = x
    for k in d:
        if k == "a" and x > 1:
            d[k] = 0.0
    return d


def dict_read_by_chosen_key(x):
    d = {"low": 1.0, "high": 2.0, "none": None}
    key = "low" if x < 0 else "high"
    return d[key], d.get("low" if x < 0 else "missing", x), key in d


def dict_read_by_symbolic_number(n):
    d = {0: "zero", 5: "five", 12: "twelve"}
    return d.get(n, "other"), n in d, d[n] if n in d else None


def dict_stored_by_chosen_key(x):
    d = {"low": 0, "high": 0}
    for v in (x, x - 2, x + 1):
        d["low" if v < 0 else "high"] += 1
    return d["low"], d["high"]


def list_by_symbolic_index(i):
    l = [10, 20.5, "thirty"]
    return l[i], l[-1], l[i - 1]


def list_stored_by_symbolic_index(i):
    l = [10, 20, 30]
    l[i] = 99
    l[i - 1] += 1
    return l


def list_stored_in_loop(n):
    l = [0, 0, 0, 0]
    i = 0
    while i < n:
        l[i % 4] += i
        l[-1] = l[(i + 1) % 4] + 1
        i += 1
    return l


def list_last_and_next(x):
    l = [x, x + 1, x * 2]
    i = 0
    while i < 2:
        if l[i] > l[i + 1]:
            l[i], l[i + 1] = l[i + 1], l[i]
        i += 1
    l[-1] = l[-1] if x > 0 else 0.0
    return l


def list_grows_and_shrinks(n):
    stack = [n]
    out = []
    while len(stack) > 0:
        v = stack.pop()
        if v > 0:
            stack.append(v - 4)
            out.append(v)
            if v % 2:
                stack.append(v - 7)
        if len(out) > 12:
            break
    return out, len(stack)


def list_of_lists(x):
    rows = [[x, 1.0], [2.0, x]]
    if x > 1:
        rows[0][1] = x
        rows.append([x])
    else:
        rows.append([0.0])
    for row in rows:
        row[0] = row[0] * 2
    return rows


def array_stores(x):
    y = np.zeros(4)
    i = 0
    for v in x:
        if v > 0:
            y[i] = v
            i = i + 1
        else:
            y[-1] += v
    return y, i


def array_of_attribute(x):
    box = Box(np.zeros(3))
    for i in range(3):
        if x[i] > 0:
            box.value[i] = x[i]
    box.value[-1] += 1
    box.parts[0][0] = 7.0
    return box.value, box.parts


def tuple_in_list(x):
    l = [(x, 1), (x, 2)]
    if x > 0:
        l[0] = (l[0][0] * 2, 3)
    a, b = l[0]
    return a, b, l


def two_names_of_one_object(x):
    a = b = Box(x)
    if x > 0:
        a.value = 1.0
    b.parts[0] += 1
    c = a.parts
    if x > 1:
        c[1] = x
    return a.value, b.value, a.parts, a is b, c is b.parts


def argument_object(box, x):
    if x > 0:
        box["n"] = box["n"] + x
    for i in range(3):
        box["items"][i] = x * i
    return box


def stores_order(x):
    log = []

    def k(i):
        log.append(i)
        return i

    l = [0.0, 0.0, 0.0]
    l[k(0)], l[k(1)] = k(5) * x, x
    l[k(2)] += x if x > 0 else k(9)
    return l, log


def delete_items(x):
    d, l = {"a": x, "b": 1}, [x, 2, 3, 4]
    del d["b"], l[1], l[-1:]
    if x > 0:
        d["a"] = 0.0
    return d, l


CASES = [
    titled("self.x", attributes, *SCALARS),
    titled("a.b.c, a.l[-1], a.d['k']", attributes_of_attributes, *SCALARS),
    titled("an attribute new in both branches", attribute_of_new_name, *SCALARS),
    titled("an attribute deleted", attribute_deleted, *SCALARS),
    titled("getattr, setattr", by_getattr_and_setattr, *SCALARS),
    titled("d['k']", items_of_dict, *SCALARS),
    titled("d[k], k chosen", dict_read_by_chosen_key, *SCALARS),
    titled("d[k], k a symbolic number", dict_read_by_symbolic_number, *NUMBERS),
    titled("d[k] +=, k chosen", dict_stored_by_chosen_key, *SCALARS),
    titled("l[i], i symbolic", list_by_symbolic_index, *INDICES),
    titled("l[i] =, i symbolic", list_stored_by_symbolic_index, *INDICES),
    titled("l[i % 4] += in a loop", list_stored_in_loop, *NUMBERS),
    titled("l[i + 1], l[-1]", list_last_and_next, *SCALARS),
    titled("append and pop", list_grows_and_shrinks, *NUMBERS),
    titled("lists of lists", list_of_lists, *SCALARS),
    titled("array stores", array_stores, *VECTORS),
    titled("stores to an array in an attribute", array_of_attribute, *VECTORS),
    titled("tuples in lists", tuple_in_list, *SCALARS),
    titled("two names of one object", two_names_of_one_object, *SCALARS),
    titled("an argument changed", argument_object,
        *[({"n": 1.0, "items": [0, 0, 0]}, *x) for x in SCALARS]),
    titled("the order of stores", stores_order, *SCALARS),
    titled("del of items", delete_items, *SCALARS),
]
