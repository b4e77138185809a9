"""Tracebacks of errors in graphs: they end on the user's line, though no frame of it runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, repeat
from types import CellType, CodeType, FunctionType, TracebackType
from typing import Any

from autograph.runtime.diagnostics.line_tables import line_table
from autograph.runtime.diagnostics.watchers import unwatched
from autograph.runtime.ir.call_frames import GENERATED
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.user_source import function_at, scope_at
from autograph.traceback_filter import is_block

OWN = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")


def entry_of(location: Location, variables: Mapping[str, Any]) -> TracebackType:
    """Returns a traceback's entry, with a finished frame, that shows a line of the user's function.

    Every instruction of the frame's code has the location's line and columns; the code has the
    name, the file and the first line of the user's function and those of its parameters that are
    among the `variables`, the frame has its globals and these.
    """
    shown = _code_at(location, tuple(variables))
    function = FunctionType(shown, {} if location.scope is None else location.scope,
                            closure=(CellType(tuple(variables.values())),))
    with unwatched():
        try:
            function(*[None] * shown.co_argcount)
        except ZeroDivisionError as error:
            return _taken_off(error)
    raise AssertionError("the function raises")


def _taken_off(error: ZeroDivisionError) -> TracebackType:
    """Returns the second entry of an error's traceback, which the error loses. No variable of a
    frame that the entry's frame was called from may hold it: those frames live as long as it."""
    entry = error.__traceback__ and error.__traceback__.tb_next
    error.__traceback__ = None
    assert entry is not None
    return entry


VALUES = "__values__"
"""The variable of the code around a shown function that holds the values of its variables."""


def _code_at(location: Location, variables: tuple[str, ...]) -> CodeType:
    """Returns code that fails on the user's line."""
    scope, own = scope_at(location), location.code.co_name
    name = own if own.startswith("<") else function_at(location).name
    made = _compiled(tuple([x for x in scope.parameters if x in variables]), variables)
    return made.replace(
        co_filename=location.filename, co_name=name, co_qualname=name, co_firstlineno=scope.first,
        co_linetable=line_table([(location.span, len(made.co_code) // 2)], scope.first))


@lru_cache(maxsize=256)
def _compiled(parameters: tuple[str, ...], variables: tuple[str, ...]) -> CodeType:
    """Returns the code of a function that binds its variables, and fails: a loop may catch the same
    error often."""
    code = compile(
        f"def outer({VALUES}):\n  def shown({', '.join(parameters)}):\n    nonlocal {VALUES}\n"
        f"    [{', '.join(variables)}] = {VALUES}\n    del {VALUES}\n    1 / 0", "<shown>", "exec")
    for _ in "outer", "shown":
        code = next(c for c in code.co_consts if isinstance(c, CodeType))
    return code


def point_to(location: Location, entry: TracebackType, variables: Sequence[Mapping[str, Any]],
             ) -> None:
    """Adds the user's line to a traceback, after the entries of the graph and of its ops.

    `variables`: those there, and in the functions around it.
    """
    while entry.tb_next is not None and _is_own(entry.tb_next):
        entry = entry.tb_next
    for inner, found in zip(activations(location), chain(variables, repeat({})), strict=False):
        made = entry_of(inner, found)
        made.tb_next = entry.tb_next
        entry.tb_next = made
    del made, entry  # the frames that were made hold this one


def activations(location: Location) -> Iterator[Location]:
    """Yields the location, and where the functions around it in the trace were called, innermost
    first. The functions that the compiler made of blocks are no calls of the user's."""
    yield location
    inner, caller = location, location.caller
    while caller is not None:
        if not is_block(inner.code, caller.code):
            yield caller
        inner, caller = caller, caller.caller


def _is_own(entry: TracebackType) -> bool:
    frame = entry.tb_frame
    return GENERATED in frame.f_globals or frame.f_code.co_filename.startswith(OWN)


def drop_own(error: BaseException) -> None:
    """Removes autograph's own frames from the end of a traceback, below the user's line."""
    last = entry = error.__traceback__
    while entry is not None:
        if not _is_own(entry):
            last = entry
        entry = entry.tb_next
    if last is not None and not _is_own(last):
        last.tb_next = None
