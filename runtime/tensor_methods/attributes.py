"""The attributes of ndarray on tensors: what is recorded where one is read or assigned."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from autograph.runtime.heap.run_time_containers import delete_item
from autograph.runtime.ir.errors import ArrayMemoryError, TracingError, at
from autograph.runtime.ir.types import DYNAMIC, ArrayType, DynamicType
from autograph.runtime.ops import opaque, pure
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.aliasing import Rearranged
from autograph.runtime.symbolic.numpy_protocols import store_by
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply


class Flat:
    """`x.flat`: the elements in C order. Reading copies them; writing changes `x`."""

    __slots__ = ("base",)
    __hash__ = None  # type: ignore[assignment]  # as np.flatiter

    def __init__(self, base: Tensor) -> None:
        self.base = base

    def __getitem__(self, index: Any) -> Any:
        return apply("flat_item", self.base, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        store_by(_store_flat, self.base, index, value)

    def __len__(self) -> int:
        return int(self.base.size)

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self))])

    def __next__(self) -> NoReturn:
        raise TracingError(
            f"x.flat of a symbolic array is read item by item{at(user_location())}\n"
            "  hint: write iter(x.ravel()), or a `for` loop over x.flat")

    def copy(self) -> Any:
        return apply("flat_item", self.base, slice(None))

    def __ag_leave__(self) -> NoReturn:
        """Refuses to leave the function: a call runs as plain Python."""
        raise TracingError(
            "x.flat, an iterator over a symbolic array, leaves the function\n"
            "  hint: return x.ravel()", about_state=True)


def _compared(compare: Callable[[Any, Any], Any]) -> Callable[[Flat, Any], Any]:
    return lambda self, other: compare(self.copy(), other)


for _name in ("lt", "le", "eq", "ne", "gt", "ge"):
    setattr(Flat, f"__{_name}__", _compared(getattr(operator, _name)))


def _store_flat(x: Any, index: Any, value: Any) -> None:
    x.flat[index] = value


def _set_flat(self: Tensor, value: Any) -> None:
    self.flat[...] = value


def _set_real(self: Tensor, value: Any) -> None:
    self.real[...] = value


def _bytes(name: str, known: Callable[[Tensor], Any]) -> property:
    """Returns a property that is a number of bytes; the graph asks a value of unknown class."""
    return property(lambda self: apply("getattr_", self, name) if isinstance(
        self.type, DynamicType) else known(self))


def _set_imag(self: Tensor, value: Any) -> None:
    if isinstance(self.type, ArrayType) and self.type.dtype is not None and (
            self.type.dtype.kind != "c"):
        np.zeros(1).imag = 1  # raises, in NumPy's words
    self.imag[...] = value


WARNS = tuple(map(int, np.__version__.split(".")[:2])) >= (2, 5)
"""True if NumPy warns where a shape or dtype is assigned."""


def _assigned_shape() -> None:
    x = np.zeros(1)
    x.shape = (1,)


def _assigned_dtype() -> None:
    x = np.zeros(1)
    setattr(x, "dtype", np.int64)  # noqa: B010


def _warn(assign: Callable[[], None]) -> None:
    """Have NumPy warn when the graph runs: the graph makes an assignment of which NumPy warns."""
    if WARNS:
        apply(opaque(assign))


def _set_shape(self: Tensor, shape: Any) -> None:
    _warn(_assigned_shape)
    made = apply("reshape", self, shape)
    if isinstance(made._handle, Rearranged):
        raise AttributeError("Incompatible shape for in-place modification. Use `.reshape()` to "
                             "make a copy with the desired shape.")
    _become(self, made, "x = x.reshape(…)")


def _set_dtype(self: Tensor, dtype: Any) -> None:
    _warn(_assigned_dtype)
    _become(self, apply("view", self, np.dtype(dtype)), "x = x.view(…)")


def _become(tensor: Tensor, view: Tensor, instead: str) -> None:
    """Rebind the tensor's handle to a view of its array."""
    here = trace.current_region()
    handle = tensor._handle
    if here is None or handle.region is not here or handle.value in here.trace.arguments:
        _refuse("the shape or dtype of an array is assigned outside the function, branch or loop "
                "that made it", instead)
    tensor._handle = view._handle


