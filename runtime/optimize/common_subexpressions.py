"""Common subexpressions: equal equations are computed once."""

from __future__ import annotations

from collections.abc import Hashable
from types import FunctionType
from typing import Any

import numpy as np

from autograph.libraries import is_library
from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Equation, Graph, Nest, Value
from autograph.runtime.optimize.effects_and_exceptions import is_total
from autograph.runtime.optimize.uses import Asking, is_number


def merge_common_subexpressions(graph: Graph, record: Record) -> None:
    """Merges pure equations with the same op and arguments, in a graph and across its regions.

    Two arrays that the graph or a region hands out, or that a list holds, stay two: one could tell
    them from one by writing to it. Where one of the merged values is updated in place later, the
    in-place analysis sees the other's uses and copies.
    """
    _Merger(record, graph).visit(graph)


class _Merger(Asking):
    """Keeps the values that are in scope by the keys of their equations, the innermost last."""

    def __init__(self, record: Record, graph: Graph) -> None:
        super().__init__(record, graph)
        self.known: dict[Hashable, tuple[Value, ...]] = {}
        self.handed_out: set[Value] = set()  # values that stand for others, which are handed out

    def region(self, e: Equation, region: Graph) -> None:
        outside = len(self.known)
        self.visit(region)
        while len(self.known) > outside:
            self.known.popitem()

    def after(self, e: Equation) -> list[Equation] | None:
        key = _key(e)
        if key is None or (self.record.exact and not is_total(e)):
            return None
        first = self.known.setdefault(key, e.outputs)
        if first is e.outputs or not all(
                self.may_be_one(x, value, e.op.cheap)
                for x, value in zip(first, e.outputs, strict=True)):
            return None
        self.record.note(merge_common_subexpressions, e, first[0])
        self.record.renamed.update(zip(e.outputs, first, strict=True))
        return []

    def may_be_one(self, first: Value, value: Value, cheap: bool) -> bool:
        """Returns True if nothing can tell two equal arrays from one, and one is cheaper."""
        uses = self.uses
        if is_number(value) or uses.is_transient(value):
            return True
        if cheap:
            return False
        if uses.is_private(value):
            return True
        may_be = uses.is_private(first) and first not in self.handed_out
        self.handed_out.add(first)
        return may_be


def _key(equation: Equation) -> Hashable | None:
    """Returns a key that equal equations share; None for one that may not be merged."""
    if equation.regions or equation.op.effect or equation.pinned or not equation.outputs:
        return None
    try:
        kwargs = frozen(dict(equation.kwargs)) if equation.kwargs else None
        args = tuple([x if x.__class__ is Value else frozen(x) for x in equation.args])
        key = (equation.op.name, args, kwargs, equation.settings)
        hash(key)
    except TypeError:
        return None
    return key


def frozen(nest: Nest) -> Hashable:
    """Returns a nest as a hashable tree in which 1, 1.0 and True, 0.0 and -0.0 differ."""
    cls = type(nest)
    if isinstance(nest, Value):
        return nest
    if isinstance(nest, (tuple, list)):  # the user's `__iter__` is not asked
        kind: Any = tuple if isinstance(nest, tuple) else list
        return (cls, *map(frozen, kind.__iter__(nest)))
    if cls is dict:
        return (dict, *((k, frozen(v)) for k, v in sorted(nest.items())))
    if cls is slice:
        return (slice, frozen(nest.start), frozen(nest.stop), frozen(nest.step))
    if isinstance(nest, np.ndarray):
        raise TypeError("an array is not a key")
    if isinstance(nest, np.generic):
        return (cls, nest.dtype, nest.tobytes())
    if type(cls.__hash__) is FunctionType and not is_library(cls.__module__):
        return (cls, id(nest))  # the user's `__hash__` and `__eq__` are not asked
    return (cls, repr(nest)) if cls in (float, complex) else (cls, nest)
