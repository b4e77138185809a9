"""What makes a new trace and what does not: literals, arrays, containers, objects, functions."""

import dataclasses
import datetime
import enum
import gc
import math
import pathlib
import weakref
from collections import OrderedDict, defaultdict, namedtuple
from decimal import Decimal

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.signatures.cache_keys import value_key


def traces(*calls, options=None):
    """How many traces these calls of a fresh identity make; each call is a tuple of arguments."""
    function = ag.function(lambda *args: args, **(options or {}))
    for args in calls:
        function(*args)
    return function.experimental_get_tracing_count()


UTC, UTC_0 = datetime.UTC, datetime.timedelta(0)
LATER = datetime.timezone(datetime.timedelta(hours=1))


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


Point = namedtuple("Point", "x y")


@dataclasses.dataclass
class Pair:
    a: object
    b: object


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: object


class Plain:
    """An object that nothing is known of."""

    def __init__(self, scale=1):
        self.scale = scale

    def __repr__(self):
        return f"Plain({self.scale})"


class Slotted:
    __slots__ = ("scale",)

    def __init__(self, scale):
        self.scale = scale

    def __repr__(self):
        return f"Slotted({self.scale})"


@pytest.mark.parametrize(("a", "b"), [
    (1, True), (1, 1.0), (0.0, -0.0), ("a", b"a"), (0, None), (0j, -0j), (1, 2), ("a", "b"),
    (slice(1), slice(2)), (range(2), range(3)), ({1}, {2}), ({1}, frozenset({1})),
    (Colour.RED, Colour.BLUE), ([1], (1,)), ([1, -1], [1, 1]), ({"a": 1}, {"b": 1}),
    (Point(1, 2), (1, 2)), (Decimal("1"), Decimal("2")), (datetime.date(2020, 1, 1), 1),
    (pathlib.Path("a"), pathlib.Path("b")), (np.float32, np.float64), (math.sin, math.cos),
    (np.ones(2), np.ones(3)), (np.ones(2), np.ones(2, np.float32)), (np.float64(1), np.array(1.0)),
    (np.ones((2, 3)), np.ones((3, 2))), (Pair(1, 2), Pair(1, 3)), (np.str_("a"), "a"),
    (OrderedDict(a=1), {"a": 1}), (Plain(), Plain()), (Slotted(1), Slotted(1)),
    # equal, but not the same
    (range(0, 3, 2), range(0, 4, 2)), (Decimal("1.0"), Decimal("1.00")),
    (Decimal(0), Decimal("-0")), (UTC, datetime.timezone(UTC_0, "X")),
    (datetime.time(1, tzinfo=UTC), datetime.time(2, tzinfo=LATER)),
    (pathlib.PureWindowsPath("a"), pathlib.PureWindowsPath("A")),
    ({1: 2}, {True: 2}), ({True: 2}, {1.0: 2}), ({3: 4, 1: 2}, {3: 4, True: 2}),
    ({0.0: 1}, {-0.0: 1}), ({(1, 2): 3}, {(True, 2): 3}),
    (OrderedDict({1: 2}), OrderedDict({True: 2})),
], ids=repr)
def test_values_with_traces_of_their_own(a, b):
    assert traces((a,), (b,), (a,), (b,)) == 2


@pytest.mark.parametrize(("a", "b"), [
    (float("nan"), float("nan")), (1000000, int("1000000")), ("ab", "".join("ab")),
    ({1, 2}, {2, 1}), (slice(1, None), slice(1, None)), ([1, -1], [1, -1]),
    (Decimal("1"), Decimal("1")),
    (datetime.date(2020, 1, 1), datetime.date(2020, 1, 1)), (np.ones(2), np.zeros(2)),
    (np.int64(1), np.int64(2)), (np.str_("a"), np.str_("bcd")),
    (Point(np.ones(1), 1), Point(np.zeros(1), 1)),
    ({"a": np.ones(2)}, {"a": np.zeros(2)}), (Pair(np.ones(2), 1), Pair(np.zeros(2), 1)),
    (Frozen(1), Frozen(1)), (range(3), range(3)),
    (OrderedDict(a=np.ones(1)), OrderedDict(a=np.zeros(1))),
    (defaultdict(list, a=np.ones(1)), defaultdict(list, a=np.zeros(1))),
    (np.array(["a", "b"]), np.array(["c", "d"])), (1 + 2j, 1 + 2j),
], ids=repr)
def test_values_that_share_a_trace(a, b):
    assert traces((a,), (b,)) == 1


class Nested:
    """A class that takes itself apart into lists that nothing else refers to."""

    def __init__(self, inside):
        self.inside = inside

    def __ag_flatten__(self):
        return (), [[[self.inside], [self.inside]]]

    @classmethod
    def __ag_unflatten__(cls, metadata, components):
        return cls(components[0][0][0])


