"""Every form in which a program keeps state, in every place where it does: like plain Python."""

import linecache
import textwrap
from collections import OrderedDict, defaultdict, deque, namedtuple  # noqa: F401
from dataclasses import dataclass, field, replace  # noqa: F401
from types import SimpleNamespace  # noqa: F401
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph as ag


class Plain:
    def __init__(self, v: Any) -> None:
        self.v = v

    def put(self, v: Any) -> None:
        self.v = v


class Slotted:
    __slots__ = ("__weakref__", "v")

    def __init__(self, v: Any) -> None:
        self.v = v

    def put(self, v: Any) -> None:
        self.v = v


class WithProperty:
    def __init__(self, v: Any) -> None:
        self._v = v / 2

    @property
    def v(self) -> Any:
        return self._v * 2

    @v.setter
    def v(self, v: Any) -> None:
        self._v = v / 2

    def put(self, v: Any) -> None:
        self.v = v


class Child(Plain):
    def put(self, v: Any) -> None:
        super().put(v + 0)


@dataclass
class Data:
    v: Any
    n: int = 3
    seen: list = field(default_factory=list)

    def put(self, v: Any) -> None:
        self.v = v


@dataclass(slots=True)
class SlottedData:
    v: Any
    n: int = 3

    def put(self, v: Any) -> None:
        self.v = v


@dataclass(frozen=True)
class Frozen:
    v: Any
    n: int = 3

    def with_v(self, v: Any) -> "Frozen":
        return replace(self, v=v)


class Named(NamedTuple):
    v: Any
    n: int = 3

    def with_v(self, v: Any) -> "Named":
        return self._replace(v=v)


Old = namedtuple("Old", "n v")


class Outer:
    def __init__(self, v: Any) -> None:
        self.inner = Plain(v)

    def put(self, v: Any) -> None:
        self.inner.put(v)


# name: how it is made of a value, how the value is read, how it is written; how by a method
FORMS = {
    "object": ("Plain({})", "o.v", "o.v = {}", "o.put({})"),
    "object with __slots__": ("Slotted({})", "o.v", "o.v = {}", "o.put({})"),
    "property": ("WithProperty({})", "o.v", "o.v = {}", "o.put({})"),
    "object of a derived class": ("Child({})", "o.v", "o.v = {}", "o.put({})"),
    "dataclass": ("Data({})", "o.v", "o.v = {}", "o.put({})"),
    "dataclass with slots": ("SlottedData({})", "o.v", "o.v = {}", "o.put({})"),
    "frozen dataclass": ("Frozen({})", "o.v", "o = replace(o, v={})", "o = o.with_v({})"),
    "named tuple": ("Named({})", "o.v", "o = o._replace(v={})", "o = o.with_v({})"),
    "namedtuple": ("Old(1, {})", "o.v", "o = o._replace(v={})", "o = Old(o.n, {})"),
    "tuple": ("(1, {})", "o[1]", "o = (o[0], {})", "o = o[:1] + ({},)"),
    "list": ("[1, {}]", "o[1]", "o[1] = {}", "o[1:] = [{}]"),
    "dict": ("{{'v': {}}}", "o['v']", "o['v'] = {}", "o.update(v={})"),
    "OrderedDict": ("OrderedDict(v={})", "o['v']", "o['v'] = {}", "o.update(v={})"),
    "defaultdict": ("defaultdict(float, v={})", "o['v']", "o['v'] = {}", "o.__setitem__('v', {})"),
    "namespace": ("SimpleNamespace(v={})", "o.v", "o.v = {}", "setattr(o, 'v', {})"),
    "object in an object": ("Outer({})", "o.inner.v", "o.inner.v = {}", "o.put({})"),
    "object in a dict": ("{{'a': Plain({})}}", "o['a'].v", "o['a'].v = {}", "o['a'].put({})"),
    "object in a list": ("[Plain({})]", "o[0].v", "o[0].v = {}", "o[0].put({})"),
    "dataclass in a dataclass": ("Data(Data({}))", "o.v.v", "o.v.v = {}", "o.v.put({})"),
    "deque": ("deque([1, {}])", "o[1]", "o[1] = {}", "o.__setitem__(1, {})"),
    "array": ("np.array([1.0, {}])", "o[1]", "o[1] = {}", "o.itemset(1, {})"
              if hasattr(np.ndarray, "itemset") else "o.put(1, {})"),
}

