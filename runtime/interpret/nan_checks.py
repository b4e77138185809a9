"""Finds the first result that is not a number or not finite, or an integer that wrapped around, and
tells of it on the user's line."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.diagnostics.error_notes import describe
from autograph.runtime.interpret import interpreter
from autograph.runtime.ir.errors import NumericsWarning
from autograph.runtime.ir.graph import Equation, Graph, Value

EXACT: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul,
    "power": operator.pow, "left_shift": operator.lshift}
"""Ops whose integers may wrap around, and what they are without bounds."""

MAX_CHECKED = 100_000
"""Integers of larger arrays are not looked at: they are computed again one by one."""


class BadNumbers:
    """Looks at results, and warns of the first that is bad though its operands are good."""

    def __init__(self, graph: Graph) -> None:
        self.name = graph.name
        self.found = False

    def look(self, e: Equation, results: Sequence[Any], env: dict[Value, Any],
             loops: Iterable[Any] = ()) -> None:
        """Look at what an equation gave; `loops` are those around it, with their `round`."""
        if self.found or e.location is None or e.regions:
            return
        operands = {v: env[v] for v in e.inputs}
        for result in results:
            what, index = trouble(e, result, interpreter.read(e.args, env), operands.values())
            if what:
                self.found = True
                self.tell(e, f"{what}{_at(result, index)}", operands, index, loops)
                return

    def tell(self, e: Equation, what: str, operands: dict[Value, Any], index: tuple[int, ...],
             loops: Iterable[Any]) -> None:
        place = e.location
        assert place is not None
        shown = [_operand(v, x, index) for v, x in operands.items()]
        lines = [f"the first {what}, in {self.name}", place.caret(),
                 f"  by {e.op.name}" + (f" with {', '.join(shown)}" if shown else "")]
        lines += [f"  {interpreter.iteration_note(loop.equation, loop.round)}"
                  for loop in reversed(list(loops))]
        text = "\n".join(filter(None, lines))
        warnings.warn_explicit(text, NumericsWarning, place.filename, place.line)


def trouble(e: Equation, result: Any, args: Any, operands: Iterable[Any]
            ) -> tuple[str, tuple[int, ...]]:
    """What is wrong with a result, and where; nothing if it is in order or an operand is not."""
    if not isinstance(result, (np.ndarray, np.generic, float, complex)):
        return "", ()
    array = np.asarray(result)
    if array.dtype.kind in "fc":
        bad = ~np.isfinite(array)
        if not bad.any() or not all(map(_finite, operands)):
            return "", ()
        index = _first(bad)
        return ("NaN" if np.isnan(array[index]) else "infinity"), index
    if array.dtype.kind in "iu" and e.op.name in EXACT and array.size <= MAX_CHECKED:
        wrapped = _wrapped(EXACT[e.op.name], array, args)
        if wrapped is not None and wrapped.any():
            return "integer overflow", _first(wrapped)
    return "", ()


def _finite(x: Any) -> bool:
    if not isinstance(x, (np.ndarray, np.generic, float, complex)):
        return True
    array = np.asarray(x)
    return array.dtype.kind not in "fc" or bool(np.isfinite(array).all())


def _wrapped(exact: Callable[[Any, Any], Any], result: np.ndarray[Any, Any], args: Sequence[Any]
             ) -> np.ndarray[Any, Any] | None:
    """Where a result differs from that of integers without bounds."""
    x, y = (np.asarray(a).astype(object) for a in args[:2])
    try:
        return np.asarray(exact(x, y) != result.astype(object), dtype=bool)
    except Exception:  # a negative power, a shift by too much: NumPy has spoken
        return None


def _first(bad: np.ndarray[Any, Any]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(bad)[0])


def _at(result: Any, index: tuple[int, ...]) -> str:
    if not index:
        return f" ({result})"
    return f" ({result[index]} at [{', '.join(map(str, index))}])"


def _operand(v: Value, x: Any, index: tuple[int, ...]) -> str:
    """An operand, with the element that the result's element is made of, if their shapes are
    one."""
    name = v.hint or "a value"
    if isinstance(x, np.ndarray) and x.ndim and len(index) == x.ndim and all(
            i < n for i, n in zip(index, x.shape, strict=True)):
        return f"{name}: {describe(x)}, {x[index]} there"
    return f"{name}: {describe(x)}"
