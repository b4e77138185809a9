"""The table of `ag.convert`: every row, on callables of every kind."""

import builtins
import collections
import contextlib
import copy
import dataclasses
import datetime
import enum
import functools
import itertools
import math
import operator
import statistics
import time
from pathlib import Path
from types import MethodType
from typing import Generic, TypeVar

import gast
import numpy as np
import pytest

import autograph as ag
from autograph import libraries
from autograph.conversion.code_cache import joined_function
from autograph.conversion.conversion_rules import REPLACEMENTS, RULES, rule_of
from autograph.operators.builtins import BUILTIN_REPLACEMENTS
from autograph.syntax.errors import UnsupportedFunctionError
from tests.support.program_files import program


def user(x):
    return x and 1


def generator(x):
    yield x


async def coroutine(x):
    return x


async def asynchronous_generator(x):
    yield x


@functools.lru_cache
def cached(x):
    return x and 1


@contextlib.contextmanager
def manager(x):
    yield x


@functools.singledispatch
def single(x):
    return x


@ag.do_not_convert
def left(x):
    return x and 1


converted = ag.convert(user)


class Plain:
    def __init__(self, x):
        self.x = x if x else None

    def method(self, x):
        return x and self.x

    @classmethod
    def made(cls, x):
        return x and cls

    def __call__(self, x):
        return x and "called"


class Meta(type):
    def __call__(cls, *args):
        return "made by the metaclass"


class Strange(metaclass=Meta):
    def __init__(self, x):
        self.x = x


class Bare:
    pass


class Error(Exception):
    def __init__(self, x):
        super().__init__(x)


@dataclasses.dataclass
class Point:
    x: int


class Color(enum.Enum):
    RED = 1


Item = TypeVar("Item")


class Typed(Generic[Item]):
    pass


class Pair(collections.namedtuple("Pair", "a b")):
    pass


CASES = [
    ("replacement", len), ("replacement", range), ("replacement", type), ("replacement", hash),
    ("not callable", 3), ("not callable", None), ("not callable", "f"),
    ("do not convert", left),
    ("bound method", Plain(1).method), ("bound method", Plain.made),
    ("partial", functools.partial(user, 1)),
    ("generic alias", list[int]), ("generic alias", Typed[int]),
    ("staticmethod, classmethod", staticmethod(user)), ("staticmethod, classmethod",
                                                        classmethod(user)),
    ("lru_cache", cached), ("np.errstate", np.errstate(all="ignore")(user)),
    ("converted", converted), ("joined", joined_function(user, True)),
    ("autograph's own", ag.cond), ("autograph's own", ag.convert),
    ("closed library", gast.parse), ("closed library", gast.Name),
    ("class method", dict.fromkeys), ("class method", itertools.chain.from_iterable),
    ("library of values", statistics.mean), ("library method", datetime.date(2020, 1, 1).replace),
    ("library of values", np.testing.assert_equal), ("library of values", np.poly1d),
    ("library of values", np.promote_types),
    ("staged family", np.sin), ("staged family", np.sum), ("staged family", np.add.reduce),
    ("staged family", np.random.default_rng(0).normal),
    ("singledispatch", single), ("contextmanager", manager),
    ("library of values", dataclasses.replace), ("library function", copy.copy),
    ("generator", generator), ("coroutine", coroutine), ("coroutine", asynchronous_generator),
    ("function without a file", Point.__eq__),
    ("function", user), ("function", lambda x: x),
    ("class", Plain), ("class", Error), ("class", Strange),
    ("constructor", type.__call__.__get__(Plain)), ("other class", Bare),
    ("other class", ValueError), ("other class", Point), ("staged family", Color),
    ("other class", Pair), ("replacement", bytes),
    ("replacement", slice), ("other class", functools.partial),
    ("callable object", Plain(1)),
    ("staged family", (1).bit_length), ("outside world", time.mktime),
    ("staged family", operator.attrgetter("upper")),
    ("not Python", functools.cmp_to_key(operator.sub)), ("function in C", operator.add),
    ("staged family", str.upper),
    ("staged family", operator.itemgetter(1)), ("staged family", b"a".upper),
]


