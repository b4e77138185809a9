"""The methods of ndarray on tensors: a row each, mostly the NumPy function of that name."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from autograph.runtime.heap.callbacks import with_callbacks
from autograph.runtime.heap.run_time_containers import method_of
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.ir.types import (
    CONTAINERS,
    DYNAMIC,
    IMMUTABLE,
    ArrayType,
    PyType,
    class_name,
    has_memory,
    is_container,
    is_number,
    same_dtype,
)
from autograph.runtime.ops import OPS, Op, opaque, pure
from autograph.runtime.ops.products import einsum_terms
from autograph.runtime.ops.type_rules import NotKnown, by_position
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.numpy_protocols import call_numpy, store_by
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.runtime.symbolic.text_values import text_method
from autograph.runtime.tensor_methods import other_names

AS_FUNCTION = (
    "sum", "prod", "max", "min", "mean", "std", "var", "all", "any", "argmax", "argmin",
    "cumsum", "cumprod", "swapaxes", "squeeze", "ravel", "repeat", "take", "round",
    "dot", "trace", "diagonal", "nonzero", "searchsorted", "argsort", "argpartition",
)
"""Methods that mean `np.<name>(self, …)`."""

IN_PLACE = ("sort", "partition", "put", "setfield", "fill")
"""Methods that change the array."""

AS_IT_IS = ("tobytes", "is_integer", "bit_count", "bit_length", "as_integer_ratio", "hex",
            "to_bytes", "__reduce__")
"""Methods that the graph calls on the value itself."""

OWN = {"ravel": "ravel", "flatten": "ravel", "diagonal": "diagonal", "trace": "trace",
       "dot": "dot", "item": "item", "conj": "np.conjugate", "conjugate": "np.conjugate"}
"""Methods that NumPy's functions do not call, and classes of arrays have otherwise: matrices,
masked arrays. Beside each the op that does the same to an array."""

WITH_EFFECT = ("dump", "dumps", "tofile")
"""Methods that the graph calls on the value itself, and that may have an effect."""


def _as_function(name: str) -> Callable[..., Any]:
    function = getattr(np, name)

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        return call_numpy(function, (self, *args), kwargs)

    method.__name__ = name
    method.__doc__ = f"`np.{name}(self, …)`."
    return method


def _as_it_is(name: str, make: Callable[..., Op]) -> Callable[..., Any]:
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(x, name)(*args, **kwargs)

    call.__name__ = name
    call.__qualname__ = f"ndarray.{name}"
    op = make(call)
    return lambda self, *args, **kwargs: apply(op, self, *args, **kwargs)


def _own(name: str, otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a method that the graph calls on a value of unknown type itself."""
    like = OPS[OWN[name]]
    call = _as_it_is(name, lambda call: replace(
        pure(call), view=like.view and name != "flatten", derivative=like.derivative))

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        chosen = call if self.type == DYNAMIC and kwargs.get("out") is None else otherwise
        return chosen(self, *args, **kwargs)

    return method


def _tolist(self: Tensor) -> Any:
    """Record `x.tolist()`: a list of Python's numbers, or one number."""
    t = self.type
    is_list = isinstance(t, ArrayType) and bool(t.shape)
    return apply(_TOLIST[is_list], self)


def _items_of(x: Any) -> Any:
    return x.tolist()


_items_of.__name__, _items_of.__qualname__ = "tolist", "ndarray.tolist"
_TOLIST = {True: pure(_items_of, lambda x: PyType(list)), False: pure(_items_of)}


def _op(name: str) -> Callable[..., Any]:
    return lambda self, *args, **kwargs: apply(name, self, *args, **kwargs)


def _reshape(self: Tensor, *shape: Any, **kwargs: Any) -> Any:
    if not shape:
        raise TypeError("reshape() takes exactly 1 argument (0 given)")
    return apply("reshape", self, shape[0] if len(shape) == 1 else shape, **kwargs)


def _clip(self: Tensor, min: Any = None, max: Any = None, *rest: Any, **kwargs: Any) -> Any:
    """Record `x.clip(min, max)`: unlike NumPy's function it takes one bound alone."""
    return apply("clip", self, min, max, *rest, **kwargs)


