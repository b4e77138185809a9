"""Forward mode: a walk over equations from the first to the last, which records their tangents.

The tangents of an equation's results are recorded right behind it. Branches and loops get the
tangents of their results as further results: they are extended, not repeated, and keep nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from autograph.runtime.differentiate.activity import may_be_changed, may_vary, varied_values
from autograph.runtime.differentiate.cotangents import (
    as_tensor,
    cotangent_type,
    fitted,
    is_array_like,
    zeros_for,
)
from autograph.runtime.differentiate.refusals import refuse, refuse_by_reference
from autograph.runtime.differentiate.reverse import NEEDS_KNOWN, operands_of, pulled_back
from autograph.runtime.ir.errors import SymbolicValueError
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value
from autograph.runtime.ir.regions import Loop
from autograph.runtime.ir.types import (
    DynamicType,
    PyType,
    StackType,
    Type,
    is_maybe_undefined,
)
from autograph.runtime.ir.undefined import is_undefined
from autograph.runtime.ops.derivatives import (
    MINUS_ONE,
    ONE,
    Formula,
    Multilinear,
    NotDifferentiableHere,
    Partials,
    Parts,
    Refused,
    Structural,
    Zero,
)
from autograph.runtime.ops.kept_values import zero_of
from autograph.runtime.ops.op import OPS, Op
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.errstate import errstate
from autograph.runtime.symbolic.record import record, recorded_at
from autograph.runtime.symbolic.tensor import Tensor, apply, lower

STRUCTURES: dict[Op, Callable[[Walk, Equation], None]] = {}
"""The tangents of control flow, indexing and containers."""

Rule = TypeVar("Rule", bound="Callable[[Walk, Equation], None]")


def tangent_of(op: Op | str) -> Callable[[Rule], Rule]:
    """Enters a function as the tangent of an op."""
    def enter(fn: Rule) -> Rule:
        STRUCTURES[OPS[op] if isinstance(op, str) else op] = fn
        return fn

    return enter


def pushed_forward(graph: Graph, start: int, tangents: dict[Value, Tensor]) -> Walk:
    """Records the tangents of what depends on some values, between the equations from `start` on.

    Returns:
      the walk, whose `of(value)` gives the tangents.
    """
    equations = graph.equations[start:]
    refuse_by_reference(equations)
    del graph.equations[start:]
    varied = varied_values(equations, {v for v in tangents if may_vary(v.type)})
    walk = Walk(varied)
    walk.tangents.update({v: t for v, t in tangents.items() if v in varied})
    walk.run(equations)
    return walk


class Walk:
    """A walk that records tangents.

    varied    the values that depend on those with a tangent.
    tangents  the tangents so far; a value without one has a tangent of zero.
    changed   objects that may hold values with tangents, though they have none.
    """

    def __init__(self, varied: set[Value]) -> None:
        self.varied = varied
        self.tangents: dict[Value, Tensor] = {}
        self.changed: set[Value] = set()

    def of(self, value: Any) -> Tensor | None:
        """Returns a tangent, or None for zero."""
        return self.tangents.get(value) if isinstance(value, Value) else None

    def dense(self, value: Value) -> Tensor:
        """Returns a tangent, zeros as well."""
        found = self.tangents.get(value)
        return zeros_for(value) if found is None else found

    def or_zeros(self, atom: Atom, like: Value) -> Tensor:
        """Returns the tangent of an atom; zeros as those of a value that it may become."""
        found = self.of(atom)
        if found is not None:
            return found
        if isinstance(atom, (int, float, complex, np.generic)) and not isinstance(
                cotangent_type(like), StackType):
            return as_tensor(np.multiply(atom, 0.0) if isinstance(atom, np.generic) else atom * 0.0)
        if not isinstance(atom, Value) and not is_array_like(cotangent_type(like)):
            return as_tensor(zero_of(atom))
        return zeros_for(atom if isinstance(atom, Value) and may_vary(atom.type) else like)

    def beside(self, atom: Atom, carried: Value) -> Any:
        """Returns what a loop carries beside an atom: its tangent, or nothing if it is unbound."""
        if is_undefined(atom):
            return atom
        found = self.or_zeros(atom, carried)
        return found if is_maybe_undefined(carried.type) else fitted(found, carried, fits=True)

    def put(self, value: Value, t: Any, fits: bool = False) -> None:
        """Enters a tangent, with the type of its value; None for zero. See `fitted`."""
        if t is not None and may_vary(value.type):
            made = fitted(t, value, fits)
            if value.hint and not made._handle.value.hint:
                made._handle.value.hint = f"t_{value.hint}"
            self.tangents[value] = made

    def run(self, equations: Sequence[Equation]) -> None:
        """Records equations again, and their tangents between them."""
        here = trace.current_region()
        assert here is not None
        for e in equations:
            structure = STRUCTURES.get(e.op)
            if e.regions and structure is not None:
                with recorded_at(e.location):
                    structure(self, e)
                continue
            here.graph.equations.append(e)
            if any(v in self.changed for v in e.inputs) and any(
                    may_vary(v.type) for v in e.outputs):
                refuse(e, "an object is read into which the graph has put derivatives")
            if any(v in self.tangents for v in e.inputs):
                if e.op.effect == "call":
                    self.changed.update(v for v in e.inputs if may_be_changed(v.type) and (
                        v not in self.tangents))
                with recorded_at(e.location):
                    try:
                        self.step(e)
                    except NotDifferentiableHere as error:
                        refuse(e, str(error))
                    except SymbolicValueError:
                        refuse(e, NEEDS_KNOWN)

    def step(self, e: Equation) -> None:
        """Records the tangents of one equation's results."""
        rule = e.op.derivative
        if isinstance(rule, Zero) or not any(may_vary(v.type) for v in e.outputs):
            return
        structure = STRUCTURES.get(e.op)
        if structure is not None:
            structure(self, e)
            return
        if isinstance(rule, Structural) or e.op.effect in ("read", "write"):
            refuse(e, "forward mode through it is not supported")
        flat = isinstance(rule, Partials) or (isinstance(rule, Formula) and not rule.nests)
        if flat and any(isinstance(x, (list, tuple)) and self.has(x) for x in e.args):
            refuse(e, "an operand is a list; make an array of it, np.array(…)")
        several = len(e.outputs) != 1
        results = operands_of(e.outputs)
        z = results if several else results[0]
        args, kwargs = operands_of(e.args), operands_of(dict(e.kwargs))
        if isinstance(rule, Partials):
            self.put(e.outputs[0], self.elementwise(e, rule, z, args))
        elif isinstance(rule, Multilinear):
            self.multilinear(e, rule, args, kwargs)
        elif isinstance(rule, Formula):
            made = self.formula(e, rule, z, args, kwargs)
            for v, t in zip(e.outputs, made if several and made is not None else (made,),
                            strict=False):
                self.put(v, t)
        elif isinstance(rule, Parts):
            self.parts(e, rule, args, kwargs)
        else:
            refuse(e, rule.reason if isinstance(rule, Refused) else "")

    def elementwise(self, e: Equation, rule: Partials, z: Any, args: Any) -> Any:
        total: Any = None
        for x, partial in zip(e.args, rule.partials, strict=False):
            t: Any = self.of(x)
            if t is None or partial is None:
                continue
            if partial is ONE or partial is MINUS_ONE:
                made = t if partial is ONE else -t
            elif rule.singular:
                with errstate(divide="ignore", invalid="ignore", over="ignore"):
                    made = apply("masked_product", t, partial(z, *args))
            else:
                made = t * partial(z, *args)
            total = made if total is None else total + made
        return total

    def nest(self, nest: Any) -> Any:
        """Returns the tangents of the values in an argument, None for zero."""
        if isinstance(nest, (list, tuple)):
            return type(nest)(list(map(self.nest, nest)))
        return self.of(nest)

    def with_tangents(self, nest: Any) -> Any:
        """Returns an argument with tangents in place of its values, zeros for those without."""
        if isinstance(nest, (list, tuple)):
            return type(nest)(list(map(self.with_tangents, nest)))
        if isinstance(nest, Value):
            t = self.dense(nest)
            return t if is_array_like(cotangent_type(nest)) else apply("filled", t, Tensor(nest))
        return np.zeros_like(nest)

    def multilinear(self, e: Equation, rule: Multilinear, args: Any, kwargs: Any) -> None:
        sums: list[Any] = [None] * len(e.outputs)
        for k, x in enumerate(e.args):
            if k >= len(rule.transposes) or rule.transposes[k] is None or not self.has(x):
                continue
            replaced = (*args[:k], self.with_tangents(x), *args[k + 1:])
            made = apply(e.op, *replaced, **kwargs)
            parts = made if len(e.outputs) != 1 else (made,)
            sums = [a if b is None else b + a for a, b in zip(parts, sums, strict=True)]
        for v, t in zip(e.outputs, sums, strict=True):
            self.put(v, t)

    def has(self, nest: Any) -> bool:
        """Returns True if a value in an argument has a tangent."""
        if isinstance(nest, (list, tuple)):
            return any(map(self.has, nest))
        return self.of(nest) is not None

    def formula(self, e: Equation, rule: Formula, z: Any, args: Any, kwargs: Any) -> Any:
        if rule.jvp is not None:
            return rule.jvp(tuple(map(self.nest, e.args)), z, *args, **kwargs)
        if len(e.outputs) != 1:
            refuse(e, "it has reverse mode only")
        here = trace.current_region()
        assert here is not None and rule.vjp is not None
        start = len(here.graph.equations)
        g = Tensor(apply("differentiable", z).read())
        found = rule.vjp(g, z, *args, **kwargs)
        targets = {fitted(part, x).read(): self.tangents[x] for x, part in zip(
            e.args, found, strict=False) if part is not None and self.of(x) is not None}
        return pulled_back(here.graph, start, targets, [g.read()])[0]

    def parts(self, e: Equation, rule: Parts, args: Any, kwargs: Any) -> None:
        here = trace.current_region()
        assert here is not None
        start = len(here.graph.equations)
        made = rule.fn(*args, **kwargs)
        results = made if len(e.outputs) != 1 else (made,)
        equations = here.graph.equations[start:]
        del here.graph.equations[start:]
        inner = Walk(varied_values(equations, set(self.tangents)))
        inner.tangents = dict(self.tangents)
        inner.run(equations)
        for v, x in zip(e.outputs, results, strict=True):
            self.put(v, inner.of(as_tensor(x).read()))

    # -- regions ----------------------------------------------------------------------------------

    def inside(self, graph: Graph, results: Callable[[], Sequence[Any]]) -> None:
        """Records tangents in a region, and appends further outputs to it."""
        with trace.region(graph.name) as region:
            equations, graph.equations = graph.equations, []
            region.graph = graph
            before = dict(self.tangents)
            self.run(equations)
            graph.outputs += tuple(map(_atom, results()))
            self.tangents = before


