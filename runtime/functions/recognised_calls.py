"""Recognised calls: guards that tell that a call is for a trace, and code that takes its leaves."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from autograph.runtime.functions.partition import FEW, Partition, are_distinct
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.ops.state import Storage
from autograph.runtime.signatures.binding import Bound, Leaf
from autograph.runtime.signatures.cache_keys import Stateful
from autograph.runtime.signatures.function_type import Parameters, has_leaf
from autograph.runtime.signatures.guards import (
    Bind,
    Check,
    Const,
    Guard,
    Guards,
    Keyed,
    Step,
    render,
)
from autograph.runtime.symbolic import trace

if TYPE_CHECKING:
    from autograph.runtime.functions.concrete_function import ConcreteFunction

T = TypeVar("T")

MANY_PAIRS = 20
"""Pairs of arrays from which on one call compares them all."""

INDENT = " "


class _Missing:
    """Stands for an argument that is left out."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


class RecognisedCalls:
    """Recognises the calls of a concrete function that are like an earlier one, without binding
    them.

    take  takes the arguments; returns what the trace's `run` takes, or None.
    met   the number of calls that it did not recognise.
    """

    def __init__(self) -> None:
        self.take: Callable[..., tuple[Any, ...] | None] = lambda *args, **kwargs: None
        self.met = 0

    def leaves(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        """Returns what `run` takes of a call; None if only binding it tells."""
        try:
            return self.take(*args, **kwargs)
        except TypeError:  # the arguments do not fit the parameters
            return None

    def note(self, concrete: ConcreteFunction, bound: Bound) -> None:
        """Notes a call that was not recognised: at the second one like it, code is written that
        recognises more of them, and again each time that the calls have doubled. Nothing tells a
        call of a trace from others: its guards are about values, and it has none.
        """
        if trace.tracing():
            return
        self.met += 1
        if self.met > 1 and not self.met & (self.met - 1) and bound.guards is not None:
            self.take = _taker(concrete, bound, bound.guards)


def _taker(concrete: ConcreteFunction, bound: Bound, guards: list[Step]
           ) -> Callable[..., tuple[Any, ...] | None]:
    """Returns a function of the arguments of calls that are bound like this one: it returns their
    leaves, or None for other calls."""
    parameters = [p.replace(annotation=p.empty, default=p.empty if _is_variadic(p) else MISSING)
                  for p in concrete.parameters]
    scope: dict[str, Any] = {"MISSING": MISSING}

    def name(x: Any) -> str:
        known = f"constant{len(scope)}"
        while any(known == p.name for p in parameters):
            known += "_"
        scope[known] = x
        return known

    lines, tests, indent = [f"def take{inspect.Signature(parameters)}:"], ["True"], INDENT
    for step in (*_left_out(parameters, bound), *guards, *_distinct(concrete, bound)):
        text = render(step.direct if isinstance(step, Keyed) else step.pieces, name)
        if not isinstance(step, Bind):
            tests.append(text)
            continue
        if tests:
            lines.append(f"{indent}if {' and '.join(tests)}:")
            tests, indent = [], indent + INDENT
        lines.append(indent + text)
    if tests:
        lines.append(f"{indent}if {' and '.join(tests)}:")
        indent += INDENT
    paths = [x.path for x in bound.leaves] + [
        bound.containers[number][0] for number in concrete.program.containers]
    lines.append(f"{indent}return ({''.join(f'{path}, ' for path in paths)})")
    exec("\n".join(lines), scope)  # our own text, not a user's
    take: FunctionType = scope["take"]
    _set_defaults(take, concrete.parameters, bound)
    return take


def _set_defaults(take: FunctionType, parameters: Parameters, bound: Bound) -> None:
    """Gives arguments that are constants of the call the function's own defaults."""
    def default(p: inspect.Parameter) -> Any:
        known = p.default is not p.empty and p.name in bound.nest
        return p.default if known and not has_leaf(bound.nest[p.name]) else MISSING

    plain = [p for p in parameters if not _is_variadic(p)]
    take.__defaults__ = tuple(default(p) for p in plain if p.kind is not p.KEYWORD_ONLY)
    take.__kwdefaults__ = {p.name: default(p) for p in plain if p.kind is p.KEYWORD_ONLY}


def _is_variadic(p: inspect.Parameter) -> bool:
    return p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)


