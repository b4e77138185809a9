"""Forward mode: a walk over equations from the first to the last, which records their tangents.

The tangents of an equation's results are recorded right behind it. Branches and loops get the
tangents of their results as further results: they are extended, not repeated, and keep nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from autograph.runtime.differentiate.activity import (
    may_vary,
    refuse_hidden,
    useful_values,
    varied_values,
)
from autograph.runtime.differentiate.cotangents import (
    Cotangents,
    as_tensor,
    cotangent_type,
    fitted,
    has_known_zero,
    is_array_like,
    zeros_for,
)
from autograph.runtime.differentiate.operands import holds_floats, in_order
from autograph.runtime.differentiate.refusals import (
    refuse,
    refuse_by_rule,
    refuse_marked,
)
from autograph.runtime.differentiate.reverse import (
    NEEDS_KNOWN,
    Sweep,
    has_named_rule,
    is_finite,
    operands_of,
    options_of,
    pulled_back,
)
from autograph.runtime.differentiate.shifts import cancelling
from autograph.runtime.differentiate.stretches import stretch_of
from autograph.runtime.ir.errors import SymbolicValueError
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value
from autograph.runtime.ir.types import (
    StackType,
    is_maybe_undefined,
)
from autograph.runtime.ir.undefined import ClassAttribute, is_undefined
from autograph.runtime.ops.derivatives import (
    MINUS_ONE,
    ONE,
    Derivative,
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
from autograph.runtime.ops.kept_values import zero_of
from autograph.runtime.ops.op import OPS, Op
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.numpy_settings import errstate
from autograph.runtime.symbolic.record import recorded_at
from autograph.runtime.symbolic.tensor import Tensor, apply, lower

STRUCTURES: dict[Op, Callable[[Walk, Equation], None]] = {}
"""The tangents of control flow, indexing and containers."""

TANGENTS: list[Callable[[Walk, Equation], bool]] = []
"""Tangents that are for some equations of an op; each says if it is for this one."""

Rule = TypeVar("Rule", bound="Callable[[Walk, Equation], None]")


def tangent_of(op: Op | str) -> Callable[[Rule], Rule]:
    """Enters a function as the tangent of an op."""
    def enter(fn: Rule) -> Rule:
        STRUCTURES[OPS[op] if isinstance(op, str) else op] = fn
        return fn

    return enter


def pushed_forward(graph: Graph, start: int, tangents: dict[Value, Tensor],
                   targets: Sequence[Any]) -> Walk:
    """Records tangents between the equations from `start` on: of what depends on some values, as
    far as the targets depend on it.

    Returns:
      the walk, whose `of(value)` gives the tangents.
    """
    stretch = stretch_of(graph, start, tangents)
    del graph.equations[start:]
    equations = with_item_types(stretch.equations)
    walk = walked(equations, stretch.tangents(tangents), [
        stretch.at_end.get(v, v) if isinstance(v, Value) else v for v in targets])
    walk.run(equations)
    graph.equations += stretch.rest
    for v, now in stretch.at_end.items():
        if (found := walk.of(now)) is not None:
            walk.tangents[v] = found
    return walk


def walked(equations: Sequence[Equation], tangents: dict[Value, Tensor], targets: Sequence[Any]
           ) -> Walk:
    """Returns a walk that knows which tangents the targets need."""
    varied = varied_values(equations, {v for v in tangents if may_vary(v.type)})
    useful = useful_values(equations, varied, {
        v for v in targets if isinstance(v, Value) and v in varied and may_vary(v.type)})
    refuse_hidden(equations, useful)
    walk = Walk(useful - cancelling(equations, targets, useful).difference(tangents))
    walk.tangents.update({v: t for v, t in tangents.items() if v in walk.active})
    return walk


class Walk:
    """A walk that records tangents.

    active    the values that may have one: varied and useful.
    tangents  the tangents so far; a value without one has a tangent of zero.
    """

    def __init__(self, active: set[Value]) -> None:
        self.active = active
        self.tangents: dict[Value, Tensor] = {}

    def of(self, value: Any) -> Tensor | None:
        """Returns a tangent, or None for zero."""
        return self.tangents.get(value) if isinstance(value, Value) else None

    def dense(self, nest: Any) -> Tensor:
        """Returns a tangent, zeros as well: of a nest, a nest of tangents."""
        found = self.of(nest)
        if found is not None:
            return found
        return zeros_for(nest) if isinstance(nest, Value) else as_tensor(self.dense_parts(nest))

    def dense_parts(self, nest: Any) -> Any:
        """Returns a nest with tangents in place of its values, zeros for those without."""
        if isinstance(nest, dict):
            return {k: self.dense_parts(x) for k, x in nest.items()}
        if isinstance(nest, (list, tuple)):
            return [self.dense_parts(x) for x in nest]
        return self.dense(nest) if isinstance(nest, Value) else zero_of(nest)

    def or_zeros(self, atom: Atom, like: Value) -> Tensor:
        """Returns the tangent of an atom; zeros as those of a value that it may become."""
        found = self.of(atom)
        if found is not None:
            return found
        if isinstance(atom, Value):
            return zeros_for(atom) if may_vary(atom.type) else zeros_for(like, atom)
        t = cotangent_type(like)
        known = isinstance(t, StackType) or has_known_zero(t)
        return zeros_for(like) if known else as_tensor(zero_of(atom))

    def beside(self, atom: Atom, carried: Value) -> Any:
        """Returns what a loop carries beside an atom: its tangent, or nothing if it is unbound."""
        if isinstance(atom, ClassAttribute):
            return atom.with_value(zero_of(atom.value))
        if is_undefined(atom):
            return atom
        found = self.or_zeros(atom, carried)
        return found if is_maybe_undefined(carried.type) else fitted(found, carried, fits=True)

    def put(self, value: Value, t: Any, fits: bool = False) -> None:
        """Enters a tangent, with the type of its value; None for zero. See `fitted`."""
        if t is not None and value in self.active:
            made = fitted(t, value, fits)
            if value.hint and not made._handle.value.hint:
                made._handle.value.hint = f"t_{value.hint}"
            self.tangents[value] = made

    def run(self, equations: Sequence[Equation]) -> None:
        """Records equations again, and their tangents between them."""
        trace.note_derivative()
        here = trace.current_region()
        assert here is not None
        for e in equations:
            structure = STRUCTURES.get(e.op)
            if e.regions and structure is not None:
                with recorded_at(e.location):
                    structure(self, e)
                continue
            here.graph.equations.append(e)
            if any(v in self.tangents for v in e.inputs):
                with recorded_at(e.location):
                    try:
                        self.step(e)
                    except NotDifferentiableHere as error:
                        refuse(e, str(error))
                    except SymbolicValueError:
                        refuse(e, NEEDS_KNOWN)

    def step(self, e: Equation) -> None:
        """Records the tangents of one equation's results."""
        rule, structure = e.op.derivative, STRUCTURES.get(e.op)
        if structure is None and (isinstance(rule, Zero) or not any(
                v in self.active for v in e.outputs)):
            return
        if structure is not None:
            structure(self, e)
        elif any(tangent(self, e) for tangent in TANGENTS):
            return
        elif isinstance(rule, Structural) or e.op.effect in ("read", "write"):
            refuse(e, "forward mode through it is not supported")
        elif rule is None or isinstance(rule, Refused):
            refuse_by_rule(e, rule)
        elif isinstance(rule, Parts):
            self.parts(e, rule)
        else:
            self.by_rule(e if rule.nests else self.with_arrays(e), rule)

    def by_rule(self, e: Equation, rule: Derivative) -> None:
        """Records the tangents of one equation's results by its op's rule, or by its transpose."""
        if not isinstance(rule, Formula) or rule.vjp is None:
            e = in_order(e, self.has)
        if isinstance(rule, Partials):
            self.put(e.outputs[0], self.elementwise(e, rule))
        elif self.has_named(e) or (isinstance(rule, Formula) and rule.jvp is None):
            self.transposed(e)
        elif isinstance(rule, Multilinear):
            self.multilinear(e, rule)
        else:
            assert isinstance(rule, Formula) and rule.jvp is not None
            several = len(e.outputs) != 1
            z = operands_of(e.outputs)
            t = tuple(map(self.nest if rule.nests else self.of, e.args))
            args, kwargs = operands_of(e.args), options_of(e, self.has)
            try:
                made = rule.jvp(t, z if several else z[0], *args, **kwargs)
            except (KnownAtRunTime, SymbolicValueError) as error:
                trace.forget_refusal(error)
                if not has_named_rule(e):
                    raise
                made = apply("tangent_by_rule", e.op.name, t, z if several else z[0],
                             *args, **kwargs)
                made = apply("unpacked", made, len(e.outputs)) if several else made
            for v, t in zip(e.outputs, made if several and made is not None else (made,),
                            strict=False):
                self.put(v, t)

    def has_named(self, e: Equation) -> bool:
        """Returns True if a keyword argument has a tangent."""
        return any(map(self.has, e.kwargs.values()))

    def with_arrays(self, e: Equation) -> Equation:
        """Returns an equation in which lists of numbers that only the run knows are arrays."""
        return replaced(e, tuple(
            self.as_array(x) if isinstance(x, (list, tuple)) and (self.has(x) or holds_floats(x))
            else x for x in e.args))

    def as_array(self, nest: Any) -> Value:
        value: Value = apply("array", operands_of(nest)).read()
        if self.has(nest):
            self.active.add(value)
            self.put(value, apply("array", self.with_tangents(nest)))
        return value

    def elementwise(self, e: Equation, rule: Partials) -> Any:
        total: Any = None
        (z,), args = operands_of(e.outputs), operands_of(e.args)
        for x, partial in zip(e.args, rule.partials, strict=False):
            t: Any = self.of(x)
            if t is None or partial is None:
                continue
            if partial is ONE or partial is MINUS_ONE:
                made = t if partial is ONE else -t
            elif rule.pads:
                made = apply("masked_product", partial(z, *args), t)
            elif rule.singular:
                with errstate(divide="ignore", invalid="ignore", over="ignore"):
                    p = partial(z, *args)
                    made = t * p if is_finite(p) else apply("masked_product", t, p)
            else:
                made = t * partial(z, *args)
            total = made if total is None else total + made
        chosen = e.kwargs.get("where", True)  # a ufunc's keyword
        return total if chosen is True or total is None else np.where(
            operands_of(chosen), total, 0.0)

    def nest(self, nest: Any) -> Any:
        """Returns the tangents of the values in an argument, None for zero."""
        if isinstance(nest, (list, tuple)):
            return type(nest)(list(map(self.nest, nest)))
        return self.of(nest)

    def with_tangents(self, nest: Any) -> Any:
        """Returns an argument with tangents in place of its values, zeros for those without."""
        if isinstance(nest, dict):
            return {k: self.with_tangents(x) for k, x in nest.items()}
        if isinstance(nest, (list, tuple)):
            return type(nest)(list(map(self.with_tangents, nest)))
        if isinstance(nest, Value):
            if not may_vary(nest.type):
                return apply("zeros_like", Tensor(nest))
            t = self.dense(nest)
            return t if is_array_like(cotangent_type(nest)) else apply("filled", t, Tensor(nest))
        return np.zeros_like(nest)

    def multilinear(self, e: Equation, rule: Multilinear) -> None:
        sums: list[Any] = [None] * len(e.outputs)
        args, kwargs = operands_of(e.args), operands_of(dict(e.kwargs))
        for k, x in enumerate(e.args):
            if k >= len(rule.transposes) or rule.transposes[k] is None or not self.has(x):
                continue
            made = apply(e.op, *args[:k], self.with_tangents(x), *args[k + 1:], **kwargs)
            parts = made if len(e.outputs) != 1 else (made,)
            sums = [a if b is None else b + a for a, b in zip(parts, sums, strict=True)]
        for v, t in zip(e.outputs, sums, strict=True):
            self.put(v, t)

    def has(self, nest: Any) -> bool:
        """Returns True if a value in an argument has a tangent."""
        if isinstance(nest, dict):
            nest = list(nest.values())
        if isinstance(nest, (list, tuple)):
            return any(map(self.has, nest))
        return self.of(nest) is not None

    def transposed(self, e: Equation) -> None:
        """Records what transposes the adjoint of an equation, which is linear in cotangents."""
        here = trace.current_region()
        assert here is not None
        start = len(here.graph.equations)
        results = [v for v in e.outputs if v in self.active]
        gs = [Tensor(apply("differentiable", Tensor(v)).read()) for v in results]
        sources = [x for x in dict.fromkeys(e.inputs) if self.of(x) is not None]
        inner = Cotangents({*results, *sources})
        for v, g in zip(results, gs, strict=True):
            inner.put(v, g)
        Sweep(here.graph, inner).step(e)
        targets = {found.read(): self.tangents[x] for x in sources
                   if (found := inner.take(x)) is not None}
        made = pulled_back(here.graph, start, targets, [g.read() for g in gs])
        for v, t in zip(results, made, strict=True):
            self.put(v, t)

    def parts(self, e: Equation, rule: Parts) -> None:
        here = trace.current_region()
        assert here is not None
        e = e if rule.nests else self.with_arrays(e)
        start = len(here.graph.equations)
        made = rule.fn(*operands_of(e.args), **options_of(e))
        results = made if len(e.outputs) != 1 else (made,)
        values = [as_tensor(x).read() for x in results]
        equations = here.graph.equations[start:]
        del here.graph.equations[start:]
        inner = walked(equations, self.tangents, [
            x for v, x in zip(e.outputs, values, strict=True) if v in self.active])
        refuse_marked(equations, inner.active)
        inner.run(equations)
        for v, x in zip(e.outputs, values, strict=True):
            self.put(v, inner.of(x))

    # -- regions ----------------------------------------------------------------------------------

    def inside(self, graph: Graph, results: Callable[[], Sequence[Any]]) -> None:
        """Records tangents in a region, and appends further outputs to it."""
        with trace.region(graph.name) as region:
            equations, graph.equations = graph.equations, []
            region.graph = graph
            before = dict(self.tangents)
            self.run(equations)
            graph.outputs += tuple(map(lowered, results()))
            self.tangents = before


def replaced(e: Equation, args: tuple[Any, ...]) -> Equation:
    """Returns an equation with other arguments, and the same results."""
    return Equation(e.op, args, dict(e.kwargs), e.outputs, e.regions, e.location, e.settings)


def lowered(x: Any) -> Atom:
    if isinstance(x, Tensor):
        return x.read()  # one that may be unbound goes on as such
    return x if isinstance(x, Value) or is_undefined(x) else lower(x)
