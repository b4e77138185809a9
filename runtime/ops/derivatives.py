"""Derivatives: the kinds of rule that an op's record may hold, and functions for writing rules.

A rule is plain NumPy code. It is called with arrays, or with symbolic arrays while a gradient is
made: what it computes is then recorded. In the notation of the rules, z = f(x, y) is the op's
result, g the cotangent of z (the gradient by z of what is differentiated), and t the tangents of
the operands. Complex cotangents follow the plain transpose: x_bar = g * dz/dx, without conjugates.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import isfinite
from typing import Any

import numpy as np

from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ops.sums_by_products import factors

Function = Callable[..., Any]
DOUBLE = np.dtype(float)
NUMBERS = (float, complex, np.number)


class NotDifferentiableHere(Exception):
    """A rule finds, for the arguments of one call, that there is no derivative; says why."""


class KnownAtRunTime(NotDifferentiableHere):
    """A rule needs something that is known only when the graph runs."""


class Derivative:
    """The base class of the rules.

    pads: True if a cotangent that the rule gives may hold zeros for what the result does not use.
    nests: True if the op takes lists of operands; elsewhere a list of numbers is an array, and the
      rule is given it as one.
    reads_bits: True if the result tells the operand's numbers though it is of another type, as
      integers with the same bits do.
    """

    __slots__ = ("pads",)
    pads: bool
    nests = False
    reads_bits = False


class Partials(Derivative):
    """The rule of an elementwise op: a function `p(z, *operands)` for the partial by each operand.

    Args:
      partials: the functions; None for an operand in which the op is locally constant. `ONE` and
        `MINUS_ONE` save the product.
      singular: True if a partial may be infinite or NaN where the result is finite, so that its
        product with a padded zero must be left out.
      pads: True if a partial is 0 where the result does not use the operand (`maximum`), or where
        the operand may be infinite (`exp`).
      steep: True if it is singular where the result is a number all the same, as a root of 0 is.
    """

    __slots__ = ("partials", "singular", "steep")

    def __init__(self, *partials: Function | None, singular: bool = False, pads: bool = False,
                 steep: bool = False) -> None:
        self.pads = pads
        self.partials = partials
        self.singular = singular or steep
        self.steep = steep


class Multilinear(Derivative):
    """The rule of an op that is linear in each operand by itself.

    Args:
      transposes: for each positional argument a function `t(g, z, *args, **kwargs)` that gives its
        cotangent (for a list of operands a list); None for an argument that is no operand.
      pads: True if a cotangent holds zeros for elements that the result does not use (`take`).
    """

    __slots__ = ("nests", "transposes")

    def __init__(self, *transposes: Function | None, pads: bool = False, nests: bool = False
                 ) -> None:
        self.pads = pads
        self.nests = nests
        self.transposes = transposes


def Linear(transpose: Function, pads: bool = False, nests: bool = False) -> Multilinear:
    """Returns the rule of an op that is linear in its first argument."""
    return Multilinear(transpose, pads=pads, nests=nests)


class Formula(Derivative):
    """A rule by formulas for one mode or both; a mode that is left out follows from the other one.

    Args:
      vjp: `vjp(g, z, *args, **kwargs)` gives a cotangent, or None, for each positional argument;
        perhaps followed by a dict of those of keyword arguments. Linear in g.
      jvp: `jvp(t, z, *args, **kwargs)` gives the tangent of z. `t` holds the tangents of the
        positional arguments, None for zero. Linear in t.
    """

    __slots__ = ("jvp", "nests", "reads_bits", "vjp")

    def __init__(self, vjp: Function | None = None, jvp: Function | None = None,
                 pads: bool = True, reads_bits: bool = False, nests: bool = False) -> None:
        assert vjp is not None or jvp is not None
        self.pads = pads
        self.nests = nests
        self.reads_bits = reads_bits
        self.vjp = vjp
        self.jvp = jvp


class Parts(Derivative):
    """The rule of an op that other ops can compute: `fn(*args, **kwargs)` gives the same.

    value: what computes the same without the op itself, if `fn` uses it.
    """

    __slots__ = ("fn", "nests", "value")

    def __init__(self, fn: Function, nests: bool = False, value: Function | None = None) -> None:
        self.pads = True
        self.nests = nests
        self.fn = fn
        self.value = value or fn


class Zero(Derivative):
    """The rule of an op that is locally constant, or whose result is no floating-point number.

    of_numbers: True if it is so of numbers and arrays only: of sets or dicts, the result holds
      items of the operands (`a | b`).
    """

    __slots__ = ("of_numbers",)

    def __init__(self, of_numbers: bool = False) -> None:
        self.pads = False
        self.of_numbers = of_numbers


class Refused(Derivative):
    """The rule of an op that has no derivative here; `reason` says why, and the way out.

    by_operand: True if the op's last operand says it instead.
    """

    __slots__ = ("by_operand", "reason")

    def __init__(self, reason: str, by_operand: bool = False) -> None:
        self.pads = False
        self.reason = reason
        self.by_operand = by_operand


class Structural(Derivative):
    """The rule of control flow, containers and stores: `runtime/differentiate/` has it."""

    __slots__ = ()

    def __init__(self) -> None:
        self.pads = True


ZERO = Zero()
ZERO_OF_NUMBERS = Zero(of_numbers=True)
STRUCTURAL = Structural()


def ONE(z: Any, *operands: Any) -> float:
    """The partial that is 1 everywhere."""
    return 1.0


def MINUS_ONE(z: Any, *operands: Any) -> float:
    """The partial that is -1 everywhere."""
    return -1.0


# -- functions for rules: ops of their own, which symbolic arrays record ---------------------------

KERNELS: dict[str, Function] = {}
"""The functions below by the name of their op; each takes arrays and symbolic arrays."""


def dispatching(fn: Function) -> Function:
    """Makes a function of arrays ask symbolic operands first, by NumPy's protocol."""
    @wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        for x in (*args, *kwargs.values()):
            found = _symbolic_in(x)
            if found is not None:
                return found.__array_function__(call, (type(found),), args, kwargs)
        return fn(*args, **kwargs)

    KERNELS[fn.__name__] = call
    return call


