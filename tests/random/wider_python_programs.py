"""Makes random programs of everything that suspends, defines or unpacks: generators, coroutines,
classes, `except*`, comprehensions with closures, stars, defaults."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from tests.random.python_programs import ERRORS, NAMES, Program
from tests.random.python_programs import PRELUDE as LESS

PRELUDE = LESS + '''
class Base:
    """What random classes inherit from."""

    def __init_subclass__(cls, **options):
        cls.options = options

    def told(self):
        return "base"

class Once:
    """Awaited, it suspends once, and answers with what is sent."""

    def __init__(self, k):
        self.k = k

    def __await__(self):
        return (yield ("once", self.k))

class Ticks:
    """An asynchronous iterator that suspends before every number."""

    def __init__(self, n):
        self.n = n

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self.n <= 0:
            raise StopAsyncIteration
        self.n -= 1
        await Once(self.n)
        return self.n

class Room(Guard):
    """A guard that suspends at its doors."""

    async def __aenter__(self):
        await Once("in")
        return self.__enter__()

    async def __aexit__(self, *raised):
        await Once("out")
        return self.__exit__(*raised)

def inner_steps(log, n):
    """A generator to delegate to."""
    try:
        for i in range(n):
            log.append(("step", (yield i)))
        return n
    finally:
        log.append("inner done")

async def collected(values):
    """What an asynchronous generator yields."""
    return [v async for v in values]

def drive(log, ask, machine):
    """Runs a generator or a coroutine by hand: sends, throws, closes."""
    value = None
    for step in range(6):
        choice = ask(900)
        try:
            if choice == 0 and step:
                got = machine.throw(KeyError("thrown"))
            elif choice == 1 and step:
                log.append(("closed", machine.close()))
                break
            else:
                got = machine.send(value)
        except StopIteration as stop:
            return stop.value
        log.append(("got", got))
        value = choice
    machine.close()
    return value

def gather(*values, **named):
    """Its arguments."""
    return values, sorted(named.items())

def small(log, value):
    """A number, or the name of a type: what does not grow when it is used again and again."""
    log.append(repr(value))
    return value if isinstance(value, int) else type(value).__name__
'''

ASYNC = ("await", "both")


class WiderProgram(Program):
    """One random program; every choice comes from `random`."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.suspends = ""
        self.is_deep = 0
        self.in_class = False

    def source(self) -> str:
        source = super().source().removeprefix(LESS).replace("    global G\n", "", 1)
        return PRELUDE + source.replace("\n", "\n    global G\n", 1)

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    @contextmanager
    def inside(self, suspends: str) -> Iterator[None]:
        """What may suspend there: "" nothing, "yield", "await", or "both"."""
        outer, self.suspends = self.suspends, suspends
        self.is_deep += 1
        yield
        self.suspends = outer
        self.is_deep -= 1

    # -- expressions -------------------------------------------------------------------------------

    def value(self) -> str:
        if self.suspends and self.random.random() < 0.35:
            return self.pick(*self.suspended())
        return super().value() if self.random.random() < 0.75 else f"small(log, {self.made()})"

    def made(self) -> str:
        """Expressions that make lists, functions, texts and their like."""
        return self.pick(
            f"[(lambda: ({self.name()}, i))() for i in range({self.ask()})]",
            f"[g() for g in [lambda: {self.name()} for {self.name()} in range(3)]]",
            f"[*range({self.ask()}), *[{self.name()}]]", f"len({{**{{{self.ask()}: 1}}, 2: 3}})",
            f"gather(*[{self.name()}], k={self.ask()}, **dict(z={self.name()}))",
            f"sum(x for x in range({self.ask()}) if x > {self.ask()})",
            f"{{x: y for x in range(2) if {self.ask()} for y in range({self.ask()})}}",
            f"(lambda x={self.ask()}, *y, z={self.name()}: (x, y, z, {self.name()}))()",
            f"f'{{{self.name()}!r}} {{{self.ask()}:>{{3}}}}'", f"'%s %s' % ({self.ask()}, 1)",
            f"next((x for x in (1, 2, 3) if x > {self.ask()}), {self.name()})",
            f"sorted([{self.ask()}, {self.ask()}], key=lambda v: -v)",
            f"any({self.name()} == i for i in range({self.ask()}))")

    def suspended(self) -> list[str]:
        """Expressions that suspend."""
        yields = [f"(yield {self.name()})", "(yield)", f"(yield {self.ask()}) or {self.name()}",
                  f"({self.name()} if (yield 1) else {self.ask()})"]
        awaits = [f"(await Once({self.name()}))", f"(await Once(1) and await Once({self.ask()}))",
                  f"[x async for x in Ticks({self.ask()})]",
                  f"[await Once(x) for x in range(2) if x < {self.ask()}]"]
        if self.suspends == "yield":
            return [*yields, f"(yield from inner_steps(log, {self.ask()}))", "(yield from (1, 2))"]
        return awaits if self.suspends == "await" else [*yields, *awaits]

    # -- statements --------------------------------------------------------------------------------

    def statement(self, depth: int, loop: bool) -> None:
        if self.random.random() < 0.7 or depth > 5:
            super().statement(depth, loop)
        elif self.suspends in ASYNC and self.random.random() < 0.5:
            self.random.choice((self.async_for, self.async_with))(depth, loop)
        elif self.random.random() < 0.5:
            self.random.choice((self.unpack, self.later, self.item, self.chain_error))(depth)
        elif self.random.random() < 0.35:
            self.except_star(depth, loop)
        elif self.is_deep < 2:
            self.random.choice((self.generator, self.generator, self.coroutine,
                                self.async_generator, self.class_, self.function))(depth)
        else:
            super().statement(depth, loop)

    def annotate(self, depth: int) -> None:
        """Not what an inner function may declare `nonlocal`."""
        self.assign(depth) if self.is_deep else super().annotate(depth)

    def delete(self, depth: int) -> None:
        self.swap(depth) if self.random.random() < 0.7 else super().delete(depth)

    def leave(self, depth: int) -> None:
        if self.in_class:
            self.note(depth)
        elif self.suspends == "both":
            self.say(depth, "return")
        else:
            super().leave(depth)

    def unpack(self, depth: int) -> None:
        a, b, c = self.random.sample(NAMES, 3)
        self.say(depth, self.pick(
            f"{a}, *{b} = [{self.value()}, *range({self.ask()})]", f"*{a}, {b} = {self.ask()}, 1",
            f"{a}, ({b}, *{c}) = {self.ask()}, 'xy'", f"[{a}, {b}] = {self.value()}, {c}",
            f"{a} = {b} = {self.value()}"))

    def later(self, depth: int) -> None:
        self.say(depth, self.pick(
            f"later.append(lambda x={self.value()}: (x, {self.name()}))",
            f"later.append(({self.name()} for _ in range(2)).__next__)",
            f"later.extend(lambda i=i: (i, {self.name()}) for i in range(2))"))

    def item(self, depth: int) -> None:
        self.say(depth, "box = {'k': 1, 'j': [1, 2]}")
        self.say(depth, self.pick(
            f"box['k'] += {self.value()}", f"box['j'][{self.ask()}] = {self.name()}",
            f"del box['{self.pick('k', 'j', 'x')}']", f"box['j'][-1], {self.name()} = 1, 2",
            f"for box['k'] in range({self.ask()}): pass"))
        self.say(depth, "log.append(box)")

    def chain_error(self, depth: int) -> None:
        error = self.pick(*ERRORS)
        self.say(depth, self.pick(
            f"raise {error} from TypeError({self.ask()})", f"assert {self.test()}, {self.value()}",
            f"raise ExceptionGroup('g', [{error}({self.ask()}), TypeError(1)])", "raise"))

    def except_star(self, depth: int, loop: bool) -> None:
        name = self.name()
        self.say(depth, "try:")
        self.block(depth + 1, loop)
        for error in self.random.sample(ERRORS, self.random.choice((1, 2))):
            self.say(depth, f"except* {error} as {name}:")
            self.say(depth + 1, f"log.append(sorted(repr(x) for x in {name}.exceptions))")
            self.say(depth + 1, f"{self.name()} = {self.value()}")
            if self.random.random() < 0.3:
                self.fail(depth + 1)
        if self.random.random() < 0.3:
            self.say(depth, "finally:")
            self.block(depth + 1, loop, 1)

    def async_for(self, depth: int, loop: bool) -> None:
        self.say(depth, f"async for {self.name()} in Ticks({self.ask()}):")
        self.block(depth + 1, True)
        self.otherwise(depth, loop)

    def async_with(self, depth: int, loop: bool) -> None:
        swallow, fail = self.random.random() < 0.4, self.random.random() < 0.2
        self.say(depth, f"async with Room(log, {swallow}, {fail}) as {self.name()}:")
        self.block(depth + 1, loop)

    # -- definitions -------------------------------------------------------------------------------

    def body(self, depth: int, suspends: str) -> None:
        """Of a function: some names are the enclosing function's, the others begin as numbers."""
        shared = [n for n in NAMES if self.random.random() < 0.4]
        if shared:
            self.say(depth, f"nonlocal {', '.join(shared)}")
        self.say(depth, "global G")
        for name in NAMES:
            if name not in shared and self.random.random() < 0.9:
                self.say(depth, f"{name} = {self.random.randrange(9)}")
        outer, self.in_class = self.in_class, False
        with self.inside(suspends):
            self.block(depth, False, self.random.randrange(1, 4))
        self.in_class = outer

    def defined(self, keyword: str, depth: int, suspends: str) -> str:
        self.count += 1
        name = f"m{self.count}"
        self.say(depth, f"{keyword} {name}(p={self.value()}, *, q={self.ask()}):")
        self.body(depth + 1, suspends)
        return name

    def function(self, depth: int) -> None:
        name = self.defined("def", depth, "")
        self.say(depth, f"log.append({name}(q={self.ask()}))")
        self.say(depth, f"later.append({name})")

    def generator(self, depth: int) -> None:
        name = self.defined("def", depth, "yield")
        self.say(depth + 1, f"yield {self.name()}")
        self.say(depth, self.pick(
            f"log.append(drive(log, ask, {name}()))", f"log.append(drive(log, ask, {name}(2)))",
            f"log.append(list({name}()))", f"{self.name()}, *{self.name()} = map(str, {name}())",
            f"for {self.name()} in {name}(): log.append({self.ask()})",
            f"later.append({name}().__next__)", f"log.append(drive(log, ask, {name}()))"))

    def coroutine(self, depth: int) -> None:
        name = self.defined("async def", depth, "await")
        self.say(depth, self.pick(
            f"log.append(await {name}())" if self.suspends in ASYNC
            else f"log.append(drive(log, ask, {name}()))", f"{name}().close()"))

    def async_generator(self, depth: int) -> None:
        name = self.defined("async def", depth, "both")
        self.say(depth + 1, f"yield {self.name()}")
        self.say(depth, f"log.append(drive(log, ask, collected({name}())))")

    def class_(self, depth: int) -> None:
        self.count += 1
        name, base = f"C{self.count}", self.pick("Base", "Base", "Guard")
        self.say(depth, f"class {name}({base}{self.pick('', f', k={self.ask()}')}):"
                 if base == "Base" else f"class {name}({base}):")
        self.say(depth + 1, "def __repr__(self): return 'an object'")
        with self.inside(""):
            self.say(depth + 1, f"{self.name()} = {self.value()}")
            self.in_class = True
            self.branch(depth + 1, False)
            self.in_class = False
            self.say(depth + 1, f"__{self.name()} = {self.value()}")
        self.say(depth + 1, f"def told(self, x={self.ask()}):")
        self.body(depth + 2, "")
        self.say(depth + 2, f"return {self.name()}, __class__.__name__, super().__init__, "
                 f"self.__{self.name()}")
        if base == "Guard":
            self.say(depth, f"{self.name()} = {name}(log, {self.ask()}, 0)")
        self.say(depth, f"log.append([k for k in vars({name}) if k[:2] != '__'])")
        self.say(depth, f"log.append({name}.told({name}.__new__({name}))[:2])")
