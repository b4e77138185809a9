"""Puts what a program changed back to the caller's arrays, containers and persistent state."""

from __future__ import annotations

from autograph.runtime.heap.named_locations import owners_of
from autograph.runtime.ir.expressions import (
    ALL,
    Call,
    Choice,
    Expression,
    Name,
    Operator,
    Subscript,
)
from autograph.runtime.ir.frame_state import instead, refill
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.statements import Do, If, Store
from autograph.runtime.ir.types import ArrayType, is_container
from autograph.runtime.lower.assignments import Assignments


class WriteBack(Assignments):
    """Makes the statements after the equations, up to the return, and what they need before."""

    def keep_owners(self, program: Program) -> None:
        """Keeps the objects alive that the program writes to in the end, if it does more."""
        owners = owners_of(x for x, _ in program.locations)
        if owners and (program.by_reference or len(program.locations) + len(program.refill) > 1):
            self.let(self.fresh("owners", False), Call(self.constant(owners, "owners_of"), ()))

    def write_back(self, program: Program) -> None:
        """Writes back mutated arguments, containers, and locations outside the arguments. What a
        branch or loop gives may be the caller's array itself, which may be read-only."""
        joined = {v for e in program.graph.equations if e.regions for v in e.outputs}
        for target, atom in program.write_back:
            content, own = self.nest(atom), self.target(target)
            if content != own:
                store = Store(Subscript(own, ALL), content)
                if is_container(target.type):
                    self.add(Do(Call(self.constant(refill, "refill"), (own, content))))
                elif atom in joined:
                    self.add(If(Operator("{0} is not {1}", (content, own)), [store]))
                else:
                    self.add(store)
                for value in program.maybe_arguments:
                    self.give_own(value, content, target)
        for view in program.views:
            self.assign(view)
        for number, contents in program.refill:
            self.add(Do(Call(self.constant(refill, "refill"), (
                Name(self.containers[number]), self.result(contents)))))
        for location, contents in program.locations:
            self.add(Do(Call(self.constant(location.write, "put"), (self.result(contents),))))

    def give_own(self, value: Value, left: Expression, target: Value) -> None:
        """Makes a result the caller's own array if it is its content."""
        given, own = self.nest(value), self.target(target)
        result = Name(self.name_of(value), value.type)
        if not isinstance(value.type, ArrayType):
            swap = self.constant(instead, "instead")
            self.let(result, Call(swap, (given, left, own)))
        elif value.type == target.type or not value.type.is_static:
            self.let(result, Choice(own, Operator("{0} is {1}", (given, left)), given))
