"""The knowledge that the tapes of a thread share: calls that were made, and tokens of values."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from autograph.gradients.pullback import Pair
from autograph.runtime.ops.state import Storage


class Untold:
    """The token of a value of which no tape knows how it came about; says why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


@dataclass
class Node:
    """A call that tapes saw.

    call     the function that was called, of the leaves of its arguments.
    leaves   what it was called with.
    sources  the tokens of what has cotangents.
    results  the tokens of those leaves of the result that have cotangents: of each several, if it
             is a list or dict that only the run knows.
    like     those leaves, as they came.
    """

    pair: Pair
    kept: tuple[Any, ...]
    call: Callable[..., Any]
    leaves: list[Any]
    sources: list[Any]
    results: list[list[Any]]
    like: list[Any]

    @property
    def tokens(self) -> list[Any]:
        return [token for tokens in self.results for token in tokens]


class Tapes(threading.local):
    """The tapes of a thread, and what they know together.

    active    those that record.
    paused    those that do not, though their blocks are open.
    versions  the tokens of variables that were written.
    count     how many the blocks of all threads have.
    """

    count: ClassVar[int] = 0

    def __init__(self) -> None:
        self.active: list[Any] = []
        self.paused: list[Any] = []
        self.versions: dict[Storage, Any] = {}

    @classmethod
    def any_open(cls) -> bool:
        """Returns True while the block of a tape of any thread runs."""
        return cls.count > 0

    def note(self, node: Node) -> None:
        for tape in self.active:
            tape.note(node)


TAPES = Tapes()
