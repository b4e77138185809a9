"""Numbers that the test of a `while` loop makes are known in its body.

`while abs(f(z)) > limit: z -= f(z) / g(z)` has `f(z)` twice, and LLVM does not see that they are
the same: operations on floats keep their exceptions. A test `a and b` goes on to `b` only where `a`
holds, so the body comes after both, and takes the numbers from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value
from autograph.runtime.ir.regions import Branch, Loop, as_branch
from autograph.runtime.native.kinds import Kind, Number
from autograph.runtime.native.small_branches import is_small

KindOf = Callable[[Atom], Kind]


def second_part(test: Graph, kind_of: KindOf) -> Branch | None:
    """Returns the branch at the end of a test `a and b` whose one side is `b`; None for another
    test, and for one that is no more than a few instructions."""
    branch = as_branch(test.equations[-1]) if test.equations else None
    if branch is None or branch.results != test.outputs or branch.on_false.equations or (
            is_small(branch, kind_of)):
        return None
    (otherwise,) = branch.on_false.outputs
    return branch if otherwise is branch.predicate or otherwise is False else None


def known_from_test(loop: Loop, kind_of: KindOf) -> dict[Value, Value]:
    """Returns, for numbers that a body makes, those that the test makes of the same operands."""
    assert loop.test is not None
    same: dict[Atom, Atom] = dict(zip(loop.carried, loop.test.inputs, strict=True))
    tested = {_key(e, {}): e.outputs[0] for e in _always_done(loop.test, kind_of)}
    found: dict[Value, Value] = {}
    for e in loop.body.equations:
        before = tested.get(_key(e, same)) if _is_of_numbers(e, kind_of) else None
        if before is not None and kind_of(before) == kind_of(e.outputs[0]):
            same[e.outputs[0]] = found[e.outputs[0]] = before
    return found


def _always_done(test: Graph, kind_of: KindOf) -> Iterator[Equation]:
    """Yields the equations of a test that holds which make a number."""
    yield from (e for e in test.equations if _is_of_numbers(e, kind_of))
    if (branch := second_part(test, kind_of)) is not None:
        yield from _always_done(branch.on_true, kind_of)


def _is_of_numbers(e: Equation, kind_of: KindOf) -> bool:
    return not (e.regions or e.op.effect or e.kwargs) and len(e.outputs) == 1 and isinstance(
        kind_of(e.outputs[0]), Number)


def _key(e: Equation, same: dict[Atom, Atom]) -> Any:
    """Returns what two equations have in common that give the same."""
    def part(x: Any) -> Any:
        if isinstance(x, tuple):
            return tuple(map(part, x))
        return same.get(x, x) if isinstance(x, Value) else (type(x), repr(x))
    return e.op, part(e.args)
