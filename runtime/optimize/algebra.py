"""Algebra: an equation that matches the left side of a rule is replaced by its right side."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from operator import itemgetter
from typing import Any

import numpy as np

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.constants import same_constant
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, atom_type
from autograph.runtime.ir.types import DYNAMIC
from autograph.runtime.ops.elementwise import POWER
from autograph.runtime.ops.op import Op
from autograph.runtime.optimize.algebraic_rules import EXACT, FAST, Rule
from autograph.runtime.optimize.uses import Asking, is_number
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, lower

CONSTANTS = ("c", "d")
"""Parameters of rules that stand for constants."""

MAX_DEPTH = 8
"""So many rules may apply one after the other to one equation."""


@dataclass(frozen=True, eq=False)
class Pattern:
    """The left side of a rule as equations: `root` gives the result, `makers` the values in it."""

    rule: Rule
    parameters: tuple[Value, ...]
    root: Equation
    makers: dict[Value, Equation]

    @property
    def is_single(self) -> bool:
        """True if the left side is one equation, so that no work may be left beside the right."""
        return len(self.makers) == 1

    def key_of(self, x: Atom) -> Hashable:
        """Returns the key of an operand of the root: the op that makes it, or the constant."""
        if isinstance(x, Value):
            made = self.makers.get(x)
            return root_key(made.op) if made else CONSTANT if x.hint in CONSTANTS else VALUE
        return (type(x), x) if type(x) in NUMBERS else CONSTANT


def apply_rules(graph: Graph, record: Record) -> None:
    """Applies the rules, to each equation's operands before the equation itself.

    The right side has the type of the left one, by the type rules. A rule that gives back an
    operand itself applies to an array only where nothing can tell it from a copy.
    """
    _Algebra(record, graph).visit(graph)


class _Algebra(Asking):
    def __init__(self, record: Record, graph: Graph) -> None:
        super().__init__(record, graph)
        self.patterns = patterns(record.fast_math)
        self.makers: dict[Value, Equation] = {}

    def after(self, e: Equation) -> list[Equation] | None:
        if root_key(e.op) not in self.patterns.roots:
            self.makers.update(dict.fromkeys(e.outputs, e))
            return None
        made: list[Equation] = []
        self.apply(e, made, MAX_DEPTH)
        return made

    def apply(self, e: Equation, made: list[Equation], depth: int) -> None:
        """Adds an equation, or what the rules make of it."""
        found = self.replacement(e) if depth and len(e.outputs) == 1 else None
        if found is None:
            made.append(e)
            self.makers.update(dict.fromkeys(e.outputs, e))
            return
        rule, equations, result = found
        for new in equations:
            if new.outputs[0] is result:  # keeps its name, so that nothing else has to change
                new.outputs, result = e.outputs, e.outputs[0]
        self.record.note(rule.before, e, equations or result)
        for new in equations:
            self.apply(new, made, depth - 1)
        if result is not e.outputs[0]:
            self.record.renamed[e.outputs[0]] = result

    def replacement(self, e: Equation) -> tuple[Rule, list[Equation], Atom] | None:
        """Returns the first rule that applies, the equations of its right side, and the result."""
        for pattern in self.patterns.that_may_match(e, self.makers):
            found: dict[Value, Atom] = {}
            if not self.matches(pattern.root, e, e, pattern, found):
                continue
            operands = [found[p] for p in pattern.parameters]
            types = [x if not isinstance(x, Value) else x.type for x in operands]
            if not pattern.rule.when(e.outputs[0].type, *types):
                continue
            equations, result = computed(pattern.rule.after, operands, e)
            if self.serves(result, equations, e, pattern):
                return pattern.rule, equations, result
        return None

    def matches(self, wanted: Equation, e: Equation, root: Equation, pattern: Pattern,
                found: dict[Value, Atom]) -> bool:
        """Matches an equation with a pattern; enters what the parameters stand for in `found`."""
        if root_key(wanted.op) is not root_key(e.op) or len(wanted.args) != len(e.args) or e.kwargs:
            return False
        if e.settings != root.settings or len(e.outputs) != 1:
            return False
        return all(self.atom(w, x, root, pattern, found)
                   for w, x in zip(wanted.args, e.args, strict=True))

    def atom(self, wanted: Atom, x: Atom, root: Equation, pattern: Pattern,
             found: dict[Value, Atom]) -> bool:
        if not isinstance(wanted, Value):
            return not isinstance(x, Value) and same_constant(wanted, x)
        if wanted in found:
            return found[wanted] is x or same_constant(found[wanted], x)
        inner = pattern.makers.get(wanted)
        if inner is None:
            found[wanted] = x
            return isinstance(x, Value) != (wanted.hint in CONSTANTS)
        made = self.makers.get(x) if isinstance(x, Value) else None
        return made is not None and self.matches(inner, made, root, pattern, found)

    def serves(self, result: Atom, equations: Sequence[Equation], e: Equation, pattern: Pattern
               ) -> bool:
        """Returns True if the right side may stand for the equation's output and costs no more."""
        out, uses = e.outputs[0], self.uses
        if atom_type(result) != out.type:
            return False
        if not equations:
            return is_number(result) or uses.is_transient(out)
        inner = [x for x in e.inputs if x in self.makers]
        return len(equations) == 1 or pattern.is_single or all(map(uses.is_single, inner))


