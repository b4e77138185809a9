"""Writes the Python function that calls a kernel: it checks the values, and boxes the results.

What is known of the loop is written down, so that a call does nothing but what this kernel needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Value
from autograph.runtime.kernels.buffer_pool import BUFFERS, LARGE
from autograph.runtime.kernels.items import may_be_put_back
from autograph.runtime.native.entry import BOX, RESULT, has_flag
from autograph.runtime.native.inference import NativeLoop
from autograph.runtime.native.instructions import GAPS
from autograph.runtime.native.kinds import CLASSES, IN_NUMPY, Array, Kind, Number, fits
from autograph.runtime.native.machine import RAISED, is_excused

Call = Callable[..., "tuple[Any, ...] | None"]


class CallCode:
    """The code of one function, line by line.

    general    takes the values if an array is not as the machine code has them.
    new        the shapes and dtypes of the arrays that are made for results.
    arrays     the names of what the results are that are inputs.
    arguments  what the machine code takes, as Python expressions.
    names      what the code refers to.
    """

    def __init__(self, native: NativeLoop, general: Call | None) -> None:
        self.native = native
        self.general = general
        self.new = [(native.shape_of(native.outputs[k]), kind.dtype)
                    for k in native.new_results() if isinstance(kind := native.results[k], Array)]
        self.names: dict[str, Any] = {
            "ndarray": np.ndarray, "float64": np.float64, "fits": fits, "copied": copied,
            "excused": is_excused, "may_be_put_back": may_be_put_back, "new_array": new_array,
            "words_of": _Words(RESULT * len(native.outputs))}
        self.lines: list[str] = []
        self.arguments: list[str] = []
        self.arrays: dict[Value, str] = {}

    def function(self, run: Callable[..., int]) -> Call:
        """Returns the function; `run` is the machine code."""
        self.names["run"] = run
        values = [f"x{n}" for n in range(len(self.native.inputs))]
        stores: list[str] = []
        for name, v in zip(values, self.native.inputs, strict=True):
            self.arrays[v] = f"copy_{name}" if v in self.native.written else name
            self.read(name, self.native.kinds[v], v in self.native.written)
            if v in self.native.in_place:
                stores.append(f"{name}[...] = copy_{name}")
                self.arrays[v] = name
        for n, (shape, dtype) in enumerate(self.new):
            self.lines.append(f"new{n} = new_array({self.constant(shape)}, {self.constant(dtype)})")
        given = [*self.arguments, "words", *[f"new{n}" for n in range(len(self.new))]]
        results = [self.result(k, kind) for k, kind in enumerate(self.native.results)]
        body = [*self.lines, "pair = words_of()", "words, floats = pair",
                f"status = run({', '.join(given)})",
                f"if status and (status % {1 << RAISED} or not excused(status >> {RAISED})):",
                "    words_of.free.append(pair)",
                *self.otherwise(values), "    return None", *stores,
                f"found = ({''.join(f'{r}, ' for r in results)})", "words_of.free.append(pair)",
                "return found"]
        source = "\n    ".join([f"def call({', '.join(values)}):", *body])
        exec(compile(source, "<call of a kernel>", "exec"), self.names)
        made: Call = self.names["call"]
        return made

    def otherwise(self, values: list[str]) -> list[str]:
        if self.general is None:
            return []
        self.names["general"] = self.general
        return [f"    if status % {1 << RAISED} == {GAPS}:",
                f"        return general({', '.join(values)})"]

    def constant(self, x: Any) -> str:
        name = f"c{len(self.names)}"
        self.names[name] = x
        return name

    def read(self, x: str, kind: Kind, written: bool) -> None:
        """Checks a value, and adds what the machine code takes of it."""
        if isinstance(kind, Array):
            dtype = self.constant(kind.dtype)
            wrong = (f"type({x}) is not ndarray or {x}.dtype != {dtype} or {x}.ndim != {kind.rank} "
                     f"or not {x}.flags.aligned" + f" or not may_be_put_back({x})" * written)
            self.arguments.append(x)
        elif has_flag(kind):
            wrong = f"type({x}) is not float and type({x}) is not float64"
            self.arguments += [f"float({x})", f"type({x}) is float64"]
        elif isinstance(kind, Number):
            cls: Any = kind.dtype.type if kind.box == IN_NUMPY else next(
                c for c, dtype in CLASSES.items() if dtype == kind.dtype)
            wrong = f"type({x}) is not {self.constant(cls)}"
            wrong += f" or not fits({x})" if cls is int else ""
            self.arguments += [f"float({x}.real)", f"float({x}.imag)"] if (
                kind.dtype.kind == "c") else [
                f"{({'f': 'float', 'b': 'bool'}.get(kind.dtype.kind, 'int'))}({x})"]
        else:
            parts = [f"{x}.start", f"{x}.stop", f"{x}.step"]
            wrong = " or ".join([f"type({x}) is not range", *[f"not fits({p})" for p in parts]])
            self.arguments += parts
        self.lines += [f"if {wrong}:", "    return None"]
        if written and isinstance(kind, Array):
            copy = f"copy_{x}"
            self.arguments[-1] = copy
            self.lines.append(f"{copy} = copied({x})" if self.native.on_arrays
                              else f"{copy} = {x}.copy('K')")
            self.lines += [f"if {copy} is None:", "    return None"] * self.native.on_arrays

    def result(self, k: int, kind: Kind) -> str:
        """Returns the k-th result as an expression: of the arguments, or of the words that the
        machine code wrote."""
        if isinstance(kind, Array):
            if kind.memory in self.arrays:
                return self.arrays[kind.memory]
            return f"new{self.native.new_results().index(k)}"
        assert isinstance(kind, Number)
        at = RESULT * k
        word = f"{'floats' if kind.dtype.kind == 'f' else 'words'}[{at}]"
        if kind.dtype.kind == "c":
            word = f"words[{at}:{at + 2}].view({self.constant(kind.dtype)})[0]"
        boxed = word if kind.dtype in (np.float64, np.int64) else (
            f"{self.constant(kind.dtype.type)}({word})")
        plain = next((c for c, dtype in CLASSES.items() if dtype == kind.dtype), None)
        return boxed if plain is None else (
            f"({boxed} if words[{at + BOX}] else {self.constant(plain)}({word}))")


class _Words:
    """Gives the words in which results are written, and the same memory as floats; `free` has those
    that no call uses."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.free: list[tuple[Any, Any]] = []

    def __call__(self) -> tuple[Any, Any]:
        try:
            return self.free.pop()
        except IndexError:
            words = np.empty(self.count, np.int64)
            return words, words.view(np.float64)


def new_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Returns an array for a result; a large one is taken from those that are free."""
    large = dtype.itemsize * math.prod(shape) >= LARGE
    return BUFFERS.take(shape, dtype) if large else np.empty(shape, dtype)


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