def _atom(x: Any) -> Atom:
    if isinstance(x, Tensor):
        return x.read()  # one that may be unbound goes on as such
    return x if isinstance(x, Value) or is_undefined(x) else lower(x)


def tangent_type(value: Value) -> Type:
    """Returns the type of a tangent: it may be missing where its value may be."""
    t = value.type
    if isinstance(t, DynamicType) and t.maybe_undefined:
        return t
    return cotangent_type(value)


@tangent_of("cond")
def cond(walk: Walk, e: Equation) -> None:
    """Both sides give the tangents of the results, too."""
    here = trace.current_region()
    assert here is not None
    indices = [k for k, v in enumerate(e.outputs) if v in walk.varied]
    outs = [e.outputs[k] for k in indices]
    for side in e.regions:
        atoms = [side.outputs[k] if k < len(side.outputs) else None for k in indices]
        walk.inside(side, lambda atoms=atoms: [  # type: ignore[misc]
            x if is_undefined(x) else walk.or_zeros(x, v)
            for x, v in zip(atoms, outs, strict=True)])
    made = tuple(Value(tangent_type(v), f"t_{v.hint}" if v.hint else "") for v in outs)
    e.outputs += made
    here.graph.equations.append(e)
    walk.tangents.update({v: Tensor(t) for v, t in zip(outs, made, strict=True)})


