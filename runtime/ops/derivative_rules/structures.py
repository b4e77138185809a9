"""Derivative rules of control flow, indexing, containers, stores and of the ops of gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.helpers import broadcast_like
from autograph.runtime.ops.derivative_rules.stores import stored_by, stored_into
from autograph.runtime.ops.derivatives import (
    STRUCTURAL,
    ZERO,
    ZERO_OF_NUMBERS,
    Derivative,
    Formula,
    Linear,
    Multilinear,
    Parts,
    Refused,
    add_at,
    getitem,
    masked_product,
)


def _flat_item(g: Any, z: Any, x: Any, index: Any) -> Any:
    flat = np.zeros_like(np.reshape(x, -1))
    return np.reshape(add_at(flat, index, g), np.shape(x))


IN_PLACE = Refused("it changes an array or object while the graph runs, and gradients need the "
                   "value that was there; make a new one")
OBJECT = Refused("the graph calls it on a Python object that the trace does not know")
ARRAYS = Refused("a TensorArray changes while the graph runs; append to a list and np.stack it")
SEVERAL = Refused("a function that stores several results has no rule; assign what it returns")


def _by_masked_factor(g: Any, z: Any, x: Any, p: Any) -> Any:
    """The cotangent of p, which does not count where x is zero, however large g is there."""
    return np.where(np.equal(x, 0), 0.0, masked_product(g, x))


RULES: dict[str, Derivative] = {
    **dict.fromkeys((
        "cond", "while", "for", "call", "getitem", "setitem", "update_view", "select_", "list_of",
        "list_pop", "picked", "put_at", "pack", "unpacked", "unpacked_rest", "part", "push",
        "kept_at", "kept_or_zero", "add_kept", "popped", "sum_of", "fitted_to", "number_part",
        "filled", "cleared", "put_back", "summand", "sum_of_tangents", "repeated", "unrepeated",
        "number_times", "paired", "keyed", "pushed_none", "in_frame", "unwrapped", "with_rule",
        "read_variable", "assign_variable", "initialise_variable", "variable_item",
        "set_variable_item", "construct", "put_item", "without_item", "entries", "entries_like",
        "gathered", "spread_over", "summed_parts"),
        STRUCTURAL),
    **dict.fromkeys(("cotangent_by_rule", "tangent_by_rule"), Refused(
        "it is chosen by what only the run knows, and has no derivative itself")),
    "flat_item": Linear(_flat_item, pads=True),
    "bound": Linear(lambda g, z, x, *args: g),
    "add_at": Formula(lambda g, z, x, index, v: (g, None, getitem(g, index)), lambda t, z, x, index,
                      v: add_at(np.zeros_like(x) if t[0] is None else t[0], index,
                                0.0 if t[2] is None else t[2]), nests=True),
    "pieces_of": Linear(lambda g, z, x, arrays, axis: np.concatenate(g, axis)),
    "sum_to": Multilinear(lambda g, z, x, like: broadcast_like(g, x), None),
    "sum_to_type": Linear(lambda g, z, x, *args: broadcast_like(g, x)),
    "masked_product": Multilinear(lambda g, z, x, p: masked_product(g, p),
                                  _by_masked_factor, pads=True),
    "differentiable": Linear(lambda g, z, x: g), "stop_gradient": ZERO,
    **dict.fromkeys(("real_number", "number_only", "array_only", "items_only"),
                    Linear(lambda g, z, x: g)),
    "of_type": Formula(lambda g, z, x, text: (g, None), lambda t, z, x, text: t[0], pads=False),
    **dict.fromkeys((
        "print_", "print_values", "check_", "assert_", "raise_", "new_stack", "zero_of",
        "strided_positions", "one_of", "stack_length", "check_lengths", "check_unpacked",
        "make_generator", "keys_of", "check_size", "floating_point_error"), ZERO),
    "stored_into": Parts(stored_into), "stored_by": Parts(stored_by),
    "stored_into_several": SEVERAL,
    **dict.fromkeys((
        "store_item", "store_result", "store_results", "change", "iadd", "isub", "imul", "itruediv",
        "ifloordiv", "imod", "ipow", "imatmul", "delete_item", "store_attribute",
        "delete_attribute"), IN_PLACE),
    **dict.fromkeys(("ilshift", "irshift", "is_end", "tensor_array_size"), ZERO),
    **dict.fromkeys(("iand", "ior", "ixor"), ZERO_OF_NUMBERS),
    **dict.fromkeys(("call_method", "call_object", "look_up", "called_with",
                     "arguments_of", "next_"), OBJECT),
    **dict.fromkeys((
        "tensor_array", "tensor_array_write", "tensor_array_read", "tensor_array_stack",
        "tensor_array_elements", "tensor_array_concat", "tensor_array_gather",
        "tensor_array_unstack", "tensor_array_scatter", "tensor_array_split"), ARRAYS),
}
