"""Constructs inside each other, as nobody should write them."""

import contextlib

import numpy as np

from tests.corpus.arguments import NUMBERS, SCALARS
from tests.corpus.case import titled

VECTORS = [(np.array([1.0, -2.0, 3.0]),), (np.array([1.0, 0.5, 8.0]),),
           (np.array([0.0, 0.0, 0.0]),), (np.array([9.0, 9.0, -9.0]),)]


@contextlib.contextmanager
def scope(x):
    yield x + 1


def return_in_try_in_while_in_for_with_else(x):
    for v in x:
        while v > 0:
            try:
                if v > 7:
                    return "high", v
                v = v - 1
                if v == 2:
                    raise ValueError("two")
            except ValueError:
                break
        else:
            continue
        break
    else:
        return "no break", v
    return "broken", v


def break_in_with_in_loop(x):
    total = 0.0
    for v in x:
        with scope(v) as w:
            if w > 5:
                break
            with scope(w) as u:
                if u < 1:
                    continue
                total += u
        total += 1
    return total


def with_in_while_true(n):
    steps = 0
    while True:
        with contextlib.nullcontext(n) as m:
            if m > 9:
                return "out", steps
            n = m * 2 + 1
            if steps > 3:
                break
        steps += 1
    return n, steps


def nonlocal_in_loop(n):
    total = 0
    last = None

    def add(v):
        nonlocal total, last
        if v % 2:
            total += v
            last = v

    i = 0
    while i < n:
        add(i)
        if total > 20:
            break
        i += 1
    return total, last, i


def nonlocal_of_two_levels(n):
    count = 0

    def outer(k):
        step = 1

        def inner():
            nonlocal count, step
            count += step
            step = step + k

        for _ in range(3):
            inner()
            if count > 10:
                return step
        return -step

    a = outer(n)
    b = outer(2)
    return a, b, count


def defaults_capture(x):
    fs = []
    for i in range(4):
        fs.append(lambda v, i=i: v * i if v > 0 else i)
    return [f(x) for f in fs]


def late_binding(x):
    fs = []
    for i in range(3):
        fs.append(lambda: x * i)
    if x > 0:
        x = x + 100
    return [f() for f in fs]


def late_binding_in_staged_loop(n):
    k = 0
    f = lambda: k * 10
    seen = []
    while k < n:
        k += 1
        seen.append(f())
        if len(seen) > 4:
            break
    return f(), seen


def function_defined_in_loop(x):
    total = 0.0
    for v in x:
        def scaled(w):
            if w > v:
                return w * v
            return v

        total += scaled(2.0)
    return total, scaled(5.0)


def function_defined_in_branch(x):
    if x > 0:
        def f(v):
            return v + x
    else:
        def f(v):
            return v - x if v > x else 0.0
    return f(1.0), f(-30.0)


def recursion_on_literals(x, depth=3):
    if depth == 0:
        return x
    if x > 0:
        return recursion_on_literals(x - 1, depth - 1)
    return recursion_on_literals(-x, depth - 1) * 2


def generator_function_in_loop(x):
    def pairs():
        yield 1, x
        yield 2, x * 2
        yield 3, -x

    total = 0.0
    for k, v in pairs():
        if v < 0:
            continue
        if total > 50:
            break
        total += k * v
    else:
        total = -total
    return total


def try_in_comprehension_function(x):
    def safe(v):
        try:
            if v < 0:
                raise ValueError(v)
            return 1 / (v + 1)
        except ValueError:
            return 0.0
        finally:
            pass

    return [safe(v) for v in x]


def everything_is_optional(x):
    found = where = None
    best = -np.inf
    for i, v in enumerate(x):
        if v > best:
            best = v
            found, where = v, i
        elif v == best and where is not None:
            where = (where, i) if i > 1 else where
    return found, where, best


def type_changes(n):
    v = 0
    for i in range(12):
        if i > n:
            v = v + 0.5
        else:
            v = v + 1
        if i == 7:
            v = (v, "seven")
            break
    return v


def shape_changes(x):
    acc = x
    while acc.size < 20:
        if acc[0] > 0:
            acc = np.concatenate([acc, acc])
        else:
            acc = np.append(acc, 1.0)
    return acc.size, acc.sum()


