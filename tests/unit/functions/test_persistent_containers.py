"""Containers, objects and arrays wherever a program keeps them: every call finds what the one
before, and the caller, left there."""

import linecache
import textwrap
from collections import Counter, OrderedDict, defaultdict, deque  # noqa: F401
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Thing:
    def __init__(self, v: Any, w: Any) -> None:
        self.v, self.w = v, w


@dataclass
class Data:
    v: Any
    w: Any


def new_class() -> type:
    return type("Settings", (), {"v": np.float64(1.5), "w": np.float64(2.5)})


LIST = """
    C[0] = C[0] + x
    C[1] = x
    C[i] = C[i] * x
    C.append(x)
    if x > 1: C.append(x)
    y = C.pop(); C.append(y + x)
    for k in range(int(i)): C.append(x + k)
    for v in np.array([x, x + 1]): C[0] = C[0] + v
    C.clear(); C.append(x)
    while len(C) > i + 1: C.pop()
    REBIND = type(C)([x, C[0]])
"""
DICT = """
    C["a"] = C["a"] + x
    C["b"] = x
    C["n"] = x
    C[i] = x
    if x > 1: C["n"] = x
    x = x if i in C else C.setdefault(i, x)
    for k in np.arange(3): C["a"] += x * k
    C[i] = C.get(i, 0.0) + x
    C["a"] = x; C.pop("b", None)
    C.update(b=x)
    C.clear(); C["a"] = x
    REBIND = type(C)(C, a=x)
"""
COUNTING = """
    C["m"] += i
    C[i] += 1
"""
SET = """
    C.add(i)
    x = x + (i in C); C.add(i)
    C.discard(i)
    C.add(i); x = x + len(C)
    C.add(3); C.add(i)
    REBIND = C | {i}
"""
OBJECT = """
    C.v = C.v + x
    C.v = x; C.w = C.v
    if x > 1: C.v = C.v * x
    for k in np.arange(3): C.v += x * k
"""
NEW_NAMES = """
    C.n = x
    C.w = x; del C.w
    REBIND = type(C)(x, C.v)
"""

# name: how it is made, what the function does to it, what the caller does to it between calls
FORMS = {
    "list": ("[f8(1.5), f8(2.5)]", LIST, "C[0] = f8(9.0)"),
    "list that the caller extends": ("[f8(1.5), f8(2.5)]", LIST, "C.append(f8(9.0))"),
    "deque": ("deque([f8(1.5), f8(2.5)])", LIST.replace("type(C)", "deque"), "C[0] = f8(9.0)"),
    "deque of a length": ("deque([f8(1.5), f8(2.5)], maxlen=3)", """
        C.append(x)
        C.appendleft(C[i])
        C.rotate(i); C[0] = x
    """, "C.append(f8(9.0))"),
    "dict": ("{'a': f8(1.5), 'b': f8(2.5)}", DICT, "C['a'] = f8(9.0)"),
    "dict with a new key": ("{'a': f8(1.5), 'b': f8(2.5)}", DICT, "C['z'] = f8(9.0)"),
    "empty dict": ("{}", """
        C[i] = x
        C["n"] = x
        x = x if i in C else C.setdefault(i, x)
    """, "C[np.int64(1)] = f8(9.0)"),
    "defaultdict": ("defaultdict(float, a=f8(1.5), b=f8(2.5))", DICT.replace(
        "type(C)(C", "defaultdict(float, C") + COUNTING, "C['a'] = f8(9.0)"),
    "OrderedDict": ("OrderedDict(a=f8(1.5), b=f8(2.5))", DICT + """
    C["a"] = x; C.move_to_end("a")
    """, "C['a'] = f8(9.0)"),
    "Counter": ("Counter(a=3, b=4)", COUNTING + """
    C.update({"a": i})
    REBIND = Counter(a=i)
    """, "C['a'] = 9"),
    "set": ("{7, 8}", SET, "C.add(9)"),
    "object": ("Thing(f8(1.5), f8(2.5))", OBJECT + NEW_NAMES, "C.v = f8(9.0)"),
    "dataclass": ("Data(f8(1.5), f8(2.5))", OBJECT, "C.v = f8(9.0)"),
    "class": ("new_class()", OBJECT, "C.v = f8(9.0)"),
    "array": ("np.array([1.5, 2.5])", """
        C[0] = C[0] + x
        C[i] = x
        C += x
        if x > 1: C *= x
        C.fill(x)
        REBIND = C + x
    """, "C[0] = 9.0"),
    "list of arrays": ("[np.array([1.5, 2.5]), np.array([3.5, 4.5])]", """
        C[0][1] = x
        C[0][i] = x
        C[i][0] = x
        C.append(np.array([x, x]))
        C[1] = C[0] + x
    """, "C[0][0] = 9.0"),
    "list of lists": ("[[f8(1.5)], [f8(2.5), f8(3.5)]]", """
        C[0].append(x)
        C[i].append(x)
        C[0][0] = x
        C.append([x])
        REBIND = [[x]] + C[:1]
    """, "C[0].append(f8(9.0))"),
    "dict of lists": ("{'a': [f8(1.5)]}", """
        C["a"].append(x)
        C.setdefault(i, []).append(x)
        C["a"][0] = x
    """, "C['a'].append(f8(9.0))"),
    "list of deques": ("[deque([f8(1.5)]), deque()]", """
        C[0].append(x)
        C[i].append(x)
        C[0][0] = x
    """, "C[0].append(f8(9.0))"),
}

