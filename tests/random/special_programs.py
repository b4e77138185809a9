"""Makes random programs on special methods: classes whose methods tell what they are asked for, in
every construct that asks for them, under conditions that the graph decides and under others. The
log shows how often each was called, and in which order."""

from __future__ import annotations

import re
from random import Random

from tests.random.special_prelude import END, PRELUDE

TESTS = (
    "a > K", "b > K", "a > K", "a < K", "N", "not N", "N > a", "N == M", "a in B", "B",
    "len(B) > K", "N and a > K", "a > K or M", "N.v > K", "A.p > K", "A.d > a", "S.z > a", "K > 0",
    "N < M", "K in B", "isinstance(N, Num)", "hasattr(A, 'w')", "callable(N)", "len(log) > 4")

VALUES = (
    "a", "b", "K", "N", "N + K", "N + a", "a + N", "K + N", "N - K", "a - N", "-N", "abs(N)",
    "int(N)", "float(M)", "N()", "N(a)", "N(k=K)", "N.v", "A.p", "A.d", "A.some", "S.z",
    "S.double()", "A.kind", "B[0]", "B[-1]", "B[INT]", "len(B)", "L['a']", "L['q']", "L[INT]",
    "O[1]", "P.y", "L.get('zz', K)", "round(M)", "bool(N)", "N * a", "N == K", "N != M", "N < M",
    "a in B", "K not in B", "B & a", "getattr(A, 'other', K)", "getattr(A, 'd')", "max(N, M)",
    "min(M, N)", "sum(B)", "max(B)", "sorted(B)[0]", "list(B)", "[*B]", "list(T)", "next(T, K)",
    "list(O)", "str(N)", "repr(M)", "f'{N}'", "f'{M:>3}'", "f'{N!r} {M!s}'", "'%s' % N",
    "format(N, 'x')", "'{} {}'.format(N, K)", "[5, 6, 7][N]", "(N if TEST else M)", "(N or M)",
    "(N and a)", "(not N)", "any(B)", "all(B)", "[v for v in B if v > K]",
    "[N for _ in range(INT)]", "{N: K}", "len({N, M})", "{v: N() for v in B}", "dict(x=N)",
    "tuple(B)", "reversed(B)", "list(reversed(B))", "list(zip(B, O))", "list(enumerate(T))",
    "list(map(N, B))", "hash(N)", "sum(v for v in B)", "sorted([M, N])", "sorted(B, key=N)",
    "N is M", "same(N)", "asked(N, a)", "vars(P)['x']", "operator.add(N, K)", "N.__add__(K)",
    "N.__class__.__name__", "divmod(7, int(M))", "functools.reduce(lambda u, v: u + v, B, N)",
    "list(filter(N, B))", "K < N", "1 < N < 9", "a < M > K", "(N, M) == (M, N)", "[N] == [N]",
    "N in [M, N]", "[M, N].index(N)", "[N, M].count(K)", "Num(a, log)", "Num(K, log) + N",
    "Q.push(K)", "K in Q", "Q[0]", "len(Q)", "A.d + A.p", "pow(a, 2)", "range(N)",
    "np.float64(a) + N", "list(iter(B))", "tuple(v for v in T)", "dict(L)", "'a' in L")

ACTIONS = (
    "N += K", "N += a", "A.p = K", "A.p = a", "A.d = K", "A.d = a", "A.p += K", "A.d += a",
    "A.t = K", "A.t = a", "del A.d", "B[0] = K", "B[0] = a", "B[INT] = K", "B[0] += K",
    "B[-1] += a", "B |= K", "B |= a", "if len(B) > 1: del B[0]", "N.v = K", "N.v = a", "N()", "N",
    "A.none", "L['w'] = a", "L['q'] += K", "L[INT] += a", "S.z = a", "S.z += K", "Q.push(a)",
    "Q.append(K)", "u = N; u += K", "Q += [a]", "setattr(A, 'p', a)", "setattr(A, 'e', K)",
    "setattr(S, 'z', K)", "N.log.append(K)", "Q[0] = a", "x, *y = B", "x, y = P.x, P.y",
    "for v in B: N.v += v", "for v in T: Q.push(v)", "print(end='')", "(lambda: N())()",
    "x = N; y = x + K", "assert N or True", "B[0], B[-1] = B[-1], B[0]", "x = y = N + K",
    "A.kind = K", "Att.kind = Att.kind", "P._y = a", "next(T, None)", "LOG.append(K)")

WORD = re.compile(r"\b(?:[NMBTOASPLQK]|TEST|INT)\b")
NAMES = {
    "N": ("n", "n", "m", "h", "(n if a > 1 else m)"), "M": ("m", "m", "n"), "B": ("box",),
    "T": ("steps",), "O": ("old",), "A": ("att",), "S": ("spy",), "P": ("pt",), "L": ("lazy",),
    "Q": ("stack",)}


