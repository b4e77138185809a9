"""Items and slices of a container that the run chooses: the caller's own objects, not copies."""

import itertools
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.verdict import load

CHOICES = {
    "index": "held[int(a) % 2]",
    "ternary": "held[0] if a > 2 else held[1]",
    "key": "{0: held[0], 1: held[1]}[int(a) % 2]",
    "called": "chosen(held, a)",
}
READS = {
    "slice": "v[:int(a)]",
    "slice from the end": "v[-int(a) - 1:]",
    "step": "v[::int(a) + 1]",
    "known slice": "v[:2]",
    "item": "v[int(a) % len(v)]",
    "item from the end": "v[-1 - int(a) % len(v)]",
    "item of a slice": "v[:int(a) + 1][0]",
    "items": "[*v], list(v), tuple(v)",
    "sum": "v + v[:int(a)]",
    "times": "v * 2",
    "after a change": "grown(v, v[int(a) % len(v)])[:int(a) + 2]",
}
OTHERS: dict[str, Callable[[], Any]] = {
    "alone": lambda: None, "deque": lambda: deque([1]), "list": lambda: [[1]],
    "dict": lambda: {1: []}}
PROGRAM = """
def chosen(held, a):
    if a > 1:
        return held[1]
    return held[0]

def grown(v, w):
    v.append(w)
    return v

def f(a, held, other):
    v = {choice}
    return ({read}),
"""


def outcome(f: Callable[..., Any], a: float, other: Any) -> str:
    """Returns what a call gives and leaves, with a name for each object that the caller has."""
    e, g = [7], [8]
    held = ([e, g, [9]], [g, e])
    known = {id(x): name for x, name in zip((e, g, *held, other), "eghko", strict=True)}

    def text(x: Any) -> str:
        if id(x) in known:
            return known[id(x)]
        return f"{type(x).__name__}({', '.join(map(text, x))})" if (
            isinstance(x, (list, tuple))) else repr(x)

    try:
        made = text(f(np.float64(a), held, other))
    except IndexError as error:
        made = repr(error)
    del known[id(held[0])], known[id(held[1])]
    return f"{made} {text(held)}"


@pytest.mark.parametrize(("choice", "read", "other"), [
    (choice, read, other) for choice, read, other in itertools.product(CHOICES, READS, OTHERS)
    if (choice, read) != ("index", "items")])  # a selected object is not iterated: it is refused
def test_as_plain_python(choice: str, read: str, other: str) -> None:
    name = f"<one by {choice}, {read}>"
    f = load(PROGRAM.format(choice=CHOICES[choice], read=READS[read]), name)["f"]
    staged = ag.function(f)
    for a in (0.0, 1.0, 3.0, 2.0):
        assert outcome(f, a, OTHERS[other]()) == outcome(staged, a, OTHERS[other]())
