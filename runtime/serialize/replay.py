"""Calls of a saved graph in a function that is being traced: its graph becomes a call in theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.ir.errors import InvalidArgumentError, TracingError
from autograph.runtime.ir.frame_state import Given
from autograph.runtime.ir.graph import CALL, Graph, Value, atom_type, graphs_in
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import children, map_nest
from autograph.runtime.ir.visitor import copied
from autograph.runtime.ops.op import OPS
from autograph.runtime.signatures.binding import LeafRef
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.tensor import Tensor, apply, lower
from autograph.runtime.symbolic.variables import Variable


def plain_function(name: str, program: Program, arguments: dict[str, Any]
                   ) -> Callable[[dict[str, Any]], Any]:
    """Returns what a saved function has in place of the user's source: in a trace, it records a
    call of the graph.

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
    """Records the call, the writes to arguments, and gives the result."""
    graph = program.graph
    if program.by_reference or program.refill or len(graphs_in(graph)) > 1 or any(
            isinstance(x, Variable) for x in leaves):
        raise TracingError(f"{name}, which was loaded from a file, changes containers or calls "
                           "itself: it cannot be called in a function that is traced\n"
                           "  hint: call it outside, or through ag.py_function")
    here = trace.current_region()
    assert here is not None
    captured = [here.trace.captures.value_of(x, v.hint or "c") for v, x in graph.captures.items()]
    callee = _callee(graph)
    types = tuple(map(atom_type, callee.outputs))
    made = record(OPS[CALL], (*map(lower, leaves), *captured), {}, (callee,), types,
                  [v.hint if isinstance(v, Value) else "" for v in graph.outputs])
    env: dict[Value, Any] = dict(zip(graph.inputs, leaves, strict=True))
    env.update((v, Tensor(made[i])) for i, v in enumerate(graph.outputs) if isinstance(v, Value)
               and v not in env)

    def read(x: Any) -> Any:
        return env[x] if isinstance(x, Value) else x

    for target, atom in program.write_back:
        env[target][...] = read(atom)
    for view in program.views:
        args = map_nest(read, view.args)
        env[view.outputs[0]] = apply(view.op, *args, **map_nest(read, dict(view.kwargs)))
    return map_nest(lambda x: _given(name) if isinstance(x, Given) else read(x), program.result)


def _given(name: str) -> Any:
    raise TracingError(f"{name}, which was loaded from a file, returns a container of its caller")


def _callee(graph: Graph) -> Graph:
    """Returns a copy of a graph, with inputs for what it captures."""
    inputs = tuple(Value(v.type, v.hint) for v in (*graph.inputs, *graph.captures))
    equations, outputs = copied(graph, dict(zip(
        (*graph.inputs, *graph.captures), inputs, strict=True)))
    return Graph(graph.name, inputs, equations, tuple(outputs))
