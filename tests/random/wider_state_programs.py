"""Makes random programs on Python's state of more kinds: defaults of lambdas, factories, `del`,
stores to slices, aliases that change in place, bytes, views of dicts, generators in generators,
functions that read state outside and are called by libraries."""

from __future__ import annotations

from collections.abc import Callable

from tests.random.state_programs import StateProgram


class WiderStateProgram(StateProgram):
    """One random program, in which about every third statement is of the kinds above."""

    def module(self, begin: list[str], inner: list[str], body: str, names: list[str]) -> str:
        return "import bisect\nfrom collections import defaultdict\n" + super().module(
            begin, inner, body, names)

    def compound(self) -> list[Callable[[int, bool], None]]:
        return [*super().compound(), self.for_view, self.for_nested_generator, self.try_del]

    def simple(self) -> list[Callable[[int], None]]:
        wider = [self.default_of_lambda, self.factory, self.delete, self.store_slice, self.alias,
                 self.change_set_in_place, self.bytes_, self.view, self.generator,
                 self.reads_outside]
        return [*super().simple(), *wider]

    def default_of_lambda(self, depth: int) -> None:
        name, items, k = self.fresh_name("g"), self.list_(), self.num()
        self.say(depth, f"{name} = lambda k, at={items}, by={k}: at.append(k + by)")
        self.say(depth, self.pick(
            f"if few({items}): {name}({self.number()})", f"if {self.test()}: {name}(1)",
            f"{name}({self.number()}, [])", f"{name}(2, {self.list_()})"))

    def reads_outside(self, depth: int) -> None:
        items, name, x = self.list_(), self.fresh_name("t"), self.arr()
        self.say(depth, self.pick(
            f"{x} = np.vectorize(scaled, otypes=[float])({x})",
            f"{x} = np.apply_along_axis(lambda row: row * scaled(1.0), 0, {x})",
            f"{self.seq()} = sorted({items}, key=scaled)", f"c = scaled({self.num()}) % 7",
            f"{self.seq()} = list(map(scaled, {items}))[:5]",
            f"c = bisect.bisect([1, 2, 3, 4], {self.num()}, key=scaled)",
            f"{name} = defaultdict(lambda: scaled(1)); {name}[int({self.num()}) % 3] += 1; "
            f"c = {name}[int({self.num()}) % 3] % 7"))

    def factory(self, depth: int) -> None:
        name, items = self.fresh_name("t"), self.list_()
        made = self.pick(f"lambda: len({items})", "int", "list", f"lambda: {self.num()}")
        self.say(depth, f"{name} = defaultdict({made})")
        key = self.pick("'a'", f"int({self.num()}) % 3")
        change = f"{name}[{key}].append({self.number()})" if made == "list" else (
            f"{name}[{key}] += {self.number()}")
        self.say(depth, self.pick(change, f"if {self.test()}: {change}"))
        self.say(depth, f"{self.num()} = len({name})")

    def delete(self, depth: int) -> None:
        items, d = self.list_(), self.dct()
        self.say(depth, self.pick(
            f"if 'b' in {d}: del {d}['b']", f"del {items}[1:2]", f"del {items}[:0]",
            f"if {items}: del {items}[-1]", f"{d}['z'] = 1; del {d}['z']",
            f"del {self.arr()}", f"{self.obj()}.extra = 1; del {self.obj()}.extra"))

    def store_slice(self, depth: int) -> None:
        items, k = self.list_(), self.number()
        self.say(depth, self.pick(
            f"{items}[::2] = [{k}] * len({items}[::2])", f"{items}[1:2] = [{k}, 1]",
            f"if few({items}): {items}[len({items}):] = [{k}]", f"{items}[:1] = ()",
            f"{self.arr()}[1:] = {self.arr()}[:-1]", f"{self.arr()}[::-1] += {k}",
            f"{items}[:2] = {items}[1::-1]"))

    def alias(self, depth: int) -> None:
        items, k, name = self.list_(), self.number(), self.fresh_name("r")
        self.say(depth, self.pick(
            f"{name} = {items}; {name} += [{k}][:9 - len({items})]", f"{name} = {self.arr()}; "
            f"{name} += {k}", f"{name} = {self.arr()}[1:]; {name} *= 2", f"{name} = {self.dct()}; "
            f"{name} |= {{'z': {k}}}", f"{name} = {self.set_()}; {name} -= {{int({k})}}",
            f"{name} = {self.obj()}; {name}.n += {k}; {name}.items[:1] = [{k}]"))

    def change_set_in_place(self, depth: int) -> None:
        items, k = self.set_(), f"int({self.num()}) % 9"
        self.say(depth, self.pick(
            f"{items} |= {{{k}}}", f"{items} -= {{{k}}}", f"{items} ^= {{{k}, 3}}",
            f"{items} &= {{{k}, 3, 4}}", f"{items} = {items} | {{{k}}}",
            f"if {k} in {items}: {items}.remove({k})",
            f"{items}.symmetric_difference_update([{k}])",
            f"{self.num()} = len({items} & {self.set_()})"))

    def bytes_(self, depth: int) -> None:
        name, k = self.fresh_name("z"), f"int({self.num()}) % 200"
        self.say(depth, f"{name} = bytearray([1, 2])")
        self.say(depth, self.pick(f"{name}[0] = {k}", f"{name}.append({k})", f"{name} += b'ab'",
                                  f"if {self.test()}: {name}.pop()"))
        self.say(depth, f"{self.num()} = {name}[0] + len(bytes({name}))")

    def view(self, depth: int) -> None:
        name, d = self.fresh_name("k"), self.dct()
        self.say(depth, f"{name} = {d}.{self.pick('keys', 'values', 'items')}()")
        self.change_dict(depth)
        self.say(depth, self.pick(f"{self.num()} = len({name})",
                                  f"{self.num()} = len(list({name}))"))

    def generator(self, depth: int) -> None:
        items, k = self.list_(), self.num()
        self.say(depth, self.pick(
            f"{self.seq()} = [*(v + 1 for v in (w1 for w1 in {items} if w1 > {k}))][:5]",
            f"{self.num()} = next((v for v in {items} if v > {k}), 0)",
            f"{self.seq()} = [v for row in ({items}, [{k}]) for v in row][:5]",
            f"{self.num()} = sum(v * w1 for v, w1 in zip({items}, {self.list_()})) % 7"))

    def for_view(self, depth: int, loop: bool) -> None:
        d, key = self.dct(), self.fresh_name("k")
        self.say(depth, self.pick(
            f"for {key} in list({d}):", f"for {key} in {d}.keys():", f"for {key} in {d}:",
            f"for {key}, {self.num()} in {d}.items():",
            f"for {key}, {self.num()} in list({d}.items()):"))
        self.say(depth + 1, self.pick(f"{d}[{key}] = {self.number()}", f"{d}.pop({key}, None)",
                                      f"{d}['z'] = {self.number()}", f"{d}[{key}] += 1"))
        self.block(depth + 1, True)

    def for_nested_generator(self, depth: int, loop: bool) -> None:
        items, k = self.list_(), self.num()
        self.say(depth, f"for {k} in " + self.pick(
            f"(v for v in (w1 + 1 for w1 in {items}[:4] if w1 > {self.num()})):",
            f"(v for row in {self.nest()} for v in row[:2]):",
            f"(push(v) for v in {items}[:3]):"))
        self.block(depth + 1, True)

    def try_del(self, depth: int, loop: bool) -> None:
        self.say(depth, "try:")
        self.say(depth + 1, self.pick(
            f"del {self.dct()}['z']", f"del {self.list_()}[5]",
            f"{self.set_()}.remove(int({self.num()}))", f"{self.num()} = {self.dct()}['z']"))
        self.block(depth + 1, loop)
        self.say(depth, f"except {self.pick('KeyError', 'IndexError', '(KeyError, IndexError)')}:")
        self.block(depth + 1, loop)
