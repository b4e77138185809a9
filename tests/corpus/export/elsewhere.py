"""Programs of arrays and numbers, with edge cases, for files that run in another process."""

from collections import namedtuple

import numpy as np

from tests.corpus.case import Case

Span = namedtuple("Span", "start stop")
TABLE = np.sin(np.arange(20000.0))
R = np.random.default_rng(7)
NONE, NAN = np.zeros(0), np.array([np.nan, 1.0, -np.inf, 0.0])


def julia(z, c):
    count = np.zeros(z.shape, int)
    for _ in range(12):
        inside = np.abs(z) < 2
        z = np.where(inside, z * z + c, z)
        count += inside
    return count, z.real.max(initial=-1.0)


def complex_newton(z):
    for k in range(40):
        step = (z ** 3 - 1) / (3 * z ** 2)
        z = z - step
        if abs(step) < 1e-12:
            return z, k
    return z, -1


def spectrum(x):
    found = np.fft.rfft(x)
    found[np.abs(found) < 1.0] = 0
    return np.fft.irfft(found, x.size), np.angle(found)


def shortest_paths(d):
    n = d.shape[0]
    via = -np.ones((n, n), int)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
                    via[i, j] = k
    return via


def shuffled(x, draws):
    for i in range(x.size - 1, 0, -1):
        j = int(draws[i] * (i + 1))
        x[i], x[j] = x[j], x[i]
    return x


def heap_sorted(x):
    n = x.size
    for start in range(n // 2 - 1, -1, -1):
        _sift(x, start, n)
    for end in range(n - 1, 0, -1):
        x[0], x[end] = x[end], x[0]
        _sift(x, 0, end)


def _sift(x, root, end):
    while 2 * root + 1 < end:
        child = 2 * root + 1
        if child + 1 < end and x[child] < x[child + 1]:
            child += 1
        if x[root] >= x[child]:
            break
        x[root], x[child] = x[child], x[root]
        root = child


def queens(row, columns, left, right, size):
    if row == size:
        return 1
    total = 0
    for k in range(size):
        bit = 1 << k
        if not (columns & bit or left & (1 << (row + k)) or right & (1 << (row - k + size))):
            total += queens(row + 1, columns | bit, left | (1 << (row + k)),
                            right | (1 << (row - k + size)), size)
    return total


def placed_queens(n):
    return queens(0, 0, 0, 0, 5) * n


def extended_gcd(a, b):
    if b == 0:
        return a, 1, 0
    g, x, y = extended_gcd(b, a % b)
    return g, y, x - (a // b) * y


def run_lengths(x):
    values, lengths = [], []
    for v in x:
        if values and values[-1] == v:
            lengths[-1] += 1
        else:
            values.append(v)
            lengths.append(1)
    return values, lengths


def spline_slopes(x, y):
    n = x.size
    a, b, c, d = np.zeros(n), np.ones(n), np.zeros(n), np.zeros(n)
    for i in range(1, n - 1):
        a[i], c[i] = x[i] - x[i - 1], x[i + 1] - x[i]
        b[i] = 2 * (a[i] + c[i])
        d[i] = 6 * ((y[i + 1] - y[i]) / c[i] - (y[i] - y[i - 1]) / a[i])
    for i in range(1, n):
        w = a[i] / b[i - 1]
        b[i] -= w * c[i - 1]
        d[i] -= w * d[i - 1]
    for i in range(n - 1, -1, -1):
        d[i] = (d[i] - (c[i] * d[i + 1] if i + 1 < n else 0)) / b[i]
    return d


def pivoted(m):
    order = np.arange(m.shape[0])
    for k in range(m.shape[0]):
        p = k + np.argmax(np.abs(m[k:, k]))
        if m[p, k] == 0:
            continue
        m[[k, p]] = m[[p, k]]
        order[[k, p]] = order[[p, k]]
        m[k + 1:, k] /= m[k, k]
        m[k + 1:, k + 1:] -= np.outer(m[k + 1:, k], m[k, k + 1:])
    return order


def lcg(seed, count):
    made = np.zeros(8, np.uint64)
    with np.errstate(over="ignore"):
        for k in range(8):
            if k < count:
                seed = seed * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            made[k] = seed >> np.uint64(33)
    return made


def checksum(data):
    crc = np.uint32(0xFFFFFFFF)
    for byte in data:
        crc = crc ^ np.uint32(byte)
        for _ in range(8):
            low = crc & np.uint32(1)
            crc = crc >> np.uint32(1)
            if low:
                crc = crc ^ np.uint32(0xEDB88320)
    return crc ^ np.uint32(0xFFFFFFFF)


def small_softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True, initial=np.float16(0)))
    return e / e.sum(axis=-1, keepdims=True)


