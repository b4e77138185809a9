"""Adjoints of decompositions: vectors that are used must have eigenvalues or singular values of
their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.differentiate.reverse import Sweep, adjoint_of, operands_of
from autograph.runtime.ir.graph import Equation
from autograph.runtime.symbolic.record import maker
from autograph.runtime.symbolic.tensor import Tensor, apply


@adjoint_of("linalg.eigh")
@adjoint_of("linalg.eig")
def eigenvectors(sweep: Sweep, e: Equation) -> None:
    """By the rule, if the vectors that are used have values of their own."""
    padded, (g_values, g) = sweep.is_padded(e), sweep.taken(e)
    if g is not None:
        g = apply("of_different_values", g, Tensor(e.outputs[0]), used_part(g), False)
    sweep.by_rule(e, e.op.derivative, (g_values, g), padded)


@adjoint_of("thin_svd")
def singular_vectors(sweep: Sweep, e: Equation) -> None:
    """The same for both sides; those of a value 0 are undone where the matrix is not square."""
    padded, (g_u, g_values, g_vh) = sweep.is_padded(e), sweep.taken(e)
    dtype = getattr(e.outputs[0].type, "dtype", None)
    m, n = np.shape(operands_of(e.args[0]))[-2:]
    over_values = dtype is None or dtype.kind == "c" or (m is not n and m != n)
    values = Tensor(e.outputs[1])
    if g_u is not None:
        g_u = apply("of_different_values", g_u, values, used_part(g_u), over_values)
    if g_vh is not None:
        g, used = apply("swapaxes", g_vh, -2, -1), used_part(g_vh)
        used = used if used is True else apply("swapaxes", used, -2, -1)
        g_vh = apply("swapaxes", apply("of_different_values", g, values, used, over_values), -2, -1)
    sweep.by_rule(e, e.op.derivative, (g_u, g_values, g_vh), padded)


def used_part(g: Any) -> Any:
    """Returns where a cotangent is more than padding: an array of bools, or True for everywhere.

    It follows the stores into zeros that reads of a part have for their adjoints.
    """
    e = maker(g.read()) if isinstance(g, Tensor) else None
    if e is None:
        return True
    if e.op.zeros:
        return apply("zeros_like", g, bool)
    first, *rest = map(operands_of, e.args)
    if e.op.stores_at:
        into, value = used_part(first), used_part(rest[1])
        return into if into is True else apply("setitem", into, rest[0], value)
    if e.op.keeps_zeros:
        return used_part(first)
    if e.op.view:
        found = used_part(first)
        return found if found is True else apply(e.op, found, *rest, **operands_of(dict(e.kwargs)))
    if e.op.ufunc is np.add:
        one, other = used_part(first), used_part(rest[0])
        return True if one is True or other is True else apply("np.logical_or", one, other)
    return True
