"""Ops that gradients are made of: sums over broadcast axes, accumulation by index, marks."""

from __future__ import annotations

from inspect import unwrap
from typing import Any

import numpy as np

from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ir.types import DYNAMIC, ArrayType, Type
from autograph.runtime.ops import operator_rules
from autograph.runtime.ops import type_rules as rules
from autograph.runtime.ops.derivative_rules import rule_of
from autograph.runtime.ops.derivatives import (
    KERNELS,
    Derivative,
    Formula,
    Multilinear,
    NotDifferentiableHere,
)
from autograph.runtime.ops.indexing import stored_type
from autograph.runtime.ops.op import OPS, Op, define
from autograph.runtime.ops.samples import INTS, MATRIX, OTHER, POINT, SCALAR, VECTOR, call
from autograph.runtime.ops.type_rules import array_of, as_type, rule


@rule
def _sum_to(g: Any, x: Any) -> Type:
    given, like = array_of(g), array_of(x)
    dtype = like.dtype if like.dtype is not None and like.dtype.kind in "fc" else (
        given.dtype if like.dtype is not None and given.dtype is not None
        and given.dtype.kind in "fc" else None)
    if like.shape is None:
        return ArrayType(dtype, None)
    shape = rules.shape_of(like)
    own = as_type(x)
    return ArrayType(dtype, shape, scalar=shape == () and (
        not isinstance(own, ArrayType) or own.scalar))


def _known_dims(shape: Any) -> Any:
    known = isinstance(shape, (tuple, list)) and all(isinstance(n, int) for n in shape)
    return tuple(shape) if known else None


def add_at_in_place(x: Any, index: Any, v: Any) -> Any:
    """Adds v to `x[index]`, as often as the index is there; returns x."""
    if isinstance(index, np.ndarray) and index.dtype == bool:
        x[index] += v
    else:
        np.add.at(x, index, v)
    return x


@rule
def _product(g: Any, p: Any) -> Any:
    return operator_rules.ufunc_type(np.multiply, as_type(g), as_type(p))


def masked_number(g: float, p: float) -> float:
    """Returns g * p, and 0.0 if g is 0."""
    return g * p if g else 0.0


def unchanged(x: Any) -> Any:
    """Returns the value itself."""
    return x


SUM_TO = define(Op("sum_to", unwrap(KERNELS["sum_to"]), _sum_to, "",
                   (call(MATRIX, VECTOR), call(VECTOR, SCALAR), call(SCALAR, MATRIX)),
                   onnx=None, holds_operands=True, keeps_zeros=True, doc=(
                       "g summed over the axes along which x was broadcast, with x's shape and "
                       "dtype")))
@rule
def _sum_to_type(g: Any, shape: Any, dtype: Any, scalar: Any) -> Type:
    return ArrayType(rules.constant(dtype), rules.constant(shape), rules.constant(scalar))


SUM_TO_TYPE = define(Op(
    "sum_to_type", unwrap(KERNELS["sum_to_type"]), _sum_to_type, "",
    (call(MATRIX, (3,), np.dtype("f4"), False), call(2.5, (), np.dtype("f8"), True)),
    onnx=None, foldable=True, holds_operands=True, keeps_zeros=True,
    doc="g summed to a shape, with a dtype"))
ADD_AT = define(Op("add_at", unwrap(KERNELS["add_at"]), stored_type, "",
                   (call(VECTOR, INTS, 1.0), call(MATRIX, 1, VECTOR)), onnx=None,
                   inplace=add_at_in_place, stores_at=True,
                   doc="the array after `np.add.at(x, i, v)`"))
define(Op("pieces_of", unwrap(KERNELS["pieces_of"]), rules.fixed(DYNAMIC), "",
          (call(MATRIX, [MATRIX[:1], MATRIX[1:]], 0),), onnx=None,
          doc="the pieces of g that arrays took when they were concatenated"))
define(Op("strided_positions", unwrap(KERNELS["strided_positions"]),
          lambda x, shape, strides: ArrayType(np.dtype(int), _known_dims(shape)), "",
          (call(VECTOR, (2, 2), (8, 8)),), onnx=None,
          doc="which element of x each one of `as_strided(x, shape, strides)` is"))
