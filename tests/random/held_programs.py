"""Makes random programs on what containers hold: lists, tuples, dicts and deques that are added,
repeated, sliced, merged, copied and sorted, where the run chooses which; the objects in them are
the caller's, and have to be the same ones afterwards.

A program chooses two or three containers, makes others of them, changes one of the objects in
them, and returns what it made.
"""

from __future__ import annotations

import re
from random import Random

PRELUDE = '''
import copy, itertools, operator
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from functools import reduce
import numpy as np

CALLS = ((0.0, 3), (2.0, -1), (5.0, 2), (1.0, 4))
Pair = namedtuple("Pair", "one two")

class Node:
    def __init__(self, v):
        self.v, self.next = v, None

@dataclass
class Data:
    v: float
    items: list = field(default_factory=list)

def chosen(one, other, n):
    if n > 1:
        return one
    return other

def grown(v, item):
    return v + [item]

def both(*args, **kwargs):
    return [*args, *kwargs.values()]
'''

HELD = {
    "[7]": "E[0] = a", "Node(3)": "E.v = a", "Data(1.0)": "E.items.append(a)",
    "{'w': 1}": "E['w'] = a", "{4, 5}": "E.add(int(b))", "deque([2, 1])": "E.append(a)",
    "np.array([1.0, 2.0])": "E[0] += a", "([5], 1)": "E[0].append(a)",
    "bytearray(b'ab')": "E[0] = 99",
}
"""What makes an object that containers hold, and what changes it."""

LISTS = (
    "l[int(a) % 2]", "(l[0] if a > 1 else l[1])", "chosen(l[1], m, a)", "D[int(a) % 2]",
    "D.get(int(b), m)", "T[int(a) % 2]", "(m or l[0])", "o.next[int(a) % 2]", "[m, *l][int(a) % 3]",
    "max(l, key=len)", "next(v for v in l if len(v) > int(a) % 2)", "m", "l[0]",
    "l[-1]", "{True: m, False: l[0]}[bool(a > 1)]", "getattr(o, 'next' if a > 9 else 'v')")
"""Lists of the objects."""

NEW_LISTS = (
    "P + [E]", "[E] + P", "P + Q", "P * 2", "2 * P", "P[:]", "P[:int(a)]", "P[::-1]", "[*P, E]",
    "[E, *P, *Q]", "P.copy()", "list(P)", "[v for v in P]", "[E for _ in P]", "copy.copy(P)",
    "[v for v in (*P, E) if a > 1]", "sorted([*P, E], key=lambda v: a)",
    "list(reversed(P))", "list(itertools.chain(P, [E]))", "sum([P, [E]], [])", "grown(P, E)",
    "reduce(lambda u, v: u + [v], P, [E])", "list(map(lambda v: E if a > 1 else v, P))",
    "list(filter(lambda v: isinstance(v, list), P))", "list(zip(P, [E, F]))",
    "list(enumerate([E, *P]))",
    "[[E], P]", "[(E, v) for v in P]", "operator.add(P, [E])", "list((*P, E))", "both(E, *P, k=F)",
    "[E, F][:int(a) % 3]", "[E, F] * int(b)", "P + [E if a > 1 else F]", "P + [[E, F][int(a) % 2]]",
    "P + [(E, F)]", "P + [[E]]", "P + list(D.values())",
    "P.__add__([E])", "[x for v in (P, [E]) for x in v]",
    "list({id(v): v for v in [*P, E]}.values())",
    "[E] * (int(a) % 3)", "[*Q[:1], *(v for v in P)]", "[P, [E, F]][int(a) % 2]")

CHANGED = (
    "P.append(E)", "P.extend([E, F])", "P += [E]", "P[:1] = [E]", "P[len(P):] = [E, F]",
    "P.insert(0, E)", "if a > 1: P.append(E)", "P[int(a) % max(len(P), 1):] = [E]",
    "if a > 1: P[:0] = [E]", "for _ in range(int(a)): P.append(E)", "P.extend(Q[:2])",
    "if P: P[0] = E", "if P: P[-1], P[0] = P[0], P[-1]", "P.extend(v for v in [E])",
    "for v in list(Q): P.append(v)", "P.extend(map(lambda v: v, [E]))", "P += (E, F)")
"""What changes a list."""