def _transpose(self: Tensor, *axes: Any) -> Any:
    if not axes or (len(axes) == 1 and axes[0] is None):
        return apply("transpose", self)
    return apply("transpose", self, axes[0] if len(axes) == 1 and not isinstance(
        axes[0], (int, Tensor)) else axes)


def _astype(self: Tensor, dtype: Any, order: str = "K", casting: str = "unsafe",
            subok: bool = True, copy: bool = True) -> Any:
    t = self.type
    if type(dtype) is SelectedObject:
        return dtype.each(lambda one: _astype(self, one, order, casting, subok, copy))
    if isinstance(dtype, Tensor):  # only the run knows it, and whether the array is its own copy
        return apply(opaque(np.ndarray.astype), self, dtype, order, casting, subok, copy)
    if not copy and isinstance(t, ArrayType) and t.shape and same_dtype(t.dtype, np.dtype(dtype)):
        return self if order == "K" else apply("asarray", self, order=order)
    given = {"order": (order, "K"), "casting": (casting, "unsafe"), "copy": (copy, True)}
    more = {k: v for k, (v, default) in given.items() if v != default}
    return apply("astype", self, np.dtype(dtype), **more)


def _conj(self: Tensor) -> Any:
    t = self.type
    if isinstance(t, PyType) and hasattr(t.cls, "conjugate"):
        return apply(pure(t.cls.conjugate, lambda x: x), self)
    if not (isinstance(t, ArrayType) and t.shape is not None and t.dtype is not None):
        return apply("np.conjugate", self)
    if t.dtype.kind not in "biufcO":
        return apply(opaque(np.ndarray.conjugate), self)  # raises
    return apply("np.conjugate", self) if t.dtype.kind == "c" or t.scalar else self


def _swapped(x: Any) -> Any:
    return x.byteswap()


_swapped.__name__, _swapped.__qualname__ = "byteswap", "ndarray.byteswap"


def _byteswap(self: Tensor, inplace: bool = False) -> Any:
    made = apply(pure(_swapped), self)
    if not inplace:
        return made
    self[...] = made
    return self


def _copied(self: Tensor, order: str, otherwise: Callable[[Any], Any]) -> Any:
    """Record a copy of an array. What never changes is returned as it is; `astype` copies what may
    be an array or a number, and the graph calls `otherwise` to copy a container or a value of
    unknown type."""
    t = self.type
    if (isinstance(t, PyType) and t.cls in IMMUTABLE) or (isinstance(t, ArrayType) and t.scalar):
        return self
    if not isinstance(t, ArrayType) or (t.shape is None and t.dtype is None):
        return apply(opaque(otherwise), self)
    if t.shape is None:
        return apply("astype", self, t.dtype, order=order)
    return apply("copy", self, order)


def _copy(self: Tensor, order: str = "C") -> Any:
    return _copied(self, order, _own_copy)


def _own_copy(x: Any) -> Any:
    return x.copy()


def _flatten(self: Tensor, order: str = "C") -> Any:
    return apply("copy", apply("ravel", self, order))


def _fill(self: Tensor, value: Any) -> None:
    if not isinstance(value, Tensor) or is_number(value.type):
        self[...] = value
    else:
        store_by(np.ndarray.fill, self, value)  # NumPy takes one number only


def _compress(self: Tensor, condition: Any, axis: Any = None, out: Any = None) -> Any:
    return call_numpy(np.compress, (condition, self, axis), {"out": out})


