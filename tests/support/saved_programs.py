"""Small functions that between them have all that a file can hold."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import autograph as ag

TABLE = np.arange(12.0).reshape(3, 4).T
NAMES = np.array(["a", "bc"])
RECORD = np.array([(1, 2.5)], dtype=[("count", "i4"), ("size", "f8")])
STATE = ag.Variable(np.zeros(2), name="state")


def branches(x, flag=True):
    if np.sum(x) > 0:
        y = x * 2.0
    elif flag:
        y = -x
    else:
        y = x - 1
    return {"y": y, "n": (1, "text", None)}


def loops(x, n):
    total = 0.0
    for row in x:
        total = total + np.sum(row)
        if total > 100.0:
            break
    while total < n:
        total = total * 2.0 + 1.0
    return total, TABLE @ x[0]


def recursive(n):
    return n * recursive(n - 1) if n > 1 else n


def writes(x, items):
    x[1:][0] = np.max(x)
    x[::2] += 1.0
    items.append(x[0])
    if x[1] < 0:
        raise ValueError("negative")
    return items


def constants(x):
    return x + RECORD["size"][0], NAMES, np.datetime64("2020-01-01"), 3 + 2j, b"raw", slice(1, 3)


def state(x):
    STATE.assign_add(x)
    return STATE * 2.0


def draws(n):
    rng = np.random.default_rng(3)
    return rng.normal(size=3) * n, np.add.reduce(np.ones(3) * n), f"{n:.2f}"


def containers(keys):
    seen = {}
    for k in keys:
        seen[int(k)] = seen.get(int(k), 0) + 1
    return sorted(seen.items())


def ignoring(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1.0 / x


def checked(x):
    assert x[0] > 0, "not positive"
    ag.print("x", x)
    return quiet(x)


def quiet(x):
    return np.log(x) if x[1] > 0 else 1.0 / x


CALLS: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    (branches, (np.ones(3),)), (loops, (np.ones((2, 3)), 50)), (recursive, (np.int64(4),)),
    (writes, (np.ones(4), [1.0])), (constants, (np.ones(2),)), (state, (np.ones(2),)),
    (draws, (np.float64(2.0),)), (containers, (np.array([1, 2, 1]),)), (checked, (np.ones(2),)),
    (ignoring, (np.ones(2),)),
)


def saved() -> Iterator[tuple[Any, list[tuple[Any, ...]]]]:
    """Yields decorated functions that have been traced, and calls to save with them."""
    for function, arguments in CALLS:
        f = ag.function(function)
        f.get_concrete_function(*arguments)
        yield f, []
    with_samples = ag.function(branches)
    with_samples.get_concrete_function(np.ones(3))
    yield with_samples, [(np.arange(3.0),)]
