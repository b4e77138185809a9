"""Random loops over arrays, views and slices whose bounds the loops compute."""

from random import Random

CALLS = ("np.exp", "np.sin", "np.abs", "np.floor", "np.tanh")
REDUCTIONS = ("np.sum({})", "{}.max()", "np.min({})", "np.mean({})", "{}.sum()", "np.argmax({})",
              "np.argmin({})", "({} > 0).any()", "({} < 1).all()", "np.prod({})")
BY_AXIS = ("np.sum({}, axis={})", "{}.max({})", "np.mean({}, axis={})", "np.argmin({}, {})",
           "np.min({}, {})")


class Slices:
    """Makes the source of `f(a, b, m, q, s, n)`: rows a and b, tables m and q, a number, a length.

    Each part of a statement is of one length: all of a row, the first or last i, a window of 3.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.axes = "i"
        self.names: list[str] = []

    def source(self) -> str:
        r = self.random
        body = [line for _ in range(r.randint(2, 5)) for line in self.statement("        ")]
        kept = "t, u" if r.random() < 0.7 else "t"
        return "\n".join([
            "def f(a, b, m, q, s, n):", "    t = s * 0.5", "    u = a * 1",
            f"    for i in range({r.choice(['n', '1, n', 'n - 1, -1, -1', '4'])}):", *body,
            f"    return {kept}", ""])

    def statement(self, indent: str) -> list[str]:
        r, length = self.random, self.length()
        kind = r.randrange(10)
        if kind < 3:
            target, sign = self.row(length, "abmqu"), r.choice(["=", "=", "+=", "*=", "-="])
            return [f"{indent}{target} {sign} {self.rows(length, 2)}"]
        if kind < 5:
            return [f"{indent}t {r.choice(['=', '+='])} {self.reduction(length)}"]
        if kind == 5:
            return [f"{indent}u = {self.rows(':', 2, 'ab')} + u"]
        if kind == 6:
            name = f"v{len(self.names)}"
            self.names.append(name)
            return [f"{indent}{name} = {self.rows(length, 2)}",
                    f"{indent}{self.row(length, 'abmu')} = {name} + {r.choice(['1', 's', name])}"]
        if kind == 7:
            return [f"{indent}m[{r.choice([':', '1:', ':i'])}] {r.choice(['=', '+='])} "
                    f"{self.number()}"]
        if kind == 8:
            inner = self.statement(indent + "    ")
            return [f"{indent}for j in range({r.choice(['3', 'i', 'n'])}):", *inner] if (
                len(indent) < 12) else inner
        test = r.choice(["t > 1", "i % 2 == 0", "a[i] < b[i]"])
        return [f"{indent}if {test}:", *self.statement(indent + "    ")] if len(indent) < 12 else [
            f"{indent}a[i] = {self.number()}"]

    def length(self) -> str:
        return self.random.choice([":", ":", ":i", "i:", ":i+1", "1:-1", "::2", "-2:", "i:i+3"])

    def row(self, length: str, among: str = "abmqu") -> str:
        r = self.random
        name = r.choice(among)
        if name in "abu":
            return f"{name}[{length}]"
        at = r.choice(["i", "0", "-1", "i - 1"])
        return f"{name}[{at}, {length}]" if r.random() < 0.6 else f"{name}[{length}, {at}]"

    def rows(self, length: str, depth: int, among: str = "abmqu") -> str:
        r = self.random
        kind = r.randrange(9) if depth else 0
        if kind < 2:
            return self.row(length, among)
        inner = self.rows(length, depth - 1, among)
        if kind == 2:
            return f"{r.choice(CALLS)}({inner})"
        if kind == 3:
            return f"np.where({inner} > {self.number()}, {self.rows(length, depth - 1, among)}, " \
                   f"{r.choice([self.number(), inner])})"
        if kind == 4:
            return f"{inner}.astype({r.choice(['np.float32', 'np.int64', 'float'])})"
        if kind == 5:
            return f"np.{r.choice(['minimum', 'maximum', 'arctan2'])}({inner}, {self.number()})"
        other = r.choice([self.number(), self.rows(length, depth - 1, among)])
        return f"({inner} {r.choice('+-*/+*')} {other})"

    def reduction(self, length: str) -> str:
        r = self.random
        if r.random() < 0.6:
            return r.choice(REDUCTIONS).format(self.rows(length, 1))
        if r.random() < 0.3:
            return r.choice([
                f"({self.row(length)} @ {self.row(length)})", "(m @ q)[0, i]", "(m @ a).sum()",
                "(a[:i] @ q[:i]).max()", f"np.dot({self.row(length)}, b[{length}])",
                "np.sum(m[i:] @ q[:, :i])", "np.roll(a, 1)[i]", "np.roll(m, -2, 1)[0, i]"])
        table = r.choice(["m", "(m * q)", "(a[:, None] + b)", "(m + a)", "m[1:]", "q[:, 1:]",
                          "(m[:, i][:, None] * m[i])"])
        reduced = r.choice(BY_AXIS).format(table, r.choice(["0", "1", "-1"]))
        return r.choice([f"{reduced}[0]", f"np.sum({reduced})", f"np.sum({table})",
                         f"{table}.max()"])

    def number(self) -> str:
        return self.random.choice(["2", "0.5", "s", "t", "-1.5", "i", "1e3"])
