"""Watches a graph run for the first operation that makes an infinity or a NaN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.runtime.interpret.watchers import Watcher
from autograph.runtime.ir.errors import CheckError, at
from autograph.runtime.ir.graph import Equation, Value


class Numerics(Watcher):
    """Raises as soon as an equation gives a float that is not finite."""

    def after(self, equation: Equation, results: Sequence[Any], env: dict[Value, Any]) -> None:
        """Raise CheckError if one of the results has an infinity or a NaN in it."""
        if equation.regions or all(map(is_finite, results)):
            return
        operands = "".join(f"\n  {v.hint or 'operand'} = {env[v]}" for v in equation.inputs)
        raise CheckError(f"{equation.op.name} gave an Inf or NaN{at(equation.location)}{operands}")


def is_finite(x: Any) -> bool:
    """Whether there is no infinity or NaN in an array or a number.

    >>> is_finite(np.array([1, np.inf])), is_finite(1.5), is_finite("text")
    (False, True, True)
    """
    kind = getattr(getattr(x, "dtype", None), "kind", "f" if type(x) in (float, complex) else "")
    return kind not in "fc" or kind == "" or bool(np.isfinite(x).all())
