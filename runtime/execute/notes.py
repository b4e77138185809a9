"""Run-time errors of generated code, told in terms of the user's own lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograph.runtime.execute.frames import point_to
from autograph.runtime.graph import Location


class Notes:
    """Called by generated code with an exception on its way out: adds where it happened, and on
    what.

    `names` says which local variables to tell of, and under which names; None is all of them.
    """

    def __init__(self, filename: str, locations: Mapping[int, Location],
                 names: Mapping[str, str] | None = None) -> None:
        self.filename = filename
        self.locations = locations
        self.names = names

    def __call__(self, error: BaseException) -> None:
        place, following = None, error.__traceback__
        while following is not None:  # the innermost of our lines
            if following.tb_frame.f_code.co_filename == self.filename:
                place = following
            following = following.tb_next
        if place is None or getattr(error, "__ag_noted__", False):
            return
        location = self.locations.get(place.tb_lineno)
        if location is not None:
            error.add_note(note(location, self.operands(place.tb_frame.f_locals)))
            point_to(location, place)

    def operands(self, local: Mapping[str, Any]) -> Mapping[str, Any]:
        if self.names is None:
            return local
        return {name: local[own] for own, name in self.names.items() if own in local}


def note(location: Location, operands: Mapping[str, Any]) -> str:
    """Where it happened, with the source line, a caret, and the arrays and numbers in sight."""
    text = f"in {location.function}, at {location}"
    if caret := location.caret():
        text += "\n" + caret
    known = [f"{name}: {describe(x)}" for name, x in operands.items()
             if not (callable(x) or isinstance(x, BaseException))]
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
