"""Functions of Python's `math` on numbers: the C library's, which Python calls, too.

Where a result is no finite number, Python may raise: the kernel is left. A function of the C
library is called only if it gives what Python gives, tried on samples.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.runtime.native.kinds import (
    BOOL,
    FLOAT,
    IN_PYTHON,
    INT,
    NotNative,
    Number,
    check_cast,
)
from autograph.runtime.native.llvm_ir import DOUBLE
from autograph.runtime.native.machine import c_function
from autograph.runtime.native.strict_floats import NEAREST
from autograph.runtime.native.symbols import library
from autograph.runtime.ops.op import Op

if TYPE_CHECKING:
    from autograph.runtime.native.instructions import Instructions

IN_LIBRARY: dict[Callable[..., Any], int] = {
    **dict.fromkeys((
        math.exp, math.expm1, math.log, math.log2, math.log10, math.log1p, math.sin, math.cos,
        math.tan, math.asin, math.acos, math.atan, math.sinh, math.cosh, math.tanh, math.asinh,
        math.acosh, math.atanh, math.erf, math.erfc, math.cbrt, math.exp2), 1),
    math.atan2: 2, math.pow: 2, math.fmod: 2}
"""Functions that are the C library's of the same name, with the number of arguments."""

ROUNDED: dict[Callable[..., Any], str] = {
    math.floor: "floor", math.ceil: "ceil", math.trunc: "trunc"}
"""Functions that make an int of a float."""

TOLD: dict[Callable[..., Any], str] = {
    math.isnan: "isnan", math.isinf: "isinf", math.isfinite: "isfinite"}
"""Functions that tell of a float, by the ufuncs that do."""

SAMPLES = [x * sign for x in (1e-300, 1e-9, 0.1, 0.3, 0.5, 0.9, 1.0, 1.7, 3.0, 40.5, 1e5, 1e300)
           for sign in (1.0, -1.0)]


def is_in_math(op: Op) -> bool:
    """Returns True for a function of `math` that has machine code."""
    return op.kernel in (*IN_LIBRARY, *ROUNDED, *TOLD, math.sqrt, math.fabs)


def of_math(op: Op, numbers: list[Number]) -> Number:
    """Returns the kind of the result of a function of `math`.

    Raises:
      NotNative: there is no machine code for it.
    """
    function: Any = op.kernel
    if len(numbers) != IN_LIBRARY.get(function, 1) or (
            function in IN_LIBRARY and not is_librarys(function)) or (
            function in ROUNDED and numbers[0].dtype != FLOAT):
        raise NotNative(f"{op.name} of {', '.join(map(str, numbers))}")
    for n in numbers:
        check_cast(n.dtype, FLOAT)
    return Number(INT if function in ROUNDED else BOOL if function in TOLD else FLOAT, IN_PYTHON)


@cache
def is_librarys(function: Callable[..., Any]) -> bool:
    """Returns True if the C library's function gives what Python's gives."""
    count, name = IN_LIBRARY[function], function.__name__
    asked = c_function(name, count, ctypes.c_double)
    for x in SAMPLES:
        for given in [(x,)] if count == 1 else [(x, y) for y in SAMPLES]:
            try:
                expected = function(*given)
            except (ValueError, OverflowError):
                continue
            if np.float64(asked(*given)).tobytes() != np.float64(expected).tobytes():
                return False
    return True


def write_math(i: Instructions, op: Op, xs: list[Any]) -> Any:
    """Writes a function of `math` on floats."""
    from autograph.runtime.native.forms import on_lanes
    function: Any = op.kernel
    if function in TOLD:
        return on_lanes(i.lanes, getattr(np, TOLD[function]), FLOAT, *xs)
    if function in ROUNDED:
        return i.convert(i.lanes.intrinsic(ROUNDED[function], DOUBLE, xs), FLOAT, INT)
    if function is math.fabs:
        return i.lanes.intrinsic("fabs", DOUBLE, xs)
    made = i.strict("sqrt", xs, DOUBLE, NEAREST) if function is math.sqrt else (
        i.call_address(library(function.__name__), DOUBLE, xs))
    i.require(on_lanes(i.lanes, np.isfinite, FLOAT, made))
    return made
