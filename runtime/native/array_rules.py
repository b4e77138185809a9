"""Array rules: the kinds of views and of operations on whole arrays inside native loops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Value
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.native.array_orders import (
    DOT,
    FLIP,
    MATMUL,
    TRANSPOSE,
    in_c_order,
    in_other_order,
    is_reversal,
    takes,
)
from autograph.runtime.native.array_types import ufunc_of
from autograph.runtime.native.forms import has_lanes
from autograph.runtime.native.inner_loops import inner_loop, is_known, product_loop
from autograph.runtime.native.kinds import (
    BOOL,
    COMPLEX,
    DTYPES,
    FLOAT,
    IN_NUMPY,
    IN_PYTHON,
    INT,
    PARTS,
    REVERSED,
    Array,
    Kind,
    NotNative,
    Number,
    check_cast,
    known_dtype,
)
from autograph.runtime.native.reduced_axes import axes_in_row, given_axes, keeps_axes
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.stores import STORED_INTO
from autograph.runtime.ops.views import Item

ASTYPE, WHERE, COPY, ROLL = OPS["astype"], OPS["where"], OPS["copy"], OPS["roll"]
NORM = OPS["linalg.norm"]
OUTER = OPS["outer"]
FILLED = {OPS["zeros"]: 0, OPS["ones"]: 1, OPS["zeros_like"]: 0, OPS["ones_like"]: 1,
          OPS["empty"]: 0, OPS["empty_like"]: 0, OPS["full"]: None, OPS["full_like"]: None}
"""Ops that make arrays of one number, or of any; None: of their second argument."""

ARANGE = OPS["arange"]

NEW = (*FILLED, ARANGE)
"""Ops that make arrays of no other arrays."""

UNFILLED = (OPS["empty"], OPS["empty_like"])
"""Of these, the ones whose numbers nobody may rely on."""

ARRAY = OPS["array"]

REAL, IMAG = OPS["real"], OPS["imag"]

LARGEST = {OPS["argmax"]: ">", OPS["argmin"]: "<"}

MOST_AXES = 5

MOST_NUMBERS = 32
"""Of so many numbers an array is made one by one."""

REDUCED = (np.add, np.multiply, np.maximum, np.minimum, np.logical_or, np.logical_and)
"""The ufuncs that reduce."""


@dataclass(frozen=True)
class Part:
    """A part of an index: a number, a slice, or a new axis."""

    what: Any

    @property
    def is_slice(self) -> bool:
        return type(self.what) is slice

    @property
    def is_new(self) -> bool:
        return self.what is None


def parts_of(index: Any, rank: int) -> list[Part]:
    """Returns the parts of an index, one for each axis and each new one."""
    given = list(index) if isinstance(index, tuple) else [index]
    used = sum(p is not None and p is not Ellipsis for p in given)
    if used > rank or sum(p is Ellipsis for p in given) > 1:
        raise NotNative("an index of too many parts")
    at = next((k for k, p in enumerate(given) if p is Ellipsis), len(given))
    filled = [*given[:at], *[slice(None)] * (rank - used), *given[at + 1:]]
    return [Part(p) for p in filled]


def counted(e: Equation) -> range:
    """Returns the ints that `np.arange` gives, if they are constants.

    Raises:
      NotNative: they are not, or no ints.
    """
    t = e.outputs[0].type
    if e.kwargs or any(type(a) is not int for a in e.args) or not (
            isinstance(t, ArrayType) and t.dtype == INT and t.is_static):
        raise NotNative("a range of what only the run knows, or of no ints")
    return range(*e.args)


class ArrayRules:
    """Finds the kinds of operations on arrays; a base of the inference of loops."""

    kinds: dict[Value, Kind]
    products: bool

    def of(self, atom: Atom) -> Kind:
        raise NotImplementedError

    def number(self, atom: Atom) -> Number:
        raise NotImplementedError

    def array(self, atom: Atom) -> Array:
        kind = self.of(atom)
        if not isinstance(kind, Array):
            raise NotNative(f"{kind} where an array is expected")
        return kind

    def rank(self, atom: Atom) -> int:
        kind = self.of(atom)
        return kind.rank if isinstance(kind, Array) else 0

    def is_on_arrays(self, e: Equation) -> bool:
        """Returns True for an operation on an array other than the load of an element."""
        return e.op in NEW or e.op is ARRAY or any(
            isinstance(a, Value) and isinstance(self.kinds.get(a), Array) for a in e.args)

    def on_arrays(self, e: Equation) -> Kind:
        """Returns the kind of what an operation on arrays gives."""
        out = e.outputs[0]
        if e.op is GETITEM:
            return self.item(self.array(e.args[0]), e.args[1], out)
        if e.op.reduction is not None:
            return self.reduced(e)
        if e.op in LARGEST:
            return self.position(e)
        if e.op is WHERE and len(e.args) == 3:
            return self.chosen(e)
        if e.op is ASTYPE and len(e.args) == 2 and not e.kwargs:
            kind, dtype = self.array(e.args[0]), cast_to(e)
            check_cast(kind.dtype, dtype)
            return self.fresh(e, dtype, kind.rank)
        if e.op is COPY and e.args[1:] in ((), ("C",), ("K",)) and not e.kwargs:
            kind = self.array(e.args[0])
            return self.fresh(e, kind.dtype, kind.rank)
        if e.op in (*MATMUL, DOT) and len(e.args) == 2 and not e.kwargs:
            return self.product(e)
        if e.op in FILLED:
            return self.filled(e)
        if e.op is ARANGE:
            counted(e)
            return self.fresh(e, INT, 1)
        if e.op is ARRAY:
            return self.of_numbers(e)
        if e.op is NORM and len(e.args) == 1 and not e.kwargs:
            return self.norm(e)
        if e.op is ROLL:
            kind = self.array(e.args[0])
            shift_of(e, kind.rank)
            return self.fresh(e, kind.dtype, kind.rank)
        if e.op is STORED_INTO:
            return self.stored_into(e)
        if e.op in (REAL, IMAG):
            kind = self.array(e.args[0])
            return replace(kind, dtype=part_of(kind.dtype), view=True, own=False)
        if e.op in (FLIP, TRANSPOSE):
            return in_other_order(e, self.array(e.args[0]))
        if e.op is OUTER and len(e.args) == 2 and self.rank(e.args[0]) == self.rank(
                e.args[1]) == 1:
            return replace(self.by_ufunc(e, np.multiply, e.args), rank=2)
        return self.elementwise(e)

    def check_order(self, e: Equation) -> None:
        for a in e.args:
            if isinstance(a, Value) and a in self.kinds and not takes(e, a, self.kinds[a]):
                in_c_order(self.kinds[a], e.op.name)

    def stored_into(self, e: Equation) -> Kind:
        """Returns the kind of an array after `ufunc(…, out=array)`."""
        kind, made = self.array(e.args[0]), self.by_ufunc(e, *applied(e))
        if (made.dtype, made.rank) != (kind.dtype, kind.rank):
            raise NotNative("a result that is cast into an array")
        return made

    def product(self, e: Equation) -> Kind:
        a, b = map(self.array, e.args)
        vectors = a.rank == b.rank == 1
        self.products = True
        if max(a.rank, b.rank) > 2 or a.dtype != b.dtype or a.dtype.kind != "f" or (
                e.op is DOT and not vectors) or product_loop(a.dtype) is None:
            raise NotNative(f"{e.op.name} of {a} and {b}")
        return Number(a.dtype, IN_NUMPY) if vectors else self.fresh(
            e, a.dtype, a.rank + b.rank - 2)

    def norm(self, e: Equation) -> Number:
        """The norm of a vector is the root of its product with itself."""
        kind = self.array(e.args[0])
        self.products = True
        if kind.rank != 1 or kind.dtype.kind != "f" or product_loop(kind.dtype) is None:
            raise NotNative(f"a norm of {kind}")
        return Number(kind.dtype, IN_NUMPY)

    def filled(self, e: Equation) -> Array:
        """Returns the kind of an array of one number, whose shape the trace knows."""
        t, given = e.outputs[0].type, e.args[1:]
        if not isinstance(t, ArrayType) or not t.is_static or not t.shape or t.dtype is None:
            raise NotNative(f"{e.op.name} of a shape that only the run knows")
        if FILLED[e.op] is None:
            check_cast(self.number(given[0]).dtype, t.dtype)
            given = given[1:]
        if any(isinstance(a, Value) for a in given):
            raise NotNative(f"{e.op.name} of a shape that only the run knows")
        if not {a for a in (*given, *e.kwargs.values()) if type(a) is str} <= {"C", "K"}:
            raise NotNative("a new array in another order")
        return self.fresh(e, t.dtype, len(t.shape))

    def of_numbers(self, e: Equation) -> Array:
        """Returns the kind of `np.array([a, b])`; so many numbers that each has a line are left to
        Python, and so are those that differ in how they are held."""
        items = e.args[0]
        if len(e.args) != 1 or e.kwargs or type(items) is not list or not (
                0 < len(items) <= MOST_NUMBERS) or any(type(x) in (list, tuple) for x in items):
            raise NotNative("an array of other things than a few numbers")
        kinds = list(map(self.number, items))
        (dtype, *others) = {k.dtype for k in kinds}
        if others or not (dtype in CLASS_OF or all(k.box == IN_NUMPY for k in kinds)):
            raise NotNative("an array of numbers of several classes")
        return self.fresh(e, dtype, 1)

    def fresh(self, e: Equation, dtype: Any, rank: int) -> Array:
        """Returns the kind of a new array."""
        if dtype not in DTYPES:
            raise NotNative(f"elements of {dtype}")
        if not 0 < rank <= MOST_AXES:
            raise NotNative(f"an array of {rank} axes")
        return Array(known_dtype(dtype), rank, e.outputs[0], own=True)

    # -- views -------------------------------------------------------------------------------------

    def item(self, kind: Array, index: Any, out: Value) -> Kind:
        """Returns the kind of `x[index]`: an element, a view, or the elements at other indices."""
        if isinstance(index, Value) and isinstance(self.of(index), Array):
            return self.taken(kind, index, out)
        if is_reversal(index) and kind.rank == 1:
            return replace(kind, view=True, own=False, order=REVERSED)
        view = self.view(kind, index)
        return view if view is not None else Number(kind.dtype, IN_NUMPY)

    def taken(self, kind: Array, index: Value, out: Value) -> Array:
        chosen = self.array(index)
        if chosen.dtype == BOOL:
            self.check_mask(kind, chosen)
            return Array(kind.dtype, 1, out, own=True)
        if kind.rank != 1 or chosen.dtype.kind not in "iu":
            raise NotNative("an index that is an array")
        return Array(kind.dtype, chosen.rank, out, own=True)

    def view(self, kind: Array, index: Any) -> Array | None:
        """Returns the kind of a view; None for an element."""
        rank = 0
        for part in parts_of(index, kind.rank):
            if part.is_new:
                rank += 1
            elif part.is_slice:
                self.check_slice(part.what)
                rank += 1
            elif self.number(part.what).dtype.kind not in "iu":
                raise NotNative("an index that is no int")
        if rank > MOST_AXES:
            raise NotNative(f"an array of {rank} axes")
        return replace(kind, rank=rank, view=True, own=False) if rank else None

    def check_slice(self, part: slice) -> None:
        for bound in (part.start, part.stop):
            if bound is not None and self.number(bound).dtype.kind not in "iu":
                raise NotNative("a slice that is not of ints")
        if part.step is not None and not (type(part.step) is int and part.step > 0):
            raise NotNative("a slice with a step that is not positive")

    def target(self, kind: Array, path: Any, index: Any) -> Array | None:
        """Returns the kind of what a store writes; None for an element."""
        for step in path:
            if not isinstance(step, Item):
                raise NotNative("a store through a view other than a slice")
            found = self.view(kind, step.index)
            if found is None:
                raise NotNative("a store through an element")
            kind = found
        if isinstance(index, Value) and isinstance(chosen := self.of(index), Array):
            self.check_mask(kind, chosen)
            return replace(kind, rank=1, view=True, own=False)
        return self.view(kind, index)

    def check_mask(self, kind: Array, chosen: Array) -> None:
        """Refuses an index that is an array, unless it is a mask of the same axes."""
        if chosen.dtype != BOOL or chosen.rank != kind.rank:
            raise NotNative("an index that is an array")

    # -- operations --------------------------------------------------------------------------------

    def elementwise(self, e: Equation) -> Array:
        floats = is_of_floats(self.of(e.args[0]))
        return self.by_ufunc(e, *ufunc_of(e, [self.rank(a) for a in e.args], floats))

    def by_ufunc(self, e: Equation, ufunc: Any, args: tuple[Atom, ...]) -> Array:
        if e.kwargs or ufunc.nout != 1 or ufunc.nin != len(args) or not is_known(ufunc):
            raise NotNative(f"the op {e.op.name}")
        kinds = [self.of(a) for a in args]
        dtypes = resolved_kinds(ufunc, kinds)
        if not is_on_lanes(ufunc, dtypes):
            if inner_loop(ufunc, dtypes) is None:
                raise NotNative(f"{ufunc.__name__}: its inner loop is not known")
            for k in kinds:
                in_c_order(k, ufunc.__name__)
        return self.fresh(e, dtypes[-1], max(k.rank for k in kinds if isinstance(k, Array)))

    def chosen(self, e: Equation) -> Array:
        kinds = [self.of(a) for a in e.args]
        if class_or_dtype(kinds[0]) != BOOL:
            raise NotNative("a choice by other things than bools")
        rank = max(k.rank for k in kinds if isinstance(k, Array))
        return self.fresh(e, chosen_dtype(kinds[1:]), rank)

    def reduced(self, e: Equation) -> Kind:
        kind, axes = self.axes_of(e)
        reduction: Any = e.op.reduction
        ufunc = reduction.ufunc
        if ufunc not in REDUCED or (reduction.boolean and kind.dtype != BOOL):
            raise NotNative(f"{e.op.name} of {kind}")
        dtype = total_dtype(e, kind.dtype)
        if inner_loop(ufunc, (dtype,) * 3) is None:
            raise NotNative(f"{ufunc.__name__}: its inner loop is not known")
        rank = kind.rank - (0 if keeps_axes(e) else len(axes))
        return self.fresh(e, dtype, rank) if axes else Number(dtype, IN_NUMPY)

    def position(self, e: Equation) -> Kind:
        kind, axes = self.axes_of(e)
        if keeps_axes(e) or len(axes) > 1 or (kind.rank > 2 and axes):
            raise NotNative(f"{e.op.name} of {kind.rank} axes along {len(axes)}")
        check_cast(kind.dtype, FLOAT)
        return self.fresh(e, INT, kind.rank - 1) if axes else Number(INT, IN_NUMPY)

    def axes_of(self, e: Equation) -> tuple[Array, range]:
        """Returns the kind of the operand, and the axes; none: all elements."""
        kind = self.array(e.args[0])
        axes = given_axes(e)
        if axes == () or len(e.args) > 2 or e.kwargs.keys() - {"axis", "keepdims"} or (
                type(keeps_axes(e)) is not bool) or (
                keeps_axes(e) and (axes is None or kind.rank == 1)):
            raise NotNative(f"{e.op.name} with these arguments")
        found = axes_in_row(axes or (), kind.rank)
        if found is None or (keeps_axes(e) and not found):
            raise NotNative(f"{e.op.name} along axes {axes}")
        return kind, found


# -- dtypes ----------------------------------------------------------------------------------------

CLASS_OF = {BOOL: BOOL, INT: int, FLOAT: float, COMPLEX: complex}


def applied(e: Equation) -> tuple[Any, tuple[Atom, ...]]:
    """Returns the ufunc that stores its result into an array, and its operands."""
    _, ufunc, *args = e.args
    if not isinstance(ufunc, np.ufunc):
        raise NotNative("a store by a function")
    return ufunc, tuple(args)


def part_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the dtype of the parts of complex numbers."""
    if dtype not in PARTS:
        raise NotNative(f"a part of {dtype}")
    return PARTS[dtype]


