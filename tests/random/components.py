"""Components of random programs: textbook classes, data structures and algorithms.

Each is a text of definitions, an expression that makes a thing, statements that change a thing, and
expressions that ask it. In these, `O` is the thing, `N` a number and `L` a list of numbers.
"""

from __future__ import annotations

from typing import NamedTuple


class Component(NamedTuple):
    """A text of definitions; how a thing is made, what changes it, and what asks it."""

    text: str
    make: str
    acts: tuple[str, ...]
    asks: tuple[str, ...]


COMPONENTS = {
    "meter": Component("""
class Meter:
    def __init__(self, level):
        self._level, self.sets = level, 0

    @property
    def level(self):
        return self._level

    @level.setter
    def level(self, v):
        if v > 9:
            v = 9
        self.sets += 1
        self._level = v

    @level.deleter
    def level(self):
        self._level = 0
""", "Meter(2)", ("O.level = N", "O.level += N", "O.level -= 1", "del O.level",
                  "O.level = O.level * 2 if O.level < 4 else 0"),
        ("O.level", "O.sets", "(O.level > 3)")),
    "logged": Component("""
class Logged:
    def __init__(self):
        object.__setattr__(self, "log", [])
        self.a, self.b = 1, 2

    def __setattr__(self, name, v):
        if len(self.log) < 12:
            self.log.append((name, v))
        object.__setattr__(self, name, v)

    def __getattr__(self, name):
        if name.startswith("x_"):
            self.log.append(name)
            return len(self.log)
        raise AttributeError(name)
""", "Logged()", ("O.a = N", "O.b += N", "O.a, O.b = O.b, O.a", "O.a = O.x_one",
                  "setattr(O, 'b', N)", "O.a = getattr(O, 'none', N)"),
        ("O.a", "len(O.log)", "O.b", "hasattr(O, 'none')")),
    "account": Component("""
class Overdrawn(Exception):
    def __init__(self, need, have=0):
        super().__init__(f"need {need > 1}")
        self.need, self.have = need, have

@dataclass
class Account:
    balance: float = 3.0
    history: list = field(default_factory=list)
    limits: dict = field(default_factory=lambda: {"day": 6})

    def __post_init__(self):
        self.history.append(("open", self.balance))

    def deposit(self, v):
        self.balance += v
        if len(self.history) < 9:
            self.history.append(("in", v))
        return self

    def withdraw(self, v):
        if v > self.balance:
            raise Overdrawn(v, self.balance)
        self.balance -= v
        if len(self.history) < 9:
            self.history.append(("out", v))

    def transfer(self, other, v):
        self.withdraw(v)
        try:
            if v > self.limits["day"]:
                raise ValueError("limit")
            other.deposit(v)
        except ValueError:
            self.balance += v
            raise
""", "Account()", ("O.deposit(N)", "O.withdraw(N)", "O.deposit(1).deposit(N)",
                   "O.transfer(Account(1.0, []), N)", "O.limits['day'] = N",
                   "try:\n    O.withdraw(N)\nexcept Overdrawn as e:\n    c = e.need - e.have",
                   "try:\n    O.transfer(O, N)\nexcept (ValueError, Overdrawn):\n    O.history = []"
                   "\nfinally:\n    O.limits['day'] = 5"),
        ("O.balance", "len(O.history)", "O.limits['day']", "(O == Account(3.0))")),
    "lru": Component("""
class LRU:
    def __init__(self, size):
        self.size, self.data, self.misses = size, OrderedDict(), 0

    def get(self, k, make):
        if k in self.data:
            self.data.move_to_end(k)
            return self.data[k]
        self.misses += 1
        v = self.data[k] = make(k)
        if len(self.data) > self.size:
            self.data.popitem(last=False)
        return v
""", "LRU(2)", ("O.get(int(N) % 3, lambda k: k * 2)", "c = O.get(int(N) % 4, lambda k: k + a)",
                "for k in (1, int(N) % 3, 1):\n    c = O.get(k, str)\nc = len(str(c))"),
        ("O.misses", "len(O.data)", "list(O.data)[0] if O.data else 0")),
    "union find": Component("""
class UnionFind:
    def __init__(self, n):
        self.parent, self.rank, self.sets = list(range(n)), [0] * n, n

    def find(self, i):
        while self.parent[i] != i:
            self.parent[i] = self.parent[self.parent[i]]
            i = self.parent[i]
        return i

    def union(self, i, j):
        i, j = self.find(i), self.find(j)
        if i == j:
            return False
        if self.rank[i] < self.rank[j]:
            i, j = j, i
        self.parent[j] = i
        if self.rank[i] == self.rank[j]:
            self.rank[i] += 1
        self.sets -= 1
        return True
""", "UnionFind(5)", ("O.union(int(N) % 5, 1)", "O.union(2, int(N) % 5)",
                      "for i, j in [(0, 1), (int(N) % 5, 3), (1, 3)]:\n    O.union(i, j)",
                      "c = O.union(0, 4) + O.union(4, int(N) % 5)"),
        ("O.sets", "O.find(int(N) % 5)", "(O.find(0) == O.find(int(N) % 5))")),
    "heap": Component("""
def push_all(heap, items):
    for v in items:
        heapq.heappush(heap, v)
    while len(heap) > 6:
        heapq.heappop(heap)
    return heap
""", "[1, 4, 9]", ("heapq.heappush(O, N); del O[7:]", "push_all(O, [N, 2, N])",
                   "if O: c = heapq.heappop(O)", "c = heapq.heappushpop(O, N)",
                   "if O: c = heapq.heapreplace(O, N)", "O[:] = [v for v in O if v > N]",
                   "O.append(N); heapq.heapify(O); del O[6:]"),
        ("len(O)", "sum(heapq.nsmallest(2, O))", "(O[0] if O else -1)")),
    "heap of pairs": Component("""
def shortest(graph, start, seen):
    best, heap = {}, [(0, start)]
    while heap:
        cost, node = heapq.heappop(heap)
        if node in best:
            continue
        best[node] = cost
        seen.append(node)
        for other, weight in graph[node]:
            if other not in best:
                heapq.heappush(heap, (cost + weight, other))
    return best
""", "{0: [(1, 2), (2, 5)], 1: [(2, 1)], 2: []}",
        ("O[0][0] = (1, N)", "O[1] = [(2, abs(N)), (0, 1)]", "O[2] = [(0, 1)]; O[2] *= 2",
         "for k, v in shortest(O, 0, q).items():\n    c += k * v\ndel q[6:]"),
        ("sum(shortest(O, 0, []).values())", "shortest(O, 1, q[:]).get(2, 0)", "len(O[2])")),
    "counter": Component("", "Counter('abca')", (
        "O['a'] += N", "O.update(['a', 'b', 'd'])", "O[int(N) % 2] += 1", "O.subtract({'a': 1})",
        "O -= Counter('a')", "if O['b'] > N: del O['b']", "O = O + Counter({'c': 2})"),
        ("O['a']", "O['none']", "sum(O.values())", "O.most_common(1)[0][1] if O else 0", "len(O)")),
    "window": Component("""
class Window:
    def __init__(self, n):
        self.items, self.total = deque(maxlen=n), 0

    def add(self, v):
        if len(self.items) == self.items.maxlen:
            self.total -= self.items[0]
        self.items.append(v)
        self.total += v
        return self.total / len(self.items)

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        return iter(self.items)

    def __contains__(self, v):
        return any(v == w for w in self.items)
""", "Window(3)", ("O.add(N)", "c = O.add(N)", "for v in L: O.add(v)", "O.items.rotate(int(N) % 2)",
                   "if N in O: O.items.clear(); O.total = 0"),
        ("len(O)", "O.total", "sum(O)", "(N in O)", "max(O, default=0)")),
    "linked": Component("""
class Node:
    __slots__ = ("value", "next")

    def __init__(self, value, next=None):
        self.value, self.next = value, next

class Chain:
    def __init__(self, items):
        self.head, self.size = None, 0
        for v in items:
            self.push(v)

    def push(self, v):
        self.head = Node(v, self.head)
        self.size += 1

    def pop(self):
        node = self.head
        if node is None:
            raise IndexError("empty")
        self.head = node.next
        self.size -= 1
        return node.value

    def reverse(self):
        node, self.head = self.head, None
        while node is not None:
            node.next, self.head, node = self.head, node, node.next

    def values(self):
        node = self.head
        while node is not None:
            yield node.value
            node = node.next
""", "Chain([1, 2])", ("O.push(N)", "if O.size: c = O.pop()", "O.reverse()", "c = O.pop()",
                       "if O.head is not None: O.head.value = N",
                       "while O.size > 3: O.pop()"),
        ("O.size", "sum(O.values())", "(O.head.value if O.head else 0)", "len(list(O.values()))")),
    "trie": Component("""
def insert(trie, word):
    node = trie
    for k in word:
        node = node.setdefault(k, {})
    fresh = "$" not in node
    node["$"] = True
    return fresh

def known(trie, word):
    for k in word:
        if k not in trie:
            return False
        trie = trie[k]
    return "$" in trie
""", "{}", ("insert(O, 'ab')", "insert(O, 'abc' if N > 1 else 'ax')", "c += insert(O, 'a')",
            "for w in ('b', 'ab', 'a'):\n    if not known(O, w):\n        insert(O, w)"),
        ("len(O)", "known(O, 'ab')", "(known(O, 'ax') + 1)")),
    "machine": Component("""
class Machine:
    def __init__(self):
        self.state, self.count, self.log = "idle", 0, []
        self.table = {"idle": self.idle, "run": self.run, "stop": lambda v: "idle"}

    def idle(self, v):
        self.count += 1
        return "run" if v > 1 else "idle"

    def run(self, v):
        if len(self.log) < 8:
            self.log.append(v)
        return "stop" if v > 3 else "run"

    def step(self, v):
        self.state = self.table[self.state](v)
        return self.state
""", "Machine()", ("O.step(N)", "O.step(N); O.step(3)", "for v in L: O.step(v)",
                   "if O.step(N) == 'run': c = 1", "O.state = 'run' if N > 2 else O.state"),
        ("O.count", "len(O.log)", "(O.state == 'run')", "len(O.state)")),
}
"""Data structures and classes, by name."""
