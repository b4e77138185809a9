"""Objects of many classes that hold a symbolic value: returned, used, made in branches and loops.

Each program gives what plain Python gives, or is refused by an error of ours: never an object with
a symbolic value in it, and never another answer.
"""

from __future__ import annotations

import collections
import functools
import itertools
import linecache
import operator
import types
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.errors import EscapedTensorError, SymbolicValueError, TracingError
from tests.support.amount import ALL


class Plain:
    def __init__(self, a: Any) -> None:
        self.a = a


class Slotted:
    __slots__ = ("a",)

    def __init__(self, a: Any) -> None:
        self.a = a


class Items(list[Any]):
    pass


class Pair(tuple[Any, ...]):
    pass


class Named(dict[str, Any]):
    pass


Point = collections.namedtuple("Point", "a b")

HOLDERS = {  # what makes it of Q -> what reads it as r
    "slice(Q, 3)": "r.start", "slice(None, None, Q)": "r.step, r.stop",
    "functools.partial(max, Q)": "r(1)", "types.SimpleNamespace(a=Q)": "r.a", "(lambda: Q)": "r()",
    "(lambda v, k=Q: v + k)": "r(2)", "ValueError(Q)": "r.args", "np.array([Q, 1.0]).sum": "r()",
    "collections.UserList([Q])": "r[0]", "collections.UserDict(a=Q)": "r['a']",
    "Items([Q])": "r[0]", "Named(a=Q)": "r['a']", "Pair((Q,))": "r[0]", "Point(Q, 2)": "r.a",
    "Slotted(Q)": "r.a", "Plain(Q)": "r.a", "collections.ChainMap({'a': Q})": "r['a']",
    "types.MappingProxyType({'a': Q})": "r['a']", "operator.methodcaller('__add__', Q)": "r(3)",
    "zip([Q], [1])": "next(r)", "iter([Q, 2])": "next(r)",
    "map(lambda v: v + Q, [1, 2])": "list(r)",
    "(v + Q for v in [1, 2])": "list(r)", "itertools.repeat(Q, 2)": "list(r)",
    "collections.deque([Q])": "r[0]", "collections.deque([Q], maxlen=2)": "r.maxlen, r[0]",
    "collections.Counter({'a': Q})": "r['a']", "np.array([Q, None], dtype=object)": "r[0]",
    "complex(Q, 1)": "r.real", "f'{Q}'": "len(r)", "range(int(Q))": "len(r)",
    "enumerate([Q])": "next(r)", "itertools.chain([Q], [2])": "list(r)",
    "[(Q, {'k': [Q]}), slice(None, Q)]": "r[0][1]['k'], r[1]", "reversed([Q, 1])": "list(r)",
    "collections.defaultdict(list, a=[Q])": "r['a'], r['b']", "[lambda: Q][0]": "r()",
    "itertools.islice([Q, 1], 2)": "list(r)", "np.poly1d([Q, 1.0])": "r(2)",
    "{'a': Q}.values()": "list(r)", "{'a': Q}.items()": "list(r)",
}
FORMS = {
    "returned": ["r = Q", "return r"], "used": ["r = Q", "return READ"],
    "branch": ["if x > 1:", "    r = Q", "else:", "    r = Q + 1", "return READ"],
    "loop": ["r = Q", "for i in range(20):", "    if x > i:", "        r = Q + i", "return READ"],
    "list": ["kept = []", "for i in range(20):", "    kept.append(Q + i)", "r = kept[3]",
             "return READ, len(kept)"],
}
CASES = [(h, form) for k, h in enumerate(HOLDERS) for n, form in enumerate(FORMS)
         if (k + n) % 3 == 0 or ALL]


def program(holder: str, form: str) -> Any:
    lines = []
    for line in FORMS[form]:
        for value in ("Q + 1", "Q + i", "Q"):
            if value in line:
                line = line.replace(value, holder.replace("Q", f"({value.replace('Q', 'x')})"))
                break
        lines.append("    " + line.replace("READ", HOLDERS[holder]) + "\n")
    source, name = "def f(x):\n" + "".join(lines), f"<holder {holder} {form}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    scope = {**globals(), "itertools": itertools, "operator": operator, "types": types}
    exec(compile(source, name, "exec"), scope)
    return scope["f"]


def told(x: Any) -> Any:
    """What is in an object, as text."""
    if isinstance(x, (list, tuple)):
        return type(x).__name__, [told(v) for v in x]
    if isinstance(x, (Plain, Slotted)):
        return type(x).__name__, told(x.a)
    if isinstance(x, functools.partial):
        return told(x.args)
    if hasattr(x, "__next__"):
        return [told(v) for v in x]
    if isinstance(x, BaseException):
        return type(x).__name__, told(x.args)
    if callable(x) and not isinstance(x, np.poly1d):
        try:
            return told(x())
        except TypeError as error:
            if isinstance(error, EscapedTensorError):
                raise
            return told(x(2))
    return type(x).__name__, repr(x)


@pytest.mark.parametrize(("holder", "form"), CASES)
def test_what_is_held_is_never_symbolic(holder: str, form: str) -> None:
    f = program(holder, form)
    traced = ag.function(f)
    for x in (np.float64(2.0), np.float64(0.5)):
        try:
            expected = told(f(x))
        except TypeError as error:  # `range(0.5)` and its like
            with pytest.raises(type(error)):
                told(traced(x))
            continue
        try:
            assert told(traced(x)) == expected
        except (TracingError, SymbolicValueError, EscapedTensorError) as error:
            assert "\n  at " in str(error)
