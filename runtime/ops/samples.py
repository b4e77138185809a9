"""Sample arguments that several families share; small, and without accidents such as equal dims."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ops.op import Sample

VECTOR = np.array([0.5, 2.0, 1.25])
OTHER = np.array([4.0, 0.25, 3.0])
MATRIX = np.array([[0.5, 1.5, 3.0], [2.0, 0.75, 1.0]])
CUBE = np.arange(1.0, 25.0).reshape(2, 3, 4)
SQUARE = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
POINT = np.array(0.75)
SCALAR = np.float64(0.5)
EMPTY = np.zeros((0, 3))
INTS = np.array([2, 0, 1])
TABLE = np.array([[3, 1, 2], [5, 4, 7]])
MASK = np.array([True, False, True])
BITS = np.array([[True, False, True], [False, False, True]])


def call(*args: Any, **kwargs: Any) -> Sample:
    """A sample, written as the call it stands for."""
    return args, kwargs


UNARY = (call(MATRIX), call(VECTOR), call(POINT), call(SCALAR), call(EMPTY))
BINARY = (call(MATRIX, VECTOR), call(VECTOR, 2), call(2.0, MATRIX), call(SCALAR, OTHER),
          call(SCALAR, SCALAR), call(POINT, 3), call(MATRIX, np.float32(2)), call(VECTOR, True))
INT_UNARY = (call(TABLE), call(INTS), call(np.int8(3)), call(MASK))
INT_BINARY = (call(TABLE, INTS), call(INTS, 2), call(np.uint8(3), TABLE), call(np.int32(6), 4))
BOOL_BINARY = (call(BITS, MASK), call(MASK, True))
