"""What is called as often as a symbolic value decides changes things as often."""

import functools
import itertools

from tests.corpus.arguments import SCALARS
from tests.corpus.case import titled


def gen_closure(x):
    seen = []

    def look(v):
        seen.append(v)
        return v > x

    r = any(look(v) for v in (1, 5, 50))
    return r, seen


def map_closure(x):
    seen = []

    def look(v):
        seen.append(v)
        return v > x

    r = any(map(look, (1, 5, 50)))
    return r, seen


def next_gen_closure(x):
    seen = []

    def look(v):
        seen.append(v)
        return v > x

    r = next((v for v in (1, 5, 50) if look(v)), None)
    return r, seen


def for_gen_break(x):
    seen = []

    def look(v):
        seen.append(v)
        return v

    for w in (look(v) for v in (1, 5, 50)):
        if w > x:
            break
    return w, seen


def for_map_break(x):
    seen = []

    def look(v):
        seen.append(v)
        return v

    for w in map(look, (1, 5, 50)):
        if w > x:
            break
    return w, seen


def filter_closure(x):
    seen = [0]

    def look(v):
        seen[0] += 1
        return v > x

    r = list(filter(look, (1, 5, 50)))
    return r, seen


def takewhile_closure(x):
    seen = [0]

    def look(v):
        seen[0] += 1
        return v > 2

    if x > 0:
        r = list(itertools.takewhile(look, (5, 3, 1, 7)))
    else:
        r = []
    return seen, len(r)


def reduce_closure(x):
    seen = [0]

    def add(a, b):
        seen[0] += 1
        return a + b if a > x else a

    return functools.reduce(add, [1, 2, 3]), seen


def sort_key_closure(x):
    seen = [0]

    def k(v):
        seen[0] += 1
        return -v

    if x > 0:
        l = sorted([3, 1, 2], key=k)
    else:
        l = []
    return seen[0], len(l)


def wrapped(x):
    calls = [0]

    def counted(f):
        @functools.wraps(f)
        def w(*a):
            calls[0] += 1
            return f(*a)

        return w

    @counted
    def g(v):
        return v + 1

    if x > 0:
        y = g(x)
    else:
        y = 0.0
    return y, calls


def lru_effect(x):
    calls = [0]

    @functools.lru_cache
    def g(v):
        calls[0] += 1
        return v

    if x > 0:
        g(1)
        g(1)
    return calls


def iter_shared(x):
    it = iter([1, 2, 3])
    g = lambda: next(it)
    a = g() if x > 0 else 0
    return a, g()


def gen_shared(x):
    it = (i * 2 for i in range(5))

    def g():
        return next(it)

    a = g() if x > 0 else 0
    return a, g()


def enumerate_shared(x):
    e = enumerate("abc")
    a = next(e) if x > 0 else None
    return a, next(e)


def iter_helpers(x):
    it = iter([1, 2, 3, 4])
    if x > 0:
        a = list(zip(it, "ab"))
    else:
        a = []
    return a, list(it)


def iter_enumerate(x):
    it = iter("abcd")
    r = "none"
    for i, c in enumerate(it):
        if i > x:
            r = c
            break
    return r, list(it)


CASES = [
    titled("gen closure", gen_closure, *SCALARS),
    titled("map closure", map_closure, *SCALARS),
    titled("next gen closure", next_gen_closure, *SCALARS),
    titled("for gen break", for_gen_break, *SCALARS),
    titled("for map break", for_map_break, *SCALARS),
    titled("filter closure", filter_closure, *SCALARS),
    titled("takewhile closure", takewhile_closure, *SCALARS),
    titled("reduce closure", reduce_closure, *SCALARS),
    titled("sort key closure", sort_key_closure, *SCALARS),
    titled("wrapped", wrapped, *SCALARS),
    titled("lru effect", lru_effect, *SCALARS),
    titled("iter shared", iter_shared, *SCALARS),
    titled("gen shared", gen_shared, *SCALARS),
    titled("enumerate shared", enumerate_shared, *SCALARS),
    titled("iter helpers", iter_helpers, *SCALARS),
    titled("iter enumerate", iter_enumerate, *SCALARS),
]
