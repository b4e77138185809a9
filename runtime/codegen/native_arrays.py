"""Native arrays: a call of a group's kernel, and the group itself where the kernel cannot run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from autograph.runtime.codegen.native_loops import NativeLoops
from autograph.runtime.ir.graph import Equation, Graph, Value, graphs_in
from autograph.runtime.kernels.buffer_pool import BUFFERS
from autograph.runtime.lower.fusion_groups import is_movable
from autograph.runtime.native.array_groups import ArrayGroup
from autograph.runtime.native.array_kernel import ArrayKernel
from autograph.runtime.native.numpy_api import is_known

WORTH = 2
"""Equations that are worth the call of a kernel."""


@dataclass
class NativeGroup:
    """A group that is worth a kernel, and the values of it that others use."""

    group: ArrayGroup
    results: list[Value]


def move_views_before_groups(graph: Graph) -> None:
    """Puts the equations of each group of a graph, of its regions and of what it calls, next to
    each other: views between them that do not depend on the group come before it."""
    for region in (*graphs_in(graph), *(r for e in graph.walk() for r in e.regions)):
        ordered = in_groups(region.equations)[0]
        while ordered != region.equations:
            region.equations = ordered
            ordered = in_groups(ordered)[0]


def in_groups(equations: list[Equation]) -> tuple[list[Equation], list[ArrayGroup]]:
    """Returns the equations, those of a group next to each other, and the groups."""
    ordered: list[Equation] = []
    groups: list[ArrayGroup] = []
    group = ArrayGroup()
    for e in equations:
        if group.takes(e):
            continue
        if group.equations and is_movable(e) and group.registers.keys().isdisjoint(e.inputs):
            ordered.append(e)
            continue
        ordered += group.equations
        groups.append(group)
        group = ArrayGroup()
        if not group.takes(e):
            ordered.append(e)
    return ordered + group.equations, [*groups, group]


class NativeArrays(NativeLoops):
    """Writes groups of equations on whole arrays that have a loop nest."""

    def native_groups(self, graph: Graph) -> dict[Equation, NativeGroup]:
        """Returns the groups that are worth a kernel by their first equations."""
        if not self.is_native or self.checked is not None or self.lists is not None or (
                not is_known()):
            return {}
        found = {}
        for group in in_groups(graph.equations)[1]:
            if (results := self.results_of(group)):
                found[group.equations[0]] = NativeGroup(group, results)
        return found

    def results_of(self, group: ArrayGroup) -> list[Value]:
        """Returns the values of a group that others use; none if it is not worth a kernel."""
        if len(group.equations) < WORTH:
            return []
        inside = Counter(v for e in group.equations for v in e.inputs)
        return [v for v in group.registers if self.uses[v] > inside[v]]

    def native_group(self, native: NativeGroup) -> None:
        """Writes `native = kernel(x, y)`, and the group for `native is None`."""
        run, results = native.group.equations, native.results
        inputs = list(native.group.inputs)
        kernel = ArrayKernel(native.group.nest(results), inputs)
        name, found = self.constant(kernel, "kernel"), self.fresh("native", False)
        self.flush()  # the kernel and what runs without it have the same inputs
        given = [self.nest(v) for v in inputs]
        if kernel.lent:
            take = self.constant(BUFFERS.take, "take")
            given += [f"{take}({self.nest(shape)}, {self.nest(r.dtype)})"
                      for r, shape in kernel.nest.outputs if shape is not None]
        self.line(f"{found} = {name}({', '.join(given)})", run[0].location)
        self.line(f"if {found} is None:  # as NumPy does it", run[0].location)
        self.depth += 1
        self.is_native = False
        self.block(Graph("", (), run, tuple(results)))
        self.flush()
        self.is_native = True
        self.depth -= 1
        self.line("else:", run[0].location)
        targets = ", ".join(self.names[v] for v in results)
        self.line(f"    {targets} = {found}", run[0].location)
