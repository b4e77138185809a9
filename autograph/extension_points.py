"""Extension points: functions that lower packages call and higher packages define.

Imports go one way. Where a lower package needs what a higher one does, it calls a field of
`POINTS`. `autograph.runtime` and the façade fill those that work without the compiler; the first
call of another one loads `autograph.staging.assembly`, which fills the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

ASSEMBLY = "autograph.staging.assembly"


def assemble() -> None:
    """Loads what fills the extension points: symbolic values get NumPy's functions and methods."""
    import_module(ASSEMBLY)


def _assembled(name: str) -> Callable[..., Any]:
    """Returns what an extension point is before it is filled."""
    def fill_and_call(*args: Any, **kwargs: Any) -> Any:
        assemble()
        filled = getattr(POINTS, name)
        assert filled is not fill_and_call, f"nothing fills {name}"
        return filled(*args, **kwargs)

    return fill_and_call


def _without_a_trace(keys: Any) -> None:
    """Checks nothing: what matters while a trace is made does not where no compiler is loaded."""


@dataclass(slots=True)
class ExtensionPoints:
    """One field for each extension point.

    to_text           prints a graph (`runtime.ir.printer`).
    to_dot, to_html, to_graph_def, tensor_named  read a graph for people (`runtime.drawings`).
    embed_containers  replaces the containers in a nest by objects of the graph (`runtime.heap`).
    read_operand      replaces a container that an operation only reads by one (`runtime.heap`).
    note_operands     notes the containers that an operation copies into its result
    tuples_as_values  makes values of the run of the tuples that it may put into its result
                      (`runtime.heap`).
    read_for          reads an iterator that a slice of a list is set to (`runtime.heap`).
    read_each         uses each item of an iterator of the user's code before it reads the next
                      (`runtime.heap`).
    check_constant    checks a constant before an equation takes it (`runtime.heap`).
    check_keys        refuses keys that notice when they are hashed (`runtime.heap`).
    stage_branch      records a branch (`runtime.control_flow`).
    stage_call        returns what a traced program calls in place of a function; asked while
                      `recursions` is not empty (`runtime.control_flow`).
    sees_sites        returns True while a trace is made in which functions tell where they make
                      containers (`runtime.control_flow`).
    instrument_sites  returns the form of a converted function that tells where it makes
                      containers (`conversion`).
    own_method        returns the user's method that a special method stands for while a trace is
                      made (`conversion`).
    reduced, token    make of a traced function bytes for `pickle`, and a text that is equal for
                      equal functions (`runtime.serialize`).
    to_jax            makes of what finds a trace a function of JAX arrays (`runtime.export`).
    operators         returns the module whose names converted code calls (the façade).
    convert_callback  converts a function that a builtin is going to call (`conversion`).
    verified_call     runs a call of a decorated function as plain Python, too, and compares
                      (`checking`).
    vjp_of_trace      runs the forward half of a trace, and returns the pullback (`gradients`).
    """

    to_text: Callable[[Any], str] = field(default=_assembled("to_text"))
    to_dot: Callable[[Any], str] = field(default=_assembled("to_dot"))
    to_html: Callable[[Any], str] = field(default=_assembled("to_html"))
    to_graph_def: Callable[[Any], Any] = field(default=_assembled("to_graph_def"))
    tensor_named: Callable[[Any, str], Any] = field(default=_assembled("tensor_named"))
    embed_containers: Callable[[Any], Any] = field(default=_assembled("embed_containers"))
    read_operand: Callable[[Any], Any] = field(default=_assembled("read_operand"))
    note_operands: Callable[..., Any] = field(default=_assembled("note_operands"))
    tuples_as_values: Callable[..., Any] = field(default=_assembled("tuples_as_values"))
    read_for: Callable[[Any, Any], Any] = field(default=_assembled("read_for"))
    read_each: Callable[[Any, Callable[[Any], Any]], bool] = field(default=_assembled("read_each"))
    check_constant: Callable[[Any], Any] = field(default=_assembled("check_constant"))
    check_keys: Callable[[Any], None] = _without_a_trace
    stage_branch: Callable[..., Any] = field(default=_assembled("stage_branch"))
    stage_call: Callable[[Any], Any] = field(default=_assembled("stage_call"))
    recursions: Collection[Any] = ()
    sees_sites: Callable[[], bool] = field(default=_assembled("sees_sites"))
    instrument_sites: Callable[[Any], Any] = field(default=_assembled("instrument_sites"))
    own_method: Callable[[Any], Any] = field(default=_assembled("own_method"))
    reduced: Callable[[Any], Any] = field(default=_assembled("reduced"))
    token: Callable[[Any], str] = field(default=_assembled("token"))
    to_jax: Callable[..., Any] = field(default=_assembled("to_jax"))
    operators: Callable[[], Any] = field(default=_assembled("operators"))
    convert_callback: Callable[[Any], Any] = field(default=_assembled("convert_callback"))
    verified_call: Callable[..., Any] = field(default=_assembled("verified_call"))
    vjp_of_trace: Callable[..., Any] = field(default=_assembled("vjp_of_trace"))


POINTS = ExtensionPoints()
"""The extension points of this process."""

TABLES: list[Any] = []
"""Containers of ours that hold objects of the program's while a trace is made."""
