"""What a decorated function tells beside its result: its variables' first values, its code at each
stage."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from autograph.dispatcher import Dispatcher
from autograph.runtime.concrete import ConcreteFunction
from autograph.runtime.execute import interpreter
from autograph.runtime.graph import Equation, Graph, Value
from autograph.runtime.ops.state import Storage
from autograph.runtime.spec import TensorSpec

INITIALISE = "initialise_variable"
STAGES: dict[str, Callable[[ConcreteFunction], str]] = {
    "graph": lambda concrete: str(concrete.traced_graph),
    "optimized": lambda concrete: str(concrete.graph),
    "python": lambda concrete: concrete.source,
}
"""What `experimental_get_compiler_ir` can show."""


def compiler_ir(dispatcher: Dispatcher, args: tuple[Any, ...], kwargs: dict[str, Any]
                ) -> Callable[..., str]:
    """A function that gives the text of the trace for these arguments at a stage.

    Raises:
      ValueError: (when called) there is no such stage.
    """
    concrete, _ = dispatcher.find(named_arguments(dispatcher, args, kwargs))

    def text(stage: str = "optimized") -> str:
        if stage not in STAGES:
            raise ValueError(f"stage must be one of {', '.join(STAGES)}, not {stage!r}")
        return STAGES[stage](concrete)

    return text


def initialization_function(dispatcher: Dispatcher, args: tuple[Any, ...], kwargs: dict[str, Any]
                            ) -> Callable[[], None]:
    """A function that gives the variables that the function makes their first values (again).

    The function is traced for the arguments, not run.

    Raises:
      RuntimeError: the function has been called already, so its variables have been made.
      ValueError: a first value depends on an argument that was given as a TensorSpec.
    """
    if dispatcher.traces:
        raise RuntimeError(
            f"get_initialization_function cannot be used after {dispatcher.name} has been called")
    concrete, bound = dispatcher.find(named_arguments(dispatcher, args, kwargs))
    made = [s for s in concrete.graph.captures.values() if isinstance(s, Storage)]
    first = [(s, s.snapshot()) for s in made if s.array is not None]
    computed = _initial_values(concrete.traced_graph)
    given = {v: leaf.value for v, leaf in zip(
        concrete.traced_graph.inputs, bound.leaves, strict=True)}
    if computed.equations and any(isinstance(x, TensorSpec) or x is None for x in given.values()):
        raise ValueError("the first value of a variable depends on the arguments: give arrays, "
                         "not TensorSpecs")

    def initialise() -> None:
        for storage, value in first:
            storage.array = value
        for storage in made:
            if all(storage is not s for s, _ in first):
                storage.array = None
        interpreter.run_graph(computed, dict(given))

    return initialise


def _initial_values(graph: Graph) -> Graph:
    """The part of a graph that gives variables their first values."""
    wanted: set[Value] = set()
    kept: list[Equation] = []
    for equation in reversed(graph.equations):
        if equation.op.name == INITIALISE or wanted.intersection(equation.outputs):
            kept.insert(0, equation)
            wanted.update(equation.inputs)
            wanted.update(v for region in equation.regions for v in region.free_values())
    return Graph(graph.name, graph.inputs, kept, (), graph.captures)


def named_arguments(dispatcher: Dispatcher, args: tuple[Any, ...], kwargs: dict[str, Any]
                    ) -> dict[str, Any]:
    found = inspect.Signature(dispatcher.parameters).bind(*args, **kwargs)
    found.apply_defaults()
    return dict(found.arguments)
