"""Reverse mode: a walk over equations from the last to the first, which records their adjoints."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from typing import Any, TypeVar

import numpy as np

from autograph.runtime.differentiate.activity import (
    may_vary,
    refuse_hidden,
    useful_values,
    varied_values,
)
from autograph.runtime.differentiate.cotangents import Cotangents, as_tensor, zeros_for
from autograph.runtime.differentiate.operands import holds_floats, in_order, parameters_of
from autograph.runtime.differentiate.refusals import (
    refuse,
    refuse_by_rule,
)
from autograph.runtime.differentiate.shifts import cancelling
from autograph.runtime.differentiate.signs import is_at_most_zero
from autograph.runtime.differentiate.stretches import stretch_of
from autograph.runtime.ir.errors import SymbolicValueError
from autograph.runtime.ir.graph import (
    Equation,
    Graph,
    Value,
    equations_in,
    map_leaves,
    regions_of,
)
from autograph.runtime.ops.derivative_rules import rule_of
from autograph.runtime.ops.derivatives import (
    MINUS_ONE,
    ONE,
    Formula,
    KnownAtRunTime,
    Multilinear,
    NotDifferentiableHere,
    Partials,
    Parts,
    Refused,
    Structural,
    Zero,
)
from autograph.runtime.ops.item_types import with_item_types
from autograph.runtime.ops.op import OPS, Op
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.numpy_settings import errstate
from autograph.runtime.symbolic.record import recorded_at
from autograph.runtime.symbolic.tensor import Tensor, apply

NEEDS_KNOWN = "its rule needs a shape or an option that is known only when the graph runs"

EXPONENTIALS = np.exp, np.exp2

STRUCTURES: dict[Op, Callable[[Sweep, Equation], None]] = {}
"""The adjoints of control flow, indexing and containers."""

COMPOSITES: list[Callable[[Sweep, Equation, Any], bool]] = []
"""Adjoints of several equations at once; each says if it is for the last of them."""

Adjoint = TypeVar("Adjoint", bound="Callable[[Sweep, Equation], None]")


def adjoint_of(op: Op | str) -> Callable[[Adjoint], Adjoint]:
    """Enters a function as the adjoint of an op."""
    def enter(fn: Adjoint) -> Adjoint:
        STRUCTURES[OPS[op] if isinstance(op, str) else op] = fn
        return fn

    return enter


class Sweep:
    """A backward sweep over the equations of one graph or region.

    graph       the graph that holds them: loops in it get outputs for what they keep.
    cotangents  those of the values so far.
    """

    def __init__(self, graph: Graph, cotangents: Cotangents) -> None:
        self.graph = graph
        self.cotangents = cotangents
        self._makers: dict[Value, Equation] = {}

    def maker(self, x: Any) -> Equation | None:
        """Returns the equation of this graph or region that makes a value, if one does."""
        if not self._makers:
            self._makers = {v: e for e in self.graph.equations for v in e.outputs}
        return self._makers.get(x) if isinstance(x, Value) else None

    def run(self, equations: Sequence[Equation]) -> None:
        """Records the adjoint of each equation whose results have cotangents."""
        for e in reversed(equations):
            if self.reaches(e):
                with recorded_at(e.location):
                    self.step(e)

    def reaches(self, e: Equation) -> bool:
        """Returns True if a result of an equation, or what it writes, has a cotangent."""
        return any(v in self.cotangents for v in e.outputs) or (
            writes(e) and e.args[0] in self.cotangents) or (
            any(writes(x) and x.args[0] in self.cotangents
                for r in regions_of(e) for x in equations_in(r)))

    def step(self, e: Equation) -> None:
        """Records the adjoint of one equation, which hands on zeros for what was not used."""
        self.adjoint(e)
        for marked in (self.cotangents.padded, self.cotangents.steep):
            if not marked.isdisjoint(e.outputs) and (
                    marked is self.cotangents.padded or keeps_elements(e)):
                marked.update(v for v in e.inputs if v in self.cotangents)

    def adjoint(self, e: Equation) -> None:
        rule, adjoint = e.op.derivative, STRUCTURES.get(e.op)
        if adjoint is not None:
            adjoint(self, e)
            return
        if isinstance(rule, Structural):
            refuse(e, "gradients through it are not supported")
        padded = self.is_padded(e)
        gs = self.taken(e)
        if not any(v in self.cotangents.active for v in e.inputs) or isinstance(rule, Zero):
            return
        if any(composite(self, e, gs[0]) for composite in COMPOSITES):
            return
        try:
            self.by_rule(e, rule, gs, padded)
        except NotDifferentiableHere as error:
            refuse(e, str(error))
        except SymbolicValueError:
            refuse(e, NEEDS_KNOWN)

    def by_rule(self, e: Equation, rule: Any, gs: tuple[Any, ...], padded: bool) -> None:
        """Records the adjoint of one equation by its op's rule."""
        if rule is None or isinstance(rule, Refused):
            refuse_by_rule(e, rule)
        if not (isinstance(rule, Parts) or (isinstance(rule, Formula) and rule.vjp is not None)):
            e = in_order(e, self.wants)
            self.refuse_named(e, {})
        z = operands_of(e.outputs)
        kwargs = {} if isinstance(rule, Parts) else options_of(e, self.wants)
        args = () if isinstance(rule, Parts) else self.arguments(e, rule)
        several = len(e.outputs) != 1
        g, z = (gs, z) if several else (gs[0], z[0])
        if isinstance(rule, Partials):
            self.elementwise(e, rule, g, z, args, padded)
        elif isinstance(rule, Formula) and rule.vjp is None:
            self.transposed(e, rule, g, z, args, kwargs)
        elif isinstance(rule, (Multilinear, Formula)):
            found = self.multilinear if isinstance(rule, Multilinear) else self.formula
            try:
                made = found(e, rule, g, z, args, kwargs)
            except (KnownAtRunTime, SymbolicValueError) as error:
                trace.forget_refusal(error)
                made = self.at_run_time(e, rule, g, z, args, kwargs)
            for x, part in made:
                self.cotangents.add_nest(x, part, padded)
        else:
            self.parts(e, rule, gs)

    def refuse_named(self, e: Equation, known: Collection[str]) -> None:
        """Refuses an operand by name of which the rule says nothing."""
        for name, x in e.kwargs.items():
            if name not in known and self.wants(x):
                refuse(e, f"it has no derivative by {name!r}")

    def is_padded(self, e: Equation) -> bool:
        rule = e.op.derivative
        return (rule is not None and rule.pads) or "where" in e.kwargs or any(
            v in self.cotangents.padded for v in e.outputs)

    def is_bounded(self, e: Equation) -> bool:
        """Returns True if a result is finite wherever its operand is: exp of what is at most 0."""
        return e.op.ufunc in EXPONENTIALS and is_at_most_zero(e.args[0], self.maker)

    def taken(self, e: Equation) -> tuple[Tensor | None, ...]:
        """Removes and returns the cotangents of an equation's results."""
        return tuple(map(self.cotangents.take, e.outputs))

    def wants(self, nest: Any) -> bool:
        """Returns True if a value in an argument may have a cotangent."""
        return self.cotangents.wants(nest)

    def elementwise(self, e: Equation, rule: Partials, g: Any, z: Any, args: Any, padded: bool
                    ) -> None:
        chosen = e.kwargs.get("where", True)  # a ufunc's keyword
        if chosen is not True:
            g, padded = np.where(operands_of(chosen), g, 0.0), True
        masks = padded and rule.singular and not (
            self.is_bounded(e) and self.cotangents.padded.isdisjoint(e.outputs))
        steep = rule.pads and not self.cotangents.steep.isdisjoint(e.outputs)
        wanted = [(k, p) for k, (x, p) in enumerate(zip(e.args, rule.partials, strict=False))
                  if p is not None and self.wants(x)]
        with errstate(divide="ignore", invalid="ignore", over="ignore") if masks else nullcontext():
            partials = {k: p(z, *args) for k, p in wanted if masks and p not in (ONE, MINUS_ONE)}
        for k, partial in wanted:
            x = e.args[k]
            if partial is ONE:
                made = g
            elif partial is MINUS_ONE:
                made = -g
            elif masks:
                p = partials[k]
                made = g * p if is_finite(p) else apply("masked_product", g, p)
            elif steep:
                made = apply("masked_product", partial(z, *args), g)
            else:
                made = g * partial(z, *args)
            if isinstance(x, (list, tuple)):
                made = apply("sum_to", made, args[k])
            self.cotangents.add_nest(x, made, padded)
            if isinstance(x, Value) and is_steep(e):
                self.cotangents.steep.add(x)

    def multilinear(self, e: Equation, rule: Any, g: Any, z: Any, args: Any, kwargs: Any
                    ) -> list[tuple[Any, Any]]:
        """Returns the operands with their cotangents."""
        made: list[tuple[Any, Any]] = []
        for k, x in enumerate(e.args):
            if not self.wants(x):
                continue
            if k >= len(rule.transposes):
                refuse(e, f"it has no derivative by argument {k}")
            transpose = rule.transposes[k]
            if transpose is not None:  # else only the shape counts
                made.append((x, summed(x, args[k], transpose(g, z, *args, **kwargs))))
        return made

    def formula(self, e: Equation, rule: Any, g: Any, z: Any, args: Any, kwargs: Any
                ) -> list[tuple[Any, Any]]:
        """Returns the operands with their cotangents; options that follow have none."""
        found = list(rule.vjp(g, z, *args, **kwargs))
        by_name = found.pop() if found and isinstance(found[-1], dict) else {}
        named = {**dict(zip(parameters_of(e.op.kernel), found, strict=False)), **by_name}
        self.refuse_named(e, named)
        return [*((x, named.get(name)) for name, x in e.kwargs.items()),
                *((x, summed(x, y, part)) for x, y, part in zip(e.args, args, found, strict=False))]

    def at_run_time(self, e: Equation, rule: Any, g: Any, z: Any, args: Any, kwargs: Any
                    ) -> list[tuple[Any, Any]]:
        """Returns the operands with cotangents that the rule gives when the graph runs."""
        if not has_named_rule(e):
            refuse(e, NEEDS_KNOWN)
        given: Any = [*enumerate(e.args), *e.kwargs.items()]
        if isinstance(rule, Multilinear):
            self.refuse_named(e, {})
            given = [(k, x) for (k, x), t in zip(given, rule.transposes, strict=False)
                     if t is not None]
        return [(x, apply("cotangent_by_rule", e.op.name, k, g, z, *args, **kwargs))
                for k, x in given if self.wants(x)]

    def transposed(self, e: Equation, rule: Formula, g: Any, z: Any, args: Any, kwargs: Any
                   ) -> None:
        """Records what transposes the tangent's formula, which is linear in the tangents."""
        here = trace.current_region()
        assert here is not None and rule.jvp is not None
        wanted = [isinstance(y, Tensor) and self.wants(x)
                  for x, y in zip(e.args, args, strict=True)]
        t = tuple(apply("differentiable", zeros_for(y.read())) if want else None
                  for y, want in zip(args, wanted, strict=True))
        start = len(here.graph.equations)
        made = rule.jvp(t, z, *args, **kwargs)
        results, g = (made, g) if len(e.outputs) != 1 else ((made,), (g,))
        found = pulled_back(here.graph, start, targets_of(results, g), [
            x.read() for x in t if x is not None])
        for x, part in zip([x for x, want in zip(e.args, wanted, strict=True) if want], found,
                           strict=True):
            self.cotangents.add_nest(x, part, True)

    def arguments(self, e: Equation, rule: Any) -> tuple[Any, ...]:
        """Returns the operands as a rule takes them: lists of numbers are arrays to most."""
        if rule is not None and rule.nests:
            return tuple(map(operands_of, e.args))
        factors = rule.transposes if isinstance(rule, Multilinear) else ()
        return tuple(
            apply("array", operands_of(x)) if isinstance(x, (list, tuple)) and (
                self.wants(x) or holds_floats(x) or (k < len(factors) and factors[k] is not None))
            else operands_of(x) for k, x in enumerate(e.args))

    def parts(self, e: Equation, rule: Parts, g: tuple[Any, ...]) -> None:
        here = trace.current_region()
        assert here is not None
        start = len(here.graph.equations)
        args = self.arguments(e, rule)
        made = rule.fn(*args, **options_of(e))
        results, padded = made if len(e.outputs) != 1 else (made,), self.cotangents.padded
        targets = targets_of(results, g)
        if not padded.isdisjoint(e.outputs):
            padded.update(targets)
        sources = [v for v in dict.fromkeys(e.inputs) if v in self.cotangents.active]
        found = pulled_back(here.graph, start, targets, sources, padded)
        for v, part in zip(sources, found, strict=True):
            self.cotangents.add(v, part, v in padded)


