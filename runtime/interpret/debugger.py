"""Runs a graph equation by equation on the user's own lines: `ag.config.debug`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from autograph.runtime.diagnostics.error_notes import add_note
from autograph.runtime.diagnostics.tracebacks import drop_own
from autograph.runtime.interpret import interpreter
from autograph.runtime.interpret.debugger_code import Skeleton, skeleton
from autograph.runtime.interpret.interpreter import Environment, read
from autograph.runtime.interpret.nan_checks import WarnOnNan
from autograph.runtime.ir.errors import NumericsWarning
from autograph.runtime.ir.graph import Equation, Graph
from autograph.runtime.ir.printer import Printer
from autograph.runtime.ir.regions import Branch, Loop

on = os.environ.get("AUTOGRAPH_DEBUG", "0") not in ("", "0")
"""True if graphs are run this way; `ag.config.debug` sets it."""


@dataclass
class RunningLoop:
    """A loop that is running, its carried values and its iteration, from 0."""

    loop: Loop
    carried: Sequence[Any]
    items: Iterator[Any] | None = None
    iteration: int = -1

    @property
    def equation(self) -> Equation:
        return self.loop.equation


@dataclass(eq=False, repr=False)
class Stepper:
    """`__graph__` in a debugger: runs the graph, and shows what its values hold now.

    `__graph__["a"]` is the value of that name in the graph's text, `str(__graph__)`.
    """

    skeleton: Skeleton
    env: Environment
    nan_check: WarnOnNan
    library: Library
    loops: dict[int, RunningLoop] = field(default_factory=dict)
    branches: dict[int, Sequence[Any]] = field(default_factory=dict)

    @property
    def functions(self) -> list[FunctionType]:
        return self.skeleton.functions

    @property
    def iteration(self) -> tuple[int, ...]:
        """The iterations of the loops that are running, the outermost first."""
        return tuple(loop.iteration for loop in self.loops.values())

    def __str__(self) -> str:
        return str(self.skeleton.graph)

    def __repr__(self) -> str:
        return f"<graph of {self.skeleton.graph.name}, iteration {self.iteration}>"

    def __getitem__(self, name: str) -> Any:
        for value, known in Printer(self.skeleton.graph).names.of.items():
            if known == name and value in self.env:
                return self.env[value]
        raise KeyError(f"{name} has no value (yet)")

    # -- called by the skeleton --------------------------------------------------------------------

    def get(self, number: int) -> Any:
        """Returns what an atom of the graph holds."""
        return read(self.skeleton.atoms[number], self.env)

    def __call__(self, number: int) -> None:
        """Runs an equation."""
        e = self.skeleton.equations[number]
        results: Sequence[Any]
        if e.callee is not None:
            results = self.library.run(e.callee, read(e.args, self.env), self.nan_check)
        else:
            results = interpreter.run_equation(e, self.env)
        self.env.update(zip(e.outputs, results, strict=True))
        self.nan_check.check(e, results, self.env, self.loops.values())

    def test(self, number: int) -> bool:
        """Returns True if the first branch of a `cond` is taken."""
        return bool(read(Branch(self.skeleton.equations[number]).predicate, self.env))

    def leave(self, number: int, truth: bool) -> None:
        """Ends a branch on one of its sides."""
        branch = Branch(self.skeleton.equations[number])
        results = read(branch.side(truth).outputs, self.env)
        self.env.update(zip(branch.results, results, strict=True))

    def begin(self, number: int) -> None:
        """Enters a loop."""
        loop = Loop(self.skeleton.equations[number])
        iterable, carried = read((loop.iterable, loop.initial), self.env)
        for region in loop.in_order():
            self.env.update(region.captures)
        self.loops[number] = RunningLoop(loop, carried, iter(iterable) if loop.is_for else None)

    def next(self, number: int) -> bool:
        """Begins an iteration: binds the test's inputs; without a test, the body's. Returns False
        if there is no item left."""
        running = self.loops[number]
        running.iteration += 1
        if running.loop.test is None:
            return self.enter(running)
        self.bind(running.loop.test, running.carried)
        return True

    def holds(self, number: int) -> bool:
        """Returns True if a loop's test is true and there is an item; the body's inputs are bound
        then. As after a `break`, no item is taken if the test is false."""
        running = self.loops[number]
        assert running.loop.test is not None
        return bool(read(running.loop.test.outputs[0], self.env)) and self.enter(running)

    def enter(self, running: RunningLoop) -> bool:
        """Binds the inputs of a loop's body; returns False if there is no item left."""
        first: tuple[Any, ...] = ()
        if running.items is not None:
            try:
                first = (next(running.items),)
            except StopIteration:
                return False
        self.bind(running.loop.body, (*first, *running.carried))
        return True

    def end(self, number: int) -> None:
        """Ends an iteration."""
        running = self.loops[number]
        running.carried = read(running.loop.body.outputs, self.env)

    def finish(self, number: int) -> None:
        """Leaves a loop."""
        loop = self.loops.pop(number)
        self.env.update(zip(loop.equation.outputs, loop.carried, strict=True))

    def bind(self, region: Graph, values: Sequence[Any]) -> None:
        self.env.update(zip(region.inputs, values, strict=True))


@dataclass(eq=False)
class Library:
    """The skeletons of a graph and of the graphs that it calls, each built when it first runs.

    known  the values of parameters that are constants in the graph, by name.
    """

    known: dict[str, Any]
    skeletons: dict[Graph, Skeleton] = field(default_factory=dict)

    def run_graph(self, graph: Graph, env: Environment) -> None:
        """Runs a graph whose inputs are in `env`.

        Raises:
          Exception: whatever an equation raises, with notes that name the user's line, the
            operands, and the iterations of the loops around it.
        """
        self.run_in(graph, env, WarnOnNan(graph))

    def run(self, graph: Graph, inputs: Sequence[Any], nan_check: WarnOnNan) -> tuple[Any, ...]:
        """Returns the outputs of a graph that is called."""
        env = dict(zip(graph.inputs, inputs, strict=True))
        self.run_in(graph, env, nan_check)
        results: tuple[Any, ...] = read(graph.outputs, env)
        return results

    def run_in(self, graph: Graph, env: Environment, nan_check: WarnOnNan) -> None:
        if graph not in self.skeletons:
            self.skeletons[graph] = skeleton(graph, self.known if not self.skeletons else {})
        env.update(graph.captures)
        stepper = Stepper(self.skeletons[graph], env, nan_check, self)
        try:
            stepper.functions[0](stepper)
        except Exception as error:
            drop_own(error)
            if isinstance(error, NumericsWarning):
                raise  # its text has the location and the iterations
            for loop in reversed(stepper.loops.values()):
                add_note(error, interpreter.iteration_note(loop.equation, loop.iteration))
            raise


def values_of(nest: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments that are constants in a graph (numbers, text, None) by name."""
    return {name: x for name, x in nest.items()
            if x is None or isinstance(x, (bool, int, float, complex, str, bytes))}
