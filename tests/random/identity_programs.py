"""Makes random programs on which object a name stands for: containers of every kind that several
names, attributes, items, globals and closures lead to; names that are bound anew, and operators
that change containers in place, in branches, loops and handlers that the graph decides.

A program has one kind of container, and several places that hold one. As in `state_programs`,
what happens outside the arguments is under a condition that the graph decides, unless `free`.
"""

from __future__ import annotations

import re
from random import Random

from tests.random.identity_kinds import ALWAYS, HELPERS, KINDS, PRELUDE, Kind

TESTS = ("h > K", "x[0] > K", "x.sum() > K", "b > K", "a < K", "x[1] < b", "len(P) > K", "P is Q",
         "P is not Q", "P == Q", "P", "not P", "c > K", "id(P) == id(Q)", "P in W", "c % 2 == 0",
         "any(v is P for v in W)", "h > K and P is Q", "o.c is P or x[0] > K")

ASKS = ("c += P is Q", "c += (P is not Q) * 2", "c += id(P) == id(Q)",
        "c += {id(P): 3}.get(id(Q), 0)",
        "c += any(v is P for v in (Q, R))", "c += sum(1 for v in W if v is P)",
        "c += len({id(v) for v in (P, Q, R)})", "c += len(P)", "c += P == Q",
        "c += next((i for i, v in enumerate(W) if v is P), 5)", "c += P in W",
        "t = (P, c); c += t[0] is Q", "c += {id(v): i for i, v in enumerate(W)}.get(id(P), 7)")

BINDS = ("P = Q", "P = Q", "P, Q = Q, P", "P = R = Q", "P = Q if TEST else R", "P = Q or R",
         "P = Q and R", "P = [Q, R][int(b) % 2]", "P = chosen(Q, R, NUM)", "P = same(Q)", "P = NEW",
         "P = NEW", "if TEST: P = NEW", "if TEST: P = Q", "P = (Q, R)[-1]", "P = W[int(b) % 2]",
         "P = {0: Q}.get(int(b) % 2, R)", "P = copy.copy(Q)", "(P, Q), R = (Q, R), P",
         "P = max(Q, R, key=len)", "W[int(b) % 2] = P", "W[0], W[1] = W[1], W[0]",
         "W = [P, *W][:3]",
         "W.append(P); del W[3:]", "W = [Q, R]", "W[:2] = [Q, P]", "D['k'] = P", "D = {'k': P}",
         "D.update(k=P)", "D |= {'k': P}", "P = D.setdefault('z', Q)", "P = D.pop('z', Q)",
         "P = D.get('z', Q)", "o.c = P", "setattr(o, 'c', P)", "o = Holder(P, D)",
         "P, *_ = W", "P = next(iter(W))", "P = W.pop(); W.append(P)",
         "P = (lambda v: v)(Q)", "P = next((v for v in W if v is not Q), R)")

WORD = re.compile(r"\b(?:[PQRK]|TEST|ACT|NEW|MAKE|NUM|INT)\b")
OF_ONE_TRUTH = re.compile(r"P == Q|P in W|[QR] (or|and)|(?<!len\()P(?! is)$|key=len")
"""What an array does not answer."""

OUTSIDE = ("G", "Holder.shared", "kept_in()[0]")


