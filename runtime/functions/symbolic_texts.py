"""Texts of symbolic values: one that the graph keeps would show what no value of the run is.

`print` shows them while a function is traced. Python's own formatting takes them, too, where it is
not converted: `%` of a text that is no literal, `operator.mod`, a `__repr__` of a data class.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.graph import equations_in, graphs_in
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import flatten


def refuse_texts(program: Program, texts: set[str]) -> None:
    """Refuses a program that has the text of a symbolic value among its constants.

    Raises:
      TracingError: it has one of the `texts`.
    """
    if not texts:
        return
    for found, location in _texts(program):
        if any(text in found for text in texts):
            error = TracingError(
                "a text was made of a symbolic value, whose value is known only when the graph "
                f"runs{at(location)}\n"
                "  hint: format with an f-string, or with a literal before `%`")
            error.about_state = True
            raise error


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
