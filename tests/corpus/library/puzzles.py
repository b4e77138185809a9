"""Sorting, searching, sequences, games and tricks, as in Rosetta Code and exercise books."""

import numpy as np

from tests.corpus.case import Case


def insertion_sort(x):
    for i in range(1, len(x)):
        key, j = x[i], i - 1
        while j >= 0 and x[j] > key:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = key


def shell_sort(x):
    gap = len(x) // 2
    while gap > 0:
        for i in range(gap, len(x)):
            held, j = x[i], i
            while j >= gap and x[j - gap] > held:
                x[j] = x[j - gap]
                j -= gap
            x[j] = held
        gap //= 2
    return x


def heap_sort(x):
    def sift(root, end):
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and x[child] < x[child + 1]:
                child += 1
            if x[root] >= x[child]:
                return
            x[root], x[child] = x[child], x[root]
            root = child

    for start in range(len(x) // 2 - 1, -1, -1):
        sift(start, len(x))
    for end in range(len(x) - 1, 0, -1):
        x[0], x[end] = x[end], x[0]
        sift(0, end)


def merge(a, b):
    out = np.empty(len(a) + len(b), dtype=np.result_type(a, b))
    i = j = 0
    for k in range(len(out)):
        if j >= len(b) or (i < len(a) and a[i] <= b[j]):
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
    return out


def merge_sort(x):
    if len(x) <= 1:
        return x
    middle = len(x) // 2
    return merge(merge_sort(x[:middle]), merge_sort(x[middle:]))


def partition(x, low, high):
    pivot, place = x[high], low
    for k in range(low, high):
        if x[k] <= pivot:
            x[[place, k]] = x[[k, place]]
            place += 1
    x[[place, high]] = x[[high, place]]
    return place


def quick_select(x, k):
    low, high = 0, len(x) - 1
    while True:
        p = partition(x, low, high)
        if p == k:
            return x[p]
        if p < k:
            low = p + 1
        else:
            high = p - 1


def counting_sort(x):
    counts = np.zeros(x.max() + 1, dtype=int)
    for v in x:
        counts[v] += 1
    out, place = np.empty_like(x), 0
    for v, n in enumerate(counts):
        out[place:place + n] = v
        place += n
    return out


def binary_search(x, target):
    low, high = 0, len(x)
    while low < high:
        middle = (low + high) // 2
        if x[middle] == target:
            return middle
        if x[middle] < target:
            low = middle + 1
        else:
            high = middle
    return -1


def sieve(n):
    is_prime = np.ones(n + 1, dtype=bool)
    is_prime[:2] = False
    for i in range(2, int(n ** 0.5) + 1):
        if is_prime[i]:
            is_prime[i * i::i] = False
    return np.flatnonzero(is_prime)


def collatz_lengths(starts):
    lengths = np.zeros_like(starts)
    active = starts != 1
    while active.any():
        odd = active & (starts % 2 == 1)
        even = active & ~odd
        starts[even] //= 2
        starts[odd] = 3 * starts[odd] + 1
        lengths[active] += 1
        active = starts != 1
    return lengths


def pascal(n):
    triangle = np.zeros((n, n), dtype=int)
    triangle[:, 0] = 1
    for i in range(1, n):
        triangle[i, 1:] = triangle[i - 1, 1:] + triangle[i - 1, :-1]
    return triangle


def magic_square(n):
    square = np.zeros((n, n), dtype=int)
    i, j = 0, n // 2
    for k in range(1, n * n + 1):
        square[i, j] = k
        up, right = (i - 1) % n, (j + 1) % n
        if square[up, right]:
            i = (i + 1) % n
        else:
            i, j = up, right
    return square, square.sum(axis=0), square.trace()


def spiral(matrix):
    out = []
    while matrix.size:
        out.append(matrix[0])
        matrix = np.rot90(matrix[1:])
    return np.concatenate(out)


def mandelbrot(c, limit):
    z, counts = np.zeros_like(c), np.zeros(c.shape, dtype=int)
    for _ in range(limit):
        inside = np.abs(z) <= 2
        z[inside] = z[inside] ** 2 + c[inside]
        counts += inside
    return counts


def winner(board):
    for player in (1, 2):
        mine = board == player
        if (mine.all(axis=0).any() or mine.all(axis=1).any() or np.diag(mine).all()
                or np.fliplr(mine).diagonal().all()):
            return player
    return 0 if (board == 0).any() else -1


def queens_attack(columns):
    rows = np.arange(len(columns))
    return (len(np.unique(columns)) < len(columns)
            or len(np.unique(rows + columns)) < len(columns)
            or len(np.unique(rows - columns)) < len(columns))


def slide_2048(row):
    tiles = row[row != 0]
    out = np.zeros_like(row)
    place = i = 0
    while i < len(tiles):
        if i + 1 < len(tiles) and tiles[i] == tiles[i + 1]:
            out[place] = 2 * tiles[i]
            i += 2
        else:
            out[place] = tiles[i]
            i += 1
        place += 1
    return out


def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1, dtype=values.dtype)
    for w, v in zip(weights, values, strict=True):
        for c in range(capacity, -1, -1):
            if c >= w:
                best[c] = max(best[c], best[c - w] + v)
    return best[-1]


