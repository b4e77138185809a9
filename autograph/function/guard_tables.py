"""Guards of traces: the tests that recognise a call, and tables of traces that share them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.functions.recognised_calls import steps_of
from autograph.runtime.signatures.binding import Bound
from autograph.runtime.signatures.guards import Check, Const, Keyed, Step
from autograph.runtime.symbolic import trace

MAX_GUARDED = 4
"""At most so many signatures are tested one after the other. Of more, those that differ only in
dtypes, shapes and literals share a table."""

MAX_TABLES = 8
"""The entry point looks into at most so many tables, the newest; the slow path finds the others."""


@dataclass(frozen=True, eq=False)
class PlainCalls:
    """Calls of one signature that run as plain Python.

    steps  the guards that they pass.
    run    what runs them: takes the values of the parameters.
    """

    steps: list[Step]
    run: Callable[..., Any]


def plain_calls(bound: Bound, run: Callable[..., Any]) -> PlainCalls | None:
    """Returns what recognises calls that are bound like this one; None if no guard can tell."""
    guards = bound.signature().guards
    return None if guards is None else PlainCalls(
        [Check(("not ", Const(trace.ongoing))), *guards], run)


@dataclass
class Table:
    """Traces whose guards differ only in `Keyed` values.

    steps      the guards that they share.
    arguments  the variables that hold the arrays.
    runs       values -> what runs the trace.
    """

    steps: list[Step]
    arguments: list[str]
    runs: dict[Any, Callable[..., Any]] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The expression that is looked up."""
        parts = [x for step in self.steps if isinstance(step, Keyed) for x in step.expressions]
        return f"({', '.join(parts)},)" if parts else "()"


class Tables:
    """The tables of one function, by what the guards of their traces share."""

    def __init__(self) -> None:
        self.tables: dict[Any, Table] = {}
        self.entries: dict[Any, tuple[Any, Any]] = {}

    def put(self, key: Any, concrete: ConcreteFunction, run: Callable[..., Any]) -> None:
        """Enters the trace for a key, if it is not there."""
        if key in self.entries:
            return
        steps = steps_of(concrete)
        if steps is None:
            self.entries[key] = None, None
            return
        common = (*(s.expressions if isinstance(s, Keyed) else s for s in steps),
                  tuple(concrete.paths))
        values = tuple(v for s in steps if isinstance(s, Keyed) for v in s.values)
        table = self.tables.setdefault(common, Table(steps, concrete.paths))
        table.runs[values] = run
        self.entries[key] = common, values

    def drop(self, key: Any) -> None:
        common, values = self.entries.pop(key, (None, None))
        if common in self.tables:
            self.tables[common].runs.pop(values, None)
            if not self.tables[common].runs:
                del self.tables[common]

    def newest(self) -> list[Table]:
        return list(self.tables.values())[: -MAX_TABLES - 1: -1]
