"""Effects and exceptions: which equations may raise or warn, and which certainly do neither."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from autograph.runtime.ir.exception_tables import may_be_handled
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, atom_type
from autograph.runtime.ir.numpy_settings import raises
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.regions import is_call
from autograph.runtime.ir.types import PY_NUMBERS, ArrayType, PyType, Type, type_of
from autograph.runtime.ops.indexing import GETITEM, is_basic_index
from autograph.runtime.ops.op import Op


def is_total(e: Equation) -> bool:
    """Returns True if an equation certainly neither raises nor warns, whatever its operands hold.

    Shapes that the type rule saw agree are known to agree; nothing is taken for granted of a
    dimension that is not known.
    """
    if e.kwargs or e.regions or e.op.effect:
        return False
    return _is_total_on(e.op, tuple(map(atom_type, e.args)))


@lru_cache(maxsize=4096)
def _is_total_on(op: Op, types: tuple[Type, ...]) -> bool:
    """Returns True if an op without an effect neither raises nor warns on such operands."""
    if not all(map(_is_plain, types)):
        return False
    if op.total:
        return _rank(types[0]) in op.total
    return op.ufunc is not None and all(map(_has_shape, types)) and _never_warns(op, types)


def may_raise(e: Equation, known: dict[Graph, bool] | None = None) -> bool:
    """Returns True if an equation may raise under NumPy's default settings (warnings do not).

    known: what was found of regions, to which it adds; those must not change meanwhile.
    """
    if e.regions:
        known = {} if known is None else known
        for region in e.regions:
            if region not in known and not is_call(e):
                known[region] = any(may_raise(inner, known) for inner in region.equations)
        return is_call(e) or any(known[region] for region in e.regions)
    op = e.op
    if e.kwargs or op.effect:
        return True
    if op is GETITEM and is_in_bounds(e):
        return False
    types = tuple([x.type if x.__class__ is Value else type_of(x) for x in e.args])
    return _may_raise_on(op, types) or (
        op.ufunc is not None and not op.comparison and INT in types
        and not _ints_fit(e.args, types))


def is_in_bounds(e: Equation) -> bool:
    """Returns True for an index that is known, and that every array of the type of the first
    operand has."""
    x, index = e.args
    if type(x) is not Value or not isinstance(x.type, ArrayType) or x.type.shape is None or (
            len(e.inputs) != 1 or not is_basic_index(index)):
        return False
    least = tuple([d if type(d) is int else 0 for d in x.type.shape])
    try:
        np.broadcast_to(np.int8(0), least)[index]
    except IndexError:
        return False
    return True


def first_handled(p: Program) -> Equation | None:
    """Returns the first equation, of the innermost ones, that may raise where a handler would run
    as plain Python then."""
    raising = [e for e in p.graph.walk() if (may_raise(e) or raises(e.settings)) and (
        p.derived or may_be_handled(e.location))] if p.handled else []
    return min(raising, key=lambda e: bool(e.regions), default=None)


HANDLE_OUTSIDE = ("test for the case with `if` before the line, and leave the handler to the "
                  "caller")
"""The way out for what has no plain Python to run."""


def _ints_fit(args: Sequence[Atom], types: Sequence[Type]) -> bool:
    """Returns True unless NumPy may refuse to convert one of Python's ints to the dtype of the
    integers beside it; one that only the run knows is thought to fit 64 bits."""
    dtypes = [t.dtype for t in types if isinstance(t, ArrayType) and t.dtype is not None]
    dtype: np.dtype[Any] = np.result_type(*dtypes) if dtypes else np.dtype(float)
    if dtype.kind not in "iu":
        return True
    limits = np.iinfo(dtype)
    return all(dtype == np.int64 if isinstance(x, Value) else limits.min <= x <= limits.max
               for x, t in zip(args, types, strict=True) if t == INT)


@lru_cache(maxsize=4096)
def _may_raise_on(op: Op, types: tuple[Type, ...]) -> bool:
    """Returns True if an op without an effect may raise on operands of these types."""
    if not all(map(_is_plain, types)):
        return True
    if op.rule_is_exact:
        return not all(isinstance(t, ArrayType) and t.is_static for t in types)
    if op.ufunc is None or not all(map(_has_shape, types)):
        return not _is_total_on(op, types)
    return (op.raises_on_integers and set(map(_kind, types)) <= INTEGERS) or (
        op.raises_on_python_numbers and all(isinstance(t, PyType) for t in types))


INTEGERS = frozenset("biu")
INT = PyType(int)


def _never_warns(op: Op, types: Sequence[Type]) -> bool:
    kinds = set(map(_kind, types))
    if op.comparison:
        return kinds <= set("biuf") and ("u" not in kinds or len(kinds) == 1)
    if op.logical:
        return kinds <= set("b") or (kinds <= set("iu") and len(set(types)) == 1)
    if op.silent_on_floats and kinds == {"f"}:
        return True
    exact = all(isinstance(t, ArrayType) and _rank(t) > 0 for t in types) or all(
        t == PyType(int) for t in types)
    return op.modular and kinds <= set("i") and exact


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
