"""Symbolic text: the methods of strings and bytes on it, and its form in text that is made while
tracing."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from autograph.runtime.ir.graph import Value, map_leaves
from autograph.runtime.ir.types import DYNAMIC, PyType
from autograph.runtime.ops.op import Op
from autograph.runtime.ops.python import FORMATTED, PERCENT, STR
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import apply, shown

TEXT = PyType(str)


RESULTS: dict[str, type] = {"count": int, "find": int, "rfind": int, "index": int, "rindex": int,
                            "startswith": bool, "endswith": bool, "encode": bytes, "decode": str,
                            "hex": str}
"""Method -> the class of its result, if that is not the text's class."""
SEVERAL = frozenset({"split", "rsplit", "splitlines", "partition", "rpartition"})


@lru_cache(maxsize=128)
def text_method(cls: type[str | bytes], name: str) -> Callable[..., Any]:
    """Returns what records a call of a method of `str` or `bytes`; the first argument is the text.
    """
    made = bool if name.startswith("is") else RESULTS.get(name, cls)
    result = PyType(made) if hasattr(str, name) or made is not cls else DYNAMIC
    if name in SEVERAL:
        result = DYNAMIC
    op = Op(f"{cls.__name__}.{name}", getattr(cls, name), lambda *args, **kwargs: result,
            f"{cls.__name__}.{name}", (), onnx=None, doc=f"`{cls.__name__}.{name}`")
    return lambda *args, **kwargs: apply(op, *args, **kwargs)


def _spelt(value: Value) -> str:
    """Returns the text of a symbolic value; that of symbolic text shows what the text is made
    of."""
    region = trace.current_region()
    while region is not None and value.type == TEXT:
        for e in region.graph.equations:
            if value in e.outputs and e.op in (FORMATTED, PERCENT, STR):
                args = map_leaves(lambda x: _Shown(x) if isinstance(x, Value) else x, e.args)
                return str(_percent(*args) if e.op is PERCENT else (
                    args[0].format(*args[1:]) if e.op is FORMATTED else args[0]))
        region = region.parent
    return shown(value)


FIELD = r"%(?:%|(?P<name>\([^)]*\))?[-+ #0]*\d*(?:\.\d+)?[a-zA-Z])"


def _percent(template: str, values: Any) -> str:
    """Returns `template % values`, in which a symbolic value is shown whatever its field asks for.
    """
    given = iter(values if isinstance(values, tuple) else (values,))

    def field(found: re.Match[str]) -> str:
        name = found["name"] or ""
        if found[0] == "%%":
            return found[0]
        x = values[name[1:-1]] if name else next(given, None)
        return f"%{name}s" if isinstance(x, _Shown) else found[0]

    return str(re.sub(FIELD, field, template) % values)


class _Shown:
    """Shows a symbolic value, whatever the format asks for."""

    def __init__(self, value: Value) -> None:
        self.value = value

    def __format__(self, spec: str) -> str:
        return str(self)

    def __repr__(self) -> str:
        return _spelt(self.value)


TENSOR_METHODS = {
    "__str__": lambda tensor: trace.noted(_spelt(tensor._handle.value), sys._getframe(1))}
"""The methods of Tensor that print it."""
