"""Functions that a function makes and returns, and other results that hold what a call computed."""

from __future__ import annotations

import functools
import gc
import itertools
import operator
import types
from collections import ChainMap, OrderedDict, deque
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.errors import GraphError, SymbolicValueError, TracingError
from tests.support.outcome import describe

KEPT: dict[str, Any] = {}
ADDED: list[Any] = []
MODES: list[dict[str, Any]] = [{}, {"effects": "runtime", "captures": "guard"}, {"verify": 2}]


class Model:
    def __init__(self, weight: Any) -> None:
        self.weight = weight
        self.seen: list[Any] = []

    def scaled(self, by: Any) -> Any:
        self.seen.append(by)
        return self.weight * by, len(self.seen)


def counter(x: Any) -> Any:
    n = 0

    def add(by: int) -> int:
        nonlocal n
        n += by
        return n

    return add, lambda: n + x.sum()


def constant_counter(x: Any) -> Any:
    calls: list[Any] = []

    def add(by: Any) -> int:
        calls.append(by)
        return len(calls)

    return add


def recursive(x: Any) -> Any:
    def factorial(n: int) -> Any:
        return x.sum() if n == 0 else n * factorial(n - 1)

    return factorial


def with_its_list(x: Any) -> Any:
    held = [x * 2]
    return held, held.append, lambda: len(held)


def method(x: Any) -> Any:
    return Model(x).scaled


def object_and_method(x: Any) -> Any:
    made = Model(x)
    return made, made.scaled


def object_with_function(x: Any) -> Any:
    made: Any = Model(x)
    made.f = lambda v: v * x
    return made


def views_of_dict(x: Any) -> Any:
    held = {"a": x, "b": x * 2}
    return held, held.items(), held.values(), held.keys()


def views_of_ordered(x: Any) -> Any:
    return OrderedDict(a=x, b=x + 1).items()


def partial(x: Any) -> Any:
    return functools.partial(np.add, x * 2)


def defaults(x: Any) -> Any:
    def f(y: Any, z: Any = x * 2, *, w: Any = x) -> Any:
        return y + z + w

    return f


def in_containers(x: Any) -> Any:
    return {"f": lambda v: v * x, "g": [lambda v: v + x, x]}


def decorator(x: Any) -> Any:
    def decorate(f: Any) -> Any:
        @functools.wraps(f)
        def wrapped(*args: Any) -> Any:
            return f(*args) * x

        return wrapped

    return decorate


def of_a_branch(x: Any) -> Any:
    if x.sum() > 2:
        f = lambda v: v * x
    else:
        f = lambda v: v - x
    return f


def of_a_loop(x: Any) -> Any:
    found: list[Any] = []
    for i in range(3):
        found = [*found, lambda v, i=i: v * i + x]
    return found


def that_call_each_other(x: Any) -> Any:
    def f(v: Any) -> Any:
        return v + x

    def g(v: Any) -> Any:
        return f(v) * 2

    return g, f


def kept_outside(x: Any) -> Any:
    KEPT["f"] = lambda v: v + x
    return KEPT["f"]


def list_kept_outside(x: Any) -> Any:
    held = [x + 1]
    ADDED.append(held)
    return held


def memo(x: Any) -> Any:
    known: dict[int, Any] = {}

    def get(k: int) -> Any:
        if k not in known:
            known[k] = k * x.sum()
        return known[k], len(known)

    return get


def array_that_it_writes(x: Any) -> Any:
    y = x * 2

    def f() -> Any:
        y[0] += 1
        return y

    return y, f


def generator_function(x: Any) -> Any:
    def f() -> Any:
        for v in x:
            yield v * 2

    return f


def vectorized(x: Any) -> Any:
    return np.vectorize(lambda v: v * x[0])


def of_a_view(x: Any) -> Any:
    y = x[1:]
    return lambda: y


def of_a_written_view(x: Any) -> Any:
    y = x[1:]
    y += 1
    return lambda: (y, x)


def method_of_array(x: Any) -> Any:
    return (x * 2).sum


def method_of_list(x: Any) -> Any:
    return [x, x + 1, x + 2, x + 3].pop


