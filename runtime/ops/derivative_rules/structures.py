"""Derivative rules of control flow, indexing, containers, stores and of the ops of gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ops.derivatives import (
    STRUCTURAL,
    ZERO,
    ZERO_OF_NUMBERS,
    Derivative,
    Formula,
    Linear,
    Multilinear,
    NotDifferentiableHere,
    Parts,
    Refused,
    add_at,
    getitem,
    masked_product,
    setitem,
)


def _flat_item(g: Any, z: Any, x: Any, index: Any) -> Any:
    flat = np.zeros_like(np.reshape(x, -1))
    return np.reshape(add_at(flat, index, g), np.shape(x))


IN_PLACE = Refused("it changes an array or object while the graph runs, and gradients need the "
                   "value that was there; make a new one")
OBJECT = Refused("the graph calls it on a Python object that the trace does not know")
ARRAYS = Refused("a TensorArray changes while the graph runs; append to a list and np.stack it")
SEVERAL = Refused("a function that stores several results has no rule; assign what it returns")


def _stored_into(x: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
    """The parts of `fn(…, out=x)`: the result in the dtype of x, where a mask does not keep x."""
    where = kwargs.pop("where", True) if isinstance(fn, np.ufunc) else True
    made = fn(*args, **kwargs)
    return np.where(where, made, x)


def _fill_diagonal(x: Any, value: Any, wrap: Any = False) -> Any:
    shape = np.shape(x)
    if wrap or not all(isinstance(d, int) for d in shape):
        raise NotDifferentiableHere("np.fill_diagonal of an array whose shape only the run knows, "
                                    "or with wrap=True, has no rule; x[i, i] = v has")
    n = min(shape)
    values = np.reshape(value, -1)[np.arange(n) % np.size(value)] if np.ndim(value) else value
    return setitem(x, (np.arange(n),) * len(shape), values)


def _put_along_axis(x: Any, indices: Any, values: Any, axis: Any) -> Any:
    if axis is None:
        return np.reshape(setitem(np.reshape(x, -1), indices, values), np.shape(x))
    rank, at = np.ndim(x), axis % np.ndim(x)
    where = [np.reshape(np.arange(d), (-1, *(1,) * (rank - 1 - k)))
             for k, d in enumerate(np.shape(x))]
    return setitem(x, (*where[:at], indices, *where[at + 1:]), values)


STORES: dict[Any, Any] = {
    "fill_diagonal": _fill_diagonal, "put_along_axis": _put_along_axis,
    "add.at": lambda x, index, v: add_at(x, index, v),
    "subtract.at": lambda x, index, v: add_at(x, index, -v),
    "copyto": lambda x, src, casting=None, where=True: np.where(where, src, x),
    "sort": lambda x, axis=-1, **more: np.sort(x, axis),
    "fill": lambda x, value: np.where(True, value, x),
    "put": lambda x, index, v, mode="raise": np.reshape(
        setitem(np.reshape(x, -1), index, v), np.shape(x)),
}
"""Functions that change their first argument: what it is afterwards."""


def _stored_by(x: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
    owner = getattr(fn, "__self__", None)
    name = f"{owner.__name__}.{fn.__name__}" if isinstance(owner, np.ufunc) else fn.__name__
    if name not in STORES:
        raise NotDifferentiableHere(f"{name} changes its argument, and has no rule; those of "
                                    f"{', '.join(STORES)} have, and x[i] = v has")
    return STORES[name](x, *args, **kwargs)



RULES: dict[str, Derivative] = {
    **dict.fromkeys((
        "cond", "while", "for", "call", "getitem", "setitem", "update_view", "select_", "list_of",
        "list_pop", "pack", "unpacked", "unpacked_rest", "part", "push", "kept_at", "kept_or_zero",
        "add_kept", "popped", "sum_of", "fitted_to", "filled", "cleared",
        "put_back", "paired", "keyed", "pushed_none", "in_frame", "unwrapped", "with_rule",
        "read_variable", "assign_variable", "initialise_variable", "variable_item",
        "set_variable_item", "construct"),
        STRUCTURAL),
    "flat_item": Linear(_flat_item, pads=True),
    "bound": Linear(lambda g, z, x, *args: g),
    "add_at": Formula(lambda g, z, x, index, v: (g, None, getitem(g, index)), lambda t, z, x, index,
                      v: add_at(np.zeros_like(x) if t[0] is None else t[0], index,
                                0.0 if t[2] is None else t[2])),
    "pieces_of": Linear(lambda g, z, x, arrays, axis: np.concatenate(g, axis)),
    "sum_to": Multilinear(lambda g, z, x, like: np.broadcast_to(g, np.shape(x)), None),
    "sum_to_type": Linear(lambda g, z, x, *args: np.broadcast_to(g, np.shape(x))),
    "masked_product": Multilinear(lambda g, z, x, p: masked_product(g, p),
                                  lambda g, z, x, p: masked_product(g, x)),
    "differentiable": Linear(lambda g, z, x: g), "stop_gradient": ZERO,
    "real_number": Linear(lambda g, z, x: g),
    **dict.fromkeys((
        "print_", "print_values", "check_", "assert_", "raise_", "new_stack", "zero_of",
        "one_of", "stack_length", "check_lengths", "check_unpacked",
        "make_generator"), ZERO),
    "stored_into": Parts(_stored_into), "stored_by": Parts(_stored_by),
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