class IdentityProgram:
    """One random program; every choice comes from `random`.

    free  True if effects outside the arguments may be anywhere.
    """

    def __init__(self, random: Random, free: bool = False) -> None:
        self.random, self.free = random, free
        self.lines: list[str] = []
        self.count = 0
        self.kind: Kind = KINDS[self.pick(*KINDS)]
        self.tests, self.binds, self.asks = (
            [x for x in texts if self.kind.make[:3] != "np." or not OF_ONE_TRUTH.search(x)]
            for texts in (TESTS, BINDS, ASKS))
        inside = random.sample(("p", "q", "l", "m", "o.c", "W[0]", "W[-1]", "D['k']", "T[0]"),
                               random.choice((2, 3, 4)))
        outside = [x for x in OUTSIDE if self.chance(0.2)]
        self.places = [*inside, *outside]
        self.is_outside = bool(outside)

    def source(self) -> str:
        """A module with `f(a, b, x, …)`, `make()` for its other arguments, and `kept()`."""
        depth = 1
        if self.is_outside and not self.free:
            self.say(depth, ALWAYS)
            depth += 1
        for _ in range(self.random.choice((2, 3, 3, 4, 5))):
            self.statement(depth, False)
        body = "\n".join(self.lines)
        inner = [text for name, text in HELPERS.items() if f"{name}(" in body]
        returned = [x for x in ("p", "q", "l", "m", "o", "W", "D", "T", "c") if self.chance(0.6)]
        return self.filled("\n".join([
            PRELUDE, self.kind.text,
            "def f(a, b, x, p, q, o, W, D, T, kept=[MAKE]):", "    global G",
            "    h, c, l, m = a + b, 0, MAKE, p",
            *inner, body, f"    return {', '.join(returned) or 'c'},", "G = MAKE",
            "Holder.shared = G", "N = itertools.count()", "def make():",
            "    one, two, k = MAKE, MAKE, next(N)",
            f"    p, q, c = {self.two()}, {self.two()}, {self.two()}",
            f"    W, D = [{self.two()}, {self.two()}], {{'k': {self.two()}}}",
            "    return np.array([k, 2.0]), p, q, Holder(c, {}), W, D, (q, [k])",
            "def kept():", "    return G, Holder.shared, f.__defaults__", ""]))

    def two(self) -> str:
        return self.pick("one", "one", "two", "(one if k % 2 else two)", "MAKE")

    def say(self, depth: int, *lines: str) -> None:
        self.lines += ["    " * depth + part for line in lines for part in line.split("\n")]

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def number(self) -> str:
        return self.pick("1", "3", "b", "a", "c", "x[0]", "h", "len(p)", "(a + c) % 7")

    def filled(self, text: str) -> str:
        """A template's text, with places, numbers and tests in place of its words."""
        fixed = {word: self.pick(*self.places) for word in "PQR"}
        while found := WORD.search(text):
            word = found.group()
            made = fixed[word] if word in fixed else self.word(word)
            text = text[:found.start()] + made + text[found.end():]
        return text

    def word(self, word: str) -> str:
        match word:
            case "TEST":
                return self.pick(*self.tests)
            case "MAKE":
                return self.kind.make
            case "NEW":
                return self.pick(*self.kind.new)
            case "ACT":
                return self.pick(*self.kind.changes)
            case "NUM":
                return self.number()
            case "INT":
                return self.pick("1", "2", "int(b) % 5", "len(q)", "int(x[0]) % 3")
        return str(self.random.randrange(5))

    def line(self, depth: int, text: str) -> None:
        made = self.filled(text)
        target, sign, value = made.partition(" = ")
        for place, name in (("T[0]", "l"), ("kept_in()[0]", "m")):  # these are no targets
            target = re.sub(rf"{re.escape(place)}(?=,|\)|$)", name, target) if sign else target
        self.say(depth, target + sign + value)

    # -- statements --------------------------------------------------------------------------------

    def block(self, depth: int, loop: bool) -> None:
        for _ in range(self.random.choice((1, 1, 2))):
            self.statement(depth, loop)

    def statement(self, depth: int, loop: bool) -> None:
        chance = self.random.random()
        if loop and chance < 0.08:
            self.line(depth, f"if TEST: {self.pick('break', 'continue')}")
        elif chance < 0.1 and depth > 1:
            self.line(depth, self.pick("return P, c", "raise ValueError(NUM)", "raise KeyError(1)"))
        elif chance < 0.42 and depth < 4:
            self.random.choice((self.branch, self.branch, self.while_, self.for_, self.for_,
                                self.attempt, self.inner, self.comprehension))(depth, loop)
        elif chance < 0.64:
            self.line(depth, self.pick(*self.kind.changes))
        elif chance < 0.88:
            self.line(depth, self.pick(*self.binds))
        else:
            self.line(depth, self.pick(*self.asks))

    def branch(self, depth: int, loop: bool) -> None:
        self.line(depth, "if TEST:")
        self.block(depth + 1, loop)
        if self.chance(0.4):
            self.say(depth, "else:")
            self.block(depth + 1, loop)

    def while_(self, depth: int, loop: bool) -> None:
        self.count += 1
        fuel = f"n{self.count}"
        self.line(depth, f"{fuel} = 0\nwhile TEST and {fuel} < {self.pick('3', 'b', 'x[0]')}:")
        self.say(depth + 1, f"{fuel} += 1", f"if {fuel} > 4: break")
        self.block(depth + 1, True)
        self.otherwise(depth, loop)

    def for_(self, depth: int, loop: bool) -> None:
        self.count += 1
        self.line(depth, f"for v{self.count} in " + self.pick(
            "range(int(h) % 4)", "x", "range(2)", "list(P)", "W", "list(W)", "(P, Q)", "zip(P, Q)",
            "enumerate(list(W))", "P", "reversed(W)", "D.values()", "range(min(len(P), 4))") + ":")
        if self.chance(0.3):
            self.say(depth + 1, f"if len(W) > 5 or c > 30 or big(v{self.count}): break")
        self.block(depth + 1, True)
        self.otherwise(depth, loop)

    def otherwise(self, depth: int, loop: bool) -> None:
        if self.chance(0.2):
            self.say(depth, "else:")
            self.block(depth + 1, loop)

    def attempt(self, depth: int, loop: bool) -> None:
        self.say(depth, "try:")
        self.block(depth + 1, loop)
        self.line(depth + 1, self.pick("if TEST: raise ValueError(NUM)", "assert TEST",
                                       "c += {1: 2}[int(b)]", "raising(P, TEST)"))
        self.block(depth + 1, loop)
        self.say(depth, f"except {self.pick('ValueError', 'Exception')}:")
        self.block(depth + 1, loop)
        if self.chance(0.3):
            self.say(depth, "finally:")
            self.line(depth + 1, self.pick(*self.kind.changes))

    def inner(self, depth: int, loop: bool) -> None:
        self.line(depth, self.pick(
            "changed(P, NUM)", "P = changed(Q, NUM)", "P = rebound(Q, NUM)", "grow(NUM)",
            "P = swapped(Q, R, NUM)", "c += grow(INT)", "P = swapped(Q, R, NUM)[0]", "stash(P)",
            "act(P)", "P = act(Q)", "keep(P, NUM)", "P = keep(Q, NUM)", "grow(NUM); c += l is P",
            "u = np.vectorize(lambda v: grow(v), otypes=[float])(x)"))

    def comprehension(self, depth: int, loop: bool) -> None:
        self.line(depth, self.pick(
            "W = [v for v in W if v is not P] + [Q]", "c += sum(len(changed(P, v)) for v in x)",
            "W = [changed(v, NUM) for v in (P, Q)]", "W = [v if TEST else P for v in W][:3]",
            "D = {k: P for k in D}", "c += len([changed(v, 1) for v in W if v is P])",
            "W = [NEW for v in range(2)]", "c += sum(grow(v) for v in (1, b))",
            "W = [*W, P][-2:]", "W = sorted(W, key=len)", "W = list(map(same, W))",
            "W = list({id(v): v for v in (P, Q)}.values()) * 2; del W[2:]"))
