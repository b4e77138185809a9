"""Plain operations on floats: those that LLVM may do for several iterations at once.

Operations that keep their floating-point exceptions are calls to LLVM, which it does not vectorise.
Its plain operations may lose an exception, but only with their result: where nothing needs that, or
where it is a constant. What an iteration certainly stores in an element of its own, and makes of an
element that it loads, is needed and is no constant; so the innermost loops that do nothing else
with floats are given to LLVM's vectoriser. Nothing is reassociated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Value, binders
from autograph.runtime.ir.regions import Loop
from autograph.runtime.native.carried_elements import Elements
from autograph.runtime.native.kinds import Kind, Number
from autograph.runtime.ops.indexing import GETITEM

SHORT = 32
"""LLVM may unroll loops of a known number of iterations, and then knows what they store: it takes
more of them."""

NEEDED = {np.add, np.subtract, np.multiply, np.divide, np.sqrt, np.negative, np.positive,
          np.absolute}
"""All bits of their results depend on those of their operands."""


def plain_floats(loop: Loop, kind_of: Callable[[Atom], Kind], steps: Mapping[Equation, int]
                 = MappingProxyType({})) -> set[Equation]:
    """Returns the equations of a loop's body that may be plain operations: arithmetic of which a
    store needs the result, and these stores, which may convert it; and the additions to sums whose
    order is free, `steps`, each with the operand that is added.

    The loop is over a range, and has no loop in it.
    """
    found = _Needed(loop, kind_of)
    changing = set(binders(loop.body)) - {loop.item}
    for stores in found.elements.stores(loop, changing):
        positions = [found.elements.position(e) for e in stores]
        if all(p is not None and any(loop.item in terms for terms in p) and
               positions.count(p) == 1 for p in positions):
            for e in stores:
                if found.from_elements(e.args[2]):
                    found.plain.add(e)
                    found.need(e.args[2])
    for e, at in steps.items():
        if e in found.elements.equations and found.from_elements(e.args[at]):
            found.plain.add(e)
            found.need(e.args[at])
    return found.plain


class _Needed:
    """Goes from what is stored back to what it is made of."""

    def __init__(self, loop: Loop, kind_of: Callable[[Atom], Kind]) -> None:
        self.elements = Elements(loop.body.equations, kind_of)
        self.plain: set[Equation] = set()
        self.loaded: dict[Atom, bool] = {}

    def need(self, atom: Atom) -> None:
        """Notes an operation whose result is needed, and those before it."""
        e = self.maker(atom)
        if e is None or e in self.plain or e.op.ufunc not in NEEDED:
            return
        if self.is_float(e) and self.from_elements(atom):
            self.plain.add(e)
            for a in e.args:
                self.need(a)

    def maker(self, atom: Atom) -> Equation | None:
        return self.elements.made.get(atom) if isinstance(atom, Value) else None

    def is_float(self, e: Equation) -> bool:
        kind = self.elements.kind_of(e.outputs[0])
        return isinstance(kind, Number) and kind.dtype.kind == "f"

    def from_elements(self, atom: Atom) -> bool:
        """Returns True if a number is made of an element that the iteration loads."""
        if atom not in self.loaded:
            e = self.maker(atom)
            self.loaded[atom] = e is not None and (
                e.op is GETITEM or (
                    e.op.ufunc is not None and any(map(self.from_elements, e.args))))
        return self.loaded[atom]
