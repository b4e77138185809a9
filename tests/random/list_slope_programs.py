"""Random programs whose numbers go through lists: appended, popped, assigned, sliced, nested, in
dicts of lists; in loops whose lengths the trace knows, or only the run."""

from __future__ import annotations

from random import Random

PRELUDE = """
from collections import defaultdict

import numpy as np
"""
RETURN = ("return (s + sum(q) + np.sum(np.sin(sum(rows))) + sum(y * y for r in g for y in r)"
          " + sum(sum(d[k]) for k in sorted(d)))")


class ListSlopeProgram:
    """A function of a number, an array and a count that the run knows."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.loops: list[str] = []
        self.names = 0

    def source(self) -> str:
        self.lines = [
            "def f(a, x, n):", "    s = a * x[0]", "    q = [a, x[1] * 2.0, a * x[2], x[3]]",
            "    rows = [x, x * a, np.sin(x)]",
            "    g = [[x[j] * (i + a) for j in range(3)] for i in range(3)]",
            "    d = " + self.pick(*["{1: [a], 2: [], 3: [s]}"] * 7, "defaultdict(list, {1: [a]})")]
        for _ in range(self.random.randint(3, 7)):
            self.statement(1)
        return "\n".join([PRELUDE, *self.lines, "    " + RETURN, ""])

    def say(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def fresh(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def pick(self, *forms: str) -> str:
        return self.random.choice(forms)

    def at(self, length: str) -> str:
        """A position in a list: known to the trace, of a loop, or of the run."""
        loops = [f"{i} % {length}" for i in self.loops]
        return self.pick("0", "-1", "1", f"n % {length}", *loops)

    def number(self, depth: int = 2) -> str:
        if not depth or self.random.random() < 0.5:
            return self.pick(
                "a", "s", "0.3", f"x[{self.at('4')}]", f"q[{self.at('len(q)')}]",
                f"np.sum(rows[{self.at('len(rows)')}])", f"rows[{self.at('len(rows)')}][1]",
                f"g[{self.at('3')}][{self.at('3')}]", f"g[{self.at('3')}][0]", "sum(q)",
                "sum(d[1])", "len(q) * 0.1")
        one, other = self.number(depth - 1), self.number(depth - 1)
        return self.pick(f"({one} + {other})", f"np.sin({one})", f"0.5 * {one}",
                         f"np.tanh({one} * {other})", f"({one} - 0.2 * {other})")

    def row(self) -> str:
        return self.pick("x", f"x * np.sin({self.number(1)})",
                         f"rows[{self.at('len(rows)')}] * 0.5", f"np.tanh(x + {self.number(1)})",
                         f"rows[{self.at('len(rows)')}] + rows[{self.at('len(rows)')}]")

    def statement(self, depth: int) -> None:
        if depth < 4 and self.random.random() < 0.4:
            self.random.choice((self.counted, self.counted, self.until, self.over, self.branch))(
                depth)
        else:
            self.simple(depth)

    def simple(self, depth: int) -> None:
        r, v = self.number(), self.fresh()
        q, g, rows = self.at("len(q)"), self.at("3"), self.at("len(rows)")
        lines = self.random.choice((
            [f"q.append({r})"], [f"q.append({r})"], [f"q[{q}] = {r}"], [f"q[{q}] = {r}"],
            [f"q[{q}] += {r}"], [f"q[{q}] *= 0.5"], [f"q.insert({self.pick('0', '1')}, {r})"],
            [f"q.append({r})", "s = s + np.sin(q.pop(0))"], [f"q.append({r})", "s = s + q.pop()"],
            ["q.reverse()"], [f"q = [{r}, *q[1:]]"], ["q = q[1:] + [q[0] * a]"],
            [f"q[:2] = [{r}, a]"], [f"q.extend([{r}, s])"], ["q[0], q[-1] = q[-1], 0.5 * q[0]"],
            [f"{v} = list(q)", f"{v}[0] = {r}", f"s = s + sum({v}) * 0.1"],
            [f"{v} = q", f"{v}[{q}] = {r}"], [f"s = {r}"],
            [f"g[{g}][{self.at('3')}] = {r}"], [f"g[{g}][{self.at('3')}] = {r}"],
            [f"g[{g}][{self.at('3')}] += {r}"], [f"{v} = g[{g}]", f"{v}[{self.at('3')}] = {r}"],
            [f"g[{g}].append({r})", f"s = s + g[{g}].pop() * 0.5"],
            [f"g[{g}] = [{r}, *g[{g}][1:]]"], ["g[0], g[1] = g[1], g[0]"],
            [f"g.append([{r}, a, s])", f"{v} = g.pop(0)", f"s = s + {v}[0]"],
            [f"rows.append({self.row()})"], [f"rows[{rows}] = {self.row()}"],
            [f"rows[{rows}] = rows[{rows}] + {self.row()}"],
            [f"rows.append(x * {r})", f"{v} = rows.pop()", f"{v}[{self.at('4')}] = {r}",
             f"rows[0] = {v} * 0.5"],
            [f"d[{self.pick('1', '2', '3')}].append({r})"],
            [f"d[{self.pick('1', '2')}] = [{r}]"], [f"d[1][0] = {r}"], [f"d[1][-1] += {r}"]))
        for line in lines:
            self.say(depth, line)

    def body(self, depth: int) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth + 1)

    def counted(self, depth: int) -> None:
        i = self.fresh()
        self.say(depth, f"for {i} in range({self.pick('n', 'n', 'n + 1', '3', 'len(q)')}):")
        self.loops.append(i)
        self.body(depth)
        self.loops.pop()

    def until(self, depth: int) -> None:
        i = self.fresh()
        self.say(depth, f"{i} = 0")
        self.say(depth, f"while {i} < n and {self.number(1)} < 9.0:")
        self.say(depth + 1, f"{i} += 1")
        self.loops.append(i)
        self.body(depth)
        self.loops.pop()

    def over(self, depth: int) -> None:
        v = self.fresh()
        self.say(depth, f"for {v} in {self.pick('list(q)', 'g[0][:2]', 'q[:n]')}:")
        self.say(depth + 1, f"s = 0.5 * s + {v} * {self.pick('a', '0.3', v)}")
        self.body(depth)

    def branch(self, depth: int) -> None:
        self.say(depth, f"if {self.number(1)} > {self.pick('0.1', '-0.2')}:")
        self.body(depth)
        if self.random.random() < 0.5:
            self.say(depth, "else:")
            self.body(depth)
