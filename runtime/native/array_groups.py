"""Array groups: the equations on whole arrays that become one loop nest, and that nest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Value
from autograph.runtime.ir.types import ArrayType, PyType, Shape
from autograph.runtime.kernels.means import MEANS
from autograph.runtime.lower.fusion_groups import may_be_grouped
from autograph.runtime.lower.ufunc_selection import reduced_along
from autograph.runtime.native.array_types import (
    array_type,
    constant_of,
    dtype_of,
    is_of_floats,
    number_in,
    rank_of,
    resolved,
    shape_of,
    summed_as,
    ufunc_of,
)
from autograph.runtime.native.complex_forms import COMPLEX_FORMS
from autograph.runtime.native.contraction import contracted
from autograph.runtime.native.extents import (
    Extent,
    Lengths,
    extent_of,
    is_read_by_rows,
    joined,
    open_axes,
)
from autograph.runtime.native.fast_functions import Fast, fast_form
from autograph.runtime.native.forms import has_lanes
from autograph.runtime.native.inner_loops import inner_loop, is_known
from autograph.runtime.native.kinds import (
    BOOL,
    CLASSES,
    DTYPES,
    INT,
    NotNative,
    check_cast,
    known_dtype,
)
from autograph.runtime.native.loop_nest import (
    WAYS,
    Constant,
    DType,
    Instruction,
    Nest,
    Operand,
    Register,
    Rows,
    Span,
    is_added_in_pieces,
    is_pairwise,
    verify,
)
from autograph.runtime.native.nearest_loops import has_formula
from autograph.runtime.native.phases import enter_rows, needed, phases_of
from autograph.runtime.native.short_rows import SHORT, Unrolling, are_short
from autograph.runtime.native.windows import Window, everything, is_window, part
from autograph.runtime.ops.op import OPS, Reduction

ASTYPE, WHERE = OPS["astype"], OPS["where"]
MASKED_PRODUCT = OPS["masked_product"]

REDUCING = (np.add, np.multiply, np.maximum, np.minimum, np.logical_or, np.logical_and)
"""The ufuncs that reduce rows."""

MANY = 32
"""Rows from which on a function of a number of each is another group: one call of its loop."""

LONG = 256
"""Elements from which on one function of them is worth a kernel, if it has vectors here alone."""

MOST_INPUTS = 24
"""Inputs and results of a group: the tables of a kernel are on the stack."""


class ArrayGroup:
    """Equations that run as one loop nest.

    shape      of the arrays. Where lengths are open, all arrays have the same: a call checks it.
    in_parts   views that may lie in several parts of memory; True: each row in one. They are read
               as windows, if their lengths are known, or in a nest that is strided.
    in_steps   of them, those that have one of so many elements of one axis.
    strided    rows of matrices of open lengths are read where they lie.
    repeats    a strided nest has inputs that are repeated along an axis.
    fast       the results need not have NumPy's bits.
    registers  of the values that it makes.
    inputs     the arrays that it reads; of each, what is read of it: all or a view of it, and
               for what it holds a number.
    views      the views among the equations: an array that is given, and its window.
    """

    def __init__(self, in_parts: Mapping[Value, bool] | None = None, fast: bool = False,
                 in_steps: Mapping[Value, int] | None = None) -> None:
        self.in_parts = in_parts or {}
        self.in_steps = in_steps or {}
        self.fast = fast
        self.strided = self.repeats = False
        self.equations: list[Equation] = []
        self.shape: Shape = ()
        self.by_rows: bool | None = None
        self.inputs: dict[Value, dict[tuple[Value, Span], Register]] = {}
        self.views: dict[Value, tuple[Value, Window]] = {}
        self.registers: dict[Value, Register] = {}
        self.shapes: dict[Value, Shape | None] = {}
        self.instructions: list[Instruction] = []
        self.before: list[Instruction] = []
        self.casts: dict[tuple[Register, DType], Register] = {}
        self.count = 0

    # -- taking equations --------------------------------------------------------------------------

    def takes(self, e: Equation) -> bool:
        """Adds an equation if it has a form; returns False if it has none."""
        try:
            self.add(e)
        except NotNative:
            return False
        return True

    def add(self, e: Equation) -> None:
        """Adds an equation.

        Raises:
          NotNative: it has no form here, with the reason; nothing is changed.
        """
        if not may_be_grouped(e) or len(e.outputs) != 1:
            raise NotNative(f"the op {e.op.name}", e.location)
        saved = self._state()
        try:
            self._equation(e)
            if len(self.inputs) + self.operations > 4 * MOST_INPUTS:
                raise NotNative("a group of many equations", e.location)
        except NotNative as error:
            self._restore(saved)
            error.location = error.location or e.location
            raise
        self.equations.append(e)

    def _state(self) -> tuple[Any, ...]:
        return (self.shape, self.by_rows, {v: dict(rs) for v, rs in self.inputs.items()},
                dict(self.registers), dict(self.shapes), list(self.instructions),
                list(self.before), dict(self.casts), dict(self.views), self.strided, self.repeats)

    def _restore(self, saved: tuple[Any, ...]) -> None:
        (self.shape, self.by_rows, self.inputs, self.registers, self.shapes, self.instructions,
         self.before, self.casts, self.views, self.strided, self.repeats) = saved

    @property
    def made(self) -> set[Value]:
        """The results of the equations."""
        return {v for e in self.equations for v in e.outputs}

    @property
    def operations(self) -> int:
        """The number of equations that are not views."""
        return len(self.equations) - len(self.views)

    def is_quick(self) -> bool:
        """Returns True if one of many elements' functions is faster than NumPy's."""
        extent = extent_of(self.shape)
        return (extent.open or extent.each >= LONG) and any(isinstance(i.what, Fast) or (
            i.how == "call" and has_formula(i.what, i.out.dtype)) for i in self.instructions)

    def _equation(self, e: Equation) -> None:
        if is_window(e):
            self._view(e)
            return
        if (reduction := e.op.reduction) is not None:
            self._check_lengths(e, shape_of(array_type(e.args[0])))
            self._reduction(e, reduction)
            return
        if e.kwargs:
            raise NotNative(f"keywords of {e.op.name}")
        out = array_type(e.outputs[0])
        self._check_lengths(e, shape_of(out))
        span = self._span_of_result(out)
        if e.op is ASTYPE:
            self._cast(e, out, span)
        elif e.op is WHERE and len(e.args) == 3:
            self._where(e, out, span)
        elif e.op is MASKED_PRODUCT:
            self._masked(e, out, span)
        else:
            found = ufunc_of(e, list(map(rank_of, e.args)), is_of_floats(e.args[0]))
            self._ufunc(e, *found, out, span)

    def _check_lengths(self, e: Equation, shape: Shape) -> None:
        """Takes arrays of open lengths only with one of which the length is that of the group. The
        first ones decide how the nest reads them."""
        if not self.shape:
            self.strided = is_read_by_rows(shape, any(v in self.in_parts for v in e.inputs))
        given = [v for v in e.inputs
                 if isinstance(v.type, ArrayType) and open_axes(v.type.shape or ())]
        if self.shape and given and not any(
                v in self.registers or v in self.inputs for v in given):
            raise NotNative("an array of another open length")

    def _span_of_result(self, t: ArrayType) -> Span:
        """Returns what a result of this type is there for; the first one gives the shape."""
        shape = shape_of(t)
        if not self.shape and shape:
            if 0 in shape:
                raise NotNative("an empty array")
            self.shape = shape
        if shape and shape == self.shape:
            return Span.LANES
        if self.by_rows and shape in (self.shape[:-1], (*self.shape[:-1], 1)):
            return Span.ROW
        if self.by_rows is False and t.scalar and t.dtype is not None and t.dtype.kind == "f":
            return Span.ROW
        raise NotNative("an array of another shape")

    # -- equations ---------------------------------------------------------------------------------

    def _ufunc(self, e: Equation, ufunc: Any, args: tuple[Atom, ...], out: ArrayType,
               span: Span) -> None:
        if ufunc.nout != 1 or ufunc.nin != len(args) or not is_known(ufunc):
            raise NotNative(f"the op {e.op.name}")
        if out.scalar and ufunc is np.power:
            raise NotNative("a power of NumPy's numbers")
        dtypes = resolved(ufunc, args)
        if dtypes[-1] != out.dtype:
            raise NotNative(f"{ufunc.__name__} gives another dtype")
        operands = [self._operand(a, d, span) for a, d in zip(args, dtypes, strict=False)]
        how = "lanes" if has_lanes(ufunc, dtypes[0]) and len(set(dtypes[:-1])) == 1 else "call"
        if how == "call" and self.fast and (fast := fast_form(ufunc, dtypes, args[-1])) is not None:
            self._make(e, "lanes", fast, dtypes[-1], tuple(operands), span)
            return
        if out.scalar and how == "call" and ufunc in COMPLEX_FORMS and (
                dtypes[0].kind == "c"):
            raise NotNative(f"{ufunc.__name__} of NumPy's complex numbers")
        if how == "call" and span is Span.ROW and self._are_many(shape_of(out)):
            raise NotNative(f"{ufunc.__name__} of one number of each row: all at once is faster")
        loop = None if how == "lanes" else inner_loop(ufunc, dtypes)
        if how == "call" and (loop is None or not (
                loop.steady or all(map(self._is_not_repeated, args)))):
            raise NotNative(f"{ufunc.__name__}: its inner loop is not known")
        self._make(e, how, ufunc, dtypes[-1], tuple(operands), span)

    def _are_many(self, rows: Shape) -> bool:
        """Returns True for numbers of many rows, which are not short."""
        count, length = extent_of(rows), extent_of(self.shape[-1:])
        return bool(rows) and (count.open or count.each >= MANY) and (
            length.open or length.each >= SHORT)

    def _is_not_repeated(self, atom: Atom) -> bool:
        """Returns True for a number, and for an array of the shape of the result."""
        return not rank_of(atom) or array_type(atom).shape == self.shape

    def _cast(self, e: Equation, out: ArrayType, span: Span) -> None:
        if out.dtype not in DTYPES or len(e.args) != 2 or isinstance(e.args[1], Value):
            raise NotNative("this cast")
        source = dtype_of(array_type(e.args[0]))
        check_cast(source, out.dtype)
        x = self._operand(e.args[0], source, span)
        self._make(e, "lanes", "cast", out.dtype, (x,), span)

    def _where(self, e: Equation, out: ArrayType, span: Span) -> None:
        if out.dtype not in DTYPES:
            raise NotNative(f"elements of {out.dtype}")
        test = self._operand(e.args[0], None, span)
        chosen = [self._operand(a, out.dtype, span) for a in e.args[1:]]
        self._make(e, "lanes", "where", out.dtype, (self._as(test, BOOL, span), *chosen), span)

    def _masked(self, e: Equation, out: ArrayType, span: Span) -> None:
        """The product of a gradient, which is 0 where the first factor is, whatever the second is
        there: where it is infinite, nothing is invalid."""
        dtype = dtype_of(out)
        if out.scalar or dtype.kind != "f" or dtype not in DTYPES:
            raise NotNative("a masked product of numbers")
        g, p = (self._operand(a, dtype, span) for a in e.args)
        zero, one = (Constant(dtype.type(k), dtype) for k in (0, 1))
        differs = self._step(e, np.not_equal, BOOL, (g, zero), span)
        factor = self._step(e, "where", dtype, (differs, p, one), span)
        product = self._step(e, np.multiply, dtype, (g, factor), span)
        made = self._step(e, "where", dtype, (differs, product, zero), span)
        self._make(e, "lanes", np.add, dtype, (made, zero), span)

    def _step(self, e: Equation, what: Any, dtype: DType, args: tuple[Operand, ...], span: Span
              ) -> Register:
        """Emits a part of an equation; returns what it makes."""
        made = self._new("", dtype, span)
        self._emit(Instruction("lanes", what, made, args, e.location))
        return made

    def _reduction(self, e: Equation, reduction: Reduction) -> None:
        t = array_type(e.args[0])
        shape, found = shape_of(t), reduced_along(e, t)
        if found is None or t.scalar or reduction.ufunc not in REDUCING:
            raise NotNative(f"{e.op.name} in this form")
        axis, keepdims = found
        flat = axis is None or len(shape) == 1
        if (flat and keepdims) or not (flat or axis in (-1, len(shape) - 1)) or (
                not flat and (shape[-1] == 1 or (open_axes(shape[-1:]) and not self.strided))):
            raise NotNative(f"{e.op.name} along this axis")
        if flat and self.repeats:
            raise NotNative("a reduction of repeated elements")
        if self.by_rows is not None and self.by_rows is flat:
            raise NotNative("a reduction along other axes")
        if self._span_of_result(t) is not Span.LANES:
            raise NotNative("a reduction of another array")
        out = array_type(e.outputs[0])
        total = summed_as(reduction, t.dtype, out.dtype)
        self.by_rows = not flat
        x = self._as(self._operand(e.args[0], t.dtype, Span.LANES), total, Span.LANES)
        if not isinstance(x, Register) or x.span is not Span.LANES:
            raise NotNative("a reduction of one number")
        how = "total" if self.fast and reduction.ufunc is np.add and total.kind == "f" else "reduce"
        if how == "reduce" and flat and is_added_in_pieces(reduction.ufunc, total, x.window):
            raise NotNative("a sum of elements that NumPy copies piece by piece")
        if inner_loop(reduction.ufunc, (total,) * 3) is None:
            raise NotNative(f"{reduction.ufunc.__name__}: its inner loop is not known")
        if reduction.mean:
            count = extent_of(shape if flat else shape[-1:])
            if count.each > MEANS.get(total, 0) or t.dtype != total:
                raise NotNative("a mean of this dtype")
            reduced = self._new(e.outputs[0].hint, total, Span.ROW)
            self._emit(Instruction(how, reduction.ufunc, reduced, (x,), e.location))
            self._mean(e, reduced, total, count)
        else:
            self._make(e, how, reduction.ufunc, total, (x,), Span.ROW)
        if len({i.out.dtype.kind for i in self.instructions if is_pairwise(i)}) > 1:
            raise NotNative("a sum of floats beside one of complex numbers: it has other halves")

    def _mean(self, e: Equation, reduced: Register, total: DType, count: Extent) -> None:
        """Divides a sum."""
        size: Operand = Constant(total.type(count.each), total)
        if count.open:
            size = self._new("count", total, Span.NUMBER)
            self._emit(Instruction("lanes", "count", size, (), e.location))
        self._make(e, "lanes", np.divide, total, (reduced, size), Span.ROW)

    def _view(self, e: Equation) -> None:
        """Notes which elements of an array from outside a view has."""
        out, (x,) = e.outputs[0], e.inputs
        array_type(out)
        if x in self.registers:
            raise NotNative("a view of what the group makes")
        base, window = self._window_of(x)
        try:
            found = part(window, e)
        except (IndexError, OverflowError):
            found = None
        if found is None:
            raise NotNative("this view")
        self.views[out] = base, found

    def _window_of(self, v: Value) -> tuple[Value, Window]:
        """Returns the array that is given, and which elements of it a value has."""
        return self.views.get(v) or (v, everything(joined(shape_of(array_type(v)))))

    # -- operands ----------------------------------------------------------------------------------

    def _operand(self, atom: Atom, dtype: DType | None, span: Span) -> Operand:
        """Returns an operand, converted; `dtype` None: as it is."""
        if not isinstance(atom, Value):
            return constant_of(number_in(atom), dtype)
        register = self.registers.get(atom) or self._input(atom, span)
        if span is Span.ROW and register.span is Span.LANES:
            raise NotNative("rows of elements")
        return register if dtype is None else self._as(register, dtype, span)

    def _input(self, v: Value, span: Span) -> Register:
        kind, dtype, window = self._kind_of_input(v, span)
        base = self.views[v][0] if v in self.views else v
        known = self.inputs.setdefault(base, {})
        if (v, kind) not in known:
            if len(self.inputs) > MOST_INPUTS:
                raise NotNative("a group of many arrays")
            known[v, kind] = self._new(v.hint, dtype, kind, window)
        return known[v, kind]

    def _kind_of_input(self, v: Value, span: Span) -> tuple[Span, DType, Window | None]:
        """Returns how an input is read: its span, its dtype, and which elements of an array."""
        t = v.type
        if isinstance(t, PyType) and t.cls in CLASSES:
            return Span.NUMBER, CLASSES[t.cls], None
        found = array_type(v)
        shape = shape_of(found)
        dtype, window = dtype_of(found), self._window_of(v)[1]
        if open_axes(shape) and v in self.in_parts and not (self.strided and self.in_parts[v]):
            if v not in self.in_steps or len(self.shape) != 1:
                raise NotNative("a view of an open length, which may lie in parts")
            return Span.LANES, dtype, Window(0, (self.in_steps[v],), self._lengths)
        if dtype.kind == "c" and any(step < 0 for step in window.steps):
            raise NotNative("complex numbers from the end: products have other bits there")
        if found.scalar or shape == ():
            return Span.NUMBER, dtype, window
        if span is Span.ROW:
            outer = self.shape[:-1]
            if shape not in (outer, (*outer, 1)):
                raise NotNative("an array of another shape")
            rows = joined(outer)
            return Span.ROW, dtype, Window(window.offset, window.steps[:len(rows)], rows)
        if len(shape) > len(self.shape) or any(
                d not in (1, n) for d, n in zip(shape[::-1], self.shape[::-1], strict=False)):
            raise NotNative("an array of another shape")
        if not self.strided:
            return Span.LANES, dtype, self._broadcast(window, shape)
        if v in self.views:
            raise NotNative("a window beside rows of open lengths")
        return Span.LANES, dtype, self._strided(shape)

    @property
    def _lengths(self) -> Lengths:
        """The shape of the nest."""
        if self.strided:
            rows = extent_of(self.shape[:-1])
            return (None if rows.open else rows.each, *joined(self.shape[-1:]))
        return joined(self.shape)

    def _strided(self, shape: Shape) -> Window | None:
        """Returns the window of an input that is repeated along the rows of a strided nest; None
        for one whose rows have a stride, which is 0 if there is one row for all."""
        if len(self.shape) == 3 and shape != self.shape:
            raise NotNative("repeated elements beside planes of rows")
        self.repeats = self.repeats or shape != self.shape
        if self.repeats and self.by_rows is False:
            raise NotNative("repeated elements, of which all are reduced")
        if shape[-1:] == self.shape[-1:]:
            return None
        step = int(len(shape) == 2 and shape[0] != 1)
        return Window(0, (step, 0), self._lengths)

    def _broadcast(self, window: Window, shape: Shape) -> Window:
        """Returns the window of an input over the shape of the nest."""
        count = open_axes(self.shape)
        if shape[:count] != self.shape[:count]:
            more = max(0, len(shape) + count - len(self.shape))
            if any(n != 1 for n in shape[:more]):
                raise NotNative("an array of some of the open lengths")
            window = window.inner(more)
        return window.broadcast(self._lengths)

    def _as(self, x: Operand, dtype: DType, span: Span) -> Operand:
        """Returns an operand converted to a dtype, once."""
        if x.dtype == dtype:
            return x
        if isinstance(x, Constant):
            return constant_of(x.number, dtype)
        if (x, dtype) not in self.casts:
            weak = x.span is Span.NUMBER and x.dtype == INT and dtype != BOOL
            made = self.casts[x, dtype] = self._new(x.name, dtype, x.span)
            self._emit(Instruction("lanes", "number" if weak else "cast", made, (x,)))
        return self.casts[x, dtype]

    def _new(self, hint: str, dtype: DType, span: Span, window: Window | None = None) -> Register:
        self.count += 1
        return Register(f"{hint or 'v'}.{self.count}", known_dtype(dtype), span, window)

    def _make(self, e: Equation, how: str, what: Any, dtype: DType, args: tuple[Operand, ...],
              span: Span) -> None:
        out = e.outputs[0]
        made = self.registers[out] = self._new(out.hint, dtype, span)
        t = array_type(out)
        self.shapes[out] = None if t.scalar else t.shape
        self._emit(Instruction(how, what, made, args, e.location))

    def _emit(self, i: Instruction) -> None:
        (self.before if i.out.span is Span.NUMBER else self.instructions).append(i)

    # -- the nest ----------------------------------------------------------------------------------

    def nest(self, results: list[Value]) -> Nest:
        """Returns the loop nest that gives these results."""
        inputs = [list(rs.values()) for rs in self.inputs.values()]
        wanted = needed(self.instructions, set(self.registers.values()))
        outputs = [self.registers[v] for v in results]
        if self.fast:
            wanted = contracted(wanted, outputs)
        shape, by_rows = self._lengths, (self.strided and self.repeats) or self.by_rows
        if by_rows and not self.strided and are_short(shape, wanted, outputs):
            unrolling = Unrolling(extent_of(shape[-1:]).each)
            shape, by_rows = shape[:-1], None
            inputs = [unrolling.inputs(rs) for rs in inputs]
            for i in wanted:
                unrolling.write(i)
            wanted = unrolling.instructions
            outputs = [unrolling.rows.get(r, r) for r in outputs]
        by_rows = enter_rows(shape, by_rows, inputs)
        how = WAYS[by_rows] if self.strided else None
        rows, row = (shape[:-1], shape[-1:]) if by_rows or how else ((), shape)
        count, length = extent_of(rows), extent_of(row)
        if how in (Rows.ALL, Rows.EITHER):  # the entry decides
            count, length = Extent(count.each, True), Extent(length.each, True)
        nest = Nest(shape, count, length, inputs, self.before, phases_of(wanted),
                    list(zip(outputs, map(self.shapes.__getitem__, results), strict=True)), how,
                    len(self.shape))
        verify(nest)
        return nest

