"""Loops: they carry what they write, the arrays that an iteration makes, and who stands for which.

Which arrays a loop writes, and which ones a variable may stand for, depends on its body; so the
body is read again until both are known. Both only grow, and there are as many as there are arrays
before the loop and variables in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, atom_type
from autograph.runtime.ir.regions import Loop
from autograph.runtime.ir.types import (
    DYNAMIC,
    ArrayType,
    PyType,
    Type,
    join,
)
from autograph.runtime.ir.visitor import copied
from autograph.runtime.ops.container_values import CHECK_SIZE
from autograph.runtime.ops.control import COND
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.python import RANGE
from autograph.runtime.ops.views import Item
from autograph.runtime.references.branches import Side
from autograph.runtime.references.container_forms import class_of
from autograph.runtime.references.containers import VIEWS
from autograph.runtime.references.memory import NUMBER, filler
from autograph.runtime.references.targets import Reference, Site, Target, number_of, refuse
from autograph.runtime.references.written import may_be_shared

if TYPE_CHECKING:
    from autograph.runtime.references.by_value import ByValue

DIM, LENGTH = OPS["dim"], OPS["len_"]

MOST_STEPS = 4
"""The most views of views for which a loop may carry a variable: else they would never end."""


def rewrite_loop(walk: ByValue, loop: Loop) -> None:
    """Records a loop."""
    made = _Rewritten(walk, loop)
    while not made.is_settled():
        pass
    made.record()


class _Rewritten:
    """One loop by value.

    pointers  the carried variables, by position, that stand for arrays which something writes.
    targets    for each of them, what it may stand for.
    carriers     for each of them that may stand for an array of an iteration: that array.
    before    the contents of all arrays before the loop.
    written   the arrays from before the loop that an iteration writes.
    types     the type of each carried variable that is no pointer, each written array, and each
              carrier.
    """

    def __init__(self, walk: ByValue, loop: Loop) -> None:
        self.walk = walk
        self.loop = loop
        self.memory = walk.memory
        self.initial = [walk.meaning(x) for x in loop.initial]
        self.pointers = [k for k, v in enumerate(loop.results) if isinstance(
            self.initial[k], Reference) or (may_be_shared(v.type) and walk.shared.is_written(v))]
        self.targets = {k: list(self._initial(k).targets) for k in self.pointers}
        self.carriers: dict[int, Site] = {}
        self.written: list[Site] = []
        self.types: dict[int | Site, Type] = {
            k: join(v.type, atom_type(x)) for k, (v, x) in enumerate(
                zip(loop.carried, self.initial, strict=True)) if k not in self.targets}
        self.iterable = walk.meaning(loop.iterable) if loop.is_for else None
        self.entries = entries_of(walk, loop, self.iterable)
        self.before = dict(walk.memory.contents)
        self.count: Value | None = None
        self.body: Side
        self.inputs: tuple[Value, ...] = ()

    def _initial(self, k: int) -> Reference:
        found = self.initial[k]
        if not isinstance(found, Reference):
            site = Site()
            self.memory.contents[site] = found
            self.initial[k] = found = Reference((Target(site),))
        return found

    # -- one reading of a region ------------------------------------------------------------------

    def read(self, region: Graph, carried: Sequence[Value]) -> tuple[Side, tuple[Value, ...]]:
        """Reads the test or the body; returns what it does, and its inputs."""
        inputs: list[Value] = []
        contents = dict(self.before)

        def new(t: Type, hint: str = "") -> Value:
            inputs.append(Value(t, hint))
            return inputs[-1]

        for k, v in enumerate(carried):
            if k not in self.targets:
                self.walk.now[v] = new(self.types[k], v.hint)
        for site in (*self.written, *self.carriers.values()):
            contents[site] = new(self.types[site])
        for k, targets in self.targets.items():
            which = new(NUMBER) if len(targets) > 1 else 0
            self.walk.now[carried[k]] = Reference(tuple(targets), which)
        return Side(self.walk, region, contents), tuple(inputs)

    def read_body(self) -> None:
        loop, body = self.loop, self.loop.body
        first: tuple[Value, ...] = ()
        if loop.item is not None:
            counted = isinstance(self.iterable, Reference) and (
                self.entries is None or self.is_changed())
            item = Value(PyType(int) if counted else loop.item.type, loop.item.hint)
            first = (item,)
            self.walk.now[loop.item] = item
            if counted and self.entries is not None:
                body = entered(loop, self.entries, item, self.size())
                self.walk.now[item] = item
            elif isinstance(self.iterable, Reference) and self.entries is None:
                self.walk.now[loop.item] = self.iterable.step(Item(item))
        self.body, inputs = self.read(body, loop.carried)
        self.inputs = first + inputs

    def is_settled(self) -> bool:
        """Reads the body; returns False if it does more than was known."""
        self.read_body()
        before = (len(self.written), len(self.carriers), *(len(p) for p in self.targets.values()))
        types = dict(self.types)
        self.written += [
            s for s in self.body.changed() if s in self.before and s not in self.written]
        with self.body.run():
            for k in self.pointers:
                self.body.settle(k)
            for k in self.pointers:
                for _, site in self.owned(k):
                    self.walk.moved(site, self.carriers.setdefault(k, Site()))
            for k in self.pointers:
                self.next_number(k)
            self.widen()
        after = (len(self.written), len(self.carriers), *(len(p) for p in self.targets.values()))
        return before == after and types == self.types

    def output(self, k: int) -> Reference:
        found = self.body.outputs[k]
        assert isinstance(found, Reference)
        return found

    def earlier(self, k: int, site: Site) -> list[int]:
        """Returns the variables before k that may stand for an array, up to one that surely
        does."""
        found = []
        for j in self.pointers[:self.pointers.index(k)]:
            if any(p.site is site for p in self.output(j).targets):
                found.append(j)
                if self.output(j).only is not None:
                    break
        return found

    def owned(self, k: int) -> list[tuple[int, Site]]:
        """Returns the arrays that are not from before the loop, and that are in the carrier of
        variable k in the next iteration if it stands for them: no earlier variable surely does."""
        return [(number, p.site) for number, p in enumerate(self.output(k).targets)
                if p.site not in self.before and not any(
                    self.output(j).only is not None for j in self.earlier(k, p.site))]

    def next_number(self, k: int) -> Atom:
        """Returns the number of what a variable stands for in the next iteration."""
        output = self.output(k)
        numbers = [self._number(k, target) for target in output.targets]
        if not any(isinstance(n, Value) for n in numbers):
            return self.memory.renumbered(output.which, numbers)
        return self._first_of(output.which, enumerate(numbers))

    def _number(self, k: int, target: Target) -> Atom:
        """Returns the number that a target has in the next iteration."""
        if len(target.steps) > MOST_STEPS:
            refuse("each iteration takes a view of the last one's, and it is written",
                   self.loop.equation.location)
        inside = self.body.own_values().union(self.inputs)
        if not inside.isdisjoint(target.values()):
            refuse("a loop carries a view whose bounds an iteration computes, and it is written",
                   self.loop.equation.location)
        if target.site in self.before:
            return np.int64(number_of(target, self.targets[k]))
        earlier = self.earlier(k, target.site)
        carriers = [*earlier] if earlier and self.output(earlier[-1]).only is not None else [
            *earlier, k]
        found: Atom = np.int64(self._carrier_number(k, carriers.pop(), target))
        for j in reversed(carriers):
            other = self.output(j)
            here = np.int64(self._carrier_number(k, j, target))
            found = self._first_of(other.which, [
                *((n, here) for n, p in enumerate(other.targets) if p.site is target.site),
                (len(other.targets), found)])
        return found

    def _carrier_number(self, k: int, owner: int, target: Target) -> int:
        return number_of(Target(self.carriers[owner], target.steps), self.targets[k])

    def _first_of(self, which: Atom, cases: Iterable[tuple[int, Atom]]) -> Atom:
        """Returns the atom that a number stands for; the last one if it is none of the others."""
        *rest, (_, found) = cases
        for number, atom in reversed(rest):
            found = self.memory.choose(
                self.memory.is_number(which, number), lambda atom=atom: [atom],  # type: ignore[misc]
                lambda found=found: [found])[0]  # type: ignore[misc]
        return found

    def widen(self) -> None:
        """Makes the types of what is carried admit what the iteration gives."""
        for k, t in self.types.items():
            if isinstance(k, int):
                self.types[k] = join(t, atom_type(self.body.outputs[k]))
        for site in self.written:
            t = atom_type(self.before[site])
            self.types[site] = join(self.types.get(site, t), atom_type(self.body.contents[site]))
        for k, carrier in self.carriers.items():
            ends = [atom_type(self.body.contents[s]) for _, s in self.owned(k)]
            for t in ends or [atom_type(self.body.contents[carrier])]:
                self.types[carrier] = join(self.types.get(carrier, t), t)
            if filler(self.types[carrier]) is None:
                self.types[carrier] = join(self.types[carrier], self._start_type(k))

    def _start_type(self, k: int) -> Type:
        """Returns the type of an array before the loop; dynamic for a view."""
        return reduce(join, (DYNAMIC if p.steps else atom_type(self.before[p.site])
                             for p in self._initial(k).targets))

    # -- loops over what a container holds ---------------------------------------------------------

    def is_changed(self) -> bool:
        """Returns True if an iteration changes the container that the loop goes over."""
        assert isinstance(self.iterable, Reference)
        return any(p.site in self.written for p in self.iterable.targets)

    def size(self) -> Value:
        """Returns how many entries there were before the loop."""
        if self.count is None:
            assert self.entries is not None
            self.count = self.memory.add(LENGTH, (self.walk.read(self.entries),))[0]
            self.walk.now[self.count] = self.count
        return self.count

    # -- the loop ---------------------------------------------------------------------------------

    def record(self) -> None:
        """Adds the loop, and enters its results."""
        loop, memory = self.loop, self.memory
        body = Graph(loop.body.name, self.inputs, self.body.equations, tuple(self.ends()))
        start: list[Atom] = [x for k, x in enumerate(self.initial) if k not in self.targets]
        start += [self.before[s] for s in self.written]
        start += [self._start(k) for k in self.carriers]
        start += [memory.renumbered(self._initial(k).which, range(len(self._initial(k).targets)))
                  for k, targets in self.targets.items() if len(targets) > 1]
        args, regions = self._regions(body)
        types = [*(self.types[k] for k in self._plain()), *(self.types[s] for s in self.written),
                 *(self.types[s] for s in self.carriers.values()),
                 *(NUMBER for targets in self.targets.values() if len(targets) > 1)]
        self.enter(list(memory.add(loop.equation.op, (*args, *start), None, types, regions)))

    def _start(self, k: int) -> Atom:
        """Returns what the carrier of a variable holds at first: nobody reads it."""
        made = filler(self.types[self.carriers[k]])
        return self.memory.read(self._initial(k)) if made is None else made

    def _plain(self) -> list[int]:
        return [k for k in range(len(self.initial)) if k not in self.targets]

    def _regions(self, body: Graph) -> tuple[list[Atom], tuple[Graph, ...]]:
        """Returns the iterable, if there is one, and the regions."""
        loop = self.loop
        test: tuple[Graph, ...] = ()
        if loop.test is not None:
            side, inputs = self.read(loop.test, loop.test.inputs)
            if side.changed():
                refuse("the test of a loop writes an array", loop.equation.location)
            with side.run():
                outputs = tuple(map(side.read, side.outputs))
            test = (Graph(loop.test.name, inputs, side.equations, outputs),)
        if not loop.is_for:
            return [], (*test, body)
        steps = self.iterable
        if self.entries is not None:
            steps = self.memory.add(RANGE, (self.size(),))[0] if self.is_changed() else (
                self.walk.read(self.entries))
        elif isinstance(steps, Reference):
            n = self.memory.add(DIM, (self.memory.read(steps), 0))[0]
            steps = self.memory.add(RANGE, (n,))[0]
        return [steps], (body, *test)

    def ends(self) -> list[Atom]:
        """Returns what an iteration gives to the next one."""
        body = self.body
        with body.run():
            made = [body.read(body.outputs[k]) for k in self._plain()]
            made += [body.contents[s] for s in self.written]
            made += [self._carrier_end(k) for k in self.carriers]
            made += [self.next_number(k) for k, targets in self.targets.items() if len(targets) > 1]
        return made

    def _carrier_end(self, k: int) -> Atom:
        """Returns the array that a variable's carrier holds in the next iteration; if the variable
        stands for another one, it does not matter which."""
        own = [(number, self.body.contents[site]) for number, site in self.owned(k)]
        if not own:
            return self.body.contents[self.carriers[k]]
        return self._first_of(self.output(k).which, own)

    def enter(self, made: list[Value]) -> None:
        """Enters the results of the loop."""
        walk, results = self.walk, self.loop.results
        for k in self._plain():
            made[0].hint = results[k].hint
            walk.fresh(results[k], made.pop(0))
        for site in (*self.written, *self.carriers.values()):
            self.memory.contents[site] = made.pop(0)
        for k, targets in self.targets.items():
            which = made.pop(0) if len(targets) > 1 else 0
            walk.now[results[k]] = Reference(tuple(targets), which)


def entries_of(walk: ByValue, loop: Loop, iterable: Atom | Reference | None) -> Value | None:
    """Returns a value that stands for what the container holds over which a loop goes; None if the
    loop goes over something else."""
    if not isinstance(iterable, Reference) or isinstance(atom_type(loop.iterable), ArrayType):
        return None
    if class_of(loop.iterable) is set:
        refuse("a loop goes over a set that changes", loop.equation.location)
    found = Value(DYNAMIC)
    walk.now[found] = iterable.step(VIEWS["keys"]) if class_of(
        loop.iterable) is dict else iterable
    return found


def entered(loop: Loop, entries: Value, position: Value, size: Value) -> Graph:
    """Returns the body of a loop over a dict that it changes: it reads each entry when it comes to
    it, and the size may not change."""
    e, body = loop.equation, loop.body
    assert loop.item is not None
    first = Equation(GETITEM, (entries, position), {}, (loop.item,), (), e.location)
    check = Equation(CHECK_SIZE, (entries, size), {}, (Value(PyType(type(None))),), (), e.location)
    last = [check] if loop.test is None else going_on(loop, loop.test, check)
    return Graph(body.name, body.inputs, [first, *body.equations, *last], body.outputs)


def going_on(loop: Loop, test: Graph, check: Equation) -> list[Equation]:
    """Returns the equations that do what is done before an item is taken, which none is after a
    `break`: the loop's test, and a branch on it."""
    asked, (goes,) = copied(test, dict(zip(test.inputs, loop.body.outputs, strict=True)))
    sides = Graph("true", (), [check], ()), Graph("false", (), [], ())
    return [*asked, Equation(COND, (goes,), {}, (), sides, check.location)]
