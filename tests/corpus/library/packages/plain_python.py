"""Programs with Python's own library beside NumPy: containers, numbers, texts, dates, records."""

import bisect
import calendar
import collections
import contextlib
import copy
import datetime
import decimal
import enum
import fractions
import functools
import heapq
import itertools
import json
import math
import operator
import random
import re
import statistics
import string
import textwrap
import typing
import warnings
from dataclasses import asdict, astuple, dataclass, field, replace

import numpy as np


class Level(enum.Enum):
    LOW = 1
    MID = 2
    HIGH = 3

    @classmethod
    def of(cls, v):
        if v < 0:
            return cls.LOW
        return cls.MID if v < 2.2 else cls.HIGH


class Bits(enum.Flag):
    A = 1
    B = 2
    C = 4


@dataclass(order=True)
class Job:
    due: float
    name: str = field(compare=False, default="")
    done: bool = field(compare=False, default=False)


class Point(typing.NamedTuple):
    x: float
    y: float = 0.0

    def length(self):
        return math.hypot(self.x, self.y)


def histogram(x):
    c = collections.Counter(int(v) for v in x)
    (top, n), *rest = c.most_common()
    return top, n, len(rest), c[99]


def levels(x):
    found = [Level.of(v) for v in x]
    return found, collections.Counter(f.name for f in found), Level.of(x[0]) is Level.HIGH


def flags(x):
    b = Bits(0)
    for v, f in zip(x, (Bits.A, Bits.B, Bits.C)):
        if v > 0:
            b |= f
    return b, Bits.B in b, b.value


def jobs_by_due(x):
    heap = []
    for v, n in zip(x, string.ascii_lowercase):
        heapq.heappush(heap, Job(v, n))
    out = []
    while heap and heap[0].due < 2:
        job = heapq.heappop(heap)
        job.done = True
        out.append(job.name)
    return out, len(heap)


def jobs_replaced(x):
    j = Job(x[0], "a")
    k = replace(j, due=x[1])
    best = min(j, k)
    return asdict(best), astuple(k), j < k


def points(x):
    p = [Point(a, b) for a, b in zip(x, x[1:])]
    far = max(p, key=Point.length)
    return far, far._asdict(), far._replace(y=0.0), Point(x[0])


def inserted(x):
    s = []
    for v in x:
        i = bisect.bisect_left(s, v)
        if i < len(s) and s[i] == v:
            continue
        s.insert(i, v)
    return s, bisect.bisect(s, 1.0), bisect.bisect(s, x[0], key=lambda v: v)


def fractions_summed(x):
    t = fractions.Fraction(0)
    for v in x:
        if v > 0:
            t += fractions.Fraction(v).limit_denominator(10)
    return t, t.numerator if t > 5 else t.denominator


def decimals(x):
    d = decimal.Decimal(str(float(x[0]))).quantize(decimal.Decimal("0.1"))
    with decimal.localcontext() as c:
        c.prec = 4
        e = d / 3
    return d, e, d.is_signed()


def summary(x):
    v = x.tolist()
    return statistics.mean(v), statistics.median(v), statistics.pstdev(v), statistics.mode(
        round(a) for a in v)


def quartiles(x):
    q = statistics.quantiles(x.tolist(), n=4)
    return q if q[0] > 0 else q[::-1]


def linear_fit(x):
    s, i = statistics.linear_regression(range(6), x.tolist())
    return round(s, 9), "up" if s > 0 else "down"


def as_json(x):
    d = {"values": x.tolist(), "big": [float(v) for v in x if v > 2], "n": len(x)}
    t = json.dumps(d, sort_keys=True)
    back = json.loads(t)
    return t, back["values"][0] if back["big"] else None


def json_of_arrays(x):
    try:
        return json.dumps({"x": x[0], "all": x})
    except TypeError as e:
        return str(e)


