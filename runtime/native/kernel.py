"""Kernels: a native loop that is compiled when it is worth it, and called with Python's objects."""

from __future__ import annotations

import ctypes
import math
import sys
from typing import TYPE_CHECKING, Any

from autograph.locks import new_lock
from autograph.runtime.kernels.buffer_pool import LARGE
from autograph.runtime.native.array_kernel import python_function
from autograph.runtime.native.call_code import Call, CallCode
from autograph.runtime.native.entry import has_flag
from autograph.runtime.native.inference import NativeLoop
from autograph.runtime.native.kinds import PARTS, Array, Kind, Number
from autograph.runtime.native.numpy_api import is_known
from autograph.runtime.native.trusted import Trusted

if TYPE_CHECKING:
    from autograph.runtime.native.compiler import Passes

C_TYPES: dict[str, Any] = {
    "b1": ctypes.c_bool, "f4": ctypes.c_float, "f8": ctypes.c_double, "i1": ctypes.c_int8,
    "i2": ctypes.c_int16, "i4": ctypes.c_int32, "i8": ctypes.c_int64, "u1": ctypes.c_uint8,
    "u2": ctypes.c_uint16, "u4": ctypes.c_uint32, "u8": ctypes.c_uint64}


class Kernel(Trusted):
    """The machine code of a loop.

    Called with the values of `native.inputs`, it returns the results of the loop; or None where
    the loop has to run in another way: a value is not what its type says, an int does not fit, an
    element is out of bounds, NumPy warns or Python raises. It has then changed nothing.

    There is machine code for arrays in C order without gaps, and for all others, made when they
    come. Python calls the first with the objects themselves, unless results are large.
    """

    def __init__(self, native: NativeLoop) -> None:
        super().__init__()
        self.native = native
        self._general: Call | None = None
        self._engines: list[Any] = []
        self._general_lock = new_lock()

    def general(self, *values: Any) -> tuple[Any, ...] | None:
        """Calls the machine code for arrays of any layout."""
        if self._general is None:
            with self._general_lock:
                self._general = self._general or self._called_by_python(packed=False)
        return self._general(*values)

    @property
    def size(self) -> int:
        """The number of equations."""
        return sum(1 for _ in self.native.graph.walk())

    @property
    def price(self) -> float:
        """About the seconds that it takes to compile it."""
        return 0.02 + 0.002 * self.size

    @property
    def llvm(self) -> str:
        """The LLVM IR of the loop, and of the function of Python's that calls it, if one does."""
        from autograph.runtime.native.to_llvm import loop_and_entry, to_llvm
        return "\n".join(loop_and_entry(self.native)) if self._is_direct() else (
            to_llvm(self.native, packed=True))

    def compiled(self) -> Call:
        from autograph.runtime.native.to_llvm import loop_and_entry
        if not self._is_direct():
            return self._called_by_python(packed=True)
        loop, entry = loop_and_entry(self.native)
        where = self._address(loop, name="loop").to_bytes(8, sys.byteorder)
        return python_function(self._address(entry, "entry"), (self.general, where))

    def _is_direct(self) -> bool:
        """Returns True if Python may call machine code with the objects themselves: it makes the
        arrays of the results, but large ones are taken from those that are free."""
        native = self.native
        sizes = [native.results[k].dtype.itemsize  # type: ignore[union-attr]
                 * math.prod(native.shape_of(native.outputs[k])) for k in native.new_results()]
        return is_known() and max(sizes, default=0) < LARGE

    def _called_by_python(self, packed: bool) -> Call:
        from autograph.runtime.native.to_llvm import to_llvm
        address = self._address(to_llvm(self.native, packed=packed))
        code = CallCode(self.native, self.general if packed else None)
        types = [t for v in self.native.inputs for t in _c_types(self.native.kinds[v])]
        return code.function(ctypes.PYFUNCTYPE(
            ctypes.c_int32, *types, *[ctypes.py_object] * (1 + len(code.new)))(address))

    def _address(self, text: str, passes: Passes | None = None, name: str = "kernel") -> int:
        """Compiles a module; `passes` None: those that a loop needs."""
        from autograph.runtime.native.compiler import compile_module
        reads = any(isinstance(k, Array) for k in self.native.kinds.values())
        engine, address = compile_module(
            text, passes or ("all" if reads and not self.native.in_vectors else "few"), name)
        self._engines.append(engine)
        return address


def _c_types(kind: Kind) -> list[Any]:
    if isinstance(kind, Number):
        part = PARTS.get(kind.dtype, kind.dtype)
        return [C_TYPES[f"{part.kind}{part.itemsize}"]] * (1 + (kind.dtype.kind == "c")) + (
            [ctypes.c_int64] * has_flag(kind))
    return [ctypes.py_object] if isinstance(kind, Array) else [ctypes.c_int64] * 3
