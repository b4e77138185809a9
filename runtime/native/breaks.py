"""Breaks: branches at the end of a loop's body of which one side ends the loop."""

from __future__ import annotations

from autograph.runtime.ir.graph import Atom, Graph, Value
from autograph.runtime.ir.regions import Branch, Loop, as_branch
from autograph.runtime.ops.python import NOT


def break_of(loop: Loop) -> tuple[Branch, bool] | None:
    """Returns the last branch of a body, and the side of it that ends the loop: the test, which is
    made next, is surely False then. None if there is no such branch, or if both sides end it."""
    branch = as_branch(loop.body.equations[-1]) if loop.body.equations else None
    if branch is None or loop.test is None:
        return None
    ending = [holds for holds, side in branch.sides() if _ends(loop, branch, side)]
    return (branch, ending[0]) if len(ending) == 1 else None


def _ends(loop: Loop, branch: Branch, side: Graph) -> bool:
    assert loop.test is not None
    given = dict(zip(branch.results, side.outputs, strict=True))
    known: dict[Atom, bool] = {}
    for v, x in zip(loop.test.inputs, loop.body.outputs, strict=True):
        after = given.get(x, x) if isinstance(x, Value) else x
        if type(after) is bool:
            known[v] = after
    return _result(loop.test, known) is False


def _result(region: Graph, known: dict[Atom, bool]) -> bool | None:
    """Returns what a region of bools gives, if that follows from what is known of some."""
    def of(x: Atom) -> bool | None:
        return x if type(x) is bool else known.get(x) if isinstance(x, Value) else None

    for e in region.equations:
        if e.op is NOT and (a := of(e.args[0])) is not None:
            known[e.outputs[0]] = not a
        elif (branch := as_branch(e)) is not None and (test := of(branch.predicate)) is not None:
            side = branch.on_true if test else branch.on_false
            found = _result(side, known)
            if len(branch.results) == 1 and found is not None:
                known[branch.results[0]] = found
    return of(region.outputs[0])
