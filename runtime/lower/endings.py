"""Endings: the last equations of a function, and its `return`s."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from autograph.runtime.ir.expressions import Expression, Operator
from autograph.runtime.ir.frame_state import has_choice
from autograph.runtime.ir.graph import Atom, Equation, Graph, Nest, Value
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import flatten, map_nest
from autograph.runtime.ir.regions import Branch, as_branch
from autograph.runtime.ir.statements import If, Return
from autograph.runtime.lower.conditionals import Conditionals, short_form
from autograph.runtime.lower.plan import Plan


class Endings(Conditionals):
    """Makes early returns: a side of a branch that ends a function returns by itself, and what
    follows is not nested in it.

    depths   what `depth_of` found.
    is_main  whether it is the program's own function that is made, not one that it calls.
    """

    def __init__(self, name: str, plan: Plan) -> None:
        super().__init__(name, plan)
        self.depths: dict[Graph, int] = {}
        self.is_main = True

    def block(self, graph: Graph) -> None:
        """Makes the equations of a graph or region."""
        raise NotImplementedError

    def set_frame_state(self, e: Equation) -> None:
        """Gives the statements that follow the equation's pending writes."""
        raise NotImplementedError

    def clear_frame_state(self) -> None:
        """Ends them."""
        raise NotImplementedError

    def ends_early(self, program: Program) -> bool:
        """Returns True if a program is better run with several `return`s: nothing is to be
        done after its branches, which are nested in each other."""
        branch = self.last_branch(program.graph, program.result)
        if branch is None or program.write_back or program.views or program.refill or (
                program.locations or has_choice(program.result)):
            return False
        return self.depth_of(program.graph) > 1 and not self.is_conditional(branch)

    def ending(self, graph: Graph, result: Nest) -> None:
        """Makes the equations, and `return`; after a branch that gives the result, in each of its
        sides: the one with more of them comes last."""
        while (branch := self.last_branch(graph, result)) is not None:
            inside = [v for _, side in branch.sides() for v in self.plan.free.of(side)]
            rest = [v for v in flatten(result) if isinstance(v, Value)]
            before = (*branch.equation.inputs, *inside, *rest)
            self.block(Graph(graph.name, graph.inputs, graph.equations[:-1], before))
            self.set_frame_state(branch.equation)
            sides = [(side, given(branch, side, result)) for _, side in branch.sides()]
            for side, made in sides:
                self.count_again(side.outputs, made)
            turned = self.depth_of(branch.on_true) > self.depth_of(branch.on_false)
            test = self.nest(branch.predicate)
            made = If(Operator("not {0}", (test,)) if turned else test)
            self.add(made, branch.equation.location)
            (first, second) = sides[::-1] if turned else sides
            with self.inside(made.then):
                self.ending(*first)
            graph, result = second
        self.block(graph)
        self.clear_frame_state()
        if self.is_main or result:
            self.add(Return(self.returned(result)))

    def count_again(self, outputs: Sequence[Atom], result: Nest) -> None:
        """Counts the uses of what a side gives: the result may hold it in several places."""
        once = Counter(v for v in outputs if isinstance(v, Value))
        for v, n in Counter(v for v in flatten(result) if isinstance(v, Value)).items():
            self.uses[v] += max(0, n - once[v])

    def last_branch(self, graph: Graph, result: Nest) -> Branch | None:
        """Returns the branch at the end of a graph, if the result is what it gives; not one that
        stays `a and b`."""
        branch = as_branch(graph.equations[-1]) if graph.equations else None
        if branch is None or branch.equation.settings or not branch.results:
            return None
        wanted = {v for v in flatten(result) if isinstance(v, Value)}
        if not wanted.issuperset(branch.results):
            return None
        return None if short_form(branch) and self.is_conditional(branch) else branch

    def depth_of(self, graph: Graph) -> int:
        """Returns how many branches that end a graph are nested in each other."""
        if graph not in self.depths:
            branch = self.last_branch(graph, graph.outputs)
            self.depths[graph] = 0 if branch is None else 1 + max(
                self.depth_of(side) for _, side in branch.sides())
        return self.depths[graph]

    def returned(self, result: Nest) -> tuple[Expression, ...]:
        """Returns what a function gives back."""
        return (self.result(result),) if self.is_main else tuple(map(self.nest, result))


def given(branch: Branch, side: Graph, result: Nest) -> Nest:
    """Returns the result as one side gives it."""
    made = dict(zip(branch.results, side.outputs, strict=True))
    return map_nest(lambda x: made.get(x, x) if isinstance(x, Value) else x, result)
