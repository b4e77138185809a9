"""Ops on objects that outlive a call or change in it: variables and tensor arrays."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.ir.types import DYNAMIC, ArrayType, PyType, Type
from autograph.runtime.ops.indexing import getitem_type
from autograph.runtime.ops.op import Effect, Op, define
from autograph.runtime.ops.type_rules import INT, fixed

NONE = PyType(type(None))


class Storage:
    """The content of a variable; graphs refer to it, so that they see and make every change.

    The array is never handed out writable: a reader's array never changes. An item is
    written in place as long as nobody has read the array.
    """

    __slots__ = ("__weakref__", "array", "name", "owner", "seen", "type")

    def __init__(self, type: ArrayType, name: str, owner: Callable[[], Any]) -> None:
        self.type = type
        self.name = name
        self.owner = owner
        self.array: Any = None
        self.seen = False

    def snapshot(self) -> Any:
        """Returns the array, which from here on is not written in place."""
        self.seen = True
        return self.array

    def read(self) -> Any:
        """Returns the value: a read-only array, or a NumPy scalar."""
        if self.array is None:
            raise ValueError(f"the variable {self.name!r} is read before it has a value")
        self.seen = True
        return self.array if self.array.ndim else self.array[()]

    def put(self, value: Any) -> None:
        """Stores a copy of the value.

        Raises:
          TypeError, ValueError: it is of another kind of dtype, or of another shape.
        """
        check_value(self.type, f"the variable {self.name!r}", value)
        array = np.array(value, dtype=self.type.dtype)
        array.flags.writeable = False
        self.array, self.seen = array, False

    def put_item(self, index: Any, value: Any) -> None:
        array = self.array.copy() if self.seen else self.array
        array.flags.writeable = True
        try:
            array[index] = value
        finally:
            array.flags.writeable = False
        self.array, self.seen = array, False

    def __repr__(self) -> str:
        return f"<variable {self.name}>"


def check_value(t: ArrayType, holder: str, value: Any) -> None:
    """Raises an error for a value that a variable of this type cannot take."""
    given = np.asarray(value)
    dtype = None if type(value) in (int, float, bool) else given.dtype
    check_type(t, holder, ArrayType(dtype, given.shape))
    if type(value) is float and t.dtype is not None and t.dtype.kind in "iub":
        raise TypeError(_cannot_take(holder, t, "a float"))


def check_type(t: ArrayType, holder: str, value: ArrayType) -> None:
    """Raises an error for a type whose values a variable certainly cannot take."""
    if value.dtype is not None and t.dtype is not None and not np.can_cast(
            value.dtype, t.dtype, "same_kind"):
        raise TypeError(_cannot_take(holder, t, f"an array of {value.dtype}"))
    if t.shape is None or value.shape is None:
        return
    fits = len(t.shape) == len(value.shape) and all(
        not isinstance(a, int) or not isinstance(b, int) or a == b
        for a, b in zip(t.shape, value.shape, strict=True))
    if not fits:
        raise ValueError(_cannot_take(holder, t, f"an array of shape {value.shape}"))


def _cannot_take(holder: str, t: ArrayType, what: str) -> str:
    shape = "any shape" if t.shape is None else f"shape {t.shape}"
    return (f"{holder} has dtype {t.dtype} and {shape}; it cannot be given {what}\n"
            "  hint: cast or reshape the value, or allow other shapes (shape=None)")


def state_op(kernel: Callable[..., Any], infer: Callable[..., Any], effect: Effect, doc: str,
             view: bool = False) -> Op:
    """Enters an op on an object that outlives a call; the graph's text cannot be read back."""
    names = list(inspect.signature(kernel).parameters)
    roles = tuple((names.index(n), "shape") for n in names if n in ("shape", "element_shape"))
    return define(Op(kernel.__name__, kernel, infer, "", (), onnx=None, effect=effect,
                     view=view, roles=roles, doc=doc))


def _known(dtype: Any, shape: Any) -> Type:
    if dtype is None:
        return DYNAMIC
    return ArrayType(dtype, shape, scalar=shape == ())


# -- variables ------------------------------------------------------------------------------------


def read_variable(variable: Storage, dtype: Any, shape: Any) -> Any:
    return variable.read()


def assign_variable(variable: Storage, value: Any) -> None:
    variable.put(value)


def initialise_variable(variable: Storage, value: Any) -> None:
    if variable.array is None:
        variable.put(value)


def variable_item(variable: Storage, index: Any, dtype: Any, shape: Any) -> Any:
    found = variable.array[index]
    return found.copy() if isinstance(found, np.ndarray) else found


def set_variable_item(variable: Storage, index: Any, value: Any) -> None:
    variable.put_item(index, value)


def _item_type(variable: Any, index: Any, dtype: Any, shape: Any) -> Any:
    return getitem_type(ArrayType(dtype, shape), index)


state_op(read_variable, lambda variable, dtype, shape: _known(dtype, shape), "read",
         "what a variable holds at this point of the program", view=True)
state_op(assign_variable, fixed(NONE), "write", "gives a variable a value")
INITIALISE = state_op(initialise_variable, fixed(NONE), "write",
                      "gives a variable its first value")
VARIABLE_ITEM = state_op(variable_item, _item_type, "read",
                         "`v[index]`, as it is at this point")
state_op(set_variable_item, fixed(NONE), "write", "`v[index] = value`")

