"""Flags that say if a name is bound, as values of the graph.

A graph carries a marker in place of the value of a name that is not bound; what other engines
carry is numbers. So each value whose marker the graph asks for gets a bool beside it, which
branches give and loops carry as they do the value.
"""

from __future__ import annotations

from collections.abc import Iterable

from autograph.runtime.export.kinds import NoForm
from autograph.runtime.heap.value_links import closure, links_of
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, atom_type, graphs_in
from autograph.runtime.ir.regions import Branch, Loop, as_branch, as_loop
from autograph.runtime.ir.types import PyType, is_maybe_undefined
from autograph.runtime.ir.undefined import is_bound, is_own, is_undefined
from autograph.runtime.ops import OPS
from autograph.runtime.ops.op import Op

PACK, BOUND = OPS["pack"], OPS["bound"]


def with_flags(graph: Graph) -> Graph:
    """Returns a graph that asks no value if it stands for an unbound name.

    Raises:
      NoForm: a function that the graph calls gives or takes such a value.
    """
    for question in {e.op: None for e in graph.walk() if e.op.kernel in (is_bound, is_own)}:
        graph = graph.copy()
        same, _ = links_of(graph, lambda e, v: ())
        asked = (v for e in graph.walk() if e.op is question for v in e.inputs)
        flags = _Flags(question, closure(asked, same))
        for each in graphs_in(graph):
            flags.visit(each)
    return graph


class _Flags:
    """Gives values their flags.

    question  the op that asks for them.
    asked     the values that need one.
    of        the flag of each value that has one.
    answers   by an answer: the value of which it says if it is bound.
    """

    def __init__(self, question: Op, asked: set[Value]) -> None:
        self.question = question
        self.asked = asked
        self.of: dict[Value, Atom] = {}
        self.answers: dict[Atom, Atom] = {}

    def visit(self, graph: Graph, known: Atom = None) -> None:
        """Gives the values of a graph their flags, and its questions these as answers.

        known: a value that is bound there, so that a read of it cannot raise.
        """
        for e in graph.equations:
            if (branch := as_branch(e)) is not None:
                self.branch(branch)
            elif (loop := as_loop(e)) is not None:
                self.loop(loop)
            elif e.op is self.question:
                self.answers[e.outputs[0]] = e.args[0]
                e.op, e.args = PACK, (self.flag(e.args[0]),)
                e.collect_inputs()
            elif e.op is BOUND and known is not None and e.args[0] is known:
                e.args = (known, False, True)
            elif e.op.holds_operands and len(e.inputs) == 1:
                self.of.update((v, self.of[x]) for v in self.needing(e.outputs)
                               for x in e.inputs if x in self.of)

    def needing(self, values: Iterable[Value]) -> list[Value]:
        """Returns those values that need a flag of their own."""
        return [v for v in values if v in self.asked and is_maybe_undefined(v.type)]

    def flag(self, x: Atom) -> Atom:
        """Returns the flag of a value or constant."""
        if isinstance(x, Value) and x in self.of:
            return self.of[x]
        if is_undefined(x) or not is_maybe_undefined(atom_type(x)):
            return bool(self.question.kernel(x))
        raise NoForm("only the run knows if a name is bound that comes from a call",
                     "give it a value, such as None, in each case")

    def new(self, value: Value) -> Value:
        """Returns a flag for a value."""
        self.of[value] = made = Value(PyType(bool), value.hint and f"has_{value.hint}")
        return made

    def branch(self, branch: Branch) -> None:
        """Lets a branch give the flags of its results."""
        e = branch.equation
        results = self.needing(e.outputs)
        asked = self.answers.get(branch.predicate) if self.question.kernel is is_bound else None
        for truth, side in branch.sides():
            self.visit(side, asked if truth else None)
            given = dict(zip(e.outputs, side.outputs, strict=True))
            side.outputs += tuple(self.flag(given[v]) for v in results)
        e.outputs += tuple(map(self.new, results))

    def loop(self, loop: Loop) -> None:
        """Lets a loop carry the flags of its carried values."""
        e: Equation = loop.equation
        rows = [row for row in zip(loop.results, loop.carried, loop.initial, strict=True)
                if self.needing(row[:2])]
        e.args += tuple(self.flag(initial) for _, _, initial in rows)
        carried = dict(zip(loop.carried, range(len(loop.carried)), strict=True))
        if loop.test is not None:
            loop.test.inputs += tuple(self.new(loop.test.inputs[carried[v]]) for _, v, _ in rows)
            self.visit(loop.test)
        given = dict(zip(loop.carried, loop.body.outputs, strict=True))
        loop.body.inputs += tuple(self.new(v) for _, v, _ in rows)
        self.visit(loop.body)
        loop.body.outputs += tuple(self.flag(given[v]) for _, v, _ in rows)
        e.outputs += tuple(self.new(result) for result, _, _ in rows)
        e.collect_inputs()
