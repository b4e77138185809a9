"""Functions of Python's library that are not converted and that ask for what only the run knows,
and objects written in C whose state a trace cannot see."""

import collections
import functools
import hashlib
import heapq
import hmac
import itertools
import operator
import pathlib
import queue
import tempfile
import zlib
from collections import Counter, OrderedDict
from xml.etree import ElementTree

import numpy as np

from tests.corpus.case import Case

VECTORS = (np.array([1.0, -2.0, 3.0, 4.0]),), (np.array([-1.0, 2.0, -3.0, 0.5]),)
COUNTS = (np.array([3, 2]),), (np.array([1, 3]),)
WHOLE = (np.array(5445),), (np.array(311229),), (np.array(12),)

_scope = {}
exec("def half_or_nothing(x):\n    if x > 0:\n        return x / 2\n    return 0.0\n", _scope)
half_or_nothing = _scope["half_or_nothing"]


def code_without_a_text(x):
    return half_or_nothing(x[0]) + half_or_nothing(x[1])


def chained_maps(x):
    chain = collections.ChainMap({"a": x[0]}, {"a": 2, "b": 3})
    if x[1] > 0:
        chain["b"] = x[1]
    return chain["a"], chain["b"], dict(chain), len(chain), sorted(chain.items())


def a_map_of_symbolic_keys(x):
    chain = collections.ChainMap({int(a): 1 for a in x if a > 0}, {3: 4})
    return sorted(chain.items()), 4 in chain, chain.get(5)


def written_and_read(x):
    path = pathlib.Path(tempfile.mkdtemp()) / "text"
    path.write_text(f"{x[0]:.2f}" if x[0] > 0 else str(x[1]))
    return path.read_text()


@functools.singledispatch
def kind(x):
    return "other"


@kind.register
def _(x: int):
    return "whole", x + 1


@kind.register
def _(x: float):
    return "number", x * 2


@kind.register
def _(x: list):
    return "list", len(x)


def dispatched_by_the_run(x):
    return kind(3 if x[0] > 0 else 2.5), kind([a for a in x if a > 0]), kind(float(x[0])), kind(x)


def queues(x):
    first, order = queue.LifoQueue(), queue.PriorityQueue()
    for i in range(10):
        first.put(x[0] * i)
    total = 0.0
    while not first.empty():
        total += first.get()
    for i in range(3):
        order.put((x[i] * i, i))
    return total, [order.get()[1] for _ in range(3)]


def hash_in_a_branch(x):
    found = hashlib.sha256(b"of")
    if x[0] > 0:
        found.update(b"a positive number")
    return found.hexdigest()


def hash_of_memory(x):
    found = hashlib.sha256()
    for _ in range(12):
        found.update(b"a")
    before = found.hexdigest()
    found.update(x.tobytes())
    return before, found.hexdigest()


def compressed_in_a_loop(x):
    compressor, out = zlib.compressobj(), b""
    for i in range(20):
        out += compressor.compress(bytes([i] * 40))
    return out + compressor.flush(), x


def lines_in_a_loop(x):
    rows, lengths = [], []
    with open(heapq.__file__, encoding="utf-8") as file:
        for _ in range(12):
            rows.append(file.readline().split())
        for _ in range(12):
            lengths.append(len(next(file)))
    return rows, lengths, x


def read_backwards(x):
    values = [3.0, 1.0]
    values[:] = heapq.merge(*(reversed(part) for part in [[3.0, 1.0], [4.0, 2.0]]))
    return values, list(heapq.merge(*(iter(part) for part in [[0.5, 3.0], [x[0]]])))


def cycles(x):
    found = itertools.cycle([a for a in x if a > 0])
    turns = list(zip(range(3), itertools.cycle(x.tolist())))
    return [next(found) for _ in range(5)], turns


def products(n):
    words = [w for w in itertools.product("ab", repeat=int(n[1])) if w[0] == "a"]
    return words, sum(sum(p) for p in itertools.product(n, repeat=int(n[0])))


def items_got(n):
    getters = [operator.itemgetter(a, 0) for a in n]
    return operator.itemgetter(int(n[1]))((4, 2, 3, 2)), [g([5, 6, 7, 8]) for g in getters]


def digits_left(n):
    digits = str(n)
    left = []
    for digit in Counter(digits) - Counter(set(digits)):
        left.append(digit)
    others = [d for d in sorted(set(digits) - set("1"))]
    for digit in set(digits) - set("24"):
        others.append(int(digit))
    return left, sorted(map(str, others)), list(OrderedDict.fromkeys(digits))


def mapping_with_whole_keys(n):
    total = []
    for key in {7: "a"} | dict(zip(range(3), str(n))):
        total.append(key)
    return total


def least_is_an_argument(n):
    least = min(20, n)
    least -= 1
    most = max([np.array(2), n])
    most += 1
    return least, most


def cached_with_arrays(n):
    @functools.lru_cache
    def below(a):
        return n if a < 1 else below(a - 1)

    return below(n)


def breadth_first(edges):
    waiting, seen = queue.Queue(), [0]
    waiting.put(0)
    while not waiting.empty():
        at = waiting.get()
        for to in range(len(edges)):
            if edges[at, to] > 0 and to not in seen:
                waiting.put(to)
                seen.append(to)
    return seen


class Link:
    def __init__(self, value, after=None):
        self.value = value
        self.after = after

    def __len__(self):
        return 1


def truth_of_a_selected_link(n):
    link, passed = Link(1, Link(2, Link(3, Link(4)))), []
    while link:
        passed.append(link.value)
        link = None if link.value * 10 > n else link.after
    chosen = Link(5) if n > 15 else Link(6)
    assert chosen
    return passed, chosen.value


def read_of_texts(n):
    return (bytes.fromhex(f"{n % 90 + 10:02d}"), int.from_bytes(str(n).encode(), "big"),
            float.fromhex(hex(n)))


def elements(x):
    root = ElementTree.Element("a")
    ElementTree.SubElement(root, "b").text = str(x[0])
    return ElementTree.tostring(root), hmac.new(b"k", x.tobytes(), "sha256").hexdigest()


EDGES = np.array([[-1.0, 2.0, -3.0], [0.5, -1.0, 1.0], [2.0, -1.0, 1.0]])

CASES = [
    Case(breadth_first, (EDGES,), (EDGES.T.copy(),), (-EDGES,)),
    Case(truth_of_a_selected_link, *WHOLE),
    Case(read_of_texts, *WHOLE),
    *(Case(f, *VECTORS) for f in (
        code_without_a_text, chained_maps, a_map_of_symbolic_keys, written_and_read,
        dispatched_by_the_run, queues, hash_in_a_branch, hash_of_memory, compressed_in_a_loop,
        elements, lines_in_a_loop, read_backwards, cycles)),
    Case(products, *COUNTS),
    Case(items_got, *COUNTS),
    *(Case(f, *WHOLE) for f in (
        digits_left, mapping_with_whole_keys, least_is_an_argument, cached_with_arrays)),
]
