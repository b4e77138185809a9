"""The class that Python's library sees of a symbolic value: `isinstance` asks for `__class__`."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from autograph.libraries import is_python
from autograph.runtime.ir.call_frames import is_debugging, is_operator
from autograph.runtime.ir.errors import SymbolicValueError, at
from autograph.runtime.ir.types import known_class
from autograph.runtime.symbolic.source_locations import user_location


class AskedClass:
    """Tells code of Python's library, which is not converted, the class that the value has when the
    graph runs. All other code sees the class of the symbolic value."""

    __slots__ = ()
    _handle: Any

    @property  # type: ignore[misc]  # nobody sets it
    def __class__(self) -> Any:
        """The class that `isinstance` sees."""
        frame = sys._getframe(1)
        name = frame.f_globals.get("__name__")
        if name in _ours:
            return type(self)
        if not is_python(name) or not _is_for_the_user(frame):
            if str(name).startswith("autograph."):
                _ours.add(name)
            return type(self)
        cls = known_class(self._handle.value.type)
        if cls is None and not is_debugging(frame) and not _is_operand(frame):
            raise SymbolicValueError(
                f"the class of a symbolic value, which only the run knows{at(user_location())}\n"
                "  hint: give Python's library a value of a class that is known, as float(x)")
        return cls or type(self)


_ours: set[object] = set()
"""The modules of ours that have asked."""


def _is_operand(frame: FrameType) -> bool:
    """Returns True if a method of an operator runs in a frame: it leaves a value of a class that it
    does not know to the other operand, which is the symbolic value."""
    return frame.f_back is not None and is_operator(frame.f_back)


def _is_for_the_user(frame: FrameType | None) -> bool:
    """Returns True if code of Python's library runs in a frame, which the user's program called;
    False if the runtime did, or asks `isinstance` of an abstract class, which is code, too."""
    while frame is not None and is_python(frame.f_globals.get("__name__")):
        frame = frame.f_back
    name = str(frame and frame.f_globals.get("__name__"))
    return not name.startswith("autograph.") or name.startswith(PASSING)


PASSING = tuple(f"autograph.{name}." for name in (
    "conversion", "operators", "runtime.replacements"))
"""The packages that call functions of Python's library for the user."""