def unbound_on_some_paths(x):
    if x > 0:
        y = x
    if x > 10:
        del y
        y = 1.0
    return y


def unbound_after_del_in_loop(n):
    v = 1
    for i in range(3):
        if i == n:
            del v
        if i + 3 == n:
            v = "rebound"
    return v


def unbound_free_variable(x):
    def get():
        return late

    if x > 0:
        late = x
    return get()


def deleted_and_bound_again(n):
    for i in range(4):
        v = i
        if i < n:
            del v
            v = i * 10
            if i == 2:
                break
    return v


def two_flags(m):
    rows = columns = 0
    done = False
    i = 0
    while not done and i < len(m):
        j = 0
        while True:
            if j >= len(m):
                break
            if m[i][j] < 0:
                done = True
                break
            if m[i][j] == 0:
                j += 2
                continue
            columns += 1
            j += 1
        else:
            rows = 100
        rows += 1
        i += 1
    return rows, columns, done


def globals_and_names(x):
    abs = 3
    max = lambda *a: "shadowed"
    if x > 0:
        len = abs
    else:
        len = -abs
    return abs, max(x, 1), len


def strange_names(x):
    if_true = cond = state = loop_body = test = x
    ag_ = stop = returned = result = 1.0
    while test > 3:
        test = test - 2
        if test == 6:
            return if_true, cond, stop
        if stop > 5:
            break
        stop += 1
    return if_true, cond, state, loop_body, test, ag_, stop, returned, result


def assigned_in_condition_of_branch(n):
    if (k := n % 4) == 1:
        k += 10
    elif (j := k * 2) == 4:
        k = j
    else:
        j = k
    return k, j if k < 10 else None


def conditional_import(x):
    if x > 0:
        from math import floor as f
    else:
        from math import ceil as f
    return f(2.5)


def starred_calls_in_loops(x):
    total = []
    for args in ([x[0]], [x[1], x[2]]):
        total.append(max(*args, 1.5))
        if total[-1] > 5:
            break
    return total


CASES = [
    titled("return in try in while in for with else", return_in_try_in_while_in_for_with_else,
        *VECTORS),
    titled("break in with in a loop", break_in_with_in_loop, *VECTORS),
    titled("with in while True", with_in_while_true, *NUMBERS),
    titled("nonlocal in a staged loop", nonlocal_in_loop, *NUMBERS),
    titled("nonlocal of two levels", nonlocal_of_two_levels, *NUMBERS),
    titled("defaults capture", defaults_capture, *SCALARS),
    titled("late binding", late_binding, *SCALARS),
    titled("late binding in a staged loop", late_binding_in_staged_loop, *NUMBERS),
    titled("a function defined in a loop", function_defined_in_loop, *VECTORS),
    titled("a function defined in a branch", function_defined_in_branch, *SCALARS),
    titled("recursion on literals", recursion_on_literals, *SCALARS),
    titled("a generator function in a loop", generator_function_in_loop, *SCALARS),
    titled("try in a function of a comprehension", try_in_comprehension_function, *VECTORS),
    titled("None until found", everything_is_optional, *VECTORS),
    titled("types change in a loop", type_changes, *NUMBERS),
    titled("shapes change in a loop", shape_changes, *VECTORS),
    titled("unbound on some paths", unbound_on_some_paths, *SCALARS),
    titled("unbound after del in a loop", unbound_after_del_in_loop, *NUMBERS, (np.int64(1),)),
    titled("unbound free variable", unbound_free_variable, *SCALARS),
    titled("deleted and bound again", deleted_and_bound_again, *NUMBERS, (np.int64(1),)),
    titled("two flags", two_flags, (np.array([[1, 0], [2, 3]]),), (np.array([[1, 1], [-1, 3]]),)),
    titled("builtins' names are local", globals_and_names, *SCALARS),
    titled("names of generated functions", strange_names, *SCALARS),
    titled("walrus in the tests of an elif chain", assigned_in_condition_of_branch, *NUMBERS,
        (np.int64(2),)),
    titled("an import in a branch", conditional_import, *SCALARS),
    titled("star arguments in a loop", starred_calls_in_loops, *VECTORS),
]
