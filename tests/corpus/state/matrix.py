"""The matrix: effects on Python's state, homes of that state, and constructs that decide on them.

`program(effect, home, construct)` is the text of a module with a function `f(x, o)`, which has the
effect, and a function `kept()`, which returns the state. The module runs plainly and decorated;
both must give the same results and leave the same state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Effect:
    """Something that is done to a thing S.

    make    an expression for S as it is at first.
    act     statements; `v` is a number.
    result  an expression, asked after `act`.
    rebinds whether `act` assigns to S itself.
    """

    make: str
    act: str
    result: str
    rebinds: bool = False


EFFECTS: dict[str, Effect] = {
    "append": Effect("[0]", "S.append(v)", "len(S)"),
    "pop": Effect("list(range(40))", "S.pop()", "S[-1]"),
    "pop first": Effect("list(range(40))", "S.pop(0)", "S[0]"),
    "item": Effect("[1, 2]", "S[0] = S[0] + v", "S[0]"),
    "item of a symbol": Effect("[1.0, 2.0]", "S[0] = S[0] + x", "S[0]"),
    "extend": Effect("[0]", "S.extend([v, x])", "len(S)"),
    "insert": Effect("[0]", "S.insert(0, v)", "S[0]"),
    "delete": Effect("list(range(40))", "del S[0]", "S[0]"),
    "slice": Effect("[1, 2, 3]", "S[1:] = [v]", "len(S)"),
    "rebind list": Effect("[0]", "S = S + [v]", "len(S)", rebinds=True),
    "augmented list": Effect("[0]", "S += [v]", "len(S)", rebinds=True),
    "counter": Effect("0", "S = S + 1", "S", rebinds=True),
    "total": Effect("0.0", "S += x", "S", rebinds=True),
    "text": Effect("'a'", "S += 'b'", "len(S)", rebinds=True),
    "add": Effect("{0}", "S.add(v + len(S))", "len(S)"),
    "key": Effect("{'a': 1}", "S['a'] = S['a'] + v", "S['a']"),
    "new key": Effect("{0: 1}", "S[len(S)] = v", "len(S)"),
    "attribute": Effect("Thing()", "S.count = S.count + v", "S.count"),
    "list of an object": Effect("Thing()", "S.items.append(x)", "len(S.items)"),
    "array item": Effect("np.zeros(3)", "S[1] = S[1] + v", "S[1]"),
    "array": Effect("np.zeros(3)", "S += x", "S[0]", rebinds=True),
    "array of an object": Effect("Thing()", "S.array += v", "S.array[0]"),
    "deque": Effect("deque([1])", "S.appendleft(v)", "len(S)"),
    "bytes": Effect("bytearray(b'ab')", "S.append(v)", "len(S)"),
}

HOMES: dict[str, tuple[str, str, str]] = {
    "local": ("", "S", "    S = {make}\n"),
    "argument": ("", "o", ""),
    "attribute": ("", "o.s", ""),
    "item": ("", "o[0]", ""),
    "global": ("G = {make}\n", "G", ""),
    "closure": ("", "C", ""),
    "default": ("", "d", ""),
    "class": ("class K:\n    s = {make}\n", "K.s", ""),
}
"""How a home is set up in the module, how S is spelt in `f`, and what `f` begins with."""

CONSTRUCTS: dict[str, str] = {
    "if": """
if x > 1:
    act(1)
""",
    "else": """
if x > 1:
    y = 1
else:
    act(2)
""",
    "elif": """
if x > 4:
    act(1)
elif x > 1:
    act(2)
else:
    y = 3
""",
    "both": """
if x > 1:
    y = act(1)
else:
    y = act(2)
""",
    "test of an if": """
if act(1) > x:
    y = 1
""",
    "ternary": "y = act(1) if x > 1 else 0",
    "and": "y = x > 1 and act(1) > 0",
    "or": "y = x > 1 or act(1) > 0",
    "chain": "y = 1 < x < act(1) + 3",
    "assert": """
if x > 1:
    assert act(1) > -99
