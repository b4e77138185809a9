"""Functions without a form of their own, by the parts that a table or their derivative rules name.

The parts are traced for the operands of the call, and their equations are lowered in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from autograph.extension_points import assemble
from autograph.runtime.export.kinds import joined_dtype, kind_of_constant
from autograph.runtime.export.lowering import Lowering
from autograph.runtime.export.sites import Site
from autograph.runtime.export.stand_ins import tried
from autograph.runtime.ir.graph import Graph, Value, leaves, map_leaves
from autograph.runtime.ir.types import ArrayType, PyType, Type
from autograph.runtime.ops.decompositions import parts_of
from autograph.runtime.ops.derivatives import NotDifferentiableHere, Parts
from autograph.runtime.ops.op import Op
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, lower


def by_parts(op: Op) -> Callable[[Lowering, Site], Any] | None:
    """Returns the rule of an op that other ops can compute; None for others."""
    parts = parts_of(op) or (op.derivative.value if isinstance(op.derivative, Parts) else None)
    if parts is None:
        return None
    named = _names(parts)
    may_raise = getattr(op.kernel, "__module__", None) == "math"

    def rule(lw: Lowering, site: Site) -> Any:
        args, kwargs = site.args, {k: site.kwargs[k] for k in named if k in site.kwargs}
        given: dict[Value, Any] = {}

        def value(x: Any) -> Any:
            if not lw.is_symbolic(x):
                return x
            made = Value(_type(lw, x), "x")
            given[made] = x
            return made

        operands = map_leaves(value, (args, kwargs))
        outer = lw.equation
        assert outer is not None
        if may_raise:
            lw.check()
        assemble()
        try:
            graph = _traced(parts, operands, tuple(given))
        except NotDifferentiableHere as error:
            lw.refuse(str(error))
        except Exception as error:  # the parts' own words are those of NumPy for a symbolic value
            lw.refuse("its parts need shapes or numbers that only the run knows", error,
                      hint="trace it with arrays or TensorSpecs whose dimensions are known")
        if any(e.op is op for e in graph.walk()):
            lw.refuse("it is made of itself")
        for e in graph.equations:
            e.location = outer.location
        kinds = [lw.kind_of_value(x) for x in given.values()]
        found = lw.region(graph, list(given.values()), kinds)
        lw.equation = outer
        return _as_numpy(lw, op, args, kwargs, found[0])

    return rule


def _names(parts: Callable[..., Any]) -> list[str]:
    try:
        known = signature(parts).parameters.values()
    except ValueError:  # of NumPy's own
        return []
    return [p.name for p in known if p.kind != p.VAR_KEYWORD]


def _type(lw: Lowering, x: Any) -> Type:
    shape, kind = getattr(x, "shape", None), lw.kind_of_value(x)
    if shape is None or kind is None:
        lw.refuse("it is no array whose number of dimensions is known")
    return PyType(kind) if isinstance(kind, type) else ArrayType(joined_dtype(kind), tuple(shape))


def _traced(parts: Callable[..., Any], operands: Any, inputs: tuple[Value, ...]) -> Graph:
    """Returns the graph of what a function is made of."""
    run = trace.Trace("parts")
    with trace.start(run) as region:
        args, kwargs = map_leaves(
            lambda x: Tensor(x) if isinstance(x, Value) else x, operands)
        made = parts(*args, **kwargs)
        result = map_leaves(lower, made)
    captures = dict(run.captures.values.values())
    return Graph("parts", inputs, region.graph.equations, (result,), captures)


def _as_numpy(lw: Lowering, op: Op, args: Any, kwargs: Any, found: Any) -> Any:
    """Returns results in the dtypes that NumPy gives; refuses what it raises for such shapes.

    NumPy's function is called for this, with ones in place of the arrays; where a dimension is
    open, short arrays tell if it may raise.
    """
    is_open = any(None in x.shape for x in leaves((args, kwargs)) if lw.is_symbolic(x))
    wanted = tried(lw, op, args, kwargs)
    if isinstance(wanted, Exception):
        if is_open:
            lw.refuse("a function that raises for some of the shapes that are left open")
        lw.refuse(f"{type(wanted).__name__}: {wanted}", wanted)
    if is_open and any(isinstance(tried(lw, op, args, kwargs, n), Exception) for n in (0, 1)):
        lw.check()
    several = isinstance(wanted, (list, tuple))
    pairs = zip(found if several else [found], wanted if several else [wanted], strict=True)
    made = [_like(lw, x, like) for x, like in pairs]
    return type(wanted)(made) if several else made[0]


def _like(lw: Lowering, x: Any, like: Any) -> Any:
    """Returns a result as one of the class or dtype of another."""
    if isinstance(like, (list, tuple)):
        return type(like)(_like(lw, a, b) for a, b in zip(x, like, strict=True))
    return lw.of_kind(lw.cast(x, np.asarray(like).dtype), kind_of_constant(like))
