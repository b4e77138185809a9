"""Searches, as programs of a page are: a matcher of regular expressions, a tree of pages, spanning
trees, shortest paths, the simplex method, distances between texts."""

import bisect
import heapq
import re

import numpy as np


def match_here(p, t):
    if not p:
        return True
    if len(p) > 1 and p[1] == '*':
        return match_star(p[0], p[2:], t)
    if p == '$':
        return not t
    if t and (p[0] == '.' or p[0] == t[0]):
        return match_here(p[1:], t[1:])
    return False


def match_star(c, p, t):
    while True:
        if match_here(p, t):
            return True
        if not t or (t[0] != c and c != '.'):
            return False
        t = t[1:]


def matches(p, t):
    if p[:1] == '^':
        return match_here(p[1:], t)
    for i in range(len(t) + 1):
        if match_here(p, t[i:]):
            return True
    return False


def regexes(codes):
    text = ''.join(('abc'[int(c) % 3] for c in codes))
    found = {p: matches(p, text) for p in ('a*b', '^a.*c$', 'bb', '.c*a', '^$', 'x*')}
    put = re.sub('(a+)(b)?', lambda m: f'<{m[1]}|{m[2]}>', text)
    return (text, found, put, re.findall('[ab]c', text))


class Page:

    def __init__(self, leaf=True):
        self.keys, self.kids, self.leaf = ([], [], leaf)


class Tree:

    def __init__(self, t):
        self.t, self.root = (t, Page())

    def insert(self, k):
        r = self.root
        if len(r.keys) == 2 * self.t - 1:
            s = Page(False)
            s.kids.append(r)
            self.root = s
            self.split(s, 0)
        self._insert(self.root, k)

    def split(self, p, i):
        t, y = (self.t, p.kids[i])
        z = Page(y.leaf)
        p.keys.insert(i, y.keys[t - 1])
        p.kids.insert(i + 1, z)
        z.keys, y.keys = (y.keys[t:], y.keys[:t - 1])
        if not y.leaf:
            z.kids, y.kids = (y.kids[t:], y.kids[:t])

    def _insert(self, n, k):
        i = len(n.keys) - 1
        if n.leaf:
            bisect.insort(n.keys, k)
        else:
            while i >= 0 and k < n.keys[i]:
                i -= 1
            i += 1
            if len(n.kids[i].keys) == 2 * self.t - 1:
                self.split(n, i)
                if k > n.keys[i]:
                    i += 1
            self._insert(n.kids[i], k)

    def walk(self, n=None):
        n = n or self.root
        for i, k in enumerate(n.keys):
            if not n.leaf:
                yield from self.walk(n.kids[i])
            yield k
        if not n.leaf:
            yield from self.walk(n.kids[-1])

    def height(self):
        h, n = (1, self.root)
        while not n.leaf:
            n = n.kids[0]
            h += 1
        return h


def tree_of(xs):
    b = Tree(2)
    for x in xs:
        b.insert(x)
    return (list(b.walk()), b.height(), [k for k in b.root.keys])


class Groups:

    def __init__(self, n):
        self.p, self.r = (list(range(n)), [0] * n)

    def find(self, x):
        while self.p[x] != x:
            self.p[x] = self.p[self.p[x]]
            x = self.p[x]
        return x

    def union(self, a, b):
        a, b = (self.find(a), self.find(b))
        if a == b:
            return False
        if self.r[a] < self.r[b]:
            a, b = (b, a)
        self.p[b] = a
        self.r[a] += self.r[a] == self.r[b]
        return True


def kruskal(w):
    n = len(w)
    uf = Groups(n)
    edges = sorted(((w[i, j], i, j) for i in range(n) for j in range(i) if w[i, j] > 0))
    tree = [(i, j) for c, i, j in edges if uf.union(i, j)]
    return (tree, sum((w[i, j] for i, j in tree)), uf.p)


