"""The analyses: scopes, flow, liveness and what may be unbound."""

from __future__ import annotations

from typing import Any

import gast
import pytest

from autograph.analysis.cfg import graph_of
from autograph.analysis.completion import Completion, Jump
from autograph.analysis.liveness import live_before, maybe_unbound_at, maybe_unbound_uses, state_of
from autograph.analysis.scopes import scope_of
from autograph.analysis.statements import statements
from tests.support.compiler import parsed


def live_names(source: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The names live into and out of the statements of a function, in order."""
    tree = parsed("def f(a, b, c):\n" + source)
    known = state_of(tree).live_names
    return [(known[s].live_in, known[s].live_out) for s in statements(tree.body) if s in known]


SCOPES: dict[str, tuple[str, set[str]]] = {
    "def f(a):\n    b = lambda c: a + c + d": ("a b", {"a"}),
    "def f(a):\n    b = [c for c in a for d in c if (e := d)]": ("a b e", set()),
    "def f(a):\n    b = (c + e for c in a); e = 1": ("a b e", {"e"}),
    "def f(a):\n    b = [lambda: c + a for c in a]": ("a b", {"a"}),
    "def f(a):\n    global b\n    b = 1\n    def g():\n        nonlocal a\n        a = b":
        ("a g", {"a"}),
    "def f(a):\n    class C:\n        b = a\n        def m(self): return b, a\n    b = 1":
        ("a C b", {"a", "b"}),
    "def f(*a, b=1, **c):\n    import d.e, g as h\n    del i\n    for j, (k, *l) in a: pass":
        ("a b c d h i j k l", set()),
    "def f(a):\n    try: pass\n    except E as b: pass\n    with a as (c, d): pass":
        ("a b c d", set()),
    "def f(a):\n    match a:\n        case [b, *c, {'k': d, **e}]: pass": ("a b c d e", set()),
    "def f(a):\n    match a:\n        case C(k=g) as h: pass": ("a g h", set()),
    "def f(a):\n    b: int\n    a.c: int = 1\n    def g(h=(i := 1)): return b":
        ("a b i g", {"b"}),
}


@pytest.mark.parametrize("source", SCOPES)
def test_scope(source: str) -> None:
    scope = scope_of(parsed(source))
    local, captured = SCOPES[source]
    assert sorted(scope.bits) == sorted(local.split())
    assert scope.captured == captured


@pytest.mark.parametrize("source", SCOPES)
def test_scope_agrees_with_python(source: str) -> None:
    space: dict[str, Any] = {}
    exec(source, space)
    code = space["f"].__code__
    names = [n for n in (*code.co_varnames, *code.co_cellvars) if not n.startswith(".")]
    assert set(scope_of(parsed(source)).bits) <= set(names)
    assert scope_of(parsed(source)).captured <= set(code.co_cellvars)


LIVE_NAMES = {
    "    if a: b = 1\n    return b": [(("b",), ("b",))],
    "    if a: b = 1\n    return a": [((), ())],
    "    if a: b = 1\n    else: b = 2\n    return b": [((), ("b",))],
    "    if a: b += 1\n    else: a = 2\n    return a": [(("a", "b"), ("a",))],
    "    while a: a -= 1; d = a": [(("a",), ("a",))],
    "    while a: a -= 1; d = a\n    return d": [(("a", "d"), ("a", "d"))],
    "    for i in a: b += i\n    return b": [(("b",), ("b",))],
    "    for i in a: pass\n    return i": [(("i",), ("i",))],
    "    for i in a:\n        if i: t = i\n        else: t = 2\n        b = t\n    return b":
        [(("b",), ("b",)), ((), ("t",))],
    "    if a: return b\n    else: return c": [((), ())],
    "    if a: return b": [],
    "    while a:\n        if b: break\n        a = 1": [],
    "    if a: b = currentframe()\n    return b": [],
    "    try:\n        if a: b = 1\n    except E: c = b\n    return c": [((), ())],
    "    try:\n        if a: b = 1\n    finally: c = 1\n    return b": [(("b",), ("b",))],
    "    try:\n        if a: b = 1\n    finally: c = b\n    return b": [((), ())],
    "    with a:\n        if a: b = 1\n    return b": [((), ())],
    "    if a: b = 1\n    return lambda: b": [((), ())],
}


@pytest.mark.parametrize("source", LIVE_NAMES)
def test_live_names(source: str) -> None:
    assert live_names(source) == LIVE_NAMES[source]


MAYBE_UNBOUND = {
    "    if a: d = 1\n    return d": ["d"],
    "    if a: d = 1\n    else: return 2\n    return d": [],
    "    for d in a: pass\n    return d, d": ["d"],
    "    while True:\n        d = 1\n        if a: break\n    return d": [],
    "    try: d = 1\n    except E: return d\n    return d": ["d"],
    "    try: d = 1\n    finally: a(d)": ["d"],
    "    try: pass\n    except E as d: pass\n    return d": ["d"],
    "    with a as d: e = 1\n    return d, e": ["e"],
    "    with a as d, b as e: pass\n    return d, e": ["e"],
    "    with a as (d, e): pass\n    return d, e": ["d", "e"],
    "    del a\n    return a": ["a"],
    "    return (b and (d := 1)) or d": ["d"],
    "    return (b and (d := 1) and d)": [],
    "    return [d for d in a], d": ["d"],
    "    match a:\n        case [d]: pass\n        case _: d = 1\n    return d": [],
    "    match a:\n        case [d]: pass\n    return d": ["d"],
    "    d += 1": ["d"],
    "    try:\n        return 1\n    finally:\n        d = 2\n        a(d)": [],
}


@pytest.mark.parametrize("source", MAYBE_UNBOUND)
def test_names_that_may_be_unbound(source: str) -> None:
    uses = maybe_unbound_uses(parsed("def f(a, b, c):\n" + source + "\n    d = 0"))
    assert sorted(use.id for use in uses) == MAYBE_UNBOUND[source]


def test_every_point_is_reached_backwards() -> None:
    tree = parsed("def f(a):\n    while a:\n        try: a()\n        finally: a = 1\n    return a")
    scope = scope_of(tree)
    graph = graph_of(tree, scope)
    assert live_before(graph)[graph.entry] == 0
    assert maybe_unbound_at(graph, scope)[0] == 0


JUMPS = {
    "while a:\n    break": (Jump.NONE, True),
    "while True:\n    pass": (Jump.NONE, False),
    "while True:\n    if a: break": (Jump.NONE, True),
    "for a in b:\n    return 1": (Jump.RETURN, True),
    "if a:\n    return 1\nelse:\n    raise a": (Jump.RETURN, False),
    "if a:\n    break\nelse:\n    continue": (Jump.BREAK | Jump.CONTINUE, False),
    "try:\n    return 1\nexcept E:\n    pass": (Jump.RETURN, True),
    "try:\n    pass\nfinally:\n    return 1": (Jump.RETURN, False),
    "with a:\n    return 1": (Jump.RETURN, True),
    "match a:\n    case 1: return 1\n    case _: return 2": (Jump.RETURN, False),
    "match a:\n    case 1: return 1": (Jump.RETURN, True),
    "def g():\n    return 1": (Jump.NONE, True),
}


@pytest.mark.parametrize("source", JUMPS)
def test_completion(source: str) -> None:
    statement = gast.parse(source).body[0]
    completion = Completion()
    assert (completion.escapes(statement), completion.falls(statement)) == JUMPS[source]