""",
    "while": """
n = 0
while n < x:
    act(1)
    n += 1
y = n
""",
    "test of a while": """
n = 0
while n < x and act(1) > -99:
    n += 1
y = n
""",
    "test of a while alone": """
n = 0
while act(1) + n * 99 < x * 99:
    n += 1
y = n
""",
    "while with break": """
n = 0
while True:
    n += 1
    if n > x:
        break
    act(1)
y = n
""",
    "for over an array": """
for e in np.arange(4.0):
    if e > x:
        act(1)
""",
    "for over a range": """
for i in range(int(x)):
    act(1)
""",
    "for with continue": """
for e in np.arange(4.0):
    if e > x:
        continue
    act(1)
""",
    "for with break": """
for e in np.arange(4.0):
    act(1)
    if e > x:
        break
""",
    "for with return": """
for e in np.arange(4.0):
    if e > x:
        return act(1)
    act(2)
""",
    "for else": """
for e in np.arange(3.0):
    if e > x:
        break
else:
    act(1)
""",
    "nested": """
for e in np.arange(3.0):
    for k in range(2):
        if e > x:
            act(k)
""",
    "early return": """
if x > 1:
    return act(1)
act(2)
y = 5
""",
    "comprehension": """
y = [act(1) + e for e in np.arange(x)]
y = len(y)
""",
    "condition of a comprehension": "y = len([e for e in np.arange(3.0) if act(1) > x])",
    "any": "y = any(act(1) > x * 2 + e for e in np.arange(4.0))",
    "all": "y = all(act(1) < x * 2 + e for e in np.arange(4.0))",
    "sum": "y = sum(act(1) * e for e in np.arange(x))",
    "map": "y = sum(map(lambda e: act(1) + e, np.arange(x)))",
    "filter": "y = sum(filter(lambda e: act(1) + e > x, np.arange(3.0)))",
    "key of sorted": "y = sorted([x, 2.0, 3.0], key=lambda e: -e * (act(1) > -99))[0]",
    "key of max": "y = max([x, 2.0, 3.0], key=lambda e: -e * (act(1) > -99))",
    "reduce": "y = reduce(lambda a, e: a + e + act(1), np.arange(x), 0.0)",
    "callee by index": "y = [act, skip][int(x) % 2](1)",
    "callee by key": "y = {0: act, 1: skip}[int(x) % 2](1)",
    "callee by branch": """
g = act if x > 1 else skip
y = g(1)
""",
    "callee by name": "y = getattr(Both(act, skip), 'one' if x > 1 else 'other')(1)",
    "method of one of two": "y = (Acts(act) if x > 1 else Acts(skip)).do(1)",
    "special method": """
if x > 1:
    y = Acts(act) + 1
""",
    "property": """
if x > 1:
    y = Acts(act).value
""",
    "call": """
if x > 1:
    y = Acts(act)(1)
""",
    "item access": """
if x > 1:
    y = Acts(act)[1]
""",
    "with": """
if x > 1:
    with Acts(act):
        y = 3
""",
    "lambda": """
g = lambda: act(1)
if x > 1:
    y = g()
""",
    "partial": """
g = partial(act, 1)
if x > 1:
    y = g()
""",
    "inner function": """
def inner():
    if x > 1:
        return act(1)
    return 0
y = inner()
""",
    "recursion": """
def down(n):
    if n < 1:
        return 0
    act(1)
    return down(n - 1) + 1
y = down(x)
""",
    "generator": """
def items():
    for e in np.arange(3.0):
        act(1)
        yield e
for e in items():
    if e > x:
        break
""",
    "chain of generators": """
def items(n):
    for e in np.arange(n):
        act(1)
        yield e
for e in chain(items(2.0), items(3.0)):
    if e > x:
        break
""",
    "try": """
try:
    if x > 1:
        act(1)
        raise ValueError('no')
    act(2)
except ValueError:
    act(3)
""",
    "finally": """
try:
    if x > 1:
        y = act(1)
finally:
    if x > 3:
        act(2)
