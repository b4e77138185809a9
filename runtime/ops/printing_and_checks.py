"""Ops of `ag.print` and of the checks of `ag.debugging`."""

from __future__ import annotations

import sys
import warnings
from typing import Any, cast

import numpy as np

from autograph.runtime.ir.errors import CheckError
from autograph.runtime.ir.numpy_settings import ERROR_WORDS
from autograph.runtime.ir.pytree import children
from autograph.runtime.ir.types import PyType
from autograph.runtime.ops.op import Op, define
from autograph.runtime.ops.samples import VECTOR, call
from autograph.runtime.ops.type_rules import fixed

NONE = PyType(type(None))


def show_value(x: Any, summarize: int = 3, inside: bool = False) -> str:
    """A value as `ag.print` writes it; of a long array the first and last items.

    >>> show_value({"a": (np.arange(9), "text", 1.5)}, summarize=2)
    "{'a': ([0 1 ... 7 8], 'text', 1.5)}"
    """
    if isinstance(x, np.ndarray):
        limit = x.size if summarize < 0 else 0
        return np.array2string(x, threshold=limit, edgeitems=max(summarize, 0),
                               max_line_width=sys.maxsize)
    if isinstance(x, np.generic) or children(x) is None:
        return repr(x) if inside and type(x) in (str, bytes) else str(x)
    parts = [show_value(c, summarize, True) for c in children(x)[1]]  # type: ignore[index]
    if isinstance(x, dict):
        return "{" + ", ".join(f"{k!r}: {v}" for k, v in zip(x, parts, strict=True)) + "}"
    if isinstance(x, list):
        return f"[{', '.join(parts)}]"
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def print_values(*values: Any, sep: str = " ", end: str = "\n", output_stream: Any = None,
                 summarize: int = 3) -> None:
    """Writes values to a stream, to a file (`"file://…"`), or calls a function with the text."""
    text = sep.join(show_value(v, summarize) for v in values)
    if isinstance(output_stream, str):
        with open(output_stream.removeprefix("file://"), "a", encoding="utf-8") as file:
            file.write(text + end)
    elif callable(output_stream):
        output_stream(text)
    else:
        print(text, end=end, file=output_stream)


def check_(holds: Any, message: str, *data: Any, summarize: int = 3) -> None:
    """Raises CheckError unless `holds` is true (everywhere, if it is an array)."""
    if not np.all(holds):
        shown = "".join(f"\n  {show_value(d, summarize)}" for d in data)
        raise CheckError(f"{message}{shown}")


def floating_point_error(kind: str, message: str) -> None:
    """Tells of an error of floating point, as NumPy does under its settings of the moment.

    Args:
      kind: "divide", "over", "under" or "invalid".
      message: NumPy's words: "divide by zero encountered in log".

    Raises:
      FloatingPointError: the settings say so.
    """
    how, call = dict(np.geterr())[kind], cast(Any, np.geterrcall())
    if how == "raise":
        raise FloatingPointError(message)
    if how == "warn":
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    elif how == "print":
        print(f"Warning: {message}", file=sys.stderr)
    elif how == "log":
        call.write(f"Warning: {message}\n")
    elif how == "call":
        call(ERROR_WORDS[kind], 1 << [*ERROR_WORDS].index(kind))


define(Op("print_values", print_values, fixed(NONE), "", (call("x", VECTOR, end=""),),
          onnx=None, effect="print", roles=(("output_stream", "stream"),), doc="`ag.print(…)`"))
define(Op("check_", check_, fixed(NONE), "", (call(True, "never"), call(VECTOR > 0, "never", 1)),
          onnx=None, effect="raise", doc="raises CheckError unless its argument holds"))
define(Op("floating_point_error", floating_point_error, fixed(NONE), "",
          (call("under", "underflow encountered in exp"),), onnx=None, effect="raise",
          doc="tells of an error that NumPy found while the function was traced"))
