"""The options of `ag.function`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

EFFECTS = ("trace", "runtime")


class Strictness:
    """The switch for functions that do not say `strict`; AUTOGRAPH_STRICT=1 sets it at the start.
    """

    default = os.environ.get("AUTOGRAPH_STRICT", "0") not in ("", "0")


STRICT = Strictness()


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
    strict: bool | None = None

    @property
    def is_strict(self) -> bool:
        """True if every exception and warning of the plain function is kept."""
        return STRICT.default if self.strict is None else self.strict

    def __post_init__(self) -> None:
        if self.effects not in EFFECTS:
            raise ValueError(f"effects must be one of {', '.join(EFFECTS)}, not {self.effects!r}")
