"""Installed libraries stay closed: the graph calls them as they are, on real arrays and objects."""

import functools
import importlib
import operator
import random
import sys
from collections.abc import Iterator
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.outcome import run

LIBRARY = '''
"""A library as others write it: it asks arrays for their truth, and keeps state."""
from contextlib import contextmanager
from functools import update_wrapper
from types import MappingProxyType
import numpy as np

CALLS = []

class Compiled:
    """A function, as a compiler makes it of another: it leads to all of the compiler."""

    def __init__(self, f):
        update_wrapper(self, f)
        self.types = {"f8": [float], "i8": [int]}
        self.shown = MappingProxyType(self.types)
        self.compiled = []

    def __call__(self, *args):
        self.compiled.append(tuple(map(type, args)))
        return self.__wrapped__(*map(np.asarray, args))

def clipped(x, most=1.0):
    CALLS.append("clipped")
    if type(x) is not np.ndarray:
        raise TypeError(type(x).__name__)
    out = np.empty_like(x)
    for i, v in enumerate(x):
        out[i] = most if v > most else v
    return out

def counted():
    CALLS.append("counted")
    return len(CALLS)

def applied(f, x):
    return np.array([f(float(v)) for v in x])

def pushed(out, v, key):
    if v > 0:
        out.append(key(v))

def called_with(f, x):
    f(x)

def add_into(x, k):
    x += float(k)

def total(items):
    return sum(float(v) for v in items)

@contextmanager
def noted(name):
    CALLS.append(name)
    yield name

class Model:
    """Learns a mean."""

    def __init__(self, scale=1.0):
        self.scale = scale
        self.seen = []

    def fit(self, x):
        self.mean = float(x.mean()) * self.scale
        self.seen.append(len(x))
        return self

    def scaled_in_between(self, x):
        self.scale += 1000.5
        try:
            return x * self.scale
        finally:
            self.scale -= 1000.5

    def predict(self, x):
        return x - self.mean if self.mean > 0 else x + self.mean

    def __call__(self, x):
        return self.predict(x)

    def __len__(self):
        return len(self.seen)

    def __eq__(self, other):
        return vars(self) == vars(other)

    __hash__ = None

class Money:
    def __init__(self, amount):
        self.amount = amount

    def __rmul__(self, k):
        return Money(self.amount * float(k))

    def __lt__(self, other):
        return self.amount < other.amount

class Base:
    def describe(self, x):
        return self.level() + (1.0 if x.sum() > 0 else 2.0)
'''


