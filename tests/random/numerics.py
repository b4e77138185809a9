"""Makes random numeric programs in which there is much to optimise: every rule's left side, equal
formulas, loop invariants, writes between reads, views, effects of errors and warnings."""

from __future__ import annotations

from tests.random.text import Text

PRELUDE = '''
import numpy as np

def scaled(v, s):
    return (v * s) * 2 + np.exp(v - v)

def stored(v, s):
    v[0] = s
    return v * 1

'''
ARRAYS, SCALARS = "xyz", "st"
CONSTANTS = ("0", "1", "2", "3", "-1", "5", "100", "1.0", "0.0", "-0.0", "0.5", "2.0", "-2.0",
             "1e300", "np.inf", "np.nan", "True", "7", "200")
SHORT = ("exp", "sqrt", "square", "abs", "negative", "floor", "sign", "isnan", "log", "tanh")
FOLDED = ("sum", "max", "min", "mean", "prod")


class Numerics(Text):
    """One random program `f(x, y, s, n)`; every choice comes from `random`."""

    def source(self) -> str:
        self.lines = ["def f(x, y, s, n):", "    z = x * 1", "    t = s + 0", "    out = []"]
        for _ in range(self.random.randrange(3, 9)):
            self.statement(1)
        self.say(1, "return x, y, z, s, t, out")
        return PRELUDE + "\n".join(self.lines) + "\n"

    def constant(self) -> str:
        return self.pick(*CONSTANTS)

    def atom(self) -> str:
        return self.pick(*ARRAYS, *ARRAYS, *ARRAYS, *SCALARS, self.constant())

    def array(self, depth: int = 2) -> str:
        """An expression that is an array of four numbers, or so."""
        v, w = self.pick(*ARRAYS), self.pick(*ARRAYS)
        if depth == 0:
            return v
        a, b, c, d = self.array(depth - 1), self.array(depth - 1), self.constant(), self.constant()
        return self.pick(
            v, v, v, f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} / {c})", f"(-{a})",
            f"({a} * {c})", f"({c} * {a})", f"({a} + {c})", f"({a} - {c})", f"({a} ** {c})",
            f"({a} // {c})", f"(({a} + {c}) + {d})", f"(({a} * {c}) * {d})", f"(({a} - {c}) - {d})",
            f"(-(-{a}))", f"({a} - (-{b}))", f"((-{a}) * (-{b}))", f"abs(-{a})", f"abs(abs({a}))",
            f"({a} % {c})", f"(+{a})", f"np.square(-{a})", f"np.{self.pick(*SHORT)}({a})",
            f"np.where({self.mask()}, {a}, {b})", f"np.where(~{self.mask()}, {a}, {c})",
            f"np.maximum({a}, {b})", f"{v}.copy()", f"{v}[::-1]", f"scaled({v}, {c})",
            f"({v} + {w}) * ({v} + {w})", f"np.where({self.mask()}, {a}, {self.scalar()})",
            f"np.full(4, {self.scalar()})", f"np.arange(4) * {c}", f"({self.scalar()} * {a})",
            f"np.zeros(4) + {c}", f"({a}).astype(float)", f"stored({v}, {self.scalar()})")

    def mask(self) -> str:
        return f"({self.pick(*ARRAYS)} {self.pick('>', '<', '==', '>=')} {self.constant()})"

    def scalar(self) -> str:
        s, v = self.pick(*SCALARS), self.pick(*ARRAYS)
        return self.pick(s, s, f"{v}[{self.pick('0', '1', '-1')}]", f"{v}.sum()",
                         f"np.{self.pick(*FOLDED)}({v})", f"({s} * {self.constant()})",
                         f"({s} + {self.constant()})", f"np.{self.pick(*SHORT)}({s})",
                         f"({s} / {self.constant()})", f"({s} ** 2)", f"(-(-{s}))",
                         f"({s} - (-{v}[0]))", f"float({v}[1])", f"np.dot({v}, {v})",
                         f"({v}[2] if {self.test()} else {s})")

    def test(self) -> str:
        return self.pick(
            f"{self.pick(*SCALARS)} > {self.constant()}", f"np.any({self.mask()})",
            f"{self.pick(*ARRAYS)}[0] == {self.constant()}", f"n > {self.pick('0', '2', '5')}",
            f"not {self.pick(*SCALARS)} > {self.constant()}",
            f"{self.pick(*SCALARS)} > 0 and {self.pick(*ARRAYS)}[1] < 3")

    def statement(self, depth: int) -> None:
        simple = (self.assign, self.assign, self.assign, self.number, self.update, self.store,
                  self.append, self.view)
        compound = (self.branch, self.rounds, self.rounds, self.while_, self.quietly)
        chance = self.random.random()
        if chance < 0.04 and depth > 1:
            self.say(depth, f"if {self.test()}:")
            self.say(depth + 1, f"raise ValueError('at {depth}')")
        elif depth < 4 and chance < 0.4:
            self.random.choice(compound)(depth)
        else:
            self.random.choice(simple)(depth)

    def block(self, depth: int) -> None:
        for _ in range(self.random.choice((1, 2, 2, 3))):
            self.statement(depth)

    def assign(self, depth: int) -> None:
        self.say(depth, f"{self.pick(*ARRAYS)} = {self.array()}")

    def number(self, depth: int) -> None:
        self.say(depth, f"{self.pick(*SCALARS)} = {self.scalar()}")

    def update(self, depth: int) -> None:
        self.say(depth, f"{self.pick(*ARRAYS)} {self.pick('+', '-', '*')}= {self.array(1)}")

    def store(self, depth: int) -> None:
        place = self.pick("0", "-1", "1:3", "...", "n % 4")
        value = self.scalar() if place != "..." else self.array(1)
        self.say(depth, f"{self.pick(*ARRAYS)}[{place}] = {value}")

    def append(self, depth: int) -> None:
        self.say(depth, f"out.append({self.pick(self.scalar(), self.array())})")

    def view(self, depth: int) -> None:
        self.say(depth, f"v = {self.pick(*ARRAYS)}[1:]")
        self.say(depth, f"v {self.pick('+', '*')}= {self.constant()}")

    def branch(self, depth: int) -> None:
        self.say(depth, f"if {self.test()}:")
        self.block(depth + 1)
        if self.random.random() < 0.5:
            self.say(depth, "else:")
            self.block(depth + 1)

    def rounds(self, depth: int) -> None:
        self.loops += 1
        i = f"i{self.loops}"
        steps = self.pick("n", "n", "0", "2", "10", "12", "1, 12, 2", "9, -1, -1")
        self.say(depth, f"for {i} in range({steps}):")
        if self.random.random() < 0.6:
            use = self.pick(f"3 * {i}", f"{i} * 3 + 1", f"{i} - 2", f"{i}", f"5 - {i}")
            self.say(depth + 1, self.pick(f"t = t + ({use})", f"z = z * ({use})",
                                          f"x[({use}) % 4] = s", f"out.append({use})"))
        self.block(depth + 1)

    def while_(self, depth: int) -> None:
        self.loops += 1
        k = f"k{self.loops}"
        self.say(depth, f"{k} = n - n")
        test = self.pick(f"{k} < 3", f"{k} < n", f"{k} < 2 and ({self.test()})")
        self.say(depth, f"while {test}:")
        self.say(depth + 1, f"{k} = {k} + 1")
        self.block(depth + 1)

    def quietly(self, depth: int) -> None:
        self.say(depth, f"with np.errstate({self.pick('all', 'over', 'divide', 'invalid')}="
                        f"'{self.pick('ignore', 'raise', 'warn')}'):")
        self.block(depth + 1)
