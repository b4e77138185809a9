"""Makes random programs on what Python asks of objects: properties, slots, descriptors, attributes
that are computed, context managers, generators that are sent to and left, defaults that change,
and containers of the library. Two names often stand for one list."""

from __future__ import annotations

from random import Random

from tests.random.protocol_prelude import END, PRELUDE


class ProtocolProgram:
    """One random program; every choice comes from `random`.

    free   True if effects outside the arguments may be anywhere.
    rare   True if it may have what is mostly refused.
    """

    def __init__(self, random: Random, free: bool = False) -> None:
        self.random, self.free = random, free
        self.rare = random.random() < 0.15
        self.lines: list[str] = []

    def source(self) -> str:
        """A module with `f(x, m, …)`, `make()` for its other arguments, and `kept()`."""
        for _ in range(self.random.randint(2, 5)):
            self.statement(2, False, 1)
        return PRELUDE + "\n".join(self.lines) + END

    def say(self, ind: int, *lines: str) -> None:
        self.lines += ["    " * ind + line for line in lines]

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    # -- expressions -------------------------------------------------------------------------------

    def num(self) -> str:
        return self.pick("x", "n", "s", "p._v", "sl.a", "a[0]", "a[1]", "k", "ck.k", "ow.d", "2",
                         "3", "len(l)", "l[-1]", "m")

    def test(self) -> str:
        i = self.random.randint(0, 4)
        return self.pick(
            f"{self.num()} > {i}", f"{self.num()} > {i}", f"x > {i}", "n > 1", "x < s",
            f"a[{i % 3}] > {i}", "p.v > 1", "p._v > x", "l and x > 1", "(w := x + 1) > 2",
            "not dq or x > 2", "s > 3 and n > 1", "x in (1.0, 2.0)", "len(l) > 3", "m > 1")

    def simple(self) -> str:
        kinds = [self.on_objects, self.on_lists, self.on_lists, self.on_containers, self.on_numbers]
        text = self.random.choice([*kinds, self.outside] if self.free else kinds)()
        return self.rarely() if self.rare and self.chance(0.1) else text

    def on_objects(self) -> str:
        k, i = self.num(), self.random.randint(1, 3)
        return self.pick(
            f"p.v = {k}", "s += p.v", f"p += {k}", f"s += p({i})", f"sl.a = {k}",
            f"sl.b.append({k})", f"ck.k = {k}", "s += ck.other", f"ow.d = {k}", "s += ow.d",
            "sl.b = l", "o2 = p if x > 1 else p2; o2.v = s",
            "o2 = [p, p2][int(x > 2)]; o2.seen += 1",
            "setattr(p2, 'extra' if n > 1 else 'seen', n)", "p2.__dict__.update(zz=n)")

    def on_lists(self) -> str:
        k, i = self.num(), self.random.randint(1, 3)
        return self.pick(
            f"l.append({k})", f"l[0] = {k}", "l.pop() if len(l) > 2 else None", f"al.append({k})",
            f"nest['q'].append({k})", f"l += [{k} for q in range({i}) if q > 0]",
            "s += sum([l.append(q) or q for q in range(2)])", "l[:] = l[-3:]",
            "del l[0]; l.append(x)", "l, al = al, l", f"l = l + [{k}]", "al = l", "l.sort()",
            "l.reverse()", "l.extend(v for v in al[:2])", "first, *rest = l; s += len(rest)")

    def on_containers(self) -> str:
        k, i = self.num(), self.random.randint(1, 3)
        key = self.pick("n", "1", "int(x)")
        return self.pick(
            f"nest['q'] = [{k}]", f"nest['z'] = {k}", "nest.pop('z', None)", "nest['q'] = l",
            f"dq.append({k})", f"dq.appendleft({k})", "dq.rotate(1)", f"dd[{key}].append({k})",
            f"cn[{key}] += {i}", f"od['b'] = {k}", "od.move_to_end('a')",
            f"heapq.heappush(h, {k})", "s += heapq.heappop(h) if len(h) > 1 else 0",
            f"bisect.insort(h2, {k})", "st |= {n}", "st.add(n + 3)", "st ^= {1, 9}",
            "st.discard(1)", "s += dict(zip('ab', l)).get('a', 0)")

    def on_numbers(self) -> str:
        k, i = self.num(), self.random.randint(0, 2)
        return self.pick(
            f"s = s + {k}", f"s += {k}", f"a[{i}] = {k}", f"a[{i}] += {k}", "a *= 2", "b2[0] = s",
            "bump()", f"bump({i})", "s += sum(acc(n))", f"s += depth(x, {i + 1}, l)",
            f"tot, s = s, s + {k}", "s += min(l) + max(l)", "print('v', 3)",
            "u = [y for y in (1, 2) if (w := y * n) > 1]; s += w")

    def outside(self) -> str:
        i = self.random.randint(1, 9)
        return self.pick(f"Prop.note({i})", f"Prop.total = {i}", f"Prop.made.append({i})",
                         "s += memo(n)")

    def rarely(self) -> str:
        return self.pick("f = l.append if x > 1 else al.append; f(n)", f"ck.z = {self.num()}")

    # -- statements --------------------------------------------------------------------------------

    def block(self, d: int, loop: bool, ind: int) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(d, loop, ind)

    def statement(self, d: int, loop: bool, ind: int) -> None:
        kind = self.random.random()
        if d == 0 or kind < 0.35:
            self.say(ind, self.simple())
        elif kind < 0.5:
            self.branch(d, loop, ind)
        elif kind < 0.62:
            self.for_(d, loop, ind)
        elif kind < 0.7:
            self.while_(d, loop, ind)
        elif kind < 0.82:
            self.attempt(d, loop, ind)
        elif kind < 0.9:
            self.with_(d, loop, ind)
        elif kind < 0.95:
            self.generator(ind)
        else:
            self.say(ind, f"if {self.test()}: return {self.pick('s', 's, l', 'p', 'a', 'x')}")

    def branch(self, d: int, loop: bool, ind: int) -> None:
        self.say(ind, f"if {self.test()}:")
        self.block(d - 1, loop, ind + 1)
        if self.chance(0.5):
            self.say(ind, "else:")
            self.block(d - 1, loop, ind + 1)

    def for_(self, d: int, loop: bool, ind: int) -> None:
        items = self.pick("range(3)", "range(n)", "list(l)", "a", "range(int(x))", "sorted(st)",
                          "enumerate([5, 6])", "gen(l, 3)", "zip(list(l), a)", "list(nest)",
                          "list(dq)")
        self.say(ind, f"for i{ind} in {items}:")
        self.rest_of_loop(d, loop, ind)

    def while_(self, d: int, loop: bool, ind: int) -> None:
        c = f"c{ind}"
        self.say(ind, f"{c} = 0", f"while {c} < {self.pick('3', 'n', 'x')}:", f"    {c} += 1")
        self.rest_of_loop(d, loop, ind)

    def rest_of_loop(self, d: int, loop: bool, ind: int) -> None:
        self.block(d - 1, True, ind + 1)
        if self.chance(0.35):
            self.say(ind + 1, f"if {self.test()}: {self.pick('break', 'continue')}", self.simple())
        if self.chance(0.35):
            self.say(ind, "else:")
            self.block(d - 1, loop, ind + 1)

    def attempt(self, d: int, loop: bool, ind: int) -> None:
        self.say(ind, "try:")
        self.block(d - 1, loop, ind + 1)
        self.say(ind + 1, self.pick(
            f"s += risky({self.num()}, l)", f"if {self.test()}: raise KeyError(4)",
            "s += {1: 2}[n]", f"assert {self.test()}, 'no'", "l.index(99)"), self.simple())
        self.say(ind, "except " + self.pick("ValueError", "(KeyError, ValueError)", "Exception",
                                            "LookupError") + " as e:", "    l.append(len(e.args))")
        self.block(d - 1, loop, ind + 1)
        if self.chance(0.3):
            self.say(ind, "else:")
            self.block(d - 1, loop, ind + 1)
        if self.chance(0.4):
            self.say(ind, "finally:")
            self.block(0, False, ind + 1)

    def with_(self, d: int, loop: bool, ind: int) -> None:
        self.say(ind, self.pick("with scope(l, 5):", "with Manager(al, True):",
                                "with Manager(al, False):"))
        self.block(d - 1, loop, ind + 1)
        if self.chance(0.5):
            self.say(ind + 1, f"if {self.test()}: raise {self.pick('KeyError', 'ValueError')}(2)")

    def generator(self, ind: int) -> None:
        """A generator that is read in part. In a block it is closed: a variable that is not used
        again ends with the block in converted code, and later in Python."""
        g = f"g{ind}"
        self.say(ind, f"{g} = gen(l, 4)", f"s += next({g})", self.pick(
            f"s += {g}.send({self.num()})", f"{g}.close()", f"s += next({g}, 0)", f"s += sum({g})",
            f"l.extend({g})"), *([f"{g}.close()"] if ind > 1 else []))
