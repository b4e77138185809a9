"""Random functions that write to what they are given, and raise somewhere."""

from random import Random

VALUES = ("x[0]", "x[1] + 1", "x.sum()", "i * 0.5", "y[1]", "p.a", "p.c[0]", "t", "d['k']")
STORES = ("x[{n}] = {v}", "x += {v}", "x *= 0.5", "x[1:] = x[:-1]", "x[i] = {v}", "y[{n}] = {v}",
          "y = x * 2", "d['k'] = {v}", "p.a = {v}", "p.a += 1", "p.b = x + {v}",
          "p.c[{n}] = x[0] + {v}", "items[0] = {v}", "t = {v}", "v.assign({v})", "w[{n}] = {v}",
          "d['x'][{n}] = {v}", "nonlocals[0] += 1")
APPENDS = ("items.append({v})", "p.items.append(x[1] + {v})", "d['n'] = {v}", "p.n = {v}")
RAISING = ("t = x[i + {n}]", "x[i + {n}] = 1.0", "t = y[i]", "x[:2] += w[i:]",
           "t = np.linalg.inv(np.outer(x, x) * (i < {n}))[0, 0]")


class Stores:
    """One random function, `f(x, w, i, n, d, p, items)`."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.loops = 0

    def source(self) -> str:
        lines = ["def f(x, w, i, n, d, p, items):", "    y = x + 0.5", "    t = x[2]"]
        lines += self.block(1, self.random.randint(4, 8))
        return "\n".join([*lines, "    return t, y", ""])

    def block(self, depth: int, count: int) -> list[str]:
        return [line for _ in range(count) for line in self.statement(depth)]

    def statement(self, depth: int) -> list[str]:
        pick = self.random.random()
        if pick < 0.1 and depth < 3:
            test = self.filled(self.random.choice(("i > {n}", "x[0] > {v}", "n > {n}")))
            lines = [f"if {test}:", *self.block(depth + 1, 2)]
            if self.random.random() < 0.5:
                lines += ["    " * depth + "else:", *self.block(depth + 1, 2)]
        elif pick < 0.2 and depth < 3:
            self.loops += 1
            k = f"k{self.loops}"
            lines = [f"for {k} in range(n):", f"{'    ' * (depth + 1)}x[{k}] += 1.0",
                     *self.block(depth + 1, 2)]
        else:
            lines = [self.filled(self.random.choice(
                RAISING if pick < 0.4 else STORES if depth > 1 or pick < 0.8 else APPENDS))]
        return ["    " * depth + lines[0], *lines[1:]]

    def filled(self, text: str) -> str:
        return text.format(n=self.random.randint(0, 2), v=self.random.choice(VALUES))
