"""Calls of Python's library that ordinary code is full of: each item has two programs or three.

The name of a program begins with the item that it is for; the rest: `iterations_met_often`.
"""

import functools
import itertools
import math
import operator
import random
import warnings
from collections import namedtuple
from contextlib import ExitStack, closing, nullcontext, suppress
from dataclasses import dataclass, field, replace

import numpy as np


def warn_checked(v, name="value"):
    if v < 0:
        warnings.warn(f"{name} is negative", RuntimeWarning, stacklevel=2)
        v = -v
    elif v > 3:
        warnings.warn("large", stacklevel=2)
    return v


def warn_in_helper(x):
    return warn_checked(x[0]) + warn_checked(x[3], name="fourth")


def warn_in_loop(x):
    clipped = 0
    for v in x:
        if v > 2:
            warnings.warn("clipped", UserWarning, stacklevel=3)
            clipped += 1
    return clipped


class Gauge:
    def __init__(self, limit):
        self.limit = limit

    def read(self, v):
        if v > self.limit:
            warnings.warn("over the limit", category=RuntimeWarning, stacklevel=2)
            return self.limit
        return v


def warn_in_method(x):
    gauge = Gauge(2.0)
    return [gauge.read(v) for v in x]


_scope = {"np": np, "math": math}
exec(compile("""
def tapered(v, low=0.0):
    if v < low:
        return low
    while v > 2:
        v = v / 2
    return v

def counted(x):
    return sum(1 for v in x if v > 0)

def noted(out, v):
    if v > 0:
        out.append(v)
        out[0] += 1

class Ledger:
    def __init__(self):
        self.total = 0

    def add(self, v):
        if v > 0:
            self.total += v
        return self
""", "<argmap made-up 12>", "exec"), _scope)
tapered, counted, noted, Ledger = (
    _scope[name] for name in ("tapered", "counted", "noted", "Ledger"))


def exec_called(x):
    return tapered(x[0]), tapered(x[4], low=1.0), counted(x)


def exec_as_a_key(x):
    return sorted(x, key=tapered), list(map(tapered, x))


def exec_that_changes(x):
    out, of_one = [0], {"n": [5]}
    noted(out, x[0])
    noted(of_one["n"], x[1])
    return out, len(out), of_one


def exec_class(x):
    made = Ledger()
    for v in x:
        made.add(v)
    return made.total


PairOfEnds = namedtuple("PairOfEnds", "low high", defaults=(0.0,))


def exec_namedtuple(x):
    ends = PairOfEnds(x[0])
    if x[1] > x[0]:
        ends = ends._replace(high=x[1])
    return ends, ends.high - ends.low, ends._asdict()


def shuffled_rows(x):
    rows = [[v, i] for i, v in enumerate(x)]
    random.shuffle(rows)
    return rows[0], [r[1] for r in rows]


def shuffled_and_drawn(x):
    deck = [v for v in x if v > 0]
    r = random.Random(int(abs(x[0])))
    r.shuffle(deck)
    return deck, r.choice(deck), r.sample(deck, 1), random.randint(0, 9)


def shuffled_in_loop(x):
    order, wins = list(range(4)), 0
    for v in x:
        random.shuffle(order)
        if order[0] > v:
            wins += 1
    return wins, order


def reduced_to_a_tuple(x):
    def span(ends, v):
        low, high = ends
        if v < low:
            low = v
        elif v > high:
            high = v
        return low, high
    return functools.reduce(span, x[1:], (x[0], x[0]))


def reduced_to_a_list(x):
    def kept(out, v):
        if not out or v >= out[-1]:
            out.append(v)
        return out
    return functools.reduce(kept, x.tolist(), [])


def reduced_dict(x):
    def note(counts, v):
        key = "up" if v > 1 else "down"
        counts[key] = counts.get(key, 0) + 1
        return counts
    return functools.reduce(note, x, {})


@functools.lru_cache(maxsize=None)
def _ways(n, k):
    if n == 0:
        return 1
    if n < 0 or k == 0:
        return 0
    return _ways(n - k, k) + _ways(n, k - 1)


