"""Texts of symbolic values: one that the graph keeps would show what no value of the run is.

Who asks for one without `print` is refused at once (`trace.noted`). `print` shows them while a
function is traced, and calls a `__repr__` of the user's, which may keep what it made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph.runtime.ir.errors import at
from autograph.runtime.ir.graph import equations_in, graphs_in
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.symbolic.trace import refuse_text


def refuse_texts(program: Program, texts: set[str]) -> None:
    """Refuses a program that has the text of a symbolic value among its constants.

    Raises:
      TracingError: it has one of the `texts`.
    """
    if not texts:
        return
    for found, location in _texts(program):
        if any(text in found for text in texts):
            refuse_text(at(location))


def _texts(program: Program) -> Iterator[tuple[str, Location | None]]:
    """Yields the texts among the constants of a program, and where they are used."""
    graphs = graphs_in(program.graph)
    used: list[tuple[Any, Location | None]] = [
        ([e.args, dict(e.kwargs), [r.outputs for r in e.regions]], e.location)
        for g in graphs for e in equations_in(g)]
    used += [([g.outputs for g in graphs], None),
             ([program.result, program.refill, program.locations], None)]
    for nest, location in used:
        for x in flatten(nest):
            for part in x.args if isinstance(x, BaseException) else (x,):
                if isinstance(part, str):
                    yield part, location
