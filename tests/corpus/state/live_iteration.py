"""Loops whose bodies change what they iterate over: heads of loops x changes x homes of the list.

Python's iterators are live: a loop sees what its body changes in the list that it reads.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.corpus.state.small_programs import Small

HEADS = {
    "for": "for u in a:",
    "enumerate": "for i, u in enumerate(a):",
    "zip": "for u, w in zip(a, range(50)):",
    "zip of it": "for w, u in zip(range(50), a):",
    "reversed": "for u in reversed(a):",
    "iterator": "for u in iter(a):",
    "map": "for u in map(lambda q: q + 1, a):",
    "filter": "for u in filter(lambda q: q > 0, a):",
    "chain": "for u in itertools.chain(a, [1.0]):",
    "generator": "for u in (q + 1 for q in a):",
}

CHANGES = {
    "append": "if len(a) < 12: a.append(u)",
    "append sometimes": "if u < x and len(a) < 12: a.append(u + 1)",
    "item": "a[-1] = u + 1",
    "item sometimes": "if u < x: a[-1] = x",
    "pop": "if u < x and len(a) > 2: a.pop()",
    "insert": "if u > x and len(a) < 9: a.insert(0, u)",
    "rebind": "a = a + [u]",
    "delete": "if u == x: del a[0]",
    "break": "a.append(u)\n        if len(a) > 8 or u > x + 3: break",
}

HOMES = {
    "local": ("    a = [1.0, 2.0, 3.0]\n", "", ""),
    "of symbolic length": ("    a = [1.0] * (int(x) + 2)\n", "", ""),
    "comprehension": ("    a = [x + k for k in range(int(x) + 2)]\n", "", ""),
    "argument": ("", ", a", "def make(): return ([1.0, 2.0, 3.0],)\n"),
    "global": ("    a = G\n", "", "G = [1.0, 2.0, 3.0]\ndef kept(): return G\n"),
}
"""What a function begins with, its second parameter, and what the module holds."""

UNCONDITIONAL = frozenset({"append", "item"})
"""Changes that happen while tracing where the list is outside the arguments."""


def programs() -> Iterator[Small]:
    for head_name, head in HEADS.items():
        for change_name, change in CHANGES.items():
            for home_name, (begin, parameter, module) in HOMES.items():
                text = (f"{module}def f(x{parameter}):\n{begin}    t = 0\n    {head}\n"
                        f"        {change}\n        t += u\n"
                        "    return t, len(a), a[-1] if a else 0\n")
                outside = home_name == "global" and change_name in UNCONDITIONAL
                yield Small(f"{head_name}, {change_name}, {home_name}", text,
                            "while tracing" if outside else "")
