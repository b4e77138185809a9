"""The verifier: checks that a graph is well formed, or shows its text with the line at fault."""

from __future__ import annotations

from collections.abc import Sequence

from autograph.runtime.ir.errors import GraphError
from autograph.runtime.ir.graph import (
    Atom,
    Equation,
    Graph,
    Nest,
    Value,
    atom_type,
    leaves,
    map_leaves,
)
from autograph.runtime.ir.printer import to_text
from autograph.runtime.ir.regions import FOR, Call, Loop, as_branch, as_call, as_loop, is_branch
from autograph.runtime.ir.statement_checks import check_statements
from autograph.runtime.ir.statements import Lowered
from autograph.runtime.ir.types import DYNAMIC, Type, join, operand_type


class _Switch:
    """Turns the check of every graph on: for tests and for work on the compiler."""

    on = False


def check_graphs(on: bool) -> None:
    """Checks every graph after it is traced and after it is optimised, or no longer."""
    _Switch.on = on


def check_if_on(made: Graph | Lowered) -> None:
    if _Switch.on:
        if isinstance(made, Graph):
            check(made)
        else:
            check_statements(made)


def check(graph: Graph) -> None:
    """Checks every equation, here and in the regions.

    Raises:
      GraphError: a value is used before it is made, or made twice; a region takes or gives other
        values than its op asks for; an output's type does not admit the one of the op's type rule.
    """
    _Checker(graph).block(graph, set())


def is_within(narrow: Type, wide: Type) -> bool:
    """Returns True if the second type certainly admits every value that the first one does."""
    if wide == DYNAMIC:
        return True
    return join(narrow, wide) == wide


class _Checker:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.made: set[Value] = set()
        self.callees: list[Graph] = [graph]

    def fail(self, at: Equation | Graph, complaint: str) -> None:
        text = to_text(self.graph, remarks={at: complaint})
        raise GraphError(f"{complaint}\n\n{text}")

    def make(self, values: Sequence[Value], at: Equation | Graph, known: set[Value]) -> None:
        for value in values:
            if value in self.made:
                self.fail(at, "a value is made a second time here")
            self.made.add(value)
            known.add(value)

    def use(self, nest: Nest, at: Equation | Graph, known: set[Value]) -> None:
        for leaf in leaves(nest):
            if isinstance(leaf, Value) and leaf not in known:
                self.fail(at, "a value is used here that is not made before")

    def block(self, graph: Graph, known: set[Value]) -> None:
        """Checks a graph or region; `known` are the values of the graphs around it."""
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
        """The outputs' types must admit those of the type rule."""
        args, kwargs = map_leaves(_leaf_type, e.args), map_leaves(_leaf_type, dict(e.kwargs))
        try:
            given = e.op.infer(*args, **kwargs)
        except Exception as error:
            if [o.type for o in e.outputs] == [DYNAMIC]:
                return  # nothing is claimed of what it gives
            self.fail(e, f"the type rule of {e.op.name} refuses: {error}")
        given = given if isinstance(given, tuple) else (given,)
        self.pairs(e, "results", given, _types(e.outputs), e)

    def pairs(self, e: Equation, what: str, given: Sequence[Type], wanted: Sequence[Type],
              at: Equation | Graph) -> None:
        """Each given type must be within the type wanted."""
        if len(given) != len(wanted):
            self.fail(at, f"{e.op.name}: {len(given)} {what} for {len(wanted)}")
        for index, (narrow, wide) in enumerate(zip(given, wanted, strict=True)):
            if not is_within(narrow, wide):
                self.fail(at, f"{e.op.name}: number {index} of the {what} is {narrow}, which "
                              f"{wide} does not admit")

    # -- control flow -----------------------------------------------------------------------------

    def control(self, e: Equation, known: set[Value]) -> None:
        roles = e.op.regions
        wanted = (len(roles) - 1, len(roles)) if e.op.name == FOR else (len(roles),)
        if len(e.regions) not in wanted:
            self.fail(e, f"{e.op.name} needs the regions {', '.join(roles)}")
        if (loop := as_loop(e)) is not None:
            self.loop(loop, known)
        elif (branch := as_branch(e)) is not None:
            for side in (branch.on_true, branch.on_false):
                self.pairs(e, "inputs", [], _types(side.inputs), side)
                self.block(side, known)
                self.yields(e, side)
        elif (call := as_call(e)) is not None:
            self.call(call)

    def loop(self, loop: Loop, known: set[Value]) -> None:
        for region in loop.equation.regions:
            inputs = _types(loop.carried if region is loop.body else region.inputs)
            self.carried(loop, inputs, region)
            self.block(region, known)
            if region is loop.body:
                self.yields(loop.equation, region)
            elif len(region.outputs) != 1:
                self.fail(region, f"the test of {loop.kind} gives one value, not "
                                  f"{len(region.outputs)}")

    def carried(self, loop: Loop, inputs: Sequence[Type], region: Graph) -> None:
        """The initial values must fit what the regions take, and that must fit the results."""
        self.pairs(loop.equation, "carried values", _types(loop.initial), inputs, region)
        self.pairs(loop.equation, "carried values", inputs, _types(loop.results), region)

    def yields(self, e: Equation, region: Graph) -> None:
        if not ends_in_raise(region):
            self.pairs(e, "yields", _types(region.outputs), _types(e.outputs), region)

    def call(self, call: Call) -> None:
        e, graph = call.equation, call.callee
        self.pairs(e, "arguments", _types(call.arguments), _types(graph.inputs), e)
        if not ends_in_raise(graph):
            self.pairs(e, "results", _types(graph.outputs), _types(call.results), e)
        if not any(graph is g for g in self.callees):
            self.callees.append(graph)
            self.block(graph, set())


def ends_in_raise(region: Graph) -> bool:
    """Returns True if the region certainly raises, so that its outputs stand for nothing."""
    return any(e.op.never_returns or (is_branch(e) and all(map(ends_in_raise, e.regions)))
               for e in region.equations)


def _types(atoms: Sequence[Atom]) -> list[Type]:
    return list(map(atom_type, atoms))


def _leaf_type(leaf: Atom) -> Atom:
    return operand_type(leaf.type) if isinstance(leaf, Value) else leaf