@cache
def root_key(op: Op) -> Op | np.ufunc:
    """Returns the key that an operator shares with its ufunc: NumPy treats them alike, but for
    `**`, which takes short cuts."""
    return op if op.ufunc is None or op is POWER else op.ufunc


class Patterns:
    """The rules' left sides, found by the op at their root and by what its operands are."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.roots: dict[Hashable, dict[tuple[Hashable, ...], list[tuple[int, Pattern]]]] = {}
        self.found: dict[Hashable, list[Pattern]] = {}
        for number, rule in enumerate(rules):
            pattern = traced(rule)
            keys = tuple(map(pattern.key_of, pattern.root.args))
            of_root = self.roots.setdefault(root_key(pattern.root.op), {})
            of_root.setdefault(keys, []).append((number, pattern))
        self.keys = {key for of_root in self.roots.values() for keys in of_root for key in keys}

    def that_may_match(self, e: Equation, makers: dict[Value, Equation]) -> list[Pattern]:
        """Returns the patterns whose outermost operation fits, in the order of the table."""
        keys: list[Hashable] = []
        for x in e.args:  # the most exact key under which patterns ask for it
            made = makers.get(x) if x.__class__ is Value else None
            key = root_key(made.op) if made else (x.__class__, x) if x.__class__ in NUMBERS else ""
            keys.append(key if key in self.keys else VALUE if x.__class__ is Value else CONSTANT)
        asked = root_key(e.op), *keys
        if asked not in self.found:
            either = [{key, CONSTANT if type(key) is tuple or key is CONSTANT else VALUE}
                      for key in keys]
            of_root = self.roots.get(asked[0], {})
            found = [pair for each in product(*either) for pair in of_root.get(each, ())]
            self.found[asked] = [pattern for _, pattern in sorted(found, key=itemgetter(0))]
        return self.found[asked]


VALUE, CONSTANT = "value", "constant"
"""The keys of operands of which a pattern says no more."""

NUMBERS = (int, float)


@cache
def patterns(fast_math: bool) -> Patterns:
    return Patterns((*EXACT, *FAST) if fast_math else EXACT)


def traced(rule: Rule) -> Pattern:
    """Traces the left side of a rule."""
    parameters = tuple(Value(DYNAMIC, name) for name in rule.parameters)
    with trace.start(trace.Trace("pattern")) as region:
        rule.before(*map(Tensor, parameters))
    makers = {o: e for e in region.graph.equations for o in e.outputs}
    return Pattern(rule, parameters, region.graph.equations[-1], makers)


def computed(fn: Callable[..., Any], operands: Sequence[Atom], e: Equation
             ) -> tuple[list[Equation], Atom]:
    """Traces the right side of a rule on operands of an equation; returns equations and result."""
    with trace.start(trace.Trace("rule")) as region:
        result = lower(fn(*(Tensor(x) if isinstance(x, Value) else x for x in operands)))
    for new in region.graph.equations:
        new.location, new.settings = e.location, e.settings
        for out in new.outputs:
            out.hint = ""
    return region.graph.equations, result
