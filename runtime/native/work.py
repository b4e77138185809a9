"""Work: about how many equations a loop runs, which decides if a kernel pays."""

from __future__ import annotations

from autograph.runtime.ir.graph import Equation, Graph
from autograph.runtime.ir.regions import as_branch, as_loop

UNKNOWN_LENGTH = 100
"""The number of iterations that is supposed where nothing is known."""

PER_CALL = 10
"""So many equations take longer than the call of a kernel: 40 ns each, if they are on numbers."""


def work(e: Equation, unknown: int = UNKNOWN_LENGTH) -> int:
    """Returns about how many equations an equation runs, with those of its regions; `unknown`: the
    iterations of a loop of which nothing is known."""
    if not e.regions:
        return 1
    if (loop := as_loop(e)) is not None:
        length = loop.constant_length
        inside = sum(_work_of(region, unknown) for region in loop.in_order())
        return 1 + inside * (unknown if length is None else length)
    if (branch := as_branch(e)) is not None:
        return 1 + max([_work_of(side, unknown) for _, side in branch.sides()])
    return 1


def _work_of(region: Graph, unknown: int) -> int:
    return sum([work(e, unknown) for e in region.equations])


def pays(*equations: Equation) -> bool:
    """Returns True if equations run long enough to be worth the call of a kernel."""
    return sum(map(work, equations)) >= PER_CALL
