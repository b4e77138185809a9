"""Types: what they admit, how they join, how they print."""

import copy
import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.types import (
    DYNAMIC,
    UNDEFINED,
    ArrayType,
    DynamicType,
    PyType,
    Type,
    dtype_name,
    join,
    parse_dtype,
    type_of,
)
from autograph.runtime.ir.undefined import UndefinedValue

F8, F4, I8 = map(np.dtype, ("f8", "f4", "i8"))
VALUES: list[Any] = [
    1, 2.5, True, 1j, None, "a", range(3), np.float64(1), np.float32(1), np.int64(1), np.array(1.0),
    np.ones(3), np.ones((2, 3)), np.ones((4, 3)), np.ones(3, "i8"), np.ones((0,)), [1], {"k": 1},
    UndefinedValue("y"),
]
TYPES: list[Type] = [
    *map(type_of, VALUES), DYNAMIC, UNDEFINED, DynamicType(True, PyType(int)),
    ArrayType(None, None),
    ArrayType(F8, None), ArrayType(None, (3,)), ArrayType(F8, ("n",)), ArrayType(F8, (None, 3)),
    ArrayType(None, (), True), ArrayType(F4, ("n", "m")),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_type_of_a_value_admits_it(value: Any) -> None:
    assert type_of(value).admits(value)


@pytest.mark.parametrize(("t", "value", "admitted"), [
    (PyType(int), True, False), (PyType(int), np.int64(1), False), (PyType(float), 1, False),
    (ArrayType(F8, (), True), np.array(1.0), False), (ArrayType(F8, ()), np.float64(1), False),
    (ArrayType(F8, None), np.float64(1), True), (ArrayType(F8, None), np.array(1.0), True),
    (ArrayType(F8, None), 1.0, False), (ArrayType(None, None), 1.0, True),
    (ArrayType(None, (), True), 1, True), (ArrayType(None, (), True), np.int8(1), True),
    (ArrayType(None, (), True), "a", False), (ArrayType(None, (3,)), np.ones(3, "i1"), True),
    (ArrayType(F8, (3,)), np.ones(3, "f4"), False),
    (ArrayType(F8, ("n", None)), np.ones((2, 3)), True),
    (ArrayType(F8, (2,)), np.ones(3), False), (DYNAMIC, object(), True),
])
def test_admits(t: Type, value: Any, admitted: bool) -> None:
    assert t.admits(value) is admitted


PAIRS = list(product(TYPES, TYPES))
UNSOUND = "the join of f64 with a type without a dtype is f64: np.dtype('f8') == None holds"


def knows_no_dtype(t: Type) -> bool:
    return isinstance(t, PyType) or (isinstance(t, ArrayType) and t.dtype is None) or (
        isinstance(t, DynamicType) and t.bound is not None and knows_no_dtype(t.bound))


def is_f64(t: Type) -> bool:
    return isinstance(t, ArrayType) and t.dtype is not None and t.dtype == F8


def meets_none(a: Type, b: Type) -> bool:
    return (is_f64(a) and knows_no_dtype(b)) or (is_f64(b) and knows_no_dtype(a))


@pytest.mark.parametrize("a", TYPES, ids=str)
def test_join_admits_what_either_admits(a: Type) -> None:
    for b in TYPES:
        if not meets_none(a, b):
            check_join(a, b)


def check_join(a: Type, b: Type) -> None:
    joined = join(a, b)
    assert all(joined.admits(v) for v in VALUES if a.admits(v) or b.admits(v))
    assert str(join(b, a)) == str(joined)
    assert str(join(joined, a)) == str(joined)


def test_join_of_f64_with_an_unknown_dtype() -> None:
    for a, b in PAIRS:
        if meets_none(a, b):
            check_join(a, b)


@pytest.mark.parametrize("t", TYPES, ids=str)
def test_join_with_itself(t: Type) -> None:
    assert str(join(t, t)) == str(t)


@pytest.mark.parametrize("name", ["?", "i1", "u8", "f2", "f4", "c16", "M8[ns]", "U7", ">i4"])
def test_dtype_name_reads_back(name: str) -> None:
    dtype = np.dtype(name)
    assert parse_dtype(dtype_name(dtype)) == dtype


@pytest.mark.parametrize("t", TYPES, ids=str)
def test_equal_types_are_one_object(t: Type) -> None:
    assert copy.deepcopy(t) is t and pickle.loads(pickle.dumps(t)) is t


def told(x: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    return x.dtype.char, x.dtype.metadata, (x + x).dtype.char, np.sum(x).dtype.char


def test_dtypes_that_numpy_says_are_equal_stay_apart() -> None:
    traced = ag.function(told)
    for dtype in ("l", "q", "L", "Q", "d", np.dtype("d", metadata={"unit": 1}), "l"):
        x = np.ones(3, dtype)
        assert traced(x) == told(x)


def test_a_value_among_constants_is_equal_to_itself_alone() -> None:
    value, constant = Value(ArrayType(F8, (2,))), np.ones(2)
    assert value not in (constant, np.float64(1), 1)
    assert value in (constant, value)
    assert (constant, value).index(value) == 1
    assert (constant,) != (value,)
