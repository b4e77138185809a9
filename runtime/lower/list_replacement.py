"""Arrays as lists: a loop nest that uses arrays by scalar index alone runs on nested lists.

A NumPy scalar costs 60 ns to load and 50 ns an operation, an item of a list and Python's number a
quarter. So the nest takes its arrays out into lists, runs on Python's numbers (see `unboxing`), and
puts the arrays back at its end. The arrays are untouched until then: whatever Python's numbers do
differently raises, and the nest runs again as it was.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, atom_type, graphs_of
from autograph.runtime.ir.regions import Loop, as_branch, as_loop
from autograph.runtime.ir.types import ArrayType, PyType, StackType, Type
from autograph.runtime.lower import unboxing
from autograph.runtime.lower.break_recovery import break_of
from autograph.runtime.lower.plan import Plan
from autograph.runtime.ops.elementwise import ADD, MULTIPLY, SQRT, SUBTRACT
from autograph.runtime.ops.indexing import GETITEM, SETITEM
from autograph.runtime.ops.python import MAX, MIN, RANGE

Index = tuple[Atom, ...]

PAYS = 0.4
"""So many loads for each element of the arrays pay for taking it out and putting it back."""

MOST = 1 << 24
"""So many elements are held in lists, which take five times the memory of an array."""

STORE = 0.3
"""What a store gains, as part of what a load gains: Python's numbers go into both."""

UNKNOWN = 4
"""What a loop of unknown length is taken to run."""


@dataclass(eq=False)
class Held:
    """An array that is held in nested lists.

    array     the value that the nest gets.
    prefix    the first items of the index, if they are the same wherever it is used: of the array,
              just that part is held.
    loaded    True if an element is loaded.
    written   True if an element is stored.
    turn      the item of the loop, if each iteration loads just the element of that number: there
              is no list of all elements then, they are taken out a few at a time.
    """

    array: Value
    indices: list[Index] = field(default_factory=list)
    loaded: bool = False
    written: bool = False
    prefix: Index = ()
    turn: Value | None = None

    @property
    def type(self) -> ArrayType:
        assert isinstance(self.array.type, ArrayType)
        return self.array.type

    @property
    def is_float(self) -> bool:
        return self.type.dtype == np.dtype(np.float64)

    @property
    def is_filled(self) -> bool:
        """True if the loop only stores to it, and it has one axis."""
        return self.written and not self.loaded and len(self.shape) == 1

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the part that is held."""
        shape: Any = self.type.shape
        return tuple(shape[len(self.prefix):])


PY, NP = "Python", "NumPy"
MIXED = "mixed"
"""The box of a number that is Python's in some iterations, and then not the initial one."""

Number = tuple[str, frozenset[Any]]
"""The kind of a number, and its boxes: where it may come from. A carried value that is in its own
boxes is the very object that the loop started from."""


class Refused(Exception):
    """The nest does more with its arrays, or it would not pay."""


