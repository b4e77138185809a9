"""Portraits: all that can be seen after a call, taken down so that two calls can be compared."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from types import FunctionType
from typing import Any

import numpy as np

from autograph.checking.call_state import CallState, is_once
from autograph.checking.compare import same, shown, where
from autograph.checking.walk import PLAIN, Met, held_by, key_text, walk
from autograph.runtime.heap.locations import FILES
from autograph.runtime.ir.buffers_of_numbers import BUFFERS, contents
from autograph.runtime.ir.stand_ins import array_of
from autograph.runtime.symbolic.variables import Variable

RESULT = "the result"
ERROR = "the exception"


@dataclass(frozen=True)
class Look:
    """One value of a portrait.

    cls     its class.
    value   its value; of a container the length and the keys, of an array a copy.
    is_     which object it is: the name it had before the call, or under which it came first.
    shares  the names of the arrays before it that share its memory.
    text    the value for people.
    """

    cls: type
    value: Any = None
    is_: str = ""
    shares: tuple[str, ...] = ()
    text: str = ""

    def differs(self, other: Look) -> str:
        """Returns how the other value differs, with a place for both texts; empty if it does
        not."""
        if self.cls is not other.cls or not same(self.value, other.value):
            both = isinstance(self.value, Array) and isinstance(other.value, Array)
            return where(self.value.array, other.value.array) if both else (
                f"{self.text} against {other.text}")
        if self.is_ != other.is_:
            return f"{self.object} against {other.object}"
        if self.shares != other.shares:
            return f"{self.memory} against {other.memory}"
        return ""

    @property
    def object(self) -> str:
        return f"the object of {self.is_}" if self.is_ else f"a new {self.cls.__name__}"

    @property
    def memory(self) -> str:
        return f"an array that shares memory with {', '.join(self.shares) or 'none'}"


class Portrait(dict[str, Look]):
    """All that can be seen of objects, by name, and of a call's result or exception."""

    def __init__(self, roots: Iterable[tuple[str, Any]], before: CallState) -> None:
        super().__init__()
        arrays: list[tuple[str, np.ndarray]] = []
        names: dict[int, str] = {}
        self._kept: list[Any] = []
        for met in walk(roots):
            if is_portrayed(met, before):
                self[self._free(met.name)] = look(met, before, names, arrays)
                self._kept.append(met.value)

    def _free(self, name: str) -> str:
        """Returns the name, or with a number if two functions have a variable of this name."""
        return name if name not in self else next(
            free for n in count(2) if (free := f"{name} ({n})") not in self)

    def difference(self, other: Portrait) -> tuple[str, str]:
        """Returns the name of the first thing that differs, and how; results and exceptions come
        first. Two empty texts if nothing does."""
        if (ERROR in self) != (ERROR in other):
            return "the outcome", f"{self.outcome} against {other.outcome}"
        for name in sorted(self, key=lambda name: not name.startswith((RESULT, ERROR))):
            if name not in other:
                return name, f"{self[name].text} against nothing"
            if found := self[name].differs(other[name]):
                return name, found
        for name in other:
            if name not in self:
                return name, f"nothing against {other[name].text}"
        return "", ""

    @property
    def outcome(self) -> str:
        return f"the exception {self[ERROR].text}" if ERROR in self else (
            f"the result {self[RESULT].text}")


def is_portrayed(met: Met, before: CallState) -> bool:
    """Returns True for what is data: not for functions and classes that were there before, nor for
    what is inside a library's object."""
    if isinstance(met.value, (FunctionType, type)):
        return id(met.value) not in before.names
    return not met.closed and met.name != ""


def look(met: Met, before: CallState, names: dict[int, str],
         arrays: list[tuple[str, np.ndarray]]) -> Look:
    """Takes down one value; `names` and `arrays` are those of the values before it."""
    x = met.value
    if isinstance(x, (*PLAIN, tuple, frozenset)):
        return Look(type(x), value_of(x), text=text_of(x))
    is_ = before.names.get(id(x)) or names.get(id(x), "")
    names.setdefault(id(x), met.name)
    shares: tuple[str, ...] = ()
    if isinstance(x, np.ndarray) and not met.again:
        shares = tuple(name for name, y in arrays if overlap(x, y))
        arrays.append((met.name, x))
    return Look(type(x), value_of(x), is_, shares, text_of(x))


def text_of(x: Any) -> str:
    """Returns a short text of a value: what is in a container only if that is plain and little."""
    if isinstance(x, (*PLAIN, np.ndarray, BaseException)):
        return shown(x)
    if type(x) in (list, tuple, dict, set, deque, bytearray):
        inside = [*x.keys(), *x.values()] if type(x) is dict else x
        few = len(x) <= 8 and all(isinstance(item, PLAIN) for item in inside)
        return shown(x) if few else f"a {type(x).__name__} of {len(x)}"
    return f"a {type(x).__name__}"


def overlap(x: np.ndarray, y: np.ndarray) -> bool:
    """Returns True if two arrays share memory; if that is hard to tell, if they may."""
    if not np.may_share_memory(x, y):
        return False
    try:
        return np.shares_memory(x, y, max_work=1000)  # type: ignore[arg-type]  # any number
    except np.exceptions.TooHardError:
        return True


def value_of(x: Any) -> Any:
    """Returns what of a value can be compared with another run's."""
    if isinstance(x, np.ndarray):
        return Array(array_of(x).copy(), x.flags.writeable)
    if isinstance(x, Variable):
        return np.copy(x.storage.array)
    if isinstance(x, PLAIN):
        return x
    if isinstance(x, BUFFERS):
        return contents(x)
    if type(x) in FILES:
        return FILES[type(x)][0](x)
    if isinstance(x, dict):
        return tuple(key_text(key) for key in x)
    if isinstance(x, (set, frozenset)):
        return tuple(sorted(key_text(item) for item in x))
    if isinstance(x, (np.random.Generator, np.random.RandomState)):
        return state_of(x)
    if hasattr(x, "getstate"):
        return x.getstate()
    if any(True for _ in held_by(x)) or is_once(x):
        return len(x) if isinstance(x, (list, tuple)) else None
    return x if "__eq__" in vars(type(x)) else None


class Array:
    """An array that is compared with its dtype, shape, values and if it can be written."""

    def __init__(self, array: np.ndarray, writeable: bool) -> None:
        self.array, self.writeable = array, writeable

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Array) and self.writeable == other.writeable and (
            self.array.dtype == other.array.dtype and self.array.shape == other.array.shape
        ) and (self.array.dtype == object or same(self.array, other.array))

    __hash__ = None  # type: ignore[assignment]


def state_of(x: Any) -> str:
    """Returns the state of a generator of random numbers."""
    bits = x.bit_generator if isinstance(x, np.random.Generator) else x._bit_generator
    return repr(bits.state)
