"""Makes random programs that use textbook classes, data structures and algorithms.

A program has two to four things of `components`: local variables, arguments, globals, attributes of
an argument or items of a list. What it does with them is nested in loops, branches, handlers,
generators and inner functions at random. As in `state_programs`, what happens outside the arguments
is under a condition that the graph decides, unless `free`.
"""

from __future__ import annotations

from random import Random

from tests.random.components import COMPONENTS, Component
from tests.random.more_components import MORE_COMPONENTS

ALL = {**COMPONENTS, **MORE_COMPONENTS}

PRELUDE = '''
import bisect, enum, functools, heapq, itertools
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field
from typing import NamedTuple
import numpy as np
'''

BEGIN = '''
class Box:
    def __init__(self, thing):
        self.thing = thing

def f(a, b, x, p, o1, o2, box, row):
    global G
    h, c, q, t = a + b, 1, [1, 2], {9}
    def bump(k):
        nonlocal c
        c = (c + k) % 7
        return c
'''

HOMES = ("LOCAL", "o1", "o1", "o2", "box.thing", "row[0]", "G")


class ComponentProgram:
    """One random program; every choice comes from `random`.

    free  True if effects outside the arguments may be anywhere.
    """

    def __init__(self, random: Random, free: bool = False) -> None:
        self.random, self.free = random, free
        self.lines: list[str] = []
        self.count = 0
        self.staged = False
        self.things = self.placed()

    def placed(self) -> list[tuple[str, str]]:
        """Pairs of a home and a component's name."""
        homes = self.random.sample(HOMES, self.random.choice((2, 2, 3, 4)))
        names = self.random.choices(list(ALL), k=self.random.choice((1, 2, 2, 3)))
        return [(home if home != "LOCAL" else self.fresh_name("v"), self.random.choice(names))
                for home in dict.fromkeys(homes)]

    def source(self) -> str:
        """A module with `f(a, b, …)`, `make()` for its other arguments, and `kept()`."""
        begin = [f"    {home} = {ALL[name].make}" for home, name in self.things
                 if home.startswith("v")]
        for _ in range(self.random.choice((1, 2, 3))):
            self.statement(1, False)
        returned = ", ".join(dict.fromkeys([*(home for home, _ in self.things), "c", "q", "t"]))
        texts = dict.fromkeys(ALL[name].text for _, name in self.things)
        made = {"o1": "[1, 2]", "o2": "0", "box.thing": "3", "row[0]": "4", "G": "5",
                **{home: ALL[name].make for home, name in self.things}}
        return "\n".join([
            PRELUDE, *texts, BEGIN, *begin, *self.lines, f"    return {returned}",
            f"G = {made['G']}", "def make():",
            f"    return (np.arange(4.0), [2, 1], {made['o1']}, {made['o2']}, "
            f"Box({made['box.thing']}), [{made['row[0]']}, 0])",
            "def kept():", "    return G", ""])

    def fresh_name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def say(self, depth: int, text: str) -> None:
        self.lines += ["    " * depth + line for line in text.splitlines()]

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def thing(self) -> tuple[str, Component]:
        home, name = self.random.choice(self.things)
        return home, ALL[name]

    # -- expressions -------------------------------------------------------------------------------

    def filled(self, text: str, home: str) -> str:
        """A component's text, with a thing and numbers in place of its letters."""
        found = ""
        for k, letter in enumerate(text):
            word = text[max(k - 1, 0):k + 2]
            alone = not any(c.isalnum() or c == "_" for c in word.replace(letter, "", 1))
            made = {"O": lambda: home, "N": self.small, "L": self.few}.get(letter)
            found += made() if made is not None and alone else letter
        return found

    def small(self) -> str:
        return self.pick("a", "b", "c", "h", "1", "4", "x[0]", "(a + c) % 7", "int(a)", "len(q)")

    def few(self) -> str:
        return self.pick("p", "q", "[1, a]", "x[:2]", "range(3)", "(c, 2, b)")

    def number(self) -> str:
        home, component = self.thing()
        return self.small() if self.random.random() < 0.5 else self.filled(
            self.pick(*component.asks), home)

    def test(self) -> str:
        k, j = self.number(), self.small()
        return self.pick(f"{k} > {j}", f"{k} != {j}", f"{k} > 1 and {j} < 3", f"not {k}",
                         f"bump({j}) > 3", f"{k} < 2 or bump(1) > {j}", f"any(v > {k} for v in q)")

    # -- statements --------------------------------------------------------------------------------

    def block(self, depth: int, loop: bool) -> None:
        for _ in range(self.random.choice((1, 1, 2))):
            self.statement(depth, loop)

    def statement(self, depth: int, loop: bool) -> None:
        chance = self.random.random()
        if loop and chance < 0.08:
            self.say(depth, self.pick("break", "continue"))
        elif depth > 1 and chance < 0.11:
            self.say(depth, self.pick("return c, q", f"raise ValueError({self.small()})",
                                      "raise KeyError('k')"))
        elif depth < 4 and chance < 0.42:
            self.random.choice((self.branch, self.branch, self.for_, self.for_, self.while_,
                                self.attempt, self.attempt, self.inner, self.generator,
                                self.comprehension))(depth, loop)
        elif chance < 0.55:
            self.plain(depth)
        else:
            self.act(depth)

    def act(self, depth: int) -> None:
        home, component = self.thing()
        text = self.filled(self.pick(*component.acts), home)
        if home == "G" and not self.free and not self.staged:
            self.say(depth, f"if h > {self.random.randrange(-4, 4)}:")
            depth += 1
        self.say(depth, text)

    def plain(self, depth: int) -> None:
        k, j = self.small(), self.number()
        chosen = f"{{'a': bump, 'b': abs}}['a' if {self.test()} else 'b']"
        self.say(depth, self.pick(
            f"c = {j}", f"c += {j}", f"q.append({j}); del q[5:]", f"q = [{j}, *q[:3]]",
            f"t.add(int({k}) % 5)", f"bump({k})", "q.sort(key=lambda v: (bump(1) + v) % 3)",
            f"x[int({k}) % 2] = {j}", f"[bump, q.append][int({k}) % 2]({k}); del q[6:]",
            f"c = {chosen}({k})", f"c = (bump if {self.test()} else abs)({k})",
            f"p[:1] = [{j}]", f"c = {j} if {self.test()} else c"))

    def branch(self, depth: int, loop: bool) -> None:
        certain = not self.staged and self.random.random() < 0.5
        self.say(depth, f"if h > {self.random.randrange(4)}:" if certain else f"if {self.test()}:")
        outer, self.staged = self.staged, self.staged or certain
        self.block(depth + 1, loop)
        for word in ("elif", "else"):
            if self.random.random() < 0.3:
                self.say(depth, "else:" if word == "else" else f"elif {self.test()}:")
                self.block(depth + 1, loop)
        self.staged = outer

    def for_(self, depth: int, loop: bool) -> None:
        v = self.fresh_name("k")
        certain = self.random.random() < 0.3
        self.say(depth, f"for {v} in " + ("range(int(h) % 4)" if certain else self.few()) + ":")
        outer, self.staged = self.staged, self.staged or certain
        if self.random.random() < 0.5:
            self.say(depth + 1, f"c = ({v} + c) % 9")
        self.block(depth + 1, True)
        self.staged = outer
        if self.random.random() < 0.2:
            self.say(depth, "else:")
            self.block(depth + 1, loop)

    def while_(self, depth: int, loop: bool) -> None:
        n = self.fresh_name("n")
        self.say(depth, f"{n} = 0\nwhile {n} < {self.pick('3', 'a', '2')} and ({self.test()}):")
        self.say(depth + 1, f"{n} += 1")
        self.block(depth + 1, True)

    def attempt(self, depth: int, loop: bool) -> None:
        self.say(depth, "try:")
        self.block(depth + 1, loop)
        if self.random.random() < 0.5:
            self.say(depth + 1, f"if {self.test()}: raise {self.pick('ValueError', 'KeyError')}("
                     f"{self.small()})")
        handled = self.random.random() < 0.8
        if handled:
            kinds = self.pick("ValueError", "(ValueError, KeyError)", "Exception")
            self.say(depth, f"except {kinds}{self.pick('', ' as error')}:")
            self.block(depth + 1, loop)
            if self.random.random() < 0.25:
                self.say(depth, "else:")
                self.block(depth + 1, loop)
        if not handled or self.random.random() < 0.4:
            self.say(depth, "finally:")
            self.say(depth + 1, self.pick("c += 1", "q.append(c); del q[5:]", "bump(2)"))

    def inner(self, depth: int, loop: bool) -> None:
        name = self.fresh_name("g")
        self.say(depth, f"def {name}(v, w={self.small()}):")
        self.say(depth + 1, "nonlocal c, q")
        self.block(depth + 1, False)
        self.say(depth + 1, self.pick(
            "return v", "return c", "c = v + w", f"return {self.number()}"))
        self.say(depth, self.pick(f"{name}({self.small()})", f"c = {name}({self.small()}) or 0",
                                  f"for v in {self.few()}: {name}(v)",
                                  f"if {self.test()}: {name}(2)"))

    def generator(self, depth: int, loop: bool) -> None:
        name = self.fresh_name("g")
        self.say(depth, f"def {name}(items):")
        self.say(depth + 1, "nonlocal c, q\nfor v in items:")
        self.block(depth + 2, True)
        self.say(depth + 2, "yield v")
        self.say(depth, self.pick(
            f"for c in {name}({self.few()}): pass", f"q = list({name}({self.few()}))[:4]",
            f"c = sum({name}({self.few()}))",
            f"for v in {name}({self.few()}):\n    if v > {self.small()}: break"))

    def comprehension(self, depth: int, loop: bool) -> None:
        self.say(depth, self.pick(
            f"q = [v + {self.small()} for v in {self.few()} if v > {self.small()}][:5]",
            f"q = [bump(v) for v in {self.few()}]",
            f"c = sum(bump(v) * v for v in {self.few()}) % 7",
            f"t = {{int(v) % 4 for v in {self.few()}}}",
            f"c = len({{int(v): bump(v) for v in {self.few()}}})",
            f"q = [v for i, v in enumerate({self.few()}) if i != {self.small()}]",
            f"c = max({self.few()}, key=lambda v: bump(v) - v, default=0)"))
