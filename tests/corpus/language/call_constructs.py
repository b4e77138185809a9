"""Calls: what is called, how it is defined, and what becomes of it."""

import copy
import functools
import inspect
from typing import Any

import numpy as np

import autograph as ag
from tests.corpus.case import titled

SCALARS = [(np.float64(2.5),), (np.float64(-1.0),), (np.float64(0.0),), (3,), (-2,)]
NUMBERS = [(np.int64(5),), (np.int64(0),), (np.int64(9),), (4,)]
VECTORS = [(np.array([1.0, -2.0, 3.0]),), (np.array([1.0, 0.5, 8.0]),), ([1.0, 2.0],)]


def clipped(x, low=0, *, high=10):
    if x < low:
        return low
    if x > high:
        return high
    return x


def callees(x):
    return clipped(clipped(x, -1), high=2)


def logged(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs)
    return wrapper


@logged
def wrapped(x):
    return x if x > 0 else -x


class Kinds:
    def __init__(self, base):
        if base > 0:
            self.base = base
        else:
            self.base = -base

    def method(self, x):
        return x if x > self.base else self.base

    @classmethod
    def of(cls, x):
        return cls(x) if x is not None else None

    @staticmethod
    def static(x):
        return 1 if x > 0 else 0

    def __call__(self, x):
        if x > 0:
            return x + self.base
        return self.base

    partial = functools.partialmethod(method, 1)

    @property
    def sign(self):
        return 1 if self.base > 1 else -1

    @sign.setter
    def sign(self, value):
        if value > 0:
            self.base = value

    def __add__(self, other):
        return Kinds(self.base + other) if other > 0 else self

    def __radd__(self, other):
        return 100 if other > 0 else 200

    def __lt__(self, other):
        return True if other > 1 else False

    def __getitem__(self, key):
        if key > 1:
            return "many"
        return "few"

    def __setitem__(self, key, value):
        if value > 0:
            self.base = value

    def __len__(self):
        return 3

    def __iter__(self):
        return iter([self.base, 2, 3])

    def __contains__(self, item):
        return item == 3

    def __bool__(self):
        return True

    def __eq__(self, other):
        return True if other > 0 else False

    def __neg__(self):
        return Kinds(-self.base) if self.base > 1 else 0

    def __iadd__(self, other):
        if other > 0:
            self.base = self.base + other
        return self

    def __enter__(self):
        return self.base if self.base > 1 else 0

    def __exit__(self, *error):
        self.base = self.base + 1


def methods(x):
    k = Kinds(2)
    return (k.method(x), Kinds.of(1).method(x), k.static(x), k(x), k.partial(),
            functools.partial(clipped, low=1)(x), wrapped(x))


def constructor(x):
    return Kinds(x).base, Kinds.of(x).base


def properties(x):
    k = Kinds(1.5)
    k.base = x
    before = k.sign
    k.sign = x + 1
    return before, k.base, k.sign


def operators(x):
    k = Kinds(1)
    added = k + x
    return (added if isinstance(added, int) else added.base), x + 0 if x is None else 0


def operators_by_type(x):
    k = Kinds(1)
    return (k + x).base, k < x, k[x], k == x


def unary_and_updating(x):
    k = Kinds(1)
    k.base = x
    made = -k
    k += x
    k[0] = x - 1
    return (made if isinstance(made, int) else made.base), k.base, len(k), list(k), 3 in k


def unary_made(x):
    k = Kinds(2)
    k.base = k.base + abs(x)
    return (-k).base


def managed(x):
    k = Kinds(1)
    k.base = x
    with k as base:
        if base > 1:
            x = x + base
    return x, k.base


def positive(v):
    if v > 0:
        return v
    return -v


def passed_to_builtins(x):
    items = [x, 2.0, -3.0]
    return (list(map(positive, items)), sorted(items, key=positive), min(items, key=positive),
            max(items, key=lambda v: -v if v > 0 else v),
            list(filter(lambda v: True if v > -5 else False, items)))


@functools.lru_cache
def cached(n):
    return n * 2 if n > 0 else 0


def calls_cached(x):
    return cached(3) + cached(-1), x


