"""Small programs spliced into the entry point: a call then runs one function instead of two."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from autograph.runtime.codegen.emitted import Emitted
from autograph.runtime.codegen.python_printer import PythonPrinter
from autograph.runtime.diagnostics.error_notes import Notes
from autograph.runtime.ir.expressions import ExpressionPrinter
from autograph.runtime.ir.statement_checks import bound_by
from autograph.runtime.ir.statements import For, Lowered, While, walk

MAX_STATEMENTS = 12


def spliced(emitted: Emitted, arguments: list[str], taken: Collection[str], filename: str,
            name: Callable[[Any], str], margin: str, above: int) -> PythonPrinter | None:
    """Returns the lines of a program's function over the entry point's own variables; None if it is
    not small.

    Args:
      arguments: the variables that hold the arrays and numbers.
      taken: the entry point's other variables.
      name: gives an object a name in the source, as an expression.
      margin: the indentation of the lines.
      above: the number of lines before them.
    """
    main = emitted.lowered.main
    parameters = [x.text for x in main.parameters]
    if not is_small(emitted.lowered) or emitted.frame_states or not all(
            a.isidentifier() for a in arguments) or len(parameters) != len(arguments):
        return None
    names = dict(zip(parameters, arguments, strict=True))
    for local in [*locals_of(emitted.lowered), "error"]:
        if local not in names:
            names[local] = unlike(local, {*taken, *arguments, *names.values()})
    printer = PythonPrinter(ExpressionPrinter(names.__getitem__, name), margin, above)

    def failing(local: Mapping[str, Any]) -> list[str]:
        return emitted.failing_iterations(
            {own: local[new] for own, new in names.items() if new in local}
        ) if emitted.has_iterations else []

    notes = Notes(filename, printer.locations, failing,
                  lambda location: tuple(
                      found.renamed(names) for found in emitted.variables_at(location)))
    printer.explained(main.body, name(notes), names["error"])
    return printer


def is_small(lowered: Lowered) -> bool:
    """Returns True for a few statements; with a loop or another function the call is not what
    costs."""
    statements = list(walk(lowered.main.body))
    return len(statements) <= MAX_STATEMENTS and not lowered.functions and not any(
        isinstance(s, For | While) for s in statements)


def locals_of(lowered: Lowered) -> list[str]:
    """Returns the names that are assigned to, in order."""
    return list(dict.fromkeys(x.text for s in walk(lowered.main.body) for x in bound_by(s)))


def unlike(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name += "_"
    return name
