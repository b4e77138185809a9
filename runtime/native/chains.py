"""Chains: operations on the elements of arrays inside native loops that run as one loop.

An operation whose result one later operation reads is not done at once: it waits, as a tree over
arrays and numbers, and the later one does it element by element. What waits is done before
anything is stored, before a branch or a loop, and at the end of its region; so it sees the arrays
as they were. Trees of one form share a function, so the code stays small.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from autograph.runtime.ir.graph import Atom, Value
from autograph.runtime.native.array_memory import VECTOR, ArrayMemory
from autograph.runtime.native.builder import constant_of, is_constant, known
from autograph.runtime.native.forms import on_lanes
from autograph.runtime.native.instructions import Instructions
from autograph.runtime.native.kinds import Array
from autograph.runtime.native.lanes import Lanes
from autograph.runtime.native.llvm_ir import (
    BIT,
    BYTE,
    I32,
    I64,
    POINTER,
    STRICT,
    VOID,
    Function,
    Literal,
    integer,
    word,
)
from autograph.runtime.native.llvm_values import Chain, Memory
from autograph.runtime.native.merged_axes import merged
from autograph.runtime.native.symbols import library

FEW_BYTES = 128
"""So many are copied without a call."""

MOST_GIVEN = 24
"""Arrays and numbers of a chain: each is several arguments of a function."""


class Chains(ArrayMemory):
    """Writes chains; a base of the printer of loops.

    uses     the number of equations that use each value.
    waiting  the values whose chains are not done yet, in order.
    """

    def __init__(self) -> None:
        super().__init__()
        self.uses: Counter[Value] = Counter()
        self.waiting: dict[Value, None] = {}
        self.refused: Any = None
        self.functions: dict[Any, tuple[Function, bool]] = {}

    # -- making chains -----------------------------------------------------------------------------

    def chain_of(self, atom: Atom, dtype: np.dtype[Any]) -> Chain:
        """Returns an array, done or not, whose elements are cast; it does not wait any more."""
        kind = self.kind_of(atom)
        assert isinstance(atom, Value) and isinstance(kind, Array)
        self.waiting.pop(atom, None)
        x = self.values[atom]
        found = x if isinstance(x, Chain) else as_chain(x, kind.memory)
        return cast(found, dtype)

    def joined(self, what: Any, dtype: np.dtype[Any], chains: list[Chain], of: np.dtype[Any]
               ) -> Chain:
        """Returns the chain of an operation on chains that have a dtype; it gives elements `of`
        one."""
        given: list[Any] = []
        trees = []
        for chain in chains:
            positions = []
            for x in chain.given:
                known = next((k for k, y in enumerate(given) if y is x), None)
                positions.append(len(given) if known is None else known)
                given += [x] if known is None else []
            trees.append(moved(chain.tree, positions))
        dims = self.broadcast([chain.dims for chain in chains if chain.dims])
        return Chain((what, dtype, *trees), tuple(given), dims, of,
                     frozenset().union(*(chain.memories for chain in chains)))

    def kept(self, v: Value, chain: Chain) -> Memory | Chain:
        """Returns the chain of a value if it may wait, else its elements."""
        if self.uses[v] == 1 and len(chain.given) <= MOST_GIVEN:
            self.waiting[v] = None
            return chain
        return self.done(v, chain)

    def done(self, key: Any, chain: Chain) -> Memory:
        """Returns the elements of a chain in a room of their own."""
        made = self.fresh(key, chain.dtype, chain.dims)
        self.write(chain, made)
        return made

    def do_waiting(self, but: Atom = None) -> None:
        """Does what waits, but for one value, in order."""
        for v in list(self.waiting):
            if v is not but:
                self.of(v)

    # -- elements ----------------------------------------------------------------------------------

    def copied(self, key: Any, x: Memory, dtype: np.dtype[Any] | None = None) -> Memory:
        """Returns an array of the same elements, cast, in a room of its own."""
        return self.done(key, cast(as_chain(x), dtype or x.dtype))

    def assign(self, target: Memory, x: Memory) -> None:
        """Writes `target[...] = x`, cast as NumPy does; they have no memory in common."""
        self.write(as_chain(x), target)

    def fill_with(self, target: Memory, number: Any) -> None:
        if target.dims:
            self.write(one_number(number, target.dtype), target)
        else:
            self.lanes(1).store(number, target.data, target.dtype)

    def write(self, chain: Chain, target: Memory, in_place: bool = False) -> None:
        """Writes `target[...] = chain`; it reads nothing that it writes, or, `in_place`, element by
        element."""
        chain = cast(chain, target.dtype)
        self.not_in_vain(chain.dims, target.dims)
        self.spend(target.dims)
        *given, target = merged([*[self.spread(x, target.dims) if isinstance(x, Memory) else x
                                   for x in chain.given], target])
        if chain.tree == 0 and self.write_bytes(given[0], target):
            return
        function, may_refuse = self.function_of(chain.tree, given, target, in_place)
        found = self.i.builder.call(function, [
            target.data, *target.dims, *target.strides,
            *[a for x in given for a in ((x.data, *x.strides) if isinstance(x, Memory) else (x,))]])
        if may_refuse:
            self.i.require(self.i.builder.icmp_signed("==", found, Literal(I32, 0)))

    def write_bytes(self, x: Any, target: Memory) -> bool:
        """Writes elements that lie in one piece as bytes, if they are copied, or all 0."""
        size, strides = target.dtype.itemsize, target.strides
        if len(strides) > 1 or known(strides[0]) != size:
            return False
        count = self.i.builder.mul(target.dims[0], word(size))
        if isinstance(x, Memory):
            if x.dims[0] is not target.dims[0] or known(x.strides[0]) != size:
                return False
            self.on_bytes("memcpy", target.data, x.data, count)
        elif isinstance(x, Literal) and x.zero:
            self.on_bytes("memset", target.data, Literal(BYTE, 0), count)
        else:
            return False
        return True

    def on_bytes(self, name: str, target: Any, x: Any, count: Any) -> None:
        """Copies or sets bytes: few without a call."""
        types = "p0.p0" if x.type is POINTER else "p0"
        if (known(count) or FEW_BYTES + 1) <= FEW_BYTES:
            self.i.call(f"llvm.{name}.inline.{types}.i64", VOID, [
                target, x, count, Literal(BIT, 0)])
        else:
            x = x if x.type is POINTER else Literal(I32, 0)
            self.i.call_address(library(name), POINTER, [target, x, count])

    def not_in_vain(self, dims: tuple[Any, ...], wanted: tuple[Any, ...]) -> None:
        """Leaves the kernel where elements are needed by none, as they are broadcast to an empty
        array: NumPy computes them, and may warn."""
        builder = self.i.builder
        for n, to in zip(dims[::-1], wanted[::-1], strict=False):
            if n is not to and not (is_constant(n, 1) and is_constant(to, 1)):
                self.i.require(builder.or_(builder.icmp_signed("!=", to, word(0)),
                                           builder.icmp_signed("==", n, word(0))))

    # -- functions ---------------------------------------------------------------------------------

    def function_of(self, tree: Any, given: list[Any], target: Memory, in_place: bool
                    ) -> tuple[Function, bool]:
        """Returns the function that does a tree, and True if it may refuse."""
        forms = tuple((x.dtype.char, is_constant(x.dims[-1], 1), known(x.strides[-1]))
                      if isinstance(x, Memory) else str(x.type) for x in (*given, target))
        parts = parts_of_row(target, given, in_place)
        key = tree, forms, len(target.dims), parts
        if key not in self.functions:
            self.functions[key] = self.new_function(tree, given, target, parts)
        return self.functions[key]

    def new_function(self, tree: Any, given: list[Any], target: Memory, parts: Parts
                     ) -> tuple[Function, bool]:
        rank, module = len(target.dims), self.i.module
        types = [POINTER, *[I64] * 2 * rank]
        for x in given:
            types += [POINTER, *[I64] * rank] if isinstance(x, Memory) else [x.type]
        function = Function(module, I32, types, f"each{len(self.functions)}", STRICT,
                            internal=True)
        outer = self.i, self.refused
        self.i, self.refused = Instructions(module, function), None
        arguments = list(function.args)
        data, dims = arguments[0], tuple(arguments[1:rank + 1])
        inside = Memory(data, dims, as_known(arguments[rank + 1:2 * rank + 1], target),
                        target.dtype)
        del arguments[:2 * rank + 1]
        operands: list[Any] = []
        for x in given:
            if isinstance(x, Memory):
                last = x.dims[-1] if is_constant(x.dims[-1], 1) else dims[-1]
                operands.append(Memory(arguments[0], (*dims[:-1], last),
                                       as_known(arguments[1:rank + 1], x), x.dtype))
                del arguments[:rank + 1]
            else:
                operands.append(arguments.pop(0))
        self.over_lanes(tree, operands, inside, parts)
        self.i.builder.ret(Literal(I32, 0))
        self.i.entry_builder.branch(function.blocks[2])
        may_refuse = self.refused is not None
        self.i, self.refused = outer
        return function, may_refuse

    def over_lanes(self, tree: Any, given: list[Any], out: Memory, parts: Parts) -> None:
        """Writes the loops, on vectors where all rows are in one piece."""
        builder, arrays = self.i.builder, [x for x in given if isinstance(x, Memory)]
        width = width_of(out, given)
        n, in_one = out.dims[-1], constant_of(BIT, parts.vectors)
        for x in (*arrays, out):
            if not is_constant(x.dims[-1], 1):
                in_one = builder.and_(in_one, builder.icmp_signed(
                    "==", x.strides[-1], word(x.dtype.itemsize)))
        overlap = parts.again and is_constant(in_one, 1)
        end = builder.and_(n, word(-width)) if parts.elements and not overlap else n
        vectors = builder.select(in_one, end, word(0))
        last = builder.sub(n, word(width)) if overlap else None
        with self.rows(out.dims, [*arrays, out]) as rows:
            for lanes, start, stop in ((self.lanes(width), word(0), vectors),
                                       (self.lanes(1), vectors, n)):
                if is_constant(stop, 0) or start is stop:
                    continue
                with self.times(start, stop, lanes.width) as k:
                    if last is not None:
                        k = builder.select(builder.icmp_signed("<", k, last), k, last)
                    row = iter(rows)
                    loaded = [self.lane(lanes, x, next(row), k) if isinstance(x, Memory)
                              else lanes.splat(x) for x in given]
                    result = built(lanes, tree, loaded)
                    lanes.store(result, self.lane_of(lanes, out, rows[-1], k), out.dtype)
        if self.refused is not None:
            found = self.i.builder.load(self.refused, typ=I64)
            self.i.require(self.i.builder.icmp_signed("==", found, word(0)))

    def lane(self, lanes: Lanes, x: Memory, row: Any, k: Any) -> Any:
        if is_constant(x.dims[-1], 1):
            return lanes.splat(self.lanes(1).load(row, x.dtype))
        return lanes.load(self.lane_of(lanes, x, row, k), x.dtype)

    def lane_of(self, lanes: Lanes, x: Memory, row: Any, k: Any) -> Any:
        """Returns the address of an element; those of vectors lie one after the other."""
        return self.moved(row, k, x.strides[-1] if lanes.width == 1 else word(x.dtype.itemsize))

    def lanes(self, width: int) -> Lanes:
        return Lanes(self.i.module, self.i.builder, width, self.refuse)

    def refuse(self, found: Any) -> None:
        builder = self.i.builder
        if self.refused is None:
            self.refused = self.i.stack(I64)
            self.i.entry_builder.store(word(0), self.refused)
        if found.type.count:
            found = builder.bitcast(found, integer(found.type.count))
            found = builder.icmp_unsigned("!=", found, Literal(found.type, 0))
        old = builder.load(self.refused, typ=I64)
        builder.store(builder.or_(old, builder.zext(found, I64)), self.refused)


def width_of(target: Memory, given: list[Any]) -> int:
    """Returns how many elements of each array are in a vector."""
    arrays = [x for x in given if isinstance(x, Memory)]
    return VECTOR // max(x.dtype.itemsize for x in (*arrays, target))


class Parts(NamedTuple):
    """If rows may have vectors, as far as their size tells, and elements beside them; `again`: the
    last vector may have elements of the one before it once more."""

    vectors: bool
    elements: bool
    again: bool


def parts_of_row(target: Memory, given: list[Any], in_place: bool) -> Parts:
    n, width = known(target.dims[-1]), width_of(target, given)
    if n is None:
        return Parts(True, True, False)
    return Parts(n >= width, n % width > 0, not in_place and n > width and n % width > 0)


def as_known(strides: list[Any], x: Memory) -> tuple[Any, ...]:
    """Returns the strides that a function is given, but the last one as it is known of an array."""
    last = x.strides[-1]
    return (*strides[:-1], strides[-1] if known(last) is None else last)


# -- trees -----------------------------------------------------------------------------------------

def as_chain(x: Memory, memory: Any = None) -> Chain:
    """Returns the chain that is an array itself."""
    return Chain(0, (x,), x.dims, x.dtype, frozenset((memory,)))


def one_number(number: Any, dtype: np.dtype[Any]) -> Chain:
    return Chain(0, (number,), (), dtype)


def cast(chain: Chain, dtype: np.dtype[Any]) -> Chain:
    if chain.dtype == dtype:
        return chain
    tree = ("cast", (chain.dtype, dtype), chain.tree)
    return Chain(tree, chain.given, chain.dims, dtype, chain.memories)


def moved(tree: Any, positions: list[int]) -> Any:
    """Returns a tree over what is given at other positions."""
    if type(tree) is int:
        return positions[tree]
    return (*tree[:2], *[moved(t, positions) for t in tree[2:]])


def built(lanes: Lanes, tree: Any, loaded: list[Any]) -> Any:
    """Returns the result of a tree on lanes."""
    if type(tree) is int:
        return loaded[tree]
    what, dtype, *trees = tree
    xs = [built(lanes, t, loaded) for t in trees]
    if what == "cast":
        return lanes.cast(xs[0], *dtype)
    if what == "where":
        return lanes.builder.select(*xs)
    return on_lanes(lanes, what, dtype, *xs)

