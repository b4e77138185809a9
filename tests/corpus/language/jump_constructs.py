"""Jumps, `with`, `try`, `raise`, `assert`, and the other statements."""

import contextlib

import numpy as np

from tests.corpus.case import titled

SCALARS = [(np.float64(2.5),), (np.float64(-1.0),), (np.float64(0.0),), (3,), (-2,)]
NUMBERS = [(np.int64(5),), (np.int64(0),), (np.int64(12),), (4,)]
VECTORS = [(np.array([1.0, -2.0, 3.0]),), (np.array([1.0, 0.5, 8.0]),), ([1.0, 2.0],)]

TOTAL = 0


def break_and_continue(n):
    s = 0
    i = 0
    while True:
        i += 1
        if i > n:
            break
        if i % 2:
            continue
        s += i
    return s


def return_and_rest(x):
    if x > 0:
        return x
    y = -x
    return y * 2


def falls_off_the_end(x):
    if x > 0:
        return x


def bare_return(out, x):
    if x > 0:
        out[0] = x
        return
    out[1] = x


def two_levels(x):
    if x > 0:
        if x > 1:
            return 1
        x = x + 1
    return x


def return_inside_with_and_try(x):
    with contextlib.nullcontext():
        if x > 1:
            return "with"
        x = x + 1
    try:
        if x > 0:
            return "try"
        x = x + 1
    except ValueError:
        pass
    return x


def return_in_loop(x):
    for v in x:
        if v < 0:
            return v
    return None


def return_in_while(n):
    while n > 0:
        n = n - 3
        if n == 2:
            return "two"
    return n


def returns_of_other_structure(x):
    if x > 1:
        return x, x
    if x > 0:
        return [x]
    if x == 0:
        return 0
    return x * 1j


class Scope:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, *error):
        self.log.append("out")
        return False


def make_scope(log, x):
    if len(log) > 100:
        return None
    return Scope(log)


def with_block(x):
    log = []
    with make_scope(log, x) as scope:
        if x > 0:
            y = x
        else:
            y = -x
    return y, log, scope.log is log


@contextlib.contextmanager
def doubled(x):
    yield x * 2


def contextmanager_around_branch(x):
    with doubled(x) as y:
        if y > 1:
            y = y - 1
    return y


class Count:
    n = 0

    def __enter__(self):
        self.n = self.n + 1

    def __exit__(self, *error):
        self.n = self.n + 10


def context_manager_in_a_branch(x):
    count = Count()
    if x > 0:
        with count:
            x = x + 1
    return x, count.n


def divide(x, y):
    if y == 0:
        raise ZeroDivisionError("no")
    return x / y


def try_except(x):
    try:
        y = divide(1.0, x)
    except ZeroDivisionError:
        y = 0.0
    else:
        y = y + 1
    finally:
        x = x + 1
    return x, y


def try_else_if(x):
    try:
        y = divide(1.0, x)
    except ZeroDivisionError:
        return "zero"
    else:
        if y > 0:
            return "positive"
        else:
            return "negative"


def try_finally(x):
    log = []
    try:
        if x < 0:
            raise ValueError("negative")
        log.append("done")
    except ValueError:
        log.append("caught")
    finally:
        log.append("finally")
    return log


def finally_runs(log, x):
    try:
        if x > 0:
            raise ValueError("positive")
    finally:
        log.append("finally")
    return x


def except_star(x):
    log = []
    try:
        if x < 0:
            raise ExceptionGroup("several", [ValueError("a"), TypeError("b")])
    except* ValueError:
        log.append("value")
    except* TypeError:
        log.append("type")
    return log


def raise_from(x):
    try:
        if x < 0:
            raise ValueError("inner")
    except ValueError as error:
        raise KeyError("outer") from error
    return x


def assert_plain(x):
    assert x > 0
    assert x < 3, "must be small"
    return x


def assert_formatted(x, bound):
    assert x < bound, f"must be below {bound}"
    return x


def global_in_loop(n):
    global TOTAL
    TOTAL = 0
    i = 0
    while i < n:
        TOTAL = TOTAL + i
        i += 1
    if n > 3:
        TOTAL = TOTAL + 1
    result, TOTAL = TOTAL, 0
    return result


def nonlocal_in_loop(n):
    total = 0

    def add(v):
        nonlocal total
        total = total + v

    i = 0
    while i < n:
        add(i)
        i += 1
    return total


def del_of_everything(x):
    y, d, l = x, {"k": x, "m": 1}, [x, 1, 2]
    if x > 0:
        y = x + 1
    z = y
    del y
    del d["m"], l[1]
    return z, d, l


def match_values(x):
    match x:
        case 0:
            return "zero"
        case 3 | 2.5:
            return "some"
        case v if v > 0:
            return v
        case _:
            return "rest"


def match_sequence(x):
    match (x, 1):
        case (0, a):
            return a
        case (a, 1) if a > 0:
            return a * 2
        case (a, b):
            return b, a


