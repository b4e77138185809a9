"""The optimiser's record: the changes of each pass, the user's lines and the rules."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from autograph.runtime.ir.graph import Atom, Equation, Graph, Nest, Value
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.printer import to_text

if TYPE_CHECKING:
    from autograph.runtime.ops.op import Op

MAX_CHANGES = 10_000
"""The record keeps so many changes of a graph; later ones are only counted."""


@dataclass(frozen=True, slots=True)
class Shot:
    """An equation as it was; making one costs next to nothing, its text is made when it is read."""

    op: Op
    args: tuple[Nest, ...]
    kwargs: Mapping[str, Nest]
    outputs: tuple[Value, ...]

    def __str__(self) -> str:
        if self.op.regions:
            made = ", ".join(f"{o.hint or '_'}: {o.type}" for o in self.outputs)
            return f"{made or '()'} = {self.op.name}(…)"
        equation = Equation(self.op, self.args, self.kwargs, self.outputs)
        graph = Graph("g", tuple(dict.fromkeys(equation.inputs)), [equation])
        return to_text(graph).splitlines()[1].strip()


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a pass did.

    name      the pass.
    rule      the function that decided it: a pass, or the left side of a rule.
    location  the user's location.
    before    the equation that was there.
    after     the equations or the atom there instead, or a few words.
    """

    name: str
    rule: Callable[..., object]
    location: Location | None
    before: Shot
    after: tuple[Shot, ...] | Atom

    @property
    def rule_location(self) -> str:
        """`file:line` of the rule."""
        code = inspect.unwrap(self.rule).__code__
        return f"{code.co_filename}:{code.co_firstlineno}"

    def __str__(self) -> str:
        after = self.after
        if isinstance(after, tuple) and after and all(isinstance(x, Shot) for x in after):
            after = "; ".join(map(str, after))
        elif isinstance(after, Value):
            after = f"{after.hint or '_'}: {after.type}"
        where = f"{self.location}: " if self.location is not None else ""
        return f"{where}{self.name}: {self.before} -> {after}  [{self.rule_location}]"


@dataclass
class Record:
    """The state that passes share: the options, the renamings and the changes.

    fast_math  True to apply rules that may change roundings.
    strict     True to keep equations that nothing uses if they may raise.
    exact      True to keep what may warn, too, and to run it as often, in the user's order.
    renamed    values that are gone, and the atoms that stand for them now.
    changes    in order; `dropped` more were too many to keep.
    """

    fast_math: bool = False
    strict: bool = False
    exact: bool = False
    renamed: dict[Value, Atom] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    dropped: int = 0
    current: str = ""

    def note(self, rule: Callable[..., object], before: Equation,
             after: list[Equation] | Atom) -> None:
        """Enters a change of the pass that is running."""
        if len(self.changes) >= MAX_CHANGES:
            self.dropped += 1
            return
        shots = tuple(map(shot, after)) if isinstance(after, list) else after
        self.changes.append(Change(self.current, rule, before.location, shot(before), shots))

    def now(self, atom: Atom) -> Atom:
        """Returns what stands for an atom by now."""
        while isinstance(atom, Value) and atom in self.renamed:
            atom = self.renamed[atom]
        return atom


def shot(e: Equation) -> Shot:
    return Shot(e.op, e.args, e.kwargs, e.outputs)
