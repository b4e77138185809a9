"""What a function does to Python's objects, by constants too: with `effects="runtime"` it happens
at every call, wherever the object is kept."""

import linecache
import textwrap
from array import array
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.unit.functions.test_persistent_containers import Thing, described, new_class  # noqa: F401


class Slotted:
    __slots__ = ("__weakref__", "n", "v")

    def __init__(self, v: Any) -> None:
        self.v = v


@dataclass
class Data:
    v: Any


@dataclass
class Derived:
    v: Any

    def __post_init__(self) -> None:
        self.n = self.v


Pair = namedtuple("Pair", "v w")

ITEMS = """
    C[0] = 5
    C[0] = C[0] + 1
    C[1] = int(i)
    if i > 0: C[0] = 7
"""
GROWING = """
    C.append(5)
    C.append(int(i))
    C.extend([1, 2])
    C.pop()
    del C[0]
    REBIND = C[:1]
"""
KEYS = """
    C["a"] = 5
    C["a"] = C["a"] + 1
    C["a"] += i
    C["n"] = 5
    C["n"] = i
    C.pop("n", None)
    C.pop("a", None)
    if i > 0: C["a"] = 7
    C.clear()
    REBIND = type(C)(C)
"""
ATTRIBUTES = """
    C.v = 5
    C.v = C.v + 1
    C.v = C.v + i
    C.n = 5
    C.n = i
    if hasattr(C, "n"): del C.n
    if i > 0: C.v = 7
"""

# name: how it is made, what the function does, what the caller does between the calls
FORMS = {
    "bytearray": ("bytearray(b'ab')", ITEMS + GROWING, "C[0] = 9"),
    "array.array": ("array('d', [1, 2])", ITEMS + GROWING, "C[0] = 9"),
    "memoryview": ("memoryview(bytearray(b'ab'))", ITEMS, "C[0] = 9"),
    "list": ("[1, 2]", ITEMS + GROWING, "C[0] = 9"),
    "deque": ("deque([1, 2])", ITEMS + """
        C.append(5)
        C.append(int(i))
        C.popleft()
    """, "C[0] = 9"),
    "dict": ("{'a': 1}", KEYS, "C['a'] = 9"),
    "OrderedDict": ("OrderedDict(a=1)", KEYS, "C['a'] = 9"),
    "defaultdict": ("defaultdict(int, a=1)", KEYS.replace("type(C)(C)", "defaultdict(int)"),
                    "C['a'] = 9"),
    "Counter": ("Counter(a=1)", KEYS, "C['a'] = 9"),
    "set": ("{1, 2}", """
        C.add(5)
        C.discard(2)
        C.clear()
        C.add(int(i))
        REBIND = C | {7}
    """, "C.add(9)"),
    "object": ("Thing(1, 2)", ATTRIBUTES, "C.v = 9"),
    "object with __slots__": ("Slotted(1)", ATTRIBUTES, "C.v = 9"),
    "class": ("new_class()", ATTRIBUTES, "C.v = 9"),
    "dataclass": ("Data(1)", ATTRIBUTES, "C.v = 9"),
    "dataclass that is given another attribute": ("Data(1)", """
        C.v = C.v + 1
        C.n = 5
        C.n = i
    """, "C.n = 9"),
    "dataclass with another attribute": ("Derived(1)", ATTRIBUTES, "C.n = 9"),
    "array": ("np.array([1, 2])", ITEMS + """
        C += 1
        C.fill(3)
        C[:] = C[::-1]
        REBIND = C[:1]
    """, "C[0] = 9"),
    "list of arrays": ("[np.array([1, 2])]", """
        C[0][0] = 5
        C[0] += 1
        C[0][0] += i
    """, "C[0][0] = 9"),
    "namedtuple in a list": ("[Pair(1, 2)]", """
        C[0] = C[0]._replace(v=5)
        C[0] = C[0]._replace(v=C[0].w + 1)
        C[0] = Pair(i, C[0].v)
    """, "C[0] = Pair(9, 9)"),
    "object in a list": ("[Thing(1, 2)]", """
        C[0].v = 5
        C[0].v += 1
        C[0].n = 5
        C[0] = Thing(i, 3)
    """, "C[0].v = 9"),
}

# name: the expression for what is kept, the program, and how it is found
HOMES = {
    "argument": ("C", """
        def f(i, C):
            DO
            return i
    """, None),
    "default": ("C", """
        def f(i, C=kept):
            DO
            return i
    """, None),
    "global": ("shelf", """
        shelf = kept
        def f(i):
            global shelf
            DO
            return i
    """, lambda scope: scope["shelf"]),
    "closure": ("C", """
        def outer(C):
            def f(i):
                nonlocal C
                DO
                return i
            return f
        f = outer(kept)
    """, lambda scope: scope["f"].__closure__[0].cell_contents),
    "attribute": ("self.shelf", """
        class Owner:
            def f(self, i):
                DO
                return i
        owner = Owner()
        owner.shelf = kept
        f = owner.f
    """, lambda scope: scope["owner"].shelf),
    "module": ("module.shelf", """
        module.shelf = kept
        def f(i):
            DO
            return i
    """, lambda scope: scope["module"].shelf),
}


def programs() -> list[Any]:
    return [pytest.param(form, do.strip(), home, id=f"{form}, {home}: {do.strip()}")
            for form, (_, dos, _) in FORMS.items() for do in dos.strip().splitlines()
            if do.strip() for home in HOMES
            if not ("REBIND" in do and home in ("argument", "default"))]