@tangent_of("for")
@tangent_of("while")
def loop(walk: Walk, e: Equation) -> None:
    """The loop carries tangents beside the values."""
    here = trace.current_region()
    assert here is not None
    view = Loop(e)
    indices = [k for k, v in enumerate(view.carried) if v in walk.varied]
    carried = [view.carried[k] for k in indices]
    results = [view.results[k] for k in indices]
    starts = [walk.beside(view.initial[k], v)
              for v, k in zip(carried, indices, strict=True)]
    entering = [Value(tangent_type(v), f"t_{v.hint}" if v.hint else "") for v in carried]
    body, atoms = view.body, [view.body.outputs[k] for k in indices]
    counter = Value(PyType(int), "k")
    over = walk.of(view.iterable) if view.item in walk.varied else None
    walk.tangents.update({v: Tensor(t) for v, t in zip(carried, entering, strict=True)})
    item = view.item

    def outputs() -> list[Any]:
        ends: list[Any] = [walk.beside(x, v)
                           for x, v in zip(atoms, carried, strict=True)]
        return ends if over is None else [*ends, apply("add", Tensor(counter), 1)]

    inputs = list(entering)
    if over is not None and item is not None:
        inputs.append(counter)
        equations = body.equations
        body.equations = []
        with trace.region("item") as region:
            t = apply("getitem", over, Tensor(counter))
            walk.tangents[item] = t
            body.equations = [*region.graph.equations, *equations]
    walk.inside(body, outputs)
    body.inputs += tuple(inputs)
    if view.test is not None:
        view.test.inputs += tuple(Value(v.type, v.hint) for v in inputs)
    e.args += (*map(_atom, starts), *((0,) if over is not None else ()))
    made = tuple(Value(v.type, v.hint) for v in inputs)
    e.outputs += made
    e.collect_inputs()
    here.graph.equations.append(e)
    walk.tangents.update({v: Tensor(t) for v, t in zip(results, made, strict=False)})