# -- iterators ------------------------------------------------------------------------------------

END = object()
"""The default of `next_` in loops: the result at the end of the iterator."""


def next_(iterator: Any, *default: Any) -> Any:
    return next(iterator, *default)


def is_end(item: Any) -> bool:
    return item is END


NEXT = state_op(next_, fixed(DYNAMIC), "call", "the next item of an iterator from outside")
IS_END = state_op(is_end, fixed(PyType(bool)), "call", "whether there was no item any more")

# -- tensor arrays --------------------------------------------------------------------------------


UNWRITTEN = object()
"""Stands for an element that nobody wrote."""


class Store:
    """The value of a `TensorArray`: a list of arrays that may be written in any order."""

    def __init__(self, size: int, dtype: Any, dynamic_size: bool, element_shape: Any) -> None:
        self.items: list[Any] = [UNWRITTEN] * size
        self.dtype = dtype
        self.dynamic_size = dynamic_size
        self.element_shape = element_shape

    def write(self, index: int, value: Any) -> None:
        if index < 0 or (index >= len(self.items) and not self.dynamic_size):
            raise IndexError(f"element {index} of a TensorArray of size {len(self.items)}\n"
                             "  hint: make it larger, or with dynamic_size=True")
        self.items += [UNWRITTEN] * (index + 1 - len(self.items))
        self.items[index] = self._cast(value)

    def _cast(self, value: Any) -> Any:
        if self.dtype is None:
            return np.array(value)[()]
        check_value(ArrayType(self.dtype, self.element_shape), "the TensorArray", value)
        return np.array(value, self.dtype)[()]

    def read(self, index: int) -> Any:
        if not 0 <= index < len(self.items):
            raise IndexError(f"element {index} of a TensorArray of size {len(self.items)}")
        return self._filled(index)

    def _filled(self, index: int) -> Any:
        """Returns an element; zeros if nobody wrote it but its shape is known."""
        found = self.items[index]
        if found is not UNWRITTEN:
            return found
        shape = self.element_shape
        if shape is None:
            shape = next((np.shape(x) for x in self.items if x is not UNWRITTEN), None)
        if shape is None or any(not isinstance(d, int) for d in shape):
            raise IndexError(f"element {index} of a TensorArray is read before it is written\n"
                             "  hint: write it first, or give element_shape, whose elements are "
                             "zeros")
        return np.zeros(shape, self.dtype)[()]

    def stack(self) -> Any:
        items = list(map(self._filled, range(len(self.items))))
        return np.stack(items) if items else np.zeros(
            (0, *(d if isinstance(d, int) else 0 for d in self.element_shape or ())), self.dtype)

    def concat(self) -> Any:
        return np.concatenate(list(map(self._filled, range(len(self.items)))))


def tensor_array(size: Any, dtype: Any, dynamic_size: bool, element_shape: Any) -> Store:
    return Store(operator.index(size), dtype, dynamic_size, element_shape)


def tensor_array_write(array: Store, index: Any, value: Any) -> None:
    array.write(operator.index(index), value)


def tensor_array_read(array: Store, index: Any, dtype: Any, shape: Any) -> Any:
    return array.read(operator.index(index))


def tensor_array_stack(array: Store, dtype: Any, shape: Any) -> Any:
    return array.stack()


def tensor_array_elements(array: Store) -> list[Any]:
    return [array.read(i) for i in range(len(array.items))]


def tensor_array_concat(array: Store) -> Any:
    return array.concat()


def tensor_array_gather(array: Store, indices: Any) -> Any:
    return np.stack([array.read(operator.index(i)) for i in indices])


def tensor_array_unstack(array: Store, value: Sequence[Any]) -> None:
    array.items = [array._cast(x) for x in value]


def tensor_array_scatter(array: Store, indices: Any, value: Sequence[Any]) -> None:
    for i, x in zip(indices, value, strict=True):
        array.write(operator.index(i), x)


def tensor_array_split(array: Store, value: Any, lengths: Any) -> None:
    stops = np.cumsum(lengths)
    if not len(stops) or stops[-1] != len(value):
        raise ValueError(f"lengths {list(lengths)} do not add up to the {len(value)} rows")
    array.items = [array._cast(x) for x in np.split(value, stops[:-1])]


def tensor_array_size(array: Store) -> int:
    return len(array.items)


def _array_type(array: Any, *args: Any) -> Type:
    return _known(*args[-2:])


state_op(tensor_array, fixed(DYNAMIC), "call", "a new list of arrays")
state_op(tensor_array_write, fixed(NONE), "call", "writes an element")
state_op(tensor_array_read, _array_type, "call", "an element")
state_op(tensor_array_stack, _array_type, "call", "the elements as one array")
state_op(tensor_array_elements, fixed(DYNAMIC), "call", "the elements in a list")
state_op(tensor_array_concat, fixed(DYNAMIC), "call", "the elements one behind the other")
state_op(tensor_array_gather, fixed(DYNAMIC), "call", "some of the elements as one array")
state_op(tensor_array_unstack, fixed(NONE), "call", "makes the rows of an array the elements")
state_op(tensor_array_scatter, fixed(NONE), "call", "makes rows of an array some of the elements")
state_op(tensor_array_split, fixed(NONE), "call", "makes stretches of an array the elements")
state_op(tensor_array_size, fixed(INT), "call", "how many elements there are")
