"""Guards of traces: the tests that recognise a call, and tables of traces that share them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.functions.partition import FEW, Partition, are_distinct
from autograph.runtime.ops.state import Storage
from autograph.runtime.signatures.binding import Bound, Leaf
from autograph.runtime.signatures.cache_keys import Stateful
from autograph.runtime.signatures.guards import Check, Const, Guard, Keyed, Step
from autograph.runtime.symbolic import trace

T = TypeVar("T")

MAX_GUARDED = 4
"""At most so many signatures are tested one after the other. Of more, those that differ only in
dtypes, shapes and literals share a table."""

MANY_PAIRS = 20
"""Pairs of arrays from which on one call compares them all."""

MAX_TABLES = 8
"""The entry point looks into at most so many tables, the newest; the slow path finds the others."""


def steps_of(concrete: ConcreteFunction) -> list[Step] | None:
    """Returns the guards that a call for this trace passes; None if no guard can tell."""
    if concrete.bound.guards is None:
        return None
    first = [] if is_pure(concrete) else [Check(("not ", Const(trace.ongoing)))]
    return [*first, *concrete.bound.guards, *_distinct(concrete)]


def is_pure(concrete: ConcreteFunction) -> bool:
    """Returns True if the graph may run at any time, so that a trace need not record the call."""
    program = concrete.program
    return not (program.write_back or program.refill or program.locations or concrete.state
                or any(e.op.effect for e in program.graph.walk())
                or any(isinstance(c, Storage) for c in program.graph.captures.values())
                or any(isinstance(x.type, Stateful) for x in concrete.bound.leaves))


def _distinct(concrete: ConcreteFunction) -> Iterator[Check]:
    """Yields tests that written arguments are different objects, as they were for the trace."""
    leaves, partition = concrete.bound.leaves, concrete.partition
    if not partition.is_trivial:
        yield Check(_separate(leaves, partition))
    for a, b in _pairs([leaf.path for leaf in leaves if isinstance(leaf.type, Stateful)]):
        yield Check((f"{a} is not {b}",))
    changed = frozenset(number for number, _ in concrete.program.refill)
    containers = [path for path, _ in concrete.bound.containers]
    if len(changed) * len(containers) > FEW:
        yield Check((Const(are_distinct), "(", Const(changed), f", ({', '.join(containers)},))"))
    else:
        for (i, a), (j, b) in _pairs(list(enumerate(containers))):
            if i in changed or j in changed:
                yield Check((f"{a} is not {b}",))


def _separate(leaves: Sequence[Leaf], partition: Partition) -> Guard:
    """Returns the test that written arrays share no memory with others.

    Arrays that own their memory share none if they are different objects: NumPy is not asked.
    """
    paths = {i: leaves[i].path for i in partition.arrays}
    written = [(paths[i], paths[k]) for i, k in partition.written_pairs]
    each: list[Guard] = [("not ", Const(np.may_share_memory), f"({a}, {b})") for a, b in written]
    if partition.pairs is None:
        each = [("not ", Const(partition.is_broken), f"({', '.join(paths.values())})")]
    asked = (*each[0], *(piece for test in each[1:] for piece in (" and ", *test)))
    if not partition.owners_suffice or len(written) > MANY_PAIRS:
        return asked
    own = [f"{a} is not {b}" for a, b in written]
    own += [f"{x}.flags.owndata" for x in dict.fromkeys(x for pair in written for x in pair)]
    return (f"({' and '.join(own)} or ", *asked, ")")


def _pairs(xs: list[T]) -> list[tuple[T, T]]:
    return [(a, b) for i, a in enumerate(xs) for b in xs[i + 1:]]


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
