"""Results of programs as a target gives them: with the objects that the run selects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.export.alternatives import opposite
from autograph.runtime.export.joins import OneOf
from autograph.runtime.export.lowering import Lowering
from autograph.runtime.ir.frame_state import Captured, Selection
from autograph.runtime.ir.pytree import children


def result_nest(lw: Lowering, nest: Any, leaf: Callable[[Any], Any],
                selected: Callable[[OneOf], Any]) -> Any:
    """Returns a nest of a result with its leaves replaced.

    Args:
      lw: the lowering that has run the graph.
      nest: the result of the program.
      leaf: gives what a value of the graph is, or a constant; an object from outside the function
        is one.
      selected: gives what stands for one of two objects, whose parts are replaced already.
    """
    if isinstance(nest, Captured):
        return leaf(nest.value)
    if isinstance(nest, Selection):
        condition, *sides = nest.parts
        flag = lw.truth(lw.read(condition))
        if not lw.is_symbolic(flag):
            return result_nest(lw, sides[not flag], leaf, selected)
        return selected(OneOf(range(2), [leaf(flag), leaf(opposite(lw, flag))], [
            result_nest(lw, side, leaf, selected) for side in sides]))
    found = children(nest)
    return leaf(nest) if found is None else found[2](
        [result_nest(lw, part, leaf, selected) for part in found[1]])
