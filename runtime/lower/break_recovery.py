"""Finds the `break` of a loop in the flag that a graph has for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograph.runtime.ir.graph import Equation, Graph


@dataclass
class Exit:
    """A `break`: a flag that the loop's test asks for first, and a branch sets last.

    cond    the body's last equation, one branch of which sets the flag.
    branch  that branch.
    place   of the flag among the equation's outputs.
    number  the flag's place in the loop's state.
    body    the loop's body, and `names` those of its state.
    test    what the test asks for but for the flag; None if it asks for nothing else.
    """

    cond: Equation
    branch: Graph
    place: int
    number: int
    body: Graph
    test: Graph | None
    names: list[str] = field(default_factory=list)


def exit_of(e: Equation) -> Exit | None:
    """The `break` of a loop that has just one, at the end of a branch at the end of its body."""
    test, body = e.regions if e.op.name == "while" else reversed(e.regions)
    skipped = 0 if e.op.name == "while" else 1
    number, rest = asked(test)
    last = body.equations[-1] if body.equations else None
    if number is None or last is None or last.op.name != "cond" or (
            e.args[number + skipped] is not False):
        return None
    flag, state = body.outputs[number], body.inputs[number + skipped]
    if flag not in last.outputs:
        return None
    place = last.outputs.index(flag)
    for branch, other in (last.regions, last.regions[::-1]):
        if branch.outputs[place] is True and other.outputs[place] in (state, False):
            return Exit(last, branch, place, number, body, rest)
    return None


def asked(test: Graph) -> tuple[int | None, Graph | None]:
    """(k, rest) of a test `not state[k]` (rest is None) or `not state[k] and rest`."""
    first = test.equations[0] if test.equations else None
    if first is None or first.op.name != "not_" or first.args[0] not in test.inputs:
        return None, None
    number, flag = test.inputs.index(first.args[0]), first.outputs[0]
    if len(test.equations) == 1 and test.outputs[0] is flag:
        return number, None
    both = test.equations[-1]
    if len(test.equations) == 2 and both.op.name == "cond" and both.args[0] is flag and (
            test.outputs[0] is both.outputs[0]) and not both.regions[1].equations and (
            both.regions[1].outputs[0] in (flag, False)):
        return number, both.regions[0]
    return None, None
