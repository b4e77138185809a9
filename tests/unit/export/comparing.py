"""Comparing what an exported graph gives with what the plain function gives."""

from __future__ import annotations

import copy
import dataclasses
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.types import ArrayType, DynamicType, PyType, Type
from tests.corpus.case import Case
from tests.unit.export.onnx_runs import Text

NUMBERS = (bool, int, float, complex, np.number, np.bool_)
TOLERANCE = {2: 2e-2, 4: 1e-4, 8: 1e-9, 16: 1e-9}
"""Relative and absolute tolerance by the size of a float: libraries sum in another order."""

OTHER_NUMBERS = "other numbers: "
"""How a difference begins that is none of structure, shape or dtype."""


def parts(x: Any) -> Iterator[Any]:
    """The leaves of a result, in order."""
    if isinstance(x, dict):
        for key in x:
            yield from parts(x[key])
    elif isinstance(x, (list, tuple)):
        for item in x:
            yield from parts(item)
    elif dataclasses.is_dataclass(x) and not isinstance(x, type):
        for field in dataclasses.fields(x):
            yield from parts(getattr(x, field.name))
    else:
        yield x


def difference(wanted: Any, found: Any, typed: Sequence[bool] = ()) -> str:
    """What differs between two results; nothing if they agree in values, shapes and dtypes.

    `typed` says of each leaf whether its dtype has to be the same.
    """
    a, b = list(parts(wanted)), list(parts(found))
    if len(a) != len(b):
        return f"{len(a)} results became {len(b)}"
    strict = [*typed] if len(typed) == len(a) else [all(typed)] * len(a)
    return next((d for d in map(_leaf_difference, a, b, strict) if d), "")


def _leaf_difference(a: Any, b: Any, typed: bool) -> str:
    if not isinstance(a, (np.ndarray, *NUMBERS)) or type(a) is int is type(b):
        alike = repr(a) == b if type(b) is Text else type(a) is type(b) and repr(a) == repr(b)
        return "" if a is b or alike else f"{a!r} -> {b!r}"
    x, y = np.asarray(a), np.asarray(b)
    if x.shape != y.shape:
        return f"shape {x.shape} became {y.shape}"
    if not typed and (np.can_cast(x.dtype, y.dtype) or (
            type(a) in (bool, int, float) and y.dtype.kind == "f")):
        x = x.astype(y.dtype)
    if x.dtype != y.dtype:
        return f"dtype {x.dtype} became {y.dtype}"
    if x.dtype.kind in "fc":
        tolerance = TOLERANCE[x.dtype.itemsize // (1 + (x.dtype.kind == "c"))]
        scale = np.max(np.abs(x[np.isfinite(x)]), initial=1.0)
        near = np.allclose(x, y, rtol=tolerance, atol=tolerance * float(scale), equal_nan=True)
    else:
        near = x.dtype.kind not in "OU" and bool(np.array_equal(x, y))
    return "" if near else f"{OTHER_NUMBERS}{x!r} became {y!r}"


def rounded(result: Any, arguments: Sequence[Any]) -> list[Any]:
    """The leaves of a result, floats in the precision of the arguments: each library has its own
    `exp` of a float32."""
    least = min((x.dtype.itemsize for x in parts(list(arguments)) if isinstance(
        x, (np.ndarray, np.generic)) and x.dtype.kind in "fc"), default=8)
    floats = np.dtype(f"f{least}")
    def leaf(x: Any) -> Any:
        dtype = np.dtype(float) if isinstance(x, float) else getattr(x, "dtype", None)
        wider = isinstance(dtype, np.dtype) and dtype.kind == "f" and dtype.itemsize > least
        return np.asarray(x).astype(floats) if wider else x

    return list(map(leaf, parts(result)))


def is_numeric(x: Any) -> bool:
    """True for arguments that are numbers, arrays of numbers, and lists and dicts of those."""
    if isinstance(x, np.ndarray):
        return x.dtype.kind in "biufc"
    if isinstance(x, (list, tuple)):
        return type(x) in (list, tuple) and all(map(is_numeric, x))
    if isinstance(x, dict):
        return all(map(is_numeric, x.values()))
    return x is None or isinstance(x, (*NUMBERS, str, slice))


def has_array(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return any(map(has_array, x))
    return isinstance(x, (np.ndarray, np.generic))


def typed_outputs(function: Any) -> list[bool]:
    """Of each leaf of the result, whether the graph knows its dtype: if not, it may be a Python
    number on one path, which an export gives in the dtype that it has on the other."""
    concrete = list(function.__ag_dispatcher__.traces.values())[-1]
    return [not isinstance(v, Value) or _has_dtype(v.type)
            for v in parts(concrete.program.result)]


def _has_dtype(t: Type) -> bool:
    if isinstance(t, PyType):
        return t.cls in (bool, int, float, complex)  # of a list, its items are not known
    return not isinstance(t, DynamicType) and not (isinstance(t, ArrayType) and t.dtype is None)


def in_c_order(x: Any) -> Any:
    """Arguments with arrays in C order, as those of other libraries always are."""
    if type(x) is np.ndarray:
        return np.ascontiguousarray(x).reshape(x.shape)
    return type(x)(map(in_c_order, x)) if type(x) in (list, tuple) else x


def with_numbers(x: Any) -> Any:
    """Arguments with numbers in place of arrays without dimensions, as which JAX has them."""
    if isinstance(x, np.ndarray) and not x.ndim:
        return x[()]
    if type(x) in (list, tuple):
        return type(x)(map(with_numbers, x))
    return {k: with_numbers(v) for k, v in x.items()} if type(x) is dict else x


def plain_result(case: Case, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    """What the plain function gives, and its arguments afterwards."""
    given = in_c_order(copy.deepcopy(arguments))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return case.function(*given), given
