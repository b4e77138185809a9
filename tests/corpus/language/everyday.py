"""Small programs as users write them: loops, classes, calls."""

import dataclasses
import functools
from dataclasses import dataclass, replace

import numpy as np

from tests.corpus.arguments import MATRICES, NUMBERS, SCALARS, VECTORS
from tests.corpus.case import titled


def try_finally_break_nested_else(m):
    log = []
    for r in m:
        for v in r:
            try:
                if v < 0:
                    break
                log.append(v)
            finally:
                log.append(-1.0)
        else:
            log.append(100.0)
            continue
        log.append(50.0)
    else:
        log.append(7.0)
    return log


def walrus_leaks(x):
    total = [last := v for v in x]
    return last, total


def any_with_walrus(x):
    if any((w := v) > 2 for v in x):
        return "found", w
    return "none", w


def gen_sum_in_loop(x):
    t = 0.0
    for k in range(10):
        t += sum(v * k for v in x if v > t)
        if t > 50:
            break
    return t, k


def evens(n):
    i = 0
    while i < n:
        yield i
        i += 2


def gen_function_consumed(n):
    a = sum(evens(n))
    b = any(v > 5 for v in evens(n))
    c = list(zip(evens(8), evens(10)))
    d = max(evens(n), default=-1)
    return a, b, c, d


def zip_gen_in_staged_loop(x):
    s = 0.0
    for i in range(12):
        for a, b in zip(x, x[::-1]):
            s += a * b if a > s else 1.0
    return s


@dataclass
class P:
    x: float
    y: float = 0.0

    def moved(self, d):
        if d > 0:
            return P(self.x + d, self.y)
        return replace(self, y=self.y - d)

    @property
    def norm(self):
        return (self.x**2 + self.y**2) ** 0.5

    def __add__(self, o):
        return P(self.x + o.x, self.y + o.y)


def dataclass_new_instances(x):
    p = P(x)
    for i in range(5):
        p = p.moved(x - i)
        if p.norm > 6:
            break
    return p.x, p.y, p.norm


def dataclass_returned(x):
    p = P(x, 1.0).moved(x)
    return dataclasses.astuple(p), dataclasses.asdict(p)


def class_operator_state(n):
    p = P(0.0, 0.0)
    i = 0
    while i < n:
        p += P(i * 1.0, 1.0)
        i += 1
        if p.x > 20:
            break
    return p.x, p.y, i


def match_class_guard(x):
    p = P(x, x + 1)
    match p:
        case P(x=0.0, y=b):
            return "zero", b
        case P(a, b) if a > 10 and b > a:
            return "big", a
        case P(a, _) if a < 0:
            return "neg", a
        case P():
            return "any"


def closure_nonlocal_staged(n):
    count = total = 0

    def step(k):
        nonlocal count, total
        if k % 3 == 0:
            return False
        count += 1
        total += k
        return total > 30

    k = 0
    while k < n:
        k += 1
        if step(k):
            break
    else:
        count = -count
    return count, total, k


def kw(a, *rest, scale=1, **more):
    r = a * scale
    for v in rest:
        if v > r:
            r = v
    return r + sum(more.values())


def args_kwargs(x):
    a = (x, 1.0)
    k = {"scale": 2, "extra": x}
    return kw(*a, 3.0, **k), kw(x), kw(*[x] * 3, b=x if x > 0 else -x)


def fact(n):
    if n <= 1:
        return 1
    return n * fact(n - 1)


def recursion_in_branch(n):
    if n > 3:
        r = fact(n)
    else:
        r = fact(3) - n
    return r


class Temp:
    def __init__(self, c):
        self._c = c

    @property
    def f(self):
        return self._c * 9 / 5 + 32

    @f.setter
    def f(self, v):
        if v < 0:
            raise ValueError(f"too cold: {v}")
        self._c = (v - 32) * 5 / 9


def property_setter_loop(x):
    t = Temp(x)
    for i in range(12):
        t.f += i
        if t.f > 100:
            break
    return t._c, t.f, i


def property_setter_raises(x):
    t = Temp(0.0)
    try:
        t.f = x
    except ValueError as e:
        return str(e), t._c
    return t._c


