"""Derivative rules of Python's conversions and builtins, and of attributes of arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.ops.derivative_rules.helpers import (
    broadcast_like,
    chosen,
    is_symbol,
    positions,
)
from autograph.runtime.ops.derivatives import (
    ZERO,
    Derivative,
    Formula,
    Linear,
    NotDifferentiableHere,
    Parts,
    Refused,
    setitem,
)

# -- conversions ----------------------------------------------------------------------------------


def _complex_vjp(g: Any, z: Any, real: Any, imag: Any = None) -> Any:
    return g, 1j * g


def _complex_jvp(t: Any, z: Any, *args: Any) -> Any:
    moved: Any = 0.0 if t[0] is None else t[0]
    return moved + 1j * t[1] if len(t) > 1 and t[1] is not None else moved + 0j


def _item_vjp(g: Any, z: Any, x: Any, *index: Any) -> Any:
    if not index:
        return (broadcast_like(g, x),)
    if not isinstance(getattr(x, "dtype", None), np.dtype):
        raise NotDifferentiableHere("only the run knows what `x` is; write x.flat[i], or x[i]")
    made = setitem(np.zeros_like(np.reshape(x, -1)), _position_of(x, index), g)
    return (np.reshape(made, np.shape(x)),)


def _item_jvp(t: Any, z: Any, x: Any, *index: Any) -> Any:
    return np.reshape(t[0], -1)[_position_of(x, index)] if index else np.reshape(t[0], ())


def _position_of(x: Any, index: Any) -> Any:
    """Returns which element in C order `x.item(*index)` is."""
    at = index[0] if len(index) == 1 else index
    return positions(x)[at] if isinstance(at, tuple) else at


# -- builtins -------------------------------------------------------------------------------------


def _sum(iterable: Any, start: Any = 0) -> Any:
    if is_symbol(iterable):
        if isinstance(getattr(iterable, "dtype", None), np.dtype):
            return start + np.sum(iterable, axis=0)
        raise NotDifferentiableHere("only the run knows the list; add its items in a loop")
    for x in iterable:
        start = start + x
    return start


def _sorted(items: Any, **more: Any) -> Any:
    if more.get("key") is not None:
        raise NotDifferentiableHere("`key=` has no rule; sort by an index: x[np.argsort(…)]")
    if is_symbol(items) and not isinstance(getattr(items, "dtype", None), np.dtype):
        raise NotDifferentiableHere("only the run knows the list; np.array(xs) makes an array")
    made = np.sort(items if is_symbol(items) else np.stack(items))
    return made[::-1] if more.get("reverse") else made


def _chosen(better: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Returns the parts of Python's `min` or `max`: the first one that no other is better than."""
    best_of = np.argmin if better is operator.lt else np.argmax

    def parts(*args: Any, **more: Any) -> Any:
        if more.get("key") is not None:
            raise NotDifferentiableHere("`key=` has no rule; choose by an index: xs[np.argmin(…)]")
        items: Sequence[Any] = args
        if len(args) == 1 and not isinstance(args[0], (list, tuple)) and "default" in more:
            last = np.inf if better is operator.lt else -np.inf  # it wins if there is no other
            return (args[0] + [more["default"]])[best_of(np.array(args[0] + [last]))]
        if len(args) == 1 and not isinstance(args[0], (list, tuple)):
            return args[0][best_of(args[0])]
        if len(args) == 1:
            items = args[0] or (more["default"],)
        best = items[0]
        for x in items[1:]:
            best = chosen(better(x, best), x, best)
        return best

    return parts


# -- attributes -----------------------------------------------------------------------------------


def _view_dtype(x: Any, args: Sequence[Any], more: dict[str, Any]) -> np.dtype[Any]:
    """Returns the dtype that `x.view(dtype)` asks for, if its elements are numbers of x's kind."""
    wanted = args[0] if args else more.get("dtype")
    if wanted is None:
        found: np.dtype[Any] = np.dtype(x.dtype)
        return found
    try:
        dtype: np.dtype[Any] = np.dtype(wanted)
    except TypeError:
        raise NotDifferentiableHere("a view as another class has no rule") from None
    have = x.dtype if isinstance(getattr(x, "dtype", None), np.dtype) else np.dtype(object)
    if dtype != have and np.zeros(0, dtype).real.dtype != np.zeros(0, have).real.dtype:
        raise NotDifferentiableHere(f"x.view({dtype}) reads the bytes of {have} as other numbers; "
                                    "write x.astype to convert them")
    return dtype


def _view_vjp(g: Any, z: Any, x: Any, *args: Any, **more: Any) -> Any:
    dtype = _view_dtype(x, args, more)
    if dtype == x.dtype:
        return (g,)
    if dtype.kind == "c":
        parts = np.stack([np.real(g), -np.imag(g)], -1)
        return (np.reshape(parts, np.shape(x)),)
    pairs = np.reshape(g, (*np.shape(x), 2))
    return (pairs[..., 0] - 1j * pairs[..., 1],)


def _view_jvp(t: Any, z: Any, x: Any, *args: Any, **more: Any) -> Any:
    dtype = _view_dtype(x, args, more)
    if dtype == x.dtype:
        return t[0]
    if dtype.kind == "c":
        pairs = np.reshape(t[0], (*np.shape(z), 2))
        return pairs[..., 0] + 1j * pairs[..., 1]
    return np.reshape(np.stack([np.real(t[0]), np.imag(t[0])], -1), np.shape(z))


SAME_ITEMS = Linear(lambda g, z, items: g, nests=True)

RULES: dict[str, Derivative] = {
    "float_": Formula(lambda g, z, x: (broadcast_like(g, x),),
                      lambda t, z, x: np.reshape(t[0], ()), pads=False),
    **dict.fromkeys((f"numpy.{name}" for name in (
        "float16", "float32", "float64", "longdouble", "complex64", "complex128", "clongdouble")),
        Formula(lambda g, z, x: (broadcast_like(g, x),), lambda t, z, x: t[0],
                pads=False)),
    "builtins.float.conjugate": Linear(lambda g, z, x: g),
    "builtins.complex.conjugate": Formula(lambda g, z, x: (np.conjugate(g),),
                                          lambda t, z, x: np.conjugate(t[0]), pads=False),
    "complex_": Formula(_complex_vjp, _complex_jvp, pads=False),
    "item": Formula(_item_vjp, _item_jvp, pads=False),
    "min_": Parts(_chosen(operator.lt), nests=True),
    "max_": Parts(_chosen(operator.gt), nests=True),
    "sum_": Parts(_sum, nests=True), "builtins.sorted": Parts(_sorted, nests=True),
    "autograph.runtime.tensor_methods.ndarray._own_copy": SAME_ITEMS,
    "autograph.runtime.tensor_methods.ndarray.ndarray.tolist": SAME_ITEMS,
    "autograph.runtime.heap.sorting.order_of_keys": ZERO,
    "autograph.runtime.ops.container_values.order_after": ZERO,
    "autograph.runtime.heap.sorting.first_best": ZERO,
    "builtins.list.index": ZERO, "builtins.list.count": ZERO,
    "builtins.list": SAME_ITEMS, "builtins.tuple": SAME_ITEMS,
    "view": Formula(_view_vjp, _view_jvp, pads=False, reads_bits=True),
    "getattr_": Refused("the attribute of an object that the trace does not know"),
    **dict.fromkeys(("not_", "truth", "int_", "str_", "repr_", "ascii_", "chr_", "ord_", "bin_",
                     "oct_", "hex_", "formatted", "percent", "format_", "index_", "range_", "in_",
                     "is_none", "len_"), ZERO),
}
