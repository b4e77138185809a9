"""Buffer reuse: computes elementwise results in the memory of an operand that dies there."""

from __future__ import annotations

from autograph.runtime.ir.graph import Equation, Graph, Value, atom_type
from autograph.runtime.ir.types import ArrayType, is_number
from autograph.runtime.lower.plan import Plan


class Reuse:
    """The equations of a block that make values and use them for the last time."""

    def __init__(self, graph: Graph, plan: Plan) -> None:
        self.plan = plan
        self.maker: dict[Value, Equation] = {}
        self.position = {e: position for position, e in enumerate(graph.equations)}
        self.last: dict[Value, Equation | None] = {}
        self.users: dict[Value, list[Equation]] = {}
        for equation in graph.equations:
            self.maker.update(dict.fromkeys(equation.outputs, equation))
            for value in equation.uses:
                self.last[value] = equation
            for region in equation.regions:
                self.last.update(dict.fromkeys(plan.free.of(region), equation))
            for value in equation.inputs:
                self.users.setdefault(value, []).append(equation)
        self.last.update(dict.fromkeys((a for a in graph.outputs if isinstance(a, Value)), None))

    def operand(self, e: Equation) -> Value | None:
        """Returns the operand whose memory the result of an elementwise equation may take."""
        if e in self.plan.orders.mixed:
            return None
        if e in self.plan.sums:
            return self.plan.sums[e]
        if e.op.ufunc is None or e.kwargs or len(e.outputs) != 1 or not (
                e.outputs[0].type.is_large or is_beside_numbers(e)):
            return None
        return next((x for x in e.inputs if self._dies(x, e)), None)

    def _dies(self, x: Value, e: Equation) -> bool:
        maker = self.maker.get(x)
        return (maker is not None and x.type == e.outputs[0].type and self.last.get(x) is e
                and maker.op.fresh and "copy" not in maker.kwargs
                and not self.plan.is_shared(x))


def is_beside_numbers(e: Equation) -> bool:
    """Returns True for an operation on one array of open lengths and numbers: its result has the
    array's shape."""
    t = e.outputs[0].type if len(e.outputs) == 1 else None
    if not isinstance(t, ArrayType) or t.is_static or t.dtype is None or not t.shape:
        return False
    kinds = list(map(atom_type, e.args))
    return sum(k == t for k in kinds) == 1 and all(
        k == t or (k.scalar if isinstance(k, ArrayType) else is_number(k)) for k in kinds)


class Scratch:
    """The scratch arrays of a function of rows, used again when their value is dead.

    results  the values whose arrays exist from the start: until such a value is made, its array is
             a scratch array.
    """

    def __init__(self, reuse: Reuse, results: dict[Value, str]) -> None:
        self.reuse, self.results = reuse, results
        self.holds: dict[str, Value] = {}
        self.unused: list[str] = []
        self.borrowed: dict[str, Value] = {}

    def take(self, value: Value) -> str | None:
        """Returns the name of a free array of the value's type, if there is one."""
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
        """Returns True if the value, and those that reuse its array, are dead when the result is
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
        """Frees the arrays of values that die in an equation, unless its result has it."""
        kept = names.get(e.outputs[0])
        for value in dict.fromkeys(e.inputs):
            name = names.get(value, "")
            if self.reuse.last.get(value) is not e or name == kept:
                continue
            if name in self.holds and name not in self.unused:
                self.unused.append(name)
            if name in self.borrowed and self.borrowed[name] is not value:
                del self.borrowed[name]
