"""Builds an ONNX graph node by node: tensors with dtypes and shapes, constants, nested graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.runtime.export.extras import require
from autograph.runtime.export.joins import constant_array
from autograph.runtime.export.kinds import NoForm
from autograph.runtime.export.onnx.kernels import INSTEAD, KERNELS, MODULAR
from autograph.runtime.ops.type_rules import broadcast

OPSET, IR_VERSION = 21, 10
INT64, BOOL, FLOAT64 = np.dtype(np.int64), np.dtype(bool), np.dtype(np.float64)

Shape = tuple[int | None, ...]


@dataclass(eq=False)
class T:
    """A tensor of the ONNX graph. Its operators add nodes; a number beside it has its dtype."""

    builder: Builder
    name: str
    dtype: np.dtype[Any]
    shape: Shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def is_static(self) -> bool:
        return None not in self.shape

    def _op(self, op: str, *xs: Any) -> T:
        return self.builder.op(op, *(self.builder.like(x, self) for x in xs))

    def __add__(self, x: Any) -> T:
        return self._op("Add", self, x)

    def __radd__(self, x: Any) -> T:
        return self._op("Add", x, self)

    def __sub__(self, x: Any) -> T:
        return self._op("Sub", self, x)

    def __rsub__(self, x: Any) -> T:
        return self._op("Sub", x, self)

    def __mul__(self, x: Any) -> T:
        return self._op("Mul", self, x)

    __rmul__ = __mul__

    def __truediv__(self, x: Any) -> T:
        return self._op("Div", self, x)

    def __rtruediv__(self, x: Any) -> T:
        return self._op("Div", x, self)

    def __neg__(self) -> T:
        return self._op("Neg", self)

    def __lt__(self, x: Any) -> T:
        return self._op("Less", self, x)

    def __le__(self, x: Any) -> T:
        return self._op("LessOrEqual", self, x)

    def __gt__(self, x: Any) -> T:
        return self._op("Greater", self, x)

    def __ge__(self, x: Any) -> T:
        return self._op("GreaterOrEqual", self, x)

    def equals(self, x: Any) -> T:
        return self._op("Equal", self, x)

    def __and__(self, x: T) -> T:
        return self._op("And", self, x)

    def __or__(self, x: T) -> T:
        return self._op("Or", self, x)

    def __invert__(self) -> T:
        return self._op("Not", self)


PREDICATES = frozenset({"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "IsNaN",
                        "IsInf"})


class Builder:
    """The nodes of the graph that is being built, and the constants of all.

    nodes      of the innermost graph.
    constants  by dtype, shape and bytes.
    """

    def __init__(self) -> None:
        self.onnx = require("onnx", "onnx")
        self.helper = require("onnx.helper", "onnx")
        self.nodes: list[Any] = []
        self.constants: dict[tuple[str, Shape, bytes], T] = {}
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self.names: dict[str, int] = {}

    # -- names, types, constants ------------------------------------------------------------------

    def fresh(self, hint: str = "v") -> str:
        """Returns a name that nothing has yet."""
        hint = "".join(c if c.isalnum() else "_" for c in hint) or "v"
        number = self.names.get(hint, 0)
        self.names[hint] = number + 1
        return f"{hint}_{number}" if number else hint

    def tensor_type(self, dtype: np.dtype[Any]) -> int:
        """Returns ONNX's number for a dtype.

        Raises:
          NoForm: ONNX or onnxruntime does not compute with it.
        """
        if dtype.kind not in "biuf" or dtype.itemsize > 8 or not dtype.isnative:
            raise NoForm(f"ONNX does not compute with the dtype {dtype}",
                         "take its parts apart: z.real, z.imag" if dtype.kind == "c" else
                         "bring it to a dtype that ONNX has, as with x.astype(np.float64)")
        number: int = self.helper.np_dtype_to_tensor_dtype(dtype)
        return number

    def constant(self, x: Any, dtype: Any = None) -> T:
        """Returns a constant tensor."""
        array = constant_array(x, dtype)
        self.tensor_type(array.dtype)
        key = array.dtype.str, array.shape, array.tobytes()
        if key not in self.constants:
            name = self.fresh("const")
            self.arrays[name] = np.ascontiguousarray(array).reshape(array.shape)
            self.constants[key] = T(self, name, array.dtype, array.shape)
        return self.constants[key]

    def like(self, x: Any, other: T) -> T:
        """Returns a number as a constant of another tensor's dtype."""
        return x if isinstance(x, T) else self.constant(x, other.dtype)

    def ints(self, *numbers: int) -> T:
        """Returns a vector of int64."""
        return self.constant(np.array(numbers, np.int64))

    # -- nodes ------------------------------------------------------------------------------------

    def node(self, op: str, inputs: Sequence[T | None], dtype: np.dtype[Any], shape: Shape,
             **attributes: Any) -> T:
        """Adds a node with one output, as it is."""
        return self.several(op, inputs, [(dtype, shape)], **attributes)[0]

    def several(self, op: str, inputs: Sequence[T | None], outputs: Sequence[tuple[Any, Shape]],
                **attributes: Any) -> list[T]:
        """Adds a node with several outputs."""
        made = [T(self, self.fresh(op.lower()), np.dtype(d), s) for d, s in outputs]
        self.nodes.append(self.helper.make_node(
            op, [x.name if x is not None else "" for x in inputs], [t.name for t in made],
            **attributes))
        return made

    def computed_in(self, op: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """Returns the dtype in which an operation computes on operands of a dtype.

        Raises:
          NoForm: onnxruntime has no kernel, and no other dtype gives the same.
        """
        kernels = KERNELS[op]
        short = dtype.str[1:]
        if short in kernels:
            return dtype
        for other in INSTEAD.get(short, ()):
            if other in kernels and (short != "u8" or op in MODULAR):
                return np.dtype(other)
        raise NoForm(f"onnxruntime has no kernel of {op} for {dtype}")

    def op(self, op: str, *xs: T, shape: Shape | None = None, first: int = 0, kernel: str = "",
           **attributes: Any) -> T:
        """Adds an operation on operands of one dtype; in another dtype where it has no kernel.

        Args:
          shape: of the result; without it, the operands are broadcast.
          first: operands before this number keep their dtype.
          kernel: the row of `KERNELS` if it is not the operation's own.
        """
        dtype = xs[first].dtype
        inner = self.computed_in(kernel or op, dtype)
        given = [x if i < first or x.dtype != dtype else self.cast(x, inner)
                 for i, x in enumerate(xs)]
        if shape is None:
            shape = dims(broadcast(*(x.shape for x in xs)))
        if op in PREDICATES:
            return self.node(op, given, BOOL, shape, **attributes)
        return self.cast(self.node(op, given, inner, shape, **attributes), dtype)

    def cast(self, x: T, dtype: Any) -> T:
        """Returns a tensor in another dtype."""
        dtype = np.dtype(dtype)
        if x.dtype == dtype:
            return x
        if x.name in self.arrays:
            with np.errstate(all="ignore"):
                return self.constant(self.arrays[x.name], dtype)
        if x.dtype.kind == "f" and dtype.kind in "iu" and dtype.itemsize < 8:
            x = self.node("Cast", [x], INT64, x.shape, to=self.tensor_type(INT64))
        return self.node("Cast", [x], dtype, x.shape, to=self.tensor_type(dtype))

    def where(self, condition: T, a: Any, b: Any) -> T:
        """`np.where` on operands of one dtype."""
        example = a if isinstance(a, T) else b
        a, b = self.like(a, example), self.like(b, example)
        return self.op("Where", condition, a, b, first=1)

    # -- shapes -----------------------------------------------------------------------------------

    def shape_of(self, x: T) -> T:
        """Returns the shape as a vector."""
        if x.is_static:
            return self.ints(*x.shape)  # type: ignore[arg-type]
        return self.node("Shape", [x], INT64, (x.ndim,))

    def dim(self, x: T, axis: int) -> int | T:
        """Returns a dimension: a number if it is known."""
        known = x.shape[axis]
        if known is not None:
            return known
        return self.node("Gather", [self.shape_of(x), self.constant(np.int64(axis % x.ndim))],
                         INT64, ())

    def vector(self, numbers: Sequence[Any]) -> T:
        """Returns a vector of int64 of numbers, some of which are tensors."""
        for n in numbers:
            if isinstance(n, T) and n.dtype.kind not in "iu":
                raise NoForm(f"NumPy raises a TypeError: a size, or an end of a slice, of dtype "
                             f"{n.dtype}", "write int(n)")
        if all(not isinstance(n, T) for n in numbers):
            return self.ints(*(int(n) for n in numbers))
        parts = [self.reshape(self.cast(n, INT64), (1,)) if isinstance(n, T) else self.ints(int(n))
                 for n in numbers]
        return self.node("Concat", parts, INT64, (len(parts),), axis=0)

    def reshape(self, x: T, shape: Sequence[int | T]) -> T:
        """Returns the elements in another shape, in which one number may be -1."""
        known = tuple(d if isinstance(d, int) and d >= 0 else None for d in shape)
        if known == x.shape and x.is_static:
            return x
        if x.is_static and sum(d is None for d in known) == 1:
            total = int(np.prod(x.shape, dtype=np.int64))  # type: ignore[arg-type]
            rest = int(np.prod([d for d in known if d is not None], dtype=np.int64))
            if rest:
                known = tuple(total // rest if d is None else d for d in known)
        return self.node("Reshape", [x, self.vector(shape)], x.dtype, known, allowzero=1)

    def flat(self, x: T) -> T:
        """Returns the elements in a vector."""
        if x.ndim == 1:
            return x
        size = int(np.prod(x.shape, dtype=np.int64)) if x.is_static else -1  # type: ignore[arg-type]
        return self.reshape(x, (size,))

    def expand(self, x: T, shape: T, known: Shape) -> T:
        """Returns the tensor broadcast to a shape."""
        if x.shape == known and x.is_static:
            return x
        return self.node("Expand", [x, shape], x.dtype, known)

    def size(self, x: T) -> T:
        """Returns the number of elements."""
        if x.is_static:
            return self.constant(np.int64(np.prod(x.shape, dtype=np.int64)))  # type: ignore[arg-type]
        return self.node("Size", [x], INT64, ())

    # -- graphs -----------------------------------------------------------------------------------

    @contextmanager
    def nested(self, nodes: list[Any] | None = None) -> Iterator[list[Any]]:
        """Collects the nodes of a graph inside a node; they follow those that are given."""
        outer, self.nodes = self.nodes, [] if nodes is None else nodes
        try:
            yield self.nodes
        finally:
            self.nodes = outer

    def given(self, x: T, hint: str = "") -> T:
        """Returns a copy under a name of its own: an output of a graph is made in it."""
        name = self.fresh(hint or "out")
        self.nodes.append(self.helper.make_node("Identity", [x.name], [name]))
        return T(self, name, x.dtype, x.shape)

    def info(self, x: T, dims: Sequence[Any] | None = None) -> Any:
        """Returns ONNX's description of a tensor."""
        return self.helper.make_tensor_value_info(
            x.name, self.tensor_type(x.dtype), list(x.shape if dims is None else dims))

    def graph(self, nodes: list[Any], name: str, inputs: Sequence[T], outputs: Sequence[T]) -> Any:
        """Returns a nested graph."""
        return self.helper.make_graph(nodes, name, [*map(self.info, inputs)],
                                      [*map(self.info, outputs)])


def dims(shape: Any) -> Shape:
    """Returns a shape in which only numbers are known."""
    if shape is None:
        raise NoForm("the number of dimensions is not known")
    return tuple(d if isinstance(d, int) else None for d in shape)
