"""Iterations, lookups and calls that ordinary code is full of: each item has two programs or three.

The name of a program begins with the item that it is for; the rest: `calls_met_often`.
"""

import itertools
from dataclasses import dataclass
from typing import Any


def extended_by_rows(x):
    out = []
    for i in range(int(abs(x[0])) + 1):
        row = []
        for v in x:
            if v > i:
                row.append(v - i)
        out.extend(row)
    return out


def extended_until(x):
    out, left = [], float(abs(x[0])) + 4
    while left > 1:
        row = [left, left / 2]
        out.extend(row)
        out += [v for v in x if v > left]
        left /= 2
    return out, len(out)


def extended_by_tuples(x):
    out = [0]
    for v in x:
        pair = (v, -v) if v > 1 else (v,)
        out.extend(pair)
        out.extend(w for w in pair if w > 2)
    return out


def two_ifs_of_numbers(x):
    a, b, c = float(x[0]), float(x[1]), int(x[4])
    return [v for v in (a, b, c) if v > 0 if v < 4], {v for v in (a, b) if v > 1 if v != 4}


def two_ifs_nested(x):
    return [(i, j) for i in range(3) if x[i] > 0 for j in range(3) if x[j] < 3 if i != j]


def two_ifs_dict(x):
    return {i: v for i, v in enumerate(x) if v if v > 0 if i % 2 == 0}


def groupby_runs(x):
    signs = ["+" if v > 0 else "-" for v in x]
    return [(k, len(list(g))) for k, g in itertools.groupby(signs)]


