"""Carried elements: what an iteration stores and the next one loads stays in a register.

`x[i] = x[i - 1] + y[i]` would store an element and wait until it can be loaded again. Where a loop
has one store to an array, and loads what the iteration before stored, the number is carried like
any other; that of the first iteration is loaded before the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Value, binders
from autograph.runtime.ir.regions import Loop, is_loop
from autograph.runtime.native.array_memory import ArrayMemory
from autograph.runtime.native.array_rules import parts_of
from autograph.runtime.native.hoisting import Opened
from autograph.runtime.native.kinds import INT, Array, Kind, Number, is_int
from autograph.runtime.native.llvm_values import Memory, Register
from autograph.runtime.native.strict_floats import memory_type
from autograph.runtime.ops.indexing import GETITEM, SETITEM
from autograph.runtime.ops.views import UPDATE_VIEW

KindOf = Callable[[Atom], Kind]

Terms = dict[Value | None, int]
"""A sum: how often each value is added, and as None the number 1."""


def carried_elements(loop: Loop, step: int, kind_of: KindOf) -> dict[Equation, Equation]:
    """Returns, for each load of what the iteration before stored, the store.

    Each array has one store in the body, and both are done in every iteration, the load first.
    """
    assert loop.item is not None
    elements = Elements(loop.body.equations, kind_of)
    changing = set(binders(loop.body)) - {loop.item}
    found: dict[Equation, Equation] = {}
    for store, *others in elements.stores(loop, changing):
        wanted = None if others else elements.position(store)
        for e in loop.body.equations[:loop.body.equations.index(store)]:
            if e.op is GETITEM and elements.memory(e) is elements.memory(store):
                given = elements.position(e)
                if wanted is not None and given is not None and changing.isdisjoint(
                        v for terms in wanted for v in terms) and wanted == [
                            _later(terms, loop.item, step) for terms in given]:
                    found[e] = store
    return found


def reads_neighbours(loop: Loop, kind_of: KindOf) -> bool:
    """Returns True if the next iteration loads an element again, and none loads what another one
    stores: such a loop is vectors to LLVM, which should load each of them, as it does where the
    stores may be to the same memory. Else it keeps the elements for the next iteration, and
    vectors are put together of parts of others."""
    if loop.item is None or any(map(is_loop, loop.body.walk())):
        return False
    elements = Elements(loop.body.equations, kind_of)
    stored = {elements.memory(e) for e in loop.body.walk() if e.op in (SETITEM, UPDATE_VIEW)}
    loads = [(elements.memory(e), elements.position(e))
             for e in loop.body.equations if e.op is GETITEM and isinstance(
                 kind_of(e.args[0]), Array)]
    return bool(stored) and stored.isdisjoint(memory for memory, _ in loads) and any(
        memory is other and position is not None and
        [_later(terms, loop.item, 1) for terms in position] == after
        for memory, position in loads for other, after in loads if position != after)


def _later(terms: Terms, item: Value, step: int) -> Terms:
    """Returns a sum in the next iteration."""
    return _plus(terms, {None: terms.get(item, 0) * step}, 1)


def _plus(a: Terms, b: Terms, factor: int) -> Terms:
    both = {v: a.get(v, 0) + factor * b.get(v, 0) for v in (*a, *b)}
    return {v: n for v, n in both.items() if n}


class Elements:
    """The loads and stores of elements in the body of a loop."""

    def __init__(self, equations: list[Equation], kind_of: KindOf) -> None:
        self.kind_of = kind_of
        self.equations = equations
        self.made = {out: e for e in equations for out in e.outputs}

    def memory(self, e: Equation) -> Any:
        """Returns the memory of a whole array that an equation loads or stores an element of."""
        kind = self.kind_of(e.args[0])
        return kind.memory if isinstance(kind, Array) and not kind.view else None

    def stores(self, loop: Loop, changing: set[Value]) -> Iterator[list[Equation]]:
        """Yields, for each array that stays where it is, all stores to it, if each iteration does
        them all, and each is of one element."""
        written: dict[Any, list[Equation]] = {}
        for e in loop.body.walk():
            if e.op in (SETITEM, UPDATE_VIEW):
                memory = getattr(self.kind_of(e.args[0]), "memory", None)
                written.setdefault(memory, []).append(e)
        for memory, stores in written.items():
            if memory not in changing and all(
                    e in self.equations and self.memory(e) is memory and self.is_of_one(e)
                    for e in stores):
                yield stores

    def is_of_one(self, e: Equation) -> bool:
        """Returns True for a store of a number to an element."""
        return e.op is SETITEM and len(e.args) == 3 and (
            isinstance(self.kind_of(e.args[2]), Number)
            and self.kind_of(e.outputs[0]) == self.kind_of(e.args[0]))

    def position(self, e: Equation) -> list[Terms] | None:
        """Returns the index of an element, a sum for each axis; None for another index."""
        kind = self.kind_of(e.args[0])
        assert isinstance(kind, Array)
        found = []
        for part in parts_of(e.args[1], kind.rank):
            if part.is_slice or part.is_new or not self.is_int(part.what):
                return None
            found.append(self.terms(part.what))
        return found

    def is_int(self, atom: Atom) -> bool:
        return is_int(self.kind_of(atom))

    def terms(self, atom: Atom) -> Terms:
        """Returns an int as a sum."""
        if not isinstance(atom, Value):
            return {None: int(atom)} if atom else {}
        e = self.made.get(atom)
        if e is None or not (e.op.dunder and all(map(self.is_int, e.args))):
            return {atom: 1}
        if e.op.ufunc in (np.add, np.subtract):
            a, b = map(self.terms, e.args)
            return _plus(a, b, 1 if e.op.ufunc is np.add else -1)
        if e.op.ufunc is np.multiply:
            a, b = map(self.terms, e.args)
            for x, y in ((a, b), (b, a)):
                if x.keys() <= {None}:
                    return _plus({}, y, x.get(None, 0))
        return {atom: 1}


class CarriedElements(ArrayMemory):
    """Writes loads and stores of carried elements; a base of the printer of loops.

    carrying  the stores of carried elements, by their loads.
    carried   where the elements of each store are carried.
    """

    def __init__(self) -> None:
        super().__init__()
        self.carrying: dict[Equation, Equation] = {}
        self.carried: dict[Equation, list[Any]] = {}

    def carry(self, loop: Loop, step: int) -> None:
        """Notes what a loop carries that does all of its body in each iteration."""
        self.carrying |= carried_elements(loop, step, self.kind_of)

    def carried_element(self, e: Equation, x: Memory) -> Register | None:
        """Returns what the iteration before stored; None if the load has to be done."""
        loop = self.i.hoisting.opened[-1] if e in self.carrying else None
        if loop is None or not all(map(loop.knows, (x.data, *x.dims, *x.strides))):
            return None
        numbers = [self.as_type(p.what, INT) for p in parts_of(e.args[1], len(x.dims))]
        first = [self.first_position(n, size, loop)
                 for n, size in zip(numbers, x.dims, strict=True)]
        if None in first:
            return None
        cell = self.i.stack(memory_type(x.dtype))
        self.carried.setdefault(self.carrying[e], []).append(cell)
        with self.i.builder.goto_block(self.i.hoisting.first_of(loop)):
            data = x.data
            for n, size, stride in zip(first, x.dims, x.strides, strict=True):
                data = self.moved(data, self.from_start(n, size), stride)
            self.lanes(1).store(self.lanes(1).load(data, x.dtype), cell, x.dtype)
        return self.register(cell, x.dtype)

    def first_position(self, number: Any, size: Any, loop: Opened) -> Any:
        """Returns an index for the first item; None unless it is sure to be in bounds for all."""
        if not self.is_inside(number, size, before=True):
            return None
        return self.i.hoisting.at(number, loop, loop.ends[0])

    def carry_on(self, e: Equation, number: Any, dtype: np.dtype[Any]) -> None:
        """Hands what is stored to the next iteration."""
        for cell in self.carried.get(e, ()):
            self.lanes(1).store(number, cell, dtype)
