"""How a NumPy function becomes an op: its record, made from the function itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ops.op import Op, Sample, define

MODULES = (("", np), ("linalg.", np.linalg), ("fft.", np.fft))


def numpy_op(fn: Callable[..., Any], infer: Callable[..., Any], *samples: Sample,
             onnx: str | None = None, view: bool = False, **traits: Any) -> Op:
    """Enters a NumPy function into the table, under the name that users call it by without `np.`.

    All but views only read their operands.
    """
    name = function_name(fn)
    return define(Op(name, fn, infer, f"np.{name}", samples, onnx=onnx, view=view,
                     reads_only=not view, doc=f"NumPy's `{name}`", **traits))


def function_name(fn: Callable[..., Any]) -> str:
    """`sum`, `linalg.norm`: the path of a NumPy function below `np`.

    >>> function_name(np.linalg.norm)
    'linalg.norm'
    """
    name: str = fn.__name__
    return next(prefix + name for prefix, module in MODULES if getattr(module, name, None) is fn)
