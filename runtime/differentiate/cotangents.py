"""Cotangents while a backward sweep is recorded: one symbolic array for each value that has one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograph.runtime.differentiate.activity import may_vary
from autograph.runtime.ir.graph import Equation, Value, map_leaves
from autograph.runtime.ir.types import (
    DYNAMIC,
    EITHER,
    ArrayType,
    DynamicType,
    PyType,
    StackType,
    Type,
    has_memory,
    is_container,
    is_maybe_undefined,
    is_number,
    type_of,
)
from autograph.runtime.ops.kept_values import FITTED_TO, cotangents_in
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.sums_by_products import factors
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.record import maker, record
from autograph.runtime.symbolic.tensor import Tensor, apply, lower

Box = tuple[tuple[int, int], ...]
"""A part of an array: from where to where along each axis."""


class Cotangents:
    """The cotangents of one stretch of equations.

    active  the values that may have one: varied and useful.
    padded  the values whose cotangents contain zeros for what was not used.
    steep   the values whose cotangents may be infinite, as a root of what is 0 was taken.
    """

    def __init__(self, active: set[Value], padded: set[Value] | None = None,
                 steep: set[Value] | None = None) -> None:
        self.active = active
        self.padded = set() if padded is None else padded
        self.steep = set() if steep is None else steep
        self._found: dict[Value, Tensor] = {}
        self._boxes: dict[Value, tuple[Tensor, list[Box]]] = {}

    def __contains__(self, value: Value) -> bool:
        return value in self._found

    def inside(self) -> Cotangents:
        """Returns those of a region: none so far, with the same marks."""
        return Cotangents(self.active, self.padded, self.steep)

    def like(self, known: Value, value: Any) -> None:
        """Marks a value as one whose cotangent may be infinite if another is."""
        if known in self.steep and isinstance(value, Value):
            self.steep.add(value)

    def put(self, value: Value, g: Tensor) -> None:
        """Sets a cotangent that has the value's type."""
        self._found[value] = g

    def take(self, value: Value) -> Tensor | None:
        """Removes and returns the cotangent of a value; None if it has none."""
        return self._found.pop(value, None)

    def add(self, value: Any, g: Any, padded: bool = False, fits: bool = False) -> None:
        """Adds to the cotangent of a value, or of each value in a nest; a constant has none, and
        None adds nothing.

        g is summed over the axes along which the value was broadcast, and cast to its dtype; if it
        `fits`, it has the value's form.
        """
        if g is not None and isinstance(value, (list, tuple, dict)):
            for k, x in value.items() if isinstance(value, dict) else enumerate(value):
                self.add_item(x, g, k)
        if g is None or not isinstance(value, Value) or value not in self.active:
            return
        g = fitted(g, value, fits)
        if padded:
            self.padded.add(value)
        old = self._found.get(value)
        made = g if old is None else _sum(old, g, value)
        name_after(made, value)
        self._found[value] = made

    def add_item(self, x: Any, g: Any, at: Any) -> None:
        """Adds to the cotangents of what an item holds, given the cotangent of its container."""
        if isinstance(x, Value) and x in self.active:
            self.add(x, kept_like(g, at, x), True)
        elif self.wants(x):
            like = map_leaves(lambda v: Tensor(v) if isinstance(v, Value) else v, x)
            self.add(x, apply("kept_or_zero", g, at, like), True)

    def wants(self, nest: Any) -> bool:
        """Returns True if a value in an argument may have a cotangent."""
        if isinstance(nest, Value):
            return nest in self.active
        if isinstance(nest, dict):
            nest = list(nest.values())
        return isinstance(nest, (tuple, list)) and any(map(self.wants, nest))

    def add_nest(self, nest: Any, g: Any, padded: bool = False) -> None:
        """Adds to the cotangents of the values in an argument, whose cotangent is a like nest."""
        if g is None:
            return
        if isinstance(nest, (tuple, list)):
            parts = [apply("getitem", g, k) for k in range(len(nest))] if isinstance(
                g, Tensor) else g
            for x, part in zip(nest, parts, strict=True):
                self.add_nest(x, part, padded)
        elif isinstance(nest, dict):
            for k, x in nest.items():
                self.add_nest(x, g.get(k), padded)
        else:
            self.add(nest, g, padded)

    def store(self, value: Value, g: Tensor, made: Tensor, box: Box | None) -> None:
        """Sets a cotangent that is zero but for what was stored in it: g is the one before."""
        before, boxes = self._boxes.get(value, (None, []))
        if box is not None:
            self._boxes[value] = made, [*(boxes if before is g else []), box]
        self.padded.add(value)
        name_after(made, value)
        self.put(value, made)

    def is_zero(self, value: Value, box: Box | None) -> bool:
        """Returns True if a part of a value's cotangent is certainly zero: nothing was stored
        there."""
        made, boxes = self._boxes.get(value, (None, []))
        return box is not None and made is not None and self._found.get(value) is made and all(
            any(b <= c or d <= a for (a, b), (c, d) in zip(box, other, strict=True))
            for other in boxes)

    def of(self, value: Value) -> Tensor:
        """Removes and returns the cotangent of a value; zeros if it has none."""
        found = self.take(value)
        if found is None:
            found = zeros_for(value)
            name_after(found, value)
        return found


