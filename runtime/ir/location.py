"""Locations in the user's source: a code object and an instruction of it, and how they print."""

from __future__ import annotations

import linecache
from collections.abc import Mapping
from opcode import _inline_cache_entries, opmap, opname  # type: ignore[attr-defined]
from types import CodeType
from typing import Any
from weakref import ref

from autograph.source_lines import with_caret

_UNPACK = opmap["UNPACK_SEQUENCE"]
_LENGTHS = [2 + 2 * (_inline_cache_entries.get(opname[op], 0) if isinstance(
    _inline_cache_entries, dict) else _inline_cache_entries[op]) for op in range(256)]
"""By instruction: how many bytes it takes, with the space for what Python caches there."""

Position = tuple[int | None, int | None, int | None, int | None]
"""(line, end line, column, end column) of an instruction; None where Python does not know it."""

Frames = tuple[Mapping[str, Any], ...]
"""What the variables of frames are, the innermost frame first: values of the graph or constants; a
variable that is not known, or not bound, is left out."""

UNKNOWN = object()
"""Stands for such a variable: a frame around it may have one of that name."""

_Details = tuple[ref[CodeType], list[Position], bytes]

_known: dict[int, _Details] = {}
"""The last few codes that were asked for, their positions and instructions; the latest last."""

MOST_CODES = 16


def positions_of(code: CodeType) -> list[Position]:
    """Returns `code.co_positions()`, cached for the last few codes."""
    return _details(code)[1]


def _details(code: CodeType) -> _Details:
    """Returns what each equation asks of its code, cached for the last few codes: Python makes it
    anew each time. The code of the function around many blocks is asked for between them, and
    stays."""
    found = _known.pop(id(code), None)
    if found is None or found[0]() is not code:
        while len(_known) >= MOST_CODES:
            _known.pop(next(iter(_known)), None)
        found = ref(code), list(code.co_positions()), code.co_code
    _known[id(code)] = found
    return found


MAX_CALLERS = 30
"""So many callers of a location in one region are remembered."""


class Location:
    """A location in the user's source: a code object and the instruction that was running in it,
    the globals of the module, if they are known, and the location in the frame around it in the
    trace, if there is one. `frames` has what the variables were when the trace was there, here and
    in the frames around; it is empty where that is not known."""

    __slots__ = ("__weakref__", "_span", "_targets", "caller", "code", "frames", "instruction",
                 "scope")

    in_trace = True
    """True if the callers in the trace are known, the innermost `MAX_CALLERS` of them."""
    has_parts = False
    """True if parts of the generated line that this is for come from other locations."""

    def __init__(self, code: CodeType, instruction: int, scope: dict[str, Any] | None = None,
                 caller: Location | None = None) -> None:
        self.code = code
        self.scope = scope
        self.caller = caller
        self.frames: Frames = ()
        self.instruction = instruction
        self._targets: list[str] | None = None
        self._span: tuple[int, int, int, int] | None = None

    def with_frames(self, frames: Frames) -> Location:
        """Returns the same location, with what the variables were."""
        made = Location(self.code, self.instruction, self.scope, self.caller)
        made.frames, made._span, made._targets = frames, self._span, self._targets
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Location) and self.code is other.code and (
            self.instruction == other.instruction)

    def __hash__(self) -> int:
        return hash((id(self.code), self.instruction))

    @property
    def filename(self) -> str:
        return self.code.co_filename

    @property
    def function(self) -> str:
        return self.code.co_qualname

    @property
    def span(self) -> tuple[int, int, int, int]:
        """(line, end line, column, end column); lines from 1, columns in UTF-8 bytes from 0."""
        if self._span is None:
            _, positions, _ = _details(self.code)
            number, first = self.instruction // 2, self.code.co_firstlineno
            line, end, col, end_col = positions[number] if number < len(positions) else (None,) * 4
            self._span = (first, first, 0, 0) if line is None else (
                line, end or line, col or 0, end_col or 0)
        return self._span

    @property
    def line(self) -> int:
        return self.span[0]

    def part(self, column: int, end_column: int) -> Location:
        """The location of the text between two columns of the generated line that this is for."""
        return self

    @property
    def targets(self) -> list[str]:
        """The variables that the result is bound or unpacked to right away; empty if there are
        none."""
        if self._targets is None:
            _, positions, code = _details(self.code)
            self._targets = self._stored_in(code, positions)
        return self._targets

    def _stored_in(self, code: bytes, positions: list[Position]) -> list[str]:
        if self.instruction >= len(code):
            return []
        after, count = self.instruction + _LENGTHS[code[self.instruction]], 1
        while after < len(code) and code[after] in CALLS and (
                positions[after // 2] == positions[self.instruction // 2]):
            after += _LENGTHS[code[after]]  # of a function that the compiler gives the result
        if after < len(code) and code[after] not in BINDING:
            return []
        if after < len(code) and code[after] == _UNPACK:
            count, after = code[after + 1], after + _LENGTHS[_UNPACK]
        names: list[str] = []
        while len(names) < count and after < len(code):
            if code[after] not in STORES:
                return []
            names += _stored(self.code, code[after], code[after + 1])
            after += _LENGTHS[code[after]]
        return names[:count]

    def raises(self) -> bool:
        """Returns True for a `raise` statement, and for the test of an `assert`."""
        line, _, start, _ = self.span
        text = linecache.getline(self.filename, line).encode()
        return text.startswith(b"raise", start) or text[:start].rstrip(b" (").endswith(b"assert")

    def caret(self) -> str:
        """The source line with a caret line under it; empty if the source cannot be had."""
        line, end, col, end_col = self.span
        return with_caret(linecache.getline(self.filename, line), col,
                          end_col if end == line else None)

    def __str__(self) -> str:
        return f"{self.filename}:{self.line}"


def _stored(code: CodeType, op: int, argument: int) -> list[str]:
    """The locals that an instruction stores to."""
    count = STORES[op]
    name_of = code._varname_from_oparg  # type: ignore[attr-defined]
    numbers = (argument,) if count == 0 else (argument >> 4, argument & 15)[:count]
    return list(map(name_of, numbers))


STORES = {opmap[name]: count for name, count in {
    "STORE_FAST": 0, "STORE_DEREF": 0, "STORE_FAST_LOAD_FAST": 1, "STORE_FAST_STORE_FAST": 2,
}.items() if name in opmap}
"""Instructions that store to locals: how many of the two numbers in their argument name them, or 0
if it is one number. Those of two are Python's from 3.13 on."""

CALLS = {opmap[name] for name in ("PRECALL", "CALL") if name in opmap}

BINDING = STORES.keys() | {_UNPACK}
"""Instructions that store to locals, maybe after others."""
