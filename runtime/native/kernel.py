"""Kernels: a native loop that is compiled when it is worth it, and called with Python's objects."""

from __future__ import annotations

import ctypes
from threading import Lock
from typing import Any

from autograph.runtime.native.array_kernel import GIVES_UP
from autograph.runtime.native.call_code import Call, CallCode
from autograph.runtime.native.inference import NativeLoop
from autograph.runtime.native.kinds import Array, Kind, Number

C_TYPES: dict[str, Any] = {
    "b1": ctypes.c_bool, "f4": ctypes.c_float, "f8": ctypes.c_double, "i1": ctypes.c_int8,
    "i2": ctypes.c_int16, "i4": ctypes.c_int32, "i8": ctypes.c_int64, "u1": ctypes.c_uint8,
    "u2": ctypes.c_uint16, "u4": ctypes.c_uint32}


class Kernel:
    """The machine code of a loop.

    Called with the values of `native.inputs`, it returns the results of the loop; or None where
    the loop has to run in another way: a value is not what its type says, an int does not fit, an
    element is out of bounds, NumPy warns or Python raises. It has then changed nothing.
    """

    def __init__(self, native: NativeLoop) -> None:
        self.native = native
        self._call: Call | None = None
        self._engine: Any = None
        self._lock = Lock()
        self._balance = 0

    def __call__(self, *values: Any) -> tuple[Any, ...] | None:
        if self._balance < GIVES_UP:
            return None
        results = self.call(*values)
        self._balance += 1 if results is not None else -1
        return results

    def call(self, *values: Any) -> tuple[Any, ...] | None:
        """Calls the machine code."""
        return (self._call or self.compile())(*values)

    @property
    def size(self) -> int:
        """The number of equations."""
        return sum(1 for r in self.native.loop.equation.regions for _ in r.walk())

    @property
    def price(self) -> float:
        """About the seconds that it takes to compile it."""
        return 0.02 + 0.002 * self.size

    @property
    def llvm(self) -> str:
        """The LLVM IR of the loop."""
        from autograph.runtime.native.to_llvm import to_llvm
        return to_llvm(self.native)

    def compile(self) -> Call:
        """Compiles the loop, once."""
        with self._lock:
            if self._call is None:
                from autograph.runtime.native.compiler import compile_module
                reads = any(isinstance(k, Array) for k in self.native.kinds.values())
                self._engine, address = compile_module(
                    self.llvm, "all" if reads and not self.native.on_arrays else "few")
                code = CallCode(self.native)
                types = [t for v in self.native.inputs for t in _c_types(self.native.kinds[v])]
                self._call = code.function(ctypes.PYFUNCTYPE(ctypes.c_int32, *types,
                                           *[ctypes.py_object] * (1 + len(code.new)))(address))
            return self._call


def _c_types(kind: Kind) -> list[Any]:
    if isinstance(kind, Number):
        return [C_TYPES[f"{kind.dtype.kind}{kind.dtype.itemsize}"]]
    return [ctypes.py_object] if isinstance(kind, Array) else [ctypes.c_int64] * 3
