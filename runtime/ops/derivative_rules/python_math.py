"""Derivative rules of the functions of Python's `math` and `cmath`, by their full name."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.elementwise import RULES as ELEMENTWISE
from autograph.runtime.ops.derivative_rules.helpers import is_symbol
from autograph.runtime.ops.derivatives import (
    ZERO,
    Derivative,
    Formula,
    KnownAtRunTime,
    Partials,
    Parts,
)

NUMPY_NAMES = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
    "atan2": "arctan2", "atanh": "arctanh", "pow": "power",
}
"""Names of functions that NumPy has under another one."""

SAME = ("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "copysign", "cos",
        "cosh", "degrees", "exp", "exp2", "expm1", "fabs", "fmod", "frexp", "ldexp", "log10",
        "log1p", "log2", "modf", "nextafter", "pow", "radians", "sin", "sinh", "sqrt", "tan",
        "tanh")
LOCALLY_CONSTANT = ("ceil", "floor", "trunc", "isclose", "isfinite", "isinf", "isnan", "comb",
                    "factorial", "gcd", "isqrt", "lcm", "perm", "ulp")


def _log(x: Any, base: Any = None) -> Any:
    return np.log(x) if base is None else np.log(x) / np.log(base)


def _hypot(*coordinates: Any) -> Any:
    return np.linalg.norm(np.stack(coordinates)) if coordinates else 0.0


def _items(x: Any) -> Any:
    if is_symbol(x):
        raise KnownAtRunTime("the length of a list is known only when the graph runs")
    return x


def _product_vjp(g: Any, z: Any, iterable: Any, *, start: Any = 1) -> Any:
    """Products of what is before an item, and of what is behind it: an item may be 0."""
    items, before = _items(iterable), [start]
    for x in items:
        before.append(before[-1] * x)
    made, behind = [], g
    for x, product in zip(reversed(items), reversed(before[:-1]), strict=True):
        made.append(product * behind)
        behind = behind * x
    return made[::-1], {"start": behind}


def _product_jvp(t: Any, z: Any, iterable: Any, *, start: Any = 1) -> Any:
    made, moved = start, 0.0
    for x, d in zip(_items(iterable), _items(t[0]), strict=True):
        moved = moved * x if d is None else moved * x + made * d
        made = made * x
    return moved


def _sum_vjp(g: Any, z: Any, seq: Any) -> Any:
    return ([g for _ in _items(seq)],)


def _sum_jvp(t: Any, z: Any, seq: Any) -> Any:
    return sum(d for d in _items(t[0]) if d is not None)


def _sum_of_products(p: Any, q: Any) -> Any:
    made: Any = 0.0
    for x, y in zip(p, q, strict=True):
        made = made + x * y
    return made


def _normal(x: Any) -> Any:
    return 2.0 / math.sqrt(math.pi) * np.exp(-x * x)


def _distance(p: Any, q: Any) -> Any:
    p, q = (np.stack(x) if isinstance(x, (list, tuple)) else x for x in (p, q))
    return np.linalg.norm(p - q)


RULES: dict[str, Derivative] = {
    **{f"math.{name}": ELEMENTWISE[f"np.{NUMPY_NAMES.get(name, name)}"] for name in SAME},
    **{f"cmath.{name}": ELEMENTWISE[f"np.{NUMPY_NAMES.get(name, name)}"] for name in SAME
       if hasattr(cmath, name)},
    **{f"math.{name}": ZERO for name in LOCALLY_CONSTANT},
    "math.log": Parts(_log), "cmath.log": Parts(_log), "math.hypot": Parts(_hypot),
    "math.dist": Parts(_distance, nests=True),
    "math.prod": Formula(_product_vjp, _product_jvp, nests=True),
    "math.fsum": Formula(_sum_vjp, _sum_jvp, nests=True),
    "math.sumprod": Parts(_sum_of_products, nests=True),
    "math.erf": Partials(lambda z, x: _normal(x)), "math.erfc": Partials(lambda z, x: -_normal(x)),
    "cmath.phase": ELEMENTWISE["angle"],
}
