"""Stacks inside native loops: rooms that double, with as many items as were put there.

A stack that grows is the end of its room, and memory of the kernel says where it begins and how
long it is. When it is put on another stack, these two words are; the next one begins behind it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph.runtime.ir.graph import Atom, Equation, Value
from autograph.runtime.native.builder import Builder
from autograph.runtime.native.cells import Cells
from autograph.runtime.native.inference import NativeLoop
from autograph.runtime.native.kinds import INT, Item, Nothing, Number, Stack, Steps
from autograph.runtime.native.llvm_ir import BIT, BYTE, I64, POINTER, Function, word
from autograph.runtime.native.llvm_values import Extent, Progression, Register
from autograph.runtime.native.stack_rules import items_of_stacks
from autograph.runtime.native.symbols import library
from autograph.runtime.ops.kept_values import NEW_STACK, PUSH, STACK_LENGTH

WORD = 8
"""Bytes of each part of a range, of a stack, and of a number's flag."""

FIRST = 1024
"""Bytes of a stack's first room."""


class Stacks(Cells):
    """Writes operations on stacks; a base of the printer.

    growing  where the start and the length of each stack are, by the value whose memory it has.
    items    the kinds of what is put on them.
    inner    those that are put on others.
    """

    native: NativeLoop

    def __init__(self) -> None:
        super().__init__()
        self.growing: dict[Value, Extent] = {}
        self.items: dict[Value, Item] = {}
        self.inner: set[Value] = set()

    def enter_stacks(self) -> None:
        """Gives each stack of the loop its words, and finds what is put there."""
        equations = list(self.native.graph.walk())
        self.items = items_of_stacks(equations, self.native.kinds)
        self.inner = {x.memory for x in self.items.values() if isinstance(x, Stack)}
        for e in equations:
            if e.op is NEW_STACK:
                words = Extent(self.i.stack(I64), self.i.stack(I64))
                self.i.entry_builder.store(word(0), words.start)
                self.i.entry_builder.store(word(0), words.length)
                self.growing[e.outputs[0]] = words

    def on_stacks(self, e: Equation) -> None:
        out = e.outputs[0]
        kind = self.kind_of(out if e.op is NEW_STACK else e.args[0])
        assert isinstance(kind, Stack)
        if e.op is NEW_STACK:
            self.begin(kind.memory)
        elif e.op is PUSH:
            self.push(kind.memory, e.args[1])
        elif e.op is STACK_LENGTH:
            self.values[out] = Register(self.words_of(kind, e.args[0]).length)
        else:
            words = self.words_of(kind, e.args[0])
            self.values[out] = self.kept_at(kind.memory, words, self.as_type(e.args[1], INT))
        if e.op in (NEW_STACK, PUSH):
            self.values[out] = None  # its words say it

    def begin(self, memory: Value) -> None:
        """Begins a stack: anew, or behind the one that was put on another."""
        words = self.growing[memory]
        if memory in self.inner:
            found = self.loaded(words)
            self.i.builder.store(self.i.builder.add(found.start, found.length), words.start)
        self.i.builder.store(word(0), words.length)

    def words_of(self, kind: Stack, atom: Atom) -> Extent:
        """Returns the start and the length of a stack."""
        if kind.complete:
            words = self.of(atom)
            assert isinstance(words, Extent)
            return words
        return self.loaded(self.growing[kind.memory])

    # -- items -------------------------------------------------------------------------------------

    def size(self, memory: Value) -> int:
        """Returns the bytes of one item; a number that has a flag has it behind."""
        item = self.items[memory]
        if not isinstance(item, Number):
            return WORD * {Nothing: 0, Stack: 2, Steps: 3}[type(item)]
        if len(item.box) == 1 and not item.unbound:
            return item.dtype.itemsize
        return max(item.dtype.itemsize, WORD) + WORD

    def push(self, memory: Value, x: Atom) -> None:
        builder, size, item = self.i.builder, self.size(memory), self.items[memory]
        parts = list(self.parts(x)) if not isinstance(item, Number) else []
        words = self.growing[memory]
        found = self.loaded(words)
        start = builder.mul(builder.add(found.start, found.length), word(size))
        where = self.at(self.with_room(memory, builder.add(start, word(size))), start)
        for k, part in enumerate(parts):
            builder.store(part, self.at(where, word(WORD * k)))
        if isinstance(item, Number):
            register = self.with_bits(x, item)
            self.lanes(1).store(register.value, where, item.dtype)
            if size > item.dtype.itemsize:
                for k, bit in enumerate((register.flag, register.bound)):
                    builder.store(builder.zext(bit, BYTE), self.at(where, word(size - WORD + k)))
        builder.store(builder.add(found.length, word(1)), words.length)

    def parts(self, x: Atom) -> Iterator[Any]:
        """Yields the words of a range, or of a stack."""
        kind = self.kind_of(x)
        if isinstance(kind, Stack):
            words = self.words_of(kind, x)
            yield from (words.start, words.length)
        elif isinstance(kind, Steps):
            steps: Progression = self.of(x)
            yield from (steps.start, steps.stop, steps.step)

    def kept_at(self, memory: Value, words: Extent, k: Any) -> Any:
        """Returns an item; leaves the kernel where there is none."""
        builder, item, size = self.i.builder, self.items[memory], self.size(memory)
        self.i.require(builder.icmp_unsigned("<", k, words.length))
        data = builder.load(self.room(memory), typ=POINTER)
        where = self.at(data, builder.mul(builder.add(words.start, k), word(size)))
        if not isinstance(item, Number):
            parts = [builder.load(self.at(where, word(n)), typ=I64) for n in range(0, size, WORD)]
            return {Nothing: Register, Stack: Extent, Steps: Progression}[type(item)](*parts)
        value = self.lanes(1).load(where, item.dtype)
        if size == item.dtype.itemsize:
            return Register(value)
        bits = [builder.trunc(builder.load(self.at(where, word(size - WORD + k)), typ=BYTE), BIT)
                for k in range(2)]
        return Register(value, *bits)

    # -- rooms -------------------------------------------------------------------------------------

    def with_room(self, memory: Value, size: Any) -> Any:
        """Returns the address of a stack's room, which has so many bytes; leaves the kernel if
        there is no memory."""
        i, builder = self.i, self.i.builder
        cell = self.room(memory)
        more, on = i.block("more"), i.block("on")
        end = builder.load(self.at(cell, word(WORD)), typ=I64)
        builder.cbranch(builder.icmp_unsigned(">", size, end), more, on)
        builder.position_at_end(more)
        made = builder.call(self.doubled(), [cell, size])
        builder.cbranch(builder.icmp_unsigned("!=", builder.ptrtoint(made, I64), word(0)),
                        on, i.fail)
        builder.position_at_end(on)
        return builder.load(cell, typ=POINTER)

    def doubled(self) -> Any:
        """Returns the function that gives a room twice the bytes that are needed, and keeps what is
        in it. Without memory it gives NULL, and the room stays."""
        found = self.i.module.functions.get("doubled")
        if found is not None:
            return found
        made = Function(self.i.module, POINTER, [POINTER, I64], "doubled", "noinline",
                        internal=True)
        cell, size = made.args
        builder = Builder(made.append_basic_block("entry"))
        done, end = made.append_basic_block("done"), made.append_basic_block("end")
        outer, self.i.builder = self.i.builder, builder
        room = builder.add(builder.mul(size, word(2)), word(FIRST))
        moved = self.i.call_address(library("realloc"), POINTER, [
            builder.load(cell, typ=POINTER), room])
        self.i.builder = outer
        builder.cbranch(builder.icmp_unsigned(
            "!=", builder.ptrtoint(moved, I64), word(0)), done, end)
        builder.position_at_end(done)
        builder.store(moved, cell)
        builder.store(room, builder.at(cell, word(WORD)))
        builder.branch(end)
        builder.position_at_end(end)
        builder.ret(moved)
        return made
