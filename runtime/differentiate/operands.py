"""Operands that are given by name, where a rule knows them by position."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from autograph.runtime.differentiate.activity import may_vary
from autograph.runtime.ir.graph import Equation, Value

BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@cache
def parameters_of(kernel: Callable[..., Any]) -> Mapping[str, Any]:
    """Returns the positional parameters of a kernel, with their defaults; none if it has no
    signature."""
    try:
        found = inspect.signature(kernel).parameters
    except ValueError:
        return {}
    return {name: p.default for name, p in found.items() if p.kind in BY_POSITION}


def in_order(e: Equation, wanted: Callable[[Any], bool]) -> Equation:
    """Returns an equation whose wanted operands are at their positions, as far as the kernel has
    parameters for them; its results are the same."""
    parameters = parameters_of(e.op.kernel)
    order = list(parameters)
    named = [order.index(k) for k, x in e.kwargs.items() if k in parameters and wanted(x)]
    if not named:
        return e
    args, kwargs = list(e.args), dict(e.kwargs)
    args += [kwargs.pop(name, parameters[name]) for name in order[len(args):max(named) + 1]]
    return Equation(e.op, tuple(args), kwargs, e.outputs, e.regions, e.location, e.settings)


def holds_floats(nest: Any) -> bool:
    """Returns True for a list with a float, or an array of them, that only the run knows: to a rule
    it is an array, though it be a constant to the derivative."""
    return isinstance(nest, (list, tuple)) and any(
        may_vary(x.type) if isinstance(x, Value) else holds_floats(x) for x in nest)
