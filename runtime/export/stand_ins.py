"""Calls of the function that an op is, with ones for what only the run knows."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.runtime.ir.graph import map_leaves
from autograph.runtime.ops.op import Op

if TYPE_CHECKING:
    from autograph.runtime.export.lowering import Lowering

OPEN = 3
"""The length that stands for an open dimension where a function is called on ones."""


def tried(lw: Lowering, op: Op, args: Any, kwargs: Any, length: int = OPEN) -> Any:
    """Returns what a function gives for ones of such shapes; the error, if it raises."""
    def ones(x: Any) -> Any:
        if not lw.is_symbolic(x):
            return x
        made = np.ones([length if d is None else d for d in x.shape], lw.dtype_of(x))
        return made if isinstance(lw.kind_of_value(x), np.dtype) else made.item()

    args, kwargs = map_leaves(ones, (args, kwargs))
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return op.kernel(*args, **kwargs)
    except Exception as error:
        return error
