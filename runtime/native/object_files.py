"""Object files: tells if bytes may be one before LLVM loads them: it ends the process over others.
"""

from __future__ import annotations

from struct import Struct

ELF, MACH = b"\x7fELF\2\1\1", b"\xcf\xfa\xed\xfe"
"""How object files of 64 bits begin, on Linux and on macOS."""

_HEADER, _SECTION = Struct("<16sHHIQQQIHHHHHH"), Struct("<IIQQQQIIQQ")
_MACH_HEADER = Struct("<4sIIIIIII")

RELOCATABLE, NO_BITS = 1, 8


def is_object_file(data: bytes) -> bool:
    """Returns True if bytes have the header of an object file, and all of its sections.

    >>> is_object_file(b""), is_object_file(ELF + bytes(100))
    (False, False)
    """
    if data.startswith(MACH) and len(data) >= _MACH_HEADER.size:
        _, _, _, kind, _, size, _, _ = _MACH_HEADER.unpack_from(data)
        return bool(kind == RELOCATABLE and _MACH_HEADER.size + size <= len(data))
    if not data.startswith(ELF) or len(data) < _HEADER.size:
        return False
    _, kind, _, _, _, _, table, _, _, _, _, size, count, names = _HEADER.unpack_from(data)
    if kind != RELOCATABLE or size != _SECTION.size or not names < count or (
            table + size * count > len(data)):
        return False
    sections = (_SECTION.unpack_from(data, table + size * k) for k in range(count))
    return all(what == NO_BITS or start + length <= len(data)
               for _, what, _, _, start, length, _, _, _, _ in sections)
