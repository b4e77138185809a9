"""Loops whose iterations may be done at once: which of their checks may wait until they have ended
(see `deferred_checks`)."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Value, binders, graphs_in
from autograph.runtime.ir.regions import Loop, is_loop
from autograph.runtime.native.carried_elements import Elements, Terms
from autograph.runtime.native.kinds import INT, Array, Kind, Number
from autograph.runtime.ops.indexing import GETITEM, SETITEM
from autograph.runtime.ops.views import UPDATE_VIEW

CHECKED = {np.add, np.subtract, np.multiply, np.negative}
"""The operations on ints whose results may not fit."""

ARITHMETIC = {*CHECKED, np.positive, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert}
"""What ints may go into that may not have fitted: nothing is asked of them."""


def deferred_checks(loop: Loop, kind_of: Callable[[Atom], Kind], sums: Container[Value]
                    ) -> set[Equation]:
    """Returns the equations of a loop's body whose checks may wait for its end: none, if iterations
    depend on each other, but for `sums`.

    The loop is over a range, and has no loop in it.
    """
    found = _Parallel(loop, kind_of)
    if not all(v in sums or isinstance(kind_of(v), Array) for v in loop.carried) or (
            not found.is_parallel(loop)):
        return set()
    return {e for e in loop.body.equations if found.may_wait(e)}


class _Parallel:
    """The body of a loop whose iterations may be done at once.

    uses       the equations that use a value.
    handed_on  what the body and its regions give.
    """

    def __init__(self, loop: Loop, kind_of: Callable[[Atom], Kind]) -> None:
        self.elements = Elements(loop.body.equations, kind_of)
        self.uses: dict[Atom, list[Equation]] = {}
        self.handed_on = {v for graph in graphs_in(loop.body) for v in graph.outputs}
        for e in loop.body.walk():
            for v in e.inputs:
                self.uses.setdefault(v, []).append(e)

    def is_parallel(self, loop: Loop) -> bool:
        """Returns True if each iteration stores elements of its own, and loads no others of these
        arrays."""
        elements, changing = self.elements, set(binders(loop.body)) - {loop.item}
        inside, stored = list(loop.body.walk()), dict[Any, list[list[Terms]]]()
        for e in inside:
            if e.op in (SETITEM, UPDATE_VIEW):
                memory = elements.memory(e)
                position = elements.position(e) if elements.is_of_one(e) else None
                if memory is None or memory in changing or position is None or not any(
                        loop.item in terms for terms in position):
                    return False
                stored.setdefault(memory, []).append(position)
        return not any(map(is_loop, inside)) and all(
            elements.position(e) in stored[elements.memory(e)] for e in inside
            if e.op is GETITEM and self.is_array(e.args[0]) and elements.memory(e) in stored)

    def is_array(self, atom: Atom) -> bool:
        return isinstance(self.elements.kind_of(atom), Array)

    def may_wait(self, e: Equation) -> bool:
        """Returns True for arithmetic on short ints, of which no ranges are known, or whose result
        is only stored; and for a store, which may convert an int."""
        if e.op is SETITEM:
            return True
        kind = self.elements.kind_of(e.outputs[0]) if len(e.outputs) == 1 else None
        return isinstance(kind, Number) and kind.dtype.kind in "iu" and bool(e.op.dunder) and (
            e.op.ufunc in CHECKED) and (kind.dtype != INT or self.is_only_stored(e))

    def is_only_stored(self, e: Equation) -> bool:
        """Returns True if nothing follows from the range of a result: it is stored, compared with
        constants, and goes into arithmetic of which the same is true."""
        out = e.outputs[0]
        return out not in self.handed_on and all(
            self.is_stored_by(use, out) or is_compared_with_a_constant(use) or (
                use in self.elements.equations and use.op.dunder
                and use.op.ufunc in ARITHMETIC and self.is_only_stored(use))
            for use in self.uses.get(out, ()))

    def is_stored_by(self, e: Equation, x: Value) -> bool:
        index = e.args[1] if e.op is SETITEM else ()
        return e.op is SETITEM and e.args[2] is x and x not in (
            index if type(index) is tuple else (index,))


def is_compared_with_a_constant(e: Equation) -> bool:
    return e.op.comparison and not all(isinstance(a, Value) for a in e.args)
