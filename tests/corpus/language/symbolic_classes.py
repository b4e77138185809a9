"""Methods, properties, operators, `__init__`, and callables handed to others."""

import functools
import operator

import numpy as np

from tests.corpus.arguments import NUMBERS, SCALARS
from tests.corpus.case import titled

VECTORS = [(np.array([1.0, -2.0, 3.0]),), (np.array([1.0, 0.5, 8.0]),)]


class Base:
    count = 0

    def __init__(self, value):
        if value > 1:
            self.value = value
            self.kind = "big"
        else:
            self.value = 1 - value
            self.kind = "small"

    @property
    def size(self):
        if self.value > 3:
            return 3
        return self.value

    @size.setter
    def size(self, size):
        self.value = size if size > 0 else -size

    @classmethod
    def make(cls, x):
        if x > 10:
            return cls(x / 10)
        return cls(x)

    @staticmethod
    def sign(x):
        return 1 if x > 0 else -1

    def shifted(self, by):
        if by > 0:
            return self.value + by
        return self.value


class Derived(Base):
    def __init__(self, value):
        super().__init__(value)
        if value < 0:
            self.extra = value
        else:
            self.extra = 0.0

    def shifted(self, by):
        if by > 2:
            return super().shifted(by) * 2
        return super().shifted(-by)

    @property
    def size(self):
        return super().size + 1 if self.extra == 0 else super().size


def methods(x):
    a, b = Base(x), Derived(x)
    return a.shifted(x), b.shifted(x), Base.sign(x), b.sign(-x), Derived.make(x).value


def properties(x):
    a = Base(x)
    first = a.size
    a.size = x - 5
    if x > 0:
        a.size += 1
    return first, a.size, a.value, Derived(x).size


def initial(x):
    a = Derived(x)
    return a.value, a.extra, a.kind


def bound_methods(x):
    a = Base(x)
    f = a.shifted if x > 0 else a.sign
    return f(x), [m(1.0) for m in (a.shifted, Base.sign, functools.partial(a.shifted, -1))]


class Fraction:
    def __init__(self, top, bottom):
        if bottom < 0:
            top, bottom = -top, -bottom
        self.top, self.bottom = top, bottom

    def __add__(self, other):
        if not isinstance(other, Fraction):
            other = Fraction(other, 1)
        return Fraction(self.top * other.bottom + other.top * self.bottom,
                        self.bottom * other.bottom)

    __radd__ = __add__

    def __neg__(self):
        return Fraction(-self.top, self.bottom)

    def __lt__(self, other):
        return self.top * other.bottom < other.top * self.bottom

    def __eq__(self, other):
        return self.top * other.bottom == other.top * self.bottom

    def __abs__(self):
        return -self if self.top < 0 else self

    def __bool__(self):
        return bool(self.top != 0)

    def __float__(self):
        return float(self.top / self.bottom)

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return self.top if i == 0 else self.bottom

    def __contains__(self, v):
        return v == self.top or v == self.bottom

    def __iter__(self):
        yield self.top
        yield self.bottom

    def __call__(self, v):
        if v > self.top:
            return v
        return self.top


def operators(n):
    a, b = Fraction(n, 4), Fraction(1, -2)
    c = a + b + 1
    d = 1 + a
    return (c.top, c.bottom, d.top, (-a).top, a < b, a == b, abs(a).top, float(a), len(a), a[0],
            a[1], 4 in a, n in a, list(a), a(3), a(-100))


def truth_of_objects(n):
    a = Fraction(n, 4)
    if a:
        kind = "some"
    else:
        kind = "nothing"
    return kind, not a, bool(a), "yes" if a and n > 2 else "no"


def operators_in_loops(n):
    total = Fraction(0, 1)
    k = 1
    while k < n:
        total = total + Fraction(1, k)
        if total.top > 40:
            break
        k += 1
    return total.top, total.bottom


class Vector:
    def __init__(self, items):
        self.items = items

    def __matmul__(self, other):
        s = 0.0
        for a, b in zip(self.items, other.items):
            if a > 0:
                s += a * b
        return s

    def __iadd__(self, other):
        if other > 0:
            self.items = self.items + other
        return self

    def __setitem__(self, i, v):
        self.items[i] = v if v > 0 else -v

    def __delitem__(self, i):
        self.items[i] = 0.0

    def __getattr__(self, name):
        if name == "first":
            return self.items[0] if self.items[0] > 0 else 0.0
        raise AttributeError(name)

    def __enter__(self):
        self.items = self.items * 2
        return self

    def __exit__(self, *error):
        if self.items[0] > 2:
            self.items = self.items - 1


def arrays_in_objects(x):
    a = Vector(x.copy())
    a += x[1]
    a[2] = x[1]
    del a[1]
    with a as b:
        inside = b.first
    return a.items, a @ a, a.first, inside, hasattr(a, "second")


def handed_to_builtins(x):
    keep = lambda v: v > 0

    def by(v):
        if v > 2:
            return -v
        return v

    return (list(map(by, x)), list(filter(keep, x)), sorted(x, key=by), max(x, key=by),
            min(x, key=by), sorted(x, key=by, reverse=True),
            list(map(lambda a, b: max(a, b), x, x[::-1])))


def handed_to_functools(x):
    longest = functools.reduce(lambda a, b: a if a > b else b, x)
    add = functools.partial(lambda a, b: a + b if b > 0 else a, 10.0)
    return longest, add(x[0]), list(map(add, x)), functools.reduce(operator.add, x, 1.0)


def composed(x):
    def twice(f):
        return lambda v: f(f(v))

    def collatz(n):
        return n // 2 if n % 2 == 0 else 3 * n + 1

    f = functools.reduce(lambda f, g: lambda v: g(f(v)), [collatz, twice(collatz), collatz])
    return f(x), twice(twice(collatz))(x)


