"""Random programs that change lists in loops and branches, by every method that lists have."""

import random

HEAD = """import numpy as np

LOG = []

def make(): return ([1, 4],)

def kept(): return LOG

def f(a, b, o):
"""

LISTS = ("p", "q", "r")

CHANGES = (
    "{l}.append({x})", "{l}.append({x})", "{l}.append({x})", "{l}.extend(({x}, {y}))",
    "{l}.extend({m})", "{l} += [{x}]", "{l}.extend({m}[-2:])", "{l}.insert(0, {x})",
    "{l}.insert(-1, {x})", "{l}.insert({i}, {x})", "if {l}: t += {l}.pop()",
    "if {l}: t += {l}.pop(0)", "if len({l}) > 2: del {l}[-1]", "if len({l}) > 2: del {l}[{i} % 2]",
    "if {x} in {l}: {l}.remove({x})", "{l}.reverse()", "if {l}: {l}[-1] = {x}",
    "if {l}: {l}[{i} % len({l})] = {x}", "{l} = {l}[1:]", "{l} = {m} + [{x}]", "{l} = list({m})",
    "{l} = {m}[:]", "{l} = {m}", "{l}, {m} = {m}, {l}", "{l} = [{x}]", "t += len({l})",
    "if {l}: t += {l}[-1] + {l}[0]", "t += sum({m}[-3:])", "k = {l}[:]\n{m}.append(len(k))",
    "held.append({l})", "{l}.append(len({l}))", "while len({l}) > 4: t += {l}.pop()",
    "for e in {l}[-2:]: t += e\n{m}.append({x})",
    "try: t += {l}.pop({i})\nexcept IndexError: t -= 1",
    "{l}.clear()", "o.append({l}.pop() if {l} else {x})", "if o: {l}.append(o.pop())",
    "while {l} and {l}[-1] > {x}: {l}.pop()", "{l}.append({l}.pop() + 1 if {l} else 0)",
)

ROW_CHANGES = (
    "{l}.append({n})", "{l}.append({n})", "{l}.append({n})", "if {l}: {l}[-1][0] += 1",
    "if {l}:\n    y = {l}[0]\n    y[1] = {x}", "if {l}: {m}.append({l}.pop())",
    "if {l}:\n    y = {l}.pop()\n    y[0] = 5\n    {m}.insert(0, y)", "{m}.extend({l}[-2:])",
    "if {l}: {l}[0], {l}[-1] = {l}[-1], {l}[0]", "{l} = {m}[:]", "for y in {l}: y[0] += 1",
    "if {l}:\n    y = {l}[{i} % len({l})]\n    {l}[0] = {n}\n    t += y[0]",
    "y = {n}\n{l}.append(y)\n{m}.append(y)\ny[1] += 1",
    "y = {n}\n{l}.append(y)\nt += {l}[-1][0]",
    "if len({l}) > 3: del {l}[0]", "{l}.reverse()", "if {l}: t += sum(y[1] for y in {l})",
    "k = {l}[-2:]\nif k: k[0][1] = {x}", "{l}, {m} = {m}, {l}", "{l} = list({m})",
    "if {l} and {m}: {l}[-1] = {m}[0]", "while len({l}) > 3: t += {l}.pop()[1]",
)
ROWS = ("np.array([1.0, {x}])", "[{x}, {y}]", "np.zeros(2)")
ROW_TESTS = ("{i} % 3 == 0", "t > {x}", "len({l}) > 2", "{l}", "{l} and {l}[-1][0] > 1", "not {m}")

TESTS = ("{i} % 3 == 0", "t > {x}", "len({l}) > 3", "{l}", "a > 1", "{l} and {l}[-1] > t",
         "not {m}", "{x} in {l}")
NUMBERS = ("1", "2", "t", "{i}", "b", "{i} * 2", "t + {i}", "len(p)")


def program(seed: int) -> str:
    """Returns the text of a program, a function `f(a, b, o)` of lists of numbers or of rows."""
    return _Writer(random.Random(seed), seed % 2 == 1).text()


class _Writer:
    """Writes one program; `loops` are the variables of the loops around."""

    def __init__(self, rng: random.Random, of_rows: bool) -> None:
        self.rng, self.of_rows = rng, of_rows
        self.changes, self.tests = (ROW_CHANGES, ROW_TESTS) if of_rows else (CHANGES, TESTS)
        self.row = rng.choice(ROWS)
        self.loops: list[str] = []

    def text(self) -> str:
        rng = self.rng
        starts = ("[]",) if self.of_rows else ("[]", "[]", "[1]", "[b, 2]", "list(range(b + 2))")
        lines = [f"{name} = {rng.choice(starts)}" for name in LISTS]
        lines += ["t = 0", "held = []", *self.block(0, rng.randint(2, 4))]
        if rng.random() < 0.9:
            lines.append("held = [len(x) for x in held]")
        lines.append(rng.choice((
            "return p, q, r, t, held", "return p, t, held", "return [p, q], r, held",
            "return p is q, q is r, p, q, r, held",
            "return len(p), len(q), r, t, held" if self.of_rows else
            "return sum(p), len(q), r, t, held")))
        return HEAD + "".join(f"    {x}\n" for x in lines)

    def block(self, depth: int, length: int) -> list[str]:
        lines: list[str] = []
        for _ in range(length):
            draw = self.rng.random()
            if depth < 3 and draw < (0.2 if depth else 0.75):
                lines += self.loop(depth)
            elif depth < 4 and draw < (0.45 if depth else 0.8):
                lines += self.branch(depth)
            else:
                lines += self.filled(self.rng.choice(self.changes)).split("\n")
        return lines

    def loop(self, depth: int) -> list[str]:
        rng, name = self.rng, f"i{len(self.loops)}"
        self.loops.append(name)
        inside = self.block(depth + 1, rng.randint(1, 4))
        if rng.random() < 0.2:
            test = self.filled(rng.choice(self.tests))
            inside.append(f"if {test}: {rng.choice(('break', 'continue'))}")
        self.loops.pop()
        count = rng.choice(("b + 2", "3", "abs(b)", "int(a) + 1"))
        return [f"for {name} in range({count}):", *_indented(inside)]

    def branch(self, depth: int) -> list[str]:
        rng = self.rng
        lines = [f"if {self.filled(rng.choice(self.tests))}:",
                 *_indented(self.block(depth + 1, rng.randint(1, 3)))]
        if rng.random() < 0.5:
            lines += ["else:", *_indented(self.block(depth + 1, rng.randint(1, 2)))]
        return lines

    def filled(self, form: str) -> str:
        rng = self.rng
        one, other = rng.sample(LISTS, 2)
        index = rng.choice(self.loops) if self.loops else "b"
        x, y = (rng.choice(NUMBERS).format(i=index) for _ in range(2))
        row = self.row.format(x=x, y=y)
        return form.format(l=one, m=other, x=x, y=y, i=index, n=row)


def _indented(lines: list[str]) -> list[str]:
    return ["    " + x for x in lines]