def shortest_path(grid, goal):
    h = lambda p: abs(p[0] - goal[0]) + abs(p[1] - goal[1])
    start = (0, 0)
    goal = tuple((int(g) for g in goal))
    heap = [(h(start), 0, start)]
    came, cost = ({start: None}, {start: 0})
    seen = 0
    while heap:
        _, g, p = heapq.heappop(heap)
        seen += 1
        if p == goal:
            path = []
            while p is not None:
                path.append(p)
                p = came[p]
            return (path[::-1], seen, g)
        for d in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            q = (p[0] + d[0], p[1] + d[1])
            if not (0 <= q[0] < grid.shape[0] and 0 <= q[1] < grid.shape[1]) or grid[q]:
                continue
            ng = g + 1
            if q not in cost or ng < cost[q]:
                cost[q] = ng
                came[q] = p
                heapq.heappush(heap, (ng + h(q), ng, q))
    return (None, seen, -1)


def simplex(c, A, b):
    m, n = A.shape
    T = np.zeros((m + 1, n + m + 1))
    T[:m, :n] = A
    T[:m, n:n + m] = np.eye(m)
    T[:m, -1] = b
    T[-1, :n] = -c
    basis = list(range(n, n + m))
    it = 0
    while True:
        j = int(np.argmin(T[-1, :-1]))
        if T[-1, j] >= -1e-09:
            break
        ratios = [T[i, -1] / T[i, j] if T[i, j] > 1e-09 else np.inf for i in range(m)]
        i = min(range(m), key=ratios.__getitem__)
        if ratios[i] == np.inf:
            raise ArithmeticError('unbounded')
        T[i] /= T[i, j]
        for k in range(m + 1):
            if k != i:
                T[k] -= T[k, j] * T[i]
        basis[i] = j
        it += 1
    x = np.zeros(n + m)
    x[basis] = T[:m, -1]
    return (x[:n], T[-1, -1], it)


def edits(a, b):
    d = np.zeros((len(a) + 1, len(b) + 1), int)
    d[:, 0] = range(len(a) + 1)
    d[0] = np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            changed = d[i - 1, j - 1] + (a[i - 1] != b[j - 1])
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, changed)
    i, j, ops = (len(a), len(b), [])
    while i or j:
        if i and j and (d[i, j] == d[i - 1, j - 1] + (a[i - 1] != b[j - 1])):
            if a[i - 1] != b[j - 1]:
                ops.append(('s', i))
            i -= 1
            j -= 1
        elif i and d[i, j] == d[i - 1, j] + 1:
            ops.append(('d', i))
            i -= 1
        else:
            ops.append(('i', j))
            j -= 1
    return (d[-1, -1], ops[::-1])


RNG = np.random.default_rng(3)
WEIGHTS = np.triu(RNG.integers(0, 9, (6, 6)), 1)
GRID = (RNG.random((6, 6)) < 0.3).astype(int)
GRID[0, 0] = 0

PROGRAMS = {
    regexes: [(np.array([0, 1, 2, 0]),), (np.array([1, 1, 0]),), (np.array([], int),)],
    tree_of: [(np.array([8, 3, 11, 5, 1, 9, 2, 7, 4]),), (np.array([0.5, 0.25, 0.75]),)],
    kruskal: [(WEIGHTS + WEIGHTS.T,), ((WEIGHTS + WEIGHTS.T) * 1.5,)],
    shortest_path: [(GRID, np.array([5, 5])), (GRID * 0, np.array([2, 3]))],
    simplex: [(np.array([3.0, 5.0]), np.array([[1.0, 0], [0, 2], [3, 2]]), np.array([4.0, 12, 18])),
              (np.array([3.0, 5]), np.array([[-1.0, 0], [0, -2], [3, -2]]), np.ones(3))],
    edits: [("kitten", "sitting"), (np.array([1, 2, 3]), np.array([2, 3, 5, 1]))],
}
"""Each program with arguments for several calls."""
