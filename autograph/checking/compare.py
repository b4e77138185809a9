"""Compares the outcomes of two calls, down to the first element that differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph.runtime.ir.pytree import children
from autograph.runtime.symbolic.variables import Variable


@dataclass
class Outcome:
    """The outcome of a call: its result or exception, and its arguments afterwards."""

    stage: str
    arguments: dict[str, Any] = field(default_factory=dict)
    result: Any = None
    error: BaseException | None = None

    def __str__(self) -> str:
        if self.error is not None:
            return f"raises {type(self.error).__name__}: {self.error}"
        return f"gives {shown(self.result)}"


def difference(a: Outcome, b: Outcome, rtol: float = 0.0) -> str:
    """Returns how the second outcome differs from the first; empty if it does not."""
    if type(a.error) is not type(b.error):
        return f"{a.stage} {a}; {b.stage} {b}"
    found = [*differences("the result", a.result, b.result, rtol)]
    for name in a.arguments:
        found += differences(f"argument {name} afterwards", a.arguments[name], b.arguments[name],
                             rtol)
    return "; ".join(found[:3])


def differences(path: str, a: Any, b: Any, rtol: float) -> Iterator[str]:
    """Yields how two nests differ, leaf by leaf."""
    if isinstance(a, Variable) and isinstance(b, Variable):
        a, b = a.storage.array, b.storage.array
    if type(a) is not type(b):
        yield f"{path}: {shown(a)} against {shown(b)}"
        return
    left, right = children(a), children(b)
    if left is None or right is None:
        if not same(a, b, rtol):
            yield f"{path}: {where(a, b, rtol)}"
    elif left[0] != right[0]:
        yield f"{path}: {shown(a)} against {shown(b)}"
    else:
        for number, (x, y) in enumerate(zip(left[1], right[1], strict=True)):
            name = list(a)[number] if isinstance(a, dict) else number
            yield from differences(f"{path}[{name!r}]", x, y, rtol)


def same(a: Any, b: Any, rtol: float = 0.0) -> bool:
    """Returns True if two leaves are equal: dtype, shape, values; NaN is NaN, -0.0 is not 0.0."""
    if isinstance(a, (np.ndarray, np.generic)) or isinstance(b, (np.ndarray, np.generic)):
        return _same_arrays(np.asarray(a), np.asarray(b), rtol)
    if isinstance(a, (float, complex)) and rtol == 0:
        return repr(a) == repr(b)
    if isinstance(a, (float, complex)):
        return bool(np.isclose(a, b, rtol=rtol, atol=0, equal_nan=True))
    try:
        return a is b or bool(a == b) or _opaque(a, b)
    except Exception:  # a user's `__eq__`
        return True


def _opaque(a: Any, b: Any) -> bool:
    """Returns True for objects of a class without `__eq__`: copies of one cannot be compared."""
    return type(a) is type(b) and not any("__eq__" in vars(c) for c in type(a).__mro__[:-1])


def _same_arrays(a: Any, b: Any, rtol: float) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if rtol and a.dtype.kind in "fc":
        return bool(np.allclose(a, b, rtol=rtol, atol=0, equal_nan=True))
    if a.dtype.kind in "fc":
        equal = (a == b) & (np.signbit(a.real) == np.signbit(b.real))
        return bool((equal | (np.isnan(a) & np.isnan(b))).all())
    return bool(np.array_equal(a, b))


def where(a: Any, b: Any, rtol: float = 0.0) -> str:
    """Returns the first element that differs if two arrays are of one type, else both values."""
    if isinstance(a, np.ndarray) and a.shape == b.shape and a.dtype == b.dtype and a.shape:
        for index in np.ndindex(a.shape):
            if not same(a[index], b[index], rtol):
                number = ", ".join(map(str, index))
                return f"element [{number}] is {a[index]!r} against {b[index]!r}"
    return f"{shown(a)} against {shown(b)}"


def shown(x: Any) -> str:
    """Returns a short text of a value: dtype and shape of an array that is not small."""
    if isinstance(x, np.ndarray) and x.size > 6:
        return f"{x.dtype}{list(x.shape)}"
    text = " ".join(repr(x).split())
    return text if len(text) <= 100 else f"{text[:97]}..."