@pytest.fixture
def lib(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The library, installed: pip leaves such a folder beside it."""
    name = f"closed_library_{random.randrange(10 ** 9)}"
    (tmp_path / f"{name}.py").write_text(LIBRARY)
    (tmp_path / f"{name}-1.0.dist-info").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module(name)
    del sys.modules[name]


X, Y = np.array([3.0, -1.0, 2.5, 0.5]), np.array([-2.0, 1.0, 0.25, -6.0])


def function(x, lib):
    return lib.clipped(x) + 1, lib.clipped(x * 2, most=x[0])


def model(x, lib):
    m = lib.Model()
    m.fit(x)
    first = m.mean
    m.fit(x + 1)
    return m, first, m.mean, len(m), m(x), m.seen


def changed(x, lib):
    m = lib.Model(scale=2.0).fit(x)
    if m.mean > 1:
        m.scale = m.mean
    else:
        m.extra = x[0]
    return m, m.scale


def in_branch(x, lib):
    m = lib.Model().fit(x) if x[0] > 0 else lib.Model(3.0).fit(x)
    return m.mean, m.predict(x)


def in_loop(x, lib):
    best, most = None, -np.inf
    for k in (1.0, -2.0, 3.0):
        m = lib.Model(k).fit(x)
        if m.mean > most:
            best, most = m, m.mean
    return best, most


def callback(x, lib):
    m = x.mean()

    def centred(v):
        if v > m:
            return v - m
        return m - v

    return lib.applied(centred, x), lib.applied(lambda v: v * 2, x)


def iterators(x, lib):
    return lib.total(v for v in x if v > 0), lib.total(iter(x)), lib.total(map(abs, x))


def writes(x, lib):
    y = x.copy()
    lib.add_into(y[1:], x[0])
    lib.add_into(x, 2)
    return y


def operators(x, lib):
    m = x[0] * lib.Money(2.0)
    return m.amount, lib.Money(0.0) < m


def fresh_each_time(x, lib):
    a, b = lib.Model(), lib.Model()
    return a is b, a == b, a


def context(x, lib):
    with lib.noted("a") as name:
        return x * 2, name


def raises(x, lib):
    if x[0] > 0:
        lib.clipped([1.0])
    return x


def inherited(x, lib):
    class Mine(lib.Base):
        def __init__(self, k):
            self.k = k

        def level(self):
            return self.k * 2

    return Mine(x[0]).describe(x)


def fractions(x, lib):
    f = Fraction(int(x[0]), 7)
    return f + 1, f < 0, [f, max(f, Fraction(1, 7))]


PROGRAMS = [function, model, changed, in_branch, in_loop, callback, iterators, writes, operators,
            fresh_each_time, context, raises, inherited, fractions]


@pytest.mark.parametrize("options", [{}, {"effects": "runtime"}, {"captures": "guard"},
                                     {"executor": "interpreter"}], ids=str)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_same_as_plain(program: Any, options: Any, lib: ModuleType) -> None:
    def plain(x: Any) -> Any:
        return program(x, lib)

    traced = ag.function(plain, **options)
    for x in (X, Y, X):
        assert shown(run(traced, (x,))) == shown(run(plain, (x,)))
    assert traced.experimental_get_tracing_count() == 1


def shown(call: Any) -> Any:
    """The outcome, with objects as their attributes."""
    def seen(x: Any) -> Any:
        if isinstance(x, tuple | list):
            return type(x).__name__, [*map(seen, x)]
        return (type(x).__name__, vars(x)) if type(x).__name__ == "Model" else (
            type(x).__name__, repr(x))

    return seen(call.result), type(call.error).__name__, str(call.error).partition("\n")[0], seen(
        call.arguments)


def argument(m, x):
    y = m.fit(x).predict(x)
    if m.mean > 0.5:
        m.high = True
    return y, m.mean, m.seen


def test_an_object_is_an_argument(lib: ModuleType) -> None:
    traced = ag.function(argument)
    for x in (X, Y, X):
        given, left = lib.Model(2.0), lib.Model(2.0)
        np.testing.assert_equal(traced(given, x), argument(left, x))
        np.testing.assert_equal(traced(given, x + 1), argument(left, x + 1))
        assert vars(given) == vars(left)
    assert traced.experimental_get_tracing_count() == 1


def test_the_call_happens_once_in_each_run(lib: ModuleType) -> None:
    traced = ag.function(lambda x: (lib.counted(), lib.clipped(x)))
    assert [traced(X)[0] for _ in range(3)] == [1, 3, 5]
    assert lib.CALLS == ["counted", "clipped"] * 3


def test_a_branch_that_does_not_run_calls_nothing(lib: ModuleType) -> None:
    traced = ag.function(lambda x: lib.counted() if x[0] > 0 else 0)
    assert [traced(Y), traced(X), traced(Y)] == [0, 1, 0]


def test_a_function_in_c_is_called_as_it_is() -> None:
    """Its `__self__` is its module, whose attributes nobody compares after each call."""
    def product(x: Any) -> Any:
        return functools.reduce(operator.mul, [v for v in x if v > 0], 1.0)

    traced = ag.function(product).get_concrete_function(X)
    assert traced(X) == product(X)
    kernels = {id(e.op.kernel) for e in traced.graph.walk()}
    assert id(operator.mul) in kernels


def test_a_method_that_sets_an_attribute_of_a_captured_object_is_refused(lib: ModuleType) -> None:
    m = lib.Model().fit(X)
    assert ag.function(lambda x: m.predict(x))(X).tolist() == m.predict(X).tolist()
    with pytest.raises(ag.InvalidArgumentError, match=r"Model\.fit sets the attribute 'mean'"):
        ag.function(lambda x: m.fit(x))(Y)


def test_a_method_may_set_an_attribute_and_set_it_back(lib: ModuleType) -> None:
    m = lib.Model(2.5)
    traced = ag.function(lambda x: m.scaled_in_between(x), effects="runtime")
    for x in (X, Y):
        assert traced(x).tolist() == m.scaled_in_between(x).tolist()
    assert m.scale == 2.5


def test_a_library_changes_what_it_is_given_beside_a_function(lib: ModuleType) -> None:
    def calls(x, out):
        lib.pushed(out["n"], x[0], lambda v: v * x[1])
        lib.pushed(held := [], x[1], key=lambda v: v + x[0])
        lib.called_with(lambda items: items.append(x[2]), held)
        return held, len(out["n"])

    for options in ({}, {"effects": "runtime", "captures": "guard"}):
        traced = ag.function(calls, **options)
        for x in (X, Y, X):
            given, left = {"n": [1.0]}, {"n": [1.0]}
            assert traced(x, given) == calls(x, left)
            assert given == left


def test_a_library_that_changes_a_list_of_functions_is_refused(lib: ModuleType) -> None:
    def calls(x):
        hooks = [lambda v: v * x[0]]
        lib.pushed(hooks, x[1], hooks[0])
        return len(hooks)

    traced = ag.function(calls)
    with pytest.raises(ag.InvalidArgumentError, match="changes a list that holds a function"):
        traced(Y)
    assert ag.function(calls)(X) == calls(X) == 1


def test_the_report_says_that_the_library_is_closed(lib: ModuleType) -> None:
    traced = ag.function(lambda x: lib.clipped(x) + 1)
    traced(X)
    assert "its library is closed, and ag.trace_into opens it" in str(traced.explain())


def test_trace_into_opens_a_library(lib: ModuleType) -> None:
    ag.trace_into(lib.__name__)
    traced = ag.function(lambda x: lib.Model().fit(x).predict(x))
    for x in (X, Y):
        assert traced(x).tolist() == lib.Model().fit(x).predict(x).tolist()
    assert "opaque" not in str(traced.explain())
    with pytest.raises(ModuleNotFoundError):
        ag.trace_into("no_such_package_at_all")


def test_the_library_of_a_decorated_function_is_open(lib: ModuleType) -> None:
    traced = ag.function(lib.clipped)
    assert traced(X).tolist() == lib.clipped(X).tolist()
    assert "opaque" not in str(traced.explain())


def test_what_a_function_of_a_compiler_leads_to_is_no_state(lib: ModuleType) -> None:
    def total(x: Any) -> float:
        return float(x.sum())

    compiled = lib.Compiled(total)

    def totals(x: Any) -> Any:
        out = np.zeros(3)
        for i in range(3):
            out[i] = compiled(x * i)
        return out

    for options in {}, {"effects": "runtime", "captures": "guard"}:
        traced = ag.function(totals, **options)
        for _ in range(3):
            assert traced(X).tolist() == [0.0, 5.0, 10.0]
        assert traced.experimental_get_tracing_count() == 1