def cached_partitions(x):
    n = int(abs(x[4])) + 3
    return _ways(n, n)


def cached_inside(x):
    @functools.lru_cache(maxsize=32)
    def best(i):
        if i < 0:
            return 0.0
        return max(best(i - 1), best(i - 2) + x[i])
    return best(len(x) - 1), best.cache_info().misses


def cached_by_two(x):
    @functools.cache
    def lattice(i, j):
        if i == 0 or j == 0:
            return x[i + j]
        return lattice(i - 1, j) + lattice(i, j - 1)
    return lattice(2, 3), lattice(1, 2)


def fsum_of_picked(x):
    picked = [v for v in x if v > 0]
    return math.fsum(picked), math.fsum(v * v for v in x), math.prod(picked)


def fsum_of_rows(x):
    rows = [(x[0], x[1]), (x[2], x[3])]
    return [math.fsum(r) for r in rows], math.hypot(*x[:3]), math.dist(rows[0], rows[1])


def fsum_of_the_rest(x):
    held = [x[0]]
    while len(held) < 4 and held[-1] < 20:
        held.append(held[-1] * 2 + 5)
    return math.fsum(held), math.sumprod(held, held) if hasattr(math, "sumprod") else None


def whole_gcd(x):
    a, b = int(abs(x[0])) * 6, int(abs(x[4])) * 4 + 2
    return math.gcd(a, b), math.lcm(a, 4), math.isqrt(b), math.comb(b, 2), math.factorial(b % 5)


class Door:
    def __init__(self, log, name):
        self.log, self.name = log, name

    def __enter__(self):
        self.log.append(f"open {self.name}")
        return self

    def __exit__(self, *error):
        self.log.append(f"close {self.name}")
        return False


def stack_of_doors(x):
    log = []
    with ExitStack() as stack:
        stack.enter_context(Door(log, "a"))
        if x[0] > 0:
            stack.enter_context(Door(log, "b"))
        log.append(x[1])
    return log


def stack_of_callbacks(x):
    log = []
    with ExitStack() as stack:
        for i in range(3):
            stack.callback(log.append, x[i] * i)
        stack.callback(log.extend, (1, 2))
    return log


def stack_that_suppresses(x):
    found = None
    with ExitStack() as stack:
        stack.enter_context(suppress(ValueError))
        stack.enter_context(nullcontext())
        if x[0] < 0:
            raise ValueError("negative")
        found = x[0]
    return found


def stack_popped(x):
    log = []
    with ExitStack() as stack:
        stack.push(Door(log, "p"))
        held = stack.pop_all()
    log.append(x[0])
    held.close()
    return log


@dataclass(frozen=True)
class Setting:
    rate: float
    depth: int = 2
    tags: tuple = ()


@dataclass
class Mutable:
    rate: float
    seen: list = field(default_factory=list)


def replaced_when_chosen(x):
    a, b = Setting(x[0]), Setting(x[1], depth=5)
    best = a if x[0] > x[1] else b
    return replace(best, rate=best.rate * 2), vars(best), replace(best, tags=(x[2],))


def replaced_in_loop(x):
    s = Setting(1.0)
    for v in x:
        if v > s.rate:
            s = replace(s, rate=v, depth=s.depth + 1)
    return s, vars(s)["depth"]


def replaced_vars(x):
    made = Mutable(x[0]) if x[0] > 0 else Mutable(0.0, [1])
    vars(made)["rate"] = x[1]
    made.seen.append(x[2])
    return made, sorted(vars(made)), {**vars(made)}


def replaced_from_a_list(x):
    settings = [Setting(v, depth=i) for i, v in enumerate(x)]
    chosen = settings[int(abs(x[3]))]
    return replace(chosen, depth=9), vars(chosen)


def dtype_chosen(x):
    kind = np.float32 if x[0] > 0 else np.float64
    return np.zeros(3, dtype=kind), x.astype(kind), np.dtype(kind).itemsize


def dtype_in_a_dict(x):
    kind = {True: np.int16, False: np.float32}[bool(x[1] > 0)]
    return np.array([1, 2], dtype=kind) + kind(1), kind.__name__


