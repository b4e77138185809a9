"""The types of what lists hold: a list that a loop fills is `dynamic`, as is what is read from it.

Such a list is a value, which no equation changes. So what is read from it is what was put in, if it
is known how it was made: of values of one type, and by appending, splicing, slicing. Here what is
read gets the type, and so does what is computed from it. A gradient needs it the most: a rule that
does not know the rank of an operand is called when the graph runs, and has no derivative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autograph.runtime.ir.graph import (
    Atom,
    Equation,
    Graph,
    Value,
    atom_type,
    equations_in,
    map_leaves,
    regions_of,
)
from autograph.runtime.ir.regions import Branch, Loop, as_branch, as_loop
from autograph.runtime.ir.types import (
    ArrayType,
    PyType,
    Type,
    is_number,
    join,
    operand_type,
)
from autograph.runtime.ir.verifier import is_within
from autograph.runtime.ir.visitor import rename_values
from autograph.runtime.ops.indexing import GETITEM, SETITEM
from autograph.runtime.ops.kept_values import OF_TYPE
from autograph.runtime.ops.op import Op
from autograph.runtime.ops.python import LIST_OF, LIST_POP, PACK, appends
from autograph.runtime.ops.python_objects import CONSTRUCT

MOST_OFTEN = 4
"""How often a loop's body is gone through until what it says of its state holds."""

LEAVES_LISTS = ("", "read", "write", "print", "raise", "random")
"""Effects that change no list."""


@dataclass(frozen=True)
class Items:
    """The items of a list, as far as they are known.

    type    of each item; None if it has none yet.
    length  None if only the run knows it.
    """

    type: Type | None
    length: int | None

    def joined(self, other: Items) -> Items:
        types = [t for t in (self.type, other.type) if t is not None]
        return Items(join(types[0], types[-1]) if types else None,
                     self.length if self.length == other.length else None)


def type_items(graph: Graph, outer: bool) -> dict[Value, Value]:
    """Gives what is read from lists the type of what was put in, and what follows from it.

    Args:
      graph: it changes; its values do not, as others may have them.
      outer: True if others may refer to the results of the graph's own equations, as variables of
        the program do: they stay, with the type that says how they may be written.

    Returns:
      the values that are gone, with those that stand for them.
    """
    if not any(e.op is LIST_OF or e.op.kernel is list for e in equations_in(graph)) or any(
            e.op.effect not in LEAVES_LISTS for e in equations_in(graph)):
        return {}
    walk = _Walk(outer)
    walk.run(graph.equations)
    known = {v: Value(t, v.hint) for v, t in walk.types.items()}
    named = walk.read | {v for e in graph.equations for v in e.outputs if outer}
    if not outer:
        known.update((v, known.get(x, x)) for v, x in walk.same.items())
        _drop(graph, walk.same)
    given = graph.outputs
    rename_values(graph, known)
    graph.outputs = tuple(x if not isinstance(x, Value) or x in named else known.get(x, x)
                          for x in given)
    _replace(graph, known, named, walk.read)
    return {v: x for v, x in known.items() if v not in named}


def _drop(graph: Graph, gone: dict[Value, Value]) -> None:
    """Leaves out equations that say of a type what is known without them."""
    for g in (graph, *(r for e in equations_in(graph) for r in regions_of(e))):
        g.equations[:] = [e for e in g.equations if e.op is not OF_TYPE or e.outputs[0] not in gone]


def with_item_types(equations: Sequence[Equation]) -> list[Equation]:
    """Returns equations of which a derivative is taken; see `type_items`."""
    stretch = Graph("", (), list(equations), ())
    type_items(stretch, outer=True)
    return stretch.equations


def _replace(graph: Graph, known: dict[Value, Value], named: set[Value], read: set[Value]) -> None:
    """Puts known values in the place of others; those that are `named` stay, between what has the
    type already, where no more than the type rule says it is claimed, and what has it again."""
    made = []
    graph.inputs = tuple(known.get(v, v) for v in graph.inputs)
    for e in graph.equations:
        here = [v for v in e.outputs if v in known and v in named]
        first = {v: Value(known[v].type, v.hint) for v in here if v not in read}
        e.outputs = tuple(first.get(v, v) if v in named else known.get(v, v) for v in e.outputs)
        made += [e, *(_of_type(x, v, e) for v, x in first.items()),
                 *(_of_type(v, known[v], e) for v in here)]
        for region in regions_of(e):
            _replace(region, known, named, read)
    graph.equations[:] = made


def _of_type(x: Value, made: Value, e: Equation) -> Equation:
    return Equation(OF_TYPE, (x, str(made.type)), {}, (made,), location=e.location)


def _is_plain(t: Type | None) -> bool:
    return t is None or isinstance(t, ArrayType) or is_number(t)


