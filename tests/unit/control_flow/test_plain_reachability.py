"""Code from which nothing symbolic is reachable runs as it was written; other code is traced."""

import collections
import dataclasses
import enum
import heapq
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

RUNTIME = {"effects": "runtime", "captures": "guard"}
OPTIONS: list[dict[str, Any]] = [{}, RUNTIME]
VALUES = (1.5, -1.0, 2.5, -3.0)


class Counted:
    made = 0

    def __init__(self, v):
        self.v = v
        Counted.made += 1

    def add(self, k):
        self.v += k
        return self

    @property
    def twice(self):
        return self.v * 2

    @property
    def inverse(self):
        return 1 // self.v


@dataclasses.dataclass
class Row:
    name: str
    items: list = dataclasses.field(default_factory=list)


class Color(enum.Enum):
    RED = 1
    BLUE = 2


Pair = collections.namedtuple("Pair", "a b")
CELL = [5]
TABLE = {"a": 5}
BOX = Counted(5)
TEXT = "the cat and the hat"


def called():
    called.times = getattr(called, "times", 0) + 1
    return called.times


def put(k):
    CELL[0] = k


def put_default(k, cell=CELL):
    cell[0] = k


def reset():
    Counted.made, BOX.v, CELL[:], TABLE["a"] = 0, 5, [5], 5


# -- symbolic values that hide ---------------------------------------------------------------------


def in_a_list_of_a_closure(x):
    held = [1, [x]]

    def inner(k):
        return held[1][0] * k

    return [inner(i) for i in range(4)]


def in_an_attribute(x):
    box = Counted(1)
    box.v = [x]
    return sum(b.v[0] for b in [box] * 6)


def behind_a_property(x):
    box = Counted(x)
    return [box.twice for _ in range(5)]


def in_a_function_of_a_function(x):
    def inner(k):
        return x + k

    def outer(n):
        return [inner(i) for i in range(n)]

    return outer(6)


def in_a_default(x):
    def inner(k, held=(x,)):
        return held[0] * k

    return sum(inner(i) for i in range(5))


def in_a_global(x):
    before = CELL[0]
    CELL[0] = x
    found = [CELL[0] * i for i in range(5)]
    CELL[0] = before
    return found


def in_a_queue(x):
    queue = collections.deque([1, 2, 3, x])
    found = 0
    while queue:
        found = found + queue.popleft()
    return found


def in_a_named_tuple(x):
    pair = Pair([1], (x, 2))
    return [p.b[0] + i for i, p in enumerate([pair] * 5)]


def in_an_attribute_of_a_function(x):
    def inner(k):
        return inner.held * k

    inner.held = x
    return [inner(i) for i in range(5)]


def after_a_while(x):
    memo = {}

    def f(n):
        if n not in memo:
            memo[n] = n if n < 2 else f(n - 1) + f(n - 2)
        return memo[n]

    first = f(12)
    memo[3] = x
    return first, f(4), len(memo)


def in_a_generator(x):
    items = (v * 2 for v in [1, 2, x, 4, 5])
    return sum(items), list(items)


def in_a_slice(x):
    part = slice(np.int64(0) * x > 1, x > 0)
    return [(part.start, part.stop, i) for i in range(6)], [part.stop * i for i in range(6)]


def in_a_callback(x):
    return sorted(range(6), key=lambda v: -v * x), max([1, 5, 2], key=lambda v: v * x)


HIDING = [f for name, f in list(globals().items()) if name.startswith(("in_a", "behind", "after"))]


# -- effects that change nothing while the function is traced --------------------------------------


def of_a_loop(x):
    if x > 0:
        for _ in range(6):
            CELL[0] = 5
    return CELL[0]


def of_a_function(x):
    if x > 0:
        put(5)
    return CELL[0]


def of_a_default(x):
    if x > 0:
        put_default(5)
    return CELL[0]


def of_a_comprehension(x):
    if x > 0:
        [TABLE.update(a=5) for _ in range(3)]
    return TABLE["a"]


def of_a_method(x):
    if x > 0:
        BOX.add(0)
    return BOX.v


def of_a_class(x):
    if x > 0:
        Counted(1)
    return Counted.made


def of_a_function_with_attributes(x):
    called.times = 3
    if x > 0:
        called()
    return called.times


def of_a_heap(x):
    if x > 0:
        heapq.heappushpop(CELL, 0)
    return CELL[0]


