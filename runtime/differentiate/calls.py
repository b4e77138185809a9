"""Adjoints and tangents of recursive calls.

The graph that is called becomes two. The forward one gives one more result, a frame: what the
backward one uses of this call, with the frames of the calls inside, so that the frames are a tree.
The backward one takes the frame and the cotangents of the results, and calls itself on the frames
in it. Forward mode needs no frame: the graph takes and gives tangents beside the values.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from autograph.runtime.differentiate.activity import (
    may_vary,
    refuse_hidden,
    useful_values,
    varied_values,
)
from autograph.runtime.differentiate.cotangents import Cotangents, cotangent_type
from autograph.runtime.differentiate.forward import Walk, lowered, tangent_of, walked
from autograph.runtime.differentiate.keep import plan, supply
from autograph.runtime.differentiate.refusals import refuse
from autograph.runtime.differentiate.reverse import Sweep, adjoint_of
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, equations_in, graphs_in
from autograph.runtime.ir.types import DYNAMIC
from autograph.runtime.ir.visitor import copied
from autograph.runtime.ops.control import CALL
from autograph.runtime.ops.kept_values import IN_FRAME
from autograph.runtime.ops.python import PACK
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.tensor import Tensor, lower

_group: ContextVar[dict[Graph, Graph | None] | None] = ContextVar("group", default=None)
"""The graphs that call each other while they are differentiated, and what is made of each."""


def closed(callee: Graph) -> tuple[dict[Graph, Graph], tuple[Value, ...]]:
    """Returns copies of a graph and of those that it calls, which take as inputs what they use of
    graphs around them; and the values that these inputs stand for."""
    free = callee.free_values()
    copies = {g: Graph(g.name) for g in graphs_in(callee)}
    for g, new in copies.items():
        own = {v: Value(v.type, v.hint) for v in (*g.inputs, *free)}
        new.inputs = tuple(own.values())
        equations, outputs = copied(g, own)
        new.equations, new.outputs = equations, tuple(outputs)
        for e in equations_in(new):
            if e.callee is not None:
                e.regions = (copies[e.callee],)
                e.args += tuple(own[v] for v in free)
                e.collect_inputs()
    return copies, free


@contextmanager
def grouped(e: Equation) -> Iterator[tuple[Graph, dict[Graph, Graph | None]]]:
    """Has an equation call a copy of its graph; yields that, and what is made of such copies."""
    found, (callee,) = _group.get(), e.regions
    if found is not None and callee in found:
        yield callee, found
        return
    copies, free = closed(callee)
    e.regions, e.args = (copies[callee],), (*e.args, *free)
    e.collect_inputs()
    made: dict[Graph, Graph | None] = dict.fromkeys(copies.values())
    token = _group.set(made)
    try:
        yield copies[callee], made
    finally:
        _group.reset(token)
    for each in (x for g in made for x in equations_in(g)):
        if each.callee in made and len(each.outputs) < len(each.callee.outputs):
            each.outputs += (Value(DYNAMIC, "frame"),)  # of a call that has no cotangent


def varying(atoms: tuple[Atom, ...]) -> list[int]:
    """Returns the positions of the values that may have a cotangent."""
    return [k for k, x in enumerate(atoms) if isinstance(x, Value) and may_vary(x.type)]


def stand(x: Any) -> Value:
    """Returns a value of the type of another one's cotangent or tangent."""
    return Value(cotangent_type(x), f"d_{x.hint}" if x.hint else "")


# -- reverse mode ---------------------------------------------------------------------------------


@adjoint_of(CALL)
def call(sweep: Sweep, e: Equation) -> None:
    """A call of the backward graph on the frame and the cotangents."""
    with grouped(e) as (forward, made):
        results = e.outputs
        known = made[forward]
        if known is None:
            known = made[forward] = Graph(f"{forward.name}_pullback")
            _pull_back(e, forward, known)
        frame = Value(DYNAMIC, "frame")
        e.outputs = (*results, frame)
        targets = varying(forward.outputs[:len(results)])
        gs = [sweep.cotangents.of(results[k]) for k in targets]
        for v in results:
            sweep.cotangents.take(v)
        sources = varying(forward.inputs)
        types = tuple(cotangent_type(forward.inputs[j]) for j in sources)
        found = record(CALL, (frame, *map(lower, gs)), {}, (known,), types)
    for j, g in zip(sources, found, strict=True):
        sweep.cotangents.add(e.args[j], Tensor(g), True, fits=True)