# -- indexing, and what reverse mode records ------------------------------------------------------


@tangent_of("getitem")
def getitem(walk: Walk, e: Equation) -> None:
    """The item of the tangent."""
    x, index = e.args
    if isinstance(x, (tuple, list)):
        walk.put(e.outputs[0], apply("getitem", walk.with_tangents(x), operands_of(index)))
    elif walk.has(x):
        t, at = walk.of(x), operands_of(index)
        walk.put(e.outputs[0], apply("getitem", t, at) if is_array_like(cotangent_type(x)) else
                 apply("kept_or_zero", t, at, Tensor(e.outputs[0])), fits=True)


@tangent_of("setitem")
def setitem(walk: Walk, e: Equation) -> None:
    """The tangent is stored where the value is."""
    x, index, value = e.args
    t = walk.of(value)
    if isinstance(value, (list, tuple)) and walk.has(value):
        refuse(e, "a list is stored; make an array of it, np.array(…)")
    walk.put(e.outputs[0], apply("setitem", walk.dense(x), operands_of(index),
                                 0.0 if t is None else t))


@tangent_of("update_view")
def update_view(walk: Walk, e: Equation) -> None:
    """The same through views."""
    x, index, value, path = e.args
    t = walk.of(value)
    walk.put(e.outputs[0], apply("update_view", walk.dense(x), operands_of(index),
                                 0.0 if t is None else t, operands_of(path)))


@tangent_of("part")
def part(walk: Walk, e: Equation) -> None:
    """The same piece of the tangent."""
    walk.put(e.outputs[0], apply("part", walk.of(e.args[0]), *operands_of(e.args[1:])))


@tangent_of("select_")
def select(walk: Walk, e: Equation) -> None:
    """The tangent of the chosen value."""
    test, a, b = e.args
    t = [walk.or_zeros(x, e.outputs[0]) for x in (a, b)]
    walk.put(e.outputs[0], apply("select_", operands_of(test), *t))


@tangent_of("push")
def push(walk: Walk, e: Equation) -> None:
    """A stack of tangents beside the stack."""
    stack, x = e.args
    made = record(OPS["push"], (walk.dense(stack)._handle.value, walk.dense(x)._handle.value), {})
    walk.tangents[e.outputs[0]] = Tensor(made[0])


@tangent_of("kept_at")
@tangent_of("in_frame")
@tangent_of("kept_or_zero")
@tangent_of("popped")
@tangent_of("pushed_none")
@tangent_of("unwrapped")
def first_operand(walk: Walk, e: Equation) -> None:
    """The same of the tangent of the first operand."""
    t = walk.tangents.get(e.args[0])
    if t is not None:
        made = record(e.op, (t._handle.value, *e.args[1:]), {}, types=(
            cotangent_type(e.outputs[0]),))
        walk.tangents[e.outputs[0]] = Tensor(made[0])


@tangent_of("add_kept")
def add_kept(walk: Walk, e: Equation) -> None:
    """The tangent of what is added is added to the tangents."""
    stack, k, g = e.args
    walk.tangents[e.outputs[0]] = apply("add_kept", walk.dense(stack), operands_of(k),
                                        walk.dense(g))


@tangent_of("sum_of")
def sum_of(walk: Walk, e: Equation) -> None:
    """The sum of the tangents."""
    walk.tangents[e.outputs[0]] = apply("sum_of", *map(walk.dense, e.args))


@tangent_of("fitted_to")
@tangent_of("filled")
@tangent_of("cleared")
@tangent_of("put_back")
def same_op(walk: Walk, e: Equation) -> None:
    """The same of the tangents; only the first and the third operand have them."""
    g, other, *item = e.args
    t = apply(e.op, walk.dense(g), operands_of(other), *map(walk.dense, item))
    walk.put(e.outputs[0], t, fits=True)
