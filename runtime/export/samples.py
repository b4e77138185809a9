"""Graphs of one op each, made of the samples of its record: for tables of what a target takes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph.runtime.ir.errors import ExportError
from autograph.runtime.ir.graph import Equation, Graph, Value, leaves, map_leaves
from autograph.runtime.ir.types import DYNAMIC, Type, type_of
from autograph.runtime.ops.op import OPS, Op

DTYPES = ("float64", "float32", "float16", "int64", "int32", "int8", "uint8", "bool")
STRUCTURE = ("cond", "while", "for", "call")
"""The ops that hold graphs: what a target makes of them is part of its walk over a graph."""

Lower = Callable[[Op, tuple[Any, ...], dict[str, Any], Any], object]
"""Lowers an op for operands and the result that is wanted."""


def unchanged(x: Any) -> Any:
    return x


def in_dtype(x: Any, dtype: np.dtype[Any], change: Callable[[Any], Any] = unchanged) -> Any:
    """Returns an argument of a sample with its arrays of floats in another dtype, and changed."""
    if isinstance(x, (np.ndarray, np.generic)) and x.dtype == np.float64:
        with np.errstate(all="ignore"):
            return change(x.astype(dtype))
    return x


def samples_in(op: Op, dtype: str, change: Callable[[Any], Any] = unchanged
               ) -> Iterator[tuple[tuple[Any, ...], dict[str, Any], Any]]:
    """The samples of an op that have arrays or NumPy numbers of floats, in another dtype, and what
    the op gives; without those on which it raises.

    Args:
      change: is called on each of these arrays and numbers in the dtype, and returns another.
    """
    for args, kwargs in () if op.effect else op.samples:
        if not any(isinstance(x, (np.ndarray, np.generic)) and x.dtype == np.float64
                   for x in leaves((args, kwargs))):
            continue
        cast = map_leaves(lambda x: in_dtype(x, np.dtype(dtype), change), (args, kwargs))
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted = op.kernel(*cast[0], **cast[1])
        except Exception:  # the op does not take this dtype
            continue
        several = isinstance(_types(op, *cast), tuple) and len(_types(op, *cast)) > 1
        if isinstance(wanted, (list, tuple, dict, range)) and not several:
            continue  # a container is no tensor: its items are
        yield cast[0], cast[1], wanted


def graph_of(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]
             ) -> tuple[Graph, dict[Value, Any]]:
    """Returns a graph of one equation, whose arrays of numbers are inputs, and the arrays."""
    given: dict[Value, Any] = {}

    def value(x: Any) -> Any:
        if not isinstance(x, (np.ndarray, np.generic)) or x.dtype.kind not in "biufc":
            return x
        made = Value(type_of(x), f"x{len(given)}")
        given[made] = x
        return made

    graph_args, graph_kwargs = map_leaves(value, (args, kwargs))
    outputs = tuple(Value(t) for t in _types(op, args, kwargs))
    equation = Equation(op, graph_args, graph_kwargs, outputs)
    return Graph(op.name, tuple(given), [equation], outputs), given


def _types(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Type, ...]:
    """Returns the types that the type rule gives for operands of these types."""
    args, kwargs = map_leaves(lambda x: type_of(x) if isinstance(x, (
        np.ndarray, np.generic)) else x, (args, kwargs))
    try:
        found = op.infer(*args, **kwargs)
    except Exception:  # a rule that needs a constant
        return (DYNAMIC,)
    return found if isinstance(found, tuple) else (found,)


def outcome(op: Op, dtype: str, lower: Lower) -> str:
    """Returns "yes", "part" for some of the samples, "no", or nothing if the op does not take the
    dtype."""
    done = []
    for args, kwargs, wanted in samples_in(op, dtype):
        try:
            lower(op, args, kwargs, wanted)
            done.append(True)
        except ExportError:
            done.append(False)
    return "" if not done else "yes" if all(done) else "part" if any(done) else "no"


def row(op: Op, how: str, lower: Lower) -> str:
    """Returns the line of an op in a table: what it becomes, and in which dtypes."""
    return f"| `{op.name}` | {how} | {' | '.join(outcome(op, d, lower) for d in DTYPES)} |"


def page(title: str, module: str, more: str, rows: Callable[[Op], str]) -> str:
    """Returns a page of the documentation: a line for every op."""
    head = [f"# {title}", "", f"Made by `python -m {module}`: each op on the samples of its",
            "record, in each dtype. *part*: some of the samples; nothing: NumPy has no such call.",
            more, "", f"| op | becomes | {' | '.join(DTYPES)} |",
            "|---" * (len(DTYPES) + 2) + "|"]
    return "\n".join([*head, *map(rows, OPS.values())]) + "\n"
