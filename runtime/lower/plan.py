"""The plan of a program: which of its equations work in memory that is there already."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograph.runtime.ir.free_values import FreeValues
from autograph.runtime.ir.graph import Atom, Equation, Value
from autograph.runtime.lower.list_methods import ListMethod, changed_list
from autograph.runtime.lower.memory_orders import Orders


@dataclass
class Plan:
    """The decisions for the executor.

    inplace  updates that may overwrite their first argument.
    sums     for an operation on a carried array that gives its next value: the carried one, whose
             memory it may take.
    owned    loop inputs that the body overwrites: the loop must start from memory of its own.
    copied   (loop, index of the carried value) whose start must be copied for that; (call, index of
             the argument) that the callee overwrites though it is of use afterwards.
    handed   (call, index of the argument) that the callee may overwrite.
    free     the free values of the regions.
    orders   how arrays lie in memory: elementwise operations on arrays of different orders take no
             operand's memory.
    exact    whether all of NumPy's warnings have to be given.
    methods  the methods of lists, by the last of their equations.
    """

    inplace: set[Equation] = field(default_factory=set)
    owned: set[Value] = field(default_factory=set)
    copied: set[tuple[Equation, int]] = field(default_factory=set)
    handed: set[tuple[Equation, int]] = field(default_factory=set)
    shared: set[Value] = field(default_factory=set)
    sums: dict[Equation, Value] = field(default_factory=dict)
    free: FreeValues = field(default_factory=FreeValues)
    orders: Orders = field(default_factory=Orders)
    exact: bool = False
    methods: dict[Equation, ListMethod] = field(default_factory=dict)

    def updated(self, e: Equation) -> tuple[Atom, Value]:
        """Returns what an update overwrites if it may, before and after."""
        return changed_list(e, self.methods) or (e.args[0], e.outputs[0])

    def is_shared(self, value: Value) -> bool:
        """Returns True if some other value may have the same memory."""
        return value in self.shared