def _symbolic_in(x: Any) -> Any:
    if type(x) is tuple or type(x) is list:
        return next((f for f in map(_symbolic_in, x) if f is not None), None)
    if type(x) is slice:
        return _symbolic_in((x.start, x.stop, x.step))
    known = isinstance(x, (np.ndarray, np.generic))
    return x if not known and hasattr(type(x), "__array_function__") else None


@dispatching
def sum_to(g: Any, x: Any) -> Any:
    """Returns g, summed over the axes along which x was broadcast, with x's shape and dtype.

    >>> sum_to(np.ones((2, 3)), np.zeros(3, np.float32))
    array([2., 2., 2.], dtype=float32)
    """
    same = type(g) is type(x) and isinstance(x, (np.ndarray, np.generic))
    if same and g.shape == x.shape and g.dtype == x.dtype:
        return g
    if isinstance(g, float) and isinstance(x, float):  # NumPy's, too
        return g if type(g) is np.float64 else np.float64(g)
    if isinstance(x, float) and type(g) is np.ndarray and g.dtype.char == "d":
        return np.add.reduce(g, axis=None)
    return _summed(g, np.shape(x), np.result_type(x), not isinstance(x, np.ndarray))


@dispatching
def sum_to_type(g: Any, shape: tuple[int, ...], dtype: Any, scalar: bool) -> Any:
    """Returns g, summed to a shape and cast to a dtype; `scalar`: not an array of shape ()."""
    if scalar and dtype == DOUBLE and isinstance(g, (float, complex)):  # NumPy's, too
        return np.float64(g.real)
    return _summed(g, shape, dtype, scalar)


def _summed(g: Any, shape: tuple[int, ...], dtype: Any, scalar: bool) -> Any:
    g = np.asarray(g)
    if g.shape == shape and g.dtype == dtype:
        return g[()] if scalar else g
    product = factors(g, g.shape, shape, g.dtype)
    if product is not None:
        g = product[0] @ product[1]
    elif g.ndim > len(shape):
        g = np.add.reduce(g, axis=tuple(range(g.ndim - len(shape))))
    axes = tuple(i for i, (a, b) in enumerate(zip(np.shape(g), shape, strict=False)) if a != b)
    if axes and np.ndim(g) == len(shape):
        g = np.sum(g, axis=axes, keepdims=True)
    if dtype.kind == "f" and g.dtype.kind == "c":
        g = np.real(g)
    if dtype.kind in "fc" and g.dtype != dtype:
        g = np.asarray(g).astype(dtype)
    made = g if np.shape(g) == shape else np.array(np.broadcast_to(g, shape))
    return made[()] if scalar else np.asarray(made)


