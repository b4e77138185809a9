"""Descriptions of a concrete function: graphs, types, specs, captures and text."""

from __future__ import annotations

from typing import Any

from autograph.locks import cached_property
from autograph.runtime.codegen.python_file import PythonFile
from autograph.runtime.ir.change_log import Change
from autograph.runtime.ir.errors import StandaloneError
from autograph.runtime.ir.graph import Graph, Value
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import map_nest
from autograph.runtime.ir.types import Type
from autograph.runtime.ops.state import Storage
from autograph.runtime.signatures.binding import PERSISTENT, Bound
from autograph.runtime.signatures.function_type import (
    FunctionType,
    Parameters,
    block,
    spec_nest,
    structured,
)
from autograph.runtime.symbolic.variables import Variable


class Description:
    """The attributes of a traced signature that say what it is.

    `name`, `program`, `bound` and `parameters` are set by the subclass.
    """

    name: str
    program: Program
    bound: Bound
    parameters: Parameters

    @property
    def graph(self) -> Graph:
        """The graph as it is executed."""
        return self.program.graph

    @property
    def traced_graph(self) -> Graph:
        """The graph as it was traced, before any pass."""
        return self.program.traced or self.graph

    @property
    def changes(self) -> list[Change]:
        """The changes that the optimiser made to the traced graph, in order."""
        return self.program.record.changes

    @property
    def inputs(self) -> tuple[Type, ...]:
        """The types of the arguments' arrays, in order."""
        return tuple(v.type for v in self.graph.inputs)

    @property
    def outputs(self) -> tuple[Type, ...]:
        """The types of the graph's outputs, in order."""
        return tuple(x.type for x in self.graph.outputs if isinstance(x, Value))

    @property
    def writes_arguments(self) -> bool:
        """True if the graph writes to arrays among the arguments."""
        return bool(self.program.write_back)

    # -- types ------------------------------------------------------------------------------------

    @cached_property
    def function_type(self) -> FunctionType:
        """The types of arguments, result and captures, as an `inspect.Signature`."""
        return FunctionType.of_trace(self.parameters, self.bound, self.program)

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """(args, kwargs) with a `TensorSpec` for every array."""
        specs = spec_nest(self.bound.nest, self.bound.leaves)
        return structured(self.parameters, specs, lambda x: x)

    @property
    def structured_outputs(self) -> Any:
        """The result with a `TensorSpec` for every array; Python values are themselves."""
        return spec_nest(self.program.result, self.bound.leaves)

    @property
    def output_shapes(self) -> Any:
        """The result with a shape for every array, None for everything else."""
        return map_nest(lambda x: getattr(x, "shape", None), self.structured_outputs)

    @property
    def output_dtypes(self) -> Any:
        """The result with a dtype for every array, None for everything else."""
        return map_nest(lambda x: getattr(x, "dtype", None), self.structured_outputs)

    # -- captures ---------------------------------------------------------------------------------

    @property
    def captured_inputs(self) -> tuple[Any, ...]:
        """The arrays and variables that the graph refers to: the objects themselves."""
        return tuple(Variable.of_storage(c) if isinstance(c, Storage) else c
                     for c in self.graph.captures.values())

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables among the captures."""
        return tuple(v for v in self.captured_inputs if isinstance(v, Variable))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The trainable variables among the captures."""
        return tuple(v for v in self.variables if v.trainable)

    # -- text -------------------------------------------------------------------------------------

    def to_python(self) -> PythonFile:
        """Returns a file of Python that defines the function for this signature, over NumPy alone.

        It is text; `.save(path)` writes it with the large constants in an `.npz` beside it.

        Raises:
          StandaloneError: the function refers to something that cannot be written down.
        """
        from autograph.runtime.codegen.standalone import to_python  # of use here alone
        from autograph.runtime.functions.constant_state import with_constant_state

        program, bound = with_constant_state(self)  # type: ignore[arg-type]  # what describes itself
        if PERSISTENT in bound.nest:
            raise StandaloneError(f"{self.name} keeps arrays outside itself from call to call\n"
                                  "  hint: pass them as arguments, and return them")
        containers = [bound.containers[n][0] for n in program.containers]
        return to_python(program, self.name, self.parameters, bound.nest, containers)

    @property
    def function_def(self) -> dict[str, Any]:
        """The graph as nested dicts, lists and strings: what JSON can hold."""
        from autograph.runtime.drawings.graph_def import definition  # a reader of the graph

        return definition(self.graph)

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Returns the signature on several lines, or on one."""
        return block(self.function_type) if verbose else str(self.function_type)

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self) -> str:
        types = ", ".join(f"{v.hint}: {v.type}" for v in self.graph.inputs)
        return f"<ConcreteFunction {self.name}({types})>"

    def _repr_html_(self) -> str:
        """Returns what a notebook shows: the signature, and the graph as nested boxes."""
        from html import escape  # of use in notebooks alone

        return f"<pre>{escape(str(self))}</pre>{self.graph._repr_html_()}"
