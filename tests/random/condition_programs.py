"""Random programs whose conditions compute: values that only one side of an `and` asks for."""

from __future__ import annotations

from random import Random

from tests.random.text import Text

NAMES = ("a", "b", "c")
HEAD = '''import numpy as np


class Box:
    def __init__(self, value, rest=None):
        self.value, self.rest = value, rest


class Sized(Box):
    def __len__(self):
        return 0 if self.value < 2 else 3


def small(n):
    return n < 4


def odd(n):
    if n < 0:
        return False
    return n % 2 == 1


def near(m, n):
    d = m - n
    return -3 < d and (d < 3 or small(n))


def pick(n):
    if n > 3:
        return None
    return Box(n) if n > 1 else Sized(n)


def longer(n, rest):
    return Box(n, rest) if n > 1 else rest


def f(x, limit):
    a, b, c = x
    n, log = 0, []
'''


class ConditionProgram(Text):
    """Writes `f(x, limit)` for three integers `x`. Each loop ends after `limit` rounds in all."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.bound = 0

    def source(self) -> str:
        for _ in range(self.random.randint(2, 5)):
            self.statement(1)
        return HEAD + "\n".join([*self.lines, "    return a, b, c, n, log", ""])

    def statement(self, depth: int) -> None:
        kinds = [self.assign, self.assign, self.branch, self.ternary]
        if depth < 3:
            kinds += [self.while_, self.while_, self.for_, self.walk]
        self.random.choice(kinds)(depth)

    def block(self, depth: int) -> None:
        for _ in range(self.random.randint(1, 2)):
            self.statement(depth)

    def assign(self, depth: int) -> None:
        self.say(depth, f"{self.pick(*NAMES)} {self.pick('=', '=', '+=', '-=')} {self.value()}")

    def ternary(self, depth: int) -> None:
        self.say(depth, f"{self.pick(*NAMES)} = "
                        f"{self.value()} if ({self.test()}) else {self.value()}")

    def branch(self, depth: int) -> None:
        self.say(depth, f"if {self.test()}:")
        self.block(depth + 1)
        if self.random.random() < 0.5:
            self.say(depth, f"elif {self.test()}:")
            self.say(depth + 1, f"log.append({self.value()})")
        if self.random.random() < 0.4:
            self.say(depth, "else:")
            self.block(depth + 1)

    def while_(self, depth: int) -> None:
        self.say(depth, self.pick(f"while n < limit and ({self.test()}):",
                                  f"while ({self.test()}) and n < limit:"))
        self.say(depth + 1, "n += 1")
        self.block(depth + 1)
        if self.random.random() < 0.3:
            self.say(depth + 1, f"if {self.test()}:")
            self.say(depth + 2, self.pick("break", "continue", "return a, n, log"))
        if self.random.random() < 0.2:
            self.say(depth, "else:")
            self.say(depth + 1, f"a += {self.value()}")

    def for_(self, depth: int) -> None:
        name = self.pick("i", "j")
        over = self.pick("range(3)", "x", "range(b % 4)", "range(12)")
        self.say(depth, f"for {name} in {over}:")
        self.say(depth + 1, f"a = a + {name} if ({self.test()}) else {self.value()}")
        self.block(depth + 1)
        if self.random.random() < 0.3:
            self.say(depth + 1, f"if {self.test()}: break")

    def walk(self, depth: int) -> None:
        """A walk along boxes, of which each is there or not."""
        self.bound += 1
        box = f"box{self.bound}"
        self.say(depth, f"{box} = {self.pick('None', 'pick(a)', 'Box(b)')}")
        for _ in range(self.random.randint(1, 3)):
            self.say(depth, f"{box} = longer({self.value()}, {box})")
        there = self.pick(box, f"{box} is not None", f"not ({box} is None)",
                          f"{box} and ({self.test()})", f"({box} or None) is not None",
                          f"{box} is not None and {box}.value != {self.value()}")
        self.say(depth, f"while {there}:")
        self.say(depth + 1, f"{self.pick(*NAMES)} += {box}.value")
        self.say(depth + 1, f"{box} = {box}.rest")

    def value(self) -> str:
        return self.pick(*NAMES, "n", str(self.random.randint(-3, 9)),
                         f"{self.pick(*NAMES)} + {self.random.randint(1, 4)}",
                         f"{self.pick(*NAMES)} - {self.pick(*NAMES)}",
                         f"{self.pick(*NAMES)} % {self.random.randint(2, 7)}",
                         f"max({self.pick(*NAMES)}, {self.pick(*NAMES)})")

    def atom(self) -> str:
        sign = self.pick("<", ">", "==", "!=", "<=")
        return self.pick(
            f"{self.value()} {sign} {self.value()}", f"{self.value()} < {self.value()} < 7",
            f"small({self.value()})", f"odd({self.value()})",
            f"near({self.value()}, {self.value()})", f"(k := {self.value()}) {sign} 4",
            f"(lambda j: {self.lazy('j')})({self.value()} {sign} 3)",
            f"pick({self.value()}) {self.pick('is', 'is not')} None", f"bool(pick({self.value()}))",
            f"any(v {sign} {self.value()} for v in x)", "all(small(v) for v in (a, b))",
            f"{self.value()} in (1, 2, {self.value()})", f"{self.pick(*NAMES)} & 1",
            f"isinstance(pick({self.value()}), Sized)", f"[v for v in x if v {sign} a]")

    def lazy(self, name: str) -> str:
        """A condition that asks for a value on one side only."""
        return self.pick(f"a > 1 or ({name} and {self.compare()})",
                         f"{self.compare()} and not {name}",
                         f"{name} if {self.compare()} else True",
                         f"({self.compare()} or {name}) and ({self.compare()} or b > 2)")

    def compare(self) -> str:
        return f"{self.value()} {self.pick('<', '>', '==')} {self.value()}"

    def test(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return self.atom()
        one, other = self.test(depth - 1), self.test(depth - 1)
        return self.pick(f"({one}) and ({other})", f"({one}) or ({other})", f"not ({one})",
                         f"(({one}) if ({self.atom()}) else ({other}))",
                         f"bool({one}) == bool({other})")
