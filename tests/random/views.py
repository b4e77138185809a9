"""Random functions over arrays and views of each other, which write through all of them."""

from __future__ import annotations

from random import Random

HELPERS = '''
import numpy as np

def bump(v, s):
    v += s

def first(v, s):
    v[0] = s
    return v

def shift(v, w):
    v[1:] = w[:-1]
    w *= 0.5

def tail(v):
    return v[1:]

def either(v, w, s):
    if s > 1:
        return v
    return w

def clip(v):
    for k in range(len(v)):
        if v[k] > 4:
            v[k] = 4
    return v

'''
SHAPES = {"x": (4, 3), "y": (4, 3), "w": (3,), "u": (4,)}
Shape = tuple[int, ...]


class Views:
    """One random function, `f(x, y, w, u, n, i)`: two matrices, two vectors, two numbers.

    Every name keeps its shape, so that most of what is written fits.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.shapes: dict[str, Shape] = dict(SHAPES)
        self.count = 0

    def source(self) -> str:
        lines = ["def f(x, y, w, u, n, i):"]
        lines += self.block(1, self.random.randint(4, 9), False)
        lines.append(f"    return {', '.join(self.shapes)}, box" if self.boxes(lines) else (
            f"    return {', '.join(self.shapes)},"))
        return HELPERS + "\n".join(lines) + "\n"

    def boxes(self, lines: list[str]) -> bool:
        return any(line.startswith("    box = ") for line in lines)

    # -- choosing ---------------------------------------------------------------------------------

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def name(self, shape: Shape | None = None) -> str:
        """A name, of this shape if one is given."""
        return self.pick(*(k for k, s in self.shapes.items() if shape in (None, s)))

    def new(self, shape: Shape) -> str:
        self.count += 1
        self.shapes[f"v{self.count}"] = shape
        return f"v{self.count}"

    def scalar(self) -> str:
        name = self.name()
        at = ", ".join(self.place(d) for d in self.shapes[name])
        return self.pick("1.5", "-2", "n", "i", f"{name}[{at}]", f"{name}.sum()", f"{name}.max()",
                         f"float({name}[{at}])", "n * 0.5")

    def place(self, side: int) -> str:
        return self.pick("0", "-1", str(self.random.randrange(side)), f"i % {side}",
                         f"n % {side}", f"-i % {side}", "i")

    def test(self) -> str:
        return self.pick("n > 2", "i > 0", f"{self.scalar()} > 1", f"{self.name()}.sum() < 9",
                         "n > 1 and i < 2")

    def value(self, shape: Shape) -> str:
        """An expression of this shape, or one that is broadcast to it."""
        same = self.name(shape)
        options = [self.scalar(), same, same, f"{same} * 0.5", f"{same} + {self.name(shape)}",
                   f"{same}[::-1]", f"np.where({same} > 1, {same}, {self.scalar()})",
                   f"np.sort({same}, axis=0)", f"{same}.copy()"]
        if len(shape) == 2 and (row := [k for k, s in self.shapes.items() if s == shape[1:]]):
            options += row
        return self.pick(*options)

    def view(self) -> tuple[str, Shape]:
        """A part or another form of an array: a view of it, or a copy."""
        name = self.name()
        shape = self.shapes[name]
        rows = shape[0]
        found = [(f"{name}[::-1]", shape), (f"{name}[:]", shape), (f"{name}[...]", shape),
                 (name, shape), (f"{name}.real", shape), (f"{name}.copy()", shape),
                 (f"{name}.T", shape[::-1]), (f"{name}.T.T", shape), (f"{name} + 0", shape),
                 (f"np.asarray({name})", shape), (f"{name}.view()", shape),
                 (f"np.flip({name})", shape), (f"np.ascontiguousarray({name})", shape),
                 (f"{name}.astype(float)", shape), (f"{name}.astype(float, copy=False)", shape)]
        if rows > 2:
            found += [(f"{name}[1:]", (rows - 1, *shape[1:])), (f"tail({name})", (
                rows - 1, *shape[1:])), (f"{name}[:-1]", (rows - 1, *shape[1:])),
                (f"{name}[[0, 2]]", (2, *shape[1:]))]
        if rows == 4:
            found += [(f"{name}[::2]", (2, *shape[1:])), (f"np.split({name}, 2)[1]", (
                2, *shape[1:])), (f"{name}[i % 2:][:2]", (2, *shape[1:]))]
        if len(shape) == 2:
            size = shape[0] * shape[1]
            found += [(f"{name}[{self.place(rows)}]", shape[1:]), (f"{name}[:, 1]", shape[:1]),
                      (f"{name}[{self.place(rows)}, :]", shape[1:]),
                      (f"{name}[:, {self.place(shape[1])}]", shape[:1]),
                      (f"{name}.reshape(-1)", (size,)), (f"{name}.ravel()", (size,)),
                      (f"{name}.flatten()", (size,)),
                      (f"{name}.reshape({shape[1]}, {shape[0]})", shape[::-1]),
                      (f"np.swapaxes({name}, 0, 1)", shape[::-1])]
        return self.random.choice(found)

    # -- statements -------------------------------------------------------------------------------

    def block(self, depth: int, count: int, loop: bool) -> list[str]:
        known = dict(self.shapes)
        lines = [line for _ in range(count) for line in self.statement(depth, loop)]
        if depth > 1:
            self.shapes = known
        return lines

    def statement(self, depth: int, loop: bool) -> list[str]:
        chance, margin = self.random.random(), "    " * depth
        if depth < 3 and chance < 0.24:
            return self.compound(depth)
        if depth > 1 and chance < 0.28:
            leave = self.pick("break", "continue", "return x, w") if loop else (
                f"return {self.name()}, {self.name()}")
            return [f"{margin}if {self.test()}:", f"{margin}    {leave}"]
        simple = self.random.choice((
            self.bind, self.bind, self.rebind, self.item, self.item, self.part, self.augmented,
            self.augmented, self.out, self.call, self.helper, self.helper, self.box))
        return [margin + line for line in simple(depth)]

    def compound(self, depth: int) -> list[str]:
        margin = "    " * depth
        kind, inside = self.random.randrange(4), self.random.randint(1, 3)
        if kind < 2:
            lines = [f"{margin}if {self.test()}:", *self.block(depth + 1, inside, False)]
            if self.random.random() < 0.5:
                lines += [f"{margin}else:", *self.block(depth + 1, inside, False)]
            return lines
        self.count += 1
        k = f"k{self.count}"
        if kind == 2:
            steps = self.pick("3", "n", "len(w)", "10", "i % 4", "1, 3")
            return [f"{margin}for {k} in range({steps}):",
                    f"{margin}    {self.name()}[{k} % 2] += 1",
                    *self.block(depth + 1, inside, True)]
        return [f"{margin}{k} = 0", f"{margin}while {k} < n % 4:", f"{margin}    {k} += 1",
                *self.block(depth + 1, inside, True)]

    def bind(self, depth: int) -> list[str]:
        text, shape = self.view()
        return [f"{self.new(shape)} = {text}"]

    def rebind(self, depth: int) -> list[str]:
        for _ in range(20):
            text, shape = self.view()
            names = [k for k, s in self.shapes.items() if s == shape and k not in text]
            if names:
                return [f"{self.random.choice(names)} = {text}"]
        return self.bind(depth)

    def item(self, depth: int) -> list[str]:
        name = self.name()
        at = ", ".join(map(self.place, self.shapes[name]))
        return [self.pick(f"{name}[{at}] = {self.scalar()}", f"{name}[{at}] += {self.scalar()}",
                          f"{name}.flat[{self.random.randrange(3)}] = {self.scalar()}",
                          f"{name}[{name} > 2] = {self.scalar()}", f"{name}[[0, 0]] += 1",
                          f"{name}.T[{self.place(self.shapes[name][-1])}] = {self.scalar()}")]

    def part(self, depth: int) -> list[str]:
        name = self.name()
        shape = self.shapes[name]
        options = [f"{name}[:] = {self.value(shape)}", f"{name}[...] = {self.value(shape)}",
                   f"{name}[1:] = {name}[:-1]", f"{name}[:-1] += {name}[1:]",
                   f"{name}[::2] *= 2", f"{name}[i % 2:] = {self.scalar()}"]
        if len(shape) == 2:
            options += [f"{name}[{self.place(shape[0])}] = {self.value(shape[1:])}"
                        if shape[1:] in self.shapes.values() else f"{name}[0] = {name}[1]",
                        f"{name}[:, 0] = {name}[:, 1]",
                        f"{name}[0], {name}[1] = {name}[1], {name}[0]"]
        return [self.pick(*options)]

    def augmented(self, depth: int) -> list[str]:
        name = self.name()
        return [f"{name} {self.pick('+', '-', '*', '+')}= {self.value(self.shapes[name])}"]

    def out(self, depth: int) -> list[str]:
        name = self.name()
        shape = self.shapes[name]
        a, b = self.name(shape), self.name(shape)
        return [self.pick(
            f"np.add({a}, {b}, out={name})", f"np.multiply({a}, 0.5, {name})",
            f"np.subtract({name}[1:], {name}[:-1], out={name}[1:])", f"np.negative({a}, {name})",
            f"np.cumsum({a}, axis=0, out={name})", f"np.maximum({a}, {self.scalar()}, out={name})",
            f"np.add({a}, {b}, out={name}, where={b} > 1)", f"np.clip({a}, -3, 3, out={name})")]

    def call(self, depth: int) -> list[str]:
        name = self.name()
        a = self.name(self.shapes[name])
        return [self.pick(
            f"{name}.fill({self.scalar()})", f"{name}.sort(axis=0)", f"{name}.sort()",
            f"np.copyto({name}, {a})", f"np.add.at({name}, [0, 0, 1], 1.5)",
            f"np.put({name}, [0, -1], {self.scalar()})", f"np.putmask({name}, {a} > 1, {a})",
            f"np.copyto({name}, {a}, where={a} > 0)", f"np.place({name}, {a} > 3, [7.0])")]

    def helper(self, depth: int) -> list[str]:
        name = self.name()
        shape = self.shapes[name]
        a = self.name(shape)
        options = [f"bump({name}, {self.value(shape)})", f"first({name}, {self.scalar()})",
                   f"shift({name}, {a})", f"either({name}, {a}, n)[0] = 3",
                   f"bump(either({name}, {a}, i), 1)", f"bump({name}[1:], 2)", f"bump({name}.T, 1)"]
        if len(shape) == 1:
            options += [f"clip({name})", f"clip({name}[::-1])"]
        if depth == 1 and self.random.random() < 0.2:
            return [f"{self.new(shape)} = first({name}, {self.scalar()})"]
        return [self.pick(*options)]

    def box(self, depth: int) -> list[str]:
        if depth > 1:
            return self.item(depth)
        a, b = self.name(), self.name()
        return [f"box = [{a}, {b}]", self.pick(
            "box[0][0] = 8", "box[1] += 1", "box[i % 2][0] = 5", "bump(box[0], n)",
            "box.reverse()", f"for v in box:\n        v[0] = {self.scalar()}")]
