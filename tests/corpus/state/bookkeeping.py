"""Bookkeeping in Python's containers: counts, groups, sets, caches, tables, arguments."""

from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

from tests.corpus.case import Case


def counts(x):
    c = {}
    for v in x:
        c[v] = c.get(v, 0) + 1
    return c


def counts_int(x):
    c = {}
    for v in x:
        k = int(v)
        if k in c:
            c[k] += 1
        else:
            c[k] = 1
    return c


def counter(x):
    c = Counter()
    for v in x:
        c[int(v) % 3] += 1
    return c.most_common(2)


def counter_with_a_start(x):
    c = Counter(a=2, b=1)
    for v in x:
        c[int(v)] += 1
    c.update(["a"])
    return c["a"], sorted(c.values()), c


def counter_direct(x):
    return Counter(x.tolist())


def group(x, y):
    g = defaultdict(list)
    for k, v in zip(x, y):
        g[int(k)].append(float(v))
    return {k: sum(v) / len(v) for k, v in g.items()}


def unique_order(x):
    seen = set()
    out = []
    for v in x:
        if v not in seen:
            seen.add(v)
            out.append(v)
    return out


def two_sum(x, t):
    pos = {}
    for i, v in enumerate(x):
        need = t - v
        if need in pos:
            return pos[need], i
        pos[v] = i
    return None


class LRU:
    def __init__(self, capacity):
        self.capacity = capacity
        self.data = OrderedDict()
        self.hits = 0
    def get(self, key):
        if key not in self.data:
            return -1
        self.data.move_to_end(key)
        self.hits += 1
        return self.data[key]
    def put(self, key, value):
        if key in self.data:
            self.data.move_to_end(key)
        self.data[key] = value
        if len(self.data) > self.capacity:
            self.data.popitem(last=False)


def least_recently_used(keys, cap):
    c = LRU(cap)
    out = []
    for k in keys:
        v = c.get(int(k))
        out.append(v)
        if v == -1:
            c.put(int(k), int(k) * 10)
    return out, c.hits


def histogram_words(words, x):
    c = {}
    for i in x:
        w = words[i]
        c[w] = c.get(w, 0) + 1
    return c


def state_machine(x):
    table = {"a": {0: "b", 1: "a"}, "b": {0: "a", 1: "c"}, "c": {0: "c", 1: "a"}}
    s = "a"
    trail = [s]
    for v in x:
        s = table[s][int(v)]
        trail.append(s)
    return s, trail


def lookup_chosen(x, flag):
    d = {"pos": 1.0, "neg": -1.0}
    k = "pos" if flag > 0 else "neg"
    d[k] += x.sum()
    return d


def counts_in_argument(d, x):
    for v in x:
        k = int(v)
        d[k] = d.get(k, 0) + 1
    return len(d)


def appends_to_argument(out, x):
    for v in x:
        if v > 0:
            out.append(v)


def stores_in_argument(items, i, v):
    items[i] = v
    return items


def pops_from_argument(items, x):
    while len(items) > 1 and items[-1] > x:
        items.pop()
    return items


def adds_to_argument(s, x):
    for v in x:
        s.add(int(v))
    return len(s)


def keeps_last_of_argument(q, x):
    for v in x:
        q.append(v)
        if len(q) > 3:
            q.popleft()
    return sum(q)


def key_error(d, k):
    return d[k]


def index_error(items, i):
    return items.pop(i)


def unpacks_unknown_length(x, n):
    parts = x[:n].tolist()
    a, b = parts
    return a + b


def slices_list(n):
    items = [1, 2, 3, 4, 5]
    return items[:n], items[n:]


def lists_of_unknown_length(x):
    return list(x[x > 0]), tuple(x[x > 0])


def invert(d, x):
    inv = {}
    for k, v in d.items():
        inv.setdefault(v + int(x), []).append(k)
    return inv


def anagram(a, b):
    c = Counter(a.tolist())
    for v in b.tolist():
        c[v] -= 1
    return all(v == 0 for v in c.values())


def primes(n):
    out = []
    k = 2
    while k < n:
        if all(k % p for p in out):
            out.append(k)
        k += 1
    return out


def sieve_set(n):
    s = set(range(2, 30))
    p = 2
    while p * p < n:
        if p in s:
            m = p * p
            while m < 30:
                s.discard(m)
                m += p
        p += 1
    return sorted(s)


def matrix_dict(x):
    d = {}
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if x[i, j] != 0:
                d[i, j] = x[i, j]
    return d


def sparse_matvec(x, v):
    d = {}
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if x[i, j] != 0:
                d[(i, j)] = x[i, j]
    out = np.zeros(x.shape[0])
    for (i, j), w in d.items():
        out[i] += w * v[j]
    return out


def array_values(x):
    d = {}
    for i in range(len(x)):
        k = int(x[i]) % 2
        if k not in d:
            d[k] = np.zeros(3)
        d[k][i % 3] += x[i]
    return d


def nested_loop_dict(x):
    total = defaultdict(float)
    for row in x:
        for j, v in enumerate(row):
            total[j] += v
    return dict(total)


def filter_dict(x):
    d = {i: v for i, v in enumerate(x)}
    keep = {k: v for k, v in d.items() if v > 0}
    for k in list(keep):
        if k % 2:
            del keep[k]
    return keep


