"""A run that raises leaves what it was given as it was, whatever holds it."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from autograph.runtime.functions.rollback import undoing
from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.types import DYNAMIC
from autograph.runtime.ops import OPS


class Thing:
    def __init__(self, n):
        self.n, self.items, self.array = n, [n], np.zeros(2)


class Slotted:
    __slots__ = ("array", "items", "n")

    def __init__(self, n):
        self.n, self.items, self.array = n, [n], np.zeros(2)


@dataclass
class Point:
    n: Any
    items: list[Any] = field(default_factory=lambda: [1])
    array: Any = field(default_factory=lambda: np.zeros(2))


def change(held: Any) -> None:
    held[0].n += 1
    held[0].items.append(2)
    held[0].array += 1
    held[0].other = 3 if hasattr(held[0], "__dict__") else None
    held.clear()
    raise ValueError("after all changes")


@pytest.mark.parametrize("made", [Thing, Slotted, Point])
def test_objects_and_what_they_hold_are_restored(made: Any) -> None:
    graph = Graph("f")
    graph.inputs = (Value(DYNAMIC),)
    graph.equations = [Equation(OPS["call_object"], graph.inputs, {}, (Value(DYNAMIC),))]
    program: Any = SimpleNamespace(write_back=[], by_reference=True, graph=graph)
    x = made(1)
    held = [x]
    with pytest.raises((ValueError, AttributeError)):
        undoing(change, program)(held)
    assert held[0] is x
    assert (x.n, x.items, x.array.tolist()) == (1, [1], [0.0, 0.0])
    assert not hasattr(x, "other")
