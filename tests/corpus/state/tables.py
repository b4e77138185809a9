"""Tables, caches and frontiers in Python's containers, whose keys come from arrays."""

import bisect
from collections import Counter, defaultdict, deque

import numpy as np

from tests.corpus.case import Case


class Cache:
    def __init__(self):
        self.data = {}
        self.misses = 0
    def get(self, k):
        if k in self.data:
            return self.data[k]
        self.misses += 1
        v = k * k
        self.data[k] = v
        return v


def try_key(d, k):
    try:
        return d[k]
    except KeyError:
        return -1


def try_key_local(x, k):
    d = {}
    for v in x:
        d[int(v)] = v * 2
    try:
        return d[k]
    except KeyError:
        d[k] = 0
        return d


def cache_method(x):
    c = Cache()
    total = 0
    for v in x:
        total += c.get(int(v))
    return total, c.misses, c.data


def chosen_list(flag, x):
    small, big = [], []
    for v in x:
        target = small if v < flag else big
        target.append(v)
    return small, big


def appends_to_chosen(flag):
    p, q = [1, 2], [3, 4]
    t = p if flag > 0 else q
    t.append(9)
    return p, q


def stores_in_chosen(flag):
    p, q = [1, 2], [3, 4]
    t = p if flag > 0 else q
    t[0] = 9
    return p, q


def dict_of_lists(keys, x):
    g = {}
    for k, v in zip(keys, x):
        if k not in g:
            g[k] = []
        g[k].append(v)
    return {k: len(v) for k, v in g.items()}, sorted(g)


def nested_default(x):
    t = defaultdict(lambda: defaultdict(int))
    for row in x:
        t[row[0]][row[1]] += 1
    return {k: dict(v) for k, v in t.items()}


def pascal(n):
    row = [1]
    i = 0
    while i < n:
        row = [1] + [p + q for p, q in zip(row, row[1:])] + [1]
        i += 1
    return row


def powerset_sizes(n):
    sets = [set()]
    i = 0
    while i < n:
        sets = sets + [s | {i} for s in sets]
        i += 1
    return len(sets), max(len(s) for s in sets)


def perm_stack(n):
    stack = [((), 0)]
    out = []
    while stack:
        p, k = stack.pop()
        if k == n:
            out.append(p)
            continue
        for i in range(3):
            if i not in p:
                stack.append((p + (i,), k + 1))
    return out


def matrix_to_adj(m):
    adj = {i: [j for j in range(len(m)) if m[i, j]] for i in range(len(m))}
    return adj


def two_queues(x):
    q1, q2 = deque(), deque()
    for v in x:
        if v % 2 == 0:
            q1.append(v)
        else:
            q2.appendleft(v)
    out = []
    while q1 or q2:
        if q1:
            out.append(q1.popleft())
        if q2:
            out.append(q2.pop())
    return out


def ticket_sim(x, n):
    q = deque(enumerate(x))
    t = 0
    while q:
        i, v = q.popleft()
        t += 1
        if v > 1:
            q.append((i, v - 1))
        elif i == n:
            return t
    return -1


def window_counts(x, k):
    c = {}
    out = []
    for i, v in enumerate(x):
        c[v] = c.get(v, 0) + 1
        if i >= k:
            u = x[i - k]
            c[u] -= 1
            if c[u] == 0:
                del c[u]
        if i >= k - 1:
            out.append(len(c))
    return out


def lcs_memo(x, y):
    memo = {}
    def go(i, j):
        if i == 0 or j == 0:
            return 0
        if (i, j) not in memo:
            if x[i - 1] == y[j - 1]:
                memo[i, j] = go(i - 1, j - 1) + 1
            else:
                memo[i, j] = max(go(i - 1, j), go(i, j - 1))
        return memo[i, j]
    return go(len(x), len(y))


def lists_equal(x, y):
    p, q = sorted(x.tolist()), sorted(y.tolist())
    return p == q, p < q, p + q, p * 2


def pop_until(x, t):
    stack = x.tolist()
    total = 0
    while stack and total < t:
        total += stack.pop()
    return total, stack


def insert_sorted(x):
    out = []
    for v in x:
        bisect.insort(out, float(v))
    return out, bisect.bisect_left(out, 2.0)


def dict_views(x):
    d = {}
    for i, v in enumerate(x):
        d[int(v)] = i
    best = max(d, key=lambda k: d[k])
    return list(d.keys()), list(d.values()), list(d.items()), best, min(d.values())


def update_dict(x):
    d = {1: 0}
    for v in x:
        d.update({int(v): v})
        d.setdefault(int(v) + 1, [])
    return d


