"""Handlers of what containers raise where something is missing in them."""

import numpy as np

from tests.corpus.case import Case


def grouped(keys, values):
    groups = {}
    for k, v in zip(keys, values, strict=True):
        try:
            groups[k].append(v)
        except KeyError:
            groups[k] = [v]
    return groups


def counted(keys):
    counts = {}
    for k in keys:
        try:
            counts[k] += 1
        except KeyError:
            counts[k] = 1
    return counts


def looked_up(table, key):
    try:
        return table[key]
    except KeyError:
        return -1


def found(items, x):
    try:
        return items.index(x)
    except ValueError:
        return -1


def removed(items, x):
    try:
        items.remove(x)
    except ValueError:
        items.append(x)
    return items


def divided(a, b):
    out = []
    for x, y in zip(a, b, strict=True):
        try:
            out.append(int(x) // int(y))
        except ZeroDivisionError:
            out.append(None)
    return out


def looked_up_in_steps(table, key):
    try:
        try:
            found = table[key]
        finally:
            table["seen"] = 1
    except KeyError:
        return "missing", len(table)
    else:
        return found, len(table)


KEYS, SAME = np.array([1, 2, 1]), np.array([3, 3, 3])
VALUES = np.array([1.0, 2.0, 3.0])

CASES = [
    Case(grouped, (KEYS, VALUES), (SAME, VALUES)),
    Case(counted, (KEYS,), (SAME,)),
    Case(divided, (KEYS, np.array([1, 0, 2])), (SAME, KEYS)),
    *[Case(f, ({1: 2.0}, np.int64(1)), ({1: 2.0}, np.int64(3))) for f in (
        looked_up, looked_up_in_steps)],
    *[Case(f, ([1, 2, 3], np.int64(3)), ([1, 2, 3], np.int64(7))) for f in (found, removed)],
]
