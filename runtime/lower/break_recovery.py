"""Break recovery: finds the `break` of a loop in the flag that the graph has for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograph.runtime.ir.graph import Graph, Value
from autograph.runtime.ir.regions import Branch, Loop, as_branch
from autograph.runtime.ops.python import NOT


@dataclass
class Recovered:
    """A `break`: a flag that the loop's test asks for first, and a side of a branch sets last.

    loop    the loop.
    branch  the last equation of its body.
    side    the side of the branch that sets the flag.
    result  the index of the flag among the branch's results.
    number  the index of the flag among the carried values.
    test    the rest of the test without the flag; None if it asks for nothing else.
    names   the names of the carried values.
    """

    loop: Loop
    branch: Branch
    side: Graph
    result: int
    number: int
    test: Graph | None
    names: list[str] = field(default_factory=list)

    @property
    def flag(self) -> Value:
        """The flag as an input of the body."""
        return self.loop.carried[self.number]


def break_of(loop: Loop) -> Recovered | None:
    """Returns the `break` of a loop that has just one, at the end of a branch at the end of its
    body."""
    number, rest = _asked(loop.test)
    branch = as_branch(loop.body.equations[-1]) if loop.body.equations else None
    if number is None or branch is None or loop.initial[number] is not False:
        return None
    next_flag, flag = loop.body.outputs[number], loop.carried[number]
    if next_flag not in branch.results:
        return None
    result = branch.results.index(next_flag)
    for truth, side in branch.sides():
        if side.outputs[result] is True and branch.side(not truth).outputs[result] in (flag, False):
            return Recovered(loop, branch, side, result, number, rest)
    return None


def _asked(test: Graph | None) -> tuple[int | None, Graph | None]:
    """Returns (k, rest) of a test `not carried[k]` (rest is None) or `not carried[k] and rest`."""
    first = test.equations[0] if test is not None and test.equations else None
    if test is None or first is None or first.op is not NOT or (
            first.args[0] not in test.inputs):
        return None, None
    number, flag = test.inputs.index(first.args[0]), first.outputs[0]
    if len(test.equations) == 1 and test.outputs[0] is flag:
        return number, None
    both = as_branch(test.equations[-1])
    if len(test.equations) == 2 and both is not None and both.predicate is flag and (
            test.outputs[0] is both.results[0]) and not both.on_false.equations and (
            both.on_false.outputs[0] in (flag, False)):
        return number, both.on_true
    return None, None


def begins(loop: Loop) -> bool:
    """Returns True if a loop's test asks for a flag alone that is not set before the loop."""
    number, rest = _asked(loop.test)
    return number is not None and rest is None and loop.initial[number] is False
