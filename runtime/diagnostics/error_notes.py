"""Notes on run-time errors of generated code: the user's line, and what its operands were."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from types import CodeType, TracebackType
from typing import Any, Protocol, TypeVar

import numpy as np

from autograph.libraries import is_library
from autograph.runtime.diagnostics.line_tables import generated, generated_position, location_at
from autograph.runtime.diagnostics.tracebacks import point_to
from autograph.runtime.ir.call_frames import GENERATED, locals_of
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.undefined import is_undefined
from autograph.runtime.ir.user_source import function_at

F = TypeVar("F", bound=Callable[..., Any])

WORDS = re.compile(r"\w+")

Part = tuple[str, Location]
"""An expression in a generated line, and the user's location that it comes from."""


class Spread(Location):
    """The location of a generated line made of expressions from several of the user's locations.

    `parts` has the expressions, as they are written in the line, inner ones first.
    """

    __slots__ = ("_by_word", "by_text", "line_of_text", "longest", "main", "parts")

    has_parts = True

    def __init__(self, main: Location, parts: Sequence[Part], line: str) -> None:
        super().__init__(main.code, main.instruction, main.scope, main.caller)
        self.main = main
        self.parts = parts
        self.line_of_text = line.encode()
        self.longest = max([len(text) for text, _ in parts], default=0)
        self.by_text = dict(reversed(parts))  # of equal ones, the first
        self._by_word: dict[str, list[Part]] | None = None

    def part(self, column: int, end_column: int) -> Location:
        """Returns the location of the expression between two columns, or else of the smallest
        expression around it."""
        text = self.line_of_text[column:end_column].decode()
        if len(text) > self.longest:
            return self.main
        return self.by_text.get(text) or self._around(text)

    def _around(self, text: str) -> Location:
        """Returns the location of the smallest expression that a text is in."""
        if self._by_word is None:
            self._by_word = {}
            for part in sorted(self.parts, key=lambda part: len(part[0])):
                for word in dict.fromkeys(WORDS.findall(part[0])):
                    self._by_word.setdefault(word, []).append(part)
        few = min([self._by_word.get(word, []) for word in WORDS.findall(text)], key=len,
                  default=self.parts)
        for shown, location in few:
            if text in shown:
                return location
        return self.main


_raising: set[CodeType] = set()
"""The code of the functions that raise what a `raise` or `assert` of the user's says."""


def raises_the_users(f: F) -> F:
    """Decorates a function that raises an error that the user's code has made."""
    _raising.add(f.__code__)
    return f


def add_note(error: BaseException, text: str, location: Location | None = None) -> None:
    """Adds a note to an error, unless the user's own `raise` or `assert` raised it.

    That error is as the user wrote it: doctest, and `match=` of pytest, read notes as part of it.

    Args:
      location: where it was raised; None for a note that follows the one that says where.
    """
    entry = error.__traceback__
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    own = location.raises() if location is not None else not hasattr(error, "__notes__")
    if not own or entry is None or entry.tb_frame.f_code not in _raising:
        error.add_note(text)


class Held(Protocol):
    """The variables of a function of the user's: the local variables of generated code that hold
    them, with the user's names, and those that are constants of the trace."""

    @property
    def names(self) -> Sequence[tuple[str, str]]: ...
    @property
    def constants(self) -> Mapping[str, Any]: ...
    @property
    def own(self) -> Collection[str]: ...