def _choose(self: Tensor, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    return call_numpy(np.choose, (self, choices), {"out": out, "mode": mode})


def _by(function: Callable[..., Any]) -> Callable[..., None]:
    """Returns a function that records a call of a function which changes its first argument."""
    def mutate(target: Any, *args: Any, **kwargs: Any) -> None:
        store_by(function, target, *args, **kwargs)

    mutate.__name__ = function.__name__
    return mutate


def _in_place(name: str) -> Callable[..., Any]:
    """Returns a method that changes the array; on a NumPy number it does what NumPy's method
    does."""
    change = METHODS_IN_PLACE.get(name) or _by(getattr(np.ndarray, name))
    of_a_number = _as_it_is(name, opaque) if hasattr(np.generic, name) else None

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        t = self.type
        if not (isinstance(t, ArrayType) and t.scalar):
            return change(self, *args, **kwargs)
        if of_a_number is None:
            raise AttributeError(f"'{class_name(t)}' object has no attribute {name!r}")
        return of_a_number(self, *args, **kwargs)

    return method


def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    store_by(np.copyto, dst, src, casting=casting, where=where)


def _nan_to_num(x: Any, copy: Any = True, **kwargs: Any) -> Any:
    made = apply("nan_to_num", x, **kwargs)
    if copy or not isinstance(x, Tensor) or not has_memory(x.type):
        return made
    x[...] = made
    return x


METHODS_IN_PLACE: dict[str, Callable[..., Any]] = {"fill": _fill}
"""Name of a method in `IN_PLACE` -> what is called instead of recording a store."""

METHODS: dict[str, Callable[..., Any]] = {
    **{name: _as_function(name) for name in AS_FUNCTION},
    **{name: _as_it_is(name, pure) for name in AS_IT_IS},
    "tolist": _tolist,
    **{name: _as_it_is(name, opaque) for name in WITH_EFFECT},
    "item": _op("item"),
    "view": _op("view"),
    "reshape": _reshape,
    "transpose": _transpose,
    "astype": _astype,
    "copy": _copy,
    "flatten": _flatten,
    "clip": _clip,
    "conj": _conj,
    "conjugate": _conj,
    "byteswap": _byteswap,
    "compress": _compress,
    "choose": _choose,
    **{name: _in_place(name) for name in IN_PLACE},
    "__copy__": lambda self: _copied(self, "K", copy.copy),
    "__deepcopy__": lambda self, memo: _copied(self, "K", copy.deepcopy),
    "__round__": lambda self, ndigits=None: apply(opaque(round), self, ndigits),
    "__divmod__": lambda self, other: apply(opaque(divmod), self, other),
    "__rdivmod__": lambda self, other: apply(opaque(divmod), other, self),
}


def _shared(name: str) -> Callable[..., Any]:
    """Returns a method that containers, strings or objects of other classes have as well as arrays.
    What changes a container is recorded on the object itself."""
    own, changes = METHODS[name], name in IN_PLACE

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        for cls in (str, bytes):
            if self.type == PyType(cls) or (not isinstance(self.type, ArrayType) and any(
                    isinstance(x, cls) for x in args)):
                return text_method(cls, name)(self, *args, **kwargs)
        if is_container(self.type) or (
                self.type == DYNAMIC and (changes or trace.by_reference())):
            return method_of(name)(self, *args, **kwargs)
        return own(self, *args, **kwargs)

    return method


METHODS.update({name: _own(name, METHODS[name]) for name in OWN})

METHODS.update({name: _shared(name) for name in METHODS if not name.startswith("__") and (
    name in IN_PLACE or any(hasattr(cls, name) for cls in (str, bytes, *CONTAINERS)))})

CHANGING: tuple[Callable[..., Any], ...] = (
    np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis)
"""NumPy functions that change their first argument."""

def _at_least(function: Callable[..., Any], rank: int) -> Callable[..., Any]:
    """`np.atleast_1d` and its like: an array that has the rank is returned itself."""
    def one(x: Any) -> Any:
        shape = getattr(x.type, "shape", None) if isinstance(x, Tensor) else None
        return x if shape is not None and len(shape) >= rank else call_numpy(function, (x,), {})

    return lambda *arrays: one(*arrays) if len(arrays) == 1 else tuple(map(one, arrays))


def _itself_at(function: Callable[..., Any], times: int) -> Callable[..., Any]:
    """`np.diff` and `np.linalg.matrix_power`: `times` times is the array itself."""
    def call(a: Any, n: Any = 1, *args: Any, **kwargs: Any) -> Any:
        itself = isinstance(a, Tensor) and type(n) is int and n == times
        return a if itself else call_numpy(function, (a, n, *args), kwargs)

    return call


def _einsum(*args: Any, **kwargs: Any) -> Any:
    """`np.einsum`. That of one array whose axes only get other names is a view of it, whatever
    dtype and order are asked for."""
    try:
        (letters,), out, operands = einsum_terms(*args)
    except (NotKnown, ValueError):  # of several, or of another form
        return call_numpy(np.einsum, args, kwargs)
    if kwargs.get("out") is not None or not letters or set(letters) != set(out):
        return call_numpy(np.einsum, args, kwargs)
    shape = getattr(getattr(operands[0], "type", None), "shape", None) or ()
    if "." not in letters and len(shape) == len(letters) == len(out):
        return call_numpy(np.transpose, (*operands, [letters.index(c) for c in out]), {})
    return call_numpy(np.einsum, (*operands, _labels(letters, letters), _labels(out, letters)), {})


def _labels(letters: str, names: str) -> list[Any]:
    """Returns the axes that letters stand for, as `np.einsum` takes them behind an operand."""
    first, dots, last = letters.partition("...")
    return [*map(names.index, first), *([Ellipsis] if dots else []), *map(names.index, last)]


def _broadcast_arrays(*arrays: Any, **kwargs: Any) -> Any:
    """`np.broadcast_arrays`: each is a view of its own array, which comes first in its call."""
    made = call_numpy(np.broadcast_arrays, arrays, kwargs)
    others = (call_numpy(np.broadcast_arrays, (x, *arrays[:k], *arrays[k + 1:]), kwargs)[0]
              for k, x in enumerate(arrays[1:], 1))
    return type(made)((*made[:1], *others))


def _meshgrid(*xi: Any, copy: Any = True, sparse: Any = False, indexing: Any = "xy") -> Any:
    """`np.meshgrid`: each is a view of its own array, or a copy of such a view."""
    made = call_numpy(np.meshgrid, xi, {"copy": False, "sparse": sparse, "indexing": indexing})
    if isinstance(made, Tensor) and copy:  # of arrays of unknown type
        return call_numpy(np.meshgrid, xi, {"sparse": sparse, "indexing": indexing})
    if copy:
        return type(made)(apply("copy", x, "C") for x in made)
    axes = [*range(len(xi))]
    axes[:2] = axes[:2] if indexing == "ij" else axes[:2][::-1]
    rows = [call_numpy(np.reshape, (x, [-1 if i == axis else 1 for i in range(len(xi))]), {})
            for x, axis in zip(xi, axes, strict=True)]
    return type(made)(rows if sparse else _broadcast_arrays(*rows, subok=True))


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.diff: _itself_at(np.diff, 0),
    np.linalg.matrix_power: _itself_at(np.linalg.matrix_power, 1),
    np.atleast_1d: _at_least(np.atleast_1d, 1),
    np.atleast_2d: _at_least(np.atleast_2d, 2),
    np.atleast_3d: _at_least(np.atleast_3d, 3),
    np.broadcast_arrays: _broadcast_arrays,
    np.copyto: _copyto,
    np.einsum: _einsum,
    np.nan_to_num: _nan_to_num,
    np.meshgrid: _meshgrid,
    np.ndim: lambda a: a.ndim if isinstance(a, Tensor) else apply("ndim", a),
    np.shape: lambda a: a.shape if isinstance(a, Tensor) else apply("shape", a),
}
OF_DTYPES = (np.result_type, np.can_cast, np.common_type, np.iscomplexobj, np.isrealobj)
"""Functions whose result depends on dtypes alone: it is known while tracing if the dtypes are."""