class SpecialProgram:
    """One random program; every choice comes from `random`."""

    def __init__(self, random: Random, free: bool = False) -> None:
        self.random, self.free = random, free
        self.lines: list[str] = []
        self.count = 0

    def source(self) -> str:
        """A module with `f(a, b, …)`, `make()` for its other arguments, and `kept()`."""
        depth = 1
        if not self.free:
            self.say(depth, "if a > -99:")  # what happens outside is the run's
            depth += 1
        for _ in range(self.random.choice((1, 2, 2, 3))):
            self.statement(depth, 2)
        body = "\n".join(self.lines)
        returned = ", ".join(f"r{k}" for k in range(self.count))
        first = "".join(f"    r{k} = None\n" for k in range(self.count))
        return f"""{PRELUDE}
def f(a, b, n, m, box, steps, old, att, spy, pt, lazy, stack, log):
    h = n
{first}{body}
    return ({returned or 'a'},)
{END}"""

    def say(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def filled(self, text: str) -> str:
        """A template's text, with objects, numbers and tests in place of its words."""
        def word(found: re.Match[str]) -> str:
            name = found.group()
            if name == "TEST":
                return self.filled(self.pick(*TESTS))
            if name == "INT":
                return self.pick("0", "1", "int(a) % 2", "int(b) % 3", "n.n % 2")
            return self.pick("0", "1", "2", "4") if name == "K" else self.pick(*NAMES[name])

        made = WORD.sub(word, text)
        return re.sub(r"\((n if a > 1 else m)\)(?= (?:\+=|=) )", "n", made)

    def statement(self, depth: int, levels: int) -> None:
        chance = self.random.random()
        if levels and chance < 0.4:
            kind = self.random.choice((self.branch, self.branch, self.for_, self.while_, self.with_,
                                       self.match, self.attempt))
            kind(depth, levels - 1)
        elif chance < 0.75:
            self.value(depth)
        else:
            self.say(depth, self.target(self.filled(self.pick(*ACTIONS))))

    def target(self, text: str) -> str:
        return text.replace("(n if a > 1 else m) +=", "h +=").replace("u = (n if a > 1 else m)",
        "u = n")

    def value(self, depth: int) -> None:
        self.say(depth, f"r{self.count} = {self.filled(self.pick(*VALUES))}")
        self.count += 1

    def branch(self, depth: int, levels: int) -> None:
        self.say(depth, self.filled("if TEST:"))
        self.statement(depth + 1, levels)
        if self.random.random() < 0.4:
            self.say(depth, self.filled(self.pick("else:", "else:", "elif TEST:")))
            self.statement(depth + 1, levels)

    def for_(self, depth: int, levels: int) -> None:
        items = self.filled(self.pick("B", "T", "O", "range(INT)", "zip(B, [N, M])",
        "enumerate(B)", "reversed(B)",
                                      "[N, M]", "range(int(a) % 3)", "L", "Q", "iter(B)", "(N, a)"))
        self.say(depth, f"for v in {items}:")
        self.statement(depth + 1, levels)
        if self.random.random() < 0.3:
            self.say(depth + 1, self.filled(f"if TEST: {self.pick('break', 'continue')}"))
            self.say(depth + 1, "log.append('end')")

    def while_(self, depth: int, levels: int) -> None:
        name = f"k{len(self.lines)}"
        self.say(depth, f"{name} = 0")
        end = self.pick("2", "b", "a")
        self.say(depth, self.filled(f"while {self.pick('TEST and ', '')}{name} < {end}:"))
        self.say(depth + 1, f"{name} += 1")
        self.say(depth + 1, f"if {name} > 3: break")
        self.statement(depth + 1, levels)

    def with_(self, depth: int, levels: int) -> None:
        self.say(depth, self.pick("with box:", "with box as c:", "with box, box:"))
        self.statement(depth + 1, levels)
        if self.random.random() < 0.4:
            self.say(depth + 1, self.filled("if TEST: raise ValueError(K)"))

    def attempt(self, depth: int, levels: int) -> None:
        self.say(depth, "try:")
        self.statement(depth + 1, levels)
        self.say(depth + 1, self.filled(self.pick("if TEST: raise KeyError(K)", "box[9]",
        "att._no", "n - None",
                                                  "old[int(a)]", "assert TEST")))
        self.say(depth, "except Exception as e:")
        self.say(depth + 1, "log.append(type(e).__name__)")

    def match(self, depth: int, levels: int) -> None:
        subject = self.pick("pt", "box.items", "n.v", "stack", "(a, N)", "lazy")
        self.say(depth, self.filled(f"match {subject}:"))
        for _ in range(self.random.choice((1, 2))):
            self.say(depth + 1, self.filled("case " + self.pick(
                "Point(x, y) if TEST:", "Point(1, y=2):", "[x, *y]:", "[_, _]:", "1 | 2:",
                "{'a': x}:", "Num(v=1):",
                "(x, Num(v=y)):", "float() if TEST:", "Point(x=1) as y:", "list():")))
            self.statement(depth + 2, levels)
        self.say(depth + 1, "case _:")
        self.statement(depth + 2, levels)
