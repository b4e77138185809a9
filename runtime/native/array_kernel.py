"""Array kernels: a loop nest, compiled at its first call and called with Python's objects."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.locks import new_lock
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.types import ArrayType, PyType, Shape
from autograph.runtime.kernels.buffer_pool import LARGE
from autograph.runtime.kernels.tiled import in_c_order
from autograph.runtime.native.extents import extent_of
from autograph.runtime.native.kinds import known_dtype
from autograph.runtime.native.loop_nest import BUFFER, Nest, Span, print_nest
from autograph.runtime.native.machine import is_excused
from autograph.runtime.native.trusted import Trusted

PER_OPERATION, PER_ELEMENT = 4e-7, 3e-10
"""Seconds that machine code saves of an operation of NumPy's, and of each of its elements."""

COPIED = 4
"""An array in parts is copied if it has at most so many times the elements of the kernel's shape:
the kernel may read a small window of a large array."""


class MethodDefinition(ctypes.Structure):
    """`PyMethodDef` of Python's headers."""

    _fields_ = (("name", ctypes.c_char_p), ("address", ctypes.c_void_p), ("flags", ctypes.c_int),
                ("doc", ctypes.c_char_p))


FASTCALL = 0x80

NAME = b"kernel"


def python_function(address: int, data: Any) -> Callable[..., Any]:
    """Returns a function of Python that calls machine code with its data and the objects: with
    the function for objects that the code does not take, or what the code knows to hold that.

    It reads its definition until it is freed, and then frees its `__module__` last: the definition
    is bytes in that place, so it lives as long as the function.
    """
    definition = bytes(MethodDefinition(NAME, address, FASTCALL, None))
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_char_p, ctypes.py_object, ctypes.py_object]
    made: Callable[..., Any] = new(definition, data, definition)
    return made


def may_go_on(raised: int, refused: int) -> int:
    """Returns 1 if NumPy ignores the floating-point exceptions, and no lanes were refused."""
    return int(not refused and is_excused(raised))


excused = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(may_go_on)


class ArrayKernel(Trusted):
    """The machine code of a loop nest.

    shared  gives the kernel for any lengths whose machine code this one has; None: it has its own.
    held    the other kernel whose machine code it has; None: its own.

    Called with the inputs, it returns the result, or a tuple of the results; or None where NumPy
    would warn or raise, or where an object is not what its type says. It has then changed nothing.
    """

    def __init__(self, nest: Nest, inputs: list[Value],
                 shared: Callable[[], ArrayKernel | None] = lambda: None) -> None:
        super().__init__()
        self.nest = nest
        self.shared = shared
        self.given = [_shape(v) for v in inputs]
        self.classes = [_class(v) for v in inputs]
        self.lent = not extent_of(nest.shape).open and any(
            shape is not None and r.dtype.itemsize * extent_of(shape).each >= LARGE
            for r, shape in nest.outputs)
        self.limits = [BUFFER if nest.is_summed(rs) else sys.maxsize for rs in nest.inputs]
        self.held: ArrayKernel | None = None
        self._module: tuple[Any, int] | None = None
        self._compiling = new_lock()

    @property
    def size(self) -> int:
        """The number of instructions on arrays and numbers."""
        return sum(1 for _ in self.nest.instructions())

    @property
    def price(self) -> float:
        """About the seconds that it takes to compile it."""
        return 0.02 + 0.0005 * self.size

    @property
    def is_open(self) -> bool:
        """True if only a call tells how many elements there are."""
        return extent_of(self.nest.shape).open

    @property
    def saved(self) -> float:
        """About the seconds that a call saves over NumPy, if no length is open: of each instruction
        the call, of those on lanes the way to memory and back, too."""
        lanes = sum(i.how == "lanes" and i.out.span is Span.LANES
                    for i in self.nest.instructions())
        return PER_OPERATION * self.size + PER_ELEMENT * lanes * extent_of(self.nest.shape).each

    @property
    def loops(self) -> str:
        """The loop nest."""
        return print_nest(self.nest)

    @property
    def llvm(self) -> str:
        """The LLVM IR of the nest."""
        from autograph.runtime.native.array_entry import EntryPrinter
        return EntryPrinter(self.nest, self.given, self.classes, self.lent, excused).text()

    def compiled(self) -> Callable[..., Any]:
        shared = None if self.lent else self.shared()
        return python_function((shared or self).machine_code(self), self.otherwise)

    def machine_code(self, user: ArrayKernel) -> int:
        """Returns the address of the machine code, which a kernel uses: it holds it."""
        from autograph.runtime.native.compiler import compile_module
        with self._compiling:
            if self._module is None:
                self._module = compile_module(self.llvm, passes="none")
        user.held = None if user is self else self
        return self._module[1]

    def otherwise(self, *values: Any) -> Any:
        """Calls the kernel with other arrays where these are not as it takes them."""
        extent = extent_of(self.nest.shape)
        most = COPIED * extent.each
        if extent.open:
            most *= max((x.size for x in values if type(x) is np.ndarray), default=0)
        taken = [_as_taken(x, min(most, limit)) if cls is None and type(x) is np.ndarray else x
                 for x, cls, limit in zip(values, self.classes, self.limits, strict=False)]
        if not any(x is not y for x, y in zip(values, taken, strict=False)) or self._code is None:
            return None
        return self._code(*taken, *values[len(taken):])


def _as_taken(x: Any, most: int) -> Any:
    """Returns an array of NumPy's own dtype, of which there is one object; a copied or unpickled
    array has another. One in parts, of at most so many elements, is copied, where NumPy's loops
    give the same from a copy.

    With negative steps they give other bits: some functions have vector code for positive ones.
    With steps of 0, too: `np.power` squares where it finds one exponent for all.
    """
    own = known_dtype(x.dtype)
    if x.dtype is not own and x.dtype.isnative and x.dtype.metadata is None:
        x = x.view(own)
    copied = not x.flags.c_contiguous and (
        x.size <= most and in_c_order(x) and min(x.strides) > 0)
    return np.ascontiguousarray(x) if copied else x


def _shape(v: Value) -> Shape | None:
    """Returns the shape of an array; None for a number."""
    if isinstance(v.type, ArrayType) and not v.type.scalar:
        return v.type.shape
    return None


def _class(v: Value) -> type | None:
    """Returns the class of a number; None for an array."""
    if isinstance(v.type, PyType):
        return v.type.cls
    assert isinstance(v.type, ArrayType) and v.type.dtype is not None
    return v.type.dtype.type if v.type.scalar else None