@pytest.mark.parametrize(("name", "f"), CASES, ids=[n for n, _ in CASES])
def test_rule(name: str, f: object) -> None:
    assert rule_of(f).name == name


def test_every_row_has_a_case() -> None:
    assert {name for name, _ in CASES} == {rule.name for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_rows_say_why(rule: object) -> None:
    assert rule.reason and rule.reason == rule.reason.strip(". ")


@pytest.fixture(autouse=True)
def no_library_was_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests before these may have asked for a library's functions to be converted."""
    monkeypatch.setattr(libraries, "_opened", set())
    monkeypatch.setattr(libraries, "_traced_into", set())


AS_IS = [f for name, f in CASES
         if name not in ("replacement", "not callable") and rule_of(f).action is None
         and not rule_of(f).way_out]


@pytest.mark.parametrize("f", AS_IS, ids=lambda f: type(f).__name__)
def test_left_as_it_is(f: object) -> None:
    if rule_of(f).name != "library function":
        assert ag.convert(f) is f and ag.convert(f) is f


REFUSED = [f for _, f in CASES if rule_of(f).way_out]


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: type(f).__name__)
def test_refused_when_the_user_asks_for_it(f: object) -> None:
    with pytest.raises(UnsupportedFunctionError, match="cannot be converted") as caught:
        ag.convert(f)
    assert caught.value.hint == rule_of(f).way_out and caught.value.code == "AG104"


def test_refused_also_after_a_call() -> None:
    def calls():
        return list(generator(1))
    assert ag.convert(calls)() == calls()
    with pytest.raises(UnsupportedFunctionError, match="cannot be converted"):
        ag.convert(generator)


def test_left_when_converted_code_calls_it() -> None:
    def calls():
        return [next(generator(1)), cached(1), left(1), Strange(1), Point(2).x, Color(1).name,
                Pair(1, 2).b, Bare().__class__, str(Error("e")), math.sqrt(4.0)]
    assert ag.convert(calls)() == calls()


def test_calling_what_is_not_callable_is_pythons_error() -> None:
    def f(g):
        return g(1)
    for g in (None, 3, "text"):
        with pytest.raises(TypeError, match="object is not callable"):
            ag.convert(f)(g)


@pytest.mark.parametrize("name", BUILTIN_REPLACEMENTS)
def test_builtins_have_twins(name: str) -> None:
    assert ag.convert(getattr(builtins, name)) is getattr(ag, name)


def test_bound_methods_are_bound_again() -> None:
    p = Plain(7)
    method = ag.convert(p.method)
    assert isinstance(method, MethodType) and method.__self__ is p
    assert method(1) == 7 and ag.convert(p.method).__func__ is method.__func__
    assert ag.convert(Plain.made)(1) is Plain


def test_partials_keep_their_arguments() -> None:
    f = ag.convert(functools.partial(lambda a, b, c: (a and b, c), 1, c=3))
    assert f(2) == (2, 3) and isinstance(f, functools.partial)


def test_callable_objects_and_classes() -> None:
    assert ag.convert(Plain(1))(1) == "called"
    made = ag.convert(Plain)(0)
    assert type(made) is Plain and made.x is None


def test_constructor_follows_pythons_protocol(tmp_path: Path) -> None:
    module = program(tmp_path, """
        class Other:
            pass
        class Odd:
            def __new__(cls, x):
                return Other() if x else super().__new__(cls)
            def __init__(self, x):
                self.x = 1 if x else 2
        class Wrong:
            def __init__(self):
                if self:
                    return 3
        class Base:
            def __init__(self, x):
                self.base = x if x else None
        class Derived(Base):
            pass
        """)
    assert type(ag.convert(module.Odd)(1)) is module.Other
    assert ag.convert(module.Odd)(0).x == 2
    with pytest.raises(TypeError, match="should return None, not 'int'"):
        ag.convert(module.Wrong)()
    assert ag.convert(module.Derived)(4).base == 4
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        ag.convert(module.Base)()


