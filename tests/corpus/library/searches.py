"""Graphs and searches: queues, stacks, heaps, union-find, memo tables with keys of the data."""

import heapq
from collections import defaultdict, deque

import numpy as np

from tests.corpus.case import Case


def breadth_first(adj, start):
    dist = {start: 0}
    q = deque([start])
    while q:
        u = q.popleft()
        for v in adj[u]:
            if v not in dist:
                dist[v] = dist[u] + 1
                q.append(v)
    return dist


def distances(a, s):
    n = len(a)
    dist = np.full(n, -1)
    dist[s] = 0
    q = deque()
    q.append(s)
    while len(q) > 0:
        u = q.popleft()
        for v in range(n):
            if a[u, v] and dist[v] < 0:
                dist[v] = dist[u] + 1
                q.append(v)
    return dist


def depth_first(a, s):
    stack = [s]
    seen = set()
    order = []
    while stack:
        u = stack.pop()
        if u in seen:
            continue
        seen.add(u)
        order.append(u)
        for v in range(a.shape[0] - 1, -1, -1):
            if a[u, v] > 0 and v not in seen:
                stack.append(v)
    return order


def dijkstra(w, s):
    n = len(w)
    dist = {s: 0.0}
    heap = [(0.0, s)]
    done = set()
    while heap:
        d, u = heapq.heappop(heap)
        if u in done:
            continue
        done.add(u)
        for v in range(n):
            if w[u, v] > 0:
                nd = d + w[u, v]
                if v not in dist or nd < dist[v]:
                    dist[v] = nd
                    heapq.heappush(heap, (nd, v))
    return dist


def dijkstra_with_arrays(w, s):
    n = len(w)
    dist = np.full(n, np.inf)
    dist[s] = 0
    prev = [-1] * n
    heap = [(0.0, int(s))]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]:
            continue
        for v in range(n):
            if w[u][v] > 0 and dist[v] > d + w[u][v]:
                dist[v] = d + w[u][v]
                prev[v] = u
                heapq.heappush(heap, (dist[v], v))
    return dist, prev


def union_find(edges, n):
    parent = {}
    def find(x):
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x
    for i in range(n):
        parent[i] = i
    for a, b in edges:
        ra, rb = find(a), find(b)
        if ra != rb:
            parent[ra] = rb
    return [find(i) for i in range(n)]


def union_find_list(edges, n):
    parent = list(range(n))
    size = [1] * n
    count = n
    for a, b in edges:
        while parent[a] != a:
            a = parent[a]
        while parent[b] != b:
            b = parent[b]
        if a != b:
            if size[a] < size[b]:
                a, b = b, a
            parent[b] = a
            size[a] += size[b]
            count -= 1
    return count, parent


def topological_order(a):
    n = len(a)
    indeg = a.sum(axis=0)
    q = deque(i for i in range(n) if indeg[i] == 0)
    order = []
    while q:
        u = q.popleft()
        order.append(u)
        for v in range(n):
            if a[u, v]:
                indeg[v] -= 1
                if indeg[v] == 0:
                    q.append(v)
    return order


def adjacency_lists(edges, n):
    adj = [[] for _ in range(n)]
    for u, v in edges:
        adj[u].append(v)
        adj[v].append(u)
    return adj


def components(edges, n):
    adj = defaultdict(set)
    for u, v in edges:
        adj[int(u)].add(int(v))
        adj[int(v)].add(int(u))
    seen = set()
    sizes = []
    for s in range(n):
        if s in seen:
            continue
        stack = [s]
        seen.add(s)
        size = 0
        while stack:
            u = stack.pop()
            size += 1
            for v in sorted(adj[u]):
                if v not in seen:
                    seen.add(v)
                    stack.append(v)
        sizes.append(size)
    return sizes


def grid_bfs(grid, start):
    h, w = grid.shape
    r, c = int(start[0]), int(start[1])
    seen = {(r, c)}
    q = deque([(r, c, 0)])
    far = 0
    while q:
        y, x, d = q.popleft()
        far = max(far, d)
        for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            ny, nx = y + dy, x + dx
            if 0 <= ny < h and 0 <= nx < w and grid[ny, nx] == 0 and (ny, nx) not in seen:
                seen.add((ny, nx))
                q.append((ny, nx, d + 1))
    return far, len(seen)


def flood_stack(img, s, color):
    old = img[s[0], s[1]]
    if old == color:
        return 0
    stack = [(s[0], s[1])]
    n = 0
    while stack:
        i, j = stack.pop()
        if i < 0 or j < 0 or i >= img.shape[0] or j >= img.shape[1]:
            continue
        if img[i, j] != old:
            continue
        img[i, j] = color
        n += 1
        stack.extend([(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)])
    return n


