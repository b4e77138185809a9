"""Ground: memory for all rooms of a kernel whose size is known, taken once in a call.

So most operations of a program on small arrays ask for no memory: it is on the stack, or from one
`malloc`. Rooms that are exchanged, as those of what loops carry, have memory of their own.
"""

from __future__ import annotations

from typing import Any

from autograph.runtime.ir.graph import Graph, Value
from autograph.runtime.native.common_code import common, grown
from autograph.runtime.native.instructions import Instructions
from autograph.runtime.native.kinds import Array
from autograph.runtime.native.llvm_ir import I64, POINTER, word
from autograph.runtime.native.llvm_ir import Value as Pointer

ROOM_LIMIT, LIMIT = 2 ** 15, 2 ** 18
"""Bytes of a room on the ground at most, and of all of them."""

ON_STACK = 2 ** 13
"""So many bytes are on the stack."""

LINE = 64
"""Rooms begin at multiples of so many bytes."""


class Ground:
    """Gives rooms their offsets.

    address  of the ground.
    moving   what is never given one: values whose rooms may change with others.
    """

    def __init__(self, moving: set[Value]) -> None:
        self.address = Pointer(POINTER, "%ground")
        self.moving = moving
        self.size = 0
        self.offsets: dict[Any, int] = {}

    def take(self, key: Any, size: int | None) -> int | None:
        """Returns where the room of a key begins; None if it has none on the ground."""
        if size is None or size > ROOM_LIMIT or self.size + size > LIMIT or (
                key in self.moving or (type(key) is tuple and key[-1] == "next")):
            return None
        sized = key, size
        if sized not in self.offsets:
            self.offsets[sized] = self.size
            self.size += max(-size // LINE * -LINE, LINE)
        return self.offsets[sized]

    def make(self, i: Instructions, room: Any) -> None:
        """Writes what takes the memory, where a function begins; leaves it if there is none.
        `room` gives where an address is kept in an entry."""
        builder, start = i.entry_builder, i.function.blocks[2]
        if not self.size:
            builder.branch(start)
        elif self.size <= ON_STACK:
            builder.block.lines.insert(
                0, f"{self.address.text} = alloca [{self.size} x i8], align {LINE}")
            builder.branch(start)
        else:
            builder.block.lines.append(
                f"{self.address.text} = call ptr {common(grown).text}({room()}, i64 {self.size})")
            found = builder.ptrtoint(self.address, I64)
            builder.cbranch(builder.icmp_unsigned("!=", found, word(0)), start, i.fail, sure=True)


def moving_in(graph: Graph, kind_of: Any) -> set[Value]:
    """Returns the values whose rooms may change with others: what branches and loops give and take.
    """
    found: set[Value] = set()
    for e in graph.walk():
        for region in e.regions:
            for x in (*e.outputs, *region.inputs, *region.outputs):
                kind = kind_of(x) if isinstance(x, Value) else None
                if isinstance(kind, Array):
                    found |= {kind.memory}
    return found
