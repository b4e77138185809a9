"""Loops that end soon, whose iterations are not counted one by one.

Those that halve have at most 64 iterations, as each takes a bit from an int until it is 0:
`while v: v &= v - 1`, `while n: n //= 10`, `while e > 0: e >>= 1`. They need not ask if the user
interrupts, and a loop around them runs as if they were a part of its body.

Those that step add the same constant to an int that is between two numbers in every iteration, as
`while j >= 0 and x[j] > key: j -= 1`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Value
from autograph.runtime.ir.regions import Loop, is_loop
from autograph.runtime.native.ranges import Range


def halves(loop: Loop, ranges: Mapping[Value, Range]) -> bool:
    """Returns True if an int that is positive in each iteration loses a bit there."""
    if loop.test is None:
        return False
    made = {out: e for e in loop.body.equations for out in e.outputs}
    return any(v in ranges and ranges[v].low > 0 and isinstance(after, Value)
               and _loses_a_bit(made.get(after), v, made)
               for v, after in zip(loop.carried, loop.body.outputs, strict=True))


def most_steps(loop: Loop, ranges: Mapping[Value, Range]) -> int | None:
    """Returns how many iterations a loop has at most, if that follows from an int that steps. None
    for a loop that has others in it, as these may take long."""
    if any(is_loop(e) for e in loop.body.walk()):
        return None
    made = {out: e for e in loop.body.equations for out in e.outputs}
    found = [(ranges[v].high - ranges[v].low) // abs(step) + 1
             for v, after in zip(loop.carried, loop.body.outputs, strict=True)
             if v in ranges and isinstance(after, Value)
             and (step := constant_step(v, made.get(after)))]
    return min(found, default=None)


def constant_step(v: Value, e: Equation | None) -> int:
    """Returns the constant that an equation adds to an int; 0 if it is another equation."""
    if e is None or e.op.ufunc not in (np.add, np.subtract) or not e.op.dunder:
        return 0
    a, b = e.args
    if e.op.ufunc is np.subtract:
        return -b if a is v and type(b) is int else 0
    return next((y for x, y in ((a, b), (b, a)) if x is v and type(y) is int), 0)


def _loses_a_bit(e: Equation | None, v: Value, made: Mapping[Value, Equation]) -> bool:
    if e is None or not e.op.dunder or len(e.args) != 2:
        return False
    a, b = e.args
    if e.op.ufunc is np.bitwise_and:
        return any(x is v and _is_one_less(y, v, made) for x, y in ((a, b), (b, a)))
    least = {np.right_shift: 1, np.floor_divide: 2}.get(e.op.ufunc)
    return least is not None and a is v and type(b) is int and b >= least


def _is_one_less(x: Atom, v: Value, made: Mapping[Value, Equation]) -> bool:
    e = made.get(x) if isinstance(x, Value) else None
    return e is not None and bool(e.op.dunder) and (e.op.ufunc, *e.args) == (np.subtract, v, 1)
