"""Random programs of loops that make a new array in each iteration, fill it in inner loops and
keep it for the next one: what may be written in place, and what has to be copied."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from tests.random.text import Text

MADE = ["np.zeros((4, 3))", "g * 2", "g * 1", "g.copy()", "np.ones_like(g)", "h + 1", "np.array(h)"]
READ = ["g * 2", "g * 1", "g.copy()", "h + 1", "np.array(h)"]
"""What is read of what a new array began as: one computation may serve both."""

NAMES = ["g", "h", "new", "new", "new", "old"]


class Buffers(Text):
    """Writes `f(g, h, n)`: two matrices of 4 rows and 3 columns, and how often it goes round."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.items: list[str] = []

    def source(self) -> str:
        r = self.random
        head = ["def f(g, h, n):", "    s = 0.0", "    seen = []",
                f"    new = {r.choice(MADE)}", f"    old = {r.choice(['g', 'h', 'new', 'g * 2'])}"]
        self.block(1, "for t in range(n):", r.randint(2, 5))
        if r.random() < 0.2:
            self.block(1, "for u in range(2):", 2)
        last = r.choice(["g, h, new, old, s", "g, s", "new, old", "g, h, s, seen", "old, g"])
        return "\n".join([*head, *self.lines, f"    return {last}", ""])

    def block(self, depth: int, head: str, count: int) -> None:
        self.say(depth, head)
        for _ in range(count):
            self.statement(depth + 1)

    def statement(self, depth: int) -> None:
        r, kind = self.random, self.random.random()
        if kind < 0.25 and len(self.items) < 2:
            item = "ij"[len(self.items)]
            self.items.append(item)
            ends = r.choice([("4", "3")[len(self.items) - 1], "1, 3", "0", "n", "2"])
            self.block(depth, f"for {item} in range({ends}):", r.randint(1, 3))
            self.items.pop()
        elif kind < 0.37 and depth < 6:
            self.block(depth, f"if {self.element()} > {r.choice(['0.5', '1', 's'])}:",
                       r.randint(1, 2))
            if r.random() < 0.4:
                self.block(depth, "else:", 1)
        elif kind < 0.62:
            sign = r.choice(["", "", "+", "*"])
            self.say(depth, f"{self.written()} {sign}= {self.element()} * 0.5 + "
                             f"{r.choice(['1', 's', self.element()])}")
        elif kind < 0.67:
            self.say(depth, f"{r.choice(NAMES)}[{self.index('2')}] = {r.choice(NAMES)}[0]")
        elif kind < 0.77:
            self.say(depth, f"new = {r.choice(MADE)}")
        elif kind < 0.89:
            self.say(depth, r.choice([
                "g = new", "old = new", "g, new = new, g", "new = old", "h = g", "old = new[:]",
                "new = new if s > 2 else old", "g, h = h, new", "new = new + 0", "old = new.T"]))
        elif kind < 0.93:
            self.say(depth, f"seen.append({r.choice(['new', 'old', 'new.sum()', 'g', 'new[0]'])})")
        else:
            read = r.choice([*NAMES, *(f"({x})" for x in READ)])
            self.say(depth, f"s += {read}.{r.choice(['sum()', 'max()', 'mean()'])}")

    def written(self) -> str:
        return f"{self.random.choice(NAMES)}[{self.index('1')}, {self.index('2')}]"

    def element(self) -> str:
        if self.random.random() < 0.15:
            return f"({self.random.choice(READ)})[{self.index('1')}, {self.index('2')}]"
        return self.written()

    def index(self, otherwise: str) -> str:
        r = self.random
        return r.choice([*self.items, *self.items, otherwise, "0", "t % 3" if r.random() < 0.1
                         else "-1"])


def arguments(seed: int) -> tuple[Any, ...]:
    """Arguments of `f`; the two matrices may be one, or parts of one."""
    r = np.random.default_rng(seed)
    g, h = r.random((4, 3)), r.random((4, 3)) * 2
    both = r.random((5, 3))
    arrays = [(g, h), (g, h), (g, g), (both[1:], both[:-1]), (np.asfortranarray(g), h)][seed % 5]
    return (*arrays, [2, 3, 0, np.int64(3), np.int64(0), 1][seed % 6])
