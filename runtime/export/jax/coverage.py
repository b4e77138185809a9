"""Which op JAX takes for which dtype: each record's samples are lowered, in each dtype.

`python -m autograph.runtime.export.jax.coverage > docs/jax-coverage.md` writes the table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.export.jax.elementwise import GUARDED, elementwise
from autograph.runtime.export.jax.lowering import JaxLowering, Masked, SymbolicRange
from autograph.runtime.export.jax.rules import jax_function, numpy_function, rule_for
from autograph.runtime.export.samples import STRUCTURE, graph_of, page, row
from autograph.runtime.ir.errors import ExportError
from autograph.runtime.ir.graph import leaves
from autograph.runtime.ops.op import Op

FORMS = dict(zip(STRUCTURE, ("`lax.cond`", "`lax.while_loop`", "`lax.scan`", "inlined"),
                 strict=True))


def lowered(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]
            ) -> tuple[Callable[..., list[Any]], list[Any]]:
    """Returns a function of JAX arrays that computes one equation, and the arrays of a sample."""
    graph, given = graph_of(op, args, kwargs)

    def call(*arrays: Any) -> list[Any]:
        lowering = JaxLowering(rule_for, checks="drop")
        lowering.env.update(zip(given, map(lowering.array, arrays), strict=True))
        made = lowering.run(graph)
        if any(isinstance(x, Masked) for x in leaves(made)):
            raise ExportError("what a mask selects is no array of JAX")
        return made

    return call, list(given.values())


def recorded(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], wanted: Any) -> None:
    """Records one equation under JAX's tracer, which knows no values.

    Raises:
      ExportError: the op has no form in JAX.
    """
    call, arrays = lowered(op, args, kwargs)

    def arrays_of(*given: Any) -> list[Any]:
        return [x for x in leaves(call(*given)) if hasattr(x, "dtype")
                and not isinstance(x, SymbolicRange)]

    jax = JaxLowering(rule_for).jax
    jax.eval_shape(arrays_of, *map(jax.numpy.asarray, arrays))


def how(op: Op) -> str:
    """Returns what an op becomes: JAX's function of its name, others, or nothing: why."""
    form = FORMS.get(op.name)
    if form is not None:
        return form
    rule, lowering = rule_for(op), JaxLowering(rule_for)
    reason = getattr(rule, "reason", "")
    if rule is elementwise and op.ufunc not in GUARDED:
        name = getattr(op.ufunc, "__name__", "")
        if hasattr(lowering.jnp, name):
            return f"`jnp.{name}`"
        reason = f"jax.numpy has no {name}"
    if rule is numpy_function:
        if jax_function(lowering, op) is not None:
            return f"`jnp.{op.name.removeprefix('np.')}`"
        reason = f"jax.numpy has no {op.name}"
    return f"refused: {reason}" if reason else "decomposed"


def line(op: Op) -> str:
    """Returns the line of an op in the table."""
    return row(op, how(op), recorded)


def table() -> str:
    """Returns the page of docs/jax-coverage.md."""
    JaxLowering(rule_for).jax.config.update("jax_enable_x64", True)
    return page("What JAX takes", "autograph.runtime.export.jax.coverage",
                'What may raise is lowered with `checks="drop"`.', line)


if __name__ == "__main__":
    print(table(), end="")
