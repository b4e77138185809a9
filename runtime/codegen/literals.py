"""Objects as source: numbers, arrays, functions and classes that a file of its own refers to."""

from __future__ import annotations

import base64
import math
import sys
import types
from typing import Any

import numpy as np

from autograph.libraries import is_python
from autograph.own_attributes import held
from autograph.runtime.codegen.bundle import OURS, Bundle
from autograph.runtime.ir.builtin_names import BUILTINS
from autograph.runtime.ir.constants import plain_text
from autograph.runtime.ir.errors import StandaloneError
from autograph.runtime.ir.undefined import (
    AbsentAttribute,
    ClassAttribute,
    UndefinedGlobal,
    UndefinedValue,
    is_undefined,
)
from autograph.runtime.tensor_methods import ndarray

FEW = 64
"""Elements of an array that is written out as numbers; larger ones are written as bytes."""


class Literals:
    """Finds an expression for every object that generated code refers to by a global name."""

    def __init__(self, user: str) -> None:
        self.user = user
        self.bundle = Bundle()
        self.bundle.imports["import numpy as np"] = None

    def expression(self, x: Any) -> str:
        """Returns an expression for the object in the file.

        Raises:
          StandaloneError: there is none: the object is a function of the user's, say.
        """
        text = self.known(x)
        if text is None:
            raise StandaloneError(
                f"{self.user} uses {describe(x)}, which a file with NumPy alone cannot have\n"
                "  hint: pass what it gives as an argument, or leave it to the caller")
        return text

    def known(self, x: Any) -> str | None:
        """Returns the expression, or None if there is none."""
        if isinstance(x, np.ndarray):
            text = array_text(x)
            if text and "base64." in text:
                self.bundle.imports["import base64"] = None
            return text
        if isinstance(x, np.generic):
            text = self.known(np.asarray(x))
            return text and f"{text}[()]"
        if isinstance(x, slice):
            parts = [self.known(part) for part in (x.start, x.stop, x.step)]
            return None if None in parts else f"slice({', '.join(map(str, parts))})"
        if isinstance(x, np.dtype):
            return dtype_text(x) and f"np.dtype({dtype_text(x)})"
        if is_undefined(x):
            owner = f", {x.owner!r}" if isinstance(x, AbsentAttribute) else ""
            marker = AbsentAttribute if owner else (
                UndefinedGlobal if isinstance(x, UndefinedGlobal) else UndefinedValue)
            if isinstance(x, ClassAttribute):
                value = self.known(x.value)
                return value and f"{self.bundle.add(ClassAttribute)}({x.name!r}{owner}, {value})"
            return f"{self.bundle.add(marker)}({x.name!r}{owner})"
        if isinstance(x, BaseException):
            return self.error(x)
        return number_text(x) or self.definition(x)

    def error(self, x: BaseException) -> str | None:
        cls = self.definition(type(x))
        parts = [number_text(a) for a in x.args]
        return None if cls is None or None in parts else f"{cls}({', '.join(map(str, parts))})"

    def definition(self, x: Any) -> str | None:
        """A function or class that can be imported, or that is ours."""
        owner = held(x, "__self__")
        if isinstance(owner, np.ufunc):
            return f"np.{owner.__name__}.{x.__name__}"
        if isinstance(x, types.MethodDescriptorType):
            cls = self.definition(x.__objclass__)
            return cls and f"{cls}.{x.__name__}"
        module: Any = held(x, "__module__")
        name: str = held(x, "__qualname__", "")
        if module == ndarray.__name__ and name.startswith("ndarray."):  # of arrays and scalars
            return f"(lambda x, *args, **options: x.{x.__name__}(*args, **options))"
        if not name.isidentifier() or not isinstance(module, str):
            plain: str = held(x, "__name__", "")
            return f"np.{plain}" if getattr(np, plain, 0) is x else None
        if BUILTINS.get(name) is x:
            return name
        if getattr(np, name, None) is x:
            return f"np.{name}"
        if getattr(sys.modules.get(module), name, None) is not x:
            return None
        if module.startswith(OURS):
            return self.bundle.add(x)
        public = module.removeprefix("_")  # `_operator` is C for `operator`
        if getattr(sys.modules.get(public), name, None) is x:
            module = public
        if is_python(module):
            self.bundle.imports[f"import {module}"] = None
            return f"{module}.{name}"
        return None


def number_text(x: Any) -> str | None:
    """A number, string or the like as source that gives it back."""
    if type(x) is float and not math.isfinite(x):
        return f"float({str(x)!r})"
    if type(x) in (tuple, list):
        parts = [number_text(item) for item in x]
        comma = "," if len(x) == 1 and type(x) is tuple else ""
        opening, closing = "()" if type(x) is tuple else "[]"
        return None if None in parts else (
            f"{opening}{', '.join(map(str, parts))}{comma}{closing}")
    if type(x) is complex:
        return f"complex({number_text(x.real)}, {number_text(x.imag)})"
    plain = x is None or x is Ellipsis or type(x) in (bool, int, float, str, bytes, range)
    return plain_text(x) if plain else None


def array_text(x: np.ndarray[Any, Any]) -> str | None:
    """An array as source: its numbers, or its bytes; None if it holds objects."""
    kind = dtype_text(x.dtype)
    if kind is None or type(x) is not np.ndarray:
        return None
    if x.flags.f_contiguous and not x.flags.c_contiguous:  # the order matters to BLAS
        return f"{array_text(x.T)}.T"
    if x.size > 1 and x.dtype.kind in "biuf" and x.tobytes() == x.flat[:1].tobytes() * x.size:
        return f"np.full({x.shape}, {number_text(x.flat[0].item())}, {kind})"
    numbers = number_text(x.tolist()) if x.size <= FEW and x.dtype.kind in "biuf" else None
    if numbers and "float(" not in numbers:
        return f"np.array({numbers}, {kind})" + ("" if x.size else f".reshape({x.shape})")
    data = base64.b85encode(np.ascontiguousarray(x).tobytes()).decode()
    return f"np.frombuffer(base64.b85decode({data!r}), {kind}).reshape({x.shape}).copy()"


def dtype_text(x: np.dtype[Any]) -> str | None:
    """Returns the argument of `np.dtype` for a dtype; None if it holds objects or has gaps."""
    kind = x.descr if x.fields else x.str
    return None if x.hasobject or np.dtype(kind) != x else repr(kind)


def describe(x: object) -> str:
    """An object by its name, or its class's.

    >>> describe(max), describe(object())
    ('max', "an object of class 'object'")
    """
    name = held(x, "__qualname__")
    return name if isinstance(name, str) else f"an object of class {type(x).__qualname__!r}"
