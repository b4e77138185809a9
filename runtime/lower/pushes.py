"""Pushes: which values are put on a stack's own list.

A stack is a list that programs never see, and what is read from it is an item, never the list. So
nothing but other states of the same stack can have its list, whatever its items are and whoever
else holds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograph.runtime.ir.graph import Atom, Equation, Value
from autograph.runtime.ir.regions import Loop, as_branch, as_loop
from autograph.runtime.ir.types import DynamicType, StackType
from autograph.runtime.lower.births import Births, Path
from autograph.runtime.ops.kept_values import NEW_STACK, PUSH

UsedAfter = Callable[[Value, Path, Path | None], bool]


@dataclass(frozen=True)
class Push:
    """An equation that puts a value on a stack: where, and the innermost loop around it."""

    equation: Equation
    path: Path
    loop: Path | None


class OwnLists:
    """The stacks whose states follow one after the other, so that one list can be all of them.

    pushes   the equations that may append to the list.
    carried  the values in which loops carry it on.
    """

    def __init__(self, found: Births, pushes: Sequence[Push],
                 loops: Iterable[tuple[Loop, Path, Path | None]], is_used_after: UsedAfter) -> None:
        self.found, self.is_used_after = found, is_used_after
        self.pushes: set[Equation] = set()
        self.carried: set[Value] = set()
        self.states: dict[Value, list[Value]] = {}
        carrying = [(v, loop, path, around) for loop, path, around in loops
                    for v in loop.carried if is_stack(v)]
        if pushes:
            for x in [x for x in found.made if is_stack(x)]:
                self.join(x)
        by_list: dict[int, list[Push]] = {}
        for push in pushes:
            by_list.setdefault(id(self.states[push.equation.outputs[0]]), []).append(push)
        for number, mine in by_list.items():
            states = self.states[mine[0].equation.outputs[0]]
            around_it = [x for x in carrying if id(self.states.get(x[0])) == number]
            if self.is_one_list(states, mine, around_it):
                self.pushes.update(push.equation for push in mine)
                self.carried.update(v for v, *_ in around_it)

    def join(self, x: Value) -> None:
        """Enters a state of a stack together with all that come before it."""
        mine = self.states.setdefault(x, [x])
        for before in self.before(x):
            theirs = self.states.get(before)
            if theirs is mine:
                continue
            if theirs is None:
                self.states[before] = mine
                mine.append(before)
                self.join(before)
            else:
                theirs += mine
                self.states.update(dict.fromkeys(mine, theirs))
            mine = self.states[x]

    def before(self, x: Value) -> Iterator[Value]:
        """Yields the states that a state follows, or that it may be."""
        yield from (v for v in self._before(x) if isinstance(v, Value) and is_stack(v))

    def _before(self, x: Value) -> Iterator[Atom]:
        if x in self.found.carriers:
            loop, k, _ = self.found.carriers[x]
            yield loop.initial[k]
            yield loop.body.outputs[k]
            return
        e = self.found.makers.get(x)
        if e is None:
            return
        k = e.outputs.index(x)
        if (branch := as_branch(e)) is not None:
            yield branch.on_true.outputs[k]
            yield branch.on_false.outputs[k]
        elif (inner := as_loop(e)) is not None:
            yield inner.initial[k]
            yield inner.carried[k]
        elif e.op is PUSH:
            yield e.args[0]

    def is_one_list(self, states: list[Value], pushes: list[Push],
                    loops: list[tuple[Value, Loop, Path, Path | None]]) -> bool:
        """Returns True if the states are of stacks that the graph makes, and no state is of use
        after the next one is made."""
        if not all(map(self.is_known, states)):
            return False
        if any(sum(self.states.get(x) is states for x in loop.initial if isinstance(x, Value)) > 1
               for _, loop, _, _ in loops):
            return False
        paths = [(p.path, p.loop) for p in pushes] + [(path, around) for *_, path, around in loops]
        return not any(self.is_used_after(v, path, around) for path, around in paths
                       for v in states if self.found.made[v] < path)

    def is_known(self, x: Value) -> bool:
        """Returns True for a state of which is known how it was made."""
        if x in self.found.carriers:
            return True
        e = self.found.makers.get(x)
        return e is not None and (e.op in (NEW_STACK, PUSH) or as_branch(e) is not None
                                  or as_loop(e) is not None)


def is_stack(x: Value) -> bool:
    """Returns True for a stack, and for one that a branch makes."""
    t = x.type
    while isinstance(t, DynamicType) and t.maybe_undefined and t.bound is not None:
        t = t.bound
    return isinstance(t, StackType)
