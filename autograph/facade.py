"""The façade `import autograph as ag`: the names that `dir` shows, and answers for those of others.

What generated code calls (`ag.and_`, `ag.len`) is there without being listed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import ModuleType
from typing import Any

from autograph.syntax.suggestions import nearest

OPERATORS_FOR_USERS = ("cond", "for_loop", "while_loop")
"""Operators of generated code that users call, too."""
NAMESPACES = ("config", "debugging", "errors", "experimental")
"""Modules that are a part of the façade."""
NOT_LISTED = frozenset({"OPERATORS", "annotations"})

INSTEAD = {
    "gradients": "ag.grad or ag.value_and_grad",
    "jit": "ag.function", "njit": "ag.function", "compile": "ag.function",
    "vectorize": "ag.vectorized_map, or np.vectorize",
    "py_func": "ag.py_function", "pure_callback": "ag.py_function",
    "constant": "a NumPy array: np.array", "convert_to_tensor": "np.asarray", "cast": "x.astype",
    "TensorShape": "a tuple", "placeholder": "ag.TensorSpec", "RaggedTensor": "a list of arrays",
    "Session": "nothing: call the function", "Graph": "f.graph(x) for the graph of a function",
    "switch": "ag.switch_case", "fori_loop": "for: the loop is converted, or ag.for_loop",
    "nn": "NumPy's functions", "math": "NumPy's functions", "keras": "NumPy's functions",
    "linalg": "np.linalg", "random": "np.random", "signal": "np.fft", "strings": "np.char",
    "reduce_sum": "np.sum", "reduce_mean": "np.mean", "reduce_max": "np.max",
    "reduce_min": "np.min", "reduce_prod": "np.prod", "reduce_any": "np.any",
    "reduce_all": "np.all", "concat": "np.concatenate", "matmul": "np.matmul or a @ b",
    "range_": "range", "assert_equal": "ag.debugging.assert_equal",
    "is_tensor": "isinstance(x, ag.Tensor)", "numpy": "import numpy as np",
}
"""Names that users of TensorFlow, JAX and Numba try, and what to use here."""


def public_names(names: Mapping[str, Any], operators: Collection[str]) -> list[str]:
    """Returns the names that users call: all but modules, operators and private names."""
    hidden = {*operators, *NOT_LISTED} - set(OPERATORS_FOR_USERS) - {"print"}
    return sorted(name for name, x in names.items() if name == "__version__" or (
        not name.startswith("_") and name not in hidden
        and (name in NAMESPACES or not isinstance(x, ModuleType))))


def missing(name: str, known: Collection[str]) -> AttributeError:
    """Returns the error for a name that the façade does not have: it says what to use."""
    import numpy as np

    text = f"module 'autograph' has no attribute {name!r}"
    if name.startswith("_"):
        return AttributeError(text)
    if name in INSTEAD:
        return AttributeError(f"{text}\n  hint: use {INSTEAD[name]}")
    if hasattr(np, name):
        return AttributeError(f"{text}\n  hint: use NumPy's, np.{name}: it is recorded in graphs")
    if near := nearest(name, known):
        return AttributeError(f"{text}\n  hint: did you mean ag.{near}?")
    return AttributeError(f"{text}\n  hint: dir(ag) lists what there is")
