"""The options of `ag.function`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

EFFECTS = ("trace", "runtime")


@dataclass(frozen=True)
class Options:
    """The options of `ag.function`, whose docstring says what they mean."""

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
