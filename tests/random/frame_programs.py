"""Random functions that fail in a function they call: what the frames of the error hold."""

from __future__ import annotations

import random

NAMES = "abcd"
HEAD = """import numpy as np

def helper(a, d):
    t = a + 1
    s = t - d
    return s

def pair(x, k):
    return x * 2, k
"""
SIMPLE = ["{0} = {1} + {2}", "{0} = helper({1}, {2})", "{0}, {1} = {1}, {0}", "{0} = {1}",
          "{0} += {n}", "n = {n}", "{0} = {1} = {2} * 2", "box = [{0}, {1}]; {2} = box[0]",
          "({0} := {1} - 1)", "{0} = {1} if {2}.sum() > {n} else {1} + 1", "n = n + 1",
          "{0}, n = pair({1}, n)", "{0} = np.sin({1}) + n", "word = 'w{n}'", "{0}[1] = {n}"]
COMPOUND = ["if {0}.sum() > {n}:", "for i in range({n}):", "k = 0\nwhile k < 3 and {0}.sum() < 50:"]


def program(seed: int) -> str:
    """Returns the source of a function f(a, b, n) that raises IndexError."""
    r = random.Random(seed)
    last = ["return inner(a, d, n) + c", "return inner(b, c, 7)", failing(r)]
    return "\n".join([HEAD, *function(r, "inner", failing(r)), "",
                      *function(r, "f", r.choice(last)), ""])


def failing(r: random.Random) -> str:
    return f"return {r.choice(NAMES)}[{r.choice(NAMES)}.argmax() + 70000]"


def function(r: random.Random, name: str, last: str) -> list[str]:
    body = ["c = a * 1.0", "d = b - 1", *block(r, 2, r.randint(2, 6)), last]
    return [f"def {name}(a, b, n):", *indented(body)]


def block(r: random.Random, depth: int, count: int) -> list[str]:
    return [line for _ in range(count) for line in statement(r, depth)]


def statement(r: random.Random, depth: int) -> list[str]:
    """Returns the lines of a statement; every fourth is a compound one."""
    is_compound = depth and r.random() < 0.25
    text = r.choice(COMPOUND if is_compound else SIMPLE)
    lines = text.format(*r.sample(NAMES, 3), n=r.randint(1, 9)).split("\n")
    if not is_compound:
        return lines
    begin = ["k += 1"] if "while" in text else []
    lines += indented([*begin, *block(r, depth - 1, r.randint(1, 3))])
    return [*lines, "else:", *indented(block(r, depth - 1, 1))] if text.startswith("if") else lines


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
