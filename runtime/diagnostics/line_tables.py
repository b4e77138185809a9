"""Gives generated code the user's file and lines, so that NumPy's warnings name them.

NumPy warns at the line of the running frame, in that frame's file, module and registry of warnings.
Generated code has the user's; this costs nothing when it runs.
"""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from opcode import opmap
from types import CodeType, FunctionType, TracebackType
from typing import Any
from weakref import WeakKeyDictionary

from autograph.runtime.diagnostics.watchers import is_watched
from autograph.runtime.ir.call_frames import GENERATED
from autograph.runtime.ir.location import Location, Position, positions_of
from autograph.runtime.ir.user_source import function_at, scope_at

Span = tuple[int, int, int, int]
"""(line, end line, column, end column), as `Location.span`."""


def on_users_lines(code: CodeType, locations: Mapping[int, Location]) -> CodeType:
    """Returns generated code with the file and lines of the user's locations, by generated line.

    `generated` gives back the original. A code object has one file: instructions that come from
    another file have the line of the instruction before them.
    """
    inner = tuple(on_users_lines(c, locations) if isinstance(c, CodeType) else c
                  for c in code.co_consts)
    located = _located(code, locations)
    found = [location.code for location, _ in located if location is not None]
    if not found or is_watched():
        return code.replace(co_consts=inner)
    files = {c.co_filename for c in {id(c): c for c in found}.values()}
    file = files.pop() if len(files) == 1 else _most_common([c.co_filename for c in found])
    first = next(c.co_firstlineno for c in found if c.co_filename == file)
    return code.replace(co_consts=(*inner, code), co_filename=file, co_firstlineno=first,
                        co_linetable=line_table(_spans(code, located, file), first))


def _most_common(names: list[str]) -> str:
    return Counter(names).most_common(1)[0][0]


