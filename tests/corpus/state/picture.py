"""Pictures: values as text in which identity shows."""

from __future__ import annotations

import re
from array import array
from collections import deque
from collections.abc import Iterator
from itertools import islice
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

ADDRESS = re.compile(r" at 0x[0-9a-f]+")
DEEPEST = 60
"""Values that are nested deeper are told by their class alone."""


class Picture:
    """Values as text: classes, dtypes, contents, which are one object, which share memory."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.kept: list[Any] = []
        self.arrays: list[np.ndarray] = []
        self.depth = 0

    def of(self, x: Any) -> str:
        """Returns the text of a value; of an object that came before, only its number."""
        if isinstance(x, np.generic):
            return f"{type(x).__name__} {x.item()!r}"
        if isinstance(x, (int, float, complex, str, bytes, bool, type(None))):
            return f"{type(x).__name__} {x!r}"
        if isinstance(x, (range, slice)):
            return repr(x)  # a value, as a tuple is
        if isinstance(x, MethodType):  # each look-up makes another one
            return f"method {x.__name__} of {self.of(x.__self__)}"
        if isinstance(x, (type, FunctionType, ModuleType)):
            return f"{type(x).__name__} {x.__name__}"
        if isinstance(x, tuple) and not getattr(x, "__dict__", None):  # who tells one from another?
            name = "" if type(x) is tuple else type(x).__name__
            return f"{name}({', '.join(map(self.of, x))})"
        if id(x) in self.numbers:
            return f"#{self.numbers[id(x)]}"
        self.numbers[id(x)] = len(self.numbers)
        self.kept.append(x)
        self.depth += 1
        inside = self.inside(x) if self.depth < DEEPEST else "..."
        self.depth -= 1
        return f"#{self.numbers[id(x)]}={type(x).__name__}{inside}"

    def inside(self, x: Any) -> str:
        if isinstance(x, np.ndarray):
            return self.array(x)
        if isinstance(x, dict):
            items = ", ".join(f"{self.of(k)}: {self.of(v)}" for k, v in x.items())
            return f"{{{items}}}{self.attributes(x)}"
        if isinstance(x, (list, tuple, deque, bytearray, array)):
            return f"[{', '.join(map(self.of, x))}]{self.attributes(x)}"
        if isinstance(x, (set, frozenset)):
            items = sorted(x, key=lambda item: Picture().of(item))  # not in the order of addresses
            return f"{{{', '.join(map(self.of, items))}}}"
        if isinstance(x, BaseException):
            return f"{self.of(x.args)} {x}"
        if isinstance(x, Iterator):
            return self.items(x)
        if hasattr(type(x), "memory_usage") and hasattr(x, "to_dict"):  # not how pandas keeps it
            return f" {getattr(x, 'dtypes', '')} {self.of(x.index.tolist())} {self.of(x.to_dict())}"
        if isinstance(x, (np.random.Generator, np.random.BitGenerator)):
            return f" {self.of(getattr(x, 'bit_generator', x).state)}"
        if isinstance(x, np.random.RandomState):
            return f" {self.of(x.get_state(legacy=False))}"
        return self.attributes(x) or " " + ADDRESS.sub("", repr(x))

    def items(self, x: Iterator[Any]) -> str:
        """The next items of an iterator, and what it raises after them."""
        found: list[Any] = []
        try:
            found.extend(islice(x, 50))
        except Exception as error:
            return f" of {self.of(found)}, then {error!r}"
        return f" of {self.of(found)}"

    def array(self, x: np.ndarray) -> str:
        shares = [k for k, y in enumerate(self.arrays) if np.shares_memory(x, y)]
        self.arrays.append(x)
        own = x if isinstance(x, np.ma.MaskedArray) else np.asarray(x)  # a Quantity makes no list
        items = self.of(own.tolist()) if x.dtype.hasobject else repr(own.tolist())
        read_only = "" if x.flags.writeable else " read-only"
        mask = " no mask" if getattr(own, "mask", None) is np.ma.nomask else ""
        return f" {x.dtype} {x.shape}{read_only} {items}{mask} {shares or ''}"

    def attributes(self, x: Any) -> str:
        """The attributes of an object; empty if Python code has not given it any."""
        held = [vars(c).get("__slots__", ()) for c in type(x).__mro__]
        slots = [n for names in held for n in ((names,) if isinstance(names, str) else names)]
        names = [n for n in (*slots, *getattr(x, "__dict__", ())) if hasattr(x, n)]
        told = ", ".join(f"{n}={self.of(getattr(x, n))}" for n in names)
        return f"({told})" if told else ""
