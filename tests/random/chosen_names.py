"""Attributes whose names only the run knows: each class, each use, each place of the object."""

from itertools import product

CLASSES = ("Plain", "Property", "Lacking", "Set", "Missing", "Slots")
SIZES = (2, 19)
"""How many attributes objects have: a branch for each, or too many for that."""

USES: dict[str, str] = {
    "set": "setattr(o, name, a)",
    "set new": "setattr(o, name + 'x', a)",
    "loop": "for n in ('nA', 'nB', 'nZ')[:int(a)]: setattr(o, n + '2', a)",
    "get": "r.append(getattr(o, name))",
    "get with a default": "r.append(getattr(o, name + 'q', 'no'))",
    "has": "r.append(hasattr(o, name))",
    "set and get": "setattr(o, name, a)\nr.append(o.nA)\no.nA = 5\nr.append(getattr(o, name))",
    "delete": "delattr(o, name)\nr.append(hasattr(o, 'nA'))",
    "branch": "if a > 1: setattr(o, name, [a])\nr.append(getattr(o, 'nB'))",
    "append": "getattr(o, 'nB' if a < 9 else 'nA').append(a)\nr.append(o.nB)",
    "alias": "p = o\nsetattr(p, name, a)\nr.append((o.nA, p is o, type(o).__name__))",
    "handler": "try:\n    setattr(o, name, a)\n    if a > 1: raise ValueError(1)\n"
               "except ValueError as e:\n    r.append(e.args)\nr.append(o.nA)",
    "missing": "r.append(getattr(o, name + 'zz'))",
    "there, then not": "r.append(getattr(o, name + 'q', 'no'))\nsetattr(o, name + 'q', a)\n"
                       "r.append(getattr(o, name + 'q', 'no'))\nr.append(hasattr(o, name + 'q'))\n"
                       "delattr(o, name + 'q')\nr.append(hasattr(o, name + 'q'))",
    "returned": "setattr(o, name, a)\nr = o",
}
HOMES = {"argument": "", "global": "o = G", "local": "o = {cls}({size})"}

TEXT = """
NAMES = "ABCDEFGHIJKLMNOPQRS"

class Plain:
    def __init__(self, size):
        for n in NAMES[:size]: setattr(self, "n" + n, 1.0)
        self.nB = [1]

class Property(Plain):
    def __init__(self, size):
        self.log = []
        super().__init__(size)
    @property
    def nA(self): return self.log[-1] if self.log else 0
    @nA.setter
    def nA(self, v): self.log.append(v)

class Lacking(Plain):
    def __init__(self, size):
        self.nC = 1.0
        super().__init__(size)
    @property
    def nA(self):
        if self.nC > 1: raise AttributeError("nA")
        return 7
    @nA.setter
    def nA(self, v): self.nC = v

class Set(Plain):
    def __setattr__(self, k, v):
        self.__dict__[k] = v
        self.__dict__.setdefault("log", []).append(k)

class Missing(Plain):
    def __getattr__(self, k):
        if k.startswith("__"): raise AttributeError(k)
        return k + "!"

class Slots:
    __slots__ = (*("n" + n for n in NAMES), "nZ")
    __init__ = Plain.__init__

G = {cls}({size})
CALLS = ((0.0, 3), (2.0, 1), (1.0, 2), (3.0, 0))

def make():
    return {cls}({size}),

def kept():
    return G

def f(a, b, o):
    r = []
    {home}
    name = "nA" if a > 1 else ("nB" if a > 0 else "nZ")
    {use}
    return r
"""

PROGRAMS = list(product(CLASSES, SIZES, USES, HOMES))


def source(cls: str, size: int, use: str, home: str) -> str:
    """A module with `f(a, b, o)`, what makes its arguments, and what it keeps."""
    return TEXT.replace("{use}", USES[use].replace("\n", "\n    ")).replace(
        "{home}", HOMES[home]).replace("{cls}", cls).replace("{size}", str(size))