def on_line(code: CodeType, filename: str, line: int) -> CodeType:
    """Returns code all of which is on one line of the user's; `generated` gives back the
    original."""
    table = line_table([((line, line, -1, -1), len(code.co_code) // 2)], line)
    return code.replace(co_consts=(*code.co_consts, code), co_filename=filename,
                        co_firstlineno=line, co_linetable=table)


def generated(code: CodeType) -> CodeType:
    """Returns the code as it was compiled, with its own lines."""
    last = code.co_consts[-1] if code.co_consts else None
    if isinstance(last, CodeType) and last.co_filename.startswith("<") and (
            last.co_code == code.co_code):
        return last
    return code


def generated_position(entry: TracebackType) -> Position:
    """Returns the position of a traceback's entry in the code as it was compiled."""
    return positions_of(generated(entry.tb_frame.f_code))[entry.tb_lasti // 2]


def location_at(locations: Mapping[int, Location], position: Position) -> Location | None:
    """Returns the user's location of a position in generated code."""
    line, end, column, end_column = position
    location = locations.get(line or 0)
    if location is None or line != end or column is None or end_column is None:
        return location
    return location.part(column, end_column)


def scope_of(locations: Iterable[Location]) -> dict[str, Any]:
    """Returns globals with which NumPy warns in the module that most of the locations are in."""
    scopes = [x.scope for x in locations if x.scope is not None]
    modules = {id(scope): scope for scope in scopes}
    counts = Counter(map(id, scopes))
    made: dict[str, Any] = {"__builtins__": builtins, GENERATED: True}
    if counts:
        scope = modules[counts.most_common(1)[0][0]]
        made.update(__name__=scope.get("__name__", ""), **{
            REGISTRY: scope.setdefault(REGISTRY, {})})
    return made


REGISTRY = "__warningregistry__"
"""The name of the module global in which Python notes the warnings that were given."""


def call_at(location: Location | None, function: Callable[..., Any], args: Any, kwargs: Any
            ) -> Any:
    """Calls a function from a frame that has the user's location."""
    call = _call if location is None or is_watched() else _caller(location)
    return call(function, args, kwargs)


_callers: WeakKeyDictionary[Location, Callable[..., Any]] = WeakKeyDictionary()


def _caller(location: Location) -> Callable[..., Any]:
    if (known := _callers.get(location)) is not None:
        return known
    code, first = _call.__code__, scope_at(location).first
    name = function_at(location).name
    spans = [(location.span, len(code.co_code) // 2)]
    shown = code.replace(co_filename=location.filename, co_name=name, co_qualname=name,
                         co_firstlineno=first, co_linetable=line_table(spans, first))
    made = _callers[location] = FunctionType(shown, scope_of([location]))
    return made


def _call(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    return function(*args, **kwargs)


def _spans(code: CodeType, located: Iterable[tuple[Location | None, int]], file: str
           ) -> list[tuple[Span, int]]:
    """Returns (the user's span, the number of instructions in a row that have it); instructions
    before the first location have the first one's. Moves between variables have the span of what
    follows: they neither raise nor warn."""
    found: list[tuple[Span, int]] = []
    span: Span | None = None
    first = start = 0  # the span's first instruction, and the first that has none yet
    for location, end in located:
        if location is not None and location.code.co_filename == file and (
                (shown := location.span) != span):
            if span is not None:
                found.append((span, start - first))
                first = start
            span = shown
        start = end
    assert span is not None
    return [*found, (span, len(code.co_code) // 2 - first)]


def _located(code: CodeType, locations: Mapping[int, Location]
             ) -> list[tuple[Location | None, int]]:
    """Returns the user's location of instructions in a row that do more than move values, and the
    instruction after them. Where a line has one location, the columns do not matter."""
    found: list[tuple[Location | None, int]] = []
    does, positions = code.co_code[::2].translate(ACTS), list[Position]()
    for first, last, line in code.co_lines():
        end = last // 2
        location = locations.get(line or 0)
        acts = does.find(ACT, first // 2, end)
        if acts < 0:
            continue
        if location is None or not location.has_parts:
            found.append((location, end))
            continue
        positions = positions or list(code.co_positions())
        while acts >= 0:
            position, after = positions[acts], acts + 1
            while after < end and positions[after] == position:
                after += 1
            found.append((location_at(locations, position), after))
            acts = does.find(ACT, after, end)
    return found


MOVES = frozenset(opmap[name] for name in (
    "LOAD_CONST", "LOAD_FAST", "LOAD_GLOBAL", "NOP", "PUSH_NULL", "RESUME", "STORE_FAST",
    "SWAP", "COPY", "CACHE", "EXTENDED_ARG") if name in opmap)
"""Instructions that move a value from place to place, and what belongs to an instruction."""

ACT = 1
ACTS = bytes(ACT * (number not in MOVES) for number in range(256))
"""By instruction: `ACT` where it does more than move a value."""


def line_table(spans: Iterable[tuple[Span, int]], first: int) -> bytes:
    """Returns the `co_linetable` of a code object whose instructions have these spans.

    CPython's InternalDocs/code_objects.md describes the format.
    """
    table, before = bytearray(), first
    for (line, end, column, end_column), units in spans:
        delta = line - before
        moved, *rest = [NUMBERS[n] if n < len(NUMBERS) else _number(n) for n in (
            abs(delta) << 1 | (delta < 0), end - line, column + 1, end_column + 1)]
        entry = b"".join(rest)
        for count in (8,) * (units // 8) + (units % 8,):  # an entry is of at most 8 instructions
            if count:
                table += LONG_ENTRY[count] + moved + entry
                moved, before = b"\0", line
    return bytes(table)


LONG_ENTRY = [bytes([0x80 | 14 << 3 | count - 1 & 7]) for count in range(9)]
"""By the number of instructions, how an entry begins that has all four numbers."""


def _number(number: int) -> bytes:
    """Returns a number in bytes of six bits, the low ones first."""
    return bytes([number]) if number < 64 else bytes([64 | number & 63]) + _number(number >> 6)


NUMBERS = [_number(number) for number in range(256)]
"""Those that most spans have."""
