"""Holds what the passes know about a function besides its tree: `Context`, and rules for calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import gast

Action = Literal["keep", "convert", "operator", "directive"]


@dataclass(frozen=True)
class CallRule:
    """How a call is rewritten: `keep` it, `convert` the callee, or call an `operator` instead.

    operator      the operator's name, if the action is `operator`.
    dispatches    the call is kept because the callee dispatches on symbolic values by itself.
    by_arguments  it dispatches on its arguments alone. A list would hide symbolic values from it,
                  so a call with a list is converted after all.
    exception     the callee is a class of exceptions.
    decorates     as a decorator it needs no symbolic value: a library has it, and it is replaced by
                  nothing.

    A `directive` (`ag.set_loop_options`) is for a pass, which removes it.
    """

    action: Action
    operator: str = ""
    dispatches: bool = False
    by_arguments: bool = False
    exception: bool = False
    decorates: bool = False


def convert_all(callee: gast.expr, local_names: frozenset[str]) -> CallRule:
    """Returns the rule that is used where nothing is known about the callee."""
    return CallRule("convert")


@dataclass(frozen=True)
class Context:
    """The facts about a function that stay the same during one conversion.

    filename           for messages and for the compiled code.
    ag                 the name by which generated code reaches the operators.
    resolve            `resolve(callee, local_names)` returns the rule for a call.
    class_name         the class whose body holds the function: for mangled names and `super()`.
    free_names         the names of its closure.
    source_lines       the lines of its file, for messages.
    site_instrumented  the code is to report each container that it makes, and where.
    names_stores       the code is to name what it stores into.
    given              its global variables that hold what the system gives the process.
    suspends           the function is a generator that stays one: no statement may move.
    """

    filename: str = "<unknown>"
    ag: str = "ag"
    resolve: Callable[[gast.expr, frozenset[str]], CallRule] = convert_all
    class_name: str | None = None
    free_names: tuple[str, ...] = ()
    source_lines: tuple[str, ...] = field(default=(), repr=False)
    site_instrumented: bool = False
    names_stores: bool = False
    given: frozenset[str] = frozenset()
    suspends: bool = False
