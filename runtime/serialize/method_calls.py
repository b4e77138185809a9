"""Calls of methods that were looked up before: in a file, each is one call of a method by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from autograph.runtime.ir.graph import Equation, Graph, Value, equations_in
from autograph.runtime.ops.attributes import GETATTR
from autograph.runtime.ops.python_objects import CALL_METHOD, CALL_OBJECT
from autograph.runtime.optimize.uses import Uses
from autograph.runtime.serialize.allowed import CALL_METHODS


def methods_looked_up(graphs: Iterable[Graph]) -> dict[Value, Equation]:
    """Returns the look-ups of methods in graphs, by their results, which one call uses and nothing
    else: `append = xs.append`, and then `append(x)`."""
    found: dict[Value, Equation] = {}
    for graph in graphs:
        users = Uses(graph).of
        for e in equations_in(graph):
            if e.op is GETATTR and len(e.args) == 2 and e.args[1] in CALL_METHODS:
                made = e.outputs[0]
                if [_calls(user, made) for user in users[made]] == [True]:
                    found[made] = e
    return found


def _calls(user: Equation | None, method: Value) -> bool:
    return user is not None and user.op is CALL_OBJECT and user.args[0] is method


def as_method_call(e: Equation, looked_up: dict[Value, Equation]) -> Equation:
    """Returns a call of a method that was looked up as a call of the method; others as they are."""
    if e.op is not CALL_OBJECT or e.args[0] not in looked_up:
        return e
    x, name = looked_up[e.args[0]].args
    return replace(e, op=CALL_METHOD, args=(x, name, *e.args[1:]))