def wrapped_sums(x):
    total = np.int8(0)
    with np.errstate(over="ignore"):
        for v in x:
            total = total + v
    return total, x.sum(), np.add.reduce(x, dtype=np.int8)


def places(x):
    found = np.nonzero(x > 0)[0]
    return found, x[found], np.flatnonzero(x == 0).size, found[::-1][:2]


def groups(x):
    values, where, counts = np.unique(x, return_inverse=True, return_counts=True)
    return values, values[where], counts, np.bincount(where, minlength=3)


def contracted(a, b):
    return np.einsum("ij,kj->ik", a, b), np.tensordot(a, b, ([1], [1])), np.kron(a, b).sum()


def binned(x, y):
    found, xs, _ = np.histogram2d(x, y, bins=3, range=[[-2, 2], [-2, 2]])
    return found, xs


def on_a_torus(board):
    for _ in range(3):
        near = sum(np.roll(board, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)
                   if i or j)
        board = (near == 3) | (board & (near == 2))
    return board, board.sum()


def connected(pairs, n):
    root = np.arange(n)
    for a, b in pairs:
        while root[a] != a:
            a = root[a]
        while root[b] != b:
            b = root[b]
        root[max(a, b)] = min(a, b)
    return root


def ordered_tasks(needs):
    left, made = needs.sum(axis=1), []
    done = np.zeros(needs.shape[0], bool)
    for _ in range(needs.shape[0]):
        for k in range(needs.shape[0]):
            if not done[k] and left[k] == 0:
                done[k] = True
                made.append(k)
                left = left - needs[:, k]
                break
    return made, done.all()


