"""Operations of derivatives on numbers: cotangents multiplied, and brought to a number's dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.runtime.ir.graph import Equation
from autograph.runtime.native.forms import on_numbers
from autograph.runtime.native.instructions import constant
from autograph.runtime.native.kinds import (
    IN_NUMPY,
    NotNative,
    Number,
    promoted,
)
from autograph.runtime.ops.adjoints import MASKED_PRODUCT, SUM_TO, SUM_TO_TYPE

if TYPE_CHECKING:
    from autograph.runtime.native.instructions import Instructions

ON_COTANGENTS = (MASKED_PRODUCT, SUM_TO, SUM_TO_TYPE)


def cotangent(e: Equation, numbers: list[Number]) -> Number:
    """Returns the kind of the result of an operation of derivatives on real numbers.

    Raises:
      NotNative: it is not on floats, or to an array.
    """
    if any(n.dtype.kind != "f" for n in numbers):
        raise NotNative(f"{e.op.name} of other numbers than floats")
    if e.op is MASKED_PRODUCT:
        return Number(promoted(*numbers).dtype, IN_NUMPY)
    if e.op is SUM_TO:
        return Number(numbers[1].dtype, IN_NUMPY)
    _, shape, dtype, scalar = e.args
    if shape != () or dtype.kind != "f":
        raise NotNative("a number that becomes an array")
    return Number(dtype, IN_NUMPY, in_array=not scalar)


def write_cotangent(i: Instructions, e: Equation, kind: Number, operands: list[Any]) -> Any:
    """Writes an operation on floats that have the dtype of the result. A product with 0 is 0,
    whatever the other number is: it is not computed, so that it raises nothing."""
    if e.op is not MASKED_PRODUCT:
        return operands[0]
    g, p = operands
    zero = constant(0, kind.dtype)
    is_zero = i.lanes.compare("==", kind.dtype, g, zero)
    made = on_numbers(i, np.multiply, kind.dtype, g, i.builder.select(is_zero, zero, p),
                      of_numpy=True)
    return i.builder.select(is_zero, zero, made)
