"""Code of ours that stands on the user's lines, so that NumPy's warnings name them.

NumPy warns at the line that the running frame is in, as the file, the module and the registry of
that frame say. Generated code is given the user's: nothing is done when it runs.
"""

from __future__ import annotations

import builtins
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from types import CodeType, FunctionType, TracebackType
from typing import Any

from autograph.runtime.ir.call_frames import GENERATED
from autograph.runtime.ir.location import Location, Position, positions_of
from autograph.runtime.ir.user_source import function_at

Span = tuple[int, int, int, int]
"""(line, end line, column, end column), as `Location.span`."""


def on_users_lines(code: CodeType, places: Mapping[int, Location]) -> CodeType:
    """The code, and that of the functions in it, with the file of its places, and their lines for
    its own; `generated` gives it back.

    A code object has one file. Where calls of functions in other files are part of it, their lines
    are those of what stands before.
    """
    inner = tuple(on_users_lines(c, places) if isinstance(c, CodeType) else c
                  for c in code.co_consts)
    found = [places.get(line) for _, _, line in code.co_lines() if line is not None]
    files = Counter(place.filename for place in found if place is not None)
    if not files or is_watched():
        return code.replace(co_consts=inner)
    (file, _), = files.most_common(1)
    first = next(p.code.co_firstlineno for p in found if p is not None and p.filename == file)
    return code.replace(co_consts=(*inner, code), co_filename=file, co_firstlineno=first,
                        co_linetable=line_table(_spans(code, places, file), first))


def is_watched() -> bool:
    """Whether a debugger or the like follows the lines that run: it is not to stop in ours, where
    the variables are others."""
    monitoring = getattr(sys, "monitoring", None)  # from Python 3.12 on
    return sys.gettrace() is not None or (monitoring is not None and (
        monitoring.get_tool(monitoring.DEBUGGER_ID) or monitoring.get_tool(monitoring.COVERAGE_ID)
    ) is not None)


def generated(code: CodeType) -> CodeType:
    """The code as it was compiled, with its own lines."""
    last = code.co_consts[-1] if code.co_consts else None
    if isinstance(last, CodeType) and last.co_filename.startswith("<") and (
            last.co_code == code.co_code):
        return last
    return code


def generated_position(place: TracebackType) -> Position:
    """Where it stands in the code as it was compiled."""
    return positions_of(generated(place.tb_frame.f_code))[place.tb_lasti // 2]


def place_at(places: Mapping[int, Location], position: Position) -> Location | None:
    """The user's place of a position in generated code."""
    line, end, column, end_column = position
    place = places.get(line or 0)
    if place is None or line != end or column is None or end_column is None:
        return place
    return place.part(column, end_column)


def scope_of(places: Iterable[Location]) -> dict[str, Any]:
    """The globals that make NumPy's warnings those of the module that most of the places are in."""
    modules = {id(place.scope): place.scope for place in places if place.scope is not None}
    counts = Counter(id(place.scope) for place in places if place.scope is not None)
    made: dict[str, Any] = {"__builtins__": builtins, GENERATED: True}
    if counts:
        scope = modules[counts.most_common(1)[0][0]]
        made.update(__name__=scope.get("__name__", ""), **{
            REGISTRY: scope.setdefault(REGISTRY, {})})
    return made


REGISTRY = "__warningregistry__"
"""Under this name a module's globals say which warnings were given in it."""


def call_at(place: Location | None, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call a function in a frame that stands at a place."""
    call = _call if place is None or is_watched() else _caller(place)
    return call(function, args, kwargs)


@lru_cache(maxsize=4096)
def _caller(place: Location) -> Callable[..., Any]:
    code, (line, *_) = _call.__code__, place.span
    name = function_at(place).name
    spans = [(place.span, len(code.co_code) // 2)]
    shown = code.replace(co_filename=place.filename, co_name=name, co_qualname=name,
                         co_firstlineno=line, co_linetable=line_table(spans, line))
    return FunctionType(shown, scope_of([place]))


def _call(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    return function(*args, **kwargs)


def _spans(code: CodeType, places: Mapping[int, Location], file: str
           ) -> Iterator[tuple[Span, int]]:
    """(the user's place, how many instructions in a row stand there); what comes before the first
    place of all stands there, too."""
    found: list[tuple[Location | None, int]] = []
    for position, group in groupby(code.co_positions()):
        place = place_at(places, position)
        found.append((place if place is not None and place.filename == file else None,
                      len(list(group))))
    last = next(place for place, _ in found if place is not None)
    for place, count in found:
        last = place or last
        yield last.span, count


def line_table(spans: Iterable[tuple[Span, int]], first: int) -> bytes:
    """`co_linetable` of a code object whose instructions stand at these places (see CPython's
    InternalDocs/code_objects.md)."""
    table, before = bytearray(), first
    for (line, end, column, end_column), units in spans:
        while units > 0:
            count = min(units, 8)
            units -= count
            table.append(0x80 | 14 << 3 | count - 1)
            delta = line - before
            for number in (abs(delta) << 1 | (delta < 0), end - line, column + 1, end_column + 1):
                table.extend(_variable_length(number))
            before = line
    return bytes(table)


def _variable_length(number: int) -> Iterator[int]:
    while number >= 64:
        yield 64 | number & 63
        number >>= 6
    yield number