def set_ops(a, b):
    s, t = set(a.tolist()), set(b.tolist())
    return sorted(s & t), sorted(s | t), len(s - t), s <= t


def stores_in_list(x, i):
    items = [0, 0, 0]
    for v in x:
        items[int(v) % 3] += 1
    items[i] = 9
    return items


def lists_swap(x, i, j):
    items = [float(v) for v in x]
    items[i], items[j] = items[j], items[i]
    return items


def remove_items(x, v):
    items = x.tolist()
    while v in items:
        items.remove(v)
    return items, len(items)


LINKS = np.array([[0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
OTHER = np.array([[0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]])

CASES = [
    Case(counts, (np.array([1, 2, 1]), ), (np.array([3, 4, 5]), )),
    Case(counts_int, (np.array([1, 2, 1]), ), (np.array([3, 4, 5]), )),
    Case(counter, (np.array([1, 2, 1, 4]), ), (np.array([3, 4, 5, 6]), )),
    Case(counter_with_a_start, (np.array([1, 2, 1, 4]), ), (np.array([3, 4, 5, 6]), )),
    Case(counter_direct, (np.array([1, 2, 1, 4]), ), (np.array([3, 4, 5, 6]), )),
    Case(group, (np.array([1, 2, 1]), np.array([1.0, 2, 3])),
         (np.array([3, 3, 3]), np.array([1.0, 2, 3]))),
    Case(unique_order, (np.array([3, 1, 3]), ), (np.array([1, 2, 3]), )),
    Case(two_sum, (np.array([1, 4, 6]), np.int64(10)), (np.array([1, 4, 6]), np.int64(100))),
    Case(least_recently_used, (np.array([1, 2, 1, 3, 2, 1]), 2), (np.array([5, 5, 5, 5, 5, 5]), 2)),
    Case(histogram_words, (["x", "y", "z"], np.array([0, 1, 0])),
         (["x", "y", "z"], np.array([2, 2, 2]))),
    Case(state_machine, (np.array([0, 1, 1]), ), (np.array([1, 1, 0]), )),
    Case(lookup_chosen, (np.array([1.0, 2]), np.int64(1)), (np.array([1.0, 2]), np.int64(-1))),
    Case(counts_in_argument, ({1: 5}, np.array([1, 2, 1])), ({1: 5}, np.array([9, 8, 7]))),
    Case(appends_to_argument, ([], np.array([1, -2, 3])), ([], np.array([-1, -2, -3]))),
    Case(stores_in_argument, ([1, 2, 3], np.int64(0), np.int64(7)),
         ([1, 2, 3], np.int64(5), np.int64(7))),
    Case(pops_from_argument, ([1, 2, 3, 4], np.int64(2)), ([1, 2, 3, 4], np.int64(9))),
    Case(adds_to_argument, ({1}, np.array([1, 2, 1])), ({1}, np.array([4, 5, 6]))),
    Case(keeps_last_of_argument, (deque([1]), np.array([1, 2, 1])),
         (deque([1]), np.array([1, 2, 9]))),
    Case(key_error, ({1: 2.0, 3: 4.0}, np.int64(1)), ({1: 2.0, 3: 4.0}, np.int64(2))),
    Case(index_error, ([1, 2], np.int64(1)), ([1, 2], np.int64(5))),
    Case(unpacks_unknown_length, (np.array([1, 2, 3]), np.int64(2)),
         (np.array([1, 2, 3]), np.int64(3))),
    Case(slices_list, (np.int64(2), ), (np.int64(9), )),
    Case(lists_of_unknown_length, (np.array([1, -1, 2]), ), (np.array([-1, -1, -2]), )),
    Case(invert, ({"a":1, "b":1, "c":2}, np.int64(1)), ({"a":1, "b":1, "c":2}, np.int64(5))),
    Case(anagram, (np.array([1, 2, 3]), np.array([3, 1, 2])),
         (np.array([1, 2, 3]), np.array([3, 3, 2]))),
    Case(primes, (np.int64(20), ), (np.int64(2), )),
    Case(sieve_set, (np.int64(30), ), (np.int64(5), )),
    Case(matrix_dict, (LINKS, ), (OTHER, )),
    Case(sparse_matvec, (LINKS, np.array([1.0, 2, 3, 4])), (OTHER, np.array([1.0, 2, 3, 4]))),
    Case(array_values, (np.array([1.0, 2, 3, 4]), ), (np.array([2.0, 4, 6, 8]), )),
    Case(nested_loop_dict, (LINKS, ), (OTHER, )),
    Case(filter_dict, (np.array([1, -1, 2, 3]), ), (np.array([-1, -1, -2, -3]), )),
    Case(set_ops, (np.array([1, 2]), np.array([2, 3])), (np.array([1, 2]), np.array([1, 2]))),
    Case(stores_in_list, (np.array([1, 2, 4]), np.int64(0)), (np.array([3, 3, 3]), np.int64(2))),
    Case(lists_swap, (np.array([1, 2, 3]), np.int64(0), np.int64(2)),
         (np.array([1, 2, 3]), np.int64(1), np.int64(7))),
    Case(remove_items, (np.array([3, 1, 3]), np.int64(3)), (np.array([1, 2, 3]), np.int64(9))),
]
