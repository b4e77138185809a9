"""Scripts with Python's library: numbers, dates, text, files, queues, records, money."""

import collections
import csv
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import functools
import io
import itertools
import json
import math
import pathlib
import random
import re
import statistics
import string
import tempfile
import textwrap
import zlib

import numpy as np


def stats_of_numbers(x):
    v = [float(e) for e in x]
    try:
        mode = statistics.mode([round(e) for e in v])
    except statistics.StatisticsError as e:
        mode = str(e)
    return statistics.fmean(v), statistics.median(v), statistics.pstdev(v), mode, \
        statistics.quantiles(v, n=4)


def exact_sum(x):
    total = fractions.Fraction(0)
    for v in x:
        total += fractions.Fraction(float(v)).limit_denominator(8)
    return total, total.numerator, float(total) > 3


def money(x):
    cents = decimal.Decimal("0.01")
    total = decimal.Decimal(0)
    for v in x.tolist():
        d = decimal.Decimal(str(v)).quantize(cents, rounding=decimal.ROUND_HALF_UP)
        if d < 0:
            continue
        total += d * decimal.Decimal("1.19")
    return str(total.quantize(cents)), total


def due_dates(x):
    start = dt.date(2024, 2, 27)
    found = []
    for v in x:
        day = start + dt.timedelta(days=int(v))
        while day.weekday() >= 5:
            day += dt.timedelta(days=1)
        found.append(day.isoformat())
    return found, max(found)


def durations(x):
    start = dt.datetime(2024, 1, 1, 12, 0)
    total = sum((dt.timedelta(hours=float(v)) for v in x if v > 0), dt.timedelta())
    return (start + total).strftime("%d.%m.%Y %H:%M"), total > dt.timedelta(hours=10)


def counted_words(x, text):
    words = re.findall(r"[a-z]+", text.lower())
    count = collections.Counter(w for w in words if len(w) > x[0])
    return count.most_common(3), sum(count.values())


def grouped_by_sign(x):
    groups = collections.defaultdict(list)
    for v in x:
        groups["neg" if v < 0 else "pos"].append(float(v))
    return {k: sum(v) / len(v) for k, v in groups.items()}, dict(groups)


def recent(x):
    window = collections.deque(maxlen=3)
    means = []
    for v in x:
        window.append(v)
        if len(window) == window.maxlen:
            means.append(sum(window) / 3)
    return means, list(window)


def as_json(x):
    text = json.dumps({"values": x.tolist(), "mean": float(x.mean()), "ok": bool(x[0] > 0)},
                      sort_keys=True)
    back = json.loads(text)
    if back["ok"]:
        back["values"].pop(0)
    return text, back


def parsed_csv(x):
    out = io.StringIO()
    w = csv.DictWriter(out, ["i", "v"])
    w.writeheader()
    for i, v in enumerate(x):
        w.writerow({"i": i, "v": f"{v:.1f}"})
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    return [float(r["v"]) for r in rows if float(r["v"]) > 1], out.getvalue()


def file_written(x):
    with tempfile.TemporaryDirectory() as folder:
        p = pathlib.Path(folder) / "v.txt"
        p.write_text("\n".join(map(str, x.tolist())))
        lines = p.read_text().splitlines()
        names = sorted(q.name for q in pathlib.Path(folder).iterdir())
    return [float(line) for line in lines if not line.startswith("-")], names, p.suffix


@dataclasses.dataclass(order=True)
class Sample:
    value: float
    name: str = dataclasses.field(default="", compare=False)
    tags: list = dataclasses.field(default_factory=list, compare=False)

    @property
    def label(self):
        return f"{self.name}:{self.value:.1f}"


def sorted_samples(x):
    made = [Sample(float(v), string.ascii_lowercase[i]) for i, v in enumerate(x)]
    for s in made:
        if s.value > 2:
            s.tags.append("big")
    made.sort(reverse=True)
    return [s.label for s in made], made[0], dataclasses.asdict(made[-1])


class Grade(enum.IntEnum):
    LOW = 0
    MID = 1
    HIGH = 3

    @classmethod
    def of(cls, v):
        for g in sorted(cls, reverse=True):
            if v >= g:
                return g
        return cls.LOW


def grades(x):
    made = [Grade.of(v) for v in x]
    count = collections.Counter(made)
    return made, [g.name for g in made], count[Grade.HIGH], max(made)


def drawn(x):
    rng = random.Random(int(abs(x[0])))
    found = []
    while sum(found) < 3 and len(found) < 20:
        found.append(rng.random() if rng.random() < 0.5 else rng.gauss(0, 1))
    return found, rng.choice("abc"), rng.sample(range(10), 3)


def bootstrap(x):
    rng = np.random.default_rng(3)
    means = [rng.choice(x, len(x)).mean() for _ in range(20)]
    lo, hi = np.percentile(means, [5, 95])
    return (round(float(lo), 9), round(float(hi), 9)), bool(lo > 0)


def pairs(x):
    up = [(a, b) for a, b in itertools.pairwise(x) if b > a]
    runs = [(k, len(list(g))) for k, g in itertools.groupby(x > 0)]
    best = max(itertools.combinations(x, 2), key=lambda p: p[0] * p[1])
    return up, runs, best, list(itertools.accumulate(x, max))


