"""Tangents of branches and loops: they are extended, not repeated, and keep nothing."""

from __future__ import annotations

from typing import Any

from autograph.runtime.differentiate.cotangents import cotangent_type
from autograph.runtime.differentiate.forward import Walk, lowered, tangent_of
from autograph.runtime.ir.graph import Equation, Value, equations_in
from autograph.runtime.ir.regions import Loop
from autograph.runtime.ir.types import DynamicType, PyType, Type
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply


def tangent_type(value: Value) -> Type:
    """Returns the type of a tangent: it may be missing where its value may be."""
    t = value.type
    if isinstance(t, DynamicType) and t.maybe_undefined:
        return t
    return cotangent_type(value)


def written(walk: Walk, e: Equation) -> list[Value]:
    """Returns the variables with tangents to which the regions of an equation write."""
    inside = (x for region in e.regions for x in equations_in(region))
    return list(dict.fromkeys(x.args[0] for x in inside
                              if x.op.effect == "write" and x.args[0] in walk.active))


@tangent_of("cond")
def cond(walk: Walk, e: Equation) -> None:
    """Both sides give the tangents of the results, too."""
    here = trace.current_region()
    assert here is not None
    indices = [k for k, v in enumerate(e.outputs) if v in walk.active]
    outs = [e.outputs[k] for k in indices]
    variables = written(walk, e)
    for side in e.regions:
        atoms = [side.outputs[k] if k < len(side.outputs) else None for k in indices]
        walk.inside(side, lambda atoms=atoms: [  # type: ignore[misc]
            *(walk.beside(x, v) for x, v in zip(atoms, outs, strict=True)),
            *map(walk.dense, variables)])
    outs += variables
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
    indices = [k for k, pair in enumerate(zip(view.carried, view.results, strict=True))
               if any(v in walk.active for v in pair)]  # one that the body does not read, too
    carried = [view.carried[k] for k in indices]
    results = [view.results[k] for k in indices]
    variables = written(walk, e)
    starts = [*(walk.beside(view.initial[k], v) for v, k in zip(carried, indices, strict=True)),
              *map(walk.dense, variables)]
    carried, results = [*carried, *variables], [*results, *variables]
    entering = [Value(tangent_type(v), f"t_{v.hint}" if v.hint else "") for v in carried]
    body, atoms = view.body, [view.body.outputs[k] for k in indices]
    counter = Value(PyType(int), "k")
    moves = view.item in walk.active and walk.has(view.iterable)
    over = walk.dense(view.iterable) if moves else None
    walk.tangents.update({v: Tensor(t) for v, t in zip(carried, entering, strict=True)})
    item = view.item

    def outputs() -> list[Any]:
        ends: list[Any] = [*(walk.beside(x, v) for x, v in zip(atoms, carried, strict=False)),
                           *map(walk.dense, variables)]
        return ends if over is None else [*ends, apply("add", Tensor(counter), 1)]

    inputs = list(entering)
    if over is not None and item is not None:
        inputs.append(counter)
        equations = body.equations
        body.equations = []
        with trace.region("item") as region:
            entry = apply("getitem", over, Tensor(counter)).read()
            body.equations = [*region.graph.equations, *equations]
        walk.tangents[item] = Tensor(entry)
    walk.inside(body, outputs)
    body.inputs += tuple(inputs)
    if view.test is not None:
        view.test.inputs += tuple(Value(v.type, v.hint) for v in inputs)
    e.args += (*map(lowered, starts), *((0,) if over is not None else ()))
    made = tuple(Value(v.type, v.hint) for v in inputs)
    e.outputs += made
    e.collect_inputs()
    here.graph.equations.append(e)
    walk.tangents.update({v: Tensor(t) for v, t in zip(results, made, strict=False)})