def test_lists_that_live_for_a_moment_are_not_taken_for_each_other():
    f = ag.function(lambda p, q, r: (p.inside, q.inside, r.inside))
    one, two, three = np.ones(1), np.zeros(2), np.ones(3)
    for _ in range(2):
        found = f(Nested(one), Nested(two), Nested(three))
        assert [x.tolist() for x in found] == [[1], [0, 0], [1, 1, 1]]
    assert f.experimental_get_tracing_count() == 1


def test_literal_reaches_the_function_as_it_is():
    @ag.function
    def f(x):
        return type(x), x

    assert f(range(3)) == (range, range(3))
    assert f({2}) == (set, {2})
    assert [f(True), f(1), f(1.0)] == [(bool, True), (int, 1), (float, 1.0)]
    assert math.copysign(1, f(-0.0)[1]) == -1 and math.copysign(1, f(0.0)[1]) == 1


def test_dict_classes_arrive_as_themselves():
    @ag.function
    def f(d):
        return type(d), d

    for made in ({"a": np.ones(1)}, OrderedDict(a=np.ones(1)), defaultdict(int, a=np.ones(1))):
        cls, back = f(made)
        assert cls is type(made) is type(back)
        assert back["a"] is made["a"]


def test_dict_keys_of_mixed_types():
    f = ag.function(lambda d: d["a"] + d[2])
    assert f({"a": np.float64(1), 2: np.float64(2)}) == 3


def test_order_of_keys_is_part_of_the_signature():
    f = ag.function(lambda d: list(d))
    assert f({"a": 1, "b": 2}) == ["a", "b"]
    assert f({"b": 2, "a": 1}) == ["b", "a"]


def test_keywords_defaults_and_positions_are_one_call():
    @ag.function
    def f(a, b=2, *, c):
        return a + b + c

    one = np.float64(1)
    assert [f(one, c=3), f(one, 2, c=3), f(c=3, a=one, b=2)] == [6, 6, 6]
    assert f.experimental_get_tracing_count() == 1


def test_varargs_and_keyword_arguments():
    @ag.function
    def f(*args, **kwargs):
        return sum(args), sorted(kwargs), kwargs["k"] * 2

    assert f(np.float64(1), np.float64(2), k=np.float64(3)) == (3, ["k"], 6)
    assert f(np.float64(1), np.float64(2), k=np.float64(4)) == (3, ["k"], 8)
    assert f.experimental_get_tracing_count() == 1
    assert f(np.float64(1), k=np.float64(4)) == (1, ["k"], 8)
    assert f.experimental_get_tracing_count() == 2


def test_same_array_twice_is_another_signature():
    @ag.function
    def f(x, y):
        x[0] = 10
        return y[0]

    a, b = np.ones(2), np.ones(2)
    assert f(a, b) == 1
    assert f(a, a) == 10
    assert f(b, np.ones(2)) == 1


def test_arrays_that_overlap_are_written_as_by_python():
    @ag.function
    def f(x, y):
        x += 1
        y *= 2

    x = np.arange(4.0)
    f(np.ones(3), np.ones(3))
    f(x[1:], x[:-1])
    assert x.tolist() == [0, 4, 6, 4]


def test_same_list_twice_is_one_list():
    @ag.function
    def f(a, b):
        a.append(1)
        return len(b)

    xs = [np.ones(1)]
    assert f(xs, [np.ones(1)]) == 1
    ys = [np.ones(1)]
    assert f(ys, ys) == 2 == len(ys)


def test_containers_of_the_caller_are_changed():
    @ag.function
    def f(names, point, table):
        names.add("new")
        point.a = point.a + 1
        table["x"] = table["x"] * 2

    for _ in range(2):
        names, point, table = {"old"}, Pair(np.float64(1), 2), OrderedDict(x=np.ones(1))
        f(names, point, table)
        assert (names, point.a, table["x"]) == ({"old", "new"}, 2, [2])


def test_lambdas_of_one_place_share_by_what_they_close_over():
    f = ag.function(lambda g, x: g(x))

    def times(n):
        return lambda x: n * x

    assert [f(times(2), np.float64(3)), f(times(2), np.float64(4)), f(times(5), np.float64(3))] == [
        6, 8, 15]
    assert f.experimental_get_tracing_count() == 2


def test_lambda_over_an_array_counts_by_identity():
    f = ag.function(lambda g: g() + 1)

    def holding(x):
        return lambda: x

    assert f(holding(np.float64(1) * np.ones(1))) == 2
    assert f(holding(np.ones(1) * 5)) == 6


def test_rebound_closure_variable_of_a_function_argument_is_seen():
    n = 1

    def g(x):
        return x + n

    f = ag.function(lambda g, x: g(x))
    first = f(g, np.float64(1))
    n = 10
    assert (first, f(g, np.float64(1))) == (2, 11)


def test_object_is_stale_but_dead_objects_are_forgotten():
    f = ag.function(lambda o, x: o.scale * x)
    o = Plain(2)
    assert f(o, np.float64(3)) == 6
    o.scale = 100
    assert f(o, np.float64(3)) == 6
    assert f.experimental_get_tracing_count() == 1
    gone = weakref.ref(o)
    del o
    gc.collect()
    assert gone() is None
    assert f.cache_info().traces == 0
    assert f(Plain(7), np.float64(1)) == 7


