"""Lowers groups of array operations to calls of kernels; NumPy computes where one cannot run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial

from autograph.runtime.ir.expressions import Call, Name
from autograph.runtime.ir.graph import Equation, Graph, Value, graphs_in
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.statements import Let, Lowered
from autograph.runtime.kernels.buffer_pool import BUFFERS
from autograph.runtime.lower.fusion_groups import is_movable
from autograph.runtime.lower.lowering import NativePart, lower_program
from autograph.runtime.native.array_groups import ArrayGroup
from autograph.runtime.native.array_kernel import ArrayKernel
from autograph.runtime.native.extents import extent_of
from autograph.runtime.native.kept_arrays import keep_in_arrays
from autograph.runtime.native.lowered_loops import NativeLoops
from autograph.runtime.native.numpy_api import is_known
from autograph.runtime.native.outlining import before_runs
from autograph.runtime.native.shared_forms import shared_kernel
from autograph.runtime.native.windows import (
    has_rows_in_one_part,
    may_be_in_parts,
    step_of,
)


def lowered(program: Program, name: str, reserved: frozenset[str] = frozenset()) -> Lowered:
    """Returns the statements of a program, which use none of the `reserved` names; loops and groups
    of array operations that have a native form are calls of kernels."""
    keep_in_arrays(program.graph)
    for graph in blocks(program.graph):
        graph.equations = before_runs(graph.equations)
    if is_known():
        move_views_before_groups(program.graph, program.record.fast_math)
    return lower_program(NativeLowering, program, name, reserved)


WORTH = 2
"""Equations that are worth the call of a kernel."""

SMALL = 10_000
"""Elements up to which one equation is, too, if the function does nothing else: of such a call,
most of the time is NumPy's way to its loop."""


@dataclass
class NativeGroup:
    """A group that is worth a kernel, and the values of it that others use.

    views  the equations of views that others use: they come first.
    """

    group: ArrayGroup
    results: list[Value]
    views: list[Equation]


def move_views_before_groups(graph: Graph, fast: bool) -> None:
    """Puts the equations of each group of a graph, of its regions and of what it calls, next to
    each other: views between them that do not depend on the group come before it."""
    for region in blocks(graph):
        ordered = in_groups(region.equations, fast)[0]
        while ordered != region.equations:
            region.equations = ordered
            ordered = in_groups(ordered, fast)[0]


def blocks(graph: Graph) -> tuple[Graph, ...]:
    """Returns a graph, its regions, and those of what it calls."""
    return (*graphs_in(graph), *(r for e in graph.walk() for r in e.regions))


def in_groups(equations: list[Equation], fast: bool) -> tuple[list[Equation], list[ArrayGroup]]:
    """Returns the equations, those of a group next to each other, and the groups. `fast`: these
    need not give NumPy's bits."""
    ordered: list[Equation] = []
    groups: list[ArrayGroup] = []
    in_parts, in_steps = dict[Value, bool](), dict[Value, int]()
    group = ArrayGroup(in_parts, fast, in_steps)
    for e in equations:
        if may_be_in_parts(e):
            in_parts.update(dict.fromkeys(e.outputs, has_rows_in_one_part(e)))
            if (step := step_of(e)) is not None:
                in_steps[e.outputs[0]] = step
        if group.takes(e):
            continue
        if group.equations and is_movable(e, group.made):
            ordered.append(e)
            continue
        ordered += group.equations
        groups.append(group)
        group = ArrayGroup(in_parts, fast, in_steps)
        if not group.takes(e):
            ordered.append(e)
    return ordered + group.equations, [*groups, group]


def is_all_of(graph: Graph, group: ArrayGroup) -> bool:
    """Returns True for all that a function does, on few elements."""
    extent = extent_of(group.shape)
    return not extent.open and extent.each <= SMALL and len(group.equations) == len(graph.equations)


class NativeLowering(NativeLoops):
    """Makes the statements of a program, with machine code where that is worth a call."""

    def program(self, program: Program) -> Lowered:
        self.fast, self.outermost = program.record.fast_math, program.graph
        return super().program(program)

    def native_parts(self, graph: Graph) -> dict[Equation, NativePart]:
        parts = {}
        loops = self.native_loops(graph, self.breaks.keys())
        in_loops = {e for loop in loops.values() for e in loop.equations}
        for first, group in self.native_groups(graph).items():
            if not in_loops.isdisjoint(group.group.equations):
                continue
            covered = group.group.equations
            inner = {v for e in covered if e not in group.views for v in e.outputs
                     if v not in group.results}
            parts[first] = NativePart(covered, inner, partial(self.native_group, group), True)
        for last, loop in loops.items():
            inner = {v for e in loop.equations for v in e.outputs if v not in loop.outputs}
            parts[last] = NativePart(loop.equations, inner, partial(self.native_loop, loop), False)
        return parts

    def native_groups(self, graph: Graph) -> dict[Equation, NativeGroup]:
        """Returns the groups that are worth a kernel by their first equations."""
        if not self.is_native or self.checked is not None or self.lists is not None or (
                not is_known()):
            return {}
        found = {}
        for group in in_groups(graph.equations, self.fast)[1]:
            used = self.used_of(group)
            results = [v for v in group.registers if v in used]
            if results and (group.operations >= WORTH or group.is_quick()
                            or (graph is self.outermost and is_all_of(graph, group))):
                found[group.equations[0]] = NativeGroup(
                    group, results, views_for(group, used & group.views.keys()))
        return found

    def used_of(self, group: ArrayGroup) -> set[Value]:
        """Returns the values of a group that others use."""
        inside = Counter(v for e in group.equations for v in e.inputs)
        return {v for e in group.equations for v in e.outputs if self.uses[v] > inside[v]}

    def native_group(self, native: NativeGroup) -> None:
        """Makes `native = kernel(x, y)`, and the group for `native is None`."""
        results, start = native.results, native.group.equations[0].location
        run = [e for e in native.group.equations if e not in native.views]
        self.flush()  # the views and the kernel both use what waits for its only use
        if native.views:
            seen = tuple(e.outputs[0] for e in native.views)
            self.block(Graph("", (), native.views, seen))
        inputs = list(native.group.inputs)
        kernel = ArrayKernel(native.group.nest(results), inputs,
                             partial(shared_kernel, native.group, results))
        name, found = self.constant(kernel, "kernel"), Name(self.fresh("native", False))
        self.flush()  # the kernel and what runs without it have the same inputs
        given = [self.nest(v) for v in inputs]
        if kernel.lent:
            take = self.constant(BUFFERS.take, "take")
            given += [Call(take, (self.nest(shape), self.nest(r.dtype)))
                      for r, shape in kernel.nest.outputs if shape is not None]
        otherwise = Graph("", (), run, tuple(results))
        with self.kernel(found, name, tuple(given), otherwise, start):
            self.add(Let(tuple(self.assignable(self.names[v]) for v in results), found), start)


def views_for(group: ArrayGroup, used: set[Value]) -> list[Equation]:
    """Returns the equations of the views that are used, and of those that they are views of."""
    found = []
    for e in reversed(group.equations):
        if e.outputs[0] in used:
            found.append(e)
            used.update(e.inputs)
    return found[::-1]