""",
    "raise": """
if x > 4:
    act(1)
    raise ValueError('no')
if x > 1:
    act(2)
""",
    "match": """
match int(x) > 1:
    case True:
        y = act(1)
    case _:
        y = 0
""",
    "walrus": """
if x > 1 and (k := act(1)) > 0:
    y = k
""",
    "text": """
if x > 1:
    y = len(f'{act(1)}')
""",
    "enumerate": """
for i, e in enumerate(np.arange(4.0)):
    if e > x:
        act(i)
""",
    "zip": """
for i, e in zip(range(4), np.arange(4.0)):
    if e > x:
        act(i)
""",
    "library calls back": """
if x > 1:
    y = np.vectorize(lambda e: act(1) + e)(np.arange(2.0)).sum()
""",
}
"""How `act` is called: never, once or many times, as `x` decides."""

ALWAYS = frozenset({
    "test of an if", "filter", "condition of a comprehension", "any", "all", "key of sorted",
    "key of max", "chain", "test of a while", "test of a while alone", "while with break",
    "for with break", "generator", "chain of generators", "try", "early return", "for with return"})
"""Constructs that call `act` also under no condition: such a call happens while tracing where it
changes state outside the arguments, unless effects happen at run time."""

TEMPLATE = '''
from collections import deque
from functools import partial, reduce
from itertools import chain

import numpy as np


class Thing:
    def __init__(self):
        self.count, self.items, self.array = 0, [], np.zeros(2)


class Holder:
    def __init__(self, s):
        self.s = s


class Both:
    def __init__(self, one, other):
        self.one, self.other = one, other


class Acts:
    def __init__(self, act):
        self.act = act

    def do(self, v):
        return self.act(v)

    __call__ = __add__ = __getitem__ = do

    @property
    def value(self):
        return self.act(1)

    def __enter__(self):
        return self.act(1)

    def __exit__(self, *error):
        self.act(2)


def skip(v):
    return 0


{module}
def outer():
    {closure}

    def f(x, o{default}):
{begin}        def act(v):
            {declare}
            {act}
            return {result}

        y = 0
{construct}
        return y{more}

    return f, lambda: {kept}


f, kept = outer()
'''


def program(effect_name: str, home_name: str, construct_name: str) -> str | None:
    """The text of a module; None if the three do not go together."""
    effect, (module, spelt, begin) = EFFECTS[effect_name], HOMES[home_name]
    if effect.rebinds and home_name in ("argument", "default") and "array" not in effect_name:
        return None  # a parameter that is rebound is a local variable
    declare = {"local": "nonlocal S", "global": "global G", "closure": "nonlocal C",
               "argument": "nonlocal o", "default": "nonlocal d"}.get(home_name, "")
    act = effect.act.replace("S", spelt)
    lines = CONSTRUCTS[construct_name].strip().splitlines()
    construct = "\n".join(f"        {line}" for line in lines)
    return TEMPLATE.format(
        module=module.format(make=effect.make),
        closure=f"C = {effect.make}" if home_name == "closure" else "",
        default=f", d={effect.make}" if home_name == "default" else "",
        begin="    " + begin.format(make=effect.make) if begin else "",
        declare=declare if effect.rebinds else "pass",
        act=act, result=effect.result.replace("S", spelt), construct=construct,
        more=", S" if home_name == "local" else "",
        kept={"global": "G", "closure": "C", "class": "K.s",
              "default": "f.__defaults__"}.get(home_name, "None"))


def argument(effect_name: str, home_name: str) -> str:
    """The expression for `o`."""
    make = EFFECTS[effect_name].make
    return {"argument": make, "attribute": f"Holder({make})", "item": f"[{make}, 1]"}.get(
        home_name, "0")


def names() -> Iterator[tuple[str, str, str]]:
    """Every effect, home and construct that go together."""
    for effect in EFFECTS:
        for home in HOMES:
            for construct in CONSTRUCTS:
                if program(effect, home, construct) is not None:
                    yield effect, home, construct