MASKED_PRODUCT = define(Op("masked_product", unwrap(KERNELS["masked_product"]), _product, "",
                           (call(VECTOR, OTHER), call(POINT, 2.0), call(SCALAR, MATRIX),
                            call(2.5, 2.0), call(0.0, 2.5)),
                           onnx=None, doc="`g * p`, and 0 where g is 0", fresh=True,
                           on_python_numbers=True, hides_infinity=True, on_elements=True,
                           broadcasts=True, in_math=masked_number))
DIFFERENTIABLE = define(Op(
    "differentiable", unchanged, as_type, "{0}", (call(VECTOR), call(SCALAR), call(2.5)),
    onnx=None, view=True, holds_operands=True, keeps_c_order=True,
    doc="the value itself, as what a gradient is taken by"))
STOP_GRADIENT = define(Op(
    "stop_gradient", unchanged, as_type, "{0}", (call(VECTOR), call(SCALAR), call(2.5)),
    onnx=None, view=True, holds_operands=True, keeps_c_order=True,
    doc="the value itself, as a constant to gradients"))


def _rule_of(name: str) -> Derivative | None:
    return OPS[name].derivative if name in OPS else rule_of(name)


def cotangent_by_rule(name: str, k: int | str, g: Any, z: Any, /, *args: Any, **kwargs: Any
                      ) -> Any:
    """Returns the cotangent of operand k of an op, by the op's rule, of arrays that are there; k
    may be the name of an option.

    Raises:
      NotDifferentiable: the op has no derivative for them.
    """
    rule = _rule_of(name)
    try:
        if isinstance(rule, Multilinear):
            assert type(k) is int
            transpose = rule.transposes[k]
            assert transpose is not None
            return transpose(g, z, *args, **kwargs)
        assert isinstance(rule, Formula) and rule.vjp is not None
        found = rule.vjp(g, z, *args, **kwargs)
        if type(k) is int:
            return found[k]
        if not (isinstance(found[-1], dict) and k in found[-1]):
            raise NotDifferentiableHere(f"it has no derivative by {k!r}")
        return found[-1][k]
    except NotDifferentiableHere as error:
        raise NotDifferentiable(f"the op {name!r}: {error}") from error


define(Op("cotangent_by_rule", cotangent_by_rule, rules.fixed(DYNAMIC), "", (), onnx=None,
          holds_operands=True,
          doc="the cotangent of operand k, by a rule that needs what only the run knows"))


def tangent_by_rule(name: str, t: Any, z: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Returns the tangent of an op's result, or of its results, by the op's rule, of arrays that
    are there; t has the tangents of the operands, None for zero.

    Raises:
      NotDifferentiable: the op has no derivative for them.
    """
    rule = _rule_of(name)
    assert isinstance(rule, Formula) and rule.jvp is not None
    try:
        return rule.jvp(t, z, *args, **kwargs)
    except NotDifferentiableHere as error:
        raise NotDifferentiable(f"the op {name!r}: {error}") from error


define(Op("tangent_by_rule", tangent_by_rule, rules.fixed(DYNAMIC), "", (), onnx=None,
          holds_operands=True,
          doc="the tangent of a result, by a rule that needs what only the run knows"))


def with_rule(rule: Any, results: tuple[Any, ...], operands: tuple[Any, ...],
              used: tuple[Any, ...], outside: tuple[Any, ...] = ()) -> Any:
    """Returns the results themselves, which by the user's rule follow from the operands; `used` is
    what the rule uses of the forward computation, `outside` what the results also depend on, of
    which the rule says nothing."""
    return results if len(results) != 1 else results[0]


def _with_rule(rule: Any, results: Any, operands: Any, used: Any, outside: Any = ()) -> Any:
    types = tuple(map(as_type, results))
    return types if len(types) != 1 else types[0]


WITH_RULE = define(Op("with_rule", with_rule, _with_rule, "", (), onnx=None, view=True,
                      holds_operands=True, doc="results that have a derivative rule of the user's"))
