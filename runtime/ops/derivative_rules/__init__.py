"""The derivative rules of the op table, by op name, one module for each family."""

from __future__ import annotations

from types import ModuleType

from autograph.runtime.ops.derivative_rules import (
    creation,
    elementwise,
    fft,
    linalg,
    numpy_functions,
    polynomials,
    products,
    python,
    python_math,
    quantiles,
    random,
    reduction,
    selection,
    shape,
    sorting,
    special_functions,
    structures,
)
from autograph.runtime.ops.derivatives import Derivative

MODULES: tuple[ModuleType, ...] = (
    creation, elementwise, fft, linalg, numpy_functions, polynomials, products, python,
    python_math, quantiles, random, reduction, selection, shape, sorting, special_functions,
    structures,
)


def _joined() -> dict[str, Derivative]:
    found: dict[str, Derivative] = {}
    for module in MODULES:
        twice = found.keys() & module.RULES.keys()
        assert not twice, f"two rules for {sorted(twice)}"
        found.update(module.RULES)
    return found


RULES = _joined()
