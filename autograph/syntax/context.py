"""What the passes know about the function at hand besides its tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import gast

Action = Literal["keep", "convert", "operator", "directive"]


@dataclass(frozen=True)
class CallRule:
    """What becomes of a call: `keep` as written, `convert` the callee, or an `operator` of ours.

    A `directive` is read by a pass.

    `dispatches`: it stays as written because the function dispatches. `by_arguments`: it does so on
    its arguments; a list of symbolic values hides them, so such a call is converted after all.
    `exception`: what is called is a class of exceptions.
    """

    action: Action
    operator: str = ""
    reason: str = ""
    dispatches: bool = False
    by_arguments: bool = False
    exception: bool = False


def convert_all(callee: gast.expr, local_names: frozenset[str]) -> CallRule:
    """The rule used where nothing is known about the callee."""
    return CallRule("convert", reason="nothing is known about it")


@dataclass(frozen=True)
class Context:
    """Fixed for one conversion.

    `ag` is the name by which generated code reaches the operators; `resolve(callee, local_names)`
    says what becomes of a call; `class_name` is the class whose body holds the function (for
    mangled names and `super()`); `source_lines` are for messages; `site_instrumented`: whether the
    code is to tell where it makes containers.
    """

    filename: str = "<unknown>"
    ag: str = "ag"
    resolve: Callable[[gast.expr, frozenset[str]], CallRule] = convert_all
    class_name: str | None = None
    free_names: tuple[str, ...] = ()
    source_lines: tuple[str, ...] = field(default=(), repr=False)
    site_instrumented: bool = False
