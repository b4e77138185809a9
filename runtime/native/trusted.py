"""How generated code calls machine code: directly, once that has given results several times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.locks import new_lock

GIVES_UP, TRUSTS = -3, 8
"""So many calls that gave no results, less those that did, end it; so many that did are trusted."""


class Trusted:
    """Machine code that is compiled when it is called first, and gives None where it steps back.

    run  what is called; `stepped_back` is, where it gave None. Calls are counted until machine
         code has given results in most of them, or has not.
    """

    def __init__(self) -> None:
        self.run: Callable[..., Any] = self
        self._code: Callable[..., Any] | None = None
        self._lock = new_lock()
        self._balance = 0

    def __call__(self, *values: Any) -> Any:
        if self._balance < GIVES_UP:
            return None
        code = self._code or self.compile()
        results = code(*values)
        self._balance += 1 if results is not None else -1
        if self._balance >= TRUSTS:
            self._balance, self.run = 0, code
        return results

    @property
    def is_compiled(self) -> bool:
        """True if there is machine code."""
        return self._code is not None

    @property
    def steps_back(self) -> bool:
        """True if most calls give None."""
        return self._balance < 0

    def stepped_back(self) -> None:
        """Counts the calls again, after one without results."""
        if self.run is not self:
            self._balance, self.run = -1, self

    def compile(self) -> Callable[..., Any]:
        """Compiles the machine code, once."""
        with self._lock:
            if self._code is None:
                self._code = self.compiled()
            return self._code

    def compiled(self) -> Callable[..., Any]:
        """Returns the machine code as a function."""
        raise NotImplementedError
