"""Makes random programs of small arrays in loops, whose derivatives need what each iteration had:
ints beside, branches, inner loops, early ends, names for one array, views of what was kept that are
written later, arrays whose lengths change, lists of arrays."""

from __future__ import annotations

from random import Random

from tests.random.text import Text

PRELUDE = "import numpy as np\nimport autograph as ag\n\n"
STORES = ("x[0] = s * 0.5", "y[-1] += 0.25 * s", "x *= 0.9", "v = y[:1]; v *= 0.5", "y += 0.1 * x",
          "x[:] = y", "v = x[::-1]; v[0] = s")
RENAMED = ("x, y = y, x", "z = x", "x = z", "y = x + 0.0", "z = y.copy()", "x = x[::-1]")
CHANGED = ("z = np.concatenate([z, x[:1]])", "z = z[1:] if z.size > 2 else z", "z = z.sum() * x",
           "held.append(x)", "z = z + sum(held)", "s = np.sum(z) * 0.1", "x = np.sort(x)",
           "y = inner(x, s)")


class KeptArrays(Text):
    """One random program `f(x, y, h, n)` of two arrays of one shape, a number and an int, which
    returns one number.

    Most programs have nothing but arithmetic on elements; some have stores, and some all else.
    """

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.plain = self.chance(0.5)  # nothing but arithmetic in loops that do not nest
        self.stores, self.changes = (not self.plain and self.chance(x) for x in (0.4, 0.4))

    def source(self) -> str:
        r = self.random
        self.lines = ["@ag.checkpoint" if self.chance(0.5) else "def same(f): return f",
                      "def inner(v, s):", "    for _ in range(3):",
                      "        v = v * 0.5 + s * v * v * 0.1", "    return v", "",
                      "def f(x, y, h, n):", "    s, z, held, k, on = h * 1.0, x, [y], 1, n > 2"]
        if self.stores:
            self.say(1, "x, y = x * 1.0, y * 1.0")
        for _ in range(r.randrange(1, 3)):
            self.loop(1)
            if self.chance(0.3):
                self.statement(1)
        self.say(1, f"return {r.choice(['np.sum(x)', 'np.sum(x * y)', 's', 'np.sum(x * x)'])}"
                    f" + {r.choice(['0.5 * s', 'np.sum(z) * 0.3', 'np.sum(y) * k', '0.0'])}")
        return PRELUDE + "\n".join(self.lines) + "\n"

    def loop(self, depth: int) -> None:
        self.loops += 1
        name = f"i{self.loops}"
        kind = self.pick("for", "for", "while", *("ends",) * (not self.plain))
        if kind == "while":
            self.say(depth, f"{name} = 0")
            self.say(depth, f"while {name} < n and {self.pick('s < 9.0', self.test(), 'k < 20')}:")
            self.say(depth + 1, f"{name} += 1")
        else:
            ends = ("n", "n", "n - 1", "1, n") if depth < 2 else ("3", "2", "k")
            self.say(depth, f"for {name} in range({self.pick(*ends)}):")
        for _ in range(self.random.randrange(1, 5)):
            self.statement(depth + 1)
        if kind == "ends":
            self.say(depth + 1, f"if {self.test()}:")
            self.say(depth + 2, self.pick("break", "continue", "break",
                                          f"return np.sum({self.array(0)})"))
            self.statement(depth + 1)

    def statement(self, depth: int) -> None:
        r = self.random
        if depth < 4 and not self.plain and self.chance(0.1):
            self.loop(depth)
        elif depth < 4 and self.chance(0.1 if self.plain else 0.2):
            self.say(depth, f"if {self.test()}:")
            self.statement(depth + 1)
            if self.chance(0.5):
                self.say(depth, "else:")
                self.statement(depth + 1)
        elif (self.stores or self.changes) and self.chance(0.3):
            self.say(depth, r.choice(STORES * self.stores + CHANGED * self.changes))
        else:
            self.say(depth, r.choice([
                *[f"{r.choice('xyz')} = {self.array(0)}"] * 4, *[f"s = {self.number(0)}"] * 2,
                r.choice(RENAMED[:4] if not self.changes else RENAMED), "k = (k * 3 + 1) % 7",
                f"on = {self.test()}", f"s += {self.number(1)}"]))

    def test(self) -> str:
        return self.pick(f"{self.number(1)} > {self.number(1)}", "k % 2 == 0", "on", "not on",
                         f"x[0] > {self.number(1)}", "s > 0.1 and y[-1] < 0.8")

    def array(self, depth: int) -> str:
        chance = self.random.random()
        if depth > 2 or chance < 0.25:
            return self.pick(*"xyz")
        if chance < 0.6:
            return f"({self.array(depth + 1)} {self.pick(*'+-*/+-*')} {self.array(depth + 1)})"
        if chance < 0.8:
            return f"({self.number(depth + 1)} {self.pick(*'+-**')} {self.array(depth + 1)})"
        if chance < 0.88:
            return f"np.array([{self.number(depth + 1)}, {self.number(depth + 1)}])"
        return self.pick("np.abs({})", "{} ** 2", "np.sqrt(1.0 + np.abs({}))", "-{}", "0.3 * {}", *(
            "np.maximum({}, y)", "np.where(x > 0, {}, y)", "np.zeros(2) + {}", "np.tanh({})",
            "np.float64(0.5) * {}") * self.changes).format(self.array(depth + 1))

    def number(self, depth: int) -> str:
        chance = self.random.random()
        if depth > 2 or chance < 0.4:
            return self.pick("s", "x[0]", "y[-1]", "x[-1]", "0.5", "0.25", "h", "k * 0.1", "1.0")
        if chance < 0.7:
            return f"({self.number(depth + 1)} {self.pick(*'+-*/+-*')} {self.number(depth + 1)})"
        if chance < 0.85:
            return f"np.sum({self.array(depth + 1)})"
        return self.pick("min({}, s)", "max({}, 0.9 * s)", "abs({})", "(s if on else {})",
                         *("np.max(np.abs(x)) * {}",) * self.changes).format(
            self.number(depth + 1))
