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
    scipy_linalg,
    selection,
    shape,
    sorting,
    special_functions,
    structures,
)
from autograph.runtime.ops.derivatives import Derivative

MODULES: tuple[ModuleType, ...] = (
    creation, elementwise, fft, linalg, numpy_functions, polynomials, products, python,
    python_math, quantiles, random, reduction, scipy_linalg, selection, shape, sorting,
    special_functions, structures,
)


def _joined() -> dict[str, Derivative]:
    found: dict[str, Derivative] = {}
    for module in MODULES:
        twice = found.keys() & module.RULES.keys()
        assert not twice, f"two rules for {sorted(twice)}"
        found.update(module.RULES)
    return found


RULES = _joined()


def rule_of(name: str) -> Derivative | None:
    """Returns the rule of a function by its full name; SciPy's modules may be private ones.

    >>> rule_of("scipy.linalg._basic.inv") is RULES["scipy.linalg.inv"]
    True
    """
    return RULES.get(name) or RULES.get(public_name(name))


def public_name(name: str) -> str:
    """Returns the name under which a library shows a function of a private module."""
    return ".".join(part for part in name.split(".") if not part.startswith("_"))
