"""Derivative rules of control flow, indexing, containers, stores and of the ops of gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ops.derivatives import (
    STRUCTURAL,
    ZERO,
    Derivative,
    Linear,
    Multilinear,
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
STORE = Refused("gradients through a function that stores its result have no rule; assign what "
                "the function returns: x[...] = np.exp(y)")

RULES: dict[str, Derivative] = {
    **dict.fromkeys((
        "cond", "while", "for", "call", "getitem", "setitem", "update_view", "select_", "list_of",
        "list_pop", "pack", "unpacked", "unpacked_rest", "part", "push", "kept_at", "kept_or_zero",
        "add_kept", "popped", "sum_of", "unwrapped"), STRUCTURAL),
    "flat_item": Linear(_flat_item, pads=True),
    "bound": Linear(lambda g, z, x, *args: g),
    "add_at": Multilinear(lambda g, z, x, index, v: g, None,
                          lambda g, z, x, index, v: getitem(g, index)),
    "sum_to": Multilinear(lambda g, z, x, like: np.broadcast_to(g, np.shape(x)), None),
    "sum_to_type": Linear(lambda g, z, x, *args: np.broadcast_to(g, np.shape(x))),
    "masked_product": Multilinear(lambda g, z, x, p: masked_product(g, p),
                                  lambda g, z, x, p: masked_product(g, x)),
    "differentiable": Linear(lambda g, z, x: g), "stop_gradient": ZERO,
    **dict.fromkeys((
        "print_", "print_values", "check_", "assert_", "raise_", "new_stack", "zero_of",
        "stack_length", "pushed_none", "check_lengths", "check_unpacked", "make_generator"), ZERO),
    **dict.fromkeys(("stored_into", "stored_by", "stored_into_several"), STORE),
}
