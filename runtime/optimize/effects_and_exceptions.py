"""Effects and exceptions: which equations may raise or warn, and which certainly do neither."""

from __future__ import annotations

from autograph.runtime.ir.graph import Equation, atom_type
from autograph.runtime.ir.regions import is_call
from autograph.runtime.ir.types import PY_NUMBERS, ArrayType, PyType, Type

COMPARISONS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})
LOGICAL = frozenset({"logical_and", "logical_or", "logical_xor", "logical_not", "bitwise_and",
                     "bitwise_or", "bitwise_xor", "invert"})
SILENT = frozenset({"negative", "positive", "absolute", "isnan", "isinf", "isfinite", "signbit",
                   "floor", "ceil", "trunc", "rint", "copysign", "minimum", "maximum"})
"""On floats these give no warning."""
WRAPPING = frozenset({"add", "subtract", "multiply", "negative", "positive"})
"""On integer arrays these wrap around in silence."""
ALWAYS = frozenset({"len_", "shape", "ndim", "size", "dim", "is_none", "copy", "transpose"})
"""Of an array of known rank these are always there."""


def is_total(e: Equation) -> bool:
    """Returns True if an equation certainly neither raises nor warns, whatever its operands hold.

    Shapes that the type rule saw agree are known to agree; nothing is taken for granted of a
    dimension that is not known.
    """
    types = [atom_type(x) for x in e.args]
    if e.kwargs or e.regions or e.op.effect or not all(map(_is_plain, types)):
        return False
    name = e.op.name.removeprefix("np.")
    if name in ALWAYS:
        return name != "len_" or _rank(types[0]) > 0
    if e.op.name == "not_":
        return _rank(types[0]) == 0
    return e.op.ufunc is not None and all(map(_has_shape, types)) and _never_warns(name, types)


RAISING = frozenset({"power", "floor_divide", "mod", "divide", "left_shift", "right_shift"})
"""These raise on some Python numbers; powers of integers on NumPy's, too."""


def may_raise(e: Equation) -> bool:
    """Returns True if an equation may raise under NumPy's default settings (warnings do not)."""
    if is_call(e):
        return True
    if e.regions:
        return any(may_raise(inner) for region in e.regions for inner in region.equations)
    types = [atom_type(x) for x in e.args]
    if e.kwargs or e.op.effect or not all(map(_is_plain, types)):
        return True
    if e.op.name in ("matmul", "np.matmul", "dot"):
        return not all(isinstance(t, ArrayType) and t.is_static for t in types)
    if e.op.ufunc is None or not all(map(_has_shape, types)):
        return not is_total(e)
    if e.op.name.removeprefix("np.") not in RAISING:
        return False
    integers = set(map(_kind, types)) <= set("biu")
    return all(isinstance(t, PyType) for t in types) or (integers and "power" in e.op.name)


def _never_warns(name: str, types: list[Type]) -> bool:
    kinds = set(map(_kind, types))
    if name in COMPARISONS:
        return kinds <= set("biuf") and ("u" not in kinds or len(kinds) == 1)
    if name in LOGICAL:
        return kinds <= set("b") or (kinds <= set("iu") and len(set(types)) == 1)
    if name in SILENT and kinds == {"f"}:
        return True
    exact = all(isinstance(t, ArrayType) and _rank(t) > 0 for t in types) or all(
        t == PyType(int) for t in types)
    return name in WRAPPING and kinds <= set("i") and exact


def _is_plain(t: Type) -> bool:
    if isinstance(t, PyType):
        return t.cls in PY_NUMBERS
    return isinstance(t, ArrayType) and t.dtype is not None and t.shape is not None and (
        t.dtype.kind in "biufc")


def _has_shape(t: Type) -> bool:
    return isinstance(t, PyType) or (isinstance(t, ArrayType) and t.is_static)


def _kind(t: Type) -> str:
    if isinstance(t, ArrayType) and t.dtype is not None:
        return t.dtype.kind
    return {bool: "b", int: "i", float: "f"}.get(t.cls if isinstance(t, PyType) else object, "?")


def _rank(t: Type) -> int:
    return len(t.shape) if isinstance(t, ArrayType) and t.shape is not None else 0
