"""Makes random programs on Python's state: containers, objects, aliases, closures, iteration.

Each variable has a kind that its name tells: numbers `abc`, arrays `xyz`, lists of numbers `pqr`,
dicts `de`, sets `st`, deques `uv`, objects `ow`, nested lists `mn`. What a program does to the
state outside its arguments, or to objects, is under a condition that the graph decides, unless
`free`: it asks `h`, which is symbolic and is never bound again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

from tests.random.state_prelude import FUNCTIONS, LOCALS, MAKE, PRELUDE

NUMBERS, ARRAYS, LISTS, DICTS = "abc", "xyz", "pqr", "de"
SETS, DEQUES, OBJECTS, NESTED = "st", "uv", "ow", "mn"


class StateProgram:
    """One random program; every choice comes from `random`.

    free  True if effects outside the arguments may be anywhere.
    """

    def __init__(self, random: Random, free: bool = False) -> None:
        self.random, self.free = random, free
        self.lines: list[str] = []
        self.count = 0
        self.staged = False

    def source(self) -> str:
        """A module with `f(a, b, …)`, `make()` for its other arguments, and `kept()`."""
        count = self.random.choice((1, 2, 2, 3, 4))
        for _ in range(count):
            self.statement(1, False)
        body = "\n".join(self.lines)
        inner = [text for name, text in FUNCTIONS.items() if f"{name}(" in body or (
            re.search(rf"\b{name}\b", body))]
        used = set(re.findall(r"\b[a-z]\b", body + "".join(inner)))
        if "n" in used:
            used.add("q")
        begin = [f"    {line}" for name, line in LOCALS.items() if name in used]
        names = [n for n in dict.fromkeys((*NUMBERS, *ARRAYS, *LISTS, *DICTS, *SETS, *DEQUES,
                                           *OBJECTS, *NESTED))
                 if n in used or (n not in LOCALS and n in body)]
        return self.module(begin, inner, body, names)

    def module(self, begin: list[str], inner: list[str], body: str, names: list[str]) -> str:
        """The text of the module: only what the body uses."""
        text = "\n".join([
            "def f(a, b, x, y, p, d, s, u, o, m, g=[5]):", "    global GN",
            *begin, *inner, body, f"    return {self.pick(*names, 'p')}, {', '.join(names)}", MAKE])
        for word, choices in (("MADE", ("Thing", "Point", "Slots")), ("ROW", ("p", "[4]")), (
                "VIEW", ("base[2:]", "base[:4]", "base[::2]", "np.ones(4)", "GA"))):
            while word in text:
                text = text.replace(word, self.pick(*choices), 1)
        return PRELUDE + text

    def say(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def fresh_name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    @contextmanager
    def inside(self) -> Iterator[None]:
        """What is inside happens as the graph decides."""
        outer, self.staged = self.staged, True
        yield
        self.staged = outer

    # -- expressions -------------------------------------------------------------------------------

    def num(self) -> str:
        return self.pick(*NUMBERS)

    def arr(self) -> str:
        return self.pick(*ARRAYS)

    def seq(self) -> str:
        return self.pick(*LISTS)

    def dct(self) -> str:
        return self.pick(*DICTS)

    def set_(self) -> str:
        return self.pick(*SETS)

    def deq(self) -> str:
        return self.pick(*DEQUES)

    def obj(self) -> str:
        return self.pick(*OBJECTS)

    def nest(self) -> str:
        return self.pick(*NESTED)

    def list_(self) -> str:
        return self.pick(*LISTS, *LISTS, *LISTS, f"{self.obj()}.items", f"{self.nest()}[0]",
                         f"{self.nest()}[-1]")

    def number(self) -> str:
        k = self.num()
        return self.pick(
            k, k, k, str(self.random.randrange(5)), f"({k} + {self.num()}) % 7",
            f"len({self.pick(self.list_(), *DICTS, *SETS, *DEQUES)})", f"{self.obj()}.n",
            f"{self.dct()}['{self.pick('a', 'b')}']", f"{self.arr()}[{self.place()}]",
            f"sum({self.list_()}) % 7", f"({k} if {self.test()} else {self.num()})",
            f"{self.obj()}.last", f"max({k}, 2)", f"int({k}) % 3",
            f"min({self.list_()}, default=0)")

    def place(self) -> str:
        return self.pick("0", "1", "-1", f"int({self.num()}) % 2")

    def test(self) -> str:
        k, j, items = self.num(), self.num(), self.list_()
        return self.pick(
            f"{k} > 1", f"{k} > {j}", f"{k} % 2 == 0", f"{items}", f"len({items}) > {k}",
            f"{k} in {items}", f"{k} > 1 and {j} < 4", f"{k} < 2 or {j} > 2",
            f"{self.arr()}.sum() > {k}", f"{items} is {self.list_()}", f"{items} == {self.list_()}",
            f"{self.obj()}.n > {k}", f"'a' in {self.dct()}", f"int({k}) in {self.set_()}",
            f"bump({k}) > 3", f"push({k}) > 4", f"any(v > {k} for v in {items})",
            f"all(v < {k} for v in {items})")

    # -- statements --------------------------------------------------------------------------------

    def block(self, depth: int, loop: bool) -> None:
        for _ in range(self.random.choice((1, 1, 2, 3))):
            self.statement(depth, loop)

    def statement(self, depth: int, loop: bool) -> None:
        chance = self.random.random()
        if loop and chance < 0.10:
            self.say(depth, self.pick("break", "continue"))
        elif chance < 0.12 and depth > 1:
            self.say(depth, self.pick(f"return {self.list_()}, a, b, c",
                                              f"raise ValueError({self.number()})",
                                      "raise KeyError('k')"))
        elif depth < 4 and chance < 0.42:
            self.random.choice(self.compound())(depth, loop)
        elif chance < 0.62:
            self.outside(depth)
        else:
            self.random.choice(self.simple())(depth)

    def compound(self) -> list[Callable[[int, bool], None]]:
        return [self.branch, self.branch, self.branch, self.while_, self.for_range, self.for_items,
                self.for_items, self.attempt, self.attempt, self.for_pairs, self.for_generator]

    def simple(self) -> list[Callable[[int], None]]:
        return [self.assign, self.assign, self.change_list, self.change_list, self.change_list,
                self.rebind_list, self.rebind_list, self.change_dict, self.change_set,
                self.change_deque, self.change_nested, self.store, self.store, self.rebind_others,
                self.closure, self.comprehension, self.sort, self.call, self.callback]

    def assign(self, depth: int) -> None:
        self.say(depth, self.pick(
            f"{self.num()} = {self.number()}", f"{self.num()} += {self.number()}",
            f"{self.num()}, {self.num()} = {self.number()}, {self.number()}"))

    def change_list(self, depth: int) -> None:
        items, k = self.list_(), self.number()
        self.say(depth, self.pick(
            f"if few({items}): {items}.append({k})", f"if few({items}): {items}.insert(0, {k})",
            f"if few({items}): {items}.extend([{k}, 1])", f"if few({items}): {items} += [{k}]",
            f"if {items}: {items}.pop()", f"if {items}: {items}[0] = {k}",
            f"if {items}: {items}[-1] += 1",
            f"if len({items}) > 1: del {items}[0]", f"{items}[1:] = [{k}]", f"{items}.reverse()",
            f"if {items}: {self.num()} = {items}.pop(0)", f"if {k} in {items}: {items}.remove({k})",
            f"{items}[:] = {self.list_()}[:3]", f"if few({items}): put({items}, {k})",
            f"{items}[0] = {k}"))

    def rebind_list(self, depth: int) -> None:
        name, items, k = self.seq(), self.list_(), self.number()
        self.say(depth, self.pick(
            f"{name} = {items}", f"{name} = {items}", f"{name} = {items}[:]", f"{name} = [{k}]",
            f"{name} = fresh({items}, {k})", f"{name} = put({items}, {k})",
            f"{name} = {items} if {self.test()} else {self.list_()}",
            f"{name}, {self.seq()} = {items}, {self.list_()}",
            f"{name} = ({items}[:4] + [{k}])"))

    def change_dict(self, depth: int) -> None:
        d, k = self.dct(), self.number()
        self.say(depth, self.pick(
            f"{d}['a'] = {k}", f"{d}['a'] += 1", f"{d}[int({self.num()}) % 3] = {k}",
            f"{d}.setdefault('{self.pick('b', 'z')}', {k})", f"{d}.update(b={k})",
            f"{d}.pop('z', 0)",
            f"{d}['b'] = {d}.get('z', {k})", f"{d}.pop('{self.pick('b', 'z')}', None)",
            f"{d} = dict({d})",
            f"{self.dct()} = {self.dct()}", f"{d} |= {{'z': {k}}}"))

    def change_set(self, depth: int) -> None:
        s, k = self.set_(), f"int({self.num()}) % 5"
        self.say(depth, self.pick(f"{s}.add({k})", f"{s}.discard({k})", f"{s} |= {{{k}}}",
                                  f"{s} = {s} & {{1, 2, 3}}", f"{s}.add(9)",
                                  f"{self.set_()} = {s}"))

    def change_deque(self, depth: int) -> None:
        u, k = self.deq(), self.number()
        self.say(depth, self.pick(
            f"if few({u}): {u}.append({k})", f"if few({u}): {u}.appendleft({k})", f"{u}.rotate(1)",
            f"if {u}: {self.num()} = {u}.popleft()", f"{self.deq()} = {u}",
            f"if {u}: {u}[0] = {k}"))

    def change_nested(self, depth: int) -> None:
        m, items = self.nest(), self.list_()
        self.say(depth, self.pick(
            f"{m}[0] = {items}", f"{m}[-1] = [{self.number()}]",
            f"{m}[0], {m}[-1] = {m}[-1], {m}[0]",
            f"if few({m}): {m}.append({items}[:2])", f"{self.nest()} = {m}",
            f"if len({m}) > 1: {self.seq()} = {m}.pop()"))

    def store(self, depth: int) -> None:
        x = self.arr()
        self.say(depth, self.pick(
            f"{x}[{self.place()}] = {self.number()}", f"{x}[1:] += {self.num()}", f"{x} *= 2",
            f"{x}[:] = {self.arr()}[0]", f"{x} = {self.arr()}[::-1]",
            f"{x} = {self.arr()} + {self.num()}", f"{x}[0], {x}[1] = {x}[1], {x}[0]"))

    def rebind_others(self, depth: int) -> None:
        self.say(depth, self.pick(
            "d, e = e, d", "u, v = v, u", "m = [q, q]", "n = [r, [c]]", "s, t = t, s",
            f"tup = ({self.number()}, {self.list_()}); tup[1].append(tup[0]); del tup[1][:-6]"))

    def closure(self, depth: int) -> None:
        k = self.number()
        name = self.pick("bump", "push", "both")
        self.say(depth, self.pick(
            f"{name}({k})", f"{self.num()} = {name}({k})",
            f"[bump, push][int({self.num()}) % 2]({k})",
            f"g1 = bump if {self.test()} else push; g1({k})", f"(lambda k: push(k))({k})"))

    def comprehension(self, depth: int) -> None:
        items, name = self.list_(), self.seq()
        self.say(depth, self.pick(
            f"{name} = [k * 2 for k in {items} if k > {self.num()}]",
            f"{name} = [bump(k) for k in {items}[:4]]",
            f"{name} = [put(q, k)[0] for k in {items}[:3]]",
            f"{self.dct()} = {{k: {self.number()} for k in 'ab'}}",
            f"{name} = list(map(bump, {items}[:4]))", f"c = sum(bump(k) for k in {items}[:4])",
            f"{name} = [k for k in pairs({items})]"))

    def sort(self, depth: int) -> None:
        items = self.list_()
        self.say(depth, self.pick(
            f"{items}.sort()", f"{items}.sort(key=lambda k: -k)", f"{self.seq()} = sorted({items})",
            f"{self.seq()} = sorted({items}, key=lambda k: (k + bump(1)) % 3)",
            f"{items}.sort(reverse=True)", f"c = max({items}, key=bump, default=0)"))

    def call(self, depth: int) -> None:
        self.say(depth, self.pick(
            f"{self.num()} = down(int({self.num()}) % 3, {self.seq()}[:])",
            f"{self.num()} = len(put({self.list_()}, {self.number()}))",
            f"{self.seq()} = list(steps())", "c = next(pairs(q), 0)",
            f"{self.seq()} = [*pairs({self.list_()}), {self.number()}]"))

    def callback(self, depth: int) -> None:
        self.say(depth, self.pick(
            f"{self.arr()} = np.vectorize(bump, otypes=[float])({self.arr()})",
            f"{self.arr()} = np.apply_along_axis(lambda k: k * push(1.0), 0, {self.arr()})",
            "c = float(np.vectorize(lambda k: push(k) + k, otypes=[float])("
            f"{self.arr()}).sum()) % 7"))

    def outside(self, depth: int) -> None:
        """What happens while tracing if it is unconditional, and with constants."""
        if not self.free and not self.staged:
            self.say(depth, f"if h > {self.random.randrange(-9, 4)}:")
            depth += 1
        o, k = self.obj(), self.number()
        self.say(depth, self.pick(
            f"{o}.n = {k}", f"{o}.n += 1", f"{o}.add({k})", f"{o}.items = {self.list_()}",
            f"if few({o}.items): {o}.items.append({k})", f"{self.obj()} = {self.obj()}",
            "o, w = w, o", f"w = o if {self.test()} else w", f"{o}.array = {self.arr()}",
            f"if few({o}.items): {o}.add({k}).add(1)", f"if few(GL): GL.append({k})",
            "if GL: GL.pop()",
            f"GL[:] = {self.list_()}[:3]", f"GD['a'] = {k}", f"GD[int({self.num()}) % 2] = 1",
            f"GA[{self.place()}] = {k}", "GA[1:] += 1", f"GO.n = {k}", "GO.n += 1", "GN += 1",
            f"GN = {k}",
            f"remember({k})", f"g.append({k}); del g[:-3]", f"Thing.total = {k}",
            f"{self.seq()} = GL", f"{self.arr()} = GA", f"{self.num()} = GN"))

    # -- compound statements -----------------------------------------------------------------------

    def branch(self, depth: int, loop: bool) -> None:
        self.say(depth, f"if h > {self.random.randrange(4)}:"
                 if not self.staged and self.chance(0.6) else f"if {self.test()}:")
        certain = self.lines[-1].strip().startswith("if h >")
        outer, self.staged = self.staged, self.staged or certain
        self.block(depth + 1, loop)
        if self.chance(0.4):
            self.say(depth, "else:")
            self.block(depth + 1, loop)
        self.staged = outer

    def while_(self, depth: int, loop: bool) -> None:
        fuel = self.fresh_name("n")
        self.say(depth, f"{fuel} = 0")
        self.say(depth, f"while {self.test()}:")
        self.say(depth + 1, f"{fuel} += 1")
        self.say(depth + 1, f"if {fuel} > {self.random.randrange(1, 4)}: break")
        self.block(depth + 1, True)
        self.otherwise(depth, loop)

    def for_range(self, depth: int, loop: bool) -> None:
        self.say(depth, f"for {self.fresh_name('i')} in range(int(h) % 4):")
        with self.inside():
            self.block(depth + 1, True)
        self.otherwise(depth, loop)

    def for_items(self, depth: int, loop: bool) -> None:
        items = self.list_()
        self.say(depth, f"for {self.num()} in " + self.pick(
            items, items, f"reversed({items})", f"{items}[:3]", f"tuple({items})",
            f"sorted({self.set_()})",
            f"list({self.deq()})", f"{self.dct()}.values()", f"{self.arr()}",
            f"{self.nest()}[0]") + ":")
        self.block(depth + 1, True)
        self.otherwise(depth, loop)

    def for_pairs(self, depth: int, loop: bool) -> None:
        i, k = self.fresh_name("i"), self.num()
        self.say(depth, f"for {i}, {k} in " + self.pick(
            f"enumerate({self.list_()})", f"zip({self.list_()}, {self.list_()})",
            f"enumerate({self.arr()})",
            f"{self.dct()}.items()", f"enumerate(reversed({self.list_()}))") + ":")
        self.block(depth + 1, True)

    def for_generator(self, depth: int, loop: bool) -> None:
        self.say(depth, f"for {self.num()} in " + self.pick(
            "steps()", f"pairs({self.list_()})", f"(k for k in {self.list_()} if k > 1)") + ":")
        self.block(depth + 1, True)

    def otherwise(self, depth: int, loop: bool) -> None:
        if self.chance(0.25):
            self.say(depth, "else:")
            self.block(depth + 1, loop)

    def attempt(self, depth: int, loop: bool) -> None:
        self.say(depth, "try:")
        self.block(depth + 1, loop)
        if self.chance(0.4):
            self.say(depth + 1, f"if {self.test()}: raise ValueError({self.number()})")
        self.say(depth, f"except {self.pick('ValueError', '(ValueError, KeyError)', 'Exception')}"
                 f"{self.pick('', ' as error')}:")
        self.block(depth + 1, loop)
        if self.chance(0.3):
            self.say(depth, "finally:")
            self.random.choice(self.simple())(depth + 1)