def dtype_of_an_argument(x):
    def made(kind=None):
        if kind is None:
            kind = np.float32 if x.max() > 4 else np.int64
        return np.arange(3, dtype=kind)
    return made(), made(np.uint8)


def base_of_a_view(x):
    v = x[1:4]
    w = v.copy()
    return v.base is not None, w.base is None, v.base is x


def base_as_memory(x):
    m = np.zeros((2, 3))
    m[0] = x[:3]
    return m.T.base is m, len(m.data), m.data.shape, bytes(x[:1].data)


def ndarray_made(x):
    n = int(abs(x[0])) + 1
    out = np.ndarray((n, 2), dtype=float)
    out[:] = x[1]
    return out, out.shape


def ndarray_filled(x):
    out = np.ndarray(shape=(3,), dtype=np.int64)
    for i in range(3):
        out[i] = int(x[i])
    return out


def ndarray_of_memory(x):
    y = np.ndarray((2,), float, x.copy())
    return y * 2


def nditer_sum(x):
    total = 0.0
    for v in np.nditer(x):
        if v > 0:
            total += v
    return total


def nditer_indexed(x):
    m = np.outer(x[:2], x[:3])
    it = np.nditer(m, flags=["multi_index"])
    return [(it.multi_index, float(v)) for v in it]


def nditer_of_two(x):
    return sum(float(a) * float(b) for a, b in np.nditer([x[:3], x[3:]]))


def closed_at_the_end(x):
    def steps():
        try:
            for v in x:
                yield v
        finally:
            log.append("closed")
    log = []
    with closing(steps()) as held:
        first = next(held)
        if first > 0:
            first += next(held)
    return first, log


def itemgetter_of_chosen(x):
    get = operator.itemgetter(int(abs(x[0])) % 3)
    return get([5, 6, 7]), get(x), list(map(get, [x[:3], x[3:]]))


def itemgetter_sorted(x):
    rows = [{"v": v, "k": i} for i, v in enumerate(x)]
    return [r["k"] for r in sorted(rows, key=operator.itemgetter("v"))], max(
        rows, key=operator.itemgetter("v"))["k"]


def itemgetter_groups(x):
    rows = sorted([(int(v) % 2, v) for v in x], key=operator.itemgetter(0))
    return {k: [v for _, v in g] for k, g in itertools.groupby(rows, operator.itemgetter(0))}


def itemgetter_relatives(x):
    double, which = operator.methodcaller("count", int(x[0])), operator.attrgetter("real")
    return double([1, 4, -1]), which(x[0]), operator.itemgetter(slice(1, 3))(x)


def appended_default(v, seen=[]):
    if v > 0:
        seen.append(v)
    return list(seen), len(seen)


def default_in_a_method(x):
    class Log:
        def add(self, v, at={}):
            at[self] = v
            return len(at)
    a = Log()
    return a.add(x[0]), a.add(x[1]), Log().add(x[2])


def default_shared(x):
    def put(v, out=[]):
        out.append(v)
        return out
    first = put(x[0])
    if x[1] > 0:
        put(x[1])
    return put(2), first is put(3)


def default_changed_in_loop(x):
    def put(v, counts={"n": 0}):
        if v > 0:
            counts["n"] += 1
        return counts["n"]
    for v in x:
        put(v)
    return put(-1), put.__defaults__


def keywords_chosen(x):
    def made(scale=1, shift=0, **more):
        return x[2] * scale + shift, sorted(more)
    options = {"scale": 2}
    if x[0] > 0:
        options["shift"] = x[1]
    if x[1] > 0:
        options = {"shift": 1, "other": x[0]}
    return made(**options), dict(**options), dict(options, last=1)


def keywords_popped(x):
    def outer(v, **kw):
        limit = kw.pop("limit", None)
        if limit is not None and v > limit:
            v = limit
        return inner(v, **kw)

    def inner(v, factor=1):
        return v * factor
    kw = dict(limit=2.0) if x[0] > 0 else dict(factor=3)
    return outer(x[4], **kw), outer(x[1], factor=2, **({"limit": 1} if x[2] > 0 else {}))


SETS: dict[str, list[tuple[object, ...]]] = {}
