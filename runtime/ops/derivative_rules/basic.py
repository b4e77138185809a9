"""Derivative rules of arithmetic, products, sums, indexing, selection and Python's conversions."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ops.derivatives import (
    MINUS_ONE,
    ONE,
    STRUCTURAL,
    ZERO,
    Derivative,
    Formula,
    Linear,
    Multilinear,
    Partials,
    add_at,
    getitem,
    masked_product,
)

RULES: dict[str, Derivative] = {}

# -- elementwise ----------------------------------------------------------------------------------

ELEMENTWISE: dict[str, Derivative] = {
    "add": Partials(ONE, ONE),
    "subtract": Partials(ONE, MINUS_ONE),
    "multiply": Partials(lambda z, x, y: y, lambda z, x, y: x),
    "divide": Partials(lambda z, x, y: 1.0 / y, lambda z, x, y: -z / y, singular=True),
    "negative": Partials(MINUS_ONE),
    "positive": Partials(ONE),
}
for _name, _rule in ELEMENTWISE.items():
    RULES[_name] = RULES[f"np.{_name}"] = _rule
RULES |= {
    "np.exp": Partials(lambda z, x: z),
    "np.log": Partials(lambda z, x: 1.0 / x, singular=True),
    "np.sin": Partials(lambda z, x: np.cos(x)),
    "np.cos": Partials(lambda z, x: -np.sin(x)),
    "np.tanh": Partials(lambda z, x: 1.0 - z * z),
}

# -- products and sums ----------------------------------------------------------------------------


def _matmul_left(g: Any, z: Any, x: Any, y: Any, **kwargs: Any) -> Any:
    if np.ndim(y) == 1:
        return np.expand_dims(g, -1) * y if np.ndim(x) > 1 else g * y
    if np.ndim(x) == 1:
        return np.matmul(y, np.expand_dims(g, -1))[..., 0]
    return np.matmul(g, np.swapaxes(y, -1, -2))


def _matmul_right(g: Any, z: Any, x: Any, y: Any, **kwargs: Any) -> Any:
    if np.ndim(x) == 1:
        if np.ndim(y) == 1:
            return g * x
        return np.expand_dims(x, -1) * np.expand_dims(g, -2)
    if np.ndim(y) == 1:
        made = np.matmul(np.swapaxes(x, -1, -2), np.expand_dims(g, -1))[..., 0]
        return made
    return np.matmul(np.swapaxes(x, -1, -2), g)


RULES["matmul"] = RULES["np.matmul"] = Multilinear(_matmul_left, _matmul_right)


def spread(g: Any, x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """Returns what a reduction of x gave, made to stand beside x: with the reduced axes of length
    1.

    >>> spread(np.array([1.0, 2.0]), np.zeros((2, 3)), axis=1).shape
    (2, 1)
    """
    if axis is None or keepdims or np.ndim(x) == 0:
        return g
    return np.expand_dims(g, axis)


def _sum(g: Any, z: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
         keepdims: Any = False, initial: Any = 0, where: Any = True) -> Any:
    wide = spread(g, a, axis, keepdims)
    if where is not True:
        wide = np.where(where, wide, 0.0)
    return np.broadcast_to(wide, np.shape(a))


RULES["sum"] = Linear(_sum)

# -- shapes ---------------------------------------------------------------------------------------


def _reshape(g: Any, z: Any, a: Any, *args: Any, order: Any = "C", **kwargs: Any) -> Any:
    order = args[1] if len(args) > 1 else order
    return np.reshape(g, np.shape(a), order=order)


def _transpose(g: Any, z: Any, a: Any, axes: Any = None) -> Any:
    return np.transpose(g) if axes is None else np.transpose(g, tuple(map(int, np.argsort(
        [i % len(axes) for i in axes]))))


RULES["reshape"] = Linear(_reshape)
RULES["transpose"] = Linear(_transpose)
RULES["broadcast_to"] = Linear(lambda g, z, array, *args, **kwargs: g)
RULES["astype"] = Linear(lambda g, z, x, *args, **kwargs: g)
RULES["copy"] = Linear(lambda g, z, a, *args, **kwargs: g)

# -- indexing and selection -----------------------------------------------------------------------


RULES["getitem"] = STRUCTURAL
RULES["setitem"] = STRUCTURAL
RULES["add_at"] = Multilinear(lambda g, z, x, index, v: g, None,
                              lambda g, z, x, index, v: getitem(g, index))


def _flat_item(g: Any, z: Any, x: Any, index: Any) -> Any:
    flat = np.zeros_like(np.reshape(x, -1))
    return np.reshape(add_at(flat, index, g), np.shape(x))


RULES["flat_item"] = Linear(_flat_item, pads=True)


def _where(g: Any, z: Any, condition: Any, *sides: Any) -> Any:
    return None, np.where(condition, g, 0.0), np.where(condition, 0.0, g)


def _where_forward(t: Any, z: Any, condition: Any, x: Any, y: Any) -> Any:
    return np.where(condition, 0.0 if t[1] is None else t[1], 0.0 if t[2] is None else t[2])


RULES["where"] = Formula(_where, _where_forward)
RULES["select_"] = STRUCTURAL

# -- the functions of rules -----------------------------------------------------------------------

RULES["sum_to"] = Multilinear(lambda g, z, x, like: np.broadcast_to(g, np.shape(x)), None)
RULES["sum_to_type"] = Linear(lambda g, z, x, *args: np.broadcast_to(g, np.shape(x)))
RULES["masked_product"] = Multilinear(lambda g, z, x, p: masked_product(g, p),
                                      lambda g, z, x, p: masked_product(g, x))
RULES["differentiable"] = Linear(lambda g, z, x: g)
RULES["stop_gradient"] = ZERO

# -- Python's conversions -------------------------------------------------------------------------

for _name in ("float_", "complex_", "item", "bound"):
    RULES[_name] = Linear(lambda g, z, x, *args: g)

for _name in ("zeros", "ones", "empty", "zeros_like", "ones_like", "empty_like", "shape", "ndim",
              "size", "dim", "dtype", "len_", "not_", "truth", "int_", "index_", "range_", "in_",
              "is_none", "str_", "repr_", "ascii_", "chr_", "ord_", "bin_", "oct_", "hex_",
              "formatted", "percent", "format_", "print_", "print_values", "check_", "assert_",
              "raise_", "new_stack", "zero_of", "stack_length", "pushed_none", "check_lengths",
              "check_unpacked", "make_generator"):
    RULES[_name] = ZERO
for _name in ("cond", "while", "for", "call", "update_view", "list_of", "list_pop", "pack",
              "unpacked", "unpacked_rest", "part", "push", "kept_at", "kept_or_zero", "add_kept",
              "popped", "sum_of", "unwrapped"):
    RULES[_name] = STRUCTURAL
