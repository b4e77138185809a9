"""Stack rules: the kinds of stacks, what a loop keeps of its iterations for its derivative.

A stack never leaves its kernel. One that grows is always changed where it is: all values that one
equation made have the same memory. One that lies on another stack, what an inner loop kept, is
only read.
"""

from __future__ import annotations

from dataclasses import replace

from autograph.runtime.ir.graph import Atom, Equation, Value
from autograph.runtime.lower.plan import Plan
from autograph.runtime.native.array_rules import ArrayRules
from autograph.runtime.native.kinds import (
    IN_PYTHON,
    INT,
    Item,
    Kind,
    Nothing,
    NotNative,
    Number,
    Stack,
    Steps,
    join,
)
from autograph.runtime.ops.kept_values import KEPT_AT, NEW_STACK, PUSH, STACK_LENGTH

ON_STACKS = (NEW_STACK, PUSH, KEPT_AT, STACK_LENGTH)


class StackRules(ArrayRules):
    """Finds the kinds of stacks and of what is read from them; a base of the inference of loops."""

    plan: Plan

    def on_stacks(self, e: Equation) -> Kind:
        """Returns the kind of what an operation on a stack gives."""
        if e.op is NEW_STACK:
            return Stack(e.outputs[0], None)
        stack = self.stack(e.args[0])
        if e.op is PUSH:
            if e not in self.plan.inplace or stack.complete:
                raise NotNative("a stack that is also used as it was")
            return join(stack, replace(stack, item=self.item_of_stack(e.args[1])))
        if e.op is STACK_LENGTH:
            return Number(INT, IN_PYTHON)
        if stack.item is None or self.number(e.args[1]).dtype.kind not in "iu":
            raise NotNative("a stack that holds nothing")
        return stack.item

    def stack(self, atom: Atom) -> Stack:
        kind = self.of(atom)
        if not isinstance(kind, Stack):
            raise NotNative(f"{kind} where a stack is expected")
        return kind

    def item_of_stack(self, atom: Atom) -> Item:
        kind = self.of(atom)
        if isinstance(kind, Stack):
            return replace(kind, complete=True)
        if not isinstance(kind, Number | Nothing | Steps):
            raise NotNative(f"a stack of {kind}")
        return kind

    def carried_stack(self, kind: Kind, copied: bool) -> None:
        """Refuses a loop that begins with a copy of a stack."""
        if isinstance(kind, Stack) and copied:
            raise NotNative("a stack that is also used as it was")


def items_of_stacks(equations: list[Equation], kinds: dict[Value, Kind]) -> dict[Value, Item]:
    """Returns, for the memory of each stack, the kind of what is put on it anywhere.

    >>> items_of_stacks([], {})
    {}
    """
    found: dict[Value, Item] = {}
    for e in equations:
        kind = kinds[e.outputs[0]] if e.op is PUSH else None
        if isinstance(kind, Stack) and kind.item is not None:
            found[kind.memory] = join(  # type: ignore[assignment]
                found.get(kind.memory, kind.item), kind.item)
    return found