def taken(x):
    first = list(itertools.takewhile(lambda v: v != 3.0, x))
    rest = list(itertools.dropwhile(lambda v: v != 3.0, x))
    return first, rest, list(itertools.islice(itertools.cycle(x), 8)), \
        list(itertools.zip_longest(first, rest, fillvalue=None))


def binned(x):
    edges = np.linspace(x.min(), x.max(), 4)
    which = np.digitize(x, edges[1:-1])
    table = {}
    for k in np.unique(which):
        part = x[which == k]
        table[int(k)] = (part.min(), part.max(), part.size)
    return table


def lookup(x):
    names = {1: "one", 2: "two", 3: "three"}
    return [names.get(int(v), "?") for v in x], any(int(v) in names for v in x)


def parsed_expression(x, text):
    m = re.match(r"(?P<n>\d+)\s*(?P<op>[-+*])", text)
    if m is None:
        raise ValueError(f"cannot read {text!r}")
    n = int(m["n"])
    match m["op"]:
        case "+":
            return x + n
        case "-":
            return x - n
        case _:
            return x * n


def template(x):
    t = string.Template("$name has $n items")
    rows = [t.substitute(name=f"row {i}", n=int(v)) for i, v in enumerate(x) if v > 1]
    return textwrap.indent("\n".join(rows), "  ")


def checksum(x):
    c = zlib.crc32(x.tobytes())
    return c if x[0] > 0 else -c


@functools.cache
def _cost(n):
    return n if n < 2 else _cost(n - 1) + _cost(n - 2)


def memo(x):
    return [_cost(int(abs(v)) * 5) for v in x]


def reduced(x):
    gcd = functools.reduce(math.gcd, [int(abs(v)) * 6 for v in x])
    return gcd, math.prod(v for v in x if v), math.dist(x[:3], x[3:]), math.hypot(*x)


def newton(x):
    found = []
    for v in x:
        if v < 0:
            found.append(math.nan)
            continue
        r, steps = max(v, 1.0), 0
        while abs(r * r - v) > 1e-9:
            r = 0.5 * (r + v / r)
            steps += 1
            if steps > 50:
                break
        found.append(r)
    return np.array(found)


def simulated(x):
    rng = np.random.default_rng(0)
    queue, served, clock = [], 0, 0.0
    arrivals = np.cumsum(rng.exponential(1 + abs(x[0]), 10))
    for a in arrivals:
        clock = max(clock, a) + rng.exponential(1.0)
        queue.append(clock - a)
        if queue[-1] < 1:
            served += 1
    return served, np.round(queue, 9)


class Account:
    def __init__(self, start):
        self.balance = start
        self.log = []

    def move(self, amount):
        if self.balance + amount < 0:
            raise ValueError("overdrawn")
        self.balance += amount
        self.log.append(amount)


def account(x):
    a = Account(1.0)
    refused = 0
    for v in x:
        try:
            a.move(v)
        except ValueError:
            refused += 1
    return a.balance, a.log, refused, vars(a)


def windows(x):
    v = np.lib.stride_tricks.sliding_window_view(x, 3)
    best = v.mean(axis=1).argmax()
    return v[best].copy(), best, [w.tolist() for w in v if w.min() > 0]


def logged(x, log):
    for i, v in enumerate(x):
        if v < 0:
            log.append(f"{i}: negative ({v})")
    if len(log) > 2:
        del log[0]
    return len(log)


def nested(x, config):
    config.setdefault("seen", {})
    for v in x.tolist():
        config["seen"][v] = config["seen"].get(v, 0) + 1
    config["n"] += 1
    top = max(config["seen"].items(), key=lambda kv: (kv[1], kv[0]))
    return top, config["n"]


def dated(x):
    base = np.datetime64("2024-01-01")
    days = base + x.astype(int).astype("timedelta64[D]")
    late = days[days > np.datetime64("2024-01-02")]
    return days.astype(str).tolist(), late, (days.max() - days.min()).astype(int)


def records(x):
    r = np.zeros(len(x), dtype=[("id", "i4"), ("v", "f8"), ("name", "U4")])
    r["id"] = np.arange(len(x))
    r["v"] = x
    r["name"] = np.where(x > 0, "pos", "neg")
    r.sort(order=["name", "v"])
    return r, [row["id"].item() for row in r if row["name"] == "pos"]


_ARRAYS = [np.array(v) for v in ([1.0, -2.0, 3.0, 0.5, 4.0, 2.5], [-1.0, 2.0, 5.0, -0.5, 0.25, 1.5],
                                 [4.0, 4.0, 0.0, -3.0, 1.0, 2.0])]
_TEXTS = ["The cat 12 and the dog\n7 cats", "no numbers\nat all 3", "100 birds\n\nfly 5 away, fly"]
SETS = {"counted_words": [*zip(_ARRAYS, _TEXTS, strict=True)],
        "parsed_expression": [*zip(_ARRAYS, ["3 + 4", "12-1", "oops"], strict=True)],
        "logged": [(x, ["start"]) for x in _ARRAYS],
        "nested": [(x, {"n": i}) for i, x in enumerate(_ARRAYS)]}