def _pull_back(e: Equation, forward: Graph, backward: Graph) -> None:
    """Makes the backward graph, and the forward one give its frame."""
    if any(x.op.effect in ("read", "write") for x in equations_in(forward)):
        refuse(e, "the function calls itself and uses a variable; pass the variable's value")
    outputs = forward.outputs
    targets, sources = varying(outputs), varying(forward.inputs)
    varied = varied_values(forward.equations, {forward.inputs[j] for j in sources})
    active = useful_values(forward.equations, varied, {
        v for k in targets if isinstance(v := outputs[k], Value) and v in varied})
    refuse_hidden(forward.equations, active)
    frame = Value(DYNAMIC, "frame")
    stands = [stand(outputs[k]) for k in targets]
    with trace.region(backward.name) as region:
        inner = Cotangents(active)
        for k, g in zip(targets, stands, strict=True):
            inner.add(outputs[k], Tensor(g), True, fits=True)
        Sweep(forward, inner).run(list(forward.equations))
        region.graph.outputs = tuple(lower(inner.of(forward.inputs[j])) for j in sources)
    found = plan(forward, region.graph)

    def read(v: Value) -> Equation:
        return Equation(IN_FRAME, (frame, found.kept.index(v), str(v.type)), {},
                        (Value(v.type, v.hint),), (), e.location)

    kept = tuple(found.kept)
    supply(region.graph, found, read)
    backward.inputs = (frame, *stands)
    backward.equations, backward.outputs = region.graph.equations, region.graph.outputs
    packed = Value(DYNAMIC, "frame")
    forward.equations.append(Equation(PACK, (kept,), {}, (packed,), (), e.location))
    forward.outputs = (*outputs, packed)


# -- forward mode ---------------------------------------------------------------------------------


@tangent_of(CALL)
def tangent_of_call(walk: Walk, e: Equation) -> None:
    """A call of the graph that carries tangents."""
    here = trace.current_region()
    assert here is not None
    refuse_variables(e, walk)
    with grouped(e) as (callee, made):
        results = e.outputs
        new = made[callee] is None
        if new:
            made[callee] = Graph(callee.name, callee.inputs, [], callee.outputs)
        before = made[callee]
        assert before is not None
        targets, sources = varying(before.outputs), varying(before.inputs)
        tangents = [lowered(walk.beside(e.args[j], before.inputs[j])) for j in sources]
        e.args += tuple(tangents)
        e.collect_inputs()
        e.outputs += tuple(stand(results[k]) for k in targets)
        if new:
            _push_forward(callee, before, targets, sources)
    here.graph.equations.append(e)
    for k, t in zip(targets, e.outputs[len(results):], strict=True):
        if may_vary(results[k].type):
            walk.tangents[results[k]] = Tensor(t)


def refuse_variables(e: Equation, walk: Walk) -> None:
    """Refuses a call that reads or writes a variable which has a tangent."""
    (callee,) = e.regions
    if any(x.op.effect in ("read", "write") and x.args[0] in walk.active
           for x in equations_in(callee)):
        refuse(e, "the function calls itself and uses a variable; pass the variable's value")


def _push_forward(callee: Graph, before: Graph, targets: list[int], sources: list[int]) -> None:
    """Makes a graph take and give tangents."""
    inputs = [before.inputs[j] for j in sources]
    stands = [stand(v) for v in inputs]
    outputs: Any = before.outputs
    inner = walked(callee.equations, {
        v: Tensor(t) for v, t in zip(inputs, stands, strict=True)}, [outputs[k] for k in targets])
    callee.inputs += tuple(stands)
    inner.inside(callee, lambda: [inner.or_zeros(outputs[k], outputs[k]) for k in targets])