def test_slotted_objects_count_by_identity():
    f = ag.function(lambda o, x: o.scale * x)
    a, b = Slotted(2), Slotted(3)
    assert [f(a, np.float64(1)), f(b, np.float64(1)), f(a, np.float64(2))] == [2, 3, 4]
    assert f.experimental_get_tracing_count() == 2


def test_weak_reference_counts_by_what_it_refers_to():
    f = ag.function(lambda r, x: r().scale * x)
    o = Plain(2)
    assert [f(weakref.ref(o), np.float64(3)), f(weakref.ref(o), np.float64(4))] == [6, 8]
    assert f.experimental_get_tracing_count() == 1


class Fruit:
    """Known by its class, as in the guide of tf.function."""

    class Type:
        def __init__(self, fruit):
            self.fruit = fruit

        def is_subtype_of(self, other):
            return type(other) is Fruit.Type and type(self.fruit) is type(other.fruit)

        def most_specific_common_supertype(self, others):
            return self if all(self == other for other in others) else None

        def placeholder_value(self, context):
            return self.fruit

        def __eq__(self, other):
            return self.is_subtype_of(other)

        def __hash__(self):
            return hash(type(self.fruit))

    def __ag_tracing_type__(self, context):
        return Fruit.Type(self)


class Apple(Fruit):
    flavour = np.array([1, 2])


class Mango(Fruit):
    flavour = np.array([3, 4])


def test_tracing_type_protocol():
    @ag.function
    def mixed(a, b):
        return a.flavour + b.flavour

    assert mixed(Apple(), Mango()).tolist() == [4, 6]
    assert mixed(Apple(), Mango()).tolist() == [4, 6]
    assert mixed.experimental_get_tracing_count() == 1
    assert mixed(Mango(), Mango()).tolist() == [6, 8]
    assert mixed.experimental_get_tracing_count() == 2


class Masked:
    """Flattened into two arrays and a name."""

    def __init__(self, values, mask, name):
        self.values, self.mask, self.name = values, mask, name

    def __ag_flatten__(self):
        return self.name, [self.values, self.mask]

    @classmethod
    def __ag_unflatten__(cls, metadata, components):
        return cls(*components, metadata)


def test_flatten_protocol_in_arguments_and_results():
    @ag.function
    def f(m):
        return Masked(np.where(m.mask, m.values * 2, 0), m.mask, m.name + "!")

    mask = np.array([True, False])
    made = [f(Masked(np.array([x, 1.0]), mask, "m")) for x in (1.0, 3.0)]
    assert [(type(m), m.values.tolist(), m.name) for m in made] == [
        (Masked, [2, 0], "m!"), (Masked, [6, 0], "m!")]
    assert f.experimental_get_tracing_count() == 1
    f(Masked(np.ones(2), mask, "other"))
    assert f.experimental_get_tracing_count() == 2


def test_failed_trace_is_not_kept():
    fail = [True]

    @ag.function
    def f(x):
        if fail:
            raise KeyError("no")
        return x

    with pytest.raises(KeyError):
        f(np.ones(2))
    fail.clear()
    assert f.cache_info().traces == 0
    assert f(np.ones(2)).tolist() == [1, 1]


def test_missing_and_extra_arguments_in_the_words_of_python():
    def f(x, *, y=1):
        return x

    for args, kwargs in (((), {}), ((1, 2), {}), ((1,), {"z": 2})):
        with pytest.raises(TypeError) as plain:
            f(*args, **kwargs)
        with pytest.raises(TypeError) as ours:
            ag.function(f)(*args, **kwargs)
        assert str(ours.value) == str(plain.value)


def test_parameters_may_be_called_anything():
    @ag.function
    def f(_g1, _type, entry, np_):
        return _g1 + _type + entry + np_

    for _ in range(2):
        assert f(np.float64(1), np.float64(2), 3, 4) == 10


def test_object_arrays_are_arguments_not_constants():
    f = ag.function(lambda x: x[0] + x[1])
    x = np.array([1, "a"], dtype=object)
    with pytest.raises(TypeError):
        f(x)
    assert f(np.array(["b", "a"], dtype=object)) == "ba"
    assert f(np.array([1, 2], dtype=object)) == 3


def test_subclass_of_array_is_another_signature():
    f = ag.function(lambda x: x * 2)
    values = np.array([1.0, 2.0])
    assert f(values).tolist() == [2, 4]
    masked = f(np.ma.array(values, mask=[True, False]))
    assert masked.tolist() == [None, 4]
    assert f.experimental_get_tracing_count() == 2


def test_a_function_may_be_a_keyword_default_of_its_own():
    def f(x, *, again=None):
        return x if again is None else again(x + 1)

    f.__kwdefaults__ = {"again": f}
    assert value_key(f) == value_key(f)
    g = ag.function(lambda x: f(x, again=None), captures="guard")
    assert g(np.float64(1)) == 1
