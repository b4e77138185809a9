"""The users of values, and facts about values that several passes need."""

from __future__ import annotations

import operator
from collections import defaultdict
from typing import Any

import numpy as np

from autograph.locks import cached_property
from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, regions_of
from autograph.runtime.ir.types import ArrayType, PyType, is_container
from autograph.runtime.ir.visitor import Rewriter


def is_number(atom: Atom) -> bool:
    """Returns True for a certain scalar: it has no memory that can be written or shared."""
    if not isinstance(atom, Value):
        return True
    t = atom.type
    return (isinstance(t, PyType) and not is_container(t)) or (
        isinstance(t, ArrayType) and t.scalar and t.dtype is not None)


def known_shape(atom: Atom) -> tuple[int, ...] | None:
    """Returns the shape of an array of known dtype, if every dimension is a number."""
    t = atom.type if isinstance(atom, Value) else None
    if not isinstance(t, ArrayType) or not t.is_static or t.shape is None:
        return None
    return tuple(d for d in t.shape if isinstance(d, int))


def dtype_of(atom: Atom) -> np.dtype[Any] | None:
    t = atom.type if isinstance(atom, Value) else None
    return t.dtype if isinstance(t, ArrayType) else None


TELL_OBJECTS = (operator.is_, id)
"""The kernels whose results depend on which object an operand is."""


class Asking(Rewriter):
    """A pass that may ask for the users of values. They are noted when it first asks, which it does
    before it changes anything."""

    def __init__(self, record: Record, graph: Graph) -> None:
        super().__init__(record)
        self.graph = graph

    @cached_property
    def uses(self) -> Uses:
        return Uses(self.graph)


class Uses:
    """The users of the values of a graph and its regions; None stands for a list of outputs."""

    def __init__(self, graph: Graph) -> None:
        self.of: dict[Value, list[Equation | None]] = defaultdict(list)
        self._visit(graph)

    def _visit(self, graph: Graph) -> None:
        for equation in graph.equations:
            for value in equation.inputs:
                self.of[value].append(equation)
            if equation.uses is not equation.inputs:
                for value in equation.uses[len(equation.inputs):]:
                    self.of[value].append(None)
            if equation.regions:
                for region in regions_of(equation):
                    self._visit(region)
        for atom in graph.outputs:
            if isinstance(atom, Value):
                self.of[atom].append(None)

    def is_single(self, value: Value) -> bool:
        return len(self.of.get(value, ())) == 1

    def is_transient(self, value: Value) -> bool:
        """Returns True if the array is only read by ops that keep nothing of it: then nothing can
        tell whose memory it is."""
        return all(e is not None and reads(e) for e in self.of.get(value, ()))

    def is_only_read(self, value: Value) -> bool:
        """Returns True if the array, and every view of it, is only read by ops that keep nothing of
        it."""
        return all(e is not None and (reads(e) or (
            e.op.view and all(map(self.is_only_read, e.outputs)))) for e in self.of.get(value, ()))

    def is_private(self, value: Value) -> bool:
        """Returns True if the array, and every view of it, is only read, or updated by way of a
        new value."""
        return all(e is not None and (reads(e) or bool(e.op.inplace) or (
            e.op.view and all(map(self.is_private, e.outputs)))) for e in self.of.get(value, ()))


def reads(e: Equation) -> bool:
    """Returns True if an equation keeps nothing of its operands' memory, changes none of it, and
    does not tell which objects they are."""
    return e.op.reads_only and "copy" not in e.kwargs and e.op.kernel not in TELL_OBJECTS