def summed(x: Any, given: Any, g: Any) -> Any:
    """Returns the cotangent of an operand; that of a list which was given to a rule as an array has
    the array's shape."""
    was_list = isinstance(x, (list, tuple)) and isinstance(given, Tensor)
    return apply("sum_to", g, given) if was_list and isinstance(g, Tensor) else g


def has_named_rule(e: Equation) -> bool:
    """Returns True if the run can find the rule of an equation's op by its name."""
    name = e.op.name
    return e.op.derivative in (rule_of(name), getattr(OPS.get(name), "derivative", None))


def targets_of(results: Sequence[Any], g: Sequence[Any]) -> dict[Value, Any]:
    """Returns the cotangents of results by their values; one value may be several results."""
    found: dict[Value, Any] = {}
    for x, part in zip(results, g, strict=True):
        if x is not None and part is not None:
            value = as_tensor(x).read()
            found[value] = found[value] + part if value in found else part
    return found


def is_finite(x: Any) -> bool:
    """Returns True for a number that is known, and finite."""
    return isinstance(x, (int, float, np.number)) and bool(np.isfinite(x))


def keeps_elements(e: Equation) -> bool:
    """Returns True for an equation through which an element leads to its own ones alone, or that
    may be in regions: what sums up many is infinite if one of them is."""
    op = e.op
    return (op.elementwise or op.elementwise_arity > 0 or op.view
            or isinstance(op.derivative, Structural))


