"""Shapes and indices drawn at random: the rules against NumPy, with some dims forgotten."""

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autograph.runtime.ir.types import PY_NUMBERS, ArrayType, Dim, PyType, type_of
from autograph.runtime.ops import OPS, is_basic_index
from autograph.runtime.ops.type_rules import broadcast

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
DTYPES = st.sampled_from(["?", "i1", "u1", "i4", "u8", "i8", "f2", "f4", "f8", "c8", "c16"])


def forget(draw: Any, shape: tuple[int, ...]) -> tuple[Dim, ...]:
    """The dims, of which some are names (equal names for equal dims) or not known."""
    return tuple(draw(st.sampled_from([d, f"n{d}", None])) for d in shape)


@st.composite
def shapes_that_may_fit(draw: Any) -> tuple[list[Any], list[Any]]:
    shapes = draw(st.lists(SHAPES, min_size=1, max_size=3))
    return shapes, [forget(draw, s) for s in shapes]


@given(shapes_that_may_fit())
def test_broadcast(case: tuple[list[Any], list[Any]]) -> None:
    shapes, known = case
    try:
        exact = np.broadcast_shapes(*shapes)
    except ValueError:
        with pytest.raises(ValueError, match="broadcast"):
            broadcast(*shapes)
        return
    assert broadcast(*shapes) == exact
    assert ArrayType(None, broadcast(*known)).admits(np.empty(exact))


@st.composite
def indexed(draw: Any) -> tuple[Any, Any, tuple[Dim, ...]]:
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4))
    basic = hnp.basic_indices(shape, allow_newaxis=True)
    advanced = hnp.integer_array_indices(shape)
    masks = hnp.arrays(bool, shape[: draw(st.integers(1, len(shape)))])
    index = draw(st.one_of(basic, advanced, masks, mixed_indices(shape)))
    return np.zeros(shape), index, forget(draw, shape)


@st.composite
def mixed_indices(draw: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Slices, ints, index arrays, masks and new axes next to each other."""
    out: list[Any] = []
    for side in shape[: draw(st.integers(0, len(shape)))]:
        out.append(draw(st.one_of(
            st.slices(side), st.integers(-side, side - 1),
            hnp.arrays(np.intp, draw(st.sampled_from([(2,), (1,), (3, 1), ()])),
                       elements=st.integers(0, side - 1)),
            st.just(np.ones(side, bool)))))
        if draw(st.integers(0, 4)) == 0:
            out.append(None)
    if draw(st.booleans()):
        out.append(Ellipsis)
    return tuple(out)


def numbers_forgotten(index: Any) -> Any:
    """The index with its ints as types."""
    if isinstance(index, tuple):
        return tuple(map(numbers_forgotten, index))
    if isinstance(index, slice):
        return slice(*map(numbers_forgotten, (index.start, index.stop, index.step)))
    if type(index) in PY_NUMBERS:
        return PyType(type(index))
    return type_of(index) if isinstance(index, (np.ndarray, np.generic)) else index


@pytest.mark.slow
@given(indexed())
def test_getitem(case: tuple[Any, Any, tuple[Dim, ...]]) -> None:
    x, index, known = case
    infer = OPS["getitem"].infer
    try:
        item = x[index]
    except IndexError:  # index arrays that do not broadcast
        return
    forgotten = numbers_forgotten(index)
    for t in (type_of(x), ArrayType(x.dtype, known), ArrayType(None, known),
              ArrayType(x.dtype, None)):
        assert infer(t, forgotten).admits(item)
        if not has_arrays(index):
            assert infer(t, index).admits(item)
    if not has_arrays(index):
        assert infer(type_of(x), index) == type_of(item)
    if isinstance(item, np.ndarray) and item.size:
        assert is_basic_index(forgotten) == np.shares_memory(item, x)


def has_arrays(index: Any) -> bool:
    return any(isinstance(i, np.ndarray) for i in (index if isinstance(index, tuple) else (index,)))


@given(indexed(), st.data())
def test_setitem_rule_raises_only_where_the_store_fails(case: Any, data: Any) -> None:
    x, index, known = case
    value = np.zeros(data.draw(SHAPES))
    args = (ArrayType(x.dtype, known), numbers_forgotten(index), type_of(value))
    try:
        OPS["setitem"].infer(*args)
    except (ValueError, IndexError):
        with pytest.raises((ValueError, IndexError)):
            x[index] = value


OPERATORS = ["add", "subtract", "multiply", "divide", "floor_divide", "mod", "power", "less",
             "equal", "bitwise_and", "left_shift"]
OPERANDS = st.one_of(
    st.builds(lambda d, s: np.ones(s, d), DTYPES, st.sampled_from([(), (2,), (1, 2)])),
    st.builds(lambda d: np.dtype(d).type(1), DTYPES), st.sampled_from([True, 2, 1.5, 1j]))


@given(st.sampled_from(OPERATORS), OPERANDS, OPERANDS)
def test_operator(name: str, a: Any, b: Any) -> None:
    op = OPS[name]
    try:
        with np.errstate(all="ignore"):
            value, error = op.kernel(a, b), None
    except Exception as raised:
        value, error = None, raised
    try:
        t = op.infer(type_of(a), type_of(b))
    except Exception as raised:
        assert error is not None and isinstance(raised, type(error))
        return
    if error is None:
        assert t.admits(value)
        if not answered_loosely(name, a, b):
            assert t == type_of(value)


def answered_loosely(name: str, a: Any, b: Any) -> bool:
    """Cases in which the type depends on the values, or in which Python may answer for NumPy."""
    if not hasattr(a, "dtype") and not hasattr(b, "dtype"):
        return name == "power"
    return (type(a) is complex and isinstance(b, np.generic)) or (
        name == "power" and getattr(a, "dtype", None) == np.dtype(bool))


@given(SHAPES, st.data())
def test_reshape(shape: tuple[int, ...], data: Any) -> None:
    x = np.zeros(shape)
    sides = data.draw(st.lists(st.sampled_from([-1, 1, 2, 3, 4, 6, x.size]), max_size=3))
    known = ArrayType(x.dtype, forget(data.draw, shape))
    try:
        made = x.reshape(sides)
    except ValueError:
        return
    assert OPS["reshape"].infer(known, tuple(sides)).admits(made)
    assert OPS["reshape"].infer(type_of(x), tuple(sides)).admits(made)


@pytest.mark.slow
@given(SHAPES, st.data())
def test_sum(shape: tuple[int, ...], data: Any) -> None:
    axis = data.draw(st.one_of(st.none(), st.integers(-4, 4), st.tuples(st.integers(-4, 4))))
    keepdims = data.draw(st.booleans())
    x, known = np.zeros(shape, "i4"), ArrayType(np.dtype("i4"), forget(data.draw, shape))
    try:
        made = np.sum(x, axis=axis, keepdims=keepdims)
    except np.exceptions.AxisError:
        with pytest.raises(np.exceptions.AxisError):
            OPS["sum"].infer(known, axis=axis, keepdims=keepdims)
        return
    assert OPS["sum"].infer(known, axis=axis, keepdims=keepdims).admits(made)
    assert OPS["sum"].infer(type_of(x), axis=axis, keepdims=keepdims) == type_of(made)


def test_operators_are_pythons_own() -> None:
    assert OPS["add"].kernel is operator.add and OPS["getitem"].kernel is operator.getitem