def json_default(x):
    def plain(o):
        if isinstance(o, np.ndarray):
            return o.tolist()
        raise TypeError(o)

    return json.dumps({"x": x}, default=plain)


def matched_texts(x):
    text = ",".join(f"{v:.1f}" for v in x)
    found = re.findall(r"-(\d+)\.", text)
    m = re.match(r"(?P<whole>-?\d+)\.(\d)", text)
    return found, m.group("whole"), m.span(2), re.sub(r"\d", lambda d: "#" if d.group() > "2"
                                                     else d.group(), text)


def dates(x):
    start = datetime.date(2024, 1, 31)
    days = [start + datetime.timedelta(days=int(v)) for v in x]
    late = [d for d in days if d > start]
    return days[0].isoformat(), len(late), max(days).strftime("%a %d"), calendar.isleap(
        days[0].year)


def durations(x):
    t = datetime.timedelta()
    for v in x:
        if v > 0:
            t += datetime.timedelta(hours=float(v))
    return t, t.total_seconds() / 3600, str(t)


def running(x):
    return list(itertools.accumulate(x)), list(itertools.accumulate(x, max)), list(
        itertools.accumulate(x, lambda a, b: a * b if b > 0 else a, initial=1.0))


def grouped(x):
    return [(k, [float(v) for v in g]) for k, g in itertools.groupby(x, key=lambda v: v > 0)]


def taken_and_dropped(x):
    up = list(itertools.takewhile(lambda v: v > -1.5, x))
    rest = list(itertools.dropwhile(lambda v: v > -1.5, x))
    return up, rest, list(itertools.filterfalse(lambda v: v > 0, x))


def pairs(x):
    best, pair = math.inf, None
    for a, b in itertools.combinations(range(len(x)), 2):
        d = abs(x[a] - x[b])
        if d < best:
            best, pair = d, (a, b)
    return best, pair, list(itertools.pairwise(x))[:2]


def permuted(x):
    best = min(itertools.permutations(x[:4]), key=lambda p: sum(
        abs(a - b) for a, b in zip(p, p[1:])))
    return best


def turns(x):
    players = itertools.cycle("ab")
    score = {"a": 0.0, "b": 0.0}
    for v, p in zip(x, players):
        if v > 0:
            score[p] += v
        else:
            score[next(players)] += 1
    return score, max(score, key=score.get)


def last_three(x):
    d = collections.deque(maxlen=3)
    means = []
    for v in x:
        d.append(v)
        if len(d) == 3 and d[0] < d[-1]:
            means.append(sum(d) / 3)
    return means, list(d)


def rotated(x):
    d = collections.deque(x)
    d.rotate(2 if x[0] > 0 else -1)
    d.appendleft(d.pop())
    return list(d), d.index(x[1])


def by_key(x):
    g = collections.defaultdict(list)
    for i, v in enumerate(x):
        g[int(v) % 2 if v > 0 else "neg"].append(i)
    return dict(g), sorted(map(str, g))


def least_recent(x):
    c = collections.OrderedDict()
    for v in x:
        k = int(v)
        if k in c:
            c.move_to_end(k)
        c[k] = v
        if len(c) > 3:
            c.popitem(last=False)
    return list(c.items())


def layers(x):
    c = collections.ChainMap({"a": x[0]} if x[0] > 0 else {}, {"a": 0.0, "b": x[1]})
    return c["a"], c["b"], len(c)


def reduced(x):
    return functools.reduce(lambda a, v: a + v if v > 0 else a - 1, x, 0.0), functools.reduce(
        operator.mul, x)


def partials(x):
    f = functools.partial(np.clip, a_min=0.0)
    return f(x, a_max=2.0), functools.partial(pow, x[0])(2)


def cached(x):
    @functools.lru_cache
    def grid(i, j):
        if i == 0 or j == 0:
            return 1.0
        return grid(i - 1, j) + grid(i, j - 1) * x[i % 6]

    return grid(3, 3), grid(2, 3)