def _grown(length: int | None, count: int | None, times: int | None) -> int | None:
    """Returns the length of a list to which so many items are appended so many times."""
    if length is None or count is None or (count and times is None):
        return None
    return length + count * (times or 0)


def _reads(op: Op) -> bool:
    """Returns True for an op that gives items of a list, or makes an array of them."""
    return op in (GETITEM, LIST_POP) or (
        op not in (LIST_OF, PACK, CONSTRUCT) and op.derivative is not None and op.derivative.nests)


class _Walk:
    """Finds types, in order.

    lists   what is known of lists.
    types   the types of values, where more is known than they say.
    read    values whose type only what is known of lists tells.
    same    what equations that say a type give, and of what, whose type is known without them.
    """

    def __init__(self, outer: bool) -> None:
        self.outer = outer
        self.lists: dict[Value, Items] = {}
        self.types: dict[Value, Type] = {}
        self.read: set[Value] = set()
        self.same: dict[Value, Value] = {}

    def type_of(self, x: Atom) -> Type:
        x = self.same.get(x, x) if isinstance(x, Value) else x
        return self.types.get(x, x.type) if isinstance(x, Value) else atom_type(x)

    def items_of(self, x: Any) -> Items | None:
        """Returns what is known of a list that is a value, or a constant."""
        if isinstance(x, Value):
            return self.lists.get(x)
        if type(x) is not list:
            return None
        return self.made_of([(False, item) for item in x])

    def made_of(self, parts: Sequence[tuple[bool, Any]]) -> Items | None:
        """Returns what is known of a list of items, and of the items of others."""
        made = Items(None, 0)
        for spliced, x in parts:
            if not isinstance(x, (Value, int, float, complex, list)):
                return None
            part = self.items_of(x) if spliced else Items(self.type_of(x), 1)
            if part is None or (not spliced and not _is_plain(part.type)):
                return None
            both = made.joined(part)
            lengths = made.length, part.length
            made = Items(both.type, None if None in lengths else sum(lengths))  # type: ignore[arg-type]
        return made if made.type is None or _is_plain(made.type) else None

    def run(self, equations: Sequence[Equation]) -> None:
        for e in equations:
            self.step(e)

    def step(self, e: Equation) -> None:
        loop, branch = as_loop(e), as_branch(e)
        if loop is not None:
            self.loop(loop)
        elif branch is not None:
            self.branch(branch)
        elif e.regions:
            return
        elif e.op is OF_TYPE:
            x: Value = e.args[0]
            if not self.outer and is_within(self.type_of(x), e.outputs[0].type):
                self.same[e.outputs[0]] = self.same.get(x, x)
        elif not self.of_list(e) and any(
                v in self.types or v in self.same for v in e.inputs):
            self.infer(e, e.args)

    # -- lists ------------------------------------------------------------------------------------

    def of_list(self, e: Equation) -> bool:
        """Returns True for an equation that makes, or reads, a list of which something is known."""
        if _reads(e.op) and isinstance(e.args[0], Value) and e.args[0] in self.lists:
            self.read_list(e, self.lists[e.args[0]])
            return True
        found: Items | None = None
        if e.op is LIST_OF:
            found = self.made_of(e.args)
        elif e.op is PACK and type(e.args[0]) is list:
            found = self.items_of(e.args[0])
        elif e.op is CONSTRUCT and e.args[0] is list and len(e.args) == 2:
            found = self.items_of(e.args[1])
        elif e.op.kernel is list and len(e.args) == 1:
            found = Items(PyType(int), None) if self.type_of(e.args[0]) == PyType(range) else None
        elif e.op is SETITEM and (items := self.items_of(e.args[0])) is not None:
            found = self.stored(items, e.args[1], e.args[2])
        if found is not None:
            self.lists[e.outputs[0]] = found
        return found is not None

    def stored(self, items: Items, index: Any, x: Any) -> Items | None:
        """Returns what is known of a list after a store of one item."""
        if isinstance(index, slice) or self.type_of(index) != PyType(int):
            return None
        part = self.made_of([(False, x)])
        made = None if part is None else items.joined(Items(part.type, items.length))
        return made if made is not None and _is_plain(made.type) else None

    def read_list(self, e: Equation, items: Items) -> None:
        """Enters what is known of what is read from a list."""
        if e.op is GETITEM and type(e.args[1]) is slice:
            self.lists[e.outputs[0]] = Items(items.type, None)
        elif e.op is LIST_POP:
            self.lists[e.outputs[1]] = Items(items.type, None)
        if items.type is None:
            return
        if e.op is LIST_POP or (e.op is GETITEM and self.type_of(e.args[1]) == PyType(int)):
            self.refine(e.outputs[0], items.type, read=True)
        elif e.op is not GETITEM:
            self.joined(e, items)

    def joined(self, e: Equation, items: Items) -> None:
        """Types an array that is made of a list: of one of two items, and of one of three, and so
        of one of any number."""
        two, three = (self.inferred(e, ([items.type] * n, *e.args[1:])) for n in (2, 3))
        if isinstance(two, ArrayType) and isinstance(three, ArrayType) and (
                two.shape is not None and three.shape is not None and two.dtype is three.dtype
                and len(two.shape) == len(three.shape)):
            shape = tuple(a if a == b else a + (items.length - 2) * (b - a) if (
                items.length and isinstance(a, int) and isinstance(b, int)) else None
                for a, b in zip(two.shape, three.shape, strict=True))
            self.refine(e.outputs[0], ArrayType(two.dtype, shape), read=True)

    # -- types ------------------------------------------------------------------------------------

    def inferred(self, e: Equation, args: tuple[Any, ...]) -> Any:
        """Returns what the type rule gives, or None."""
        try:
            return e.op.infer(*map_leaves(self._operand, args),
                              **map_leaves(self._operand, dict(e.kwargs)))
        except Exception:  # the rule refuses: what it says is raised when the graph runs
            return None

    def _operand(self, x: Any) -> Any:
        return operand_type(self.type_of(x)) if isinstance(x, Value) else x

    def infer(self, e: Equation, args: tuple[Any, ...]) -> None:
        """Types what follows from values of which more is known."""
        found = self.inferred(e, args)
        found = found if isinstance(found, tuple) else (found,)
        if len(found) == len(e.outputs):
            for v, t in zip(e.outputs, found, strict=True):
                self.refine(v, t)

    def refine(self, v: Value, t: Type, read: bool = False) -> None:
        if t != v.type and _is_plain(t) and is_within(t, v.type):
            self.types[v] = t
            if read:
                self.read.add(v)

    # -- control flow -----------------------------------------------------------------------------

    def branch(self, branch: Branch) -> None:
        for _, side in branch.sides():
            self.run(side.equations)
        for v, (a, b) in zip(branch.results, branch.given(), strict=True):
            self.meet(v, a, b)

    def meet(self, v: Value, a: Atom, b: Atom) -> None:
        """Enters what is known of a value that is one of two."""
        one, other = self.items_of(a), self.items_of(b)
        if one is not None and other is not None:
            self.lists[v] = one.joined(other)
        self.refine(v, join(self.type_of(a), self.type_of(b)))

    def loop(self, loop: Loop) -> None:
        """Goes through the body until what is assumed of the state is what it makes of it."""
        before = self._copies()
        start = [(self.items_of(x), self.type_of(x)) for x in loop.initial]
        for _ in range(MOST_OFTEN):
            self._restore(before)
            self.assume(loop, start)
            for region in loop.in_order():
                self.run(region.equations)
            end = [self._after(known, x) for known, x in zip(
                start, loop.body.outputs, strict=True)]
            if end == start:
                self.finish(loop, start)
                return
            start = end
        self._restore(before)
        for region in loop.in_order():
            self.run(region.equations)

    def assume(self, loop: Loop, known: Sequence[tuple[Items | None, Type]]) -> None:
        regions = [loop.carried, *([loop.test.inputs] if loop.test is not None else [])]
        for values in regions:
            for v, (items, t) in zip(values, known, strict=True):
                if items is not None:
                    self.lists[v] = Items(items.type, None)
                self.refine(v, t)

    def _after(self, known: tuple[Items | None, Type], x: Atom) -> tuple[Items | None, Type]:
        items, now = known[0], self.items_of(x)
        both = None if items is None or now is None else Items(
            items.joined(now).type, items.length)
        return both, join(known[1], self.type_of(x))

    def finish(self, loop: Loop, known: Sequence[tuple[Items | None, Type]]) -> None:
        """Enters what is known of the results."""
        makers = {v: e for e in loop.body.equations for v in e.outputs}
        for v, (items, t), given, end in zip(loop.results, known, loop.carried, loop.body.outputs,
                                             strict=True):
            self.refine(v, t)
            if items is not None:
                e = makers.get(end) if isinstance(end, Value) else None
                count = 0 if end is given else len(e.args) - 1 if (
                    e is not None and appends(e) and e.args[0][1] is given) else None
                times = loop.constant_length if loop.test is None else None
                self.lists[v] = Items(items.type, _grown(items.length, count, times))

    def _copies(self) -> tuple[Any, ...]:
        return dict(self.lists), dict(self.types), set(self.read), dict(self.same)

    def _restore(self, copies: tuple[Any, ...]) -> None:
        self.lists, self.types = dict(copies[0]), dict(copies[1])
        self.read, self.same = set(copies[2]), dict(copies[3])