def kept_like(g: Any, k: Any, x: Any) -> Tensor:
    """Returns item k of a stack of cotangents, that of x."""
    t = x.type if x.type == EITHER else cotangent_type(x)  # its zero is of the value's class
    return Tensor(record(OPS["kept_or_zero"], (lower(g), lower(k), x), {}, types=(t,))[0])


def beside(op: str, g: Any, value: Value) -> Tensor:
    """Records an op of a cotangent and the value that it belongs to, which may be unbound: that of
    a branch that was not taken. What is fitted to the value already stays as it is."""
    last = last_equation()
    if last is not None and last.op is OPS[op] is FITTED_TO and isinstance(g, Tensor) and (
            last.outputs[0] is g.read() and last.args[1] is value):
        return g
    return Tensor(record(OPS[op], (lower(g), value), {})[0])


def last_equation() -> Equation | None:
    """Returns the equation that was recorded last in this region."""
    here = trace.current_region()
    return here.graph.equations[-1] if here is not None and here.graph.equations else None


def _sum(a: Tensor, b: Any, value: Value) -> Tensor:
    if is_array_like(cotangent_type(value)):
        return fitted(a + b, value, fits=True)  # as both summands do
    return as_tensor(apply("sum_of", a, b))


def is_array_like(t: Type) -> bool:
    """Returns True if a value of this type is an array or a number."""
    return isinstance(t, ArrayType) or (isinstance(t, PyType) and t.cls in (float, complex))


def cotangent_type(value: Value) -> Type:
    """Returns the type of a value's cotangent: its own, or that which a branch may give; NumPy's
    for a float of either class."""
    t = value.type
    while isinstance(t, DynamicType) and t.maybe_undefined and t.bound is not None:
        t = t.bound
    here = trace.current_region()
    if t == DYNAMIC and here is not None:
        known: Type = here.trace.variable_types.get(value, t)
        return known
    return DYNAMIC if is_container(t) else cotangents_in(t)


def has_known_zero(t: Type) -> bool:
    """Returns True for the type of an array or number whose zero does not ask for the value."""
    return is_array_like(t) and (isinstance(t, PyType) or (
        isinstance(t, ArrayType) and t.is_static))


def in_form(g: Tensor | None, value: Value) -> Tensor | None:
    """Returns a cotangent or tangent for users: a Python number if the value is one, and None for
    what turns out to be no float."""
    if value.type == DYNAMIC and cotangent_type(value) == DYNAMIC:  # else it is a variable
        return beside("number_part", g, value)
    if g is None or value.type != EITHER:
        return g
    return Tensor(record(OPS["fitted_to"], (g.read(), value), {}, types=(EITHER,))[0])


def as_tensor(x: Any) -> Tensor:
    """Returns a constant, or a nest of symbolic values and constants, as a symbolic value."""
    if isinstance(x, Tensor):
        return x
    return as_tensor(apply("pack" if isinstance(x, (list, tuple, dict)) else "stop_gradient", x))


