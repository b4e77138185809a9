"""Random programs that change lists in loops and branches, by every method that lists have."""

import random

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

TESTS = ("{i} % 3 == 0", "t > {x}", "len({l}) > 3", "{l}", "a > 1", "{l} and {l}[-1] > t",
         "not {m}", "{x} in {l}")
NUMBERS = ("1", "2", "t", "{i}", "b", "{i} * 2", "t + {i}", "len(p)")


def program(seed: int) -> str:
    """Returns the text of a program, of a function `f(a, b, o)`."""
    return _Writer(random.Random(seed)).text()


class _Writer:
    """Writes one program; `loops` are the variables of the loops around."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.loops: list[str] = []

    def text(self) -> str:
        rng = self.rng
        lines = [f"{name} = {rng.choice(('[]', '[]', '[1]', '[b, 2]', 'list(range(b + 2))'))}"
                 for name in LISTS]
        lines += ["t = 0", "held = []", *self.block(0, rng.randint(2, 4))]
        if rng.random() < 0.9:
            lines.append("held = [len(x) for x in held]")
        lines.append(rng.choice((
            "return p, q, r, t, held", "return p, t, held", "return [p, q], r, held",
            "return p is q, q is r, p, q, r, held", "return sum(p), len(q), r, t, held")))
        return ("LOG = []\n\ndef make(): return ([1, 4],)\n\ndef kept(): return LOG\n\n"
                "def f(a, b, o):\n" + "".join(f"    {x}\n" for x in lines))

    def block(self, depth: int, length: int) -> list[str]:
        lines: list[str] = []
        for _ in range(length):
            draw = self.rng.random()
            if depth < 3 and draw < (0.2 if depth else 0.75):
                lines += self.loop(depth)
            elif depth < 4 and draw < (0.45 if depth else 0.8):
                lines += self.branch(depth)
            else:
                lines += self.filled(self.rng.choice(CHANGES)).split("\n")
        return lines

    def loop(self, depth: int) -> list[str]:
        rng, name = self.rng, f"i{len(self.loops)}"
        self.loops.append(name)
        inside = self.block(depth + 1, rng.randint(1, 4))
        if rng.random() < 0.2:
            test = self.filled(rng.choice(TESTS))
            inside.append(f"if {test}: {rng.choice(('break', 'continue'))}")
        self.loops.pop()
        count = rng.choice(("b + 2", "3", "abs(b)", "int(a) + 1"))
        return [f"for {name} in range({count}):", *_indented(inside)]

    def branch(self, depth: int) -> list[str]:
        rng = self.rng
        lines = [f"if {self.filled(rng.choice(TESTS))}:",
                 *_indented(self.block(depth + 1, rng.randint(1, 3)))]
        if rng.random() < 0.5:
            lines += ["else:", *_indented(self.block(depth + 1, rng.randint(1, 2)))]
        return lines

    def filled(self, form: str) -> str:
        rng = self.rng
        one, other = rng.sample(LISTS, 2)
        index = rng.choice(self.loops) if self.loops else "b"
        x, y = (rng.choice(NUMBERS).format(i=index) for _ in range(2))
        return form.format(l=one, m=other, x=x, y=y, i=index)


def _indented(lines: list[str]) -> list[str]:
    return ["    " + x for x in lines]