def traced_alignment(a, b):
    table = np.zeros((a.size + 1, b.size + 1), int)
    for i in range(a.size):
        for j in range(b.size):
            table[i + 1, j + 1] = table[i, j] + 1 if a[i] == b[j] else max(
                table[i, j + 1], table[i + 1, j])
    i, j, steps = a.size, b.size, []
    while i > 0 and j > 0:
        if a[i - 1] == b[j - 1]:
            steps.append((i - 1, j - 1))
            i, j = i - 1, j - 1
        elif table[i - 1, j] >= table[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return steps[::-1]


def first_above(x, limit):
    def partial_sums():
        total = 0.0
        for v in x:
            total += v
            yield total

    for k, total in enumerate(partial_sums()):
        if total > limit:
            return k, total
    return None


def matched(kind, x):
    match (int(kind), x.ndim):
        case (0, _):
            return "none", x
        case (1, 1):
            return "vector", x.sum()
        case (n, d) if n > d:
            return n, d
        case _:
            return "other"


def spans(x, width):
    low = Span(x.min(initial=0), x.min(initial=0) + width)
    return low, low._replace(stop=x.size), [Span(k, k + 1).stop for k in range(3)]


def from_a_large_table(k):
    return TABLE[k], TABLE[-k:].sum(), TABLE.reshape(200, 100)[k % 200, ::40] * 2


def of_no_elements(x):
    return (x.sum(), x.prod(), x.max(initial=-1), np.sort(x), np.cumsum(x), x.mean() if x.size
            else None, np.concatenate([x, x]), x[:0].shape, np.all(x), np.any(x))


def of_no_axes(x):
    y = x + 1
    return y.shape, y[()], y.reshape(1, 1), np.atleast_1d(y)[0], y.item() > 2, np.ndim(x)


def out_of_range(x, k):
    return x[k] + x[-1]


def picky(x, k):
    if k > 3:
        raise ValueError(f"{k} is more than 3")
    if k < 0:
        raise KeyError("negative")
    assert x.size > 0, "no elements"
    return x / k


def printing(x, k):
    print("a constant")
    for i in range(3):
        if x[i] > k:
            print("above", i)
    return x.sum()


def warned(x):
    with np.errstate(divide="ignore"):
        y = 1 / x
    return y, np.log(x), np.sqrt(x)


def called_in_all_ways(x, /, k, *rest, scale=2.0, **more):
    return x * scale + k, rest, {name: v + 1 for name, v in more.items()}


def any_lengths(x, y):
    if x.shape[0] == y.shape[0]:
        return x @ y
    small = min(x.shape[0], y.shape[0])
    return x[:small] * y[:small]


def bits_of(x):
    return np.unpackbits(x).reshape(-1, 8), np.bitwise_count(x), x.view(np.int8), ~x


def paired(x):
    made = {}
    for k in range(3):
        for j in range(k):
            made[k, j] = x[k] - x[j]
    return made, max(made.values()), [key for key, v in made.items() if v > 0]


def wavelet(x):
    levels = []
    while x.size > 1:
        even, odd = x[::2], x[1::2]
        levels.append((even - odd) / 2)
        x = (even + odd) / 2
    return x, levels


def rotated(m, turns):
    for _ in range(turns):
        m = m.T[::-1]
    return m, m.flags.c_contiguous, m.strides


def walk(start, steps):
    position, seen = start, [start]
    for dx, dy in steps:
        position = (position[0] + dx, position[1] + dy)
        if position in seen:
            break
        seen.append(position)
    return seen, position


def long_doubles(x):
    y = np.longdouble(x) * 3
    return y, float(y), np.finfo(y.dtype).nmant > 50


def big_integers(n):
    made = 1
    for k in range(1, 31):
        made = made * k
    return made % 1000007 * n, made, -made >> 70


def ragged(x):
    rows = [x[:k] for k in range(1, 4)]
    return [row.sum() for row in rows], rows, sum(len(row) for row in rows)


def masked_means(x):
    m = np.ma.masked_invalid(x)
    return m.mean(), m.filled(0.0), m.count()


def polynomials(x):
    p = np.polynomial.Polynomial([1.0, -3.0, 2.0])
    return p(x), p.deriv()(x), np.polyval([2.0, -3, 1], x), np.roots([1.0, -3, 2])


X = R.normal(size=8)
COMPLEX = R.normal(size=(2, 3)) + 1j * R.normal(size=(2, 3))
M = R.normal(size=(4, 4))
I = np.array([3, 1, 1, 0, -2, 3])

CASES = [
    Case(julia, (COMPLEX, 0.3 - 0.2j), (COMPLEX[:0], 1j), (np.full((1, 1), np.nan + 0j), 0j)),
    Case(complex_newton, (np.complex128(1 + 1j),), (np.complex128(0),), (np.complex64(-1),)),
    Case(spectrum, (X,), (X[:1],), (np.full(4, np.nan),)),
    Case(shortest_paths, (np.abs(M),), (np.full((2, 2), np.nan),), (np.zeros((0, 0)),)),
    Case(shuffled, (np.arange(6), R.uniform(size=6)), (np.arange(1), np.zeros(1)),
         (np.arange(0), NONE)),
    Case(heap_sorted, (X,), (I,), (NONE,), (NAN,)),
    Case(placed_queens, (np.int64(3),)),
    Case(extended_gcd, (np.int64(240), np.int64(46)), (np.int64(0), np.int64(0)),
         (np.int64(-7), np.int64(21))),
    Case(run_lengths, (I,), (I[:0],), (NAN,)),
    Case(spline_slopes, (np.arange(5.0), X[:5]), (np.zeros(3), X[:3]), (NONE, NONE)),
    Case(pivoted, (M,), (np.zeros((2, 2)),), (M.astype(np.float32),)),
    Case(lcg, (np.uint64(1), np.int64(5)), (np.uint64(2 ** 64 - 1), np.int64(9))),
    Case(checksum, (np.frombuffer(b"123456789", np.uint8),), (np.zeros(0, np.uint8),)),
    Case(small_softmax, (X.reshape(2, 4).astype(np.float16),), (np.zeros((0, 3), np.float16),)),
    Case(wrapped_sums, (np.full(3, 100, np.int8),), (np.zeros(0, np.int8),)),
    Case(places, (X,), (NAN,), (NONE,), (np.zeros(3, np.int16),)),
    Case(groups, (I,), (NAN,), (I[:0],)),
    Case(contracted, (M, M[:2]), (M[:0], M[:0]), (M.astype(int), M > 0)),
    Case(binned, (X, X[::-1].copy()), (NONE, NONE), (np.full(3, 9.0), np.zeros(3))),
    Case(on_a_torus, (M > 0,), (np.zeros((1, 1), bool),), (np.zeros((0, 3), bool),)),
    Case(connected, (np.array([[0, 2], [3, 4], [2, 3]]), 5), (np.zeros((0, 2), int), 2)),
    Case(ordered_tasks, (np.tril(np.ones((4, 4), int), -1),), (np.eye(3, dtype=int),)),
    Case(traced_alignment, (np.array([1, 2, 3, 2]), np.array([2, 3, 2, 1])), (I[:0], I)),
    Case(first_above, (np.abs(X), np.float64(2)), (X, np.float64(1e9)), (NONE, np.float64(0))),
    Case(matched, (np.int64(0), X), (np.int64(1), X), (np.int64(3), M), (np.int64(1), M)),
    Case(spans, (X, np.float64(2)), (NONE, np.float64(np.nan))),
    Case(from_a_large_table, (np.int64(3),), (np.int64(0),), (np.int64(-1),), (np.int64(20000),)),
    Case(of_no_elements, (NONE,), (NAN,), (np.zeros(0, np.int32),), (np.ones(1, np.float16),)),
    Case(of_no_axes, (np.array(2.5),), (np.float32(1),), (np.array(np.nan),), (np.array(True),)),
    Case(out_of_range, (X, np.int64(2)), (X, np.int64(8)), (NONE, np.int64(0))),
    Case(picky, (X, np.int64(2)), (X, np.int64(4)), (X, np.int64(-1)), (NONE, np.int64(1))),
    Case(printing, (X, np.float64(0)), (np.full(3, np.nan), np.float64(0))),
    Case(warned, (NAN,), (NONE,), (np.array([1, 0, -1]),)),
    Case(any_lengths, (X, X), (X, X[:3]), (NONE, X), (NONE, NONE)),
    Case(bits_of, (np.array([0, 1, 255], np.uint8),), (np.zeros(0, np.uint8),)),
    Case(paired, (X,), (I,), (NAN,)),
    Case(wavelet, (X,), (NONE,), (np.ones(1),)),
    Case(rotated, (M, np.int64(3)), (M[:1], np.int64(0))),
    Case(walk, ((0, 0), I.reshape(3, 2)), ((0, 0), np.array([[1, 0], [-1, 0], [5, 5]]))),
    Case(long_doubles, (np.float64(1.1),), (np.float64(np.inf),)),
    Case(big_integers, (np.int64(3),),),
    Case(ragged, (X,), (I,)),
    Case(masked_means, (NAN,), (X,)),
    Case(polynomials, (X,), (NONE,), (np.float32(2),)),
]
