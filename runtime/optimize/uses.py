"""What passes share: walking, renaming, copying, and who uses a value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import (
    Atom,
    Equation,
    Graph,
    PendingWrites,
    Value,
    map_leaves,
    regions_of,
)
from autograph.runtime.ir.pytree import map_nest
from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.ops import by_function

LOOPS = ("while", "for")
PRODUCTS = ("matmul", "np.matmul")

READERS = frozenset({"astype", "matmul", "shape", "ndim", "size", "dim", "len_", "item", "float_",
                     "int_", "complex_", "truth", "not_", "is_none", "flat_item"})
"""Ops beside NumPy's own functions that read an array and keep nothing of it."""

NUMPYS = frozenset(by_function.values())


def rename(e: Equation, record: Record) -> None:
    """Let an equation use what stands for its inputs by now."""
    if record.renamed and any(v in record.renamed for v in e.uses):
        e.args = map_leaves(record.now, e.args)
        e.kwargs = map_leaves(record.now, dict(e.kwargs))
        e.pending_writes = pending_writes_as(record.now, e)
        e.collect_inputs()


def pending_writes_as(now: Callable[[Any], Any], e: Equation) -> PendingWrites | None:
    """Returns an equation's pending writes, its values replaced."""
    writes = e.pending_writes
    return writes and tuple((target, map_nest(now, nest)) for target, nest in writes)


def rename_outputs(graph: Graph, record: Record) -> None:
    if record.renamed:
        graph.outputs = tuple(map(record.now, graph.outputs))


def is_pure(e: Equation) -> bool:
    """Whether an equation without regions has no effect and may run at another place."""
    return not e.regions and not e.op.effect


def is_number(atom: Atom) -> bool:
    """Whether it is certainly a scalar: nothing can be written to it, it has no memory to share."""
    if not isinstance(atom, Value):
        return True
    t = atom.type
    return isinstance(t, PyType) or (isinstance(t, ArrayType) and t.scalar and t.dtype is not None)


def known_shape(atom: Atom) -> tuple[int, ...] | None:
    """The shape of an array value of known dtype, if every dimension is a number."""
    t = atom.type if isinstance(atom, Value) else None
    if not isinstance(t, ArrayType) or not t.is_static or t.shape is None:
        return None
    return tuple(d for d in t.shape if isinstance(d, int))


def dtype_of(atom: Atom) -> np.dtype[Any] | None:
    t = atom.type if isinstance(atom, Value) else None
    return t.dtype if isinstance(t, ArrayType) else None


class Uses:
    """Who uses the values of a graph, its regions included; None stands for a list of outputs."""

    def __init__(self, graph: Graph) -> None:
        self.of: dict[Value, list[Equation | None]] = defaultdict(list)
        self._visit(graph)

    def _visit(self, graph: Graph) -> None:
        for equation in graph.equations:
            for value in equation.inputs:
                self.of[value].append(equation)
            for value in equation.uses[len(equation.inputs):]:
                self.of[value].append(None)
            for region in regions_of(equation):
                self._visit(region)
        for atom in graph.outputs:
            if isinstance(atom, Value):
                self.of[atom].append(None)

    def is_single(self, value: Value) -> bool:
        return len(self.of.get(value, ())) == 1

    def is_transient(self, value: Value) -> bool:
        """Whether the array is only read by ops that keep nothing of it: no one can tell whose
        memory it is."""
        return all(e is not None and reads(e) for e in self.of.get(value, ()))

    def is_private(self, value: Value) -> bool:
        """Whether the array, and every view of it, is only read, or updated by way of a new
        value."""
        return all(e is not None and (reads(e) or bool(e.op.inplace) or (
            e.op.view and all(map(self.is_private, e.outputs)))) for e in self.of.get(value, ()))


def reads(e: Equation) -> bool:
    """Whether an equation keeps nothing of its operands' memory, and changes none of it."""
    if e.op.view or e.op.effect or e.op.inplace or "copy" in e.kwargs:
        return False
    return bool(e.op.elementwise) or e.op in NUMPYS or e.op.name in READERS


def copied(graph: Graph, renamed: Mapping[Value, Atom]) -> tuple[list[Equation], list[Atom]]:
    """The equations of a graph with values of their own, and its outputs; `renamed` says what
    stands for the inputs."""
    now: dict[Value, Atom] = dict(renamed)

    def leaf(x: Any) -> Any:
        return now.get(x, x) if isinstance(x, Value) else x

    def fresh(values: tuple[Value, ...]) -> tuple[Value, ...]:
        made = tuple(Value(v.type, v.hint) for v in values)
        now.update(zip(values, made, strict=True))
        return made

    def region(g: Graph) -> Graph:
        inputs = fresh(g.inputs)
        equations = list(map(equation, g.equations))
        return Graph(g.name, inputs, equations, tuple(map(leaf, g.outputs)))

    def equation(e: Equation) -> Equation:
        args, kwargs = map_leaves(leaf, e.args), map_leaves(leaf, dict(e.kwargs))
        regions = e.regions if e.op.name == "call" else tuple(map(region, e.regions))
        return Equation(e.op, args, kwargs, fresh(e.outputs), regions, e.location, e.errstate,
                        pending_writes_as(leaf, e))

    return list(map(equation, graph.equations)), list(map(leaf, graph.outputs))