USES: list[tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]] = [
    (counter, lambda r, x: [r[0](1), r[0](2), r[1]()]),
    (constant_counter, lambda r, x: [r(1), r(x)]),
    (recursive, lambda r, x: r(3)),
    (with_its_list, lambda r, x: [r[1](5), r[0], r[2]()]),
    (method, lambda r, x: [r(2), r(3), r.__name__]),
    (object_and_method, lambda r, x: [r[1](2), r[0].seen, r[1].__self__ is r[0]]),
    (object_with_function, lambda r, x: [r.f(2), r.scaled(2)]),
    (views_of_dict, lambda r, x: [[list(v) for v in r], r[0].update(c=1), list(r[1])]),
    (views_of_ordered, lambda r, x: [type(r).__name__, list(r)]),
    (partial, lambda r, x: r(1)),
    (defaults, lambda r, x: [r(1), r(1, 2)]),
    (in_containers, lambda r, x: [r["f"](2), r["g"][0](2)]),
    (decorator, lambda r, x: r(lambda v: v + 1)(1)),
    (of_a_branch, lambda r, x: r(1)),
    (of_a_loop, lambda r, x: [f(1) for f in r]),
    (that_call_each_other, lambda r, x: [
        r[0](1), any(c.cell_contents is r[1] for c in r[0].__closure__)]),
    (kept_outside, lambda r, x: [r(1), KEPT["f"] is r]),
    (list_kept_outside, lambda r, x: [r, any(v is r for v in ADDED)]),
    (memo, lambda r, x: [r(1), r(2), r(1)]),
    (array_that_it_writes, lambda r, x: [r[1](), r[1]() is r[0]]),
    (generator_function, lambda r, x: list(r())),
    (vectorized, lambda r, x: r(np.arange(3.0))),
    (of_a_view, lambda r, x: [r(), np.shares_memory(r(), x)]),
    (of_a_written_view, lambda r, x: [r(), r()[1] is x, np.shares_memory(r()[0], x)]),
    (method_of_array, lambda r, x: [r(), r.__name__]),
    (method_of_list, lambda r, x: [r(), r()]),
]


@pytest.mark.parametrize("mode", MODES, ids=repr)
@pytest.mark.parametrize(("make", "use"), USES, ids=lambda f: f.__name__)
def test_each_call_makes_its_own(make: Any, use: Any, mode: dict[str, Any]) -> None:
    def run(f: Callable[[Any], Any]) -> Any:
        KEPT.clear()
        ADDED.clear()
        arguments = [np.array([1.0, 2.0]), np.array([0.5, 0.25]), np.array([1.0, 2.0])]
        made = [(f(x), x) for x in arguments]
        return [describe(use(r, x)) for _ in range(2) for r, x in made] + [describe(arguments)]

    assert run(ag.function(make, **mode)) == run(make)


NAMES = {"functools": functools, "itertools": itertools, "operator": operator, "types": types,
         "ChainMap": ChainMap, "deque": deque, "np": np, "Model": Model}
HOLDERS = """
lambda: y; functools.partial(np.add, y); Model(y).scaled; Model(y); {1: y}.items(); {1: y}.values()
[y].append; [y].__len__; y.sum; y.__add__; types.SimpleNamespace(a=y); types.CellType(y); y.flat
types.MappingProxyType({1: y}); iter([y]); zip([y], [1]); map(abs, [y]); enumerate([y]); list[y]
reversed([y]); itertools.chain([y]); ChainMap({1: y}); deque([y]); property(lambda s: y); slice(y)
operator.itemgetter(y); operator.methodcaller("a", y); staticmethod(y); classmethod(lambda c: y)
type("Local", (), {"a": y}); type("Local", (), {"a": y})(); np.vectorize(lambda v: v * y[0])
functools.cached_property(lambda s: y); ValueError(y); frozenset([int(y[0])]); [y].__iter__
Model(y).__init__; (v for v in [y]); {int(y[0]): 2}.items(); np.frompyfunc(lambda v: v + y[0], 1, 1)
functools.lru_cache(lambda v: v + y); functools.singledispatch(lambda v: v + y); np.poly1d(y)
"""
FORMS = {"at the top": "    return {holder}", "in a list": "    return [{holder}]",
         "of a branch": "    r = None\n    if x[0] > 0:\n        r = {holder}\n    return r",
         "in an object": "    return Model({holder})"}
EXPRESSIONS = [e.strip() for line in HOLDERS.strip().splitlines() for e in line.split(";")]


@pytest.mark.parametrize("mode", MODES[:2], ids=repr)
@pytest.mark.parametrize("holder", EXPRESSIONS)
def test_no_symbolic_value_leaves(holder: str, mode: dict[str, Any], source: Any) -> None:
    for form in FORMS.values():
        f = ag.function(source("def f(x):\n    y = x * 2\n" + form.format(holder=holder)), **mode)
        try:
            results = [f(np.array([2.0, 3.0])) for _ in range(2)]
        except (TracingError, SymbolicValueError, GraphError):
            continue
        assert not any(map(symbolic_parts, results)), (holder, form)


@pytest.fixture
def source(tmp_path: Any) -> Callable[[str], Any]:
    def made(text: str) -> Any:
        path = tmp_path / f"program_{abs(hash(text))}.py"
        path.write_text(text)
        names: dict[str, Any] = {**NAMES, "__name__": __name__}
        exec(compile(text, str(path), "exec"), names)
        return names["f"]

    return made


def symbolic_parts(result: Any) -> list[Any]:
    """Returns the objects of the tracer's that a result leads to."""
    found: list[Any] = []
    met: dict[int, Any] = {}
    pending = [result]
    while pending:
        x = pending.pop()
        if id(x) in met or isinstance(x, ModuleType):
            continue
        met[id(x)] = x
        if type(x).__module__.startswith("autograph"):
            found.append(x)
        elif isinstance(x, FunctionType):
            pending += [x.__closure__, x.__defaults__, x.__kwdefaults__]
        elif not isinstance(x, type) or x.__name__ == "Local":
            pending += gc.get_referents(x)
    return found
