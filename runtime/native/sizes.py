"""How many equations a kernel may have."""

from __future__ import annotations

from collections.abc import Sequence

from autograph.runtime.ir.graph import Equation, Graph
from autograph.runtime.native.kinds import NotNative

MOST = 2000
"""Equations of a kernel at most: LLVM takes seconds for them, and its functions go through tens of
thousands by calling each other, so deeply that the process ends."""


def check_size(equations: Sequence[Equation]) -> None:
    """Checks that equations and those of their regions are not too many for a kernel.

    Raises:
      NotNative: they are.
    """
    if sum(1 for _ in Graph("", (), list(equations), ()).walk()) > MOST:
        raise NotNative(f"more than {MOST} equations", equations[0].location)
