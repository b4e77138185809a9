"""Finds the first infinity, NaN or integer overflow of a graph, and tells of it on the user's line.

`RaiseOnNan` raises CheckError; `WarnOnNan`, for debuggers, warns once, and names the element.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.diagnostics.error_notes import describe
from autograph.runtime.interpret import interpreter
from autograph.runtime.interpret.watchers import Watcher
from autograph.runtime.ir.errors import CheckError, NumericsWarning, at
from autograph.runtime.ir.graph import Equation, Graph, Value

MAX_CHECKED = 100_000
"""Larger arrays of integers are not checked: each element is computed again."""


def is_finite(x: Any) -> bool:
    """Returns True if an array or a number has no infinity or NaN in it.

    >>> is_finite(np.array([1, np.inf])), is_finite(1.5), is_finite("text")
    (False, True, True)
    """
    kind = "f" if isinstance(x, (float, complex)) else getattr(
        getattr(x, "dtype", None), "kind", "")
    return kind not in ("f", "c") or bool(np.isfinite(x).all())


class RaiseOnNan(Watcher):
    """Raises CheckError at the first equation that gives an infinity or a NaN."""

    def after(self, equation: Equation, results: Sequence[Any], env: dict[Value, Any]) -> None:
        if equation.regions or all(map(is_finite, results)):
            return
        operands = "".join(f"\n  {v.hint or 'operand'} = {env[v]}" for v in equation.inputs)
        raise CheckError(f"{equation.op.name} gave an Inf or NaN{at(equation.location)}{operands}")


class WarnOnNan:
    """Warns once: of the first bad result of an equation whose operands are all good."""

    def __init__(self, graph: Graph) -> None:
        self.name = graph.name
        self.found = False

    def check(self, e: Equation, results: Sequence[Any], env: dict[Value, Any],
              loops: Iterable[Any] = ()) -> None:
        """Checks the results of an equation; `loops` are the loops around it, outermost first."""
        if self.found or e.location is None or e.regions:
            return
        operands = {v: env[v] for v in e.inputs}
        for result in results:
            what, index = trouble(e, result, interpreter.read(e.args, env), operands.values())
            if what:
                self.found = True
                self.warn(e, f"{what}{_at(result, index)}", operands, index, loops)
                return

    def warn(self, e: Equation, what: str, operands: dict[Value, Any], index: tuple[int, ...],
             loops: Iterable[Any]) -> None:
        location = e.location
        assert location is not None
        shown = [_operand(v, x, index) for v, x in operands.items()]
        lines = [f"the first {what}, in {self.name}", location.caret(),
                 f"  by {e.op.name}" + (f" with {', '.join(shown)}" if shown else "")]
        lines += [f"  {interpreter.iteration_note(loop.equation, loop.iteration)}"
                  for loop in reversed(list(loops))]
        text = "\n".join(filter(None, lines))
        warnings.warn_explicit(text, NumericsWarning, location.filename, location.line)


def trouble(e: Equation, result: Any, args: Any, operands: Iterable[Any]
            ) -> tuple[str, tuple[int, ...]]:
    """Returns what is wrong with a result and at which index; ("", ()) if nothing is, or if an
    operand was bad already."""
    if not isinstance(result, (np.ndarray, np.generic, float, complex)):
        return "", ()
    array = np.asarray(result)
    if not is_finite(array):
        if not all(map(is_finite, operands)):
            return "", ()
        index = _first(~np.isfinite(array))
        return ("NaN" if np.isnan(array[index]) else "infinity"), index
    if array.dtype.kind in "iu" and e.op.overflows and len(args) == 2 and not e.kwargs and (
            array.size <= MAX_CHECKED):
        wrapped = _wrapped(e.op.kernel, array, args)
        if wrapped is not None and wrapped.any():
            return "integer overflow", _first(wrapped)
    return "", ()


def _wrapped(exact: Callable[[Any, Any], Any], result: np.ndarray[Any, Any], args: Sequence[Any]
             ) -> np.ndarray[Any, Any] | None:
    """Returns where a result differs from that of integers without bounds; None if unknown."""
    x, y = (np.asarray(a).astype(object) for a in args[:2])
    try:
        return np.asarray(exact(x, y) != result.astype(object), dtype=bool)
    except Exception:  # a negative power, a shift by too much: NumPy reports it
        return None


def _first(bad: np.ndarray[Any, Any]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(bad)[0])


def _at(result: Any, index: tuple[int, ...]) -> str:
    if not index:
        return f" ({result})"
    return f" ({result[index]} at [{', '.join(map(str, index))}])"


def _operand(v: Value, x: Any, index: tuple[int, ...]) -> str:
    """Describes an operand, and its element at the index if it has one there."""
    name = v.hint or "a value"
    if isinstance(x, np.ndarray) and x.ndim and len(index) == x.ndim and all(
            i < n for i, n in zip(index, x.shape, strict=True)):
        return f"{name}: {describe(x)}, {x[index]} there"
    return f"{name}: {describe(x)}"
