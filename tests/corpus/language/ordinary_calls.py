"""Calls, stars, tables, caches and warnings that ordinary code is full of."""

import dataclasses
import functools
import math
import random
import statistics
import warnings
from contextlib import ExitStack, contextmanager

import numpy as np

from tests.corpus.case import Case

VALUES = [(np.array([3.0, -1.0, 2.5, 0.5, 4.0]),), (np.array([-2.0, 1.0, 0.25, 6.0, -1.5]),)]
INTEGERS = [(np.array([3, 1, 4, 1, 5]),), (np.array([2, 7, 1, 8, 2]),)]
COUNTS = [(np.array(3),), (np.array(5),)]
FEW = [(np.array(3),), (np.array(2),)]


def inner_of_made(x):
    if x.sum() > 0:
        return x * 2
    return x


def made_of(text, name, **scope):
    """A function made of a text that Python does not keep."""
    exec(compile(text, f"<made-up {name}>", "exec"), scope)
    return scope[name]


made = made_of("""
def made(x, k=2):
    if k > 1:
        return np.sqrt(np.abs(x)) * k
    return x
""", "made", np=np)
wrapper = made_of("""
def wrapper(x, *args, **kwargs):
    return inner_of_made(x, *args, **kwargs)
""", "wrapper", inner_of_made=inner_of_made)


@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def options(**kw):
    return sorted(kw.items())


TABLE = {0: "zero", 1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 7: "seven", 8: "eight"}
FUNCS = {0: np.sin, 1: np.cos, 2: np.tan}


@dataclasses.dataclass
class Point:
    x: object
    y: object = 0.0
@dataclasses.dataclass(frozen=True)
class Opt:
    lr: float = 0.1
    n: int = 2


@contextmanager
def scaled(log, k):
    log.append(("in", k))
    try:
        yield k * 2
    finally:
        log.append(("out", k))


def qsort(a, lo, hi):
    if lo < hi:
        p = a[hi]
        i = lo
        for j in range(lo, hi):
            if a[j] <= p:
                a[i], a[j] = a[j], a[i]
                i += 1
        a[i], a[hi] = a[hi], a[i]
        qsort(a, lo, i - 1)
        qsort(a, i + 1, hi)


def warn_stacklevel(x):
    if x[0] > 0:
        warnings.warn("positive", stacklevel=2)
        y = x * 2
    else:
        y = x - 1
    return y


def warn_in_callee(x):
    def check(v):
        if v.min() < 0:
            warnings.warn("negative", RuntimeWarning, stacklevel=2)
        return np.abs(v)
    return check(x) + 1


def exec_made(x):
    return made(x) + 1


def exec_wrapper(x):
    return wrapper(x) + 1


def extend_row(x):
    out = []
    for v in x:
        row = []
        for w in x:
            if w > v:
                row.append(w - v)
        out.extend(row)
    return out


def extend_row_while(n):
    out = []
    i = 0
    while i < n:
        row = [i * j for j in range(3)]
        out.extend(row)
        i += 1
    return out


def lru_fib(n):
    return fib(int(n))


def lru_fib_array(n):
    return fib(n.item()) * 2


def lru_local(n):
    @functools.lru_cache
    def ways(k):
        if k <= 1:
            return 1
        return ways(k - 1) + ways(k - 2)
    return ways(int(n))


def lru_two(n):
    @functools.cache
    def edit(i, j):
        if i == 0 or j == 0:
            return i + j
        return min(edit(i - 1, j), edit(i, j - 1)) + 1
    return edit(int(n), 3)


def star_x(x):
    def f(*a):
        return sum(a) + len(a)
    return f(*x)


def star_filtered(x):
    def f(*a):
        t = 0.0
        for v in a:
            t += v
        return t, len(a)
    return f(*[v for v in x if v > 0])


def star_max(x):
    pos = x[x > 0]
    return max(*pos, 0.0), [*pos, 1.0], [0.0, *[v for v in x if v < 0]]


def star_print(x):
    return "{}-{}".format(*x[:2]), (*x[x > 0], 5.0)


def star_ext_unpack(x):
    a, *rest = x[x > -10]
    first, *middle, last = [v for v in x if v > 0]
    return a, rest, first, middle, last


def dict_chosen(x):
    if x[0] > 0:
        chosen = {"a": 1, "b": x[1]}
    else:
        chosen = {"a": 2, "c": x[2]}
    return dict(**chosen)


def kwargs_chosen(x):
    if x[0] > 0:
        chosen = {"a": 1, "b": x[1]}
    else:
        chosen = {"a": 2, "c": x[2]}
    return options(**chosen)


def kwargs_branch(x):
    kw = {}
    if x[0] > 0:
        kw["axis"] = 0
    return np.sum(x, **kw)


def kwargs_branch2(x):
    def f(a, scale=1.0, shift=0.0):
        return a * scale + shift
    kw = {}
    if x[0] > 0:
        kw["scale"] = 3.0
    if x[1] > 0:
        kw["shift"] = x[1]
    return f(x, **kw)


def table_key(x):
    return TABLE[int(x[0])], TABLE.get(int(x[1])), TABLE[x[2]]


def table_item(x):
    return TABLE[x[0].item()] + "!"