def fitted(g: Any, value: Value, fits: bool = False) -> Tensor:
    """Returns a cotangent with the type of the value that it belongs to, and in its form.

    fits: it has that form, as far as only the run knows it.
    """
    t = cotangent_type(value)
    if isinstance(g, (list, dict)):
        g = apply("pack", g)
    found = g.type if isinstance(g, Tensor) else type_of(g)
    if not is_array_like(t):
        in_form = fits or isinstance(t, StackType)
        return as_tensor(g) if in_form else beside("fitted_to", g, value)
    if isinstance(found, DynamicType) and not (fits and getattr(t, "dtype", t) is not None):
        g = beside("fitted_to", g, value)
        found = g.type
    if found == t and (not isinstance(t, ArrayType) or (
            t.dtype is not None and (fits or t.is_static))):  # else one may be the longer
        return as_tensor(g)
    if isinstance(t, PyType):
        if t.cls is float and _is_complex(found):
            g = np.real(as_tensor(g))
        shaped = isinstance(found, ArrayType) and found.shape != ()
        if shaped:
            g = np.sum(as_tensor(g))
        return as_tensor(apply("float_" if t.cls is float else "complex_", g))
    assert isinstance(t, ArrayType)
    if fits and (t.dtype is None or (not t.is_static and isinstance(found, ArrayType)
                                     and found.dtype == t.dtype)):
        return as_tensor(g)
    if found == EITHER and t.dtype is not None:
        g = apply("multiply", g, np.float64(1.0))  # runs on Python's numbers, too
        found = g.type
    if isinstance(found, ArrayType) and t.is_static and found.shape == t.shape and (
            found.scalar == t.scalar and found.dtype is not None and t.dtype is not None):
        g = np.real(g) if found.dtype.kind == "c" and t.dtype.kind == "f" else g
        return as_tensor(g if g.dtype == t.dtype else apply("astype", g, t.dtype))
    if t.dtype is None and t.scalar and not (t == EITHER or has_memory(found)) and is_number(found):
        return as_tensor(g)  # a number of any kind
    if t.scalar and isinstance(found, PyType) and found.cls in (float, complex) and (
            t.dtype is not None):
        g = np.real(g) if found.cls is complex and t.dtype.kind == "f" else g
        return as_tensor(apply("multiply", g, t.dtype.type(1)))  # NumPy's number
    if t.is_static:
        g = summed(as_tensor(g), t)
        if g.type == replace(t, scalar=not t.scalar):
            return as_tensor(apply("getitem", g, ()) if t.scalar else apply("asarray", g))
        return g if g.type == t else as_tensor(apply(
            "sum_to_type", g, t.shape, t.dtype, t.scalar))
    if is_maybe_undefined(value.type):  # it is not read: there may be none
        return beside("fitted_to", g, value)
    return as_tensor(apply("sum_to", g, Tensor(value)))


def summed(g: Tensor, t: ArrayType) -> Tensor:
    """Returns a cotangent summed over the axes along which a value of type t was broadcast."""
    shape: Any = t.shape
    found: Any = g.type.shape if isinstance(g.type, ArrayType) and g.type.is_static else None
    if found is None or len(found) < len(shape) or found == shape:
        return g
    last = last_equation()
    if last is not None and last.op.ufunc is np.negative and not last.kwargs and (
            last.outputs[0] is g.read() and isinstance(last.args[0], Value)):
        return as_tensor(np.negative(summed(Tensor(last.args[0]), t)))  # of fewer elements
    if factors(g, found, shape, g.dtype) is not None:
        return as_tensor(apply("sum_to_type", g, shape, g.dtype, False))
    more = len(found) - len(shape)
    if more:
        g = np.sum(g, axis=None if not shape else 0 if more == 1 else tuple(range(more)))
    for k, (a, b) in reversed(list(enumerate(zip(found[more:], shape, strict=True)))):
        if a != b == 1:
            g = np.sum(g, axis=k, keepdims=True)
    return g


def _is_complex(t: Type) -> bool:
    return (isinstance(t, ArrayType) and t.dtype is not None and t.dtype.kind == "c") or (
        t == PyType(complex))


def writable(g: Tensor) -> Tensor:
    """Returns a cotangent in whose memory may be stored: that of a sum is spread over one number,
    as a view that NumPy does not let write."""
    e = maker(g.read())
    return apply("copy", g) if e is not None and e.op.view and is_shaped(g.type) else g


def is_shaped(t: Type) -> bool:
    return isinstance(t, ArrayType) and not t.scalar


def zeros_for(value: Value, stand: Value | None = None) -> Tensor:
    """Records the zero cotangent of a value; `stand` is one of its form that there is already."""
    t = cotangent_type(value)
    if isinstance(t, PyType) and t.cls in (float, complex):
        return as_tensor(t.cls(0))
    if not may_vary(t):
        return as_tensor(0.0)
    if isinstance(t, ArrayType) and t.is_static and t.dtype is not None and t.shape is not None:
        if t.scalar:
            return as_tensor(t.dtype.type(0))
        return as_tensor(apply("zeros", t.shape, t.dtype))
    return Tensor(record(OPS["zero_of"], (stand or value,), {}, types=(t,))[0])


def name_after(g: Tensor, value: Value) -> None:
    """Names a cotangent after its value, if it has no name."""
    if value.hint and not g._handle.value.hint:
        g._handle.value.hint = f"d_{value.hint}"


def has_cotangent(values: Sequence[Value], cotangents: Cotangents) -> bool:
    return any(v in cotangents for v in values)