def cache_counted(x):
    @functools.lru_cache
    def power(n):
        return 1.0 if n == 0 else x[0] * power(n - 1)

    return power(3) + power(2), power.cache_info().hits


def dispatched(x):
    @functools.singledispatch
    def show(v):
        return "other"

    @show.register
    def _(v: float):
        return "float" if v > 0 else "negative"

    @show.register(list)
    def _(v):
        return [show(a) for a in v]

    return show(x[0]), show(x.tolist()), show("s")


def sorted_by(x):
    rows = [{"i": i, "v": v} for i, v in enumerate(x)]
    rows.sort(key=operator.itemgetter("v"), reverse=True)
    cmp = functools.cmp_to_key(lambda a, b: -1 if a["v"] * a["i"] < b["v"] * b["i"] else 1)
    return [r["i"] for r in rows], [r["i"] for r in sorted(rows, key=cmp)]


def top(x):
    return heapq.nlargest(2, x), heapq.nsmallest(2, enumerate(x), key=lambda p: p[1]), list(
        heapq.merge(sorted(x[:3]), sorted(x[3:])))


def median_of_stream(x):
    low, high, out = [], [], []
    for v in x:
        if not low or v <= -low[0]:
            heapq.heappush(low, -v)
        else:
            heapq.heappush(high, v)
        if len(low) > len(high) + 1:
            heapq.heappush(high, -heapq.heappop(low))
        elif len(high) > len(low):
            heapq.heappush(low, -heapq.heappop(high))
        out.append(-low[0] if len(low) > len(high) else (high[0] - low[0]) / 2)
    return out


def warned(x):
    if x.min() < -1.5:
        warnings.warn(f"low: {x.min()}", RuntimeWarning, stacklevel=2)
    return x.sum()


def warnings_caught(x):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        y = np.sqrt(x)
    return len(seen), [str(w.message) for w in seen], np.isnan(y).any()


def suppressed(x):
    total = 0.0
    for v in x:
        with contextlib.suppress(ValueError):
            total += math.sqrt(v)
    return total


def texts(x):
    lines = [f"{i:>2}: {v:+.2f}" for i, v in enumerate(x) if v > 0]
    return "\n".join(lines).title(), textwrap.shorten(" ".join(lines), 20), string.Template(
        "$a!").substitute(a=x[0])


def deep_copied(x):
    d = {"a": [x[0], {"b": x}]}
    e = copy.deepcopy(d)
    if x[0] > 0:
        e["a"][1]["b"][0] = 9.0
    else:
        e["a"].append(1)
    return d, e, copy.copy(d)["a"] is d["a"]


def shuffled(x):
    v = list(x)
    random.shuffle(v)
    r = random.Random(int(abs(x[0])))
    return v, r.choice(x), r.sample(range(9), 3)


def walls(x):
    grid = [["#" if v > 1 else "." for v in np.roll(x, i)] for i in range(3)]
    seen, todo = {(0, 0)}, collections.deque([(0, 0)])
    while todo:
        r, c = todo.popleft()
        for a, b in ((r + 1, c), (r, c + 1)):
            if a < 3 and b < 6 and grid[a][b] == "." and (a, b) not in seen:
                seen.add((a, b))
                todo.append((a, b))
    return len(seen), ["".join(row) for row in grid]


def matched_cases(x):
    def told(v):
        match v:
            case Point(x=0.0):
                return "axis"
            case Point(x=a, y=b) if a > b:
                return f"below {a}"
            case [a, *rest]:
                return len(rest)
            case {"v": w}:
                return w
            case _:
                return None

    return told(Point(x[0], x[1])), told(Point(0.0, x[0])), told(list(x)), told({"v": x[0]})


def isclose(x):
    return math.isclose(x[0], 4.0), math.fsum(x), math.prod(x), math.dist(x[:2], x[2:4]), math.gcd(
        int(x[2]), 6), math.floor(x[0]), math.copysign(1, x[3])


SETS = {}
