"""What a dispatcher works with: options, calls taken apart, and how many traces came and went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from autograph.runtime.functions.persistent_state import Kept
from autograph.runtime.signatures.binding import PERSISTENT, Bound, bind
from autograph.runtime.signatures.cache_keys import Key, Node

EFFECTS = ("trace", "runtime")


@dataclass(frozen=True)
class Options:
    """What `ag.function` was given; its docstring says what they mean."""

    input_signature: Sequence[Any] | None = None
    autograph: bool = True
    reduce_retracing: bool = False
    captures: str = "freeze"
    effects: str = "trace"
    atomic: bool = False
    max_traces: int | None = 1000
    count_calls: bool = False
    follow_type_hints: bool = False
    executor: str = "python"
    fast_math: bool = False
    strict: bool = False

    def __post_init__(self) -> None:
        if self.effects not in EFFECTS:
            raise ValueError(f"effects must be one of {', '.join(EFFECTS)}, not {self.effects!r}")


class CacheInfo(NamedTuple):
    """How a function's traces came and went.

    traces      so many are kept.
    max_traces  so many are kept at most.
    traced      so many were made.
    evicted     so many went: there were too many, an object they were for is gone, or the cache was
                cleared.
    hits        the calls that each kept trace served, by its signature; None if they are not
                counted.
    """

    traces: int
    max_traces: int | None
    traced: int
    evicted: int
    hits: dict[str, int] | None = None


@dataclass(frozen=True)
class Call:
    """A call taken apart: by its arguments, and by what the function keeps outside itself.

    base  the key of the arguments alone.
    """

    arguments: dict[str, Any]
    bound: Bound
    outside: Key
    base: Key
    kept: Kept | None = None

    @property
    def key(self) -> Key:
        return self.bound.key, self.outside

    def keeping(self, kept: Kept | None) -> Call:
        """The call with the slots of `kept` as inputs, too."""
        if kept is None:
            return self
        values = kept.load()
        arguments = {**self.arguments, PERSISTENT: values}
        pattern = Node(None, (*self.base[0].parts, (PERSISTENT, kept.pattern(values))))
        return replace(self, arguments=arguments, kept=kept,
                       bound=bind(arguments, pattern, kept.load))

    def like(self, pattern: Key) -> Bound:
        """The call as a trace of this key wants it."""
        return bind(self.arguments, pattern, None if self.kept is None else self.kept.load)
