"""Makes random numeric programs: branches, loops, jumps, views, writes, lists, exceptions."""

from __future__ import annotations

from tests.random.text import Text

PRELUDE = '''
import numpy as np

def helper(s, v):
    if s > 2:
        v[0] = s
        return s - 1
    return s * 2

'''
NUMBERS, ARRAYS = "abc", "xyz"


class Program(Text):
    """One random program `f(a, b, x)`; every choice comes from `random`."""

    def source(self) -> str:
        self.lines = ["def f(a, b, x):", "    c = 1", "    y = x * 2", "    z = x", "    out = []"]
        for _ in range(self.random.randrange(3, 8)):
            self.statement(1, False)
        self.say(1, "return a, b, c, x, y, z, out")
        return PRELUDE + "\n".join(self.lines) + "\n"

    def number(self) -> str:
        n = self.pick(*NUMBERS)
        return self.pick(
            n, n, str(self.random.randrange(-3, 9)), f"({n} + {self.pick(*NUMBERS)}) % 11",
            f"{n} * 3 % 7", f"abs({n})", f"{self.pick(*ARRAYS)}[{self.place()}]",
            f"({n} if {self.test()} else {self.pick(*NUMBERS)})", f"helper({n}, {self.array()})",
            f"max({n}, {self.pick(*NUMBERS)})", f"int({self.pick(*ARRAYS)}.sum()) % 9", "len(out)")

    def place(self) -> str:
        return self.pick("0", "1", "-1", "a % 2", "int(b) % 2", "c % 2")

    def array(self) -> str:
        v = self.pick(*ARRAYS)
        return self.pick(v, v, f"{v}.copy()", f"{v} + {self.pick(*NUMBERS)} % 5", f"{v}[::-1]",
                         f"np.maximum({v}, {self.pick(*ARRAYS)})", f"{v} * 1",
                         f"np.where({v} > 1, {v}, {self.pick(*ARRAYS)})", f"{v}[:]")

    def test(self) -> str:
        n, m = self.pick(*NUMBERS), self.pick(*NUMBERS)
        return self.pick(
            f"{n} > {m}", f"{n} % 2 == 0", f"{self.pick(*ARRAYS)}.sum() > {n}", f"0 < {n} < 5",
            f"{n} > 1 and {m} < 4", f"{n} < 0 or {m} > 2", f"not {n} > 3", f"{n} in (1, 2, 3)",
            f"{self.pick(*ARRAYS)}[{self.place()}] >= {m}", f"({n} > 0) == ({m} > 0)")

    def statement(self, depth: int, loop: bool) -> None:
        simple = [self.assign, self.assign, self.update, self.array_assign, self.store, self.store,
                  self.array_update, self.append, self.swap]
        compound = [self.branch, self.branch, self.branch, self.while_, self.for_range,
                    self.for_rows, self.attempt]
        chance = self.random.random()
        if loop and chance < 0.12:
            self.say(depth, self.pick("break", "continue"))
        elif chance < 0.16 and depth > 1:
            self.say(depth, f"return {self.number()}, {self.array()}, out")
        elif chance < 0.19 and depth > 1:
            self.say(depth, f"raise {self.pick('ValueError', 'KeyError')}('stop')")
        elif depth < 5 and chance < 0.62:
            self.random.choice(compound)(depth, loop)
        else:
            self.random.choice(simple)(depth)

    def block(self, depth: int, loop: bool) -> None:
        for _ in range(self.random.choice((1, 1, 2, 3))):
            self.statement(depth, loop)

    def assign(self, depth: int) -> None:
        self.say(depth, f"{self.pick(*NUMBERS)} = {self.number()}")

    def update(self, depth: int) -> None:
        self.say(depth, f"{self.pick(*NUMBERS)} {self.pick('+', '-')}= {self.number()}")

    def swap(self, depth: int) -> None:
        self.say(depth, f"{self.pick(*NUMBERS)}, {self.pick(*NUMBERS)} = "
                        f"{self.number()}, {self.number()}")

    def array_assign(self, depth: int) -> None:
        self.say(depth, f"{self.pick(*ARRAYS)} = {self.array()}")

    def store(self, depth: int) -> None:
        place = self.pick(self.place(), self.place(), ":2", "1:", "...")
        self.say(depth, f"{self.pick(*ARRAYS)}[{place}] = {self.number()}")

    def array_update(self, depth: int) -> None:
        self.say(depth, f"{self.pick(*ARRAYS)} {self.pick('+', '-')}= {self.pick(*NUMBERS)} % 5")

    def append(self, depth: int) -> None:
        self.say(depth, f"out.append({self.pick(self.number(), f'({self.array()}).copy()')})")

    def branch(self, depth: int, loop: bool) -> None:
        self.say(depth, f"if {self.test()}:")
        self.block(depth + 1, loop)
        if self.random.random() < 0.3:
            self.say(depth, f"elif {self.test()}:")
            self.block(depth + 1, loop)
        if self.random.random() < 0.5:
            self.say(depth, "else:")
            self.block(depth + 1, loop)

    def while_(self, depth: int, loop: bool) -> None:
        self.loops += 1
        counter = f"k{self.loops}"
        self.say(depth, f"{counter} = {self.pick('0', 'a % 3', 'a * 0')}")
        test = self.pick(f"{counter} < 4", f"{counter} < 3 and ({self.test()})",
                         f"{counter} < c % 5")
        self.say(depth, f"while {test}:")
        self.say(depth + 1, f"{counter} = {counter} + 1")
        self.block(depth + 1, True)

    def for_range(self, depth: int, loop: bool) -> None:
        self.loops += 1
        steps = self.pick("3", "10", "a % 4", "int(b) % 4", "1, 4", "len(x)")
        self.say(depth, f"for i{self.loops} in range({steps}):")
        if self.random.random() < 0.5:
            self.say(depth + 1, f"{self.pick(*NUMBERS)} = i{self.loops}")
        self.block(depth + 1, True)

    def for_rows(self, depth: int, loop: bool) -> None:
        self.loops += 1
        self.say(depth, f"for v{self.loops} in {self.array()}:")
        self.say(depth + 1, f"{self.pick(*NUMBERS)} = v{self.loops} % 7")
        self.block(depth + 1, True)

    def attempt(self, depth: int, loop: bool) -> None:
        self.say(depth, "try:")
        self.block(depth + 1, loop)
        self.say(depth, f"except {self.pick('ValueError', 'KeyError')}:")
        self.block(depth + 1, loop)


