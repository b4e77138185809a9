"""Makes random programs to differentiate that use more of Python and of NumPy than those of
`slope_programs`: classes, generators, closures with state, matrices and their views, complex
numbers, linear algebra, handlers, and derivatives, checkpoints and rules inside the program."""

from __future__ import annotations

from random import Random

from tests.random.text import Text

PRELUDE = '''
import dataclasses
from collections import deque, namedtuple

import numpy as np

import autograph as ag

Pair = namedtuple("Pair", "left right")


@dataclasses.dataclass
class Held:
    w: object
    k: float = 0.5


class Cell:
    count = 0

    def __init__(self, w, k):
        self.w, self.k, self.past = w, k, []

    def step(self, v):
        self.past.append(self.k)
        self.k = np.tanh(self.k + 0.3 * v[1])
        return np.tanh(self.w * v) + 0.2 * self.k

    @property
    def size(self):
        return np.sqrt(1.0 + self.w @ self.w)

    def __add__(self, other):
        return Cell(self.w + 0.5 * other.w, self.k * other.k)


class Deeper(Cell):
    def step(self, v):
        return super().step(v)[::-1] * 0.8


@ag.custom_vjp
def ruled(v):
    return np.sin(v) * 0.7


ruled.defvjp(lambda v: (np.sin(v) * 0.7, v), lambda v, g: (g * 0.7 * np.cos(v),))


@ag.custom_jvp
def pushed(v):
    return np.tanh(v)


pushed.defjvp(lambda xs, ts: (np.tanh(xs[0]), ts[0] * (1.0 - np.tanh(xs[0]) ** 2)))


@ag.checkpoint
def again(v, n):
    for i in range(n):
        v = np.sin(v) + 0.1 * i * v
    return v


def tree(node):
    if isinstance(node, tuple):
        left, right = node
        return np.tanh(tree(left) - 0.5 * tree(right))
    return node


def partial_sums(v, n):
    total = 0.0
    for k in range(n):
        total = total + v[k % 3] * 0.5
        yield np.tanh(total)


def until(v, limit):
    k = 0
    while np.abs(v).sum() < limit and k < 6:
        v = v * 1.3 + 0.05
        k += 1
    else:
        v = v - 0.01
    return v


def written(v, M):
    M[1] = np.tanh(v)
    M[:, 0] += 0.2 * v[1]
    return M.T


def counted():
    total = 0.0

    def add(x):
        nonlocal total
        total = np.tanh(total + x)
        return total

    return add

'''
NUMBERS, VECTORS, MATRICES = "abc", "uv", "MN"