def swap_rows(x, i, j):
    rows = [list(r) for r in x]
    rows[i], rows[j] = rows[j], rows[i]
    return rows


def rotate_list(x, k):
    items = list(x)
    return items[k:] + items[:k], items[::-1][k]


def numbers_items(x):
    items = x[x > 0].tolist()
    pairs = [p for p in zip(items, items[1:])]
    return [(i, v) for i, v in enumerate(items)], pairs, list(reversed(items)), sum(items)


def polynomial(terms, x):
    d = defaultdict(float)
    for c, e in terms:
        d[int(e)] += c
    return sum(c * x ** e for e, c in d.items())


def vote(x):
    count, cand = 0, None
    for v in x:
        if count == 0:
            cand = v
        count += 1 if v == cand else -1
    return cand


def trie(words):
    root = {}
    for w in words:
        node = root
        for ch in w:
            node = node.setdefault(int(ch), {})
    return root


def while_dict(n):
    seen = {}
    i = 0
    while n not in seen:
        seen[n] = i
        n = (n * n + 1) % 17
        i += 1
    return n, i - seen[n]


def string_keys(x):
    c = {"pos": 0, "neg": 0, "zero": 0}
    for v in x:
        k = "pos" if v > 0 else ("neg" if v < 0 else "zero")
        c[k] += 1
    return c


def list_arg_sort(items, x):
    items.append(x)
    items.sort()
    return items[0], items


def list_arg_cond(items, x):
    if x > 0:
        items.append(x)
    else:
        items.clear()
    return len(items)


def aliased(x):
    p = []
    q = p
    r = {"p": p}
    for v in x:
        if v > 0:
            q.append(v)
    return p, r, len(q)


def stack_of_arrays(x):
    stack = [x]
    out = 0.0
    while stack:
        y = stack.pop()
        if len(y) > 1:
            m = len(y) // 2
            stack.append(y[:m])
            stack.append(y[m:] * 0.5)
        else:
            out += y[0]
    return out


def arrays_in_dict(x):
    d = {}
    for i in range(len(x)):
        k = x[i] > 0
        if k not in d:
            d[k] = np.zeros(2)
        d[k] += x[i]
    return d


def game_of_life(cells, n):
    live = {(int(r), int(c)) for r, c in cells}
    i = 0
    while i < n:
        counts = Counter((r + dr, c + dc) for r, c in live for dr in (-1, 0, 1)
                         for dc in (-1, 0, 1) if dr or dc)
        live = {p for p, k in counts.items() if k == 3 or (k == 2 and p in live)}
        i += 1
    return sorted(live)


def knights(n, target):
    seen = {(0, 0)}
    frontier = [(0, 0)]
    steps = 0
    while frontier:
        nxt = []
        for x, y in frontier:
            if x == target[0] and y == target[1]:
                return steps
            for dx, dy in ((1, 2), (2, 1), (-1, 2), (2, -1)):
                p = (x + dx, y + dy)
                if 0 <= p[0] < 5 and 0 <= p[1] < 5 and p not in seen:
                    seen.add(p)
                    nxt.append(p)
        frontier = nxt
        steps += 1
    return -1


def bank(ops):
    accounts = {}
    log = []
    for who, amount in ops:
        who = int(who)
        if who not in accounts:
            accounts[who] = 0.0
        if accounts[who] + amount < 0:
            log.append((who, "refused"))
            continue
        accounts[who] += amount
        log.append((who, accounts[who]))
    return accounts, log


def raises_if_twice(x):
    seen = set()
    for v in x:
        if v in seen:
            raise ValueError("twice")
        seen.add(v)
    return len(seen)


def any_all(x):
    s = set()
    for v in x:
        s.add(v)
    return any(v > 2 for v in s), all(v > 2 for v in s), len(s) == len(x)


def counts_frozen_sets(x):
    seen = set()
    for r in x:
        seen.add(frozenset(r.tolist()))
    return len(seen)


def tuple_keys(x):
    d = {}
    for r in x:
        t = tuple(r.tolist())
        d[t] = d.get(t, 0) + 1
    return d