def _left_out(parameters: list[inspect.Parameter], bound: Bound) -> Iterator[Check]:
    """Yields tests that the arguments that this call left out are left out."""
    for p in parameters:
        if p.name not in bound.nest:
            yield Check((f"not {p.name}" if _is_variadic(p) else f"{p.name} is MISSING",))


def steps_of(concrete: ConcreteFunction) -> list[Step] | None:
    """Returns the guards that a call for this trace passes; None if no guard can tell."""
    if concrete.bound.guards is None:
        return None
    first = [] if may_run_unrecorded(concrete) else [Check(("not ", Const(trace.ongoing)))]
    return [*first, *concrete.bound.guards, *_distinct(concrete, concrete.bound)]


def steps_at_once(concrete: ConcreteFunction) -> list[Step] | None:
    """Returns the same guards; a function with machine code asks them of its arrays at once.

    It takes the place of the last one: what is asked of other arguments raises of none, and that
    the arrays are separate is asked of arrays.
    """
    steps, arrays = steps_of(concrete), _compared(concrete)
    if steps is None or not arrays:
        return steps
    from autograph.runtime.native.recognition import recogniser
    leaves, partition = concrete.bound.leaves, concrete.partition
    pairs = [] if partition.is_trivial else partition.pairs or []
    pairs = pairs if arrays.keys() >= {k for pair in pairs for k in pair} else []
    asked = [step for known in arrays.values() for step in known]
    if any(step not in steps for step in asked):
        return steps
    last = max(map(steps.index, asked))
    numbers = {i: n for n, i in enumerate(arrays)}
    types = [leaves[i].type for i in arrays]
    at_once = recogniser([(t.dtype, t.shape) for t in types],
                         [(numbers[i], numbers[k]) for i, k in pairs])
    steps[last] = Check((Const(at_once), f"({', '.join(leaves[i].path for i in arrays)})"))
    if pairs:
        steps.remove(Check(_separate(leaves, partition)))
    return [step for step in steps if step not in asked]


def _compared(concrete: ConcreteFunction) -> dict[int, list[Step]]:
    """Returns the arrays that machine code may recognise, by their numbers, with their guards; none
    for functions without machine code."""
    if not concrete.execution.runs_machine_code:
        return {}
    found: dict[int, list[Step]] = {}
    for i, leaf in enumerate(concrete.bound.leaves):
        t = leaf.type
        if isinstance(t, ArrayType) and not t.scalar and t.is_static and t.dtype is not None and (
                t.shape is not None and np.dtype(t.dtype.type) is t.dtype):
            guards = Guards()
            guards.array(leaf.path, t)
            found[i] = guards.steps or []
    return found


def may_run_unrecorded(concrete: ConcreteFunction) -> bool:
    """Returns True if the graph may run at any time, so that a trace need not record the call."""
    program = concrete.program
    return not (program.write_back or program.refill or program.locations or concrete.state
                or any(e.op.effect for e in program.graph.walk())
                or any(isinstance(c, Storage) for c in program.graph.captures.values())
                or any(isinstance(x.type, Stateful) for x in concrete.bound.leaves))


def _distinct(concrete: ConcreteFunction, bound: Bound) -> Iterator[Check]:
    """Yields tests that written arguments are different objects, as they were for the trace."""
    leaves, partition = bound.leaves, concrete.partition
    if not partition.is_trivial:
        yield Check(_separate(leaves, partition))
    if partition.references and (partition.known or partition.elsewhere):
        paths = ", ".join(leaves[number].path for number in partition.references)
        yield Check(("not ", Const(partition.meets_known), f"(({paths},))"))
    for a, b in _pairs([leaf.path for leaf in leaves if isinstance(leaf.type, Stateful)]):
        yield Check((f"{a} is not {b}",))
    changed = frozenset(number for number, _ in concrete.program.refill)
    containers = [path for path, _ in bound.containers]
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
