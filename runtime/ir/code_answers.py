"""Answers that are remembered for code objects, by identity.

A code object is slow to hash: all that it holds is hashed each time, the code in it included.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import CodeType
from typing import Any, TypeVar
from weakref import ref

T = TypeVar("T")

MOST = 4096
"""So many answers are remembered."""


def by_code(ask: Callable[[CodeType], T]) -> Callable[[CodeType], T]:
    """Makes a function of a code object remember its answers.

    >>> by_code(lambda code: code.co_name)(by_code.__code__)
    'by_code'
    """
    known: dict[int, tuple[ref[CodeType], T]] = {}

    def answer(code: CodeType) -> T:
        found = known.get(id(code))
        if found is None or found[0]() is not code:  # the id of one that is gone is used again
            if len(known) >= MOST:
                known.clear()
            found = known[id(code)] = ref(code), ask(code)
        return found[1]

    made: Any = update_wrapper(answer, ask)
    return made  # type: ignore[no-any-return]
