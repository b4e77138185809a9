"""The op table: every operation once, with all that is known about it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ops import (
    adjoints,
    attributes,
    container_values,
    control,
    creation,
    elementwise,
    fft,
    indexing,
    kept_values,
    linalg,
    printing_and_checks,
    products,
    python,
    python_objects,
    random,
    reduction,
    selection,
    shape,
    sorting,
    state,
    stores,
    summed_items,
    views,
)
from autograph.runtime.ops.derivatives import KERNELS as _KERNELS
from autograph.runtime.ops.indexing import is_basic_index as is_basic_index
from autograph.runtime.ops.op import OPS as OPS
from autograph.runtime.ops.op import Op as Op
from autograph.runtime.ops.opaque import opaque as opaque
from autograph.runtime.ops.opaque import pure as pure
from autograph.runtime.ops.ufunc_methods import ufunc_method as ufunc_method

FAMILIES = (
    attributes,
    control,
    creation,
    random,
    elementwise,
    fft,
    indexing,
    products,
    linalg,
    python_objects,
    printing_and_checks,
    python,
    reduction,
    selection,
    shape,
    sorting,
    state,
    stores,
    views,
    adjoints,
    kept_values,
    container_values,
    summed_items,
)
"""The modules that hold the records, in the order of the table."""

ALIASES: dict[Callable[..., Any], str] = {
    np.amax: "max", np.amin: "min", np.around: "round", np.linalg.matmul: "np.matmul",
}
"""NumPy functions that are another one under a second name."""


def _is_numpy(fn: Callable[..., Any]) -> bool:
    return isinstance(fn, np.ufunc) or (getattr(fn, "__module__", "") or "").startswith("numpy")


by_function: dict[Callable[..., Any], Op] = {
    op.kernel: op for op in OPS.values() if _is_numpy(op.kernel)}
by_function.update((fn, OPS[name]) for fn, name in ALIASES.items())
by_function.update((fn, OPS[name]) for name, fn in _KERNELS.items())
"""NumPy's function or ufunc object -> its op."""
