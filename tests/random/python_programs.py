"""Makes random programs: jumps, loops, handlers, closures and deletions, nested at will."""

from __future__ import annotations

from random import Random

PRELUDE = '''
class Halt(BaseException):
    """Ends a program that runs for too long."""

class Guard:
    """A context manager that may swallow an exception, and may raise one."""

    def __init__(self, log, swallow, fail):
        self.log, self.swallow, self.fail = log, swallow, fail

    def __enter__(self):
        self.log.append("enter")
        return 5

    def __exit__(self, kind, value, trace):
        self.log.append(kind and kind.__name__)
        if self.fail:
            raise KeyError("exit")
        return self.swallow

def chooser(log, seed):
    """A function whose answers depend on the seed and on how often it was asked."""
    asked = [0]
    def ask(k):
        asked[0] += 1
        log.append(k)
        if asked[0] > 150:
            raise Halt
        return (asked[0] * 7919 + seed * 104729 + k * 31) % 5
    return ask

G = 0
'''
NAMES = "abcd"
ERRORS = ("ValueError", "KeyError", "NameError", "Exception")


class Program:
    """One random program; every choice comes from `random`."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0
        self.lines: list[str] = []

    def source(self) -> str:
        """A function `f(log, seed)` and what it needs."""
        self.lines = ["def f(log, seed):"]
        if self.random.random() < 0.3:
            self.say(1, "global G")
        self.say(1, "ask = chooser(log, seed)")
        self.say(1, "later = []")
        for name in NAMES[: self.random.choice((2, 3, 4, 4, 4))]:
            self.say(1, f"{name} = {self.random.randrange(9)}")
        self.block(1, False, self.random.randrange(2, 6))
        self.say(1, f"return {self.value()}, [g() for g in later]")
        return PRELUDE + "\n".join(self.lines) + "\n"

    def say(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def name(self) -> str:
        return self.random.choice(NAMES)

    def ask(self) -> str:
        self.count += 1
        return f"ask({self.count})"

    def value(self) -> str:
        return self.random.choice([
            self.name, self.name, lambda: str(self.random.randrange(9)), self.ask,
            lambda: f"{self.name()} + {self.ask()}", lambda: "G",
            lambda: f"({self.ask()} if {self.test()} else {self.name()})",
            lambda: f"sum([{self.name()} for {self.name()} in range({self.ask()})])",
        ])()

    def test(self) -> str:
        return self.random.choice([
            lambda: f"{self.ask()} > 1", lambda: f"{self.ask()} > 2", lambda: f"{self.ask()} % 2",
            lambda: f"{self.name()} and {self.ask()}", lambda: f"{self.ask()} or {self.name()}",
            lambda: f"not {self.ask()}", lambda: f"0 < {self.ask()} < {self.ask()}",
            lambda: f"({self.name()} := {self.ask()}) > 2",
            lambda: f"{self.ask()} in (1, 2, 3)", lambda: f"{self.ask()} and ({self.name()} := 3)",
        ])()

    def block(self, depth: int, loop: bool, size: int = 0) -> None:
        for _ in range(size or self.random.choice((1, 1, 2, 2, 3))):
            self.statement(depth, loop)

    def statement(self, depth: int, loop: bool) -> None:
        simple = [self.assign, self.assign, self.assign, self.update, self.update, self.note,
                  self.note, self.swap, self.annotate, self.delete, self.leave, self.fail,
                  self.closure, self.inner]
        compound = [self.branch, self.branch, self.while_, self.for_, self.attempt, self.with_,
                    self.match]
        if loop and self.random.random() < 0.25:
            self.say(depth, self.random.choice(("break", "continue")))
        elif depth < 6 and self.random.random() < 0.55:
            self.random.choice(compound)(depth, loop)
        else:
            self.random.choice(simple)(depth)

    def assign(self, depth: int) -> None:
        self.say(depth, f"{self.random.choice((*NAMES, *NAMES, 'G'))} = {self.value()}")

    def annotate(self, depth: int) -> None:
        self.say(depth, f"{self.name()}: int = {self.value()}")

    def swap(self, depth: int) -> None:
        self.say(depth, f"{self.name()}, {self.name()} = {self.value()}, {self.value()}")

    def update(self, depth: int) -> None:
        self.say(depth, f"{self.name()} += {self.value()}")

    def note(self, depth: int) -> None:
        self.say(depth, f"log.append(('note', {self.name()}))")

    def delete(self, depth: int) -> None:
        self.say(depth, f"del {self.name()}")

    def leave(self, depth: int) -> None:
        self.say(depth, f"return {self.value()}")

    def fail(self, depth: int) -> None:
        self.say(depth, f"raise {self.random.choice(ERRORS)}({self.ask()})")

    def closure(self, depth: int) -> None:
        self.say(depth, f"later.append(lambda: {self.name()})")

    def inner(self, depth: int) -> None:
        name = self.name()
        self.count += 1
        self.say(depth, f"def g{self.count}(x):")
        if self.random.random() < 0.5:
            self.say(depth + 1, f"nonlocal {name}")
        self.say(depth + 1, f"if x > {self.random.randrange(4)}:")
        self.say(depth + 2, f"{name} = x")
        self.say(depth + 1, f"return {name}")
        self.say(depth, f"log.append(g{self.count}({self.ask()}))")

    def branch(self, depth: int, loop: bool) -> None:
        self.say(depth, f"if {self.test()}:")
        self.block(depth + 1, loop)
        if self.random.random() < 0.3:
            self.say(depth, f"elif {self.test()}:")
            self.block(depth + 1, loop)
        if self.random.random() < 0.4:
            self.say(depth, "else:")
            self.block(depth + 1, loop)

    def while_(self, depth: int, loop: bool) -> None:
        self.say(depth, f"while {self.random.choice((self.test, self.test, lambda: True))()}:")
        self.say(depth + 1, self.ask())
        self.block(depth + 1, True)
        self.otherwise(depth, loop)

    def for_(self, depth: int, loop: bool) -> None:
        target = self.random.choice((self.name(), self.name(), f"{self.name()}, {self.name()}"))
        items = f"range({self.random.randrange(4)})"
        self.say(depth, f"for {target} in {f'enumerate({items})' if ',' in target else items}:")
        self.block(depth + 1, True)
        self.otherwise(depth, loop)

    def otherwise(self, depth: int, loop: bool) -> None:
        if self.random.random() < 0.3:
            self.say(depth, "else:")
            self.block(depth + 1, loop)

    def attempt(self, depth: int, loop: bool) -> None:
        handled = self.random.random() < 0.8
        self.say(depth, "try:")
        self.block(depth + 1, loop)
        if handled:
            name = self.random.choice(("", f" as {self.name()}"))
            self.say(depth, f"except {self.random.choice(ERRORS)}{name}:")
            self.block(depth + 1, loop)
            self.otherwise(depth, loop)
        if not handled or self.random.random() < 0.3:
            self.say(depth, "finally:")
            self.block(depth + 1, loop, 1)

    def with_(self, depth: int, loop: bool) -> None:
        swallow, fail = self.random.random() < 0.4, self.random.random() < 0.2
        bound = self.random.choice(("", f" as {self.name()}"))
        self.say(depth, f"with Guard(log, {swallow}, {fail}){bound}:")
        self.block(depth + 1, loop)

    def match(self, depth: int, loop: bool) -> None:
        self.say(depth, f"match ({self.ask()}, {self.ask()}):")
        patterns = ("(0, _)", f"({self.name()}, 1)", f"({self.name()}, 2) if {self.test()}", "_")
        for pattern in [p for p in patterns if self.random.random() < 0.5] or patterns[:1]:
            self.say(depth + 1, f"case {pattern}:")
            self.block(depth + 2, loop)