def _refuse(what: str, instead: str) -> NoReturn:
    raise ArrayMemoryError(f"{what}{at(user_location())}\n  hint: write {instead}")


def _mT(self: Tensor) -> Any:
    if isinstance(self.type, ArrayType) and self.type.shape is not None and self.ndim < 2:
        raise ValueError("matrix transpose with ndim < 2 is undefined")
    return apply("swapaxes", self, -1, -2)


def _at_run_time(name: str) -> property:
    """Returns a property that the graph reads."""
    def attribute(x: Any) -> Any:
        return getattr(x, name)

    attribute.__qualname__ = f"ndarray.{name}"
    attribute.__module__ = "numpy"
    op = pure(attribute)
    return property(lambda self: apply(op, self), doc=f"`x.{name}`, read when the graph runs.")


def _refused(name: str, instead: str) -> property:
    """Returns a property that raises: the attribute exposes memory, which a graph cannot track."""
    def refuse(self: Tensor) -> NoReturn:
        if self.type == DYNAMIC:
            trace.want_one("is asked for an attribute, and known only when the graph runs")
        _refuse(f"the memory of a symbolic value is asked for (.{name})", instead)

    return property(refuse)


def _refuse_flags(self: Tensor, *args: Any, **kwargs: Any) -> NoReturn:
    _refuse("the flags of a symbolic array are set", "a function that does not write to the array")


def _refuse_resize(self: Tensor, *args: Any, **kwargs: Any) -> NoReturn:
    _refuse("an array is resized in place", "x = np.resize(x, shape)")


ATTRIBUTES: dict[str, Any] = {
    "T": property(lambda self: apply("transpose", self)),
    "mT": property(_mT),
    "real": property(lambda self: apply("real", self), _set_real),
    "imag": property(lambda self: apply("imag", self), _set_imag),
    "flat": property(Flat, _set_flat),
    "shape": Tensor.shape.setter(_set_shape),  # type: ignore[attr-defined]
    "dtype": Tensor.dtype.setter(_set_dtype),  # type: ignore[attr-defined]
    "itemsize": _bytes("itemsize", lambda self: self.dtype.itemsize),
    "nbytes": _bytes("nbytes", lambda self: self.size * self.itemsize),
    "strides": _at_run_time("strides"),
    "flags": _at_run_time("flags"),
    "device": property(lambda self: "cpu"),
    "base": _refused("base", "np.shares_memory(x, y)"),
    "data": _refused("data", "x.tobytes()"),
    "ctypes": _refused("ctypes", "a Python function of the array, called by ag.numpy_function"),
    "setflags": _refuse_flags,
    "resize": _refuse_resize,
    "__delitem__": delete_item,
}



def _of_numbers_too(name: str, attribute: property) -> property:
    """Returns the property; on a NumPy number it raises what NumPy's class raises."""
    def known(self: Tensor) -> np.generic | None:
        t = self._handle.value.type
        dtype = t.dtype if isinstance(t, ArrayType) and t.scalar else None
        return dtype.type(0) if dtype is not None and dtype.kind in "biufc" else None

    def get(self: Tensor) -> Any:
        if (number := known(self)) is not None:
            getattr(number, name)  # it may have none
        return attribute.__get__(self)

    def put(self: Tensor, value: Any) -> None:
        if (number := known(self)) is not None:
            setattr(number, name, value)  # raises
        attribute.__set__(self, value)

    missing = not hasattr(np.generic, name)
    return property(get if missing else attribute.fget, put if attribute.fset else None,
                    doc=attribute.__doc__)


METHODS = {name: _of_numbers_too(name, attribute) if isinstance(attribute, property) else attribute
           for name, attribute in ATTRIBUTES.items()}
"""Name -> attribute of Tensor."""
