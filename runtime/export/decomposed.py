"""NumPy's functions without a form of their own, by the parts that their derivative rules name.

The parts are traced for the operands of the call, and their equations are lowered in its place.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from autograph.runtime.export.lowering import Lowering, Site
from autograph.runtime.ir.graph import Graph, Value, leaves, map_leaves
from autograph.runtime.ir.types import ArrayType, PyType, Type
from autograph.runtime.ops.derivatives import Parts
from autograph.runtime.ops.op import Op
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, lower

OPEN = 3
"""The length that stands for an open dimension where a function is called on ones."""


def by_parts(op: Op) -> Callable[[Lowering, Site], Any] | None:
    """Returns the rule of an op that its derivative rule takes apart; None for others."""
    parts = op.derivative
    if not isinstance(parts, Parts):
        return None
    named = [p.name for p in signature(parts.value).parameters.values() if p.kind != p.VAR_KEYWORD]

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
        try:
            graph = _traced(parts.value, operands, tuple(given))
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


def _type(lw: Lowering, x: Any) -> Type:
    shape, kind = getattr(x, "shape", None), lw.kind_of_value(x)
    if shape is None or kind is None:
        lw.refuse("it is no array whose number of dimensions is known")
    return ArrayType(kind, tuple(shape)) if isinstance(kind, np.dtype) else PyType(kind)


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
    wanted = _tried(lw, op, args, kwargs, OPEN)
    if isinstance(wanted, Exception):
        if is_open:
            lw.refuse("a function that raises for some of the shapes that are left open")
        lw.refuse(f"{type(wanted).__name__}: {wanted}", wanted)
    if is_open and any(isinstance(_tried(lw, op, args, kwargs, n), Exception) for n in (0, 1)):
        lw.check()
    several = isinstance(wanted, (list, tuple))
    pairs = zip(found if several else [found], wanted if several else [wanted], strict=True)
    made = [lw.cast(x, np.asarray(like).dtype) for x, like in pairs]
    return type(wanted)(made) if several else made[0]


def _tried(lw: Lowering, op: Op, args: Any, kwargs: Any, length: int) -> Any:
    """Returns what a function gives for ones of such shapes; the error, if it raises."""
    def ones(x: Any) -> Any:
        if not lw.is_symbolic(x):
            return x
        made = np.ones([length if d is None else d for d in x.shape], lw.dtype_of(x))
        return made if isinstance(lw.kind_of_value(x), np.dtype) else made.item()

    args, kwargs = map_leaves(ones, (args, kwargs))
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return op.kernel(*args, **kwargs)
    except Exception as error:
        return error
