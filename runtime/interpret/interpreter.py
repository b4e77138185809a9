"""The reference interpreter runs a graph equation by equation; tests compare the others with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autograph.runtime.diagnostics.error_notes import add_note, describe, note
from autograph.runtime.diagnostics.line_tables import call_at
from autograph.runtime.interpret.watchers import current
from autograph.runtime.ir.frame_state import Given, write_pending
from autograph.runtime.ir.graph import CALL, Equation, Graph, Value, map_leaves
from autograph.runtime.ir.numpy_settings import applied
from autograph.runtime.ir.regions import BRANCH, FOR, WHILE, Branch, Call, Loop
from autograph.runtime.ir.types import DYNAMIC

Environment = dict[Value, Any]
"""Maps the values of a graph, and of the graphs around it, to what they hold now."""


def run(graph: Graph, *inputs: Any) -> tuple[Any, ...]:
    """Returns the graph's outputs for these inputs.

    Raises:
      Exception: whatever an equation raises, with a note that names the user's line and operands.
    """
    return run_graph(graph, dict(zip(graph.inputs, inputs, strict=True)))


def run_graph(graph: Graph, env: Environment) -> tuple[Any, ...]:
    """Runs the equations of a graph or region whose inputs are in `env`; returns its outputs."""
    env.update(graph.captures)
    watcher = current()
    for equation in graph.equations:
        if watcher is not None:
            watcher.before(equation, env)
        results = run_equation(equation, env)
        env.update(zip(equation.outputs, results, strict=True))
        if watcher is not None:
            watcher.after(equation, results, env)
    outputs: tuple[Any, ...] = read(graph.outputs, env)
    return outputs


def run_equation(equation: Equation, env: Environment) -> Sequence[Any]:
    """Returns the results of an equation; if it raises, its pending writes are made."""
    try:
        return CONTROL.get(equation.op.name, _kernel)(equation, env)
    except BaseException:
        containers = env.pop(OWNERS, None)  # only the innermost equation's writes
        if containers is not None:
            _write_pending(equation, env, containers)
        raise


OWNERS = Value(DYNAMIC, "owners")
"""An environment has the caller's containers, by number, under this key if it may write to them."""


def _write_pending(equation: Equation, env: Environment, containers: Mapping[int, Any]) -> None:
    def owner(target: Any) -> Any:
        return containers[target] if isinstance(target, int) else find(target)

    def find(x: Any) -> Any:
        if isinstance(x, Given):
            return containers[x.number]
        return env[x] if isinstance(x, Value) else x

    write_pending(tuple((owner(t), nest) for t, nest in equation.pending_writes or ()), find)


def read(nest: Any, env: Environment) -> Any:
    """Returns a nest in which values are replaced by what they hold."""
    return map_leaves(lambda x: env[x] if isinstance(x, Value) else x, nest)


def _kernel(equation: Equation, env: Environment) -> Sequence[Any]:
    """Returns the results of an equation that has no regions."""
    args, kwargs = read(equation.args, env), read(dict(equation.kwargs), env)
    try:
        with applied(equation.settings):
            result = call_at(equation.location, equation.op.kernel, args, kwargs)
    except BaseException as error:
        add_note(error, _where(equation, env), equation.location)
        raise
    return (result,) if len(equation.outputs) == 1 else result


def _where(equation: Equation, env: Environment) -> str:
    operands = {v.hint or f"operand {i}": env[v] for i, v in enumerate(equation.inputs, 1)}
    if equation.location is not None:
        return note(equation.location, operands)
    shown = ", ".join(f"{name}: {describe(x)}" for name, x in operands.items())
    return f"in {equation.op.name} with {shown}"


def _region(region: Graph, inputs: Sequence[Any], env: Environment) -> tuple[Any, ...]:
    env.update(zip(region.inputs, inputs, strict=True))
    return run_graph(region, env)


def _cond(equation: Equation, env: Environment) -> Sequence[Any]:
    branch = Branch(equation)
    return _region(branch.side(bool(read(branch.predicate, env))), (), env)


def _while(equation: Equation, env: Environment) -> Sequence[Any]:
    loop = Loop(equation)
    carried: Sequence[Any] = read(loop.initial, env)
    iteration = 0
    with_note = _iteration_note(equation)
    while with_note(iteration, _region, loop.test, carried, env)[0]:
        carried = with_note(iteration, _region, loop.body, carried, env)
        iteration += 1
    return carried


END = object()
"""What stands for the item after the last one."""


def _for(equation: Equation, env: Environment) -> Sequence[Any]:
    loop = Loop(equation)
    carried: Sequence[Any] = read(loop.initial, env)
    with_note = _iteration_note(equation)
    items, iteration = iter(read(loop.iterable, env)), 0
    # as after a `break`: no item is taken if the test is false
    while (not loop.test or with_note(iteration, _region, loop.test, carried, env)[0]) and (
            item := next(items, END)) is not END:
        carried = with_note(iteration, _region, loop.body, (item, *carried), env)
        iteration += 1
    return carried


def _iteration_note(equation: Equation) -> Callable[..., Any]:
    """Returns a function that runs a region and notes the iteration on an error it raises."""
    def with_note(iteration: int, fn: Callable[..., Any], *args: Any) -> Any:
        if (watcher := current()) is not None:
            watcher.iteration(equation, iteration)
        try:
            return fn(*args)
        except Exception as error:
            add_note(error, iteration_note(equation, iteration))
            raise

    return with_note


def iteration_note(loop: Equation, iteration: int) -> str:
    """Returns the note that names a loop's iteration."""
    where = f" at {loop.location}" if loop.location is not None else ""
    return f"in iteration {iteration} of the loop{where}"


def _call(equation: Equation, env: Environment) -> Sequence[Any]:
    call = Call(equation)
    return run(call.callee, *read(call.arguments, env))


CONTROL: dict[str, Callable[[Equation, Environment], Sequence[Any]]] = {
    BRANCH: _cond, WHILE: _while, FOR: _for, CALL: _call,
}
"""Runs the ops that have regions."""
