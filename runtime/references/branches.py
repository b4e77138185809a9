"""Branches: each side gives what it wrote, the arrays that it made, and which one it chose."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, atom_type
from autograph.runtime.ir.regions import Branch
from autograph.runtime.ir.types import Type, join
from autograph.runtime.ops.control import COND
from autograph.runtime.references.memory import filler
from autograph.runtime.references.targets import Reference, Site, Target, number_of, refuse

if TYPE_CHECKING:
    from autograph.runtime.references.by_value import ByValue


class Side:
    """One side of a branch, or an iteration: its equations, contents and outputs.

    outside  the sites that were there before.
    """

    def __init__(self, walk: ByValue, region: Graph, contents: dict[Site, Atom] | None = None
                 ) -> None:
        self.walk = walk
        self.memory = walk.memory
        self.equations: list[Equation] = []
        self.outside = dict(walk.memory.contents if contents is None else contents)
        with self.memory.block(self.equations, contents) as self.contents:
            walk.walk(region.equations)
            self.outputs = [walk.meaning(x) for x in region.outputs]

    def run(self) -> AbstractContextManager[object]:
        """Enters the side again, to add equations."""
        return self.memory.block(self.equations, self.contents)

    def changed(self) -> list[Site]:
        """The sites from before that hold something else now."""
        return [s for s, x in self.outside.items() if self.contents[s] is not x]

    def read(self, x: Atom | Reference) -> Atom:
        return self.memory.read(x) if isinstance(x, Reference) else x

    def settle(self, k: int) -> Reference:
        """Returns output k as a reference whose targets can be named outside.

        A view of an array that was made here becomes an array of its own if nobody else sees the
        rest of it.
        """
        x = self.outputs[k]
        if not isinstance(x, Reference):
            site = Site()
            self.contents[site] = x
            x = Reference((Target(site),))
        elif (target := x.only) is not None and target.steps and (
                target.site not in self.outside and not self._is_shared(target.site, k)):
            site = Site()
            self.contents[site] = self.memory.read_target(target)
            self.walk.moved(target.site, site)
            x = Reference((Target(site),))
        self.outputs[k] = x
        return x

    def _is_shared(self, site: Site, k: int) -> bool:
        return any(isinstance(x, Reference) and any(p.site is site for p in x.targets)
                   for j, x in enumerate(self.outputs) if j != k)

    def own_values(self) -> set[Value]:
        """The values that were made here."""
        return {v for e in self.equations for v in e.outputs}


def rewrite_branch(walk: ByValue, branch: Branch) -> None:
    """Records a branch."""
    memory, predicate = walk.memory, walk.read(branch.predicate)
    sides = walk.instead(lambda region: Side(walk, region), [r for _, r in branch.sides()])
    written = list(dict.fromkeys(s for side in sides for s in side.changed()))
    joined = [k for k, v in enumerate(branch.results) if any(
        isinstance(side.outputs[k], Reference) for side in sides)]
    given: list[list[Atom]] = [[], []]
    for side, atoms in zip(sides, given, strict=True):
        with side.run():
            atoms += [side.contents[s] for s in written]
            atoms += [x for k, x in enumerate(side.outputs) if k not in joined]
            for k in joined:
                side.settle(k)
    join_ = Join(walk, sides, joined)
    for number, (side, atoms) in enumerate(zip(sides, given, strict=True)):
        with side.run():
            atoms += join_.given(number)
    regions = tuple(Graph(region.name, (), side.equations, tuple(atoms))
                    for (_, region), side, atoms in zip(branch.sides(), sides, given, strict=True))
    types = _types(branch, given, len(written), joined)
    made = list(memory.add(COND, (predicate,), None, types, regions))
    for site in written:
        memory.contents[site] = made.pop(0)
    for k, v in enumerate(branch.results):
        if k not in joined:
            walk.fresh(v, made.pop(0))
    join_.enter([branch.results[k] for k in joined], made)


def _types(branch: Branch, given: Sequence[Sequence[Atom]], first: int, joined: Sequence[int]
           ) -> list[Type]:
    """Returns the types of what the sides give, among it the plain results from the first on: of
    these, the branch may know that only one side comes to its end."""
    types = [join(atom_type(x), atom_type(y)) for x, y in zip(*given, strict=True)]
    plain = [k for k in range(len(branch.results)) if k not in joined]
    for at, k in enumerate(plain, first):
        if all(atom_type(atoms[at]) == atom_type(region.outputs[k])
               for (_, region), atoms in zip(branch.sides(), given, strict=True)):
            types[at] = branch.results[k].type
    return types


class Join:
    """Joins what the two sides of a branch give for variables that stand for arrays.

    carriers  for each array that a side made: the output that shows it first, and its number among
           the arrays of that output.
    """

    def __init__(self, walk: ByValue, sides: Sequence[Side], joined: Sequence[int]) -> None:
        self.walk = walk
        self.sides = sides
        self.joined = joined
        self.carriers: dict[tuple[int, int], Site] = {}
        self.owners: list[dict[Site, tuple[int, int]]] = [self._owners(side) for side in sides]
        self.targets: list[list[Target]] = []
        self.tables: list[list[list[int]]] = []
        for k in joined:
            targets: list[Target] = []
            self.tables.append([self._numbers(n, k, targets) for n in range(2)])
            self.targets.append(targets)

    def _owners(self, side: Side) -> dict[Site, tuple[int, int]]:
        found: dict[Site, tuple[int, int]] = {}
        for k in self.joined:
            fresh = [p.site for p in _reference(side, k).targets if p.site not in side.outside]
            for number, site in enumerate(s for s in dict.fromkeys(fresh) if s not in found):
                found[site] = (k, number)
                self.walk.moved(site, self.carriers.setdefault((k, number), Site()))
        return found

    def _numbers(self, n: int, k: int, targets: list[Target]) -> list[int]:
        """Returns the new numbers of the targets of an output, and enters them."""
        return [number_of(self._outside(n, p), targets)
                for p in _reference(self.sides[n], k).targets]

    def _outside(self, n: int, target: Target) -> Target:
        """Returns a target as it is named behind the branch."""
        side = self.sides[n]
        if target.steps and not side.own_values().isdisjoint(target.values()):
            refuse("a view whose bounds one side of a branch computes is written behind it",
                   self.walk.memory.location)
        if target.site in side.outside:
            return target
        return Target(self.carriers[self.owners[n][target.site]], target.steps)

    def given(self, n: int) -> list[Atom]:
        """Returns what one side gives: the arrays that were made, and the numbers."""
        side = self.sides[n]
        sites = {carrier: site for site, carrier in self.owners[n].items()}
        arrays = [side.contents[sites[c]] if c in sites else self._filler(1 - n, c)
                  for c in self.carriers]
        chosen = zip(self.joined, self.targets, self.tables, strict=True)
        numbers = [self.walk.memory.renumbered(_reference(side, k).which, table[n])
                   for k, targets, table in chosen if len(targets) > 1]
        return arrays + numbers

    def _filler(self, n: int, carrier: tuple[int, int]) -> Atom:
        """Returns what a side without an array of its own gives for one that side n has: nobody
        reads it."""
        site = next(s for s, found in self.owners[n].items() if found == carrier)
        made = filler(atom_type(self.sides[n].contents[site]))
        other = self.sides[1 - n]
        return other.read(other.outputs[carrier[0]]) if made is None else made

    def enter(self, results: Sequence[Value], made: list[Value]) -> None:
        """Enters the results, which the branch gives after all others."""
        for site in self.carriers.values():
            self.walk.memory.contents[site] = made.pop(0)
        for v, targets in zip(results, self.targets, strict=True):
            which = made.pop(0) if len(targets) > 1 else 0
            self.walk.now[v] = Reference(tuple(targets), which)


def _reference(side: Side, k: int) -> Reference:
    found = side.outputs[k]
    assert isinstance(found, Reference)
    return found