def table_function(x):
    return FUNCS[int(x[0]) % 3](1.0)


def table_loop(x):
    out = []
    for v in x:
        out.append(TABLE[v])
    return " ".join(out)


def dtype_chosen(x):
    dt = np.float32 if x[0] > 0 else np.float64
    return x.astype(dt), np.zeros(3, dtype=dt)


def dtype_chosen2(x):
    dt = np.int64
    if (x > 0).all():
        dt = np.uint8
    return np.asarray(x, dtype=dt)


def dc_replace(x):
    p = Point(x[0], x[1]) if x[0] > 0 else Point(x[2])
    q = dataclasses.replace(p, y=5.0)
    return q.x, q.y


def dc_replace_frozen(x):
    o = Opt()
    if x[0] > 0:
        o = dataclasses.replace(o, lr=x[1])
    return o.lr * o.n


def dc_vars(x):
    p = Point(x[0], x[1]) if x[0] > 0 else Point(x[2])
    return dict(vars(p)), dataclasses.asdict(p), dataclasses.astuple(p)


def yield_self_tree(x):
    def walk(a):
        if len(a) == 1:
            yield a[0]
        else:
            m = len(a) // 2
            yield from walk(a[:m])
            yield from walk(a[m:])
    return [v for v in walk(x) if v > 0]


def fsum_(x):
    return (math.fsum(x), math.fsum([v * 0.1 for v in x]), math.prod(x),
            math.dist([x[0], x[1]], [x[2], 1.0]), math.hypot(*x))


def stat_(x):
    return (statistics.mean([float(v) for v in x]), statistics.median(list(x)),
            statistics.stdev(x.tolist()))


def fsum_grown(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v)
    return math.fsum(out), math.sumprod(out, out) if hasattr(math, "sumprod") else 0


def exitstack(x):
    log = []
    with ExitStack() as stack:
        a = stack.enter_context(scaled(log, 1))
        b = stack.enter_context(scaled(log, 2))
        y = x * a + b
        if y[0] > 0:
            y = y + 1
    return y, log


def ndarray_ctor(x):
    a = np.ndarray(3)
    a[:] = x[:3]
    b = np.ndarray((2, 2), dtype=np.int64)
    b.fill(int(x[0]))
    return a, b


def ndarray_buffer(x):
    return np.ndarray((2,), dtype=float, buffer=x, offset=8)


def mutable_default(x):
    def count(v, seen=[]):
        seen.append(v)
        return len(seen), sum(seen)
    return count(x[0]), count(x[1])


def mutable_default_dict(x):
    def memo(k, cache={}):
        if k not in cache:
            cache[k] = x[0] * k
        return cache[k]
    return memo(1) + memo(2) + memo(1)


def quicksort_list(x):
    a = list(x)
    qsort(a, 0, len(a) - 1)
    return a


def quicksort_arg(x):
    a = x.tolist()
    qsort(a, 0, len(a) - 1)
    return a


def quicksort_new(x):
    def sort(a):
        if len(a) <= 1:
            return a
        p = a[0]
        return sort([v for v in a[1:] if v < p]) + [p] + sort([v for v in a[1:] if v >= p])
    return sort(list(x))


def shift_random(x):
    r = random.Random(1)
    t = 0
    for _ in range(4):
        t += 1 << r.randrange(10)
    return t + x.sum()


CASES = [
    Case(warn_stacklevel, *VALUES),
    Case(warn_in_callee, *VALUES),
    Case(exec_made, *VALUES),
    Case(exec_wrapper, *VALUES),
    Case(extend_row, *VALUES),
    Case(extend_row_while, *COUNTS),
    Case(lru_fib, *COUNTS),
    Case(lru_fib_array, *COUNTS),
    Case(lru_local, *COUNTS),
    Case(lru_two, *COUNTS),
    Case(star_x, *VALUES),
    Case(star_filtered, *VALUES),
    Case(star_max, *VALUES),
    Case(star_print, *VALUES),
    Case(star_ext_unpack, *VALUES),
    Case(dict_chosen, *VALUES),
    Case(kwargs_chosen, *VALUES),
    Case(kwargs_branch, *VALUES),
    Case(kwargs_branch2, *VALUES),
    Case(table_key, *INTEGERS),
    Case(table_item, *INTEGERS),
    Case(table_function, *INTEGERS),
    Case(table_loop, *INTEGERS),
    Case(dtype_chosen, *VALUES),
    Case(dtype_chosen2, *VALUES),
    Case(dc_replace, *VALUES),
    Case(dc_replace_frozen, *VALUES),
    Case(dc_vars, *VALUES),
    Case(yield_self_tree, *VALUES),
    Case(fsum_, *VALUES),
    Case(stat_, *VALUES),
    Case(fsum_grown, *VALUES),
    Case(exitstack, *VALUES),
    Case(ndarray_ctor, *VALUES),
    Case(ndarray_buffer, *VALUES),
    Case(mutable_default, *VALUES),
    Case(mutable_default_dict, *VALUES),
    Case(quicksort_list, *VALUES),
    Case(quicksort_arg, *VALUES),
    Case(quicksort_new, *VALUES),
    Case(shift_random, *VALUES),
]
