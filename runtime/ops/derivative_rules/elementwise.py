"""Derivative rules of elementwise ops: ufuncs and Python's operators."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.helpers import (
    divided,
    instead,
    is_complex,
    kind,
    quotient,
    squares,
)
from autograph.runtime.ops.derivatives import (
    MINUS_ONE,
    ONE,
    ZERO,
    ZERO_OF_NUMBERS,
    Derivative,
    Formula,
    Partials,
)

LN2, LN10 = math.log(2.0), math.log(10.0)
RADIANS = math.pi / 180.0


# -- powers ---------------------------------------------------------------------------------------


def _power_by_base(z: Any, x: Any, y: Any) -> Any:
    if isinstance(y, (int, float)):
        return 0.0 if y == 0 else 2 * x if y == 2 else y * np.power(x, y - 1)
    zero = y == 0
    return instead(zero, 0, y * np.power(x, instead(zero, 1, y) - 1))


def _power_by_exponent(z: Any, x: Any, y: Any) -> Any:
    zero = x == 0
    return instead(zero, 0, z * np.log(instead(zero, 1, x)))


POWER = Partials(_power_by_base, _power_by_exponent, steep=True)

# -- quotients with rest --------------------------------------------------------------------------


def _quotient(z: Any, x: Any, y: Any) -> Any:
    return -np.floor_divide(x, y)


def _truncated_quotient(z: Any, x: Any, y: Any) -> Any:
    return -np.rint(quotient(x - z, y))


def _divmod_vjp(g: Any, z: Any, x: Any, y: Any, **more: Any) -> Any:
    return (None, None) if g[1] is None else (g[1], -g[1] * z[0])


def _divmod_jvp(t: Any, z: Any, x: Any, y: Any, **more: Any) -> Any:
    return None, _sum(t[0], None if t[1] is None else -t[1] * z[0])


def _sum(*terms: Any) -> Any:
    """Returns the sum of those terms that there are; None if there is none."""
    there = [t for t in terms if t is not None]
    return sum(there[1:], there[0]) if there else None


# -- choices --------------------------------------------------------------------------------------


def _share(better: Callable[[Any, Any], Any], of: int, ignores_nan: bool) -> Callable[..., Any]:
    """Returns the partial of a maximum or minimum: 1, and a half at a tie."""
    def partial(z: Any, x: Any, y: Any) -> Any:
        mine, other = (x, y) if of == 0 else (y, x)
        wins, nan = better(mine, other), (other if ignores_nan else mine) != (
            other if ignores_nan else mine)
        return np.where(wins | nan, 1.0, np.where(mine == other, 0.5, 0.0))

    return partial


def _choice(better: Callable[[Any, Any], Any], ignores_nan: bool = False) -> Partials:
    return Partials(_share(better, 0, ignores_nan), _share(better, 1, ignores_nan), pads=True)


def _weight(exp: Any, half: float, of: int) -> Callable[..., Any]:
    """Returns the partial of log(exp(x) + exp(y)); a half where both are the same infinity."""
    def partial(z: Any, x: Any, y: Any) -> Any:
        return exp(np.where(np.isinf(x) & (x == y), half, (x, y)[of] - z))

    return partial


# -- absolute values and signs --------------------------------------------------------------------


def _direction(z: Any, x: Any) -> Any:
    return divided(np.conjugate(x), z) if is_complex(x) else np.sign(x)


def _real(g: Any, x: Any) -> Any:
    """Returns a cotangent or tangent of a real result: its real part, where it may be complex."""
    return np.real(g) if is_complex(x) and is_complex(g) else g


ABSOLUTE = Formula(lambda g, z, x, **more: (_real(g, x) * _direction(z, x),),
                   lambda t, z, x, **more: _real(t[0] * _direction(z, x), x), pads=False)


def _sign_vjp(g: Any, z: Any, x: Any, **more: Any) -> Any:
    if not is_complex(x):
        return (None,)
    # z = x / |x|; with conjugates on both sides the plain transpose of the tangent's formula
    length = np.absolute(x)
    gz = np.real(g * z)
    return (divided(g - gz * np.conjugate(z), length),)


def _sign_jvp(t: Any, z: Any, x: Any, **more: Any) -> Any:
    if not is_complex(x):
        return None
    return divided(t[0] - np.real(np.conjugate(z) * t[0]) * z, np.absolute(x))


# -- complex parts: linear over the reals, not over the complex numbers ----------------------------


def _angle_factor(x: Any, deg: Any) -> Any:
    return (1.0 / RADIANS if deg else 1.0) * divided(1.0, squares(x))


def _angle_vjp(g: Any, z: Any, x: Any, deg: Any = False) -> Any:
    return (np.real(g) * _angle_factor(x, deg) * -1j * np.conjugate(x) if is_complex(x) else None,)


def _angle_jvp(t: Any, z: Any, x: Any, deg: Any = False) -> Any:
    if not is_complex(x):
        return None
    return np.imag(np.conjugate(x) * t[0]) * _angle_factor(x, deg)


CONJUGATE = Formula(lambda g, z, x, **more: (np.conjugate(g),),
                    lambda t, z, x, **more: np.conjugate(t[0]), pads=False)
REAL = Formula(lambda g, z, x: (_real(g, x),), lambda t, z, x: np.real(t[0]), pads=False)
IMAG = Formula(lambda g, z, x: (-1j * np.real(g) if is_complex(x) else None,),
               lambda t, z, x: np.imag(t[0]) if is_complex(x) else None, pads=False)
ANGLE = Formula(_angle_vjp, _angle_jvp, pads=False)


def _nan_to_num(g: Any, x: Any) -> Any:
    if kind(x) == "c":
        return np.where(np.isfinite(np.real(x)), np.real(g), 0.0) + 1j * np.where(
            np.isfinite(np.imag(x)), np.imag(g), 0.0)
    return np.where(np.isfinite(x), g, 0.0)


NAN_TO_NUM = Formula(lambda g, z, x, *args, **more: (_nan_to_num(g, x),),
                     lambda t, z, x, *args, **more: _nan_to_num(t[0], x))

# -- the table ------------------------------------------------------------------------------------

LOCALLY_CONSTANT = (
    "floor_divide", "left_shift", "right_shift", "invert", "equal", "not_equal", "less",
    "less_equal", "greater", "greater_equal",
)
"""Operators; their ufuncs are locally constant, too."""

ALSO_OF_SETS = ("bitwise_and", "bitwise_or", "bitwise_xor")
"""Operators that sets and dicts have, too."""

ALSO_OF_OBJECTS = ("logical_and", "logical_or")
"""Ufuncs that give one of their operands where these are objects."""

LOCALLY_CONSTANT_UFUNCS = (
    "floor", "ceil", "trunc", "rint", "signbit", "spacing", "isnan", "isinf", "isfinite",
    "logical_not", "logical_xor", "gcd", "lcm",
)

OPERATORS: dict[str, Derivative] = {
    "add": Partials(ONE, ONE),
    "subtract": Partials(ONE, MINUS_ONE),
    "multiply": Partials(lambda z, x, y: y, lambda z, x, y: x, singular=True),
    "divide": Partials(lambda z, x, y: 1.0 / y, lambda z, x, y: -z / y, singular=True),
    "power": POWER,
    "negative": Partials(MINUS_ONE),
    "positive": Partials(ONE),
    "absolute": ABSOLUTE,
    **dict.fromkeys(LOCALLY_CONSTANT, ZERO),
    **dict.fromkeys(ALSO_OF_SETS, ZERO_OF_NUMBERS),
}
"""Rules of Python's operators, which their ufuncs share."""

