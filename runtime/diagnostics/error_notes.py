"""Run-time errors of generated code, told in terms of the user's own lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autograph.runtime.diagnostics.line_tables import generated, generated_position, place_at
from autograph.runtime.diagnostics.tracebacks import point_to
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.undefined import is_undefined
from autograph.runtime.ir.user_source import function_at

Part = tuple[str, Location]
"""An expression in a generated line, and the user's place that it comes from."""


class Spread(Location):
    """The place of a generated line in which expressions from several of the user's places stand.

    `parts` are the expressions in the line, as they are written there, inner ones first.
    """

    __slots__ = ("line_of_text", "parts")

    def __init__(self, whole: Location, parts: Sequence[Part], line: str) -> None:
        super().__init__(whole.code, whole.instruction, whole.scope)
        self.parts = tuple(parts)
        self.line_of_text = line

    def part(self, column: int, end_column: int) -> Location:
        """The place of what stands between two columns: of that very expression, else of the
        smallest one around it."""
        text = self.line_of_text.encode()[column:end_column].decode()
        around = [(len(part), place) for part, place in self.parts if text in part]
        return min(around, key=lambda pair: pair[0])[1] if around else self


class Notes:
    """Called by generated code with an exception on its way out: adds where it happened, and on
    what.

    locations  the user's place of each line of the generated source.
    names      which local variables to tell of, and what the user calls them, in the order in which
               they are made.
    rounds     finds out from the local variables which round of which loop it was.
    """

    def __init__(self, filename: str, locations: Mapping[int, Location], names: Mapping[str, str],
                 rounds: Callable[[Mapping[str, Any]], list[str]] = lambda local: []) -> None:
        self.filename = filename
        self.locations = locations
        self.names = names
        self.rounds = rounds

    def __call__(self, error: BaseException) -> None:
        place, following = None, error.__traceback__
        while following is not None:  # the innermost of our lines
            if generated(following.tb_frame.f_code).co_filename == self.filename:
                place = following
            following = following.tb_next
        if place is None or getattr(error, "__ag_noted__", False):
            return
        location = place_at(self.locations, generated_position(place))
        if location is not None:
            local = place.tb_frame.f_locals
            error.add_note(note(location, self.operands(local)))
            for text in self.rounds(local) if isinstance(error, Exception) else ():
                error.add_note(text)
            point_to(location, place)

    def operands(self, local: Mapping[str, Any]) -> Mapping[str, Any]:
        """The user's variables; of several that have one name, the one made last."""
        return {name: local[own] for own, name in self.names.items() if own in local}


def note(location: Location, operands: Mapping[str, Any]) -> str:
    """Where it happened, with the source line, a caret, and the arrays and numbers in sight."""
    text = f"in {function_at(location).name}, at {location}"
    if caret := location.caret():
        text += "\n" + caret
    known = [f"{name}: {describe(x)}" for name, x in operands.items()
             if not (callable(x) or isinstance(x, BaseException) or is_undefined(x))]
    return text + (f"\n  with {', '.join(known[:8])}" if known else "")


def describe(value: Any) -> str:
    """`float64(3, 4)` for an array, the value itself for a number.

    >>> describe(np.ones((3, 4))), describe(3)
    ('float64(3, 4)', '3')
    """
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}"
    text = repr(value)
    return text if len(text) <= 40 else type(value).__name__
