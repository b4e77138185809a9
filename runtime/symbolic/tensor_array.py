"""TensorArray: a list of arrays that staged loops can write, and that becomes one array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.runtime.ir.given_types import dtype_given, shape_given
from autograph.runtime.ir.types import Dim
from autograph.runtime.ops.op import OPS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import apply
from autograph.runtime.symbolic.variables import read_all
from autograph.traceback_filter import hiding_methods, way_out


@hiding_methods
class TensorArray:
    """A list of arrays of one dtype, written element by element. Writing changes it.

    `ta = ta.write(i, x)` and `ta.write(i, x)` mean the same.

    Args:
      dtype: that of the elements; None for that of what is written.
      size: the number of elements to begin with.
      dynamic_size: if True, writing beyond the end makes it longer; the default, unless a size is
        given.
      element_shape: the shape of the elements; those that were never written are then zeros.
      ignored: TensorFlow's options that are not needed.

    Raises:
      TypeError: there is no such argument.

    >>> ta = TensorArray(float, size=2)
    >>> ta.write(0, 1.5).write(1, 2).stack()
    array([1.5, 2. ])
    """

    def __init__(self, dtype: Any = None, size: Any = 0, dynamic_size: bool | None = None,
                 element_shape: Sequence[Dim] | None = None, **ignored: Any) -> None:
        unknown = set(ignored) - {"clear_after_read", "infer_shape", "name", "tensor_array_name"}
        if unknown:
            name = min(unknown)
            raise TypeError(f"TensorArray takes no argument {name!r}\n"
                            f"  hint: {way_out(name, type(self).__init__)}")
        call = "TensorArray(dtype, element_shape=shape)"
        self.dtype = None if dtype is None else dtype_given(dtype, call)
        self.element_shape = None if element_shape is None else shape_given(element_shape, call)
        grows = type(size) is int and size == 0 if dynamic_size is None else dynamic_size
        self._store = _run("tensor_array", size, self.dtype, grows, self.element_shape)

    @classmethod
    def __ag_unflatten__(cls, metadata: Any, components: Sequence[Any]) -> TensorArray:
        made = cls.__new__(cls)
        made.dtype, made.element_shape = metadata
        (made._store,) = components
        return made

    def __ag_flatten__(self) -> tuple[Any, list[Any]]:
        return (self.dtype, self.element_shape), [self._store]

    def write(self, index: Any, value: Any) -> TensorArray:
        """Makes the value element `index`; returns the array itself."""
        _run("tensor_array_write", self._store, index, read_all(value))
        return self

    def read(self, index: Any) -> Any:
        """Returns element `index`."""
        return _run("tensor_array_read", self._store, index, self.dtype, self.element_shape)

    def stack(self) -> Any:
        """Returns all elements as one array, along a new first axis."""
        shape = None if self.element_shape is None else (None, *self.element_shape)
        return _run("tensor_array_stack", self._store, self.dtype, shape)

    def elements(self) -> Any:
        """Returns all elements in a list: their shapes may differ."""
        return _run("tensor_array_elements", self._store)

    def concat(self) -> Any:
        """Returns all elements, joined along their first axis."""
        return _run("tensor_array_concat", self._store)

    def gather(self, indices: Any) -> Any:
        """Returns the elements at these indices as one array."""
        return _run("tensor_array_gather", self._store, indices)

    def unstack(self, value: Any) -> TensorArray:
        """Makes the rows of an array the elements; returns the array itself."""
        _run("tensor_array_unstack", self._store, read_all(value))
        return self

    def scatter(self, indices: Any, value: Any) -> TensorArray:
        """Makes the rows of an array the elements at these indices; returns the array itself."""
        _run("tensor_array_scatter", self._store, read_all(indices), read_all(value))
        return self

    def split(self, value: Any, lengths: Any) -> TensorArray:
        """Makes consecutive parts of an array, of these lengths, the elements; returns the array
        itself."""
        _run("tensor_array_split", self._store, read_all(value), read_all(lengths))
        return self

    def size(self) -> Any:
        """Returns the number of elements."""
        return _run("tensor_array_size", self._store)

    def __len__(self) -> int:
        size: int = self.size()  # in a trace a symbolic one, which the operator takes
        return size

    def __repr__(self) -> str:
        return f"<TensorArray dtype={self.dtype} element_shape={self.element_shape}>"


def _run(op: str, *args: Any) -> Any:
    """Runs an op, or records it while a function is traced."""
    return apply(op, *args) if trace.tracing() else OPS[op].kernel(*args)