class Private:
    def __init__(self, x):
        self.__x = x

    def __bump(self):
        if self.__x > 0:
            self.__x = self.__x + 1
        return self.__x

    def value(self):
        return self.__bump() + self.__x


def mangled(x):
    return Private(x).value()


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def recursion(n):
    return factorial(n)


def parameters(x, /, a, b=2, *rest, c, d=4, **others):
    if x > 0:
        return x, a, b, rest, c, d, others
    return x + b, rest


def all_parameters(x):
    return (parameters(x, 1, c=3), parameters(x, 1, 5, 6, 7, c=3, d=8, e=9),
            parameters(*(x, 1), **{"c": 0}))


MADE = []


def default(x, items=MADE):
    if x is not None:
        items = [*items, 1]
    return items


def defaults(x):
    return default(x), default(None) is MADE


def annotations(x):
    from typing import Union

    def inner(y: Union[int, float] = 1) -> "Missing":  # noqa: F821
        z: Union[int, None] = 2
        return y if y > z else z

    return inner(x), sorted(inner.__annotations__)


def make(n):
    def inner(x):
        nonlocal n
        if x > n:
            return n
        n = n + 1
        return x
    return inner


ONE, TWO = make(1), make(2)


def closures(x):
    f, g = make(1), make(2)
    return f(x), g(x), f(0), g(0)


exec("def without_source(x):\n    return x * 2\n", globals())


def calls_without_source(x):
    return without_source(x) if x > 0 else x  # noqa: F821


class Thing:
    def __deepcopy__(self, memo):
        return self


def allowlisted(x):
    return copy.copy([x, 1]), copy.deepcopy({"a": 1}), inspect.isclass(Thing)


@ag.do_not_convert
def left_alone(x):
    return 1 if x is None else 2


def calls_left_alone(x):
    return left_alone(x), (1 if x > 0 else 0)


def named_ag(ag):
    if ag > 0:
        ag__ = ag + 1
    else:
        ag__ = ag - 1
    return ag__


def depth(n: int) -> int:
    """Deep enough to fail where a call takes several frames."""
    if n == 0:
        return 0
    return 1 + depth(n - 1)


def deep(n):
    return depth(400), n


def frames(n):
    names = []

    def look():
        frame: Any = inspect.currentframe()
        names.append(frame.f_code.co_name)

    look()
    return names, n


CASES = [
    titled("recursive conversion of callees", callees, *SCALARS),
    titled("methods, classmethods, staticmethods, callable objects, partials, partialmethod, "
        "functools.wraps decorators, contextmanager", methods, *SCALARS),
    titled("decorators of the top function", wrapped, *SCALARS),
    titled("constructors `A(x)`", constructor, *SCALARS),
    titled("properties", properties, *SCALARS),
    titled("operator dunders", operators_by_type, (3,), (2.5,), (np.float64(2.5),), (np.int64(3),)),
    titled("operator dunders, objects", operators, *SCALARS),
    titled("operator dunders, `__neg__`, `__iadd__`, `__setitem__`, `__iter__`", unary_and_updating,
        *SCALARS),
    titled("operator dunders, `__neg__` that makes an object", unary_made, *SCALARS),
    titled("`__enter__` and `__exit__`", managed, *SCALARS),
    titled("functions passed to builtin `map/filter/sorted` over Python lists", passed_to_builtins,
        *SCALARS),
    titled("lru_cache, wrapt", calls_cached, *SCALARS),
    titled("name-mangled attributes `self.__x`", mangled, *SCALARS),
    titled("recursion on tensors", recursion, *NUMBERS),
    titled("star-args, kw-only, positional-only, defaults", all_parameters, *SCALARS),
    titled("star-args, kw-only, positional-only, defaults: by object", defaults, *SCALARS),
    titled("annotations of nested/local functions", annotations, *SCALARS),
    titled("closures", closures, *SCALARS),
    titled("no source (exec, REPL, frozen)", calls_without_source, *SCALARS[3:]),
    titled("allowlist", allowlisted, (3,), (4,)),
    titled("`do_not_convert`", calls_left_alone, *SCALARS),
    titled("a parameter or variable called `ag__`", named_ag, *SCALARS),
    titled("recursion depth", deep, (3,), (np.int64(3),)),
    titled("frame introspection", frames, (3,), (np.int64(3),)),
]