def groupby_of_pairs(x):
    best = {}
    for key, rows in itertools.groupby(sorted((int(v) // 2, v) for v in x), key=lambda r: r[0]):
        best[key] = max(v for _, v in rows)
    return best


def groupby_left_early(x):
    for key, group in itertools.groupby(x, key=lambda v: v > 0):
        if key:
            return next(group), sum(group)
    return None


def compress_by_a_mask(x):
    names = list("abcdef")
    return list(itertools.compress(names, x > 1)), list(itertools.compress(x, [1, 0, 1]))


def compress_and_filterfalse(x):
    return (list(itertools.filterfalse(lambda v: v > 1, x)), sum(itertools.compress(x, x)),
            list(itertools.takewhile(lambda v: v != 0.5, x)),
            list(itertools.dropwhile(lambda v: v < 3, x)))


def chained_rows(x):
    rows = [[v] * int(abs(v)) for v in x]
    return list(itertools.chain.from_iterable(rows)), len(list(itertools.chain(*rows)))


def chained_generators(x):
    def around(v):
        yield v - 1
        if v > 2:
            yield v + 1
    return sum(itertools.chain.from_iterable(map(around, x))), list(
        itertools.chain.from_iterable(around(v) for v in x[:2]))


def permuted_costs(x):
    n = 3 if x[0] > 0 else 2
    best = None
    for order in itertools.permutations(range(n)):
        cost = sum(x[i] * k for k, i in enumerate(order))
        if best is None or cost < best[0]:
            best = cost, order
    return best


def permuted_items(x):
    picked = [v for v in x if v > 2]
    return list(itertools.permutations(picked)), len(list(itertools.product(picked, repeat=2)))


def combined_pairs(x):
    n = int(abs(x[0])) % 3 + 1
    return sum(1 for c in itertools.combinations(x.tolist(), n) if sum(c) > 2), list(
        itertools.combinations("abc", n))


def combined_with_replacement(x):
    n = int(x[4] > 0.5) + 1
    return [a for a in itertools.combinations_with_replacement([1, 2], n)], list(
        itertools.pairwise([v for v in x if v > 0]))


def index_in_a_tuple(x):
    t = (3.0, x[0], 4.0, 0.25)
    return t.index(x[4]) if x[4] in t else -1, t.count(x[0]), t.count(4.0)


def index_in_a_list_from(x):
    items = [int(v) for v in x]
    k = items.index(items[-1], int(abs(x[0])) % 2)
    try:
        far = items.index(99, 1)
    except ValueError:
        far = None
    return k, far, items.index(items[2], 1, -1), items.count(1)


def index_that_raises(x):
    return [1.0, 2.0, 3.0].index(x[0] + 1, 1)


def endless_primes(x):
    def primes():
        n = 2
        while True:
            if all(n % p for p in range(2, n)):
                yield n
            n += 1
    total = 0
    for p in primes():
        if p > abs(x[4]) + 7:
            break
        total += p
    return total


def endless_zip(x):
    def doubled(v):
        while True:
            yield v
            v *= 2
    for i, (a, b) in enumerate(zip(doubled(1.0), doubled(abs(x[0])))):
        if a + b > 50:
            return i, a, b


def endless_cycle(x):
    left, turns = 10.0, 0
    for v in itertools.cycle([abs(a) + 1 for a in x]):
        left -= v
        turns += 1
        if left < 0:
            break
    return left, turns


def endless_send(x):
    def average():
        total, n, value = 0.0, 0, None
        while True:
            got = yield value
            if got is None:
                return
            total, n = total + got, n + 1
            value = total / n
    g = average()
    next(g)
    return [g.send(v) for v in x if v > 0]


def iterated_twice(x):
    it = iter(x)
    head = [v for v in it if v > 2][:1]
    return head, list(it), next(it, "none")


def iterated_by_zip(x):
    it = iter(x)
    return [a * b for a, b in zip(it, it)], list(zip(*[iter(x)] * 3))


def iterated_then_rest(x):
    it = iter([v for v in x if v > 0])
    for v in it:
        if v > 2:
            break
    return v, list(it)


def keys_from(x):
    d = dict.fromkeys((int(v) for v in x), 0)
    for v in x:
        d[int(v)] += 1
    return d, list(dict.fromkeys(x.tolist())), dict.fromkeys("ab", x[0])


def keys_from_nothing(x):
    d = dict.fromkeys([v for v in x if v > 3])
    return d, len(d), set(dict.fromkeys(["a", "b"] if x[0] > 0 else ["c"]))


def starred_call(x):
    def area(*sides, scale=1):
        return scale * sum(s * s for s in sides), len(sides)
    picked = [v for v in x if v > 1]
    return area(*picked), area(*picked, x[0], scale=2), max(*picked, 0, 1), [*picked, *x[:1]]


def starred_unpacking(x):
    first, *middle, last = [v for v in x if v > 0]
    return first, middle, last, (*middle, 1)


def starred_by_slices(x):
    n = int(abs(x[0])) % 3 + 1
    def total(a, b=10, *more):
        return a + b, more
    return total(*x[:n]), total(*range(n)), [*range(n), *"ab"]


TABLE = {-1: "minus", 0: "zero", 1: "one", 4: "four"}
ACTIONS = {"up": lambda v: v + 1, "down": lambda v: v - 1}
WEIGHTS = {(0, 1): 2.5, (1, 0): 3.5, (1, 1): 4.5, (0, 0): 1.0}


def looked_up(x):
    return TABLE[int(x[0])], TABLE.get(int(x[4])), int(x[1]) in TABLE


def looked_up_functions(x):
    total = 0.0
    for v in x:
        total = ACTIONS["up" if v > 1 else "down"](total)
    return total, WEIGHTS[int(x[0] > 0), int(x[1] > 0)]


def looked_up_or_raised(x):
    try:
        return TABLE[int(x[1])]
    except KeyError as e:
        return e.args[0], str(e)


@dataclass
class Leaf:
    value: Any


@dataclass
class Node:
    left: Any
    right: Any
    op: str = "+"


def value_of(t):
    match t:
        case Leaf(value=v):
            return v
        case Node(left, right, "+") if isinstance(left, Leaf):
            return value_of(left) + value_of(right)
        case Node(left, right, op="*"):
            return value_of(left) * value_of(right)
        case Node(left=l, right=r):
            return value_of(l) - value_of(r)
    return None


Node.__match_args__ = ("left", "right", "op")


def matched_tree(x):
    t = Node(Leaf(x[0]), Node(Leaf(2.0), Leaf(x[1]), "*"))
    if x[2] > 0:
        t = Node(t, Leaf(x[2]), "-")
    return value_of(t)


def matched_chosen(x):
    t = Leaf(x[0]) if x[0] > 0 else Node(Leaf(1.0), Leaf(x[1]))
    match t:
        case Leaf(v):
            return "leaf", v
        case Node(Leaf(a), Leaf(b)):
            return "node", a + b


def matched_values(x):
    def kind(p):
        match p:
            case (0, _):
                return "on the axis"
            case (a, b) if a == b:
                return "diagonal"
            case [a, *rest]:
                return a, len(rest)
    return kind((int(x[2]), x[1])), kind((x[0], x[1])), kind([v for v in x if v > 1])


def matched_dicts(x):
    def area(shape):
        match shape:
            case {"kind": "circle", "r": r}:
                return 3 * r * r
            case {"kind": "square", "side": s, **rest}:
                return s * s, rest
    return area({"kind": "circle", "r": x[0]} if x[0] > 0 else
                {"kind": "square", "side": x[1], "n": 1})


def _halved(v):
    yield v
    if v > 1:
        yield from _halved(v / 2)


def delegated(x):
    return list(_halved(abs(x[0]))), sum(_halved(x[4]))


def delegated_tree(x):
    def in_order(low, high):
        if low < high:
            mid = (low + high) // 2
            yield from in_order(low, mid)
            if x[mid] > 0:
                yield x[mid]
            yield from in_order(mid + 1, high)
    return list(in_order(0, len(x)))


def delegated_quicksort(x):
    def ordered(items):
        if items:
            first, *rest = items
            yield from ordered([v for v in rest if v < first])
            yield first
            yield from ordered([v for v in rest if v >= first])
    return list(ordered(x.tolist()))


def walrus_kept(x):
    found = [(v, r) for v in x if (r := v * v - 1) > 0]
    return found, r, any((big := v) > 3 for v in x), big


def walrus_in_while(x):
    left, out = abs(x[0]) * 10, []
    while (left := left / 2) > 1:
        out.append(left)
    return out, {k: s for k, v in enumerate(x) if (s := abs(v)) > 1}


class Steps:
    def __init__(self, stop, by=1):
        self.at, self.stop, self.by = 0, stop, by

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= self.stop:
            raise StopIteration
        self.at += self.by
        return self.at


class Window:
    def __init__(self, items, low):
        self.items, self.low = items, low

    def __getitem__(self, i):
        if self.items[i] < self.low:
            raise IndexError(i)
        return self.items[i]


class Above:
    def __init__(self, items, low):
        self.items, self.low = iter(items), low

    def __iter__(self):
        return self

    def __next__(self):
        v = next(self.items)
        if v < self.low:
            raise StopIteration
        return v * 2


def user_iterator_of_another(x):
    above = Above(x, -1.5)
    return list(above), list(above.items), sum(Above(x.tolist(), -0.75))


def user_iterator(x):
    return list(Steps(abs(x[0]) + 2)), sum(Steps(x[4], 2)), [a for a, _ in zip(Steps(9), x)]


def user_iterator_in_loop(x):
    total, steps = 0.0, Steps(int(abs(x[4])) + 3)
    for k in steps:
        if k == 2:
            continue
        total += x[k % 6]
    return total, steps.at, list(steps)


def user_sequence(x):
    return [v for v in Window(x.tolist(), -1.5)], max(Window(x, -0.75), default=None)


def in_generators(x):
    return (x[0] in (abs(v) for v in x), any(v > 3 for v in x),
            4.0 in (v for v in x if v > 1), x[4] in map(abs, x[:3]))


def in_generators_left(x):
    it = (v for v in x)
    found = 3.0 in it
    return found, list(it), 1 in Steps(x[4])


def quicksort_in_place(x):
    items = list(x)

    def sort(low, high):
        if low >= high:
            return
        pivot, at = items[high], low
        for i in range(low, high):
            if items[i] < pivot:
                items[i], items[at] = items[at], items[i]
                at += 1
        items[at], items[high] = items[high], items[at]
        sort(low, at - 1)
        sort(at + 1, high)
    sort(0, len(items) - 1)
    return items


def quicksort_by_hoare(x):
    items, stack = x.tolist(), [(0, len(x) - 1)]
    while stack:
        low, high = stack.pop()
        i, j, pivot = low, high, items[(low + high) // 2]
        while i <= j:
            while items[i] < pivot:
                i += 1
            while items[j] > pivot:
                j -= 1
            if i <= j:
                items[i], items[j] = items[j], items[i]
                i, j = i + 1, j - 1
        if low < j:
            stack.append((low, j))
        if i < high:
            stack.append((i, high))
    return items


SETS: dict[str, list[tuple[object, ...]]] = {}
