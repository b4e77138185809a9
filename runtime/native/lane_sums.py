"""Sums by lanes: those of a row that are added up in any order, in the loop over its vectors.

For `fast_math=True`. Each lane adds up its own elements; the last vector, which overlaps the one
before, gives only what is new.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.native.builder import Builder
from autograph.runtime.native.forms import on_lanes
from autograph.runtime.native.lanes import Lanes
from autograph.runtime.native.llvm_ir import I64, Block, Phi, Value, vector_of, word
from autograph.runtime.native.loop_nest import Instruction, Register


class LaneSums:
    """Writes the sums of a loop over vectors of some width."""

    def __init__(self, builder: Builder, lanes: Lanes, instructions: list[Instruction]) -> None:
        self.builder, self.lanes, self.instructions = builder, lanes, instructions
        self.phis: list[Phi] = []
        self.made: list[Value] = []
        self.counted: Phi | None = None

    def begin(self, before: Block) -> None:
        """Begins the sums, at the start of the loop's block."""
        for i in self.instructions:
            made = self.builder.phi(self.lanes.type(i.out.dtype))
            made.add_incoming(self.lanes.constant(0, i.out.dtype), before)
            self.phis.append(made)
        if self.instructions and self.lanes.width > 1:
            self.counted = self.builder.phi(I64)
            self.counted.add_incoming(word(0), before)

    def add(self, values: dict[Register, Any], k: Value, following: Value) -> None:
        """Adds the elements from k on that come after those of the vector before."""
        builder, lanes = self.builder, self.lanes
        new = None if self.counted is None else self._are_new(k, self.counted)
        for i, phi in zip(self.instructions, self.phis, strict=True):
            (r,) = i.registers()
            x = values[r]
            if new is not None:
                x = builder.select(new, x, lanes.constant(0, r.dtype))
            made = on_lanes(lanes, np.add, i.out.dtype, phi, x)
            phi.add_incoming(made, builder.block)
            self.made.append(made)
        if self.counted is not None:
            self.counted.add_incoming(following, builder.block)

    def _are_new(self, k: Value, counted: Value) -> Value:
        width, builder = self.lanes.width, self.builder
        t = vector_of(I64, width)
        numbers = ", ".join(f"i64 {n}" for n in range(width))
        known = builder.splat(builder.sub(counted, k), width)
        return builder.icmp_signed("<=", known, Value(t, f"<{numbers}>"))

    def sums(self) -> list[tuple[Instruction, Value]]:
        """Returns the sum of all lanes of each."""
        both = zip(self.instructions, self.made, strict=True)
        return [(i, self._of_lanes(x, i)) for i, x in both]

    def _of_lanes(self, x: Value, i: Instruction) -> Value:
        builder, width = self.builder, self.lanes.width
        while width > 1:
            half = width // 2
            low, high = (builder.shuffled(x, x, list(range(k, k + half))) for k in (0, half))
            lanes = Lanes(self.lanes.module, builder, half, self.lanes.refuse)
            if half == 1:
                low, high = (builder.write(lanes.type(i.out.dtype), f"extractelement {y}, i64 0")
                             for y in (low, high))
            x = on_lanes(lanes, np.add, i.out.dtype, low, high)
            width = half
        return x