WIDER = PRELUDE + '''
def shift(v, w):
    v += w[0]
    w[-1] = v.sum() % 7

def pick(v, w, n):
    return v if n > 1 else w

def tail(v):
    return v[1:]

def swap(pair):
    pair[0], pair[1] = pair[1], pair[0]

'''


class WiderProgram(Program):
    """Also: views kept in variables, `out=`, lists and dicts of arrays, helpers that write or hand
    arrays on, other dtypes, `else` of loops, `finally`."""

    def source(self) -> str:
        lines = super().source().removeprefix(PRELUDE).splitlines()
        lines[5:5] = ["    w = x[1:]", "    box = [x, y]", '    book = {"k": z, "n": 0}']
        lines[-1] = '    return a, b, c, x, y, z, w, out, box, book'
        return WIDER + "\n".join(lines) + "\n"

    def array(self) -> str:
        v, u = self.pick(*ARRAYS), self.pick(*ARRAYS)
        return self.pick(
            super().array(), super().array(), f"pick({v}, {u}, {self.pick(*NUMBERS)})",
            f"box[{self.place()}]", 'book["k"]', f"({v} if {self.test()} else {u})",
            f"{v}.reshape(-1)", f"np.concatenate([tail({v}), {u}[:1]])", f"{v}.T",
            f"{v}.astype(np.int64)")

    def number(self) -> str:
        return self.pick(super().number(), super().number(), super().number(), 'book["n"]',
                         f"int(box[{self.place()}][0]) % 5", "int(w.sum()) % 7")

    def statement(self, depth: int, loop: bool) -> None:
        more = [self.keep_view, self.write_view, self.into, self.into_box, self.box_item,
                self.call_shift, self.into_book, self.count, self.whole]
        if self.random.random() < 0.3:
            self.random.choice(more)(depth)
        elif depth < 4 and self.random.random() < 0.08:
            self.random.choice([self.while_else, self.finally_])(depth, loop)
        else:
            super().statement(depth, loop)

    def keep_view(self, depth: int) -> None:
        self.say(depth, f"w = {self.pick(*ARRAYS)}[{self.pick(':1', '1:', '::-1', '::2', ':')}]")

    def write_view(self, depth: int) -> None:
        self.say(depth, self.pick(f"w[0] = {self.number()}", f"w += {self.pick(*NUMBERS)} % 3",
                                  f"w[:] = {self.pick(*ARRAYS)}[0]", f"w[...] = {self.number()}"))

    def into(self, depth: int) -> None:
        v = self.pick(*ARRAYS)
        self.say(depth, self.pick(
            f"np.add({v}, {self.pick(*ARRAYS)}, out={self.pick(*ARRAYS)})",
            f"np.multiply({v}, 2, {self.pick(*ARRAYS)})", f"{v}.fill({self.pick(*NUMBERS)} % 4)",
            f"{v}.sort()", f"np.copyto({v}, {self.pick(*ARRAYS)})", f"np.add.at({v}, [0, 0], 1)"))

    def into_box(self, depth: int) -> None:
        self.say(depth, f"box[{self.pick('0', '1', '-1')}] = {self.array()}")

    def box_item(self, depth: int) -> None:
        self.say(depth, f"box[{self.place()}][{self.pick('0', '1', '-1')}] = {self.number()}")

    def call_shift(self, depth: int) -> None:
        self.say(depth, self.pick(f"shift({self.pick(*ARRAYS)}, {self.pick(*ARRAYS)})",
                                  "shift(w, box[0])", "swap(box)"))

    def into_book(self, depth: int) -> None:
        self.say(depth, f'book["k"] = {self.array()}')

    def count(self, depth: int) -> None:
        self.say(depth, self.pick('book["n"] += 1', f'book["n"] = {self.number()}'))

    def whole(self, depth: int) -> None:
        v = self.pick(*ARRAYS)
        self.say(depth, self.pick(f"{v} = {v} * 1.5 // 1", f"{v} = -{v}", f"{v} = abs({v})"))

    def while_else(self, depth: int, loop: bool) -> None:
        self.while_(depth, loop)
        self.say(depth, "else:")
        self.block(depth + 1, loop)

    def finally_(self, depth: int, loop: bool) -> None:
        self.say(depth, "try:")
        self.block(depth + 1, False)
        self.say(depth, "finally:")
        self.random.choice([self.assign, self.store, self.update])(depth + 1)
