"""Kernels: a native loop that is compiled when it is worth it, and called with Python's objects."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Value
from autograph.runtime.kernels.buffer_pool import BUFFERS
from autograph.runtime.native.array_kernel import GIVES_UP, LARGE
from autograph.runtime.native.inference import NativeLoop
from autograph.runtime.native.kinds import CLASSES, IN_NUMPY, Array, Kind, Number, fits
from autograph.runtime.native.machine import RAISED, is_excused

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
        self._run: Callable[..., int] | None = None
        self._engine: Any = None
        self._lock = Lock()
        self._balance = 0
        self._readers = [_reader(v, native) for v in native.inputs]
        self._results = _results(native)
        self._words = 2 * len(native.loop.results)
        self._new = [(native.shape_of(native.loop.results[k]), kind.dtype)
                     for k in native.new_results() if isinstance(kind := native.results[k], Array)]

    def __call__(self, *values: Any) -> tuple[Any, ...] | None:
        if self._balance < GIVES_UP:
            return None
        results = self.call(*values)
        self._balance += 1 if results is not None else -1
        return results

    def call(self, *values: Any) -> tuple[Any, ...] | None:
        """Calls the machine code."""
        run = self._run or self.compile()
        arguments: list[Any] = []
        for read, x in zip(self._readers, values, strict=True):
            if not read(x, arguments):
                return None
        words = np.empty(self._words, np.int64)
        arguments += [words, *[new_array(shape, dtype) for shape, dtype in self._new]]
        status = run(*arguments)
        if status and (status % (1 << RAISED) or not is_excused(status >> RAISED)):
            return None
        return self._results(arguments, words)

    @property
    def llvm(self) -> str:
        """The LLVM IR of the loop."""
        from autograph.runtime.native.to_llvm import to_llvm
        return to_llvm(self.native)

    def compile(self) -> Callable[..., int]:
        """Compiles the loop, once."""
        with self._lock:
            if self._run is None:
                from autograph.runtime.native.compiler import compile_module
                self._engine, address = compile_module(
                    self.llvm, "few" if self.native.on_arrays else "all")
                types = [t for v in self.native.inputs for t in _c_types(self.native.kinds[v])]
                self._run = ctypes.PYFUNCTYPE(ctypes.c_int32, *types,
                                              *[ctypes.py_object] * (1 + len(self._new)))(address)
            return self._run


def _c_types(kind: Kind) -> list[Any]:
    if isinstance(kind, Number):
        return [C_TYPES[f"{kind.dtype.kind}{kind.dtype.itemsize}"]]
    return [ctypes.py_object] if isinstance(kind, Array) else [ctypes.c_int64] * 3


def new_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Returns an array for a result; a large one is taken from those that are free."""
    large = dtype.itemsize * math.prod(shape) >= LARGE
    return BUFFERS.take(shape, dtype) if large else np.empty(shape, dtype)


Reader = Callable[[Any, list[Any]], bool]
"""Appends what the kernel takes of a value to the arguments; returns False if it can't."""


def _reader(v: Value, native: NativeLoop) -> Reader:
    kind = native.kinds[v]
    if isinstance(kind, Array):
        return _array_reader(kind, v in native.written, native.on_arrays)
    if isinstance(kind, Number):
        return _number_reader(kind)
    return _range_reader


def _array_reader(kind: Array, written: bool, on_arrays: bool) -> Reader:
    def read(x: Any, arguments: list[Any]) -> bool:
        if type(x) is not np.ndarray or x.dtype != kind.dtype or x.ndim != kind.rank or (
                not x.flags.aligned):
            return False
        if written:
            x = x.copy("K") if not on_arrays else copied(x)
        arguments.append(x)
        return x is not None

    return read


def copied(x: Any) -> Any:
    """Returns a copy with the same strides: a BLAS gives other bits for other ones. None if an axis
    goes from the end, or stands still."""
    made = x.copy("K")
    if made.strides == x.strides or not x.size:
        return made
    if min(x.strides) <= 0:
        return None
    size = sum((n - 1) * stride for n, stride in zip(x.shape, x.strides, strict=True)) + x.itemsize
    alike: Any = np.ndarray(x.shape, x.dtype, np.empty(size, np.uint8), strides=x.strides)
    alike[...] = x
    return alike


def _number_reader(kind: Number) -> Reader:
    cls: Any = kind.dtype.type if kind.box == IN_NUMPY else next(
        c for c, dtype in CLASSES.items() if dtype == kind.dtype)
    plain: Any = {"f": float, "b": bool}.get(kind.dtype.kind, int)

    def read(x: Any, arguments: list[Any]) -> bool:
        if type(x) is not cls or (cls is int and not fits(x)):
            return False
        arguments.append(plain(x))
        return True

    return read


def _range_reader(x: Any, arguments: list[Any]) -> bool:
    if type(x) is not range or not all(map(fits, (x.start, x.stop, x.step))):
        return False
    arguments += [x.start, x.stop, x.step]
    return True


def _results(native: NativeLoop) -> Callable[..., tuple[Any, ...]]:
    """Returns a function that gives the results of the loop, in their boxes."""
    positions: dict[Value, int] = {}
    given = 0
    for v in native.inputs:
        positions[v] = given
        given += len(_c_types(native.kinds[v]))
    makers = [_maker(k, kind, native, positions) for k, kind in enumerate(native.results)]

    def results(arguments: list[Any], words: Any) -> tuple[Any, ...]:
        floats = words.view(np.float64)
        return tuple([make(arguments, words, floats) for make in makers])

    return results


def _maker(k: int, kind: Kind, native: NativeLoop, positions: dict[Value, int]) -> Any:
    """Returns what makes the k-th result of the arguments, and of the words that the loop wrote."""
    if isinstance(kind, Array):
        position = positions[kind.memory] if kind.memory in positions else (
            native.new_results().index(k) - len(native.new_results()))
        return lambda arguments, words, floats: arguments[position]
    assert isinstance(kind, Number)
    plain = next((c for c, dtype in CLASSES.items() if dtype == kind.dtype), None)
    boxed, is_float = kind.dtype.type, kind.dtype.kind == "f"

    def make(arguments: Any, words: Any, floats: Any) -> Any:
        number = floats[2 * k] if is_float else words[2 * k]
        return boxed(number) if plain is None or words[2 * k + 1] else plain(number)

    return make