class Lists:
    """The arrays of a loop nest that are held in lists.

    held      for a value that is one of them, at any time: the array.
    numbers   for the numbers whose type is not known: what is known of them all the same.
    restored  for a result whose box the loop decides: the value from before it, if the result may
              be that; else None.
    floats    the stores of ints among floats.
    count     the loads, and part of the stores, by the estimated number of iterations.
    """

    def __init__(self, e: Equation, plan: Plan) -> None:
        self.plan = plan
        self.held: dict[Value, Held] = {}
        self.outer: dict[Value, Held] = {}
        self.about: dict[Value, float] = {}  # ints, at about the middle of the loops
        self.inside: set[Value] = set()
        self.numbers: dict[Value, Number] = {}
        self.restored: dict[Value, Atom | None] = {}
        self.floats: set[Equation] = set()
        self.count = 0.0
        self.equation(e, 1.0)
        self.restore(Loop(e))

    def rows_of(self, e: Equation) -> list[tuple[Any, ...]]:
        """Returns the parts of arrays, one axis less, that a loop uses and no iteration changes:
        each an array and the first items of an index."""
        inside = {v for g in graphs_of(e) for v in g.inputs}
        found: dict[tuple[Any, ...], None] = {}
        within = [x for r in e.regions for x in r.walk()]
        inside.update(v for x in within for v in x.outputs)
        for x in within:
            if x.op is GETITEM or x.op is SETITEM:
                held = self.held[x.args[0]]
                outer = as_tuple(x.args[1])[len(held.prefix):-1]
                if outer and inside.isdisjoint(v for v in outer if isinstance(v, Value)):
                    found[held, *outer] = None
        return list(found)

    def arrays(self) -> list[Held]:
        return list(self.outer.values())

    def of(self, x: Atom) -> Held:
        """Returns the array that a value is; one from outside is entered."""
        if not isinstance(x, Value) or not may_be_held(x.type):
            raise Refused
        if x not in self.held:
            if x in self.inside:
                raise Refused
            self.held[x] = self.outer[x] = Held(x)
        return self.held[x]

    def equation(self, e: Equation, times: float) -> None:
        """Enters what an equation does, which runs about so many times."""
        if e.op is GETITEM or e.op is SETITEM:
            self.access(e, times)
        elif (loop := as_loop(e)) is not None:
            self.loop(loop, times)
        elif (branch := as_branch(e)) is not None:
            for _, side in branch.sides():
                self.block(side, times / 2)
            for out, (a, b) in zip(branch.results, branch.given(), strict=True):
                self.join(out, a, b)
        else:
            self.number_of(e)
            self.estimate(e)
        self.inside.update(e.outputs)

    def block(self, graph: Graph, times: float) -> None:
        self.inside.update(graph.inputs)
        for e in graph.equations:
            self.equation(e, times)

    def join(self, out: Value, *given: Atom) -> None:
        """Enters a value that is one of several: the same array, or numbers."""
        if isinstance(out.type, StackType):
            if not unboxing.is_scalar(out.type):
                raise Refused
            return
        if not is_array(out.type):
            numbers = [self.number(x) for x in given]
            if len({kind for kind, _ in numbers}) > 1:
                raise Refused
            if not unboxing.is_scalar(out.type):
                self.numbers[out] = numbers[0][0], frozenset().union(*(b for _, b in numbers))
            return
        first, *others = [self.of(x) for x in given]
        if any(x is not first for x in others):
            raise Refused
        self.held[out] = first

    def loop(self, loop: Loop, times: float) -> None:
        e = loop.equation
        if e.settings or e.kwargs:
            raise Refused
        for i, (start, value) in enumerate(zip(loop.initial, loop.carried, strict=True)):
            self.inside.add(value)
            grows = is_array(value.type) or isinstance(value.type, StackType)
            if grows and ((e, i) in self.plan.copied or value not in self.plan.owned):
                raise Refused
            self.carry(value, start, value)
        if loop.test is not None:
            for value, start, own in zip(loop.test.inputs, loop.initial, loop.carried, strict=True):
                self.carry(value, start, own)
        iterations = self.iterations_of(loop)
        found = break_of(loop)
        test = loop.test if found is None else found.test
        if test is not None:
            self.block(test, times * iterations)
        self.block(loop.body, times * iterations)
        for out, start, end in zip(loop.results, loop.initial, loop.body.outputs, strict=True):
            self.join(out, start, end)

    def carry(self, value: Value, start: Atom, own: Value) -> None:
        """Enters a value that starts an iteration."""
        self.join(value, start)
        if value in self.numbers:
            self.numbers[value] = self.numbers[value][0], frozenset((own,))

    def number(self, x: Atom) -> Number:
        """Returns the kind of a number, and its boxes.

        Raises:
          Refused: it is not known.
        """
        if isinstance(x, Value) and x in self.numbers:
            return self.numbers[x]
        kind = kind_of(atom_type(x))
        if not kind or (isinstance(x, np.generic) and not isinstance(x, Value)):
            raise Refused
        return kind, frozenset((PY if isinstance(atom_type(x), PyType) else NP,))

    def number_of(self, e: Equation) -> None:
        """Enters the number that an operation gives."""
        if unboxing.is_allowed(e):
            return
        if e.kwargs or e.settings or e.regions or len(e.outputs) != 1 or not (
                e.op.on_python_numbers or e.op is SQRT):
            raise Refused
        numbers, out = [self.number(x) for x in e.args], e.outputs[0]
        kinds, boxes = {k for k, _ in numbers}, frozenset().union(*(b for _, b in numbers))
        if e.op is SQRT and (kinds != {unboxing.FLOAT}):
            raise Refused
        if unboxing.is_scalar(out.type):
            if e.op.comparison and len(kinds) > 1:
                raise Refused
            return
        if e.op in (MIN, MAX) and len(kinds) == 1 and len(numbers) > 1:
            self.numbers[out] = numbers[0][0], boxes
        elif e.op.comparison and len(kinds) == 1:
            self.numbers[out] = unboxing.BOOL, frozenset((NP if boxes == {NP} else MIXED,))
        elif e.op.arithmetic and unboxing.BOOL not in kinds and (
                unboxing.FLOAT in kinds or e.op.modular):
            kind = unboxing.FLOAT if unboxing.FLOAT in kinds else unboxing.INT
            certain = any(b == {NP} for _, b in numbers)
            self.numbers[out] = kind, frozenset((NP if certain else MIXED,))
        else:
            raise Refused

    def restore(self, loop: Loop) -> None:
        """Finds the boxes of the results.

        A float that may be the initial object is compared with it: every other float is a new
        object. An int may be the same object by chance.
        """
        certain = bool(loop.constant_length) and loop.test is None
        rows = zip(loop.results, loop.carried, loop.initial, loop.body.outputs, strict=True)
        for out, own, start, end in rows:
            if out not in self.numbers:
                continue
            kind, boxes = self.number(end)
            if boxes == {NP} and certain:
                self.restored[out] = None
            elif boxes <= {NP, own} and kind == unboxing.FLOAT and atom_type(start) == PyType(
                    float):
                self.restored[out] = start
            else:
                raise Refused

    def iterations_of(self, loop: Loop) -> float:
        """Returns about how often a loop runs; enters the middle of its index."""
        if not loop.is_for:
            return UNKNOWN
        steps, index = loop.iterable, loop.body.inputs[0]
        if type(steps) is range:
            self.about[index] = (steps.start + steps.stop) / 2
            return len(steps)
        if not isinstance(steps, Value) or steps.type != PyType(range):
            raise Refused
        return max(self.about.get(steps, UNKNOWN), 1.0)

    def estimate(self, e: Equation) -> None:
        """Enters about what an operation on known ints gives; of a range, its length."""
        given = [self.about.get(x) if isinstance(x, Value) else x for x in e.args]
        if e.op is RANGE and len(given) == 2 and given[0] is None and type(given[1]) is int:
            given[0] = given[1] / 2  # it starts somewhere
        if not all(type(x) in (int, float) for x in given) or not e.outputs:
            return
        numbers: list[Any] = given
        if e.op in (ADD, SUBTRACT, MULTIPLY):
            self.about[e.outputs[0]] = e.op.kernel(*numbers)
        elif e.op is RANGE:
            start, stop, step = ((0, *numbers, 1), (*numbers, 1), numbers)[len(numbers) - 1]
            self.about[e.outputs[0]] = max((stop - start) / (step or 1), 0.0)

    def access(self, e: Equation, times: float) -> None:
        """Enters a load or a store of an element."""
        held, index = self.of(e.args[0]), as_tuple(e.args[1])
        shape: Any = held.type.shape
        if e.settings or e.kwargs or len(index) != len(shape):
            raise Refused
        held.indices.append(index)
        self.count += times if e.op is GETITEM else STORE * times
        for x in index:
            if self.number(x)[0] != unboxing.INT:
                raise Refused
        if e.op is GETITEM:
            held.loaded = True
            return
        if e not in self.plan.inplace or not fits(self.number(e.args[2])[0], held.type):
            raise Refused
        if needs_float(self.number(e.args[2])[0], held.type):
            self.floats.add(e)
        held.written = True
        self.held[e.outputs[0]] = held


