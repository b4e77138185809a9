"""Memory reuse: which elementwise results may be computed right into an operand that dies there."""

from __future__ import annotations

from typing import Any

from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.lower.in_place import Plan

MIN_SIZE = 256
"""Arrays of fewer elements are cheaper to make than to keep track of."""


def is_large(x: Any) -> bool:
    """Whether it is a value known to be an array of a size at which memory counts."""
    t = x.type if isinstance(x, Value) else None
    return isinstance(t, ArrayType) and t.size >= MIN_SIZE and t.is_static


class Reuse:
    """Per block: where values are made and used for the last time."""

    def __init__(self, graph: Graph, plan: Plan) -> None:
        self.plan = plan
        self.maker: dict[Value, Equation] = {}
        self.position = {e: position for position, e in enumerate(graph.equations)}
        self.last: dict[Value, Equation | None] = {}
        self.users: dict[Value, list[Equation]] = {}
        for equation in graph.equations:
            self.maker.update(dict.fromkeys(equation.outputs, equation))
            inside = [v for r in equation.regions for v in r.free_values()]
            for value in (*equation.uses, *inside):
                self.last[value] = equation
            for value in equation.inputs:
                self.users.setdefault(value, []).append(equation)
        self.last.update(dict.fromkeys((a for a in graph.outputs if isinstance(a, Value)), None))

    def operand(self, e: Equation) -> Value | None:
        """The operand whose memory the result of an elementwise equation may take."""
        if e.op.ufunc is None or e.kwargs or len(e.outputs) != 1 or not is_large(e.outputs[0]):
            return None
        return next((x for x in e.inputs if self._dies(x, e)), None)

    def _dies(self, x: Value, e: Equation) -> bool:
        maker = self.maker.get(x)
        return (maker is not None and x.type == e.outputs[0].type and self.last.get(x) is e
                and maker.op.fresh and "copy" not in maker.kwargs
                and not self.plan.is_shared(x))


class Scratch:
    """In a function of rows: names of arrays to work in, taken again when their value is dead.

    results  the values whose arrays are there from the start: until such a value is made, its
             array is one to work in.
    """

    def __init__(self, reuse: Reuse, results: dict[Value, str]) -> None:
        self.reuse, self.results = reuse, results
        self.holds: dict[str, Value] = {}
        self.unused: list[str] = []
        self.borrowed: dict[str, Value] = {}

    def take(self, value: Value) -> str | None:
        """A name whose array has the value's type, if one is of no use any more or as yet."""
        for result, name in self.results.items():
            if result.type == value.type and name not in self.borrowed and (
                    self._is_done(value, result)):
                self.borrowed[name] = result
                return name
        for name in self.unused:
            if self.holds[name].type == value.type:
                self.unused.remove(name)
                return name
        return None

    def _is_done(self, value: Value, result: Value) -> bool:
        """Whether the value, and what is then put into its array, is dead when the result is
        made."""
        reuse = self.reuse
        made = reuse.position[reuse.maker[result]]
        while (last := reuse.last.get(value)) is not None:
            following = last.outputs[0]
            if following in self.results or reuse.operand(last) is not value:
                return reuse.position[reuse.maker[value]] < reuse.position[last] <= made
            value = following
        return False

    def add(self, value: Value, name: str) -> str:
        self.holds[name] = value
        return name

    def used(self, e: Equation, names: dict[Value, str]) -> None:
        """Note what is dead after an equation, unless its result has the same array."""
        kept = names.get(e.outputs[0])
        for value in dict.fromkeys(e.inputs):
            name = names.get(value, "")
            if self.reuse.last.get(value) is not e or name == kept:
                continue
            if name in self.holds and name not in self.unused:
                self.unused.append(name)
            if name in self.borrowed and self.borrowed[name] is not value:
                del self.borrowed[name]
