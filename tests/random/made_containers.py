"""Containers of classes with an `__init__` or `__new__` of their own, which the function makes, or
is given."""

from itertools import product

CLASSES: dict[str, tuple[str, str]] = {
    "list": ("list", "super().__init__([a, a])"),
    "dict": ("dict", "super().__init__({0: a})"),
    "ordered": ("OrderedDict", "super().__init__([(3, a), (0, 1.5)])"),
    "default": ("defaultdict", "super().__init__(float, {0: a})"),
    "counter": ("Counter", "super().__init__({0: 2})"),
    "set": ("set", "super().__init__([0, 5])"),
    "deque": ("deque", "super().__init__([a], 3)"),
    "tuple": ("tuple", ""),
    "named": ("Pair", ""),
    "str": ("str", ""),
    "float": ("float", ""),
    "frozenset": ("frozenset", ""),
    "date": ("date", ""),
}
"""A class -> its base, and how its `__init__` fills it; those without have a `__new__`."""

NEW: dict[str, str] = {
    "tuple": "super().__new__(cls, (a, b))", "named": "super().__new__(cls, a, b)",
    "str": "super().__new__(cls, 'text')", "float": "super().__new__(cls, 2.5)",
    "frozenset": "super().__new__(cls, (0, 5))", "date": "super().__new__(cls, 2024, 2, 29)"}

METHODS: dict[str, str] = {
    "none": "",
    "counted": """
    def put(self, v):
        self.n += 1
        put(self, v)""",
    "declared": """
    __slots__ = ()""",
    "replaced": """
    def append(self, v): raise RuntimeError("append")
    def update(self, *v): raise RuntimeError("update")
    def __setitem__(self, k, v): raise RuntimeError("set")""",
}

USES: dict[str, str] = {
    "returned": "    return c",
    "changed": """    put(c, b)
    return c, len(c)""",
    "branch": """    if a > 1:
        put(c, 1)
    return c, len(c)""",
    "chosen": """    d = K(b, a) if a > 1 else c
    return d, d is c""",
    "loop": """    k = b
    while k > 0:
        put(c, k)
        k = k - 1
    return c""",
    "many": """    found = []
    for i in range(3):
        e = K(a + i, b)
        put(e, i)
        found.append(e)
    return found, found[0] is found[1]""",
    "inside": """    box = {'c': c, 'd': [c, a]}
    if b > 0: put(box['c'], a)
    return box, box['c'] is box['d'][0]""",
    "kept": """    if b > -9: KEPT.append(c)
    if a > 1: put(c, 1)
    return len(c)""",
    "given": """    o.append(c)
    put(c, a)
    return c is o[-1]""",
    "caught": """    try:
        if a > 1: raise ValueError(c)
    except ValueError as e: return e.args[0] is c, c
    return None""",
    "attribute": """    try: c.extra = a
    except AttributeError as e: return str(e)
    if b > 0: c.extra = c.extra + 1
    return c.extra, c""",
    "read": """    return [x for x in c], bool(c), c == K(a, b)""",
}

TEXT = """
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from datetime import date
KEPT = []
Pair = namedtuple("Pair", "x y")

class K(BASE):
MAKINGMETHODS

def put(c, v):
    if isinstance(c, list): list.append(c, v)
    elif isinstance(c, deque): deque.append(c, v)
    elif isinstance(c, set): set.add(c, 7)
    elif isinstance(c, OrderedDict): OrderedDict.__setitem__(c, 1, v)
    elif isinstance(c, dict): dict.__setitem__(c, 1, v)

def make():
    return ([],)

def kept():
    return KEPT

def f(a, b, o):
    c = K(a, b)
USE
"""

HOMES: dict[str, tuple[tuple[str, str], ...]] = {
    "made": (),
    "argument": (("return ([],)", "return ([K(0.5, 3)],)"), ("c = K(a, b)", "c = o[0]")),
    "outside": (("def make", "G = [K(0.5, 3)]\n\ndef make"), ("c = K(a, b)", "c = G[0]"),
                ("return KEPT", "return KEPT, G")),
    "attribute": (("return ([],)", "o = O()\n    o.c = K(0.5, 3)\n    return (o,)"),
                  ("def make", "class O(list): pass\n\ndef make"), ("c = K(a, b)", "c = o.c")),
}
"""Where the container comes from: what another place changes in the program that makes it."""

ASKED = ("ordered", "counter")
"""Of these, Python's own `__init__` calls the methods that are replaced."""

PROGRAMS = [
    (kind, method, use, home) for kind, method, use, home in product(CLASSES, METHODS, USES, HOMES)
    if (method != "declared" or kind in ("tuple", "named", "str", "float"))
    and not (method == "replaced" and kind in ASKED)]
"""All; but an immutable container without attributes is a value: which one it is, is not told."""


def source(kind: str, method: str, use: str, home: str) -> str:
    """Returns a program that makes an object of such a class, or is given it, and uses it."""
    base, fills = CLASSES[kind]
    attribute = "" if method == "declared" or kind in ("tuple", "named") else "made.n = a\n        "
    making = (f"    def __init__(self, a, b):\n        {fills}\n        self.n = a" if fills else
              f"    def __new__(cls, a, b):\n        made = {NEW[kind]}\n        "
              f"{attribute}return made")
    text = (TEXT.replace("MAKING", making).replace("METHODS", METHODS[method])
            .replace("BASE", base).replace("USE", USES[use]))
    for here, there in HOMES[home]:
        text = text.replace(here, there)
    return text
