"""Native arrays: a call of a group's kernel, and the group itself where the kernel cannot run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from autograph.runtime.codegen.native_loops import NativeLoops
from autograph.runtime.ir.graph import Equation, Graph, Value
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


class NativeArrays(NativeLoops):
    """Writes groups of equations on whole arrays that have a loop nest."""

    def native_groups(self, equations: list[Equation]
                      ) -> tuple[list[Equation], dict[Equation, NativeGroup]]:
        """Returns the equations, those of a group next to each other, and the groups by their first
        equations."""
        if not self.is_native or self.checked is not None or self.lists is not None or (
                not is_known()):
            return equations, {}
        ordered: list[Equation] = []
        found: dict[Equation, NativeGroup] = {}
        group = ArrayGroup()
        for e in equations:
            if group.takes(e):
                continue
            if group.equations and is_movable(e) and group.registers.keys().isdisjoint(e.inputs):
                ordered.append(e)
                continue
            self.close(group, ordered, found)
            group = ArrayGroup()
            if not group.takes(e):
                ordered.append(e)
        self.close(group, ordered, found)
        return ordered, found

    def close(self, group: ArrayGroup, ordered: list[Equation],
              found: dict[Equation, NativeGroup]) -> None:
        run = group.equations
        ordered += run
        if len(run) < WORTH:
            return
        inside = Counter(v for e in run for v in e.inputs)
        results = [v for v in group.registers if self.uses[v] > inside[v]]
        if results:
            found[run[0]] = NativeGroup(group, results)

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