@dispatching
def add_at(x: Any, index: Any, v: Any) -> Any:
    """Returns a copy of x with v added at the index; where an index repeats, all are added.

    >>> add_at(np.zeros(3), np.array([0, 0, 2]), 1.0)
    array([2., 0., 1.])
    """
    made = np.array(x)
    np.add.at(made, index, v)
    return made


@dispatching
def setitem(x: Any, index: Any, v: Any) -> Any:
    """Returns a copy of x after `x[index] = v`."""
    made = np.array(x)
    made[index] = v
    return made


@dispatching
def getitem(x: Any, index: Any) -> Any:
    """Returns `x[index]`."""
    return x[index]


@dispatching
def masked_product(g: Any, p: Any) -> Any:
    """Returns g * p, and 0 where g is 0, whatever p is there; of arrays, no zero is negative.

    >>> masked_product(np.array([0.0, 2.0]), np.array([np.inf, 3.0]))
    array([0., 6.])
    """
    if isinstance(g, NUMBERS) and isinstance(p, NUMBERS):
        made: Any = g * p if g else type(g + p)(0)
        return made if isinstance(made, np.number) else (
            np.float64 if isinstance(made, float) else np.complex128)(made)
    if _all_finite(p):
        made = np.multiply(g, p)
        if made.dtype.kind in "fc":
            made += 0.0  # not -0.0
        return made
    zero = np.equal(g, 0)
    shape = np.shape(g)
    if np.shape(p) != shape:
        shape = np.broadcast_shapes(shape, np.shape(p))
    made = np.zeros(shape, np.result_type(g, p))
    np.multiply(g, p, out=made, where=np.logical_not(zero))
    made += 0
    return made if shape else made[()]


def _all_finite(p: Any) -> bool:
    """Returns True if all elements are certainly finite; their squares may be too large to tell."""
    squares = np.vdot(p, p)
    return isfinite(squares) if isinstance(squares, float) else bool(np.isfinite(squares))


@dispatching
def select_(test: Any, x: Any, y: Any) -> Any:
    """Returns `x if test else y`, both being there already."""
    return x if test else y


@dispatching
def strided_positions(x: Any, shape: Any, strides: Any) -> Any:
    """Returns which element of x, in C order, each one of `as_strided(x, shape, strides)` is.

    >>> x = np.array([1.0, 2.0, 3.0])
    >>> strided_positions(x, (2, 2), (8, 8))
    array([[0, 1],
           [1, 2]])
    """
    have = _offsets(x.shape, x.strides).ravel()
    want = _offsets(x.shape if shape is None else shape, x.strides if strides is None else strides)
    order = np.argsort(have, kind="stable")
    at = np.minimum(np.searchsorted(have[order], want), max(have.size - 1, 0))
    if want.size and not (have.size and np.array_equal(have[order][at], want)):
        raise NotDifferentiable("as_strided reads memory outside of its array")
    return order[at]


def _offsets(shape: tuple[int, ...], strides: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Returns where each element of an array begins, in bytes from the first one."""
    steps = [np.arange(n) * s for n, s in zip(shape, strides, strict=True)]
    return np.asarray(sum(np.ix_(*steps), np.zeros(shape, int)))


@dispatching
def pieces_of(g: Any, arrays: Any, axis: Any) -> Any:
    """Returns the list of the pieces of g that the arrays took when they were concatenated.

    >>> pieces_of(np.array([1.0, 2.0, 3.0]), [np.zeros(1), np.zeros(2)], 0)
    [array([1.]), array([2., 3.])]
    """
    lengths = [np.size(x) if axis is None else np.shape(x)[axis] for x in arrays]
    pieces = np.split(g, np.cumsum(lengths)[:-1], axis or 0)
    return [np.array(p).reshape(np.shape(x)) for p, x in zip(pieces, arrays, strict=True)]
