"""Writes what a program changed back to the caller's arrays, containers and persistent state."""

from __future__ import annotations

from autograph.runtime.codegen.assignments import Assignments
from autograph.runtime.ir.frame_state import instead, refill
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.types import ArrayType


class WriteBack(Assignments):
    """Writes the statements after the equations, up to the return."""

    def write_back(self, program: Program) -> None:
        """Writes back mutated arguments, containers, and locations outside the arguments."""
        for target, atom in program.write_back:
            text = self.nest(atom)
            if text != self.name_of(target):
                self.line(f"{self.name_of(target)}[...] = {text}")
                for value in program.maybe_arguments:
                    self.give_own(value, text, target)
        for view in program.views:
            self.assign(view)
        for number, contents in program.refill:
            self.line(f"{self.constant(refill, 'refill')}({self.containers[number]}, "
                      f"{self.result(contents)})")
        for location, contents in program.locations:
            self.line(f"{self.constant(location.write, 'put')}({self.result(contents)})")

    def give_own(self, value: Value, left: str, target: Value) -> None:
        """Writes the statement that makes a result the caller's own array if it is its content."""
        name, own = self.nest(value), self.name_of(target)
        if not isinstance(value.type, ArrayType):
            swap = self.constant(instead, "instead")
            self.line(f"{name} = {swap}({name}, {left}, {own})")
        elif value.type == target.type or not value.type.is_static:
            self.line(f"{name} = {own} if {name} is {left} else {name}")
