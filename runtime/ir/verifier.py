"""The checker: is a graph well formed? If not, its text is shown with the line that is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.runtime.ir.errors import GraphError
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, atom_type, leaves, map_leaves
from autograph.runtime.ir.printer import to_text
from autograph.runtime.ir.types import DYNAMIC, Type, join, operand_type


class _Switch:
    """Whether graphs are checked when they are made: for tests and for work on the compiler."""

    on = False


def check_graphs(on: bool) -> None:
    """Check every graph after it is traced and after it is optimised, or no more."""
    _Switch.on = on


def check_if_on(graph: Graph) -> None:
    if _Switch.on:
        check(graph)


def check(graph: Graph) -> None:
    """Check every equation, here and in the regions.

    Raises:
      GraphError: a value is used before it is made, or made twice; a region takes or gives other
      values than
        its op asks for; an output's type does not admit what the op's type rule gives.
    """
    _Checker(graph).block(graph, set())


def is_within(narrow: Type, wide: Type) -> bool:
    """Whether the second type certainly admits every value that the first one does."""
    if wide == DYNAMIC:
        return True
    return join(narrow, wide) == wide


class _Checker:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.made: set[Value] = set()
        self.callees: list[Graph] = [graph]

    def fail(self, place: Equation | Graph, complaint: str) -> None:
        text = to_text(self.graph, remarks={place: complaint})
        raise GraphError(f"{complaint}\n\n{text}")

    def make(self, values: Sequence[Value], place: Equation | Graph, known: set[Value]) -> None:
        for value in values:
            if value in self.made:
                self.fail(place, "a value is made a second time here")
            self.made.add(value)
            known.add(value)

    def use(self, nest: Any, place: Equation | Graph, known: set[Value]) -> None:
        for leaf in leaves(nest):
            if isinstance(leaf, Value) and leaf not in known:
                self.fail(place, "a value is used here that is not made before")

    def block(self, graph: Graph, known: set[Value]) -> None:
        """Check a graph or region; `known` are the values of the graphs around it."""
        known = set(known)
        self.make([*graph.inputs, *graph.captures], graph, known)
        for value, array in graph.captures.items():
            if not value.type.admits(array):
                self.fail(graph, f"a captured array is not of its type {value.type}")
        for equation in graph.equations:
            self.equation(equation, known)
        self.use(graph.outputs, graph, known)

    def equation(self, e: Equation, known: set[Value]) -> None:
        self.use((e.args, dict(e.kwargs), list(e.uses)), e, known)
        if e.op.regions:
            self.control(e, known)
        elif e.regions:
            self.fail(e, f"{e.op.name} takes no regions")
        else:
            self.types(e)
        self.make(e.outputs, e, known)

    def types(self, e: Equation) -> None:
        """The outputs' types must admit what the type rule says."""
        args, kwargs = map_leaves(_leaf_type, e.args), map_leaves(_leaf_type, dict(e.kwargs))
        try:
            given = e.op.infer(*args, **kwargs)
        except Exception as error:
            if [o.type for o in e.outputs] == [DYNAMIC]:
                return  # nothing is claimed of what it gives
            self.fail(e, f"the type rule of {e.op.name} refuses: {error}")
        given = given if isinstance(given, tuple) else (given,)
        self.pairs(e, "results", given, [o.type for o in e.outputs], e)

    def pairs(self, e: Equation, what: str, given: Sequence[Type], wanted: Sequence[Type],
              place: Equation | Graph) -> None:
        """Each given type must be within the type that is wanted in its place."""
        if len(given) != len(wanted):
            self.fail(place, f"{e.op.name}: {len(given)} {what} for {len(wanted)}")
        for index, (narrow, wide) in enumerate(zip(given, wanted, strict=True)):
            if not is_within(narrow, wide):
                self.fail(place, f"{e.op.name}: number {index} of the {what} is {narrow}, which "
                                 f"{wide} does not admit")

    # -- control flow -----------------------------------------------------------------------------

    def control(self, e: Equation, known: set[Value]) -> None:
        roles = e.op.regions
        wanted = (len(roles) - 1, len(roles)) if e.op.name == "for" else (len(roles),)
        if len(e.regions) not in wanted:
            self.fail(e, f"{e.op.name} needs the regions {', '.join(roles)}")
        for region, role in zip(e.regions, roles, strict=False):
            self.region(e, region, role, known)

    def region(self, e: Equation, region: Graph, role: str, known: set[Value]) -> None:
        if role == "callee":
            self.callee(e, region)
            return
        results = [o.type for o in e.outputs]
        inputs = [v.type for v in region.inputs]
        if e.op.name == "cond":
            self.pairs(e, "inputs", [], inputs, region)
        elif e.op.name == "for" and role == "body":
            self.carried(e, e.args[1:], inputs[1:], region)
        else:
            self.carried(e, e.args[1:] if e.op.name == "for" else e.args, inputs, region)
        self.block(region, known)
        if role == "test":
            if len(region.outputs) != 1:
                self.fail(region, f"the test of {e.op.name} gives one value, not "
                                  f"{len(region.outputs)}")
        elif not ends_in_raise(region):
            self.yields(e, region, results)

    def carried(self, e: Equation, start: Sequence[Atom], inputs: Sequence[Type],
                region: Graph) -> None:
        """What a loop starts with must fit what its regions take, and that must fit its results."""
        self.pairs(e, "carried values", [atom_type(a) for a in start], inputs, region)
        self.pairs(e, "carried values", inputs, [o.type for o in e.outputs], region)

    def yields(self, e: Equation, region: Graph, results: Sequence[Type]) -> None:
        self.pairs(e, "yields", [atom_type(a) for a in region.outputs], results, region)

    def callee(self, e: Equation, graph: Graph) -> None:
        self.pairs(e, "arguments", [atom_type(a) for a in e.args],
                   [v.type for v in graph.inputs], e)
        if not ends_in_raise(graph):
            self.pairs(e, "results", [atom_type(a) for a in graph.outputs],
                       [o.type for o in e.outputs], e)
        if not any(graph is g for g in self.callees):
            self.callees.append(graph)
            self.block(graph, set())


def ends_in_raise(region: Graph) -> bool:
    """Whether the region certainly raises, so that its outputs stand for nothing."""
    return any(e.op.name == "raise_" or (e.op.name == "cond" and all(
        map(ends_in_raise, e.regions))) for e in region.equations)


def _leaf_type(leaf: Any) -> Any:
    return operand_type(leaf.type) if isinstance(leaf, Value) else leaf