# name: the program, with C for where it is kept; how its parts are found
PLACES = {
    "default": ("C", """
        def f(x, i, C=kept):
            DO
            return x
    """),
    "global": ("shelf", """
        shelf = kept
        def f(x, i):
            global shelf
            DO
            return x
    """),
    "closure": ("C", """
        def outer(C):
            def f(x, i):
                nonlocal C
                DO
                return x
            return f
        f = outer(kept)
    """),
    "attribute": ("self.shelf", """
        class Owner:
            def f(self, x, i):
                DO
                return x
        owner = Owner()
        owner.shelf = kept
        f = owner.f
    """),
    "module": ("module.shelf", """
        module.shelf = kept
        def f(x, i):
            DO
            return x
    """),
    "item of a list": ("shelves[1]", """
        shelves = [0.0, kept]
        def f(x, i):
            DO
            return x
    """),
}
FOUND = {
    "global": lambda scope: scope["shelf"],
    "closure": lambda scope: scope["f"].__closure__[0].cell_contents,
    "attribute": lambda scope: scope["owner"].shelf,
    "module": lambda scope: scope["module"].shelf,
    "item of a list": lambda scope: scope["shelves"][1],
}
CALLS = [(0.5, 1), (2.0, 0), (3.0, 1), (1.25, 0)]


def programs() -> list[Any]:
    return [pytest.param(form, do.strip(), place, id=f"{form}, {place}: {do.strip()}")
            for form, (_, dos, _) in FORMS.items() for do in dos.strip().splitlines()
            for place in PLACES if not ("REBIND" in do and place == "default")]


def outcomes(form: str, do: str, place: str, convert: Any) -> list[str]:
    """What four calls give and leave; before the third, the caller changes what is kept."""
    make, _, change = FORMS[form]
    expression, text = PLACES[place]
    source = textwrap.dedent(text).replace("DO", do.replace("REBIND", "C"))
    for mark in ("C.", "C[", "C ", "C)", "C,", "C:"):
        if expression != "C":
            source = source.replace(mark, expression + mark[1:])
    filename = f"<{form}, {place}: {do}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    scope = {**globals(), "f8": np.float64, "module": ModuleType("module")}
    kept = scope["kept"] = eval(make, scope)
    exec(compile(source, filename, "exec"), scope)
    f, found = convert(scope["f"]), []
    for number, (x, i) in enumerate(CALLS):
        now = FOUND[place](scope) if place in FOUND else kept
        if number == 2:
            exec(change, scope, {"C": now})
        try:
            result = repr(f(np.float64(x), np.int64(i)))
        except (IndexError, KeyError, AttributeError) as error:
            result = repr(error)
        now = FOUND[place](scope) if place in FOUND else kept
        found.append(f"{result}; left {described(now)}")
    return found


def described(x: Any) -> str:
    if isinstance(x, dict):
        return f"{type(x).__name__} {[(repr(k), described(v)) for k, v in x.items()]}"
    if isinstance(x, list | deque):
        return f"{type(x).__name__} {list(map(described, x))}"
    if isinstance(x, set):
        return f"set {sorted(map(described, x))}"
    names = [n for n in vars(x) if not n.startswith("_")] if hasattr(x, "__dict__") else ()
    return f"{[(n, described(getattr(x, n))) for n in names]}" if names else repr(x)


@pytest.mark.parametrize(("form", "do", "place"), programs())
def test_like_plain(form: str, do: str, place: str) -> None:
    assert outcomes(form, do, place, ag.function) == outcomes(form, do, place, lambda f: f)


SHELF: list[Any] = [0.0, 1.0]
NAMED: dict[str, Any] = {"a": 0.0}


def written_as_argument(shelf: list[Any], named: dict[str, Any], x: Any) -> Any:
    shelf[0] = x
    named["b"] = x + 1
    return SHELF[0], NAMED["b"]


def written_as_global(shelf: list[Any], named: dict[str, Any], x: Any) -> Any:
    SHELF[1] = x
    NAMED["a"] = x + 1
    return shelf[1], named["a"]


def grown_by_both(shelf: list[Any], named: dict[str, Any], x: Any) -> Any:
    SHELF.append(x)
    shelf.append(x + 1)
    return len(shelf), SHELF[-1]


@pytest.mark.parametrize("function", [written_as_argument, written_as_global, grown_by_both])
def test_an_argument_that_is_also_a_global(function: Any) -> None:
    found = []
    for f in (function, ag.function(function)):
        SHELF[:] = [0.0, 1.0]
        NAMED.clear()
        NAMED["a"] = 0.0
        results = [f(SHELF, NAMED, np.float64(x)) for x in (2, 3, 4)]
        found.append(repr((results, SHELF, NAMED)))
    assert found[0] == found[1]
