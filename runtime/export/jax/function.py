"""The functions of JAX arrays that users get: of one signature, and of any."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from autograph.runtime.export.exported import exported_program, in_full_if_needed
from autograph.runtime.export.jax.lowering import JaxLowering, Masked
from autograph.runtime.export.jax.raised import is_traced, raise_what_failed
from autograph.runtime.export.jax.rules import rule_for
from autograph.runtime.export.joins import OneOf
from autograph.runtime.export.kinds import is_number
from autograph.runtime.export.results import result_nest
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.ir.errors import ExportError
from autograph.runtime.ir.graph import Value, leaves, map_leaves
from autograph.runtime.signatures.binding import Bound
from autograph.runtime.signatures.spec import TensorSpec
from autograph.traceback_filter import hiding_frames

Find = Callable[[tuple[Any, ...], dict[str, Any]], tuple[ConcreteFunction, Bound]]


def run_with_jax(concrete: ConcreteFunction, values: list[Any], checks: str, written: bool) -> Any:
    """Runs the graph of a signature on JAX arrays, or records it if JAX is tracing.

    Args:
      values: what the graph's inputs are, in order.
      checks: "refuse" or "drop", see `to_jax`.
      written: True to return the arguments that the function writes, too.

    Returns:
      The result; with `written`, a pair of it and a dict of arrays by the path of the argument.

    Raises:
      ExportError: the graph has no form in JAX.
    """
    program = exported_program(concrete, "JAX")
    if program.write_back and not written:
        raise ExportError(f"{concrete.name} writes to its arguments, and JAX's arrays never change",
                          "written_arguments=True returns (result, the new arrays)")
    inputs = program.graph.inputs
    for target, _ in program.write_back:
        at = inputs.index(target)
        if sum(x is values[at] for x in values) > 1:
            raise ExportError(f"{concrete.name} writes {concrete.paths[at]}, an array that is "
                              "given twice", "pass a copy: x.copy()")
    lowering = JaxLowering(rule_for, checks, not any(map(is_traced, leaves(values))))
    lowering.env = {v: _argument(lowering, concrete, v, x) for v, x in zip(
        inputs, values, strict=True)}
    lowering.run(program.graph)
    changed: dict[str, Any] = {}
    for target, atom in program.write_back:
        path = concrete.paths[inputs.index(target)]
        changed[path] = lowering.env[target] = lowering.read(atom)
    for e in program.views:
        lowering.env.update(zip(e.outputs, lowering.results_of(e), strict=True))
    raise_what_failed(lowering, lambda: _with_numpy(concrete, values))
    if any(isinstance(lowering.read(x), Masked) for x in program.graph.outputs):
        raise ExportError(f"{concrete.name} returns what a mask selects: JAX's arrays have shapes "
                          "that are known before the program runs", "use np.where")
    result = result_nest(lowering, program.result, lambda x: _chosen(
        concrete, lowering.env[x]) if isinstance(x, Value) else x, partial(_chosen, concrete))
    return (result, changed) if written else result


def _with_numpy(concrete: ConcreteFunction, values: list[Any]) -> None:
    """Runs the graph with NumPy on copies of the values, to raise what it raises."""
    if not concrete.program.containers:
        concrete.run(*(np.array(x)[()] if np.isscalar(x) else np.array(x) if hasattr(x, "dtype")
                       else x for x in values))


def _chosen(concrete: ConcreteFunction, x: Any) -> Any:
    """Returns a result; of what is one of several things, the one that it is."""
    if x.__class__ in (tuple, list):
        return x.__class__(_chosen(concrete, part) for part in x)
    if x.__class__ is dict:
        return {key: _chosen(concrete, part) for key, part in x.items()}
    if not isinstance(x, OneOf):
        return x
    try:
        return _chosen(concrete, next(item for flag, item in zip(
            x.flags, x.items, strict=True) if bool(flag)))
    except ExportError:
        raise
    except Exception as error:  # JAX's own, for a value that is being traced
        raise ExportError(f"{concrete.name} returns one of {len(x.items)} things of unlike "
                          "structure: under jit, JAX wants one",
                          "call it without jit, or return arrays on all paths") from error


def _argument(lowering: JaxLowering, concrete: ConcreteFunction, value: Value, x: Any) -> Any:
    """Returns what an input of the graph is: a JAX array, or an object that is none."""
    if not hasattr(x, "dtype") or lowering.is_symbolic(x):
        return lowering.array(x) if lowering.is_symbolic(x) else x
    if not is_number(x):
        raise ExportError(f"{concrete.name} takes {value.hint}: JAX does not compute with the "
                          f"dtype {x.dtype}")
    return lowering.array(x)


def to_jax(name: str, find: Find, checks: str = "refuse", written_arguments: bool = False
           ) -> Callable[..., Any]:
    """Returns a function of JAX arrays that computes what a traced function does.

    Args:
      name: the name of the new function.
      find: gives the trace for a call's arguments, in which a `TensorSpec` stands for each JAX
        array, and the bound call.
      checks: "refuse", or "drop" to leave out what raises.
      written_arguments: True for `(result, {path: array})`, with the arrays among the arguments
        that the function writes.
    """
    jax = JaxLowering(rule_for, checks).jax  # a missing library is reported here, not at a call

    def call(*args: Any, **kwargs: Any) -> Any:
        specs: list[tuple[TensorSpec, Any]] = []

        def spec(x: Any) -> Any:
            if not isinstance(x, jax.Array):
                return x
            specs.append((TensorSpec(x.shape, x.dtype), x))
            return specs[-1][0]

        concrete, bound = find(tuple(map_leaves(spec, args)), map_leaves(spec, kwargs))
        arrays = {id(s): x for s, x in specs}
        values = [arrays.get(id(leaf.value), leaf.value) for leaf in bound.leaves]
        return in_full_if_needed(
            lambda c: run_with_jax(c, values, checks, written_arguments), concrete)

    call.__name__ = call.__qualname__ = name
    return hiding_frames(call)
