"""Derivative rules of users: recorded where the function is called, and used where it is asked for.

The rule becomes a graph of its own, which takes cotangents (or tangents) and gives those of the
operands (or results). The values that it uses of the forward computation are its last inputs, and
operands of the equation: so it goes where that is copied to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.runtime.differentiate.activity import may_vary, useful_values, varied_values
from autograph.runtime.differentiate.cotangents import (
    as_tensor,
    cotangent_type,
    fitted,
    zeros_for,
)
from autograph.runtime.differentiate.forward import Walk, tangent_of
from autograph.runtime.differentiate.refusals import refuse
from autograph.runtime.differentiate.reverse import Sweep, adjoint_of, pulled_back
from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.visitor import copied, rename_values
from autograph.runtime.ops.adjoints import WITH_RULE
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.tensor import Tensor, lower


class Rule:
    """A user's rule.

    graph    takes a cotangent for each result and gives one for each operand or, for forward mode,
             takes a tangent for each operand and gives one for each result; what it uses follows.
    forward  True for forward mode.
    """

    def __init__(self, graph: Graph, forward: bool) -> None:
        self.graph = graph
        self.forward = forward

    def __call__(self, given: Sequence[Any], used: Sequence[Any]) -> list[Any]:
        """Records the rule on cotangents or tangents."""
        here = trace.current_region()
        assert here is not None
        equations, outputs = copied(self.graph, dict(zip(
            self.graph.inputs, (*map(lower, given), *used), strict=True)))
        here.graph.equations += equations
        return [Tensor(x) if isinstance(x, Value) else x for x in outputs]

    def transposed(self, given: Sequence[Any], wanted: Sequence[Value], used: Sequence[Any]
                   ) -> list[Any]:
        """Records the transpose of the rule, which is linear."""
        here = trace.current_region()
        assert here is not None
        stands = [zeros_for(v).read() for v in wanted]  # linear: their values do not count
        start = len(here.graph.equations)
        equations, outputs = copied(self.graph, dict(zip(
            self.graph.inputs, (*stands, *used), strict=True)))
        here.graph.equations += equations
        targets = {x: g for x, g in zip(outputs, given, strict=True)
                   if isinstance(x, Value) and g is not None}
        return list(pulled_back(here.graph, start, targets, stands))


def outside_of(start: int, given: Sequence[Value], results: Sequence[Any]) -> list[Value]:
    """Returns the values by which results may have derivatives beside the arguments: a function
    takes them from around itself.

    Args:
      start: the number of equations before the function's own.
      given: what stands for its arguments.
      results: those of its result.
    """
    here = trace.current_region()
    assert here is not None
    own = Graph("", (), here.graph.equations[start:], tuple(
        x.read() for x in results if isinstance(x, Tensor)))
    found = {v for v in own.free_values() if may_vary(v.type) and v not in given}
    useful = useful_values(own.equations, varied_values(own.equations, set(found)), {
        v for v in own.outputs if isinstance(v, Value)})
    return [v for v in own.free_values() if v in found and v in useful]


def with_rule(results: Sequence[Any], operands: Sequence[Any], forward: bool,
              rule: Callable[[list[Tensor]], Sequence[Any]], outside: Sequence[Value] = ()
              ) -> list[Tensor]:
    """Records that results follow from operands by a rule; returns them.

    outside: what they depend on as well; the rule says nothing of it.
    """
    xs = [as_tensor(x).read() for x in operands]
    ys = [as_tensor(y).read() for y in results]
    given, wanted = (xs, ys) if forward else (ys, xs)
    with trace.region("rule") as region:
        stands = [Value(cotangent_type(v), f"d_{v.hint}" if v.hint else "") for v in given]
        made = rule(list(map(Tensor, stands)))
        region.graph.outputs = tuple(None if x is None else lower(fitted(x, v))
                                     for x, v in zip(made, wanted, strict=True))
    used = region.graph.free_values()
    inside = {v: Value(v.type, v.hint) for v in used if v not in stands}
    rename_values(region.graph, dict(inside))
    region.graph.inputs = (*stands, *inside.values())
    outs = record(WITH_RULE, (Rule(region.graph, forward), tuple(ys), tuple(xs), tuple(inside),
                              tuple(outside)), {})
    return list(map(Tensor, outs))


@adjoint_of(WITH_RULE)
def adjoint(sweep: Sweep, e: Equation) -> None:
    """The cotangents that the rule gives."""
    rule, _, operands, used, outside = e.args
    _refuse_outside(e, any(v in sweep.cotangents.active for v in outside))
    if rule.forward:
        found = rule.transposed(sweep.taken(e), operands, used)
    else:
        found = rule([sweep.cotangents.of(v) for v in e.outputs], used)
    for x, g in zip(operands, found, strict=True):
        sweep.cotangents.add(x, g, True)


@tangent_of(WITH_RULE)
def tangent(walk: Walk, e: Equation) -> None:
    """The tangents that the rule gives."""
    rule, _, operands, used, outside = e.args
    _refuse_outside(e, any(v in walk.tangents for v in outside))
    if not rule.forward:
        # the transpose of a map from the cotangents of results to those of operands
        found = rule.transposed([walk.of(x) for x in operands], e.outputs, used)
    else:
        found = rule([walk.dense(x) for x in operands], used)
    for v, t in zip(e.outputs, found, strict=True):
        walk.tangents.pop(v, None)
        walk.put(v, t)


def _refuse_outside(e: Equation, varies: bool) -> None:
    if varies:
        refuse(e, "its result also depends on a variable from around the function, of which the "
                  "rule says nothing: make it an argument, or take ag.stop_gradient of it")