def scope_of(form: str, do: str, home: str) -> tuple[dict[str, Any], Any]:
    """The program's globals, and what it keeps."""
    expression, text, _ = HOMES[home]
    source = textwrap.dedent(text).replace("DO", do.replace("REBIND", "C"))
    for mark in ("C.", "C[", "C ", "C)", "C,"):
        if expression != "C":
            source = source.replace(mark, expression + mark[1:])
    filename = f"<{form}, {home}: {do}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    scope = {**globals(), "module": ModuleType("module")}
    kept = scope["kept"] = eval(FORMS[form][0], scope)
    exec(compile(source, filename, "exec"), scope)
    return scope, kept


def outcomes(form: str, do: str, home: str, convert: Any) -> list[str]:
    """What four calls give and leave; before the third, the caller changes what is kept."""
    scope, kept = scope_of(form, do, home)
    f, find, found = convert(scope["f"]), HOMES[home][2], []
    for number, i in enumerate((1, 0, 3, 0)):
        if number == 2:
            with suppress(IndexError):
                exec(FORMS[form][2], {**scope, "C": kept if find is None else find(scope)})
        try:
            result = repr(f(np.int64(i), kept) if home == "argument" else f(np.int64(i)))
        except (IndexError, KeyError, AttributeError, ValueError) as error:
            result = repr(error)
        found.append(f"{result}; left {shown(kept if find is None else find(scope))}")
    return found


def shown(x: Any) -> str:
    if isinstance(x, memoryview):
        return repr(x.tobytes())
    if isinstance(x, Slotted):
        return repr([(n, getattr(x, n)) for n in ("v", "n") if hasattr(x, n)])
    return described(x)


@pytest.mark.parametrize(("form", "do", "home"), programs())
def test_at_every_call(form: str, do: str, home: str) -> None:
    wanted = outcomes(form, do, home, lambda f: f)
    assert outcomes(form, do, home, lambda f: ag.function(f, effects="runtime")) == wanted


BY_VALUE = [form for form in FORMS if form not in (
    "object", "object with __slots__", "class", "object in a list")]
"""Arguments that are taken apart, or inputs as a whole: what is done to them is done at every
call, also while Python's other effects happen when the function is traced."""


@pytest.mark.parametrize(("form", "do"), [
    pytest.param(*p.values[:2], id=p.id) for p in programs()
    if p.values[2] == "argument" and p.values[0] in BY_VALUE])
def test_arguments(form: str, do: str) -> None:
    wanted = outcomes(form, do, "argument", lambda f: f)
    assert outcomes(form, do, "argument", ag.function) == wanted


class Node:
    def __init__(self, value: Any, after: Any) -> None:
        self.value, self.next = value, after


class Chain:
    def __init__(self) -> None:
        self.head: Any = None
        self.items: list[Any] = []

    def push(self, *values: float) -> None:
        for v in values:
            self.head = Node(v, self.head)
            self.items.append(v)


def drained_chain(chain: Chain, x: Any) -> Any:
    while chain.head is not None:
        x = x + chain.head.value
        chain.head = chain.head.next
    return x


def drained_list(chain: Chain, x: Any) -> Any:
    while chain.items:
        x = x + chain.items.pop()
    return x


@pytest.mark.parametrize("drained", [drained_chain, drained_list])
@pytest.mark.filterwarnings("ignore::autograph.RetracingWarning")
def test_what_is_taken_away_outside_is_taken_at_every_call(drained: Any) -> None:
    found = []
    for f in (drained, ag.function(drained)):
        chain = Chain()
        for values in ((1.0, 2.0), (), (5.0,), (7.0, 8.0, 9.0)):
            chain.push(*values)
            found.append((f(chain, np.float64(1)), chain.head is None, chain.items.copy()))
    assert found[:4] == found[4:]


def test_a_counter_of_traces_still_counts_traces() -> None:
    chain = Chain()
    chain.count = 0  # type: ignore[attr-defined]

    @ag.function
    def f(x: Any) -> Any:
        chain.count += 1  # type: ignore[attr-defined]
        return x

    assert [f(np.float64(1)), f(np.float64(2)), chain.count] == [1, 2, 1]  # type: ignore[attr-defined]


@pytest.mark.parametrize("make", [
    lambda: OrderedDict(a=1), lambda: defaultdict(int), lambda: Data(1), lambda: [1],
    lambda: {1, 2}, lambda: deque([1], maxlen=2), lambda: Counter(a=1), lambda: bytearray(2),
    lambda: array("d", [1])])
def test_every_call_gives_a_container_of_its_own(make: Any) -> None:
    f = ag.function(lambda x: make())
    first, second = f(np.float64(1)), f(np.float64(2))
    assert first is not second
    assert type(first) is type(second) is type(make())
    assert first == second == make()


def test_objects_leave_with_pythons_lists() -> None:
    class Shelf:
        def __init__(self, n: int) -> None:
            self.items = [2 * v for v in range(n)]
            self.inner: Any = None

    @ag.function
    def f(x: Any) -> Any:
        shelf = Shelf(3)
        shelf.inner = Shelf(2)
        shelf.inner.items.append(5)
        return shelf, x + 1

    shelf, _ = f(np.float64(1))
    assert [type(s.items) for s in (shelf, shelf.inner)] == [list, list]
    assert (shelf.items, shelf.inner.items) == ([0, 2, 4], [0, 2, 5])


def test_an_object_whose_repr_raises_may_be_an_argument() -> None:
    @ag.function
    def f(o: Any, x: Any) -> Any:
        o.v = x
        del o.v
        return x

    data = Data(1)
    assert [f(data, np.float64(k)) for k in (1, 2)] == [1, 2]
    assert not hasattr(data, "v")