def is_steep(e: Equation) -> bool:
    """Returns True if a slope may be infinite where the result is finite: not of squares."""
    rule, last = e.op.derivative, e.args[-1] if e.args else None
    return isinstance(rule, Partials) and rule.steep and not (
        isinstance(last, (int, float, np.number)) and last >= 1)


def writes(e: Equation) -> bool:
    """Returns True for an equation that writes to a variable."""
    return e.op.effect == "write"


def operands_of(nest: Any) -> Any:
    """Returns an equation's arguments as a rule takes them: symbolic arrays and constants."""
    return map_leaves(lambda x: Tensor(x) if isinstance(x, Value) else x, nest)


def options_of(e: Equation, wanted: Callable[[Any], bool] = lambda x: False) -> dict[str, Any]:
    """Returns an equation's operands by name as a rule takes them: lists of numbers are arrays, but
    for those with derivatives, as a rule that has them knows their form."""
    rule = e.op.derivative
    as_arrays = rule is not None and not rule.nests
    return {k: apply("array", operands_of(x)) if as_arrays and holds_floats(x) and not wanted(x)
            else operands_of(x) for k, x in e.kwargs.items()}


def pulled_back(graph: Graph, start: int, targets: dict[Value, Any], sources: Sequence[Value],
                padded: set[Value] | None = None,
                begin: Callable[[], None] = lambda: None) -> list[Tensor | None]:
    """Records the cotangents of the sources, given those of the targets.

    Args:
      graph: the region that is being recorded.
      start: the index of the first equation that counts.
      targets: values with their cotangents.
      sources: values that equations from `start` on use, or that they make.
      padded: the values whose cotangents contain zeros for what was not used; more are added.
      begin: called before the first equation of the backward pass is recorded; may add targets.

    Returns:
      a cotangent for each source; None where no target depends on it.
    """
    trace.note_derivative()
    stretch = stretch_of(graph, start, sources)
    equations = with_item_types(stretch.equations)
    graph.equations[start:] = equations + stretch.rest
    begin()
    targets = stretch.targets(targets, lambda a, b: a + b)
    sources = stretch.sources(sources)
    varied = varied_values(equations, {v for v in sources if may_vary(v.type)})
    useful = useful_values(equations, varied, {
        v for v in targets if v in varied and may_vary(v.type)})
    refuse_hidden(equations, useful)
    useful -= cancelling(equations, targets, useful).difference(sources)
    cotangents = Cotangents(useful, padded)
    for value, g in targets.items():
        cotangents.add(value, g)
    kept: dict[Value, Tensor | None] = dict.fromkeys(sources)
    sweep = Sweep(graph, cotangents)
    for e in reversed(equations):
        for v in e.outputs:
            if v in kept:  # a source that was made here: its cotangent goes no further
                kept[v] = cotangents.take(v)
        if sweep.reaches(e):
            with recorded_at(e.location):
                sweep.step(e)
    return [kept[v] if kept[v] is not None else cotangents.take(v) for v in sources]