def of_a_lambda(x):
    act = lambda: CELL.__setitem__(0, 5)
    if x > 0:
        list(map(put, [5, 5]))
        act()
    return CELL[0]


def of_a_staged_loop(x):
    for v in (x, -x):
        if v > 0:
            put(5)
    while x > 0:
        put(5)
        x = x - 1
    return CELL[0]


STORING = [f for name, f in list(globals().items()) if name.startswith("of_a")]


# -- what comes back -------------------------------------------------------------------------------


def grow_after(x):
    def made(n):
        box = Counted([n])
        box.more = {"k": [n]}
        return box, Row("r", [n]), Pair([n], ([n],)), collections.deque([[n]])

    box, row, pair, queue = made(3)
    groups = collections.defaultdict(list)
    for i in range(7):
        groups[i % 2].append(i)
    if x > 0:
        box.v.append(x)
        box.more["k"].append(x)
        row.items.append(x)
        pair.a.append(x)
        pair.b[0].append(x)
        queue[0].append(x)
        groups[1].append(x)
    return box.v, box.more, row, pair, queue, dict(groups)


def functions_come_back(x):
    def make(k):
        held = [k]

        def keep(y):
            held.append(y)
            return held

        return keep

    keep = make(3)
    if x > 0:
        keep(x)
    keep(5)
    return keep(7)


def the_same_comes_back(x):
    def same(a):
        return a

    def f(k):
        return k

    items, box = [1, 2], Counted(1)
    return same(items) is items, same(box) is box, same(f) is f, same((f, 1))[0] is f, x


def variables_of_the_function(x):
    s = 0

    def bump(k):
        nonlocal s
        s += k
        return s

    for i in range(6):
        bump(i)
    if x > 0:
        bump(x)
    return s


def raised_and_caught(x):
    def bad(k):
        items = [k]
        try:
            return items[k]
        except IndexError as error:
            raise ValueError(f"no {k}") from error

    try:
        bad(3)
    except ValueError as error:
        return str(error), type(error.__cause__).__name__, x
    return x


def iterators_are_read_on(x):
    it = map(abs, [-2, 3, 4, 5])
    first = next(it)
    rest = (v * first for v in it)
    a = [next(rest), sum(rest)]
    return a, list(it), x


def read_in_a_branch(x):
    it = (v * 2 for v in range(5))
    total = sum(it) if x > 0 else 0
    return total, sum(it)


def made_in_a_loop_with_a_function(x):
    kept = []
    for i in range(6):
        kept += [lambda: i]  # noqa: B023
    i = 100
    return [f() for f in kept], x


def lambdas_with_defaults(x):
    return [f() for f in [lambda i=i: i * 2 for i in range(5)]], x


BACK = [grow_after, functions_come_back, the_same_comes_back, variables_of_the_function,
        raised_and_caught, iterators_are_read_on, made_in_a_loop_with_a_function,
        lambdas_with_defaults]


def outcomes(f: Callable[..., Any]) -> list[str]:
    reset()
    found = []
    for x in VALUES:
        CELL[0] = TABLE["a"] = BOX.v = 5 if x == VALUES[0] else 8
        try:
            result = repr(f(np.float64(x)))
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
        found.append(f"{result} {CELL} {TABLE} {BOX.v}")
    reset()
    return found


@pytest.mark.parametrize("options", OPTIONS, ids=["default", "runtime"])
@pytest.mark.parametrize("f", [*HIDING, *BACK], ids=lambda f: f.__name__)
def test_values_are_those_of_plain_python(f: Callable[..., Any], options: dict[str, Any]) -> None:
    assert outcomes(ag.function(f, **options)) == outcomes(f)


@pytest.mark.parametrize("options", OPTIONS, ids=["default", "runtime"])
@pytest.mark.parametrize("f", STORING, ids=lambda f: f.__name__)
def test_a_store_that_changed_nothing_in_the_trace_happens(f: Callable[..., Any],
                                                           options: dict[str, Any]) -> None:
    assert outcomes(ag.function(f, **options)) == outcomes(f)


def test_an_iterator_that_a_branch_reads_is_not_read_as_written() -> None:
    for x in VALUES:
        with pytest.raises(ag.errors.TracingError, match="is read again after a loop"):
            ag.function(read_in_a_branch)(np.float64(x))
