"""The knowledge that the tapes of a thread share: calls that were made, and tokens of values."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
    results  the tokens of the leaves of the result.
    like     those of them that have cotangents, as they came.
    """

    pair: Pair
    kept: tuple[Any, ...]
    call: Callable[..., Any]
    leaves: list[Any]
    sources: list[Any]
    results: list[Any]
    like: list[Any]


class Tapes(threading.local):
    """The tapes of a thread, and what they know together.

    active    those that record.
    paused    how many do not, though their blocks are open.
    versions  the tokens of variables that were written.
    plain     for each plain array that stands for a taped one in a call: it, the token, that one.
    """

    def __init__(self) -> None:
        self.active: list[Any] = []
        self.paused = 0
        self.versions: dict[Storage, Any] = {}
        self.plain: dict[int, tuple[Any, Any, Any]] = {}

    def note(self, node: Node) -> None:
        for tape in self.active:
            tape.note(node)


TAPES = Tapes()