def match_mapping_and_class(x):
    match {"kind": "point", "at": complex(1, 2), "x": x}:
        case {"kind": "line"}:
            return 0
        case {"kind": "point", "at": complex(real=r), **rest}:
            if rest["x"] > 0:
                return r
            return rest["x"]


async def double_later(x):
    return x * 2


def run_coroutine(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value


def awaiting(x):
    async def f(y):
        z = await double_later(y)
        total = 0
        async for v in counting():
            total += v
        async with contextlib.nullcontext():
            return z + total

    async def counting():
        for i in range(3):
            yield i

    result = run_coroutine(f(x))
    if result > 4:
        result = result - 1
    return result


def yields(n):
    yield n
    while n > 0:
        n = n - 1
        got = yield n
        if got:
            n = got


def calls_a_generator(n):
    return [v for v in yields(3)], sum(yields(2)), n


def is_a_generator(n):
    made = yields(2)
    return next(made), made.send(5), next(made), n


def walrus(x):
    if (y := x + 1) > 1:
        return y
    while (z := y + 1) < 3:
        y = z
    total = (t := x) + t
    items = [w for v in (1, 2) if (w := v * 2) > 2]
    return y, z, total, items, w


def imports(x):
    import math as m
    from os.path import join
    if x > 0:
        import string
        return m.floor(2.5), join("a", "b"), string.digits
    return x


def class_in_function(x):
    class Made:
        if x is None:
            kind = "none"
        else:
            kind = "some"
        items = []
        for k in range(2):
            items.append(k)

        def absolute(self, v):
            if v > 0:
                return v
            return -v

    return Made().absolute(x), Made.kind, Made.items


def declared(x):
    y: float
    if x > 0:
        y = x
    else:
        y = -x
    return y


def annotated(x):
    y: float = 0.0
    if x > 0:
        y: float = x
    for i in range(2):
        z: int = i
    return y, z


def only_a_docstring(x):
    """Nothing else."""


CASES = [
    titled("`break`, `continue`", break_and_continue, *NUMBERS),
    titled("`if…: return a` / rest `return b`", return_and_rest, *SCALARS),
    titled("`return` in one branch only, function falls off the end", falls_off_the_end, *SCALARS),
    titled("bare `return` used only for side effects", bare_return,
        (np.zeros(2), np.float64(1.0)), (np.zeros(2), np.float64(-1.0)), ([0, 0], 3)),
    titled("two-level: `if a: (if b: return 1); x=…` then `return x`", two_levels, *SCALARS),
    titled("`return` under tensor if inside `with` or `try`, followed by other code",
        return_inside_with_and_try, *SCALARS),
    titled("conditional `return` in staged loop", return_in_loop, *VECTORS),
    titled("conditional `return` in staged `while`", return_in_while, *NUMBERS),
    titled("returns of different structure/dtype", returns_of_other_structure, *SCALARS,
        (np.float64(0.5),)),
    titled("`with`", with_block, *SCALARS),
    titled("`with` of a `contextmanager`", contextmanager_around_branch, *SCALARS),
    titled("`with` in a branch", context_manager_in_a_branch, *SCALARS),
    titled("`try/except/finally/else`", try_except, *SCALARS),
    titled("`try…else` whose else starts with `if`", try_else_if, *SCALARS),
    titled("`try/finally` around what the graph raises", try_finally, *SCALARS),
    titled("`finally` when nothing catches", finally_runs, *[([], *a) for a in SCALARS]),
    titled("`except*`", except_star, *SCALARS),
    titled("`raise`", raise_from, *SCALARS),
    titled("`assert` on tensors", assert_plain, *SCALARS),
    titled("`assert` on tensors, any message", assert_formatted, *[(*a, 2) for a in SCALARS]),
    # A trace that is made later, for a Python number, makes the variable an input of all.
    titled("`global`", global_in_loop, (4,), *NUMBERS),
    titled("`nonlocal`", nonlocal_in_loop, *NUMBERS),
    titled("`del`", del_of_everything, *SCALARS),
    titled("`match`", match_values, *SCALARS),
    titled("`match` of sequences", match_sequence, *SCALARS),
    titled("`match` of mappings and classes", match_mapping_and_class, *SCALARS),
    titled("`async def/for/with`, `await`", awaiting, *SCALARS),
    titled("`yield`", is_a_generator, (1,), (np.int64(1),)),
    titled("calling a generator", calls_a_generator, (1,), (np.int64(1),)),
    titled("walrus `:=`", walrus, *SCALARS),
    titled("`import` in function", imports, *SCALARS),
    titled("`class` in function", class_in_function, *SCALARS),
    titled("`x: T` without value", declared, *SCALARS),
    titled("`x: T = v` inside if/loop body", annotated, *SCALARS),
    titled("docstring-only function", only_a_docstring, *SCALARS),
]
