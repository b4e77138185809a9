"""The cotangents of a nest of results, leaf by leaf: as tapes are given them, and hand them on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograph.gradients.taped import TapedArray
from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ir.pytree import children, flatten, parts_beside
from autograph.runtime.ops.kept_values import zero_of


def filled(like: Any, gs: Iterator[Any]) -> Any:
    """Returns the cotangent of a leaf of a result, which may be a list or dict that only the run
    knows."""
    found = children(like)
    if found is None:
        g = next(gs)
        return zero_of(like) if g is None else _boxed(like, g)
    made = [filled(x, gs) for x in found[1]]
    if not isinstance(like, (list, tuple, dict)):
        return zero_of(like)  # or it is refused
    return dict(zip(like, made, strict=True)) if isinstance(like, dict) else made


def _boxed(like: Any, g: Any) -> Any:
    """Returns a cotangent as the array, NumPy scalar or Python number that the result is."""
    if isinstance(g, TapedArray):
        return g
    if isinstance(like, np.ndarray):
        return np.asarray(g, like.dtype)
    return type(like)(g)


def flat_beside(given: Any, target: Any) -> list[Any]:
    """Returns the leaves of the cotangents of a target in the order of its own, dicts by key."""
    parts, inside = parts_beside(given, target), children(target)
    if parts is None and isinstance(target, dict):
        raise NotDifferentiable("output_gradients has another structure than the target")
    if parts is None or inside is None:
        return list(flatten(given))
    return [x for a, b in zip(parts, inside[1], strict=True) for x in flat_beside(a, b)]
