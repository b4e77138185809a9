"""Gives a graph another array or variable in place of one that it captured, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.types import type_of
from autograph.runtime.ops.op import Op
from autograph.runtime.ops.state import Storage
from autograph.runtime.signatures.spec import TensorSpec
from autograph.runtime.symbolic.variables import Variable


def swap(graph: Graph, captures: Mapping[str, Any]) -> None:
    """Makes a graph refer to other arrays and variables.

    Raises:
      ValueError: there is no capture of such a name.
      TypeError: another kind, dtype or shape than what was captured.
    """
    found = {name: (named(graph, name), _held(x)) for name, x in captures.items()}
    for name, (value, x) in found.items():
        old = graph.captures[value]
        if isinstance(old, Storage) != isinstance(x, Storage) or type_of(old) != type_of(x):
            raise TypeError(f"the capture {name!r} is {_described(old)}; it cannot become "
                            f"{_described(x)}")
    for value, x in found.values():
        graph.captures[value] = x


def defer(graph: Graph, name: str, read: Callable[[], Any]) -> None:
    """Makes a graph call `read` for a captured array, each time it runs.

    Raises:
      ValueError: there is no such capture, or it is a variable, which is read each time anyway.
      TypeError: (when the graph runs) what was read has another dtype or shape.
    """
    value = named(graph, name)
    array = graph.captures[value]
    if isinstance(array, Storage):
        raise ValueError(f"the capture {name!r} is a variable: every run reads it anyway")
    spec = TensorSpec.from_tensor(array, name)

    def call() -> Any:
        return np.copy(spec.cast(read()))[()]

    del graph.captures[value]
    graph.equations.insert(0, Equation(
        Op(f"read_{name}", call, lambda: value.type, "", (), onnx=None, effect="call",
           doc="reads what replaces a captured array"), (), {}, (value,)))


def named(graph: Graph, name: str) -> Value:
    """Returns the capture of this name."""
    for value in graph.captures:
        if value.hint == name:
            return value
    known = ", ".join(sorted(v.hint for v in graph.captures)) or "none"
    raise ValueError(f"no capture is called {name!r}; the captures are: {known}")


def _held(x: Any) -> Any:
    return x.storage if isinstance(x, Variable) else np.asarray(x)


def _described(x: Any) -> str:
    return f"a variable of type {x.type}" if isinstance(x, Storage) else (
        f"an array of type {type_of(x)}")
