"""More components of random programs (see `components`): protocols, algorithms, library classes."""

from __future__ import annotations

from tests.random.components import Component

MORE_COMPONENTS = {
    "parser": Component("""
class Parser:
    def __init__(self, tokens):
        self.tokens, self.at, self.depth = tokens, 0, 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self):
        v = self.peek()
        self.at += 1
        return v

    def expression(self):
        v = self.term()
        while self.peek() == "+":
            self.take()
            v = v + self.term()
        return v

    def term(self):
        if self.peek() == "(":
            self.take()
            self.depth += 1
            v = self.expression()
            if self.take() != ")":
                raise SyntaxError("no )")
            return v
        return self.take()
""", "Parser([1, '+', '(', 2, '+', 3, ')'])", (
        "O.at = 0; O.tokens[0] = N; c = O.expression()", "O.at = 2; c = O.term()", "O.take()",
        "O.tokens[3] = N", "try:\n    O.at = 0\n    c = Parser([1, '+', '(', N]).expression()\n"
        "except (SyntaxError, TypeError):\n    c = -1"),
        ("O.at", "O.depth", "(O.peek() == '+')", "Parser([N, '+', 2]).expression()")),
    "grid": Component("""
def flood(grid, i, j, v):
    if not (0 <= i < 3 and 0 <= j < 3) or grid[i][j] != 0:
        return 0
    grid[i][j] = v + 8
    return 1 + sum(flood(grid, i + k, j + l, v) for k, l in ((0, 1), (1, 0), (0, -1)))

def turned(grid):
    return [list(row) for row in zip(*grid[::-1])]
""", "[[0, 1, 0], [0, 0, 1], [1, 0, 0]]", (
        "c = flood(O, 0, 0, N)", "c = flood(O, int(N) % 3, 2, 7)", "O[int(N) % 3][1] = 0",
        "O[0], O[1] = O[1], O[0]", "O[:] = turned(O)",
        "for row in O:\n    for j, v in enumerate(row):\n        if v == 0: row[j] = N"),
        ("sum(map(sum, O))", "sum(v == 0 for row in O for v in row)", "O[int(N) % 3][0]")),
    "adjacency": Component("""
def depth_first(graph, node, seen, order):
    if node in seen:
        return
    seen.add(node)
    for other in graph[node]:
        depth_first(graph, other, seen, order)
    order.append(node)

def breadth_first(graph, start):
    seen, queue = {start}, deque([start])
    while queue:
        node = queue.popleft()
        yield node
        for other in graph[node]:
            if other not in seen:
                seen.add(other)
                queue.append(other)

def topological(graph):
    counts = {k: 0 for k in graph}
    for k in graph:
        for other in graph[k]:
            counts[other] += 1
    ready, order = [k for k in graph if counts[k] == 0], []
    while ready:
        order.append(k := ready.pop())
        for other in graph[k]:
            counts[other] -= 1
            if counts[other] == 0:
                ready.append(other)
    if len(order) < len(graph):
        raise ValueError("a cycle")
    return order
""", "{0: [1, 2], 1: [3], 2: [3], 3: []}", (
        "if N > 2: O[3] = [0]", "depth_first(O, 0, t, q); del q[6:]", "O[int(N) % 3] = [3]",
        "for k in breadth_first(O, int(N) % 4): c += k",
        "try:\n    q = topological(O)\nexcept ValueError:\n    O[3] = []",
        "if 3 in O[1]: O[1].remove(3)"),
        ("len(list(breadth_first(O, int(N) % 4)))", "topological(O)[0]", "len(O[3])")),
    "search": Component("""
def subsets(items, target, path, found):
    if target == 0:
        found.append(path[:])
        return
    if not items or target < 0:
        return
    path.append(items[0])
    subsets(items[1:], target - items[0], path, found)
    path.pop()
    subsets(items[1:], target, path, found)

def queens(n, columns, count=0):
    row = len(columns)
    if row == n:
        return count + 1
    for k in range(n):
        if all(k != c and abs(k - c) != row - i for i, c in enumerate(columns)):
            columns.append(k)
            count = queens(n, columns, count)
            columns.pop()
    return count
""", "[1, 2, 3]", ("subsets(O, N, [], q); del q[3:]", "O[0] = N", "c = queens(4, [int(N) % 4])",
                   "found = []; subsets([1, 2, 3], int(N), [], found); c = len(found)",
                   "if len(O) < 5: O.insert(0, N)"),
        ("len(O)", "queens(4, [])", "O[-1]")),
    "memo": Component("""
def ways(n, memo):
    if n < 2:
        return 1
    if n not in memo:
        memo[n] = ways(n - 1, memo) + ways(n - 2, memo)
    return memo[n]

def chain(sizes):
    n = len(sizes) - 1
    best = [[0] * n for _ in range(n)]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            best[i][j] = min(best[i][k] + best[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                             for k in range(i, j))
    return best[0][n - 1]
""", "{}", ("c = ways(5, O)", "c = ways(int(N) % 6, O)", "O[3] = N", "c = chain([2, N, 3, 1])",
            "O.clear()"),
        ("len(O)", "ways(4, dict(O))", "chain([1, N, 2])")),
    "ring": Component("""
class Ring:
    def __init__(self, n):
        self.data, self.start = np.zeros(n), 0

    def __getitem__(self, k):
        return self.data[(self.start + k) % len(self.data)]

    def __setitem__(self, k, v):
        self.data[(self.start + k) % len(self.data)] = v

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        for k in range(len(self)):
            yield self[k]

    def turn(self, k=1):
        self.start = (self.start + k) % len(self.data)
        return self

    def __iadd__(self, v):
        self.data += v
        return self
""", "Ring(3)", ("O[0] = N", "O[int(N) % 3] += 1", "O.turn()", "O.turn(int(N) % 2)[1] = N",
                 "O += N", "O[1], O[2] = O[2], O[1]", "O.data = O.data[::-1]"),
        ("O[0]", "sum(O)", "O[int(N) % 3]", "len(O)", "O.data.max()")),
    "views": Component("""
class Views:
    def __init__(self, n):
        self.all = np.arange(float(n))
        self.odd, self.end = self.all[1::2], self.all[-2:]
        self.table = self.all.reshape(2, -1)
""", "Views(6)", ("O.odd *= 2", "O.end[:] = N", "O.table[0] += O.table[1]", "O.odd[0] = N",
                  "O.table[:, 1] = O.end", "O.all = O.all + N", "x[:2] = O.end",
                  "O.end[::-1] += O.odd[:2]"),
        ("O.all.sum()", "O.odd[-1]", "O.table[1, 0]", "O.end.max()")),
    "scope": Component("""
class Scope:
    def __init__(self, log):
        self.log, self.depth, self.swallow = log, 0, False

    def __enter__(self):
        self.depth += 1
        return self

    def __exit__(self, kind, error, trace):
        self.depth -= 1
        if len(self.log) < 8:
            self.log.append(kind is not None)
        return self.swallow
""", "Scope([])", ("with O: c += 1", "with O as scope:\n    scope.swallow = N > 2\n"
                   "    if N > 1: raise KeyError('in')", "with O, O:\n    c = O.depth",
                   "O.swallow = True\nwith O:\n    if N < 2: raise ValueError('x')\n    c = 9"),
        ("O.depth", "len(O.log)", "sum(O.log)")),
    "events": Component("""
class Events:
    def __init__(self):
        self.handlers, self.fired = {}, 0

    def on(self, name, handler):
        self.handlers.setdefault(name, []).append(handler)
        del self.handlers[name][3:]
        return handler

    def fire(self, name, *args, **more):
        self.fired += 1
        return [handler(*args, **more) for handler in self.handlers.get(name, ())]
""", "Events()", ("O.on('a', bump)", "O.fire('a', N)", "c = sum(O.fire('a', 1))",
                  "O.on('b', lambda v: q.append(v)); O.fire('b', N); O.handlers = {}; del q[6:]",
                  "if N > 1: O.fire('a', N)", "O.handlers = {}"),
        ("O.fired", "len(O.handlers)")),
    "decorated": Component("""
def counted(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return f(*args, **kwargs)
    wrapper.calls = 0
    return wrapper

class Calls:
    def __init__(self, n):
        self.n, self.cached = n, {}
        self.run = functools.partial(self.add, 1)

    def add(self, k, v=0, *, twice=False):
        self.n = (self.n + k + v * (2 if twice else 1)) % 9
        return self.n

    def __call__(self, v):
        if v not in self.cached:
            self.cached[v] = self.add(v)
        return self.cached[v]

    @staticmethod
    def double(v):
        return v * 2

    @classmethod
    def of(cls, v):
        return cls(cls.double(v))
""", "Calls(1)", ("O.run(N)", "c = O.run(v=N, twice=True)", "c = O(int(N) % 3)",
                  "c = counted(O.add)(N)", "c = Calls.of(N).n", "O.cached = {}",
                  "for g in (O.run, O.double, O.add): c = g(N)"),
        ("O.n", "len(O.cached)", "O.double(N)")),
    "enum": Component("""
class Kind(enum.Enum):
    LOW = 1
    HIGH = 2

    def turned(self):
        return Kind.HIGH if self is Kind.LOW else Kind.LOW

class Light:
    def __init__(self):
        self.kind, self.seen = Kind.LOW, {Kind.LOW: 0, Kind.HIGH: 0}

    def tick(self, v):
        match self.kind:
            case Kind.LOW if v > 2:
                self.kind = Kind.HIGH
            case Kind.HIGH:
                self.kind = self.kind.turned()
            case _:
                pass
        self.seen[self.kind] += 1
""", "Light()", ("O.tick(N)", "O.tick(3); O.tick(N)", "for v in L: O.tick(v)",
                 "O.kind = Kind.HIGH if N > 1 else Kind.LOW", "O.seen[Kind.LOW] = N"),
        ("O.kind.value", "O.seen[Kind.HIGH]", "(O.kind is Kind.LOW)")),
    "records": Component("""
class Record(NamedTuple):
    key: object
    value: object = 0

    @property
    def total(self):
        return self.key + self.value

def best(records):
    top, *rest = sorted(records, key=lambda r: (-r.value, r.key))
    return top
""", "[Record(1, 2), Record(2, 1)]", (
        "O[0] = O[0]._replace(value=N)", "O.sort(key=lambda r: r.value)",
        "if len(O) < 4: O.append(Record(N))", "k, v = O[-1]; O[-1] = Record(v, k)",
        "O[0], O[-1] = O[-1], O[0]", "for i, (k, v) in enumerate(O): O[i] = Record(k, v + N)"),
        ("best(O).key", "sum(r.total for r in O)", "len(O)", "O[0].value")),
    "itertools": Component("", "[3, 1, 2]", (
        "O[:] = list(itertools.accumulate(O))[:4]", "O[:] = itertools.islice(itertools.chain(O, "
        "[N]), 3)", "c = sum(i * j for i, j in itertools.combinations(O, 2)) % 7",
        "for i, v in zip(itertools.count(1), O): c += i * v",
        "for k, g in itertools.groupby(O, key=lambda v: v > 1):\n    c += len(list(g))",
        "bisect.insort(O, N); del O[4:]", "c = functools.reduce(lambda s, v: s * 2 + v, O, 0)",
        "O.sort(key=lambda v: (bump(1), v)[1])", "first, *O[1:] = [N, 1, 2]",
        "O[:] = [v for v in O if (c := c + 1) > 0]"),
        ("sum(O)", "max(O, default=0)", "(O[0] if O else 0)", "bisect.bisect(sorted(O), N)")),
    "text": Component("""
def words(n):
    return "".join(chr(97 + k % 5) for k in range(n))
""", "{'parts': ['a'], 'n': 1}", (
        "O['parts'].append('b' if N > 1 else 'cc'); del O['parts'][5:]", "O['n'] += len(words(3))",
        "O['parts'] = ','.join(O['parts']).split(',')[:4]", "O['last'] = f'{N > 1}-{c}'",
        "O['parts'][0] += 'x' if N > 2 else ''; O['parts'][0] = O['parts'][0][:4]"),
        ("len(O)", "len(''.join(O['parts']))", "O['n']", "('a' in O['parts'])")),
}
"""Protocols, algorithms and classes of the library, by name."""
