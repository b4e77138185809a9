"""Extension points: functions that lower packages call and higher packages define.

Imports go one way. Where a lower package needs what a higher one does, it calls a field of
`POINTS`; `autograph.staging.assembly` fills all of them at once, when `autograph` is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any


def _not_filled(*args: Any, **kwargs: Any) -> Any:
    raise AssertionError("autograph.staging.assembly has not filled the extension points yet")


@dataclass(slots=True)
class ExtensionPoints:
    """One field for each extension point; before assembly, calling one is an AssertionError.

    to_text           prints a graph (`runtime.ir.printer`).
    to_dot, to_html, to_graph_def, tensor_named  read a graph for people (`runtime.drawings`).
    embed_containers  replaces the containers in a nest by objects of the graph (`runtime.heap`).
    check_constant    checks a constant before an equation takes it (`runtime.heap`).
    stage_branch      records a branch (`runtime.control_flow`).
    stage_call        returns what a traced program calls in place of a function; asked while
                      `recursions` is not empty (`runtime.control_flow`).
    instrument_sites  returns the form of a converted function that tells where it makes
                      containers (`conversion`).
    reduced, token    make of a traced function bytes for `pickle`, and a text that is equal for
                      equal functions (`runtime.serialize`).
    convert_callback  converts a function that a builtin is going to call (`conversion`).
    is_closed_module  tells if a module is of an installed library that is called as it is
                      (`syntax`).
    """

    to_text: Callable[[Any], str] = _not_filled
    to_dot: Callable[[Any], str] = _not_filled
    to_html: Callable[[Any], str] = _not_filled
    to_graph_def: Callable[[Any], Any] = _not_filled
    tensor_named: Callable[[Any, str], Any] = _not_filled
    embed_containers: Callable[[Any], Any] = _not_filled
    check_constant: Callable[[Any], Any] = _not_filled
    stage_branch: Callable[..., Any] = _not_filled
    stage_call: Callable[[Any], Any] = _not_filled
    recursions: Collection[Any] = ()
    instrument_sites: Callable[[Any], Any] = _not_filled
    reduced: Callable[[Any], Any] = _not_filled
    token: Callable[[Any], str] = _not_filled
    convert_callback: Callable[[Any], Any] = _not_filled
    is_closed_module: Callable[[str], bool] = _not_filled


POINTS = ExtensionPoints()
"""The extension points of this process."""