def test_library_functions_convert_when_asked_and_then_their_library(tmp_path: Path,
                                                                    monkeypatch) -> None:
    from autograph import libraries
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "program-1.0.dist-info").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path / "lib"))
    monkeypatch.setattr(libraries, "_opened", set())
    module = program(tmp_path / "lib", """
        def helper(x):
            return x and 1
        def f(x):
            return helper(x) if x else 0
        """)
    assert rule_of(module.f).name == "closed library"

    def calls(x):
        return module.f(x)
    assert ag.convert(calls)(1) == 1 and rule_of(module.f).name == "closed library"
    assert ag.convert(module.f) is not module.f
    assert rule_of(module.helper).name == "function"


def test_files_decide_not_module_names() -> None:
    def f(x):
        return x and 1
    f.__module__ = "numpy.linalg"
    assert rule_of(f).name == "function"


def test_do_not_convert_marks_the_object_not_its_wrappers() -> None:
    @functools.wraps(left)
    def wrapper(x):
        return left(x) and 2
    assert rule_of(wrapper).name == "function" and ag.convert(wrapper)(1) == 2
    assert ag.do_not_convert(user2 := (lambda x: x)) is user2


def test_replacement() -> None:
    def slow(x):
        return x

    def staged(x):
        return "staged"

    def calls(x):
        return slow(x)
    assert ag.convert(calls)(1) == 1
    ag.register_replacement(slow, staged)
    try:
        assert ag.convert(calls)(1) == "staged"
    finally:
        REPLACEMENTS.discard(slow)


def test_not_recursive() -> None:
    def inner(x):
        return "converted" if inner.__code__ is not code else "plain"
    code = inner.__code__

    def calls(g, x):
        return g(x) if x else None
    seen = []

    def callee(x):
        import sys
        seen.append(sys._getframe().f_code is callee_code)
    callee_code = callee.__code__
    ag.convert(calls)(callee, 1)
    ag.convert(calls, recursive=False)(callee, 1)
    ag.convert(recursive=False)(calls)(callee, 1)
    assert seen == [False, True, True]
    assert "ag.convert" not in ag.to_code(calls, recursive=False)


def test_functions_given_to_builtins_are_converted() -> None:
    import sys
    frames = []

    def key(x):
        frames.append(sys._getframe().f_code)
        return x and -x

    def f(xs):
        return (sorted(xs, key=key), list(map(key, xs)), max(xs, key=key),
                list(filter(None, xs)), list(filter(key, xs)))
    xs = [1, 3, 2]
    plain = f(xs)
    frames.clear()
    assert ag.convert(f)(xs) == plain
    assert frames and all(code is not key.__code__ for code in frames)


def test_decorator_forms() -> None:
    @ag.convert
    def a(x):
        return x and 1

    @ag.convert()
    def b(x):
        return x and 1
    assert a(1) == b(1) == 1 and rule_of(a).name == rule_of(b).name == "converted"
    assert ag.convert(a) is a


def test_to_code_of_what_is_wrapped() -> None:
    text = "def user(x):\n    return ag.and_(x, lambda: 1)\n"
    assert ag.to_code(user) == ag.to_code(converted) == ag.to_code(
        functools.partial(user, 1)) == text
    assert ag.to_code(Plain.made).startswith("def made(cls, x):\n")
    assert ag.to_code(ag.function(user)) == text
    with pytest.raises(UnsupportedFunctionError):
        ag.to_code(generator)
    with pytest.raises(UnsupportedFunctionError):
        ag.to_code(len)


class Shelf(Generic[Item]):
    def __init__(self, items: list[Item]) -> None:
        self.items = list(items)


def test_generic_aliases_make_objects_of_their_class() -> None:
    def f(x: np.ndarray) -> object:
        shelf = Shelf[float]([x, x + 1])
        if x > 1:
            shelf.items.append(x)
        return shelf.items, shelf.__orig_class__, list[int]([x]), dict[str, int](a=x)

    for value in (np.float64(0.5), np.float64(2.0)):
        assert ag.function(f)(value) == f(value)
