"""How a NumPy function becomes an op: its record, made from the function itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ops.op import Op, Sample, define

MODULES = (("", np), ("linalg.", np.linalg), ("fft.", np.fft))


def numpy_op(fn: Callable[..., Any], infer: Callable[..., Any], *samples: Sample,
             onnx: str | None = None, view: bool = False, holds_operands: bool = False,
             **traits: Any) -> Op:
    """Enters a NumPy function into the table, under the name that users call it by without `np.`.

    All but views, and what may be an operand, only read their operands: their results are new.
    """
    name, new = function_name(fn), not (view or holds_operands)
    return define(Op(name, fn, infer, f"np.{name}", samples, onnx=onnx, view=view,
                     holds_operands=holds_operands, reads_only=new, doc=f"NumPy's `{name}`",
                     **{"fresh": new, **traits}))


def function_name(fn: Callable[..., Any]) -> str:
    """`sum`, `linalg.norm`: the path of a NumPy function below `np`.

    >>> function_name(np.linalg.norm)
    'linalg.norm'
    """
    name: str = fn.__name__
    return next(prefix + name for prefix, module in MODULES if getattr(module, name, None) is fn)
