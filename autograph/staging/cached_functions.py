"""Functions of `functools.lru_cache` and `functools.cache` while a function is traced."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from autograph.runtime.heap.rebuilt_functions import uses_symbols
from autograph.runtime.ir.closures import bound_cells
from autograph.runtime.ir.types import ArrayType, has_memory
from autograph.runtime.ops import opaque
from autograph.runtime.replacements.functions import symbolic
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply

Fn = Callable[..., Any]

_MEMO = "__ag_results__"
"""The attribute of a cached function that holds what it gave while a function was traced."""


def called_cached(function: Any, converted: Callable[[], Fn], args: tuple[Any, ...],
                  kwargs: Mapping[str, Any]) -> Any:
    """Call a cached function. With symbolic arguments the graph calls it, cache and all; one that
    uses symbolic values of the function around it is traced, once for each set of arguments."""
    given = dict(kwargs)
    if not _uses_symbols(function, set()):
        return apply(opaque(function), *args, **given) if symbolic(args, given) else (
            function(*args, **given))
    if symbolic(args, given):
        _refuse_arrays((*args, *given.values()))
        return converted()(*args, **given)
    region = trace.current_region()
    key = functools._make_key(args, given, True)
    memo = function.__dict__.setdefault(_MEMO, {})
    held, result = memo.get(key, (None, None))
    if held is None or held is not region:  # what one branch computes is unknown in another
        result = converted()(*args, **given)
        memo[key] = region, result
    return result


def _refuse_arrays(values: tuple[Any, ...]) -> None:
    """Raises what a cache does that is asked about an array."""
    for x in values:
        if isinstance(x, Tensor) and isinstance(x.type, ArrayType) and has_memory(x.type):
            hash(x)


def _uses_symbols(function: Any, seen: set[int]) -> bool:
    """Returns True if a cached function, or one that it calls, uses symbolic values."""
    if id(function) in seen:
        return False
    seen.add(id(function))
    inner = function.__wrapped__
    cells = [cell.cell_contents for _, cell in bound_cells(inner)]
    return any(_uses_symbols(x, seen) for x in cells if isinstance(
        x, functools._lru_cache_wrapper)) or uses_symbols(inner, set())