def partial_reduce(x):
    clip = functools.partial(lambda lo, hi, v: lo if v < lo else hi if v > hi else v, 0.0, 2.0)
    return functools.reduce(lambda a, v: a + clip(v), x, 0.5)


@functools.lru_cache(maxsize=None)
def table(n):
    return [k * k for k in range(n)]


def lru(x):
    return sum(table(4)) + x


def sorted_key(x):
    return (
        sorted(x, key=lambda v: -v),
        sorted(x, key=abs, reverse=True),
        sorted([(v, i) for i, v in enumerate(x)]),
    )


def chained_with_calls(x):
    calls = []

    def c(v):
        calls.append(v)
        return v

    r = c(0) < c(x) <= c(3) != c(2.5)
    return r, calls


def assert_fstring(x):
    assert x >= 0, f"x={x:.3f} {x!r} is negative"
    assert x != 0, f"{x=}"
    return x


def raise_from_none(x):
    try:
        if x < 0:
            raise KeyError("a")
        return x
    except KeyError:
        raise ValueError("b") from None


def nested_early_return(x):
    def outer(v):
        def inner(w):
            if w < 0:
                return -w
            for i in range(10):
                w -= 1
                if w < 0:
                    return w, i
            return w

        if v > 30:
            return inner(v), "big"
        return inner(v)

    return outer(x)


def str_formatting(x):
    return (
        f"{x:>8.2f}|{x!s}|{x:e}",
        "%5.1f %s" % (x, x),
        "{:+.1f} {}".format(x, x),
        str(x),
        repr(x),
        format(x, ".2f"),
    )


def str_methods(n):
    s = str(n)
    return (
        s.zfill(4),
        s[::-1],
        len(s),
        s.startswith("-"),
        s.replace("1", "x"),
        s + "!",
        s * 2,
        "1" in s,
        s.isdigit(),
        s.upper(),
        s.rjust(5, "."),
        int(s) + 1,
    )


def str_loop(n):
    total = 0
    for ch in str(n):
        if ch.isdigit():
            total += int(ch)
    return total


def enum_zip_rows(m):
    t = 0.0
    best = None
    for i, (a, b) in enumerate(zip(m, reversed(m))):
        s = (a * b).sum()
        if s > t:
            t, best = s, i
    return t, best


def in_ranges(n):
    return (
        n in range(0, 20, 5),
        n in (5, 12),
        n in [0, -3],
        n in np.array([1, 5]),
        n not in range(3),
        n in {5, 7},
        5 in (n, 1),
    )


CASES = [
    titled("try finally break nested else", try_finally_break_nested_else, *MATRICES),
    titled("walrus leaks", walrus_leaks, *VECTORS),
    titled("any with walrus", any_with_walrus, *VECTORS),
    titled("gen sum in loop", gen_sum_in_loop, *VECTORS),
    titled("gen function consumed", gen_function_consumed, *NUMBERS),
    titled("zip gen in staged loop", zip_gen_in_staged_loop, *VECTORS),
    titled("dataclass new instances", dataclass_new_instances, *SCALARS),
    titled("dataclass returned", dataclass_returned, *SCALARS),
    titled("class operator state", class_operator_state, *NUMBERS),
    titled("match class guard", match_class_guard, *SCALARS),
    titled("closure nonlocal staged", closure_nonlocal_staged, *NUMBERS),
    titled("args kwargs", args_kwargs, *SCALARS),
    titled("recursion in branch", recursion_in_branch, *NUMBERS),
    titled("property setter loop", property_setter_loop, *SCALARS),
    titled("property setter raises", property_setter_raises, *SCALARS),
    titled("partial reduce", partial_reduce, *VECTORS),
    titled("lru", lru, *SCALARS),
    titled("sorted key", sorted_key, *VECTORS),
    titled("chained with calls", chained_with_calls, *SCALARS),
    titled("assert fstring", assert_fstring, *SCALARS),
    titled("raise from none", raise_from_none, *SCALARS),
    titled("nested early return", nested_early_return, *SCALARS),
    titled("str formatting", str_formatting, *SCALARS),
    titled("str methods", str_methods, *NUMBERS),
    titled("str loop", str_loop, *NUMBERS),
    titled("enum zip rows", enum_zip_rows, *MATRICES),
    titled("in ranges", in_ranges, *NUMBERS),
]
