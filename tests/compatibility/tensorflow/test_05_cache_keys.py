"""Rows 58 to 78: which arguments share a trace."""

import collections
import dataclasses
import datetime
import decimal
import enum
import gc
import pathlib
import types
import weakref

import attrs
import numpy as np
import pytest

import autograph as ag

ONE, TWO = np.float64(1), np.float64(2)


def count(*calls, **options):
    """The number of traces that these calls of a fresh function make."""
    f = ag.function(lambda *args: args, **options)
    for args in calls:
        f(*args)
    return f.experimental_get_tracing_count()


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Point:
    x: object
    y: object


class Scale:
    def __init__(self, k):
        self.k = k


def test_row_058_arrays_by_dtype_and_shape():
    ones = np.ones(2)
    assert count((ones,), (np.zeros(2),)) == 1
    assert count((ones,), (np.ones(3),), (np.ones(2, np.float32),)) == 3


def test_row_059_numpy_numbers_are_arrays_not_values():
    assert count((np.float32(1),), (np.float32(2),)) == 1
    f = ag.function(lambda x: x)
    assert f(np.float64(1)).dtype == np.float64 and f(np.ones(2)).dtype == np.float64


@pytest.mark.parametrize(("same", "other"), [
    (1, 2), (1.5, 2.5), (1j, 2j), (True, False), ("a", "b"), (b"a", b"b"), (None, 0),
    (Colour.RED, Colour.BLUE), (datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)),
    (decimal.Decimal(1), decimal.Decimal(2)), (pathlib.Path("a"), pathlib.Path("b"))])
def test_row_060_python_values_are_literals(same, other):
    assert count((same,), (same,), (other,)) == 2


def test_row_060_nan_is_nan():
    assert count((float("nan"),), (-float("nan") * 0 + float("nan"),)) == 1


def test_row_061_one_true_and_one_point_zero_are_three_values():
    f = ag.function(lambda n: type(n)(n))
    assert [repr(f(x)) for x in (1, True, 1.0, 0.0, -0.0)] == ["1", "True", "1.0", "0.0", "-0.0"]
    assert f.experimental_get_tracing_count() == 5


def test_row_062_lists_and_tuples_by_their_elements():
    assert count(([1, -1],), ((1, -1),), ([1, -1],), ([1, 1],)) == 3
    f = ag.function(lambda x: x)
    f([1, -1])
    assert "x (POSITIONAL_OR_KEYWORD): List[Literal[1], Literal[-1]]" in (
        f.pretty_printed_concrete_signatures())


def test_row_063_each_dict_class_arrives_as_itself_and_keys_may_mix():
    f = ag.function(lambda d: d)
    for made in ({"a": ONE, 2: TWO}, collections.OrderedDict(a=ONE),
                 collections.defaultdict(list, a=ONE)):
        assert type(f(made)) is type(made) and f(made) == made
    Pair = collections.namedtuple("Pair", "x y")
    assert type(f(Pair(ONE, 1))) is Pair


def test_row_064_sets_slices_and_dataclasses_are_taken():
    f = ag.function(lambda x: x)
    assert f({1, 2}) == {1, 2} and f(slice(1, 2)) == slice(1, 2)
    assert f(Point(ONE, 2)) == Point(ONE, 2)
    assert count((Point(ONE, 2),), (Point(TWO, 2),), (Point(ONE, 3),)) == 2
    assert count(({1, 2},), ({2, 1},), ({3},)) == 2


def test_row_065_frozensets_are_literals():
    assert count((frozenset({1, 2}),), (frozenset({2, 1}),)) == 1


def test_row_066_range_arrives_as_range():
    assert ag.function(lambda r: type(r))(range(3)) is range


def test_row_067_attrs_classes_by_field():
    Pair = attrs.make_class("Pair", ["x", "n"])
    assert count((Pair(ONE, 1),), (Pair(TWO, 1),), (Pair(ONE, 2),)) == 2
    assert ag.function(lambda p: p.x + p.n)(Pair(ONE, 1)) == 2


class Masked:
    def __init__(self, values, name):
        self.values, self.name = values, name

    def __ag_flatten__(self):
        return self.name, [self.values]

    @classmethod
    def __ag_unflatten__(cls, metadata, components):
        return cls(*components, metadata)


