"""Loops that bisect: they have at most 66 iterations, which are not counted one by one.

`while low < high: middle = (low + high) // 2` goes on with a half of the numbers between two ints:
each way through the body moves one of the ends to the middle, or past it, and leaves the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Value
from autograph.runtime.ir.regions import Branch, Loop, as_branch
from autograph.runtime.native.facts import Facts
from autograph.runtime.native.ranges import Range

Makers = Mapping[Value, Equation]


def bisects(loop: Loop, ranges: Mapping[Value, Range], facts: Facts) -> bool:
    """Returns True if a loop goes on with a half of what is between two ints, each time."""
    if loop.is_for or loop.test is None:
        return False
    made = {out: e for e in loop.body.walk() for out in e.outputs}
    return any(
        _is_half(loop, low, high, gap, made) for low, high, gap in _ends(loop, facts)
        if loop.carried[low] in ranges and loop.carried[high] in ranges)


def _ends(loop: Loop, facts: Facts) -> Iterator[tuple[int, int, int]]:
    """Yields which carried values the test compares: the smaller one, the greater one, and by how
    much they differ at least where the loop goes on."""
    assert loop.test is not None
    position = {v: k for k, v in enumerate(loop.test.inputs)}
    for sign, a, b in facts.of(loop.test.outputs[0], True):
        if sign in (">", ">="):
            sign, a, b = sign.replace(">", "<"), b, a
        if sign in ("<", "<="):
            low, more = _moved(a, facts.makers, np.add)
            high, less = _moved(b, facts.makers, np.subtract)
            if low in position and high in position:
                yield position[low], position[high], (sign == "<") + more + less


def _moved(x: Atom, made: Makers, by: np.ufunc) -> tuple[Atom, int]:
    """Returns what a constant that is not negative is added to, or subtracted from, and it."""
    e = made.get(x) if isinstance(x, Value) else None
    if e is None or not e.op.dunder or e.op.ufunc is not by:
        return x, 0
    a, b = e.args
    if by is np.add and type(a) is int:
        a, b = b, a
    return (a, b) if type(b) is int and b >= 0 else (x, 0)


def _is_half(loop: Loop, low: int, high: int, gap: int, made: Makers) -> bool:
    """Returns True if each way through the body leaves one of two ends, and moves the other to the
    middle; so far that less is left where they differ by `gap` or more."""
    first, last = loop.carried[low], loop.carried[high]

    def fits(a: Atom, b: Atom) -> bool:
        branch = _branch_of(a, b, made)
        if branch is not None:
            given = [dict(zip(branch.results, side.outputs, strict=True))
                     for _, side in branch.sides()]
            return all(fits(sides.get(a, a), sides.get(b, b)) for sides in given)
        if b is last:
            middle, past = _moved(a, made, np.add)
            return (past > 0 or gap > 1) and _is_middle(middle, first, last, made)
        middle, past = _moved(b, made, np.subtract)
        return a is first and (past > 0 or gap > 0) and _is_middle(middle, first, last, made)

    return fits(loop.body.outputs[low], loop.body.outputs[high])


def _branch_of(a: Atom, b: Atom, made: Makers) -> Branch | None:
    """Returns the branch that one of two values comes out of."""
    found = (made.get(x) for x in (a, b) if isinstance(x, Value))
    return next((branch for e in found if e is not None and (branch := as_branch(e))), None)


def _is_middle(x: Atom, low: Value, high: Value, made: Makers) -> bool:
    """Returns True for `(low + high) // 2` and `low + (high - low) // 2`."""
    e = _operation(x, made, np.add)
    if e is not None:
        for a, b in (e.args, e.args[::-1]):
            distance = _operation(_halved(b, made), made, np.subtract)
            if a is low and distance is not None and distance.args == (high, low):
                return True
    both = _operation(_halved(x, made), made, np.add)
    return both is not None and set(both.args) == {low, high}


def _halved(x: Atom, made: Makers) -> Atom:
    """Returns what a value is the half of, rounded down; None for another value."""
    for ufunc, number in ((np.floor_divide, 2), (np.right_shift, 1)):
        e = _operation(x, made, ufunc)
        if e is not None and type(e.args[1]) is int and e.args[1] == number:
            return e.args[0]
    return None


def _operation(x: Atom, made: Makers, ufunc: np.ufunc) -> Equation | None:
    e = made.get(x) if isinstance(x, Value) else None
    return e if e is not None and e.op.dunder and e.op.ufunc is ufunc else None