class WiderSlopeProgram(Text):
    """One random program `f(a, u, p)` of a number, a vector of three and a nest: {"m": a matrix of
    3 by 3, "h": [a number, a vector]}.

    In some programs, each name stands for an array of its own; in others, the run decides which.
    Few are wild: handlers, deques, and arrays in lists that are changed in place.
    """

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.copies = random.random() < 0.5
        self.wild = random.random() < 0.2

    def source(self) -> str:
        self.lines = [
            "def f(a, u, p):", "    M, (b, v) = p['m'], p['h']", "    c = a * b",
            "    N = np.outer(np.sin(u), v) + np.eye(3)", "    items = [u * 1.0, np.tanh(v)]",
            "    cell, held, add = Cell(u + v, a), Held(v * 0.5), counted()",
            "    pair, last = Pair(a, u), " + (
                "deque([b], maxlen=3)" if self.wild else "[b]")]
        for _ in range(self.random.randrange(3, 8)):
            self.statement(1, False)
        self.lines.append(
            "    return a, b, c, u, v, M, N, sum(items), cell.w, cell.k, held.w, held.k, add(0.1),"
            " sum(last), pair.left, pair.right, sum(cell.past)")
        return PRELUDE + "\n".join(self.lines) + "\n"

    # -- expressions ------------------------------------------------------------------------------

    def number(self) -> str:
        n, m = self.pick(*NUMBERS), self.pick(*NUMBERS)
        v, w, M = self.pick(*VECTORS), self.pick(*VECTORS), self.pick(*MATRICES)
        return self.pick(
            n, f"0.6 * {n}", f"np.tanh({n} + {m})", f"np.sin({v}[{self.place()}]) * {m}",
            f"np.tanh({M}[{self.place()}, {self.place()}])", f"np.tanh(np.trace({M}))",
            f"np.tanh({v} @ {M} @ {w})", f"np.linalg.norm({v} + 2.0) * 0.2", "cell.k * 0.9",
            "cell.size * 0.3", "held.k", f"add({n})", "last[-1] * 0.8", "pair.left",
            f"tree((({n}, {m}), ({m}, 0.3)))", f"sum(partial_sums({v}, {self.pick('1', '4')}))",
            f"np.tanh(np.linalg.det({M} + 2.0 * np.eye(3)) * 0.1)",
            f"np.abs(np.exp(1j * {n}) + {m})", f"np.fft.fft({v}).real[1] * 0.3",
            f"np.interp({n}, [-1.0, 0.1, 1.0], {v})",
            f"np.tanh(np.einsum('ij,i,j', {M}, {v}, {w}))",
            f"ag.grad(lambda t: np.sin(t * {m}) * t)({n}) * 0.5",
            f"ag.jvp(lambda t: np.tanh(t * {w}).sum(), ({n},), ({m},))[1] * 0.3",
            f"np.tanh(ag.vjp(lambda t: t * np.sin(t) + {m}, {v})[1]({w})[0].sum())",
            f"max({n}, {m}, key=abs)", f"sorted([{n}, {m}, 0.2])[1]",
            f"({n} if {self.test()} else {m})",
            f"np.where({n} > {m}, np.sqrt(np.abs({n} - {m}) + 0.1), {m})",
            f"divmod({n} + 3.0, 0.7)[1]",
            f"float({n}) * 0.5", f"np.float64({n}) - {m}", f"{v}.item({self.place()})",
            f"[t * {n} for t in {v} if t > 0.1][-1:] and {n}", f"(lambda q, r={m}: q * r)({n})",
            f"np.median({v})", f"np.hypot({n}, {m} + 1.5) * 0.4", f"np.prod({v} + 0.5) * 0.3",
            f"{n} ** 2 * 0.5", f"np.logaddexp({n}, {m}) * 0.4", f"np.cumsum({v})[1] * 0.4")

    def place(self) -> str:
        return self.pick("0", "1", "2", "-1", "-2", "len(items) % 3", "int(a > 0.2)")

    def vector(self) -> str:
        v, w = self.pick(*VECTORS), self.pick(*VECTORS)
        n, M = self.pick(*NUMBERS), self.pick(*MATRICES)
        return self.pick(
            v, f"{M}[{self.place()}]", f"{M}[:, {self.place()}]", f"{M}.diagonal() * 1.0",
            f"np.tanh({M} @ {v})", f"np.tanh({v} * {w} + {n})", "cell.step(" + v + ")", "held.w",
            f"until({v}, {self.pick('1.0', '2.0')})", f"again({v}, {self.pick('2', '3')})",
            f"ruled({v})", f"pushed({v} + {n})", f"{v}[::-1]", f"np.roll({v}, {self.place()})",
            f"np.linalg.solve({M} + 3.0 * np.eye(3), {v})", f"np.sort({v} * {w})",
            f"np.where({v} > {n}, {v}, {w} * 0.5)", f"np.array([{n}, 0.3, {v}[1]])",
            f"np.array(list(partial_sums({v}, 3)))", f"np.fft.ifft(np.fft.fft({v}) * {n}).real",
            f"np.abs({v} + 1j * {w})", f"np.real(np.conj({v} + 1j * {n}) * np.exp(1j * {w}))",
            f"np.convolve({v}, [0.5, {n}])[:3]", f"np.interp({v}, [-1.0, 0.0, 1.0], {w})",
            f"ag.grad(lambda t: (np.sin(t) * {w}).sum())({v})", f"np.clip({v}, -0.55, {n} + 1.0)",
            f"ag.vmap(lambda r: r @ {v} * 0.5)({M})", f"np.maximum({v}, {w}) * 0.9",
            f"items[{self.place()} % len(items)]",
            f"np.concatenate([{v}[1:], {w}[:1]])", f"np.stack([t * {n} for t in {v}])",
            f"np.linalg.norm({M}, axis=0) * 0.3", f"{M}.mean(axis={self.pick('0', '1', '-1')})",
            f"np.take({v}, [2, 0, 0])", f"np.cumprod({v})", f"np.gradient({v})", "pair.right * 0.9",
            f"np.einsum('ij,j->i', {M}, {v}) * 0.4", f"np.diff({v}, prepend={n})",
            f"np.linalg.eigvalsh({M} + {M}.T + np.diag([0.0, 5.0, 11.0])) * 0.1",
            f"np.max({M} * 1.0, axis=0) * 0.7", f"np.array([t for t in reversed({v})])")

    def matrix(self) -> str:
        v, w, n = self.pick(*VECTORS), self.pick(*VECTORS), self.pick(*NUMBERS)
        M, N = self.pick(*MATRICES), self.pick(*MATRICES)
        return self.pick(
            M, f"{M}.T", f"np.tanh({M} @ {N})", f"np.outer({v}, {w})", f"{M} * {v}",
            f"{M} + {v}[:, None]",
            f"np.linalg.inv({M} + 3.0 * np.eye(3))", f"np.tanh({M} * {n})", f"written({v}, {M})",
            f"np.stack([{v}, {w}, {v} * {n}])", f"np.where({M} > {n}, {M}, {N}.T)", f"{M}[::-1]",
            f"np.tril({M}) + 0.1 * {N}", f"{M}[[0, 2, 1]]", f"np.broadcast_to({v}, (3, 3)) * 1.0",
            f"ag.jacobian(lambda t: np.sin(t) * {n})({v})", f"np.sort({M}, axis=0)",
            f"np.array([[{n}, 0.1, 0.2], {v}, {w}])", f"np.cov({M}) * 0.5",
            f"np.linalg.cholesky({M} @ {M}.T + 2.0 * np.eye(3)) * 0.3",
            f"{M}.reshape(9)[::-1].reshape(3, 3)", f"np.array([r * {n} for r in {M}])")

    def test(self) -> str:
        n, m, v = self.pick(*NUMBERS), self.pick(*NUMBERS), self.pick(*VECTORS)
        return self.pick(f"{n} > {m}", f"{n} > 0.25", f"{v}.max() > {n}", f"-0.3 < {n} < 0.7",
                         f"({v} > {m}).any()", f"({v} > -0.9).all()", "len(items) > 2",
                         f"not {n} > 0.1", f"{n} > 0.1 or {v}[0] < {m}", f"cell.k > {n}",
                         f"{n} < 0.4 and {m} > -0.2", "len(last) < 2", f"(t := {n} * {m}) > 0.05")

    # -- statements -------------------------------------------------------------------------------

    def statement(self, depth: int, loop: bool) -> None:
        chance = self.random.random()
        if loop and chance < 0.08:
            self.say(depth, f"if {self.test()}: {self.pick('break', 'continue')}")
        elif depth > 1 and chance < 0.11:
            self.say(depth, f"if {self.test()}: return {self.number()}, ({self.vector()}) * 1.0")
        elif depth < 4 and chance < 0.45:
            self.random.choice([self.branch, self.while_, self.for_range, self.for_items,
                                self.handled if self.wild else self.branch, self.function,
                                self.matched])(depth)
        else:
            self.say(depth, self.owned(self.simple()))

    def owned(self, line: str) -> str:
        """A statement that binds no array's name to memory of another."""
        name, _, bound = line.partition(" = ")
        return f"{name} = ({bound}) * 1.0" if self.copies and bound and (
            name in (*VECTORS, *MATRICES, "held.w", "cell.w")) else line

    def simple(self) -> str:
        n, v, w = self.pick(*NUMBERS), self.pick(*VECTORS), self.pick(*VECTORS)
        M, N = self.pick(*MATRICES), self.pick(*MATRICES)
        k, number, vector = self.place(), self.number(), self.vector()
        if self.wild and self.chance(0.15):
            return self.pick(f"items[{k} % len(items)][1] = {n}", f"last.appendleft({n})",
                             f"held.w[{k}] = {n}", f"items[-1] *= {n}", f"cell.w[{k}] = {n}")
        return self.pick(
            f"{n} = {number}", f"{n} = {number}", f"{v} = {vector}", f"{v} = {vector}",
            f"{M} = {self.matrix()}", f"{v}[{k}] = {number}", f"{v}[{k}] += {number}",
            f"{M}[{k}] = {vector}", f"{M}[:, {k}] *= {n}", f"{M}[{k}, 1:] = {v}[:2]",
            f"{M}[{M} > 0.3] = {n}", f"{v} *= 0.8", f"{v} += 0.2 * {w}", f"{M} -= 0.1 * {N}.copy()",
            f"np.add.at({v}, [0, 2, 0], 0.3 * {w}.copy())", f"np.multiply({v}, {n}, out={v})",
            f"np.tanh({M}, out={M})", f"row = {M}[{k}]; row += {n}",
            f"part = {M}[1:, :2]; part[0] = {n}",
            f"flat = {M}.reshape(-1); flat[{self.pick('0', '4', '7')}] = {number}",
            f"{M}[[0, 2]] = {M}[[2, 0]]", f"{v}[:2], {n} = {w}[1:] * 1.0, {number}",
            f"items.append({vector} * 1.0)", f"{v} = items.pop() if len(items) > 1 else {v}",
            f"items[0] = {vector}", f"items.insert(0, {v} * {n})",
            f"items, {v} = items[::-1], items[0]", f"cell.w = {vector} * 1.0", f"cell.w *= {n}",
            f"cell.k = {number}", f"cell = cell + Cell({v}, {n})", f"cell = Deeper({v} * 1.0, {n})",
            f"held = dataclasses.replace(held, k={number})", f"held.k *= {n}", f"held.w = {vector}",
            f"last.append({number})",
            f"pair = pair._replace(left={number})", f"pair = Pair({n}, {vector})",
            f"{n}, {v} = pair",
            f"add({n})", "add = counted()", f"{n}, *_ = {v}", f"*_, {n} = sorted({v} * 1.0)",
            f"{n} += 0.3 * {number}", f"{n} -= {v}[{k}]", f"{v}[{v} > 0.2] *= {n}", "del items[1:]",
            f"p = {{'m': {M}, 'h': [{n}, {v}]}}; p['h'][0] = {n} * {n}; {n} = p['h'][0]",
            f"{n} = np.random.default_rng({self.pick('1', '2')}).normal({n}, 0.1) * 0.5")

    def body(self, depth: int, loop: bool) -> None:
        for _ in range(self.random.randrange(1, 4)):
            self.statement(depth, loop)

    def branch(self, depth: int) -> None:
        self.say(depth, f"if {self.test()}:")
        self.body(depth + 1, False)
        if self.chance(0.4):
            self.say(depth, f"elif {self.test()}:")
            self.body(depth + 1, False)
        if self.chance(0.5):
            self.say(depth, "else:")
            self.body(depth + 1, False)

    def while_(self, depth: int) -> None:
        self.loops += 1
        k = f"k{self.loops}"
        self.say(depth, f"{k} = 0")
        self.say(depth, f"while {k} < {self.random.randrange(1, 5)} and {self.test()}:")
        self.say(depth + 1, f"{k} += 1")
        self.body(depth + 1, True)
        if self.chance(0.3):
            self.say(depth, "else:")
            self.body(depth + 1, False)

    def for_range(self, depth: int) -> None:
        count = self.pick("2", "3", "len(items)", "int(np.abs(a) * 3.0) + 1", "1, 4, 2",
                          "2, -1, -1")
        self.say(depth, f"for i in range({count}):")
        n, v = self.pick(*NUMBERS), self.pick(*VECTORS)
        self.say(depth + 1, self.pick(f"{n} = 0.4 * i * {n}", f"{n} = {v}[i % 3] * 0.8",
                                      f"{v}[i % 3] = {n} * 0.9", f"items.append({v} * 0.5)"))
        self.body(depth + 1, True)

    def for_items(self, depth: int) -> None:
        n, v = self.pick(*NUMBERS), self.pick(*VECTORS)
        names, items = self.random.choice([
            ("t", f"{v} * 1.0"), ("i, t", f"enumerate({v}.copy())"),
            ("t, _", f"zip({v} * 1.0, [1, 2])"),
            ("t", f"partial_sums({v}, {self.pick('2', '3')})"), ("t", "list(last)"),
            ("t", "[r.sum() * 0.3 for r in items]"), ("_, t", "{'p': a, 'q': b}.items()"),
            ("t", f"sorted({v} * 1.0, reverse=True)"), ("(t, _)", f"[({n}, {v}), (0.2, {v})]"),
            ("t", "(r[0] for r in M * 1.0)"), ("t", "map(np.tanh, [a, b, c])")])
        self.say(depth, f"for {names} in {items}:")
        self.say(depth + 1, f"{n} = np.tanh(t * {self.pick(*NUMBERS)}) + 0.1")
        self.body(depth + 1, True)
        if self.chance(0.2):
            self.say(depth, "else:")
            self.body(depth + 1, False)

    def handled(self, depth: int) -> None:
        self.say(depth, "try:")
        self.say(depth + 1, self.pick(f"{self.pick(*NUMBERS)} = items[{self.pick('0', '9')}][1]",
                                      f"{self.pick(*NUMBERS)} = {{'x': a}}[{self.pick(*'xz')!r}]"))
        self.body(depth + 1, False)
        self.say(depth, "except LookupError:")
        self.body(depth + 1, False)
        if self.chance(0.3):
            self.say(depth, "finally:")
            self.say(depth + 1, self.owned(self.simple()))

    def function(self, depth: int) -> None:
        """A function that changes what is around it, called some times."""
        self.loops += 1
        g, n = f"g{self.loops}", self.pick(*NUMBERS)
        self.say(depth, f"def {g}(q, r={self.number()}):")
        self.say(depth + 1, f"if q > {self.pick(*NUMBERS)}: return q * r")
        self.say(depth + 1, self.pick("cell.k = np.tanh(q)", "held.k *= 0.5", "items.append(u * q)",
                                      "items[0][1] = np.tanh(q)" if self.wild else "add(q)"))
        self.say(depth + 1, "return q - 0.5 * r")
        self.say(depth, f"{n} = {g}({self.number()}) + {g}(0.3, r={self.number()})")

    def matched(self, depth: int) -> None:
        n = self.pick(*NUMBERS)
        self.say(depth, "match len(items), pair:")
        self.say(depth + 1, "case 2, Pair(left=t):")
        self.say(depth + 2, f"{n} = np.tanh(t) + 0.1 * {n}")
        self.say(depth + 1, "case _, _:")
        self.body(depth + 2, False)