def is_of_floats(kind: Kind) -> bool:
    return isinstance(kind, Array) and kind.dtype.kind == "f"


def class_or_dtype(kind: Kind) -> Any:
    """Returns what decides of the dtype of a result: a dtype, or Python's class of a number."""
    if isinstance(kind, Array) or (isinstance(kind, Number) and kind.box == IN_NUMPY):
        return kind.dtype
    if isinstance(kind, Number) and kind.box == IN_PYTHON:
        return CLASS_OF[kind.dtype]
    raise NotNative("a number whose class only the run knows")


def classes_or_dtypes(kind: Kind) -> list[Any]:
    """Returns what may decide of the dtype of a result: both, where only the run knows."""
    boxes = kind.box if isinstance(kind, Number) else IN_NUMPY
    return [class_or_dtype(replace(kind, box=frozenset((box,))) if isinstance(kind, Number)
                           else kind) for box in boxes]


def resolved_kinds(ufunc: Any, kinds: list[Kind]) -> tuple[Any, ...]:
    """Returns the dtypes of the inner loop that NumPy chooses.

    Raises:
      NotNative: there is none, or it computes on other dtypes.
    """
    try:
        ways = {ufunc.resolve_dtypes((*given, None))
                for given in product(*map(classes_or_dtypes, kinds))}
    except TypeError:
        raise NotNative(f"{ufunc.__name__} of these dtypes") from None
    (found, *others) = ways
    if others:
        raise NotNative("a number whose class only the run knows")
    if not set(found) <= DTYPES:
        raise NotNative(f"{ufunc.__name__} of {found[0]}")
    return tuple(map(known_dtype, found))


