"""Pictures: values as text in which identity shows."""

from __future__ import annotations

from array import array
from collections import deque
from typing import Any

import numpy as np


class Picture:
    """Values as text: classes, dtypes, contents, which are one object, which share memory."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.kept: list[Any] = []
        self.arrays: list[np.ndarray] = []

    def of(self, x: Any) -> str:
        """Returns the text of a value; of an object that came before, only its number."""
        if isinstance(x, np.generic):
            return f"{type(x).__name__} {x.item()!r}"
        if isinstance(x, (int, float, complex, str, bytes, bool, type(None))):
            return f"{type(x).__name__} {x!r}"
        if isinstance(x, tuple):
            return f"({', '.join(map(self.of, x))})"
        if id(x) in self.numbers:
            return f"#{self.numbers[id(x)]}"
        self.numbers[id(x)] = len(self.numbers)
        self.kept.append(x)
        return f"#{self.numbers[id(x)]}={type(x).__name__}{self.inside(x)}"

    def inside(self, x: Any) -> str:
        if isinstance(x, np.ndarray):
            shares = [k for k, y in enumerate(self.arrays) if np.shares_memory(x, y)]
            self.arrays.append(x)
            return f" {x.dtype} {x.shape} {x.tolist()!r} {shares or ''}"
        if isinstance(x, dict):
            return f"{{{', '.join(f'{self.of(k)}: {self.of(v)}' for k, v in x.items())}}}"
        if isinstance(x, (list, deque, bytearray, array)):
            return f"[{', '.join(map(self.of, x))}]"
        if isinstance(x, (set, frozenset)):
            return f"{{{', '.join(sorted(map(self.of, x)))}}}"
        if isinstance(x, BaseException):
            return self.of(x.args)
        names = [*getattr(type(x), "__slots__", ()), *getattr(x, "__dict__", ())]
        return f"({', '.join(f'{n}={self.of(getattr(x, n))}' for n in names if hasattr(x, n))})"
