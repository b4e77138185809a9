"""Runs a graph equation by equation on the user's own lines, for debuggers and for checks of
numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from autograph.runtime.diagnostics.tracebacks import drop_own
from autograph.runtime.interpret import interpreter
from autograph.runtime.interpret.debugger_text import Skeleton, skeleton
from autograph.runtime.interpret.interpreter import Environment, read
from autograph.runtime.interpret.nan_checks import BadNumbers
from autograph.runtime.ir.errors import NumericsWarning
from autograph.runtime.ir.graph import Equation, Graph
from autograph.runtime.ir.printer import Printer

on = False
"""Whether graphs are run this way; `ag.config.debug` sets it."""


@dataclass
class Loop:
    """A loop that is running: what it carries, and which round it is in, from 0."""

    equation: Equation
    carried: Sequence[Any]
    items: Iterator[Any] | None = None
    round: int = -1


@dataclass(eq=False, repr=False)
class Stepper:
    """`__graph__` in a debugger: what the graph's values hold at the moment.

    `__graph__["a"]` is the value of that name in the graph's text, `str(__graph__)`.
    """

    made: Skeleton
    env: Environment
    numerics: BadNumbers
    library: Library
    loops: dict[int, Loop] = field(default_factory=dict)
    branches: dict[int, Sequence[Any]] = field(default_factory=dict)

    @property
    def functions(self) -> list[FunctionType]:
        return self.made.functions

    @property
    def iteration(self) -> tuple[int, ...]:
        """The rounds of the loops that are running, the outermost first."""
        return tuple(loop.round for loop in self.loops.values())

    def __str__(self) -> str:
        return str(self.made.graph)

    def __repr__(self) -> str:
        return f"<graph of {self.made.graph.name}, iteration {self.iteration}>"

    def __getitem__(self, name: str) -> Any:
        for value, known in Printer(self.made.graph).names.of.items():
            if known == name and value in self.env:
                return self.env[value]
        raise KeyError(f"{name} has no value (yet)")

    # -- asked for by the skeleton ----------------------------------------------------------------

    def get(self, number: int) -> Any:
        """An atom's value."""
        return read(self.made.atoms[number], self.env)

    def __call__(self, number: int) -> None:
        """Run an equation."""
        e = self.made.equations[number]
        results: Sequence[Any]
        if e.op.name == "call":
            results = self.library.run(e.regions[0], read(e.args, self.env), self.numerics)
        else:
            results = interpreter.run_equation(e, self.env)
        self.env.update(zip(e.outputs, results, strict=True))
        self.numerics.look(e, results, self.env, self.loops.values())

    def test(self, number: int) -> bool:
        """Whether a branch is taken."""
        return bool(read(self.made.equations[number].args[0], self.env))

    def leave(self, number: int, which: int) -> None:
        """End a branch."""
        e = self.made.equations[number]
        self.env.update(zip(e.outputs, read(e.regions[which].outputs, self.env), strict=True))

    def begin(self, number: int) -> None:
        """Enter a loop."""
        e = self.made.equations[number]
        carried = read(e.args, self.env)
        for region in e.regions:
            self.env.update(region.captures)
        if e.op.name == "while":
            self.loops[number] = Loop(e, carried)
        else:
            self.loops[number] = Loop(e, carried[1:], iter(carried[0]))

    def next(self, number: int) -> bool:
        """Begin a round; False if there is no item left."""
        loop = self.loops[number]
        loop.round += 1
        regions = loop.equation.regions
        if loop.items is None:
            self.bind(regions[0], loop.carried)
            return True
        for item in loop.items:
            self.bind(regions[0], (item, *loop.carried))
            for test in regions[1:]:
                self.bind(test, loop.carried)
            return True
        return False

    def holds(self, number: int) -> bool:
        """Whether a loop's test lets the round go on."""
        loop = self.loops[number]
        regions = loop.equation.regions
        test = regions[0] if loop.items is None else regions[1]
        if not read(test.outputs[0], self.env):
            return False
        if loop.items is None:
            self.bind(regions[1], loop.carried)
        return True

    def end(self, number: int) -> None:
        """End a round."""
        loop = self.loops[number]
        body = loop.equation.regions[1 if loop.items is None else 0]
        loop.carried = read(body.outputs, self.env)

    def finish(self, number: int) -> None:
        """Leave a loop."""
        loop = self.loops.pop(number)
        self.env.update(zip(loop.equation.outputs, loop.carried, strict=True))

    def bind(self, region: Graph, values: Sequence[Any]) -> None:
        self.env.update(zip(region.inputs, values, strict=True))


@dataclass(eq=False)
class Library:
    """The skeletons of a graph and of those that it calls, each made when it is first run.

    known  the values of parameters that are constants in the graph.
    """

    known: dict[str, Any]
    made: dict[Graph, Skeleton] = field(default_factory=dict)

    def run_graph(self, graph: Graph, env: Environment) -> None:
        """Run a graph whose inputs are in `env`.

        Raises:
          whatever an equation raises, with notes that name the place, the operands, and the rounds
          of the loops around.
        """
        self.run_in(graph, env, BadNumbers(graph))

    def run(self, graph: Graph, inputs: Sequence[Any], numerics: BadNumbers) -> tuple[Any, ...]:
        """The outputs of a graph that is called."""
        env = dict(zip(graph.inputs, inputs, strict=True))
        self.run_in(graph, env, numerics)
        results: tuple[Any, ...] = read(graph.outputs, env)
        return results

    def run_in(self, graph: Graph, env: Environment, numerics: BadNumbers) -> None:
        if graph not in self.made:
            self.made[graph] = skeleton(graph, self.known if not self.made else {})
        env.update(graph.captures)
        stepper = Stepper(self.made[graph], env, numerics, self)
        try:
            stepper.functions[0](stepper)
        except Exception as error:
            drop_own(error)
            if isinstance(error, NumericsWarning):
                raise  # it says so itself
            for loop in reversed(stepper.loops.values()):
                error.add_note(interpreter.iteration_note(loop.equation, loop.round))
            raise


def values_of(nest: dict[str, Any]) -> dict[str, Any]:
    """The arguments that are constants: numbers, texts and None by parameter name."""
    return {name: x for name, x in nest.items()
            if x is None or isinstance(x, (bool, int, float, complex, str, bytes))}
