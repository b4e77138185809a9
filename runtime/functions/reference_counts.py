"""Tells from reference counts whether something outside a graph holds a part of its trace.

The idea is that of the cycle collector: of each object that the graph leads to, the references from
within are subtracted from all that Python counts. Where some are left, somebody else holds it.
"""

from __future__ import annotations

import gc
import sys
from types import CodeType, ModuleType
from typing import Any
from weakref import ref

from autograph.runtime.functions.referrers import GRAPHS, is_scope
from autograph.runtime.ir.graph import Graph

NOT_ENTERED = (type, ModuleType, CodeType)
"""Classes of objects that lead to the whole program; what they hold is held outside the graph."""

OWN = 2
"""References to an object that are of this module: an item of its list, and an argument."""


class Held:
    """The objects that some objects lead to, each with the references to it from among them."""

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self.references: list[int] = []
        self.above: list[list[int]] = []
        self.numbers: dict[int, int] = {}

    def add(self, x: Any) -> int:
        """Returns the number of an object."""
        number = self.numbers.setdefault(id(x), len(self.objects))
        if number == len(self.objects):
            self.objects.append(x)
            self.references.append(0)
            self.above.append([])
        return number

    def enter(self, number: int) -> None:
        """Adds all that an object leads to."""
        pending = [number]
        while pending:
            number = pending.pop()
            for x in gc.get_referents(self.objects[number]):
                if not gc.is_tracked(x) or isinstance(x, NOT_ENTERED) or is_scope(x):
                    continue
                known, below = len(self.objects), self.add(x)
                self.references[below] += 1
                self.above[below].append(number)
                if below == known:
                    pending.append(below)

    def leading_to(self, number: int) -> set[int]:
        """Returns the numbers of the objects that lead to one, and its own."""
        found, pending = {number}, [number]
        while pending:
            more = set(self.above[pending.pop()]) - found
            found |= more
            pending += more
        return found

    def is_held_outside(self, number: int) -> bool:
        """Returns True if there are more references to an object than from among the objects."""
        return sys.getrefcount(self.objects[number]) - OWN > self.references[number]


def is_held_outside(reference: ref[Any], graph: Graph) -> bool:
    """Returns True if something else than a graph leads to an object that lives.

    An object that something holds, and of which C code does not tell the collector, counts as held
    outside the graph.
    """
    held = Held()
    root = held.add(reference())
    if held.objects[root] is None:
        return False
    for number in (root, held.add(graph)):
        held.enter(number)
    return any(held.is_held_outside(number) for number in held.leading_to(root)
               if not type(held.objects[number]).__module__.startswith(GRAPHS))
