"""Calls of a saved graph in a function that is being traced: its equations are recorded there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.ir.errors import InvalidArgumentError, TracingError
from autograph.runtime.ir.exception_tables import under_handler
from autograph.runtime.ir.frame_state import Given, filled_in
from autograph.runtime.ir.graph import Value, graphs_in
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import children, map_nest
from autograph.runtime.ir.visitor import copied
from autograph.runtime.signatures.filler import LeafRef
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply, lower
from autograph.runtime.symbolic.variables import Variable


def plain_function(name: str, program: Program, arguments: dict[str, Any]
                   ) -> Callable[[dict[str, Any]], Any]:
    """Returns what a saved function has in place of the user's source: in a trace, it records the
    equations of the graph.

    `arguments` is the nest of the signature.
    """
    def plain(nest: dict[str, Any]) -> Any:
        if not trace.tracing():
            raise InvalidArgumentError(
                f"{name} needs arrays in C order: what a reshape shares with an array depends on "
                "it, and the file has no source to run instead\n"
                "  hint: pass np.ascontiguousarray(x)")
        leaves: dict[int, Any] = {}
        for key, x in arguments.items():
            _collect(x, nest[key], leaves)
        return _call(name, program, [leaves[i] for i in range(len(program.graph.inputs))])

    return plain


def _collect(pattern: Any, nest: Any, leaves: dict[int, Any]) -> None:
    if isinstance(pattern, LeafRef):
        leaves[pattern.index] = nest
        return
    found, given = children(pattern), children(nest)
    if found is not None and given is not None:
        for p, x in zip(found[1], given[1], strict=True):
            _collect(p, x, leaves)


def _call(name: str, program: Program, leaves: list[Any]) -> Any:
    """Records the equations of the graph and the writes to arguments, and gives the result."""
    graph = program.graph
    if program.by_reference or program.refill or len(graphs_in(graph)) > 1 or any(
            isinstance(x, Variable) for x in leaves) or any(
            e.pending_writes for e in graph.walk()):
        raise TracingError(f"{name}, which was loaded from a file, calls itself, changes a "
                           "container, or raises after a write: it cannot be called in a function "
                           "that is traced\n  hint: call it outside, or through ag.py_function")
    here = trace.current_region()
    assert here is not None
    values: dict[Value, Any] = dict(zip(graph.inputs, map(lower, leaves), strict=True))
    for v, x in graph.captures.items():
        values[v] = here.trace.captures.value_of(x, v.hint or "c")
    equations, outputs = copied(graph, values)
    here.trace.handled = here.trace.handled or under_handler()
    for e in equations:
        if here.trace.before_recording is not None:
            here.trace.before_recording(e)
        here.graph.equations.append(e)
    env: dict[Value, Any] = {
        v: Tensor(x) if isinstance(x, Value) else x
        for v, x in zip(graph.outputs, outputs, strict=True) if isinstance(v, Value)}
    env.update(zip(graph.inputs, leaves, strict=True))

    def read(x: Any) -> Any:
        return env[x] if isinstance(x, Value) else x

    for target, atom in program.write_back:
        env[target][...] = read(atom)
    for view in program.views:
        args = map_nest(read, view.args)
        env[view.outputs[0]] = apply(view.op, *args, **map_nest(read, dict(view.kwargs)))
    return filled_in(lambda x: _given(name) if isinstance(x, Given) else read(x), program.result)


def _given(name: str) -> Any:
    raise TracingError(f"{name}, which was loaded from a file, returns a container of its caller")