# In each, MAKE(x), GET, SET(x) and CALL(x) stand for the form's own.
PLACES = {
    "argument": """
        def f(o, x):
            SET(GET + x[0])
            return GET * 2
    """,
    "returned argument": """
        def f(o, x):
            SET(GET + x[0])
            return o
    """,
    "made and returned": """
        def f(o, x):
            o = MAKE(x[0])
            SET(GET + x[1])
            return o, GET
    """,
    "through a method": """
        def f(o, x):
            CALL(GET + x[0])
            CALL(GET * x[1])
            return GET
    """,
    "branch": """
        def f(o, x):
            if x[0] > 1:
                SET(GET + x[1])
            else:
                SET(GET * x[2])
            return GET
    """,
    "one side of a branch, by a method": """
        def f(o, x):
            if x[0] > 1:
                CALL(GET + x[1])
            return GET
    """,
    "loop": """
        def f(o, x):
            for v in x:
                SET(GET + v)
            return GET
    """,
    "while": """
        def f(o, x):
            while GET < x[2] * 3:
                CALL(GET * 2 + 1)
            return GET
    """,
    "branch in a loop": """
        def f(o, x):
            for v in x:
                if v > GET:
                    SET(v + 1)
            return GET
    """,
    "made in a loop": """
        def f(o, x):
            total = 0.0
            for v in x:
                o = MAKE(v)
                SET(GET + 1)
                total = total + GET
            return total
    """,
    "rebound in a branch": """
        def f(o, x):
            if x[0] > 1:
                o = MAKE(x[1])
            return GET
    """,
    "kept in a closure": """
        def outside(o):
            def f(x):
                nonlocal o
                SET(GET + x[0])
                return GET
            return f
    """,
    "kept in a closure, in a loop": """
        def outside(o):
            def f(x):
                nonlocal o
                for v in x:
                    if v > 1:
                        CALL(GET + v)
                return GET
            return f
    """,
    "before an exception": """
        def f(o, x):
            SET(GET + x[0])
            CALL(GET + x[1])
            t = x[int(x[0]) + 2]
            SET(t)
            return GET
    """,
}

KNOWN_GAPS: dict[str, tuple[str, ...]] = {}
GAPS = {name: reason for reason, names in KNOWN_GAPS.items() for name in names}


def source_of(form: str, place: str) -> str:
    """The program of one pair."""
    make, get, put, call = FORMS[form]
    lines = textwrap.dedent(PLACES[place]).strip().replace("GET", get).splitlines()
    return "\n".join(_filled(line, {"MAKE": make, "SET": put, "CALL": call}) for line in lines)


def _filled(line: str, forms: dict[str, str]) -> str:
    for word, text in forms.items():
        if f"{word}(" in line:
            before, _, rest = line.partition(f"{word}(")
            line = before + text.format(rest.removesuffix(")"))
    return line + "\n"


def loaded(name: str, source: str) -> dict[str, Any]:
    filename = f"<{name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    scope = {**globals()}
    exec(compile(source, filename, "exec"), scope)
    return scope


def described(x: Any) -> str:
    """Values with their types, whatever they are in."""
    names = [n for c in type(x).__mro__ for n in getattr(c, "__slots__", ()) if n[:2] != "__"]
    inside = {**getattr(x, "__dict__", {}), **{n: getattr(x, n) for n in names}}
    if inside:
        return f"{type(x).__name__}({', '.join(f'{k}={described(v)}' for k, v in inside.items())})"
    if isinstance(x, dict):
        return f"{type(x).__name__} {[(k, described(v)) for k, v in x.items()]}"
    if isinstance(x, list | tuple | deque):
        return f"{type(x).__name__} {list(map(described, x))}"
    return repr(x)


ARRAYS = [np.array([0.5, 2.0, 3.0]), np.array([2.5, 0.5, 1.5]), np.array([0.25, 4.0, 2.0])]


def outcomes(scope: dict[str, Any], make: str, convert: Any) -> list[str]:
    """What calls gave, and what they left behind."""
    found = []
    kept = eval(make.format("np.float64(1.5)"), scope)
    keeps = "outside" in scope
    f = convert(scope["outside"](kept) if keeps else scope["f"])
    for x in (*ARRAYS, ARRAYS[0]):
        o = eval(make.format("np.float64(1.5)"), scope)
        try:
            result = f(x.copy()) if keeps else f(o, x.copy())
        except Exception as error:
            result = type(error).__name__
        found.append(f"{described(result)}; left {described(kept if keeps else o)}")
    return found


@pytest.mark.parametrize(("form", "place"), [
    pytest.param(form, place, id=f"{form}: {place}", marks=[
        pytest.mark.xfail(reason=GAPS[f"{form}: {place}"], strict=True)]
        if f"{form}: {place}" in GAPS else [])
    for form in FORMS for place in PLACES])
def test_state(form: str, place: str) -> None:
    make, source = FORMS[form][0], source_of(form, place)
    name = f"{form}: {place}"
    wanted = outcomes(loaded(name, source), make, lambda f: f)
    got = outcomes(loaded(name, source), make, ag.function)
    assert got == wanted, source


def test_a_list_of_functions_says_what_is_out_of_range() -> None:
    def f(i: Any, x: Any) -> Any:
        return [np.sin, np.cos][i](x)

    with pytest.raises(IndexError, match="^list index out of range"):
        ag.function(f)(np.int64(5), np.float64(1))
