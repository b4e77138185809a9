"""Operators: of what kind Python's operators and calls of ufuncs on numbers are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation
from autograph.runtime.native.array_rules import ASTYPE, chosen_dtype, is_on_lanes, resolved_kinds
from autograph.runtime.native.complex_forms import COMPLEX_FORMS, is_power
from autograph.runtime.native.forms import FORMS
from autograph.runtime.native.inner_loops import is_known, loop_for_numbers
from autograph.runtime.native.kinds import (
    BOOL,
    DTYPES,
    FLOAT,
    IN_NUMPY,
    IN_PYTHON,
    INT,
    PARTS,
    NotNative,
    Number,
    check_cast,
    known_dtype,
    promoted,
)
from autograph.runtime.ops.adjoints import SUM_TO_TYPE
from autograph.runtime.ops.op import Op

SIGNS = {np.equal: "==", np.not_equal: "!=", np.less: "<", np.less_equal: "<=", np.greater: ">",
         np.greater_equal: ">="}
COMPARISONS = tuple(SIGNS)
OF_BITS = (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.left_shift, np.right_shift)
SIGNED = (np.negative, np.positive, np.absolute)


def common(ufunc: Any, numbers: list[Number]) -> Number:
    """Returns the kind that the operands of an operator are converted to."""
    a, b = numbers[0], numbers[-1]
    if a.dtype == b.dtype == BOOL and (ufunc in OF_BITS or ufunc in COMPARISONS):
        return Number(BOOL, a.box | b.box)
    both = promoted(a, b) if len(numbers) == 2 else a
    if ufunc is np.divide and both.dtype.kind not in "fc":
        if both.dtype.itemsize < 4 and both.dtype != BOOL:
            raise NotNative("a quotient of small ints")
        return Number(FLOAT, both.box)
    if ufunc in SIGNED and a.dtype == BOOL and a.box == IN_PYTHON:
        return Number(INT, IN_PYTHON)
    return both


def result_of_operator(ufunc: Any, numbers: list[Number]) -> Number:
    """Returns the kind of the result of an operator on numbers.

    Raises:
      NotNative: there is no machine code for it.
    """
    kind = common(ufunc, numbers)
    dtype = kind.dtype
    if dtype.kind == "f" and ufunc is not np.divide and all(n.dtype.kind in "iu" for n in numbers):
        raise NotNative("ints that become floats")
    if dtype.kind == "c":
        return _of_complex(ufunc, kind)
    if ufunc in COMPARISONS:
        return Number(BOOL, kind.box)
    if dtype == BOOL and (ufunc not in OF_BITS[:3]):
        raise NotNative("arithmetic on bools")
    if ufunc is np.power and dtype != FLOAT:
        raise NotNative(f"a power of {dtype}")
    if ufunc in FORMS and (dtype.kind in "biu" or ufunc not in OF_BITS):
        return _one_box(kind) if dtype == BOOL else kind
    raise NotNative(f"{ufunc.__name__} of {dtype}")


def _of_complex(ufunc: Any, kind: Number) -> Number:
    """Returns the kind of the result of an operator on complex numbers; quotients of Python's are
    rounded otherwise than NumPy's."""
    of_either = ufunc is np.divide and len(kind.box) == 2
    if ufunc not in COMPLEX_FORMS or of_either or (ufunc is np.power and (
            kind.box != IN_NUMPY or not is_power(kind.dtype))):
        raise NotNative(f"{ufunc.__name__} of {kind}")
    if ufunc in COMPARISONS:
        return Number(BOOL, kind.box)
    return Number(PARTS[kind.dtype], kind.box) if ufunc is np.absolute else kind


def is_class_of_numbers(op: Op) -> bool:
    """Returns True for a class of NumPy's that machine code computes on, such as `np.uint32`."""
    return isinstance(op.kernel, type) and issubclass(op.kernel, np.generic) and (
        np.dtype(op.kernel) in DTYPES)


def of_class(op: Op, number: Number) -> Number:
    """Returns the kind of `np.uint32(number)`."""
    cls: Any = op.kernel
    dtype = known_dtype(np.dtype(cls))
    check_cast(number.dtype, dtype)
    if len(number.box) == 2 and number.dtype != dtype:
        raise NotNative("a number whose class only the run knows")
    return Number(dtype, IN_NUMPY)


def chosen_number(numbers: list[Number]) -> Number:
    """Returns the kind of `np.where(test, x, y)` of numbers.

    Raises:
      NotNative: the test is no bool, or only the run knows the dtype.
    """
    test, *others = numbers
    found = {chosen_dtype(list(given)) for given in in_boxes(others)}
    if test.dtype != BOOL or len(found) != 1 or not found <= DTYPES:
        raise NotNative("a choice whose dtype only the run knows, or that is not by a bool")
    return Number(known_dtype(found.pop()), IN_NUMPY, in_array=True)


def numbers_of(e: Equation) -> tuple[Atom, ...]:
    """Returns the operands of an equation on numbers, without the dtype that some are given."""
    return e.args[:1] if e.op in (ASTYPE, SUM_TO_TYPE) else e.args


def in_boxes(numbers: list[Number]) -> Iterator[tuple[Number, ...]]:
    """Yields the ways in which each number has one box."""
    return product(*[[Number(n.dtype, frozenset((box,))) for box in n.box] for n in numbers])


def cast_of_number(number: Number, dtype: Any) -> Number:
    """Returns the kind of `number.astype(dtype)`, from floats to floats."""
    if number.box != IN_NUMPY or number.dtype.kind != "f" or not (
            isinstance(dtype, np.dtype) and dtype.kind == "f" and dtype in DTYPES):
        raise NotNative(f"a cast of {number}")
    return Number(known_dtype(dtype), IN_NUMPY)


def called(ufunc: Any, numbers: list[Number]) -> tuple[np.dtype[Any], ...]:
    """Returns the dtypes in which a call of a ufunc computes on numbers, that of the result last.

    Raises:
      NotNative: there is no machine code for it, or the dtypes depend on what only the run knows.
    """
    if not is_known(ufunc):
        raise NotNative(f"the ufunc {ufunc.__name__}")
    found = {resolved_kinds(ufunc, list(given)) for given in in_boxes(numbers)}
    if len(found) != 1:
        raise NotNative("a result whose dtype only the run knows")
    (dtypes,) = found
    if not set(dtypes) <= DTYPES or not (
            is_on_lanes(ufunc, dtypes) or loop_for_numbers(ufunc, dtypes) is not None):
        raise NotNative(f"{ufunc.__name__} of {dtypes[0]}")
    return dtypes


def _one_box(kind: Number) -> Number:
    """A Python bool with a NumPy one gives a NumPy one; the boxes of both operands are asked."""
    if len(kind.box) == 2:
        raise NotNative("bools of Python's and NumPy's together")
    return kind
