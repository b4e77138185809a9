"""The options of `ag.function`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from autograph.own_attributes import held

EFFECTS = ("trace", "runtime")


class Strictness:
    """The switch for functions that do not say `strict`; AUTOGRAPH_STRICT=1 sets it at the start.
    """

    default = os.environ.get("AUTOGRAPH_STRICT", "0") not in ("", "0")


STRICT = Strictness()


class Verification:
    """The calls of each signature that are verified of functions that do not say `verify`;
    AUTOGRAPH_VERIFY=3 sets it at the start."""

    default = int(os.environ.get("AUTOGRAPH_VERIFY") or 0)


VERIFICATION = Verification()


def number_of_calls(x: Any) -> int:
    """Returns a number of calls.

    Raises:
      ValueError: it is none.
    """
    if not isinstance(x, int) or x < 0:
        raise ValueError(f"verify must be a number of calls, not {x!r}\n  hint: verify=3")
    return x


def check_kind(name: str, kind: str, x: Any) -> None:
    """Checks the value of an option or switch, whose type is written as in `Options`.

    Raises:
      TypeError: it is of another type.
    """
    if kind in KINDS and not isinstance(x, KINDS[kind][0]):
        raise TypeError(f"{name} is {KINDS[kind][1]}, not {x!r}")


KINDS: dict[str, tuple[Any, str]] = {
    "bool": (int | np.bool, "True or False"),
    "bool | None": (int | np.bool | None, "True, False or None"),
    "int | None": (int | np.integer | None, "a number or None"),
    "bytes": (int | np.integer, "a number"),
}
"""The types of options, as they are written -> the classes of their values, and the words."""


@dataclass(frozen=True)
class Options:
    """The options of `ag.function`, whose docstring says what they mean."""

    input_signature: Sequence[Any] | None = None
    autograph: bool = True
    reduce_retracing: bool = False
    captures: str | None = None
    effects: str = "trace"
    atomic: bool = False
    max_traces: int | None = 1000
    count_calls: bool = False
    follow_type_hints: bool = False
    executor: str = "python"
    fast_math: bool = False
    strict: bool | None = None
    verify: int | None = None

    @property
    def verified_calls(self) -> int:
        """The number of calls of each signature that are verified."""
        return VERIFICATION.default if self.verify is None else self.verify

    def captures_of(self, function: Any) -> str:
        """Returns what happens when something changes that a trace of the function took from
        outside: at a prompt and in a notebook, where cells define things anew, it is looked at.
        """
        if self.captures is not None:
            return self.captures
        scope = held(function, "__globals__", {})
        typed = hasattr(sys, "ps1") and scope.get("__name__") == "__main__"
        return "guard" if typed else "freeze"

    @property
    def is_strict(self) -> bool:
        """True if every exception and warning of the plain function is kept."""
        return STRICT.default if self.strict is None else self.strict

    def __post_init__(self) -> None:
        if self.effects not in EFFECTS:
            raise ValueError(f"effects must be one of {', '.join(EFFECTS)}, not {self.effects!r}")
        if self.verify is not None:
            number_of_calls(self.verify)
        for field in fields(self):
            check_kind(field.name, str(field.type), getattr(self, field.name))
        if self.max_traces is not None and self.max_traces < 1:
            raise ValueError(f"max_traces must be 1 or more, not {self.max_traces}\n"
                             "  hint: max_traces=None keeps all traces")