CASES = [
    Case(try_key, ({1: 2, 3: 4}, np.int64(1)), ({1: 2, 3: 4}, np.int64(2))),
    Case(try_key_local, (np.array([1, 2]), np.int64(1)), (np.array([1, 2]), np.int64(5))),
    Case(cache_method, (np.array([1, 2, 1]), ), (np.array([1, 2, 3]), )),
    Case(chosen_list, (np.int64(2), np.array([1, 2, 3])), (np.int64(9), np.array([1, 2, 3]))),
    Case(appends_to_chosen, (np.int64(2), ), (np.int64(-2), )),
    Case(stores_in_chosen, (np.int64(2), ), (np.int64(-2), )),
    Case(dict_of_lists, (np.array([1, 2, 1]), np.array([1.0, 2, 3])),
         (np.array([1, 1, 1]), np.array([1.0, 2, 3]))),
    Case(nested_default, (np.array([[1, 2], [1, 2], [3, 4]]), ),
         (np.array([[1, 2], [1, 3], [1, 4]]), )),
    Case(pascal, (np.int64(4), ), (np.int64(0), )),
    Case(powerset_sizes, (np.int64(3), ), (np.int64(0), )),
    Case(perm_stack, (np.int64(2), ), (np.int64(3), )),
    Case(matrix_to_adj, (np.array([[0, 1], [1, 0]]), ), (np.array([[1, 1], [0, 0]]), )),
    Case(two_queues, (np.array([1, 2, 3, 4]), ), (np.array([1, 3, 5, 7]), )),
    Case(ticket_sim, (np.array([2, 1, 3]), np.int64(2)), (np.array([2, 1, 3]), np.int64(0))),
    Case(window_counts, (np.array([1, 2, 1, 3, 3]), 3), (np.array([1, 1, 1, 1, 1]), 3)),
    Case(lcs_memo, (np.array([1, 2, 3]), np.array([2, 3, 4])),
         (np.array([1, 2, 3]), np.array([7, 8, 9]))),
    Case(lists_equal, (np.array([1, 2]), np.array([2, 1])), (np.array([1, 2]), np.array([2, 3]))),
    Case(pop_until, (np.array([1, 2, 3]), np.int64(4)), (np.array([1, 2, 3]), np.int64(100))),
    Case(insert_sorted, (np.array([3, 1, 2]), ), (np.array([1, 1, 1]), )),
    Case(dict_views, (np.array([3, 1, 2]), ), (np.array([1, 1, 1]), )),
    Case(update_dict, (np.array([3, 1]), ), (np.array([1, 1]), )),
    Case(swap_rows, (np.array([[1, 2], [3, 4], [5, 6]]), np.int64(0), np.int64(2)),
         (np.array([[1, 2], [3, 4], [5, 6]]), np.int64(1), np.int64(1))),
    Case(rotate_list, (np.array([1, 2, 3]), np.int64(1)), (np.array([1, 2, 3]), np.int64(2))),
    Case(numbers_items, (np.array([1, -1, 2]), ), (np.array([-1, -1, -2]), )),
    Case(polynomial, (np.array([[1.0, 2], [3, 0], [1, 2]]), np.int64(2)),
         (np.array([[1.0, 1], [3, 1], [1, 2]]), np.int64(3))),
    Case(vote, (np.array([1, 2, 1]), ), (np.array([2, 2, 1]), )),
    Case(trie, (np.array([[1, 2], [1, 3]]), ), (np.array([[1, 2], [4, 3]]), )),
    Case(while_dict, (np.int64(3), ), (np.int64(5), )),
    Case(string_keys, (np.array([1, -1, 0]), ), (np.array([1, 1, 1]), )),
    Case(list_arg_sort, ([3, 1], np.int64(2)), ([3, 1, 5], np.int64(0))),
    Case(list_arg_cond, ([3, 1], np.int64(2)), ([3, 1], np.int64(-2))),
    Case(aliased, (np.array([1, -1, 2]), ), (np.array([-1, -1, -2]), )),
    Case(stack_of_arrays, (np.array([1.0, 2, 3, 4]), ), (np.array([4.0, 3, 2, 1]), )),
    Case(arrays_in_dict, (np.array([1.0, -2, 3]), ), (np.array([-1.0, -2, -3]), )),
    Case(game_of_life, (np.array([[1, 0], [1, 1], [1, 2]]), np.int64(1)),
         (np.array([[1, 0], [1, 1], [1, 2]]), np.int64(2))),
    Case(knights, (5, np.array([2, 3])), (5, np.array([4, 4]))),
    Case(bank, (np.array([[1, 5.0], [1, -9], [2, 3]]), ),
         (np.array([[1, 5.0], [1, -2], [1, 3]]), )),
    Case(raises_if_twice, (np.array([1, 2, 3]), ), (np.array([1, 2, 1]), )),
    Case(any_all, (np.array([1, 2, 3]), ), (np.array([3, 3, 4]), )),
    Case(counts_frozen_sets, (np.array([[1, 2], [2, 1]]), ), (np.array([[1, 2], [3, 1]]), )),
    Case(tuple_keys, (np.array([[1, 2], [1, 2]]), ), (np.array([[1, 2], [2, 1]]), )),
]