class Site:
    """A place in generated code where errors are raised: what all of them are told.

    location  the user's location.
    head      the lines of their notes that say where it is.
    frames    the variables there, and in the functions around it.
    """

    __slots__ = ("frames", "head", "location")

    def __init__(self, location: Location, frames: Sequence[Held]) -> None:
        self.location = location
        self.head = _head(location)
        self.frames = frames

    def operands(self, local: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the variables that the run computed, and arrays that the compiler did; of one
        name, the innermost."""
        made: dict[str, Any] = {}
        for found in reversed(self.frames):  # a name of an inner function hides an outer one's
            made = {name: x for name, x in made.items() if name not in found.own}
            made.update((name, x) for name, x in found.constants.items() if isinstance(
                x, np.ndarray))
            made.update(_values(found, local))
        return made

    def variables(self, local: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Returns the variables there, and in the functions around it."""
        return [{**found.constants, **_values(found, local)} for found in self.frames]


def _values(found: Held, local: Mapping[str, Any]) -> dict[str, Any]:
    return {name: local[text] for text, name in found.names
            if text in local and not is_undefined(local[text])}


class Notes:
    """Adds to an exception of generated code, which calls this, where and on what it was raised.

    locations   the user's location of each line of the generated source.
    iterations  finds from the local variables in which iterations of its loops the code was.
    variables   returns the variables at a location, and in the functions around it.
    sites       the places where errors were raised, by the id of the code, which lives as long as
                this does, and the instruction.
    """

    def __init__(self, filename: str, locations: Mapping[int, Location],
                 iterations: Callable[[Mapping[str, Any]], list[str]],
                 variables: Callable[[Location], Sequence[Held]]) -> None:
        self.filename = filename
        self.locations = locations
        self.iterations = iterations
        self.variables = variables
        self.sites: dict[tuple[int, int], Site | None] = {}

    def __call__(self, error: BaseException) -> None:
        entry = self.innermost(error)
        if error.__context__ is not None and self.innermost(error.__context__) is not None:
            error.__context__ = None  # it ended a loop's first form, which is not the program's
        if entry is None or getattr(error, "__ag_noted__", False):
            return
        site = self.site(entry)
        if site is not None:
            local = locals_of(entry.tb_frame)
            add_note(error, site.head + told(site.operands(local)), site.location)
            for text in self.iterations(local) if isinstance(error, Exception) else ():
                add_note(error, text)
            point_to(site.location, entry, site.variables(local))
            del error, entry, local  # the frames that were made hold this one

    def site(self, entry: TracebackType) -> Site | None:
        """Returns the site of a traceback's entry; None if it is none of the user's."""
        key = id(entry.tb_frame.f_code), entry.tb_lasti
        if key not in self.sites:
            location = location_at(self.locations, generated_position(entry))
            self.sites[key] = Site(location, self.variables(location)) if location else None
        return self.sites[key]

    def innermost(self, error: BaseException) -> TracebackType | None:
        """Returns the entry of the innermost line of the generated code that an error passed."""
        entry, following = None, error.__traceback__
        while following is not None:
            frame = following.tb_frame
            if GENERATED in frame.f_globals and (
                    generated(frame.f_code).co_filename == self.filename):
                entry = following
            following = following.tb_next
        return entry


def note(location: Location, operands: Mapping[str, Any]) -> str:
    """Returns the text of a note: the location, the source line, a caret, and the operands."""
    return _head(location) + told(operands)


def told(operands: Mapping[str, Any]) -> str:
    """Returns the line of a note that describes the operands."""
    known = [f"{name}: {describe(x)}" for name, x in operands.items()
             if not (callable(x) or isinstance(x, BaseException) or is_undefined(x))]
    return f"\n  with {', '.join(known[:8])}" if known else ""


def _head(location: Location) -> str:
    """Returns the lines of a note that are the same each time: the location, the source line, and a
    caret."""
    location = _users(location)
    text, caret = f"in {function_at(location).name}, at {location}", location.caret()
    return f"{text}\n{caret}" if caret else text


def _users(location: Location) -> Location:
    """Returns the innermost location that shows a line of the user's: a library's code is called
    from one, as is code made from a text (a data class's `__setattr__`), which has no lines, or,
    since Python 3.13, those of `python -c`."""
    found: Location | None = location
    while found is not None and (found.filename == "<string>" or not found.caret() or is_library(
            (found.scope or {}).get("__name__"))):
        found = found.caller
    return found or location


def describe(value: Any) -> str:
    """Returns the dtype and shape of an array, or else a short text of the value.

    >>> describe(np.ones((3, 4))), describe(3)
    ('float64(3, 4)', '3')
    """
    if isinstance(value, np.ndarray):
        return f"{_name_of(value.dtype)}{value.shape}"
    text = repr(value)
    return text if len(text) <= 40 else type(value).__name__


@lru_cache(maxsize=256)
def _name_of(dtype: np.dtype[Any]) -> str:
    return str(dtype)