def test_row_068_flatten_protocol():
    f = ag.function(lambda m: Masked(m.values * 2, m.name))
    made = f(Masked(np.ones(2), "a"))
    assert type(made) is Masked and made.values.tolist() == [2, 2] and made.name == "a"
    assert count((Masked(np.ones(2), "a"),), (Masked(np.zeros(2), "a"),),
                 (Masked(np.ones(2), "b"),)) == 2


class Kind:
    def __init__(self, thing):
        self.thing = thing

    def is_subtype_of(self, other):
        return self == other

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, context):
        return self.thing

    def __eq__(self, other):
        return type(other) is Kind and type(self.thing) is type(other.thing)

    def __hash__(self):
        return hash(type(self.thing))


class Typed:
    def __ag_tracing_type__(self, context):
        return Kind(self)


def test_row_069_tracing_type_protocol():
    assert count((Typed(),), (Typed(),)) == 1


def test_row_070_objects_by_identity_and_dead_ones_are_forgotten():
    f = ag.function(lambda s, x: s.k * x)
    two, five = Scale(2), Scale(5)
    assert [f(two, ONE), f(five, ONE), f(two, TWO)] == [2, 5, 4]
    two.k = 100
    assert f(two, ONE) == 2
    assert ag.function(lambda s, x: s.k * x, captures="guard")(two, ONE) == 100
    del two
    gc.collect()
    assert f.cache_info().traces == 1


def test_row_071_lambdas_by_code_and_closure():
    def times(n):
        return lambda x: n * x

    f = ag.function(lambda g, x: g(x))
    assert [f(times(2), ONE), f(times(2), TWO), f(times(3), ONE)] == [2, 4, 3]
    assert f.experimental_get_tracing_count() == 2
    assert count((types,), (types,), (int,), (float,)) == 3
    assert sum(ag.function(lambda g: list(g))(i for i in range(3))) == 3


def test_row_072_weak_references_are_taken():
    two = Scale(2)
    f = ag.function(lambda r, x: r().k * x)
    assert f(weakref.ref(two), ONE) == f(weakref.ref(two), ONE) == 2
    assert f.experimental_get_tracing_count() == 1


def test_row_073_variables_by_type_and_aliasing():
    v, w = ag.Variable(1.0), ag.Variable(2.0)
    assert count((v, w), (w, v)) == 1
    assert count((v, w), (v, v)) == 2
    assert count((v,), (ag.Variable(1),), (ag.Variable([1.0]),)) == 3


def test_row_074_structured_types_by_spec():
    f = ag.function(lambda ta: ta.write(0, ONE).stack())
    for _ in range(2):
        assert f(ag.TensorArray(np.float64, size=1)).tolist() == [1]
    assert f.experimental_get_tracing_count() == 1


def test_row_075_defaults_keywords_and_varargs_are_one_call():
    f = ag.function(lambda a, b=2, c=3, *args, **kw: a + b + c)
    assert f(ONE, c=3) == f(ONE, 2, c=3) == f(c=3, a=ONE, b=2) == f(ONE, 2, 3)
    assert f.experimental_get_tracing_count() == 1


def test_row_076_inside_another_trace_the_key_is_the_same():
    f = ag.function(lambda x: x + 1)
    outer = ag.function(lambda x: f(x))
    assert f(ONE) == outer(ONE) == 2
    assert f.experimental_get_tracing_count() == 1


def test_row_077_exact_traces_before_general_ones():
    f = ag.function(lambda x: x)
    wide = f.get_concrete_function(ag.TensorSpec([None]))
    assert f.get_concrete_function(np.ones(3)) is wide
    g = ag.function(lambda x: x)
    exact = g.get_concrete_function(np.ones(3))
    wide = g.get_concrete_function(ag.TensorSpec([None]))
    assert g.get_concrete_function(np.ones(3)) is exact
    assert g.get_concrete_function(np.ones(4)) is wide


def test_row_078_failed_trace_is_tried_again():
    state = {"fail": True}

    @ag.function
    def f(x):
        if state["fail"]:
            raise KeyError("no")
        return x

    with pytest.raises(KeyError):
        f(ONE)
    state["fail"] = False
    assert f(ONE) == 1 and f.experimental_get_tracing_count() == 1