def lists_of(e: Equation, plan: Plan) -> Lists | None:
    """Returns the arrays of a loop that are held in lists while it runs; None if none are."""
    if as_loop(e) is None:
        return None
    try:
        made = Lists(e, plan)
    except Refused:
        return None
    if not made.outer and not made.numbers:
        return None
    for held in made.outer.values():
        held.prefix = common_prefix(held.indices, made.inside)
        held.turn = turn_of(held, Loop(e))
    size = sum(math.prod(held.shape) for held in made.outer.values())
    return made if made.count >= PAYS * size and size <= MOST else None


def turn_of(held: Held, loop: Loop) -> Value | None:
    """Returns the item of a loop if its iterations load just the element of that number."""
    steps, item = loop.iterable, loop.item
    in_turn = type(steps) is range and steps.step == 1 and len(held.shape) == 1 and (
        0 <= steps.start <= steps.stop <= held.shape[0])
    same = all(index[len(held.prefix):] == (item,) for index in held.indices)
    return item if in_turn and same and not held.written else None


def as_tuple(index: Any) -> Index:
    return index if type(index) is tuple else (index,)


def common_prefix(indices: list[Index], inside: set[Value]) -> Index:
    """Returns the first items that all indices share and that no iteration changes; the last item
    of an index is never among them."""
    prefix: list[Atom] = []
    for items in list(zip(*indices, strict=True))[:-1]:
        first = items[0]
        same = all(x is first or (type(x) is type(first) is int and x == first) for x in items)
        if not same or first in inside:
            break
        prefix.append(first)
    return tuple(prefix)


def is_array(t: Type) -> bool:
    return isinstance(t, ArrayType) and not t.scalar


def may_be_held(t: Type) -> bool:
    """Returns True for arrays of float64, int64 or bool of a known shape."""
    return isinstance(t, ArrayType) and not t.scalar and t.is_static and (
        t.dtype in unboxing.BOXES) and bool(t.shape)


def kind_of(t: Type) -> str:
    """Returns the kind of a number, Python's or NumPy's; empty for anything else."""
    if isinstance(t, PyType):
        return t.cls.__name__ if t.cls in (int, float, bool) else ""
    return unboxing.BOXES[t.dtype][0] if isinstance(t, ArrayType) and t.scalar and (
        t.dtype in unboxing.BOXES) else ""


def fits(kind: str, t: ArrayType) -> bool:
    """Returns True if a number may be stored: of the array's kind, or an int among floats."""
    return (t.dtype is not None and kind == unboxing.BOXES[t.dtype][0]) or needs_float(kind, t)


def needs_float(kind: str, t: ArrayType) -> bool:
    """Returns True for a store of an int among floats."""
    return kind == unboxing.INT and t.dtype == np.dtype(np.float64)