def kruskal(edges):
    n = 5
    edges = sorted((float(w), int(a), int(b)) for a, b, w in edges)
    parent = {i: i for i in range(n)}
    def find(v):
        while parent[v] != v:
            v = parent[v]
        return v
    total = 0.0
    for w, a, b in edges:
        ra, rb = find(a), find(b)
        if ra != rb:
            parent[ra] = rb
            total += w
    return total


class Graph:
    def __init__(self):
        self.adj = {}
    def add(self, u, v):
        self.adj.setdefault(u, []).append(v)
        self.adj.setdefault(v, []).append(u)
    def reach(self, s):
        seen, todo = {s}, [s]
        while todo:
            for v in self.adj.get(todo.pop(), []):
                if v not in seen:
                    seen.add(v)
                    todo.append(v)
        return seen


def graph_class(edges, s):
    g = Graph()
    for u, v in edges:
        g.add(int(u), int(v))
    return sorted(g.reach(int(s)))


def coin_memo(coins, total):
    best = {0: 0}
    for t in range(1, 20):
        for c in coins:
            if t - c in best:
                cand = best[t - c] + 1
                if t not in best or cand < best[t]:
                    best[t] = cand
    if total in best:
        return best[total]
    return -1


def fills_memo_table(n):
    memo = {}
    i = 0
    while i <= n:
        memo[i] = 1 if i < 2 else memo[i - 1] + memo[i - 2]
        i += 1
    return memo[n]


def fibonacci_with_memo(n):
    memo = {0: 0, 1: 1}
    def fib(k):
        if k in memo:
            return memo[k]
        r = fib(k - 1) + fib(k - 2)
        memo[k] = r
        return r
    return fib(n)


def collatz_cache(n):
    cache = {1: 1}
    best, arg = 0, 0
    for s in range(1, 12):
        k = n + s
        path = []
        while k not in cache:
            path.append(k)
            k = k // 2 if k % 2 == 0 else 3 * k + 1
        v = cache[k]
        for p in reversed(path):
            v += 1
            cache[p] = v
        if cache[n + s] > best:
            best, arg = cache[n + s], n + s
    return best, arg, len(cache)


def dp_table(x, n):
    dp = [[0] * 5 for _ in range(5)]
    for i in range(1, 5):
        for j in range(1, 5):
            if x[i] == x[j - 1]:
                dp[i][j] = dp[i - 1][j - 1] + 1
            else:
                dp[i][j] = max(dp[i - 1][j], dp[i][j - 1])
    return dp[n][n], dp


EDGES = np.array([[0, 1], [1, 2], [3, 4]])
LINKS = np.array([[0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
OTHER = np.array([[0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
WEIGHTS = np.array([[0, 4.0, 1, 0], [4, 0, 2, 5], [1, 2, 0, 8], [0, 5, 8, 0]])
NEXT = [[1, 2], [3], [3], []]
GRID = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])

CASES = [
    Case(breadth_first, (NEXT, np.int64(0)), (NEXT, np.int64(2))),
    Case(distances, (LINKS, np.int64(0)), (OTHER, np.int64(2))),
    Case(depth_first, (LINKS, np.int64(0)), (OTHER, np.int64(2))),
    Case(dijkstra, (WEIGHTS, np.int64(0)), (WEIGHTS, np.int64(3))),
    Case(dijkstra_with_arrays, (WEIGHTS, np.int64(0)), (WEIGHTS, np.int64(3))),
    Case(union_find, (EDGES, 5), (EDGES[::-1].copy(), 5)),
    Case(union_find_list, (EDGES, 5), (EDGES[::-1].copy(), 5)),
    Case(topological_order, (LINKS, ), (OTHER, )),
    Case(adjacency_lists, (EDGES, 5), (EDGES[::-1].copy(), 5)),
    Case(components, (EDGES, 5), (np.array([[0, 1], [0, 2], [0, 3]]), 5)),
    Case(grid_bfs, (GRID, np.array([0, 0])), (GRID, np.array([2, 0]))),
    Case(flood_stack, (GRID, np.array([0, 0]), np.int64(7)), (GRID, np.array([2, 0]), np.int64(0))),
    Case(kruskal, (np.array([[0, 1, 3.0], [1, 2, 1], [0, 2, 1]]), ),
         (np.array([[0, 1, 3.0], [3, 4, 1], [0, 2, 1]]), )),
    Case(graph_class, (EDGES, np.int64(0)), (EDGES, np.int64(3))),
    Case(coin_memo, (np.array([1, 5, 7]), np.int64(14)), (np.array([4, 6, 8]), np.int64(3))),
    Case(fills_memo_table, (np.int64(10), ), (np.int64(1), )),
    Case(fibonacci_with_memo, (np.int64(10), ), (np.int64(1), )),
    Case(collatz_cache, (np.int64(5), ), (np.int64(40), )),
    Case(dp_table, (np.array([1, 2, 1, 2, 1]), np.int64(4)),
         (np.array([1, 2, 3, 4, 5]), np.int64(2))),
]