def is_on_lanes(ufunc: Any, dtypes: tuple[Any, ...]) -> bool:
    return has_lanes(ufunc, dtypes[0]) and len(set(dtypes[:-1])) == 1


def chosen_dtype(kinds: list[Kind]) -> Any:
    """Returns the dtype of `np.where(test, x, y)`."""
    given = [class_or_dtype(k) for k in kinds]
    if all(isinstance(g, type) for g in given):
        return np.result_type(*[g(1) for g in given])
    return np.result_type(*[g(1) if isinstance(g, type) else g for g in given])


def shift_of(e: Equation, rank: int) -> tuple[int, int]:
    """Returns the shift and the axis of `np.roll`.

    Raises:
      NotNative: they are not known, or there are several.
    """
    axis = e.args[2] if len(e.args) == 3 else e.kwargs.get("axis", 0 if rank == 1 else None)
    if axis is None and rank == 1:
        axis = 0
    if len(e.args) < 2 or type(e.args[1]) is not int or type(axis) is not int or not (
            -rank <= axis < rank):
        raise NotNative("a roll of this form")
    return e.args[1], axis % rank


def cast_to(e: Equation) -> Any:
    """Returns the dtype that `astype` gives."""
    if isinstance(e.args[1], Value):
        raise NotNative("a cast to what only the run knows")
    return np.dtype(e.args[1])


@cache
def total_of(ufunc: Any, dtype: Any) -> Any:
    return known_dtype(ufunc.reduce(np.ones(1, dtype)).dtype)


def total_dtype(e: Equation, dtype: Any) -> Any:
    """Returns the dtype that a reduction computes in.

    Raises:
      NotNative: the order in which NumPy adds up is another one then.
    """
    from autograph.runtime.kernels.tiled_reductions import agrees

    reduction: Any = e.op.reduction
    total = FLOAT if reduction.mean and dtype.kind != "f" else total_of(reduction.ufunc, dtype)
    if total.kind in "fc" and reduction.ufunc in (np.add, np.multiply) and total != dtype:
        raise NotNative("a sum of numbers that are cast")
    if total.kind in "fc" and reduction.ufunc is np.add and not agrees():
        raise NotNative("this NumPy adds up in another order")
    if reduction.mean and dtype != FLOAT:
        raise NotNative(f"a mean of {dtype}")
    return total
