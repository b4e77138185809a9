"""Reports on a decorated function: its traces and graphs, its variables' first
values, its code at each stage."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from autograph.function.dispatcher import Dispatcher
from autograph.runtime.codegen.python_file import PythonFile
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.interpret import interpreter
from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ops.state import INITIALISE, Storage
from autograph.runtime.signatures.binding import Bound
from autograph.runtime.signatures.cache_keys import Identity, Node
from autograph.runtime.signatures.spec import TensorSpec
from autograph.syntax.verbosity import many

STAGES: dict[str, Callable[[ConcreteFunction], str]] = {
    "graph": lambda concrete: str(concrete.traced_graph),
    "optimized": lambda concrete: str(concrete.graph),
    "program": lambda concrete: concrete.execution.statements,
    "python": lambda concrete: concrete.source,
    "loops": lambda concrete: concrete.loop_nests,
    "llvm": lambda concrete: concrete.llvm,
}
"""What `experimental_get_compiler_ir` can show."""
MAX_SHOWN = 10
"""So many traces of a function are shown in a notebook."""
GRAPHS: dict[str, Callable[[ConcreteFunction], Graph | str]] = {
    "traced": lambda concrete: concrete.traced_graph,
    "optimized": lambda concrete: concrete.graph,
    "program": lambda concrete: concrete.execution.statements,
    "loops": lambda concrete: concrete.loop_nests,
}
"""A graph as it was recorded, as it is optimised, the text of the statements that run it, and that
of its loop nests."""


@dataclass(frozen=True)
class Asked:
    """The subject of a question about a function: a call, or, without arguments, all its traces.

    instance  of a method, its first argument: alone it is no call, and selects its own traces.
    """

    dispatcher: Dispatcher
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    instance: tuple[Any, ...] = ()

    @property
    def is_call(self) -> bool:
        return bool(self.args or self.kwargs) or (
            len(self.dispatcher.parameters) == len(self.instance))

    def call(self) -> tuple[ConcreteFunction, Bound]:
        """The trace for the call, and the call taken apart; arrays may be `TensorSpec`s."""
        return self.dispatcher.find(named_arguments(
            self.dispatcher, self.instance + self.args, self.kwargs))

    def trace(self) -> ConcreteFunction:
        return self.call()[0]

    def traces(self) -> list[ConcreteFunction]:
        """The traces there are, the oldest first."""
        return [concrete for key, concrete in self.dispatcher.traces.items() if not self.instance
                or _instance_in(key[0]) in (Identity(self.instance[0]), None)]


def _instance_in(key: Node) -> Any:
    """Returns the instance that the first argument of a trace's key stands for; None if it counts
    by its contents.
    """
    first = key.parts[0][1] if key.parts else None
    return first if isinstance(first, Identity) else None


def graph(asked: Asked, stage: str) -> Graph | str:
    """The graph for a call, or that of the newest trace; at the stage "program" the statements
    that run it (in place, in tiles, on lists …), as text, at the stage "loops" the loop nests that
    are machine code.

    Raises:
      ValueError: there is no such stage; there is no trace yet.
    """
    if stage not in GRAPHS:
        raise ValueError(f"stage must be one of {', '.join(GRAPHS)}, not {stage!r}")
    return GRAPHS[stage](_newest(asked, "graph"))


def to_llvm(asked: Asked) -> str:
    """Returns the LLVM IR of what is machine code, for a call or for the newest trace, with the
    user's lines as comments; empty without `jit_compile=True`, or if nothing is machine code.

    Raises:
      ValueError: there is no trace yet.
    """
    return _newest(asked, "to_llvm").llvm


def _newest(asked: Asked, name: str) -> ConcreteFunction:
    if asked.is_call or asked.dispatcher.specs is not None:
        return asked.trace()
    if traces := asked.traces():
        return traces[-1]
    raise ValueError(f"{asked.dispatcher.name} has no trace yet\n"
                     f"  hint: call it, or give arguments: f.{name}(x)")


def to_python(asked: Asked) -> PythonFile:
    """Returns a file that needs NumPy alone: for a call, or for the only trace there is.

    Raises:
      StandaloneError: the function refers to something that cannot be written down.
      ValueError: no arguments are given, and there is not one trace.
    """
    if asked.is_call or asked.dispatcher.specs is not None:
        return asked.trace().to_python()
    traces = asked.traces()
    if len(traces) != 1:
        raise ValueError(
            f"{asked.dispatcher.name} has {len(traces)} traces; to_python writes one signature\n"
            "  hint: give arguments, or TensorSpecs, as for get_concrete_function")
    return traces[0].to_python()


def to_jax(asked: Asked, checks: str = "refuse", written_arguments: bool = False
           ) -> Callable[..., Any]:
    """Returns a function of JAX arrays that computes the same, for `jax.jit`, `vmap` and `grad`.

    It takes what the decorated function takes, with JAX arrays in the arguments. A call traces the
    function for the dtypes and shapes of the arrays, and lowers the graph to JAX: branches become
    `lax.cond`, loops `lax.scan` or `lax.while_loop`. Needs the extra `jax`.

    Args:
      asked: the function or method, without arguments: those are for the function that is the
        result.
      checks: "refuse" an error that the function may raise, or "drop" it: the result is then not
        defined where the function raises.
      written_arguments: if True, the function returns `(result, {path: array})`, with the new
        arrays of the arguments that it writes. JAX's arrays never change.

    Raises:
      ImportError: JAX is not installed.
      ExportError: (when called) the graph has no form in JAX; the message names the line.
    """
    if asked.args:
        raise TypeError("to_jax takes no arguments of the function: it returns a function, which "
                        f"does\n  hint: write {asked.dispatcher.name}.to_jax()(x)")
    from autograph.runtime.export.jax import to_jax  # JAX is wanted here alone

    def find(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[ConcreteFunction, Bound]:
        return replace(asked, args=args, kwargs=kwargs).call()

    return to_jax(asked.dispatcher.name, find, checks, written_arguments)


def explain(asked: Asked) -> Any:
    """Returns the report on a function; `autograph.explain` is imported when it is wanted."""
    from autograph.explain import explain

    return explain(asked)


def summary(asked: Asked) -> str:
    """Returns the HTML that a notebook shows for a function: its traces, and how to see more."""
    import html  # for notebooks alone

    signatures = [html.escape(c.pretty_printed_signature(False)) for c in asked.traces()]
    shown = "".join(f"<li><code>{text}</code></li>" for text in signatures[:MAX_SHOWN])
    more = len(signatures) - MAX_SHOWN
    shown += f"<li>and {more} more</li>" if more > 0 else ""
    name = html.escape(asked.dispatcher.name)
    return (f"<div><code>{name}</code>: {many(len(signatures), 'trace')}<ul>{shown}</ul>"
            f"<code>{name}.explain()</code> shows what became of each line</div>")


def compiler_ir(dispatcher: Dispatcher, args: tuple[Any, ...], kwargs: dict[str, Any]
                ) -> Callable[..., str]:
    """Returns a function that gives the text of the trace for these arguments at a stage.

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
        if equation.op is INITIALISE or wanted.intersection(equation.outputs):
            kept.insert(0, equation)
            wanted.update(equation.inputs)
            wanted.update(v for region in equation.regions for v in region.free_values())
    return Graph(graph.name, graph.inputs, kept, (), graph.captures)


def named_arguments(dispatcher: Dispatcher, args: tuple[Any, ...], kwargs: dict[str, Any]
                    ) -> dict[str, Any]:
    """A call's arguments by parameter name; an `input_signature` stands for what is left out."""
    signature = inspect.Signature(dispatcher.parameters)
    try:
        found = signature.bind_partial(*args, **kwargs)
        found.arguments = {**(dispatcher.specs or {}), **found.arguments}
        found = signature.bind(*found.args, **found.kwargs)
    except TypeError as error:
        hint = "it is a method: ask it of an instance, or give that first" if (
            next(iter(signature.parameters), "") == "self") else (
            "give arguments as in a call, or ag.TensorSpec(shape, dtype) for arrays")
        raise TypeError(f"{dispatcher.qualified_name}(): {error}\n  hint: {hint}") from None
    found.apply_defaults()
    return dict(found.arguments)