def decorated(x):
    def clipped(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            r = f(*args, **kwargs)
            return r if r < 10 else 10.0
        return wrapper

    @clipped
    @clipped
    def half(v, by=2):
        if v > 0:
            return v / by
        return v

    return half(x), half(x, by=0.5), half.__name__


def class_made_in_branch(x):
    if x > 0:
        class Local:
            name = "positive"

            def get(self):
                return x if x < 10 else 10.0
    else:
        class Local:
            name = "other"

            def get(self):
                return -x
    return Local.name, Local().get()


def class_with_branches_in_body(x, flag):
    class Local:
        if flag:
            def get(self, v):
                return v if v > 0 else 0.0
        else:
            def get(self, v):
                return -v
        table = [k for k in range(3)]
        for k in table:
            if k == 1:
                break

    return Local().get(x), Local.table, Local.k


def class_attributes(x):
    class Counter:
        total = 0.0

        def add(self, v):
            if v > 0:
                Counter.total += v
            type(self).last = v
            return self

    Counter().add(x).add(-x).add(1.0)
    return Counter.total, Counter.last


def slots(x):
    class Pair:
        __slots__ = ("a", "b")

        def __init__(self, a, b):
            if a > b:
                a, b = b, a
            self.a, self.b = a, b

    p = Pair(x, 1.0)
    if x > 0:
        p.a = p.a * 2
    else:
        p.b += 1
    return p.a, p.b


class Log:
    """A class whose instances are made, and changed, in loops."""

    def __init__(self):
        self.best, self.at, self.items = -1.0, None, []

    def see(self, i, v):
        if v > self.best:
            self.best, self.at = v, i
        self.items.append(v)
        return self


def changed_in_loops(x):
    log = Log()
    for i, v in enumerate(x):
        if v < 0:
            continue
        log.see(i, v)
    return log.best, log.at, len(log.items)


class Measured:
    __slots__ = ("unit", "value")

    def __init__(self, value):
        self.value = value
        self.unit = 1


class Constant(Measured):
    """Computes what the class above keeps in a slot."""

    __slots__ = ()

    def __init__(self, unit):
        self.unit = unit

    @property
    def value(self):
        return 3 * self.unit


def slot_made_a_property(x):
    fixed, free = Constant(2), Measured(5)
    if x > 0:
        free.value = x
    else:
        fixed.unit = x
    return fixed.value, fixed.unit, free.value


def draw_of_numpy_under_a_name(x):
    rand = np.random.rand
    np.random.seed(3)  # noqa: NPY002
    found = 0.0
    for i in range(4):
        if rand() < 0.5 and i != 0 and x > 0:
            found += rand()
    return found


class Answering:
    """Has an attribute of every name, but no `__dict__`."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __getattr__(self, name):
        return Answering(name)


LIBRARY = Answering("library")


def attribute_of_every_name(x):
    made = Answering("made")
    if x > 0:
        made.name = LIBRARY.sine.name
    return made.name, made.other.name, LIBRARY.name


class Stock:
    """What its keys are, only the run knows; it is gone through by a generator of its own."""

    def __init__(self, x):
        self.amounts = {}
        for name, amount in zip("abcab", x):
            self.amounts[name] = self.amounts.get(name, 0) + amount
        if x[0] > 2:
            del self.amounts["b"]

    def __iter__(self):
        yield from sorted(self.amounts.items())


class Sized(Stock):
    def __len__(self):
        return len(self.amounts)

    def __iter__(self):
        for name, amount in self.amounts.items():
            if amount > 1:
                yield name, amount


class Handing(Stock):
    def __iter__(self):
        return iter(self.amounts.values())


def gone_through(x):
    stock, sized, handing = Stock(x), Sized(x), Handing(x)
    total = 0
    for _, amount in stock:
        if amount > 100:
            break
        total += amount
    return (list(stock), [name for name, _ in sized], tuple(handing), sum(handing), total,
            list(zip(stock, x)), sorted(handing), max(handing), any(v > 2 for v in handing),
            len(sized), dict(stock), [(i, v) for i, v in enumerate(handing)])


CASES = [
    titled("objects gone through", gone_through, (np.array([1.0, -2.0, 3.0]),),
        (np.array([4.0, 0.5, 8.0]),), (np.array([2.5, 0.5, 0.25]),)),
    titled("methods", methods, *SCALARS),
    titled("properties", properties, *SCALARS),
    titled("__init__", initial, *SCALARS),
    titled("bound methods", bound_methods, *SCALARS),
    titled("operators", operators, *NUMBERS),
    titled("truth of objects", truth_of_objects, *NUMBERS),
    titled("operators in loops", operators_in_loops, *NUMBERS),
    titled("arrays in objects", arrays_in_objects, *VECTORS),
    titled("callables handed to builtins", handed_to_builtins, *VECTORS),
    titled("callables handed to functools", handed_to_functools, *VECTORS),
    titled("functions of functions", composed, *NUMBERS),
    titled("decorators", decorated, *SCALARS),
    titled("classes made in branches", class_made_in_branch, *SCALARS),
    titled("branches in class bodies", class_with_branches_in_body,
        *[(*x, flag) for x in SCALARS[:2] for flag in (True, False)]),
    titled("class attributes", class_attributes, *SCALARS),
    titled("slots", slots, *SCALARS),
    titled("objects changed in loops", changed_in_loops, *VECTORS),
    titled("slot made a property", slot_made_a_property, *SCALARS),
    titled("draw of NumPy under a name", draw_of_numpy_under_a_name, *SCALARS),
    titled("attribute of every name", attribute_of_every_name, *SCALARS),
]
