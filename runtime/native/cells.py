"""Cells: memory for what loops carry and branches give, numbers with their boxes and arrays."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from autograph.runtime.ir.graph import Atom, Value
from autograph.runtime.native.builder import known
from autograph.runtime.native.chains import Chains
from autograph.runtime.native.facts import Facts
from autograph.runtime.native.instructions import constant
from autograph.runtime.native.kinds import IN_NUMPY, Array, Nothing, Number, Stack, static_shape
from autograph.runtime.native.llvm_ir import BIT, I64, POINTER, Literal, word
from autograph.runtime.native.llvm_values import ArrayCell, Extent, Memory, NumberCell, Register
from autograph.runtime.native.ranges import Range
from autograph.runtime.native.strict_floats import llvm_type

PARTS = (0, POINTER), (8, I64)
"""Where a room has its address and its size."""


class Cells(Chains):
    """Fills cells and reads them; a base of the printer of loops.

    int_ranges  what is known of ints before they are written.
    assumed     ints that are taken not to be negative where a loop starts; for others, the form
                for arrays of any layout runs.
    facts       what tests tell of them.
    """

    int_ranges: dict[Value, Range]
    assumed: set[Value]
    facts: Facts

    def kind(self, atom: Atom) -> Number:
        kind = self.kind_of(atom)
        assert isinstance(kind, Number)
        return kind

    def flag(self, register: Register, kind: Number) -> Any:
        """Returns the bit that is set if a number's box is NumPy's."""
        if register.flag is not None:
            return register.flag
        return Literal(BIT, int(kind.box == IN_NUMPY))

    def with_bits(self, atom: Atom, wanted: Number) -> Register:
        """Returns a number with all its bits, as a cell takes it; any for an unbound name."""
        kind = self.kind_of(atom)
        if not isinstance(kind, Number):
            assert isinstance(kind, Nothing)
            return Register(constant(0, wanted.dtype), Literal(BIT, 0), Literal(BIT, 0))
        found: Register = self.of(atom)
        bound = Literal(BIT, 1) if found.bound is None else found.bound
        return Register(found.value, self.flag(found, kind), bound)

    def loaded(self, cell: Extent) -> Extent:
        """Returns the words of a stack that are in memory."""
        return Extent(*(self.i.builder.load(x, typ=I64) for x in (cell.start, cell.length)))

    def enter_range(self, v: Value, x: Any) -> None:
        """Notes what is known of an int, of the one that it is in machine code, from here on: it
        may be one from outside a branch, of which this tells nothing there."""
        if v in self.int_ranges:
            self.i.ranges.learn(x, self.int_ranges[v])

    def learn(self, test: Atom, holds: bool) -> None:
        """Notes what a test tells of ints, from here on."""
        for sign, *pair in self.facts.of(test, holds):
            if all(not isinstance(x, Value) or x in self.values for x in pair):
                self.i.ranges.learn_comparison(sign, *(self.of(x).value for x in pair))

    def cells(self, values: tuple[Value, ...]) -> list[Any]:
        """Returns, for each number, memory for its value and its flag; for an array with a room of
        its own that room; for a stack that is read its words; None for what stays where it is."""
        return [self.cell(v) for v in values]

    def cell(self, v: Value) -> Any:
        kind = self.kind_of(v)
        if isinstance(kind, Number):
            flag = self.i.stack(BIT) if len(kind.box) == 2 else None
            bound = self.i.stack(BIT) if kind.unbound else None
            return NumberCell(kind, self.i.stack(llvm_type(kind.dtype)), flag, bound)
        if isinstance(kind, Array) and kind.memory is v:
            shape = static_shape(v) or (None,) * kind.rank
            return ArrayCell(v, tuple(self.i.stack(I64) if n is None else word(n) for n in shape),
                             kind.dtype)
        if isinstance(kind, Stack) and kind.complete:
            return Extent(self.i.stack(I64), self.i.stack(I64))
        return None

    def fill(self, cells: list[Any], atoms: tuple[Atom, ...], made: Container[Value] = ()) -> None:
        """Stores numbers and arrays in cells, all at once; `made`: what nothing else holds."""
        self.fill_arrays([(c, a) for c, a in zip(cells, atoms, strict=True)
                          if isinstance(c, ArrayCell)], made)
        numbers = [(c, self.with_bits(a, c.kind)) for c, a in zip(cells, atoms, strict=True)
                   if isinstance(c, NumberCell)]
        for cell, x in numbers:
            self.i.builder.store(x.value, cell.value)
            for bit, where in ((x.flag, cell.flag), (x.bound, cell.bound)):
                if where is not None:
                    self.i.builder.store(bit, where)
        stacks = [(c, self.of(a)) for c, a in zip(cells, atoms, strict=True) if type(c) is Extent]
        for where, words in stacks:
            self.i.builder.store(words.start, where.start)
            self.i.builder.store(words.length, where.length)

    def fill_arrays(self, given: list[tuple[ArrayCell, Atom]], made: Container[Value]) -> None:
        """Gives arrays to cells: by changing rooms with what is new, or with each other, else by
        copies."""
        moves: list[tuple[ArrayCell, Any, Memory]] = []
        keys = [self.memory_of(atom) for _, atom in given]
        for (cell, atom), key in zip(given, keys, strict=True):
            x: Memory = self.of(atom)
            if key is cell.room:
                continue
            if key not in made or keys.count(key) > 1:
                key = (cell.room, "next")
                if self.products:  # a BLAS gives other bits for other strides
                    self.in_c_order(x)
                x = self.copied(key, x)
            moves.append((cell, key, x))
        self.change_rooms([(cell.room, key) for cell, key, _ in moves])
        for cell, _, x in moves:
            for n, where in zip(x.dims, cell.dims, strict=True):
                if known(where) is None:
                    self.i.builder.store(n, where)
                else:
                    self.i.require(self.i.builder.icmp_signed("==", n, where))

    def change_rooms(self, moves: list[tuple[Any, Any]]) -> None:
        """Gives rooms the memory of others, all at once; these get what nobody has then."""
        builder = self.i.builder
        rooms, keys = [room for room, _ in moves], [key for _, key in moves]
        left = [room for room in rooms if room not in keys]
        moves = [*moves, *zip([key for key in keys if key not in rooms], left, strict=True)]
        found = [[builder.load(self.at(self.room(key), word(offset)), typ=t)
                  for offset, t in PARTS] for _, key in moves]
        for (room, _), parts in zip(moves, found, strict=True):
            for x, (offset, _) in zip(parts, PARTS, strict=True):
                builder.store(x, self.at(self.room(room), word(offset)))

    def memory_of(self, atom: Atom) -> Any:
        """Returns the value whose room holds an array from its start; None for a view."""
        kind = self.kind_of(atom)
        return kind.memory if isinstance(kind, Array) and not kind.view else None

    def read(self, cells: list[Any], values: tuple[Value, ...], atoms: tuple[Atom, ...]) -> None:
        """Enters what the cells hold as `values`; the other arrays are those of `atoms`."""
        for cell, v, atom in zip(cells, values, atoms, strict=True):
            if cell is None:
                self.values[v] = self.of(atom)
                continue
            if isinstance(cell, ArrayCell):
                dims = tuple(self.i.builder.load(n, typ=I64) if known(n) is None else n
                             for n in cell.dims)
                data = self.i.builder.load(self.room(cell.room), typ=POINTER)
                self.values[v] = Memory(data, dims, self.sizes(cell.dtype, dims)[1], cell.dtype)
                continue
            if isinstance(cell, Extent):
                self.values[v] = self.loaded(cell)
                continue
            value = self.i.builder.load(cell.value, typ=llvm_type(cell.kind.dtype))
            self.enter_range(v, value)
            self.values[v] = Register(value, *(
                None if bit is None else self.i.builder.load(bit, typ=BIT)
                for bit in (cell.flag, cell.bound)))