def longest_common(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), int)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1, j + 1] = table[i, j] + 1 if x == y else max(table[i, j + 1],
                                                                     table[i + 1, j])
    i, j, out = len(a), len(b), []
    while i > 0 and j > 0:
        if a[i - 1] == b[j - 1]:
            out.append(a[i - 1])
            i, j = i - 1, j - 1
        elif table[i - 1, j] >= table[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return np.array(out[::-1], dtype=int), table


def coins(values, amount):
    ways = np.zeros(amount + 1, dtype=np.int64)
    ways[0] = 1
    for coin in values:
        for total in range(len(ways)):
            if total >= coin:
                ways[total] += ways[total - coin]
    return ways


def best_subarray(x):
    best = current = x[0]
    start = first = last = 0
    for i in range(1, len(x)):
        if current < 0:
            current, start = x[i], i
        else:
            current += x[i]
        if current > best:
            best, first, last = current, start, i
    return best, first, last


def shortest_paths(distance):
    n = len(distance)
    following = np.where(np.isfinite(distance), np.arange(n), -1)
    for k in range(n):
        through = distance[:, k, None] + distance[k]
        shorter = through < distance
        distance[shorter] = through[shorter]
        following[shorter] = np.broadcast_to(following[:, k, None], (n, n))[shorter]
    return following


def dijkstra(weights, source):
    n = len(weights)
    distance, done = np.full(n, np.inf), np.zeros(n, bool)
    distance[source] = 0
    for _ in range(n):
        u = np.argmin(np.where(done, np.inf, distance))
        if np.isinf(distance[u]):
            break
        done[u] = True
        for v in range(n):
            if weights[u, v] > 0 and distance[u] + weights[u, v] < distance[v]:
                distance[v] = distance[u] + weights[u, v]
    return distance


def components(edges, n):
    root = np.arange(n)
    for a, b in edges:
        ra, rb = root[a], root[b]
        if ra != rb:
            root[root == rb] = ra
    return len(np.unique(root)), root


def page_rank(links, damping):
    n = len(links)
    out = links.sum(axis=1, keepdims=True)
    step = np.divide(links, out, out=np.full(links.shape, 1 / n), where=out > 0)
    rank, rounds = np.full(n, 1 / n), 0
    while True:
        new = (1 - damping) / n + damping * rank @ step
        rounds += 1
        if np.abs(new - rank).sum() < 1e-9 or rounds > 100:
            return new, rounds
        rank = new


def checkerboard(n):
    board = np.zeros((n, n), int)
    board[1::2, ::2] = board[::2, 1::2] = 1
    return board, np.kron(np.eye(2, dtype=int), np.ones((2, 2), int)), np.tile([[0, 1], [1, 0]], 2)


def tricks(x):
    ranks = np.empty_like(x, dtype=int)
    ranks[np.argsort(x)] = np.arange(len(x))
    nearest = x[np.abs(x - 2.2).argmin()]
    table = np.add.outer(x, x)
    table[np.diag_indices(len(x))] = 0
    table[np.triu_indices(len(x), 1)] *= -1
    return ranks, nearest, table, np.ix_([0, 2], [1])[0], table[np.ix_([0, 2], [1, 0])]


def products(a, b):
    return (np.einsum("ij,jk->ik", a, b), np.einsum("ii", a), np.einsum("ij,ij->i", a, b),
            np.tensordot(a, b, axes=([1], [0])), np.cross(a[0], b[0]), np.vdot(a, b),
            a[:, :, None] * b[None], np.linalg.multi_dot([a, b, a]))


UNSORTED = np.array([5, 2, 9, 1, 5, 6])
FLOATS = np.array([3.0, -1.0, 4.0, -1.5, 5.0, -9.0, 2.0])
INF = np.inf
ROADS = np.array([[0, 3, INF, 7], [8, 0, 2, INF], [5, INF, 0, 1], [2, INF, INF, 0.0]])
SORTS = [(UNSORTED,), (UNSORTED[::-1].copy(),)]

CASES = [
    Case(insertion_sort, *SORTS), Case(shell_sort, *SORTS), Case(heap_sort, *SORTS),
    Case(merge_sort, *SORTS), Case(counting_sort, *SORTS),
    Case(quick_select, (UNSORTED, 2), (UNSORTED[::-1].copy(), 2)),
    Case(binary_search, (np.arange(9) * 2, np.int64(6)), (np.arange(9) * 2, np.int64(7))),
    Case(sieve, (30,), (2,)),
    Case(collatz_lengths, (np.array([1, 7, 9]),), (np.array([27, 2, 1]),)),
    Case(pascal, (5,), (2,)),
    Case(magic_square, (3,), (5,)),
    Case(spiral, (np.arange(12).reshape(3, 4),), (np.arange(12).reshape(3, 4) * 2,)),
    Case(mandelbrot, (np.array([[0j, 1 + 1j], [-1 + 0j, 0.3j]]), 6),
         (np.array([[2j, 0.1j], [-2 + 0j, 0.5 + 0j]]), 6)),
    Case(winner, (np.array([[1, 2, 0], [2, 1, 0], [0, 2, 1]]),),
         (np.array([[1, 2, 1], [2, 1, 2], [2, 1, 2]]),)),
    Case(queens_attack, (np.array([1, 3, 0, 2]),), (np.array([0, 1, 2, 3]),)),
    Case(slide_2048, (np.array([2, 2, 0, 4]),), (np.array([0, 8, 0, 8]),)),
    Case(knapsack, (np.array([1, 3, 4]), np.array([15, 20, 30]), 6),
         (np.array([7, 8, 9]), np.array([1.0, 2.0, 3.0]), 6)),
    Case(longest_common, (np.array([1, 2, 3, 4]), np.array([2, 4, 3, 4])),
         (np.array([1, 1, 1, 1]), np.array([5, 6, 7, 8]))),
    Case(coins, (np.array([1, 2, 5]), 11), (np.array([3, 7, 11]), 11)),
    Case(best_subarray, (FLOATS,), (-FLOATS,)),
    Case(shortest_paths, (ROADS,), (ROADS.T.copy(),)),
    Case(dijkstra, (np.where(np.isinf(ROADS), 0, ROADS), 0), (np.eye(4, k=1), 0)),
    Case(components, (np.array([[0, 1], [2, 3], [1, 2]]), 5),
         (np.array([[0, 0], [1, 1], [2, 2]]), 5)),
    Case(page_rank, (np.array([[0.0, 1, 1], [0, 0, 1], [0, 0, 0]]), 0.85),
         (np.ones((3, 3)), 0.85)),
    Case(checkerboard, (4,), (3,)),
    Case(tricks, (FLOATS,), (FLOATS[::-1] * 2,)),
    Case(products, (np.arange(9.0).reshape(3, 3), np.eye(3)),
         (np.ones((3, 3)), np.ones((3, 3)) * 2)),
]
