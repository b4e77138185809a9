"""Loops in a trace that reach nothing symbolic run as they were written; what follows is staged."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.staging import plain_loops

TABLE = [1, 2, 3, 4, 5, 6]
SEEN: list[int] = []


def double(k):
    out = []
    for i in range(k):
        out.append(2 * i)  # noqa: PERF401
    return out


def remembers(k):
    SEEN.append(k)
    return k


def primes(x, n):
    found = []
    k = 2
    while len(found) < n:
        ok = True
        for p in found:
            if p * p > k:
                break
            if k % p == 0:
                ok = False
                break
        if ok:
            found.append(k)
        k += 1
    return x[:2] * found[-1], found


def made_lists_grow_in_staged_loops(x):
    rows = []
    for i in range(6):
        rows.append([i, i * i])  # noqa: PERF401
    last = rows[-1]
    k = 0
    while x[k] > 0:
        rows.append(x[k])
        last.append(k)
        k += 1
    return len(rows), rows[-1], last[-1], len(last)


def shares_what_it_makes(x):
    pair = []
    for i in range(8):
        if i == 3:
            pair = [[i], (i, [i])]
            pair.append(pair[0])
            pair.append(pair[1][1])
    if x[0] > 0:
        pair[0].append(x[1])
        pair[1][1].append(x[0])
    return pair, pair[0] is pair[2], pair[1][1] is pair[3]


def dicts_of_lists(x):
    groups = {}
    for i in range(10):
        groups.setdefault(i % 3, []).append(i)
    if x.sum() > 0:
        groups[1].append(x[0])
    return groups, sorted(groups)


def argument_grows(x, items):
    for i in range(7):
        items.append(i)
    return x.sum(), len(items)


def argument_grows_in_a_branch(x, items):
    if x[0] > 0:
        for i in range(7):
            items.append(i)
    return x.sum()


def grows_in_a_branch(x):
    items = [1]
    if x[0] > 0:
        for i in range(7):
            items.append(i)
            if i == 4:
                break
    else:
        for i in range(6):
            items[0] += i
    return items


def in_a_staged_loop(x):
    s = 0.0
    for i in range(len(x)):
        t = 0
        for j in range(20):
            t += j * j
            if t > 300:
                break
        s += x[i] * t
    return s


def functions_that_only_compute(x):
    made = []
    for i in range(6):
        made.append(double(i))
        if math.sqrt(i) > 2:
            made[-1].append(max(made[-1]))
    return x * sum(map(len, made)), made


def functions_with_effects(x):
    s = 0
    for i in range(6):
        s += remembers(i)
    return x * s


def a_table_outside(x):
    s = 0
    for i in range(len(TABLE)):
        s += TABLE[i] * i
    return x * s


def tuples_hold_lists(x):
    made = ()
    for i in range(7):
        made = (*made, ([i], i))
    if x[0] > 0:
        made[6][0].append(x[1])
    return made


def numbered(x):
    found = [3, 1, 2, 5, 7, 9]
    best = where = -1
    for i, v in enumerate(found):
        if v > best:
            best, where = v, i
    pairs = {}
    for a, b in zip(found, reversed(found), strict=True):
        pairs[a] = pairs.get(b, b)
    return x[0] * best, where, pairs


def an_array_is_met_late(x):
    s, values = 0, [1, 2, 3, 4, 5, x, 7]
    for v in values:
        s = s + v
    return s


def unbound(x):
    for i in range(6):
        if i > 9:
            late = i
    try:
        return x, late
    except UnboundLocalError:
        return x


def fails(x):
    table = [1, 2, 3]
    s = 0
    for i in range(9):
        s += table[i]
    return x * s


def comprehensions_inside(x):
    rows = []
    for i in range(6):
        rows.append([i * j for j in range(3)])
        rows.append(sorted({j % 2 for j in range(i)}))
    return x[0], rows


def first_divisor(n):
    for i in range(2, n):
        if n % i == 0:
            return i
    return n


def first_pair(values, total):
    for v in values:
        for w in values:
            if v + w == total:
                return [v, w]
            if w > 4:
                break
        if v > 5:
            return
        if v > 4:
            break
        total += 1
    return total


def position(values, wanted):
    i = 0
    while i < len(values):
        if values[i] == wanted:
            return i
        if values[i] > 100:
            break
        i += 1
    return -1, i


def own_names_of_the_compiler(values, wanted):
    result, returned = 3, 4
    for v in values:
        if v == wanted:
            return result, v
        result = result + returned
    return result


def loops_that_return(x):
    values, long = list(range(1, 9)), [9, 200, *range(8)]
    found = [f(list(v), n) for f in (first_pair, position, own_names_of_the_compiler)
             for v in (values, values[::-1], long, [1] * 7) for n in (0, 3, 7, 9, 200)]
    made = first_pair(values, 5)
    made.append(x)
    return found, [first_divisor(n) for n in range(2, 60)], made


X = np.array([1.0, 2.0, 3.0, -1.0])
PROGRAMS = [
    (loops_that_return, X),
    (primes, X, 30), (made_lists_grow_in_staged_loops, X), (shares_what_it_makes, X),
    (shares_what_it_makes, -X), (dicts_of_lists, X), (argument_grows, X, [1]),
    (argument_grows_in_a_branch, X, [1]), (argument_grows_in_a_branch, -X, [1]),
    (grows_in_a_branch, X), (grows_in_a_branch, -X), (in_a_staged_loop, X),
    (functions_that_only_compute, X), (a_table_outside, X),
    (tuples_hold_lists, X), (numbered, X), (an_array_is_met_late, X), (unbound, X),
    (comprehensions_inside, X)]


def outcome(f: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    arguments = tuple(a.copy() for a in arguments if not isinstance(a, int)) + tuple(
        a for a in arguments if isinstance(a, int))
    SEEN.clear()
    return repr((f(*arguments), arguments, SEEN))


RUNTIME = {"effects": "runtime", "captures": "guard"}


@pytest.mark.parametrize("options", [{}, RUNTIME], ids=["default", "runtime"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p[0].__name__)
def test_as_in_python(program: tuple[Any, ...], options: dict[str, Any]) -> None:
    plain, *arguments = program
    f = ag.function(plain, **options)
    for _ in range(2):
        assert outcome(f, tuple(arguments)) == outcome(plain, tuple(arguments))


def test_effects_on_what_is_outside_happen_when_the_graph_runs() -> None:
    f = ag.function(functions_with_effects, **RUNTIME)  # type: ignore[arg-type]
    for _ in range(2):
        assert outcome(f, (X,)) == outcome(functions_with_effects, (X,))


@pytest.mark.parametrize("program", [
    primes, numbered, a_table_outside, in_a_staged_loop, loops_that_return])
def test_the_loop_runs_as_written(program: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
                                  ) -> None:
    ran = []
    staged = plain_loops.staged
    monkeypatch.setattr(plain_loops, "staged", lambda *a: ran.append(a) or staged(*a))
    ag.function(program)(*(X, 30)[:program.__code__.co_argcount])
    assert ran


def test_a_table_outside_is_guarded() -> None:
    f = ag.function(a_table_outside, captures="guard")
    f(X)
    TABLE[1] += 10
    try:
        assert f(X).tolist() == a_table_outside(X).tolist()
    finally:
        TABLE[1] -= 10


def test_errors_are_on_the_line_of_the_loop() -> None:
    with pytest.raises(IndexError, match="list index out of range") as caught:
        ag.function(fails)(X)
    lines = [entry.lineno for entry in caught.traceback]
    assert lines[-1] == fails.__code__.co_firstlineno + 3


def calls_itself(n, digits):
    if n == 0:
        return sum(digits)
    total = 0
    for digit in range(3):
        digits[n - 1] = digit
        total += calls_itself(n - 1, digits)
    return total


def test_a_loop_that_calls_the_function_it_is_in() -> None:
    for options in ({}, RUNTIME):
        f = ag.function(calls_itself, **options)  # type: ignore[arg-type]
        assert f(2, [0, 0]) == calls_itself(2, [0, 0])
