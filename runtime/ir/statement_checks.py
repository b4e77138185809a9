"""Checks that statements are well formed: after lowering, in tests and for work on the compiler."""

from __future__ import annotations

from collections.abc import Iterable

from autograph.runtime.ir.errors import GraphError
from autograph.runtime.ir.expressions import (
    Call,
    Choice,
    Expression,
    Global,
    Literal,
    Name,
    parts_of,
)
from autograph.runtime.ir.frame_state import Local
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.ir.statement_text import program_text
from autograph.runtime.ir.statements import (
    Block,
    Break,
    Delete,
    For,
    Fused,
    Guarded,
    If,
    Into,
    Kernel,
    Let,
    Lowered,
    Move,
    Return,
    Statement,
    Store,
    Target,
    Update,
    While,
    With,
    expressions_of,
    walk,
)

Defined = frozenset[str] | None
"""The variables that have a value on every path; None where no path leads."""


def check_statements(lowered: Lowered) -> None:
    """Checks the statements of a program.

    Every variable has a value, on every path, before it is read; parameters are not rebound; every
    `Break` is in a loop; nothing follows what ends a block; a stretch that may fail leaves what
    runs instead as it was; every object is known under its global name.

    Raises:
      GraphError: they are not well formed.
    """
    checker = _Checker(lowered)
    for function in lowered.all_functions:
        given = {x.text for x in (*function.parameters, *function.optional)}
        checker.fixed = given if function is lowered.main else set()
        checker.block(function.body, frozenset(given))


class _Checker:
    """Follows the paths through a function.

    fixed   the variables that are never bound again: the caller looks at its own arrays.
    breaks  for each loop around a statement: what has a value where it is left.
    """

    def __init__(self, lowered: Lowered) -> None:
        self.lowered = lowered
        self.fixed: set[str] = set()
        self.breaks: list[list[Defined]] = []
        self.functions = {f.name for f in lowered.all_functions}

    def require(self, holds: bool, reason: str, statement: Statement) -> None:
        if not holds:
            kind = type(statement).__name__
            raise GraphError(f"{kind}: {reason}\n{program_text(self.lowered)}")

    def block(self, block: Block, known: Defined) -> Defined:
        for statement in block:
            self.require(known is not None, "nothing leads here", statement)
            assert known is not None
            known = self.statement(statement, known)
        return known

    def statement(self, s: Statement, known: frozenset[str]) -> Defined:
        """Checks one statement; returns what has a value after it."""
        for x in expressions_of(s):
            self.expression(s, x, known)
        for x in flatten([list(pair) for pair in s.frame]):
            self.require(not isinstance(x, Local) or x.name in known,
                         f"the pending write of {getattr(x, 'name', '')} has no value", s)
        bound = {x.text for x in bound_by(s)}
        self.require(not bound & self.fixed, f"rebinds {sorted(bound & self.fixed)}", s)
        match s:
            case Return():
                return None
            case Break():
                self.require(bool(self.breaks), "is in no loop", s)
                self.breaks[-1].append(known)
                return None
            case Delete():
                return known - {x.text for x in s.targets if isinstance(x, Name)}
            case If():
                return both(self.block(s.then, known), self.block(s.orelse, known))
            case While() | For():
                return self.loop(s, known | bound)
            case With():
                return self.block(s.body, known)
            case Guarded():
                self.stretch(s, known)
                return both(self.block(s.stretch, known), self.block(s.otherwise, known))
            case Kernel():
                known |= bound
                return both(self.block(s.results, known), self.block(s.otherwise, known))
            case _:
                return known | bound

    def loop(self, s: While | For, known: frozenset[str]) -> Defined:
        self.breaks.append([])
        self.block(s.body, known)
        left = self.breaks.pop()
        after: Defined = None if isinstance(s, While) and s.test is None else known
        for state in left:
            after = both(after, state)
        return after

    def stretch(self, s: Guarded, known: frozenset[str]) -> None:
        """Checks that what runs if a stretch fails finds the variables and the memory as they were:
        arrays are put back, and then results are bound, at its end."""
        steps = list(s.stretch)
        while steps and isinstance(steps[-1], Let) and cannot_fail(steps[-1].value):
            steps.pop()
        rebound = {x.text for inner in walk(steps) for x in bound_by(inner)} & known
        rebound &= reads_before_binding(s.otherwise)
        self.require(not rebound, f"the stretch binds {sorted(rebound)}", s)
        while steps and isinstance(steps[-1], Store):
            steps.pop()
        for inner in walk(steps):
            if isinstance(inner, Update | Into | Store):
                base = base_of(inner.target)
                self.require(base is None or base not in known,
                             f"the stretch writes the memory of {base}", inner)

    def expression(self, s: Statement, x: Expression, known: frozenset[str]) -> None:
        if isinstance(x, Name):
            self.require(x.text in known, f"{x.text} has no value here", s)
        elif isinstance(x, Global):
            self.require(self.is_known(x), f"{x.text} is not known", s)
        for part in parts_of(x):
            self.expression(s, part, known)

    def is_known(self, x: Global) -> bool:
        if x.text in self.lowered.namespace:
            return self.lowered.namespace[x.text] is x.value
        return x.text in self.functions or x.text.startswith("np.") or (
            getattr(x.value, "__name__", "") == x.text)


def both(a: Defined, b: Defined) -> Defined:
    """Returns what has a value after two paths."""
    return b if a is None else a if b is None else a & b


def bound_by(s: Statement) -> list[Name]:
    """Returns the variables that a statement binds itself."""
    found: Iterable[Target] = ()
    if isinstance(s, Let | Move | Fused | For):
        found = s.targets
    elif isinstance(s, Kernel):
        found = (s.found,)
    return [x for x in found if isinstance(x, Name)]


def reads_before_binding(block: Block) -> set[str]:
    """Returns the variables that a block reads, but for those that its own statements bind
    before."""
    read: set[str] = set()
    bound: set[str] = set()
    for s in block:
        for inner in walk([s]):
            names = {x.text for x in names_read(inner)}
            read |= names - bound
        bound.update(x.text for x in bound_by(s))
    return read


def names_read(s: Statement) -> list[Name]:
    """Returns the variables that a statement itself reads."""
    found, rest = [], list(expressions_of(s))
    while rest:
        x = rest.pop()
        if isinstance(x, Name):
            found.append(x)
        rest += parts_of(x)
    return found


def cannot_fail(x: Expression) -> bool:
    """Returns True for a variable, and for one in the box of NumPy's."""
    while isinstance(x, Choice):
        x = x.no
    return isinstance(x, Name | Global | Literal) or (isinstance(x, Call) and len(x.args) == 1)


def base_of(target: Expression) -> str | None:
    """Returns the variable whose memory an assignment writes."""
    while not isinstance(target, Name | Global):
        (target, *_) = parts_of(target)
    return target.text if isinstance(target, Name) else None
