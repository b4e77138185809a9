"""Tuples that branches and loops pass on, by their items.

`return u, v` in a loop makes a tuple that the loop carries, and a tuple that holds an array hides
which one. So each item becomes a value of its own, which branches and loops pass on beside a
number: 0 for no tuple, else which of the kinds of tuple that the function makes. Tuples never
change; so they are made again where something else uses them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph.locks import cached_property
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, atom_type, map_leaves
from autograph.runtime.ir.regions import Branch, Loop, as_branch, as_loop
from autograph.runtime.ir.types import (
    DYNAMIC,
    PY_NUMBERS,
    ArrayType,
    DynamicType,
    PyType,
    Type,
    is_container,
    is_maybe_undefined,
    is_number,
    join,
)
from autograph.runtime.ir.undefined import UndefinedValue, is_undefined
from autograph.runtime.ops.control import COND
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.python import PACK
from autograph.runtime.ops.python_objects import UNPACKED
from autograph.runtime.references.memory import NUMBER

BOUND, EQUAL, SAME = OPS["bound"], OPS["equal"], OPS["differentiable"]
NO_TUPLE = UndefinedValue("a result")


def without_tuples(graph: Graph, of_numbers: bool = False) -> Graph:
    """Returns a graph that makes the same values, and whose branches and loops pass on no tuple.

    A value of the graph itself is made again at the end.

    `of_numbers`: it splits tuples of one form alone, of numbers, and only those that one equation
    uses as they are, or the graph gives back: nobody can tell that each use makes one. No
    more than the outputs is made again.
    """
    flows = _Flows()
    flows.graph(graph)
    flows.count(graph.outputs)
    kinds = flows.found()
    if of_numbers:
        kinds = {v: k for v, k in kinds.items() if k.are_of_numbers() and (
            flows.used[flows.root(v)] <= 1)}
    if not kinds:
        return graph
    walk = _Split(kinds)
    made = walk.region(graph, ())
    walk.equations = made.equations
    wanted = graph.outputs if of_numbers else (v for e in graph.equations for v in e.outputs)
    for v in [v for v in dict.fromkeys(wanted) if isinstance(v, Value)]:
        walk.again(v)
    return made


@dataclass
class _Kinds:
    """The kinds of tuples that values may be which flow into one another.

    patterns  for each kind, its nest of tuples with the numbers of its items.
    types     the types of its items.
    """

    patterns: list[Any] = field(default_factory=list)
    types: list[list[Type]] = field(default_factory=list)

    def enter(self, nest: Any) -> None:
        """Notes a tuple that the graph makes."""
        items, pattern = list(items_of(nest)), pattern_of(nest)
        types = list(map(_type_of_item, items))
        if pattern not in self.patterns:
            self.patterns.append(pattern)
            self.types.append(types)
        k = self.patterns.index(pattern)
        self.types[k] = [join(a, b) for a, b in zip(self.types[k], types, strict=True)]

    def are_of_numbers(self) -> bool:
        """Returns True for tuples of one form, of numbers."""
        return len(self.patterns) == 1 and all(
            is_number(t) or (isinstance(t, ArrayType) and t.scalar) for t in self.types[0])

    def absent(self) -> list[Atom]:
        """Returns items that stand for those of no tuple: nobody reads them."""
        return [_filler(t) for types in self.types for t in types]

    def number_of(self, nest: Any) -> Any:
        """Returns the number that tells of a tuple of which kind it is."""
        return np.int64(1 + self.patterns.index(pattern_of(nest)))

    def given(self, nest: Any, items: Iterable[Atom]) -> list[Atom]:
        """Returns the items of a tuple, and those of the other kinds."""
        own = self.patterns.index(pattern_of(nest))
        return [x for k, types in enumerate(self.types)
                for x in (items if k == own else map(_filler, types))]

    def passed_on(self) -> list[Type]:
        """Returns the types of what is passed on: the number, and all items."""
        return [NUMBER, *(join(t, atom_type(_filler(t))) for types in self.types for t in types)]


class _Flows:
    """Finds the values that flow into one another through branches and loops, and what makes them.
    """

    def __init__(self) -> None:
        self.parents: dict[Value, Value] = {}
        self.passed: set[Value] = set()
        self.made: dict[Value, Any] = {}
        self.constants: dict[Value, list[Any]] = {}
        self.uses: Counter[Value] = Counter()
        self.others: set[Value] = set()

    def root(self, value: Value) -> Value:
        while (up := self.parents.get(value, value)) is not value:
            value = up
        return value

    def graph(self, graph: Graph) -> None:
        for e in graph.equations:
            if (branch := as_branch(e)) is not None:
                for _, side in branch.sides():
                    self.graph(side)
                    self.flow(branch.results, side.outputs)
            elif (loop := as_loop(e)) is not None:
                self.loop(loop)
            elif e.op is BOUND:
                self.flow(e.outputs, e.args[:1])
            elif e.op is PACK and type(e.args[0]) is tuple:
                self.made[e.outputs[0]] = e.args[0]
                self.count(e.inputs)
            elif e.op not in (UNPACKED, GETITEM):
                self.count(e.inputs)

    def count(self, atoms: Iterable[Atom]) -> None:
        """Counts uses of tuples as they are."""
        self.uses.update(x for x in atoms if isinstance(x, Value))

    @cached_property
    def used(self) -> Counter[Value]:
        """How often tuples that flow into one another are used as they are."""
        found: Counter[Value] = Counter()
        for v, n in self.uses.items():
            found[self.root(v)] += n
        return found

    def loop(self, loop: Loop) -> None:
        for region in loop.in_order():
            self.graph(region)
        self.flow(loop.results, loop.initial)
        self.flow(loop.results, loop.body.outputs)
        self.flow(loop.carried, loop.results)
        if loop.test is not None:
            self.flow(loop.test.inputs, loop.results)

    def flow(self, xs: Iterable[Value], ys: Iterable[Atom]) -> None:
        for x, y in zip(xs, ys, strict=True):
            if not may_be_tuple(x.type):
                continue
            self.passed.add(x)
            if isinstance(y, Value):
                self.parents.setdefault(y, y)
                self.parents[self.root(x)] = self.root(y)
            elif type(y) is tuple:
                self.constants.setdefault(x, []).append(y)
            elif not is_undefined(y):
                self.others.add(x)

    def found(self) -> dict[Value, _Kinds]:
        """Returns the kinds of the values that are certainly tuples which the graph makes."""
        found: dict[Value, _Kinds] = {}
        values = {*self.parents, *self.passed}
        others = {self.root(v) for v in values
                  if v in self.others or (v not in self.passed and v not in self.made)}
        for v in values:
            if (root := self.root(v)) not in others:
                kinds = found.setdefault(root, _Kinds())
                for nest in ([self.made[v]] if v in self.made else self.constants.get(v, ())):
                    kinds.enter(nest)
        split = {root for root, kinds in found.items() if kinds.patterns and not any(
            is_container(t) for types in kinds.types for t in types)}
        return {v: found[self.root(v)] for v in values if self.root(v) in split}


class _Split:
    """Copies a graph, with the items of tuples.

    kinds   those of each value that is split.
    tuples  for each of them that was met: its number, then its items.
    now     what stands for items that were taken out of a tuple.
    """

    def __init__(self, kinds: dict[Value, _Kinds]) -> None:
        self.kinds = kinds
        self.tuples: dict[Value, list[Atom]] = {}
        self.now: dict[Value, Atom] = {}
        self.equations: list[Equation] = []
        self.equation: Equation | None = None

    def add(self, op: Any, args: tuple[Any, ...], output: Value,
            regions: tuple[Graph, ...] = ()) -> Value:
        e = self.equation
        self.equations.append(Equation(op, args, {}, (output,), regions,
                                       e.location if e else None, e.settings if e else ()))
        return output

    def block(self, record: Callable[[], Atom]) -> Graph:
        """Returns a side of a branch that gives one atom."""
        outer, self.equations = self.equations, []
        made = Graph("cond", (), self.equations, (record(),))
        self.equations = outer
        return made

    # -- operands ---------------------------------------------------------------------------------

    def read(self, atom: Atom) -> Atom:
        """Returns what stands for an atom; a tuple is made again."""
        if not isinstance(atom, Value):
            return atom
        if atom in self.tuples:
            return self._made(atom, Value(atom.type, atom.hint))
        return self.now.get(atom, atom)

    def again(self, value: Value) -> None:
        """Makes a value again, if no equation makes it any more."""
        if value in self.tuples:
            self._made(value, value)
        elif value in self.now:
            self.add(SAME, (self.now[value],), value)

    def _made(self, value: Value, output: Value) -> Value:
        kinds, (number, *items) = self.kinds[value], self.tuples[value]
        sides: list[Callable[[Value], Value]] = []
        for pattern in kinds.patterns:
            own, items = items[:_count(pattern)], items[_count(pattern):]
            sides.append(lambda out, own=own, pattern=pattern: self._packed(  # type: ignore[misc]
                pattern, own, out))
        if is_maybe_undefined(value.type):
            sides.append(lambda out: self._absent(out))
        return self._chosen(number, 1, sides, output)

    def _packed(self, pattern: Any, items: list[Atom], output: Value) -> Value:
        given = list(map(self.there, items))
        return self.add(PACK, (map_leaves(lambda k: given[k], pattern),), output)

    def there(self, x: Atom) -> Atom:
        """Returns an item of a tuple that surely is there."""
        t = atom_type(x)
        if not isinstance(x, Value) or not isinstance(t, DynamicType) or not t.maybe_undefined:
            return x
        return self.add(BOUND, (x,), Value(t.bound or DYNAMIC))

    def _absent(self, output: Value) -> Value:
        sides = tuple(Graph("cond", (), [], (NO_TUPLE,)) for _ in range(2))
        return self.add(COND, (True,), output, sides)

    def _chosen(self, number: Atom, first: int, sides: list[Callable[[Value], Value]],
                output: Value) -> Value:
        if len(sides) == 1:
            return sides[0](output)
        regions = (self.block(lambda: sides[0](Value(output.type))),
                   self.block(lambda: self._chosen(number, first + 1, sides[1:],
                                                   Value(output.type))))
        return self.add(COND, (self.is_number(number, first),), output, regions)

    def is_number(self, number: Atom, k: int) -> Atom:
        if not isinstance(number, Value):
            return bool(number == k)
        return self.add(EQUAL, (number, np.int64(k)), Value(ArrayType(np.dtype(bool), (), True)))

    def passed(self, atom: Atom, like: Value) -> list[Atom]:
        """Returns what is passed on for an atom."""
        if like not in self.kinds:
            return [self.read(atom)]
        if isinstance(atom, Value):
            return self.tuples[atom]
        kinds = self.kinds[like]
        if type(atom) is not tuple:
            return [np.int64(0), *kinds.absent()]
        return [kinds.number_of(atom), *kinds.given(atom, items_of(atom))]

    def entered(self, values: Iterable[Value]) -> tuple[Value, ...]:
        """Enters values to which something is passed on; returns what they are now."""
        found: list[Value] = []
        for v in values:
            if v in self.kinds:
                made = [Value(t, v.hint) for t in self.kinds[v].passed_on()]
                self.tuples[v] = list(made)
                found += made
            else:
                found.append(v)
        return tuple(found)

    # -- equations --------------------------------------------------------------------------------

    def region(self, graph: Graph, like: Iterable[Value], leading: tuple[Value, ...] = ()
               ) -> Graph:
        """Copies a graph or region, whose outputs are passed on to `like`."""
        outer, self.equations = self.equations, []
        inputs = (*leading, *self.entered(graph.inputs[len(leading):]))
        for e in graph.equations:
            self.equation = e
            self.step(e)
        like = tuple(like)
        outputs = [x for atom, v in zip(graph.outputs, like, strict=True)
                   for x in self.passed(atom, v)] if like else list(map(self.read, graph.outputs))
        made = Graph(graph.name, inputs, self.equations, tuple(outputs))
        self.equations = outer
        return made

    def step(self, e: Equation) -> None:
        if (branch := as_branch(e)) is not None:
            self.branch(branch)
        elif (loop := as_loop(e)) is not None:
            self.loop(loop)
        elif e.op is PACK and e.outputs[0] in self.kinds:
            kinds, nest = self.kinds[e.outputs[0]], e.args[0]
            self.tuples[e.outputs[0]] = [
                kinds.number_of(nest), *kinds.given(nest, [self.item(x) for x in items_of(nest)])]
        elif e.op is BOUND and e.outputs[0] in self.kinds:
            self.bound(e)
        elif not self.taken(e):
            self.plain(e)

    def item(self, nest: Any) -> Atom:
        """Returns an item of a tuple: an atom, or a list or dict, which is made here."""
        if isinstance(nest, Value) or type(nest) not in (list, dict):
            return self.read(nest)
        return self.add(PACK, (map_leaves(self.read, nest),), Value(DYNAMIC))

    def bound(self, e: Equation) -> None:
        """The check of a name that may not be bound; what is behind it is the tuple."""
        given, made = e.args[0], e.outputs[0]
        self.tuples[made] = self.tuples[given]
        if is_maybe_undefined(given.type):
            sides = (Graph("cond", (), [], (UndefinedValue(given.hint or "a result"),)),
                     Graph("cond", (), [], (0,)))
            name = self.add(COND, (self.is_number(self.tuples[given][0], 0),), Value(
                DynamicType(True, PyType(int)), given.hint), sides)
            self.add(BOUND, (name, *e.args[1:]), Value(PyType(int)))

    def taken(self, e: Equation) -> bool:
        """Takes items out of a tuple of the one kind that there is; False for other equations."""
        if e.op not in (UNPACKED, GETITEM) or not isinstance(e.args[0], Value) or (
                e.args[0] not in self.tuples or is_maybe_undefined(e.args[0].type)):
            return False
        kinds, (_, *items) = self.kinds[e.args[0]], self.tuples[e.args[0]]
        flat = kinds.patterns == [tuple(range(len(items)))]
        if flat and e.op is UNPACKED and e.args[1] == len(items) == len(e.outputs):
            self.now.update(zip(e.outputs, map(self.there, items), strict=True))
        elif flat and e.op is GETITEM and type(e.args[1]) is int and (
                -len(items) <= e.args[1] < len(items)):
            self.now[e.outputs[0]] = self.there(items[e.args[1]])
        else:
            return False
        return True

    def plain(self, e: Equation) -> None:
        if any(v in self.tuples or v in self.now for v in e.uses):
            e = e.copy()
            e.args, e.kwargs = map_leaves(self.read, e.args), map_leaves(self.read, dict(e.kwargs))
            e.collect_inputs()
        self.equations.append(e)

    def branch(self, branch: Branch) -> None:
        e = branch.equation
        predicate = self.read(branch.predicate)
        regions = tuple(self.region(side, branch.results) for _, side in branch.sides())
        self.control(e, (predicate,), branch.results, regions)

    def loop(self, loop: Loop) -> None:
        e = loop.equation
        leading = () if loop.item is None else (loop.item,)
        args = [self.read(loop.iterable)] if loop.is_for else []
        args += [x for atom, v in zip(loop.initial, loop.results, strict=True)
                 for x in self.passed(atom, v)]
        body = self.region(loop.body, loop.results, leading)
        test = () if loop.test is None else (self.region(loop.test, ()),)
        self.control(e, tuple(args), loop.results, (body, *test) if loop.is_for else (*test, body))

    def control(self, e: Equation, args: tuple[Any, ...], results: tuple[Value, ...],
                regions: tuple[Graph, ...]) -> None:
        made = e.copy()
        made.args, made.regions, made.outputs = args, regions, self.entered(results)
        made.collect_inputs()
        self.equations.append(made)


def may_be_tuple(t: Type) -> bool:
    """Returns True for a value of which nothing is known, or only that its name may be unbound."""
    return t == DYNAMIC or (is_maybe_undefined(t) and (
        not isinstance(t, DynamicType) or t.bound in (None, DYNAMIC)))


def items_of(nest: Any) -> Iterator[Any]:
    """Yields the items of tuples of tuples."""
    for x in nest:
        if type(x) is tuple:
            yield from items_of(x)
        else:
            yield x


def pattern_of(nest: Any) -> Any:
    """Returns tuples of tuples with the numbers of their items."""
    numbers = iter(range(_count(nest)))

    def numbered(nest: Any) -> Any:
        return tuple(numbered(x) if type(x) is tuple else next(numbers) for x in nest)

    return numbered(nest)


def _count(nest: Any) -> int:
    return sum(1 for _ in items_of(nest))


def _type_of_item(x: Any) -> Type:
    return DYNAMIC if type(x) in (list, dict) else atom_type(x)


def _filler(t: Type) -> Atom:
    """Returns a number or array of a type, if there is one."""
    if isinstance(t, PyType) and t.cls in PY_NUMBERS:
        return t.cls(0)
    if not isinstance(t, ArrayType) or t.shape is None or (
            t.dtype is not None and t.dtype.kind not in "biufc"):
        return NO_TUPLE
    if t.dtype is None:
        return 0.0 if t.shape == () else NO_TUPLE
    made = np.zeros([d if isinstance(d, int) else 0 for d in t.shape], t.dtype)
    return made[()] if t.scalar else made