OTHERS = (
    "tuple(P) + (E,)", "(E,) + tuple(P)", "(*P, E)", "(E, F) * int(b)", "(E, F)[:int(a)]",
    "{'p': P, 'e': E}", "dict(p=P, e=E)", "{**D, 'e': E}", "D | {'e': E}", "{'e': E} | D",
    "dict(D, e=E)", "dict(zip('ef', [E, F]))", "dict([('e', E)])", "{k: E for k in D}",
    "{k: (E if a > 1 else v) for k, v in D.items()}", "D.copy()", "dict(D)", "dict(D.items())",
    "deque(P)", "deque([E, *P], maxlen=2)", "deque([E]) + deque(P)", "Pair(E, P)", "Pair(P, E)[1:]",
    "Pair(E, F)._replace(one=P)", "Pair(E, F)[int(a) % 2]", "OrderedDict(e=E, p=P)",
    "defaultdict(list, {'e': E})", "ChainMap({'e': E}, D)", "Node(E)", "Data(E, P)",
    "[D, {'e': E}][int(a) % 2]", "{'e': [E], **D}", "(T, E)", "T + (E,)", "T[:1] + (P, E)",
    "(P + [E], E)", "{int(a): E, 9: F}", "{int(a): [E]}", "{0: E, 1: F}[int(a) % 2]",
    "dict.fromkeys('xy', E)", "tuple(v for v in (E, *P))",
    "iter([E, F])", "list(D.items())", "(lambda v=E: [v, E])()", "[(E, F), (F, E)][int(a) % 2]",
    "(E if a > 1 else F, P)", "copy.copy(T)", "copy.copy(D)", "slice(0, 1) and [E]")
"""What makes something else."""


class HeldProgram:
    """One random program; every choice comes from `random`."""

    def __init__(self, random: Random, free: bool = False) -> None:
        self.random, self.free = random, free
        self.held = self.pick(*HELD), self.pick(*HELD)
        self.names = ["m", "l[0]"]

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def source(self) -> str:
        """A module with `f(a, b, l, m, D, T, o, e, g)`, `make()` for the arguments, and `kept()`.
        """
        lines, made = [], []
        for number in range(self.random.choice((1, 2, 2, 3))):
            name = f"v{number}"
            lines.append(f"{name} = {self.filled(self.pick(*LISTS))}")
            self.names.append(name)
            for _ in range(self.random.choice((0, 1, 1, 2))):
                lines += self.step(f"w{len(made)}", made)
        if not made:
            lines += self.step("w0", made, others=True)
        if self.random.random() < 0.4:
            side = self.random.randrange(2)
            lines.append(HELD[self.held[side]].replace("E", "eg"[side]))
        e, g = self.held
        body = "\n".join("    " + x for x in lines)
        return f'''{PRELUDE}
def f(a, b, l, m, D, T, o, e, g):
{body}
    return {", ".join(made) or "None"},

def make():
    e, g = {e}, {g}
    u, w = [{self.pick("e", "g", "1")}], [2, {self.pick("e", "g", "3")}]
    m = {self.pick("[g]", "[]", "[e, g]", "u")}
    o = Node([m, w])
    o.next = [u, m]
    return [u, w], m, {{0: u, 1: w}}, (w, {self.pick("u", "m", "[e]")}), o, e, g

def kept():
    return None
'''

    def step(self, name: str, made: list[str], others: bool = False) -> list[str]:
        kind = self.random.random()
        if kind < 0.25 and not others:
            return [self.filled(self.pick(*CHANGED))]
        text = self.filled(self.pick(*(OTHERS if others or kind > 0.65 else NEW_LISTS)))
        made.append(name)
        if self.random.random() < 0.2:
            return [f"{name} = None", f"if a {self.pick('>', '<')} 1: {name} = {text}"]
        if self.random.random() < 0.1:
            return [f"{name} = []", f"for k in range(int(a)): {name} = {name} + [{text}]"]
        return [f"{name} = {text}"]

    def filled(self, text: str) -> str:
        """A template's text, with containers and objects in place of its letters."""
        words = {"P": self.pick(*self.names, self.names[-1]), "Q": self.pick(*self.names),
                 "E": self.pick("e", "g", "o"), "F": self.pick("e", "g", "m")}
        return re.sub(r"\b[PQEF]\b", lambda found: words[found.group()], text)