UFUNCS: dict[str, Derivative] = {
    "remainder": Partials(ONE, _quotient),
    "fmod": Partials(ONE, _truncated_quotient),
    "divmod": Formula(_divmod_vjp, _divmod_jvp),
    "float_power": POWER,
    "fabs": ABSOLUTE,
    "sign": Formula(_sign_vjp, _sign_jvp),
    "conjugate": CONJUGATE,
    "sqrt": Partials(lambda z, x: 0.5 / z, steep=True),
    "cbrt": Partials(lambda z, x: 1.0 / (3.0 * z * z), steep=True),
    "square": Partials(lambda z, x: 2 * x),
    "reciprocal": Partials(lambda z, x: -z * z, singular=True),
    "exp": Partials(lambda z, x: z, singular=True, pads=True),
    "exp2": Partials(lambda z, x: z * LN2, singular=True, pads=True),
    "expm1": Partials(lambda z, x: z + 1.0, singular=True),
    "log": Partials(lambda z, x: quotient(1.0, x), singular=True),
    "log2": Partials(lambda z, x: quotient(1.0, x * LN2), singular=True),
    "log10": Partials(lambda z, x: quotient(1.0, x * LN10), singular=True),
    "log1p": Partials(lambda z, x: quotient(1.0, 1.0 + x), singular=True),
    "sin": Partials(lambda z, x: np.cos(x), singular=True),
    "cos": Partials(lambda z, x: -np.sin(x), singular=True),
    "tan": Partials(lambda z, x: 1.0 + z * z, singular=True),
    "arcsin": Partials(lambda z, x: 1.0 / np.sqrt((1.0 - x) * (1.0 + x)), steep=True),
    "arccos": Partials(lambda z, x: -1.0 / np.sqrt((1.0 - x) * (1.0 + x)), steep=True),
    "arctan": Partials(lambda z, x: 1.0 / (1.0 + x * x)),
    "sinh": Partials(lambda z, x: np.cosh(x), singular=True),
    "cosh": Partials(lambda z, x: np.sinh(x), singular=True),
    "tanh": Partials(lambda z, x: 1.0 - z * z),
    "arcsinh": Partials(lambda z, x: 1.0 / np.sqrt(1.0 + x * x)),
    "arccosh": Partials(lambda z, x: 1.0 / (np.sqrt(x - 1.0) * np.sqrt(x + 1.0)), steep=True),
    "arctanh": Partials(lambda z, x: quotient(1.0, (1.0 - x) * (1.0 + x)), singular=True),
    "deg2rad": Partials(lambda z, x: RADIANS),
    "radians": Partials(lambda z, x: RADIANS),
    "rad2deg": Partials(lambda z, x: 1.0 / RADIANS),
    "degrees": Partials(lambda z, x: 1.0 / RADIANS),
    "maximum": _choice(np.greater),
    "minimum": _choice(np.less),
    "fmax": _choice(np.greater, ignores_nan=True),
    "fmin": _choice(np.less, ignores_nan=True),
    "arctan2": Partials(lambda z, y, x: quotient(x, x * x + y * y),
                        lambda z, y, x: quotient(-y, x * x + y * y), singular=True),
    "hypot": Partials(lambda z, x, y: divided(x, z), lambda z, x, y: divided(y, z)),
    "copysign": Partials(lambda z, x, y: np.copysign(1.0, x) * np.copysign(1.0, y), None),
    "nextafter": Partials(ONE, None),
    "heaviside": Partials(None, lambda z, x, y: np.where(x == 0, 1.0, 0.0)),
    "logaddexp": Partials(_weight(np.exp, -LN2, 0), _weight(np.exp, -LN2, 1)),
    "logaddexp2": Partials(_weight(np.exp2, -1.0, 0), _weight(np.exp2, -1.0, 1)),
    "ldexp": Partials(lambda z, x, n: np.ldexp(1.0, n), None),
    "modf": Formula(lambda g, z, x, **more: (g[0],), lambda t, z, x, **more: (t[0], None)),
    "frexp": Formula(
        lambda g, z, x, **more: (None if g[0] is None else g[0] * np.ldexp(1.0, -z[1]),),
        lambda t, z, x, **more: (t[0] * np.ldexp(1.0, -z[1]), None)),
    **dict.fromkeys(LOCALLY_CONSTANT_UFUNCS, ZERO),
    **dict.fromkeys(ALSO_OF_OBJECTS, ZERO_OF_NUMBERS),
}
"""Rules of ufuncs that no operator stands for, by NumPy's name."""


RULES: dict[str, Derivative] = {
    **OPERATORS,
    **{f"np.{name}": rule for name, rule in OPERATORS.items()},
    **{f"np.{name}": rule for name, rule in UFUNCS.items()},
    "mod": UFUNCS["remainder"],
    "divmod_": UFUNCS["divmod"],
    "real": REAL, "imag": IMAG, "angle": ANGLE, "round": ZERO, "round_": ZERO,
    "nan_to_num": NAN_TO_NUM,
}