CALLING = (np.apply_along_axis, np.apply_over_axes, np.piecewise)
"""Functions with a callback, which may use symbolic values of the function around it."""


def _with_callbacks(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*args: Any, **kwargs: Any) -> Any:
        made = with_callbacks(function, args, kwargs)
        return call_numpy(function, args, kwargs) if made is NotImplemented else made

    return called


def _of_dtypes(function: Callable[..., Any]) -> Callable[..., Any]:
    def answer(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = by_position(function, args, kwargs)
        known = [_sample(x) for x in args]
        if any(x is None for x in known):
            return apply(opaque(function), *args, **kwargs)
        return function(*known, **kwargs)

    return answer


def _sample(x: Any) -> Any:
    """Returns a value of a tensor's dtype; None if that is not known."""
    t = x.type if isinstance(x, Tensor) else None
    if isinstance(t, ArrayType):
        return None if t.dtype is None else np.zeros((), t.dtype)
    return None if isinstance(x, Tensor) else x


DISPATCHED: dict[Callable[..., Any], Callable[..., Any]] = {
    **FUNCTIONS, **other_names.FUNCTIONS,
    **{f: _of_dtypes(f) for f in OF_DTYPES},
    **{f: _by(f) for f in CHANGING},
    **{f: _with_callbacks(f) for f in CALLING},
}
"""NumPy function that is not simply recorded -> what is called instead."""
