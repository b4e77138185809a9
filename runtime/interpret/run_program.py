"""Runs a program (a graph and what is done after it) equation by equation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.heap.named_locations import owners_of
from autograph.runtime.interpret import interpreter
from autograph.runtime.ir.frame_state import Given, filled_in, instead, refill
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.types import is_container


def interpret(program: Program, leaves: tuple[Any, ...],
              run_graph: Callable[..., Any] = interpreter.run_graph) -> Any:
    """Runs a program with `run_graph`: the reference interpreter, or the debugger's.

    Args:
      program: what to run.
      leaves: the values of the graph's inputs, then the containers that the caller passed.
      run_graph: takes a graph and an environment, and computes the graph's values in it.

    Returns:
      What the traced function returned, in the function's own structure.
    """
    count = len(program.graph.inputs)
    env = dict(zip(program.graph.inputs, leaves[:count], strict=True))
    given = dict(zip(program.containers, leaves[count:], strict=True))
    if not program.handled:
        env[interpreter.OWNERS] = given
    owners = owners_of(x for x, _ in program.locations)
    kept = owners() if owners else ()  # alive until their attributes are written
    run_graph(program.graph, env)

    def read(x: Any) -> Any:
        if isinstance(x, Given):
            return given[x.number]
        return env[x] if isinstance(x, Value) else x

    for target, atom in program.write_back:
        left = read(atom)
        if is_container(target.type):
            refill(env[target], left)
        elif left is not env[target]:
            env[target][...] = left
        env.update((v, instead(read(v), left, env[target])) for v in program.maybe_arguments)
    for view in program.views:
        env.update(zip(view.outputs, interpreter.run_equation(view, env), strict=True))
    for number, contents in program.refill:
        refill(given[number], filled_in(read, contents))
    for location, contents in program.locations:
        location.write(filled_in(read, contents))
    del kept
    return filled_in(read, program.result)
