"""Inference: which loops, and equations between them, have a native form, and of what kind their
values are."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, binders, used
from autograph.runtime.ir.numpy_settings import is_silent
from autograph.runtime.ir.regions import Branch, Loop, as_branch, as_loop
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.lower.plan import Plan
from autograph.runtime.lower.scalar_replacement import ScalarLoop
from autograph.runtime.native.array_orders import in_c_order
from autograph.runtime.native.array_rules import (
    ASTYPE,
    IMAG,
    REAL,
    ROLL,
    WHERE,
    part_of,
)
from autograph.runtime.native.cotangents import ON_COTANGENTS, cotangent
from autograph.runtime.native.kinds import (
    BOOL,
    COMPLEX,
    FLOAT,
    IN_NUMPY,
    IN_PYTHON,
    INT,
    Array,
    Kind,
    NotNative,
    Number,
    Steps,
    check_cast,
    fits,
    join,
    kind_of_constant,
    kind_of_type,
    static_shape,
)
from autograph.runtime.native.names import ON_NAMES
from autograph.runtime.native.one_object import may_be_one
from autograph.runtime.native.operators import (
    called,
    cast_of_number,
    chosen_number,
    is_class_of_numbers,
    numbers_of,
    of_class,
    result_of_operator,
)
from autograph.runtime.native.python_math import is_in_math, of_math
from autograph.runtime.native.stack_rules import ON_STACKS, StackRules
from autograph.runtime.ops.indexing import GETITEM, SETITEM
from autograph.runtime.ops.kept_values import REAL_NUMBER
from autograph.runtime.ops.python import (
    LEN,
    MAX,
    MIN,
    NOT,
    RANGE,
    SELECT,
    TO_COMPLEX,
    TO_FLOAT,
    TO_INT,
    TRUTH,
)
from autograph.runtime.ops.views import UPDATE_VIEW


@dataclass
class NativeLoop:
    """A loop that has a native form; or several, with the equations between them.

    equations  them, in order.
    outputs    the values of theirs that others use.
    kinds      the kinds of all values in them.
    inputs     the values from outside that they use, each once.
    written    the arrays among `inputs` that they write.
    in_place   those of them that they write where they are; the others are used as they were, too,
               and the kernel works on copies.
    after      for the outputs that are new arrays only if a loop runs at least once: the loop.
    on_arrays  there are operations on whole arrays.
    in_vectors  there are some in loops.
    products   there are matrix products.
    numbers    start, stop and step of the ranges among `inputs`, as far as they are known.
    elements   the loop over the elements of small arrays that does the same, and its native form.
    fast       sums of floats may be added up in another order, with fewer roundings.
    """

    equations: tuple[Equation, ...]
    outputs: tuple[Value, ...]
    kinds: dict[Value, Kind]
    inputs: tuple[Value, ...]
    written: frozenset[Value] = frozenset()
    in_place: frozenset[Value] = frozenset()
    after: dict[Value, Equation] = field(default_factory=dict)
    on_arrays: bool = False
    in_vectors: bool = False
    products: bool = False
    numbers: dict[Value, tuple[int | None, ...]] = field(default_factory=dict)
    elements: tuple[ScalarLoop, NativeLoop] | None = None
    fast: bool = False

    @property
    def results(self) -> tuple[Kind, ...]:
        """The kinds of the outputs."""
        return tuple(self.kinds[v] for v in self.outputs)

    @property
    def graph(self) -> Graph:
        return Graph("", (), list(self.equations), self.outputs)

    def new_results(self) -> list[int]:
        """Returns the numbers of the results that are new arrays."""
        return [k for k, kind in enumerate(self.results)
                if isinstance(kind, Array) and kind.memory not in self.inputs]

    def made_between(self, k: int) -> Value | None:
        """Returns the value whose memory the k-th result has, if an equation that is no loop makes
        it, once: it stays where it is made."""
        kind = self.results[k]
        return next((v for e in self.equations if not e.regions for v in e.outputs
                     if isinstance(kind, Array) and kind.memory is v), None)

    def shape_of(self, v: Value) -> tuple[int, ...]:
        shape = static_shape(v)
        assert shape is not None
        return shape

    def kind(self, atom: Atom) -> Kind:
        return self.kinds[atom] if isinstance(atom, Value) else kind_of_constant(atom)


def native_loop(e: Equation, plan: Plan, graph: Graph | None = None) -> NativeLoop:
    """Returns the native form of a loop; the graph that has it tells more of its inputs.

    Raises:
      NotNative: an equation in it has none; with the reason and the user's line.
    """
    loop = as_loop(e)
    if loop is None:
        raise NotNative("no loop", e.location)
    inference = Inference(plan, e)
    inference.take(e)
    starts = [a.memory for v in loop.carried
              if isinstance(a := inference.kinds[v], Array)]
    for memory in inference.written_inputs():  # it works on one copy of each, and on nothing else
        if starts.count(memory) != 1 or memory in inference.free:
            raise NotNative("an array is written and also read as it was", e.location)
    return inference.found(e.outputs, graph)


def known_numbers(graph: Graph) -> dict[Value, tuple[int | None, ...]]:
    """Returns start, stop and step of the ranges that a graph makes, None where the run decides.
    """
    found: dict[Value, tuple[int | None, ...]] = {}
    for e in graph.equations:
        if e.op is RANGE:
            given = [a if type(a) is int and fits(a) else None for a in e.args]
            found[e.outputs[0]] = (0, *given, 1) if len(given) == 1 else (*given, 1)[:3]
    return found


LARGE = 1024
"""Elements from which on it is the memory of arrays that takes the time."""


def _fuses(e: Equation, kinds: dict[Value, Kind]) -> bool:
    """Returns True if most operations on arrays in a loop are on large ones of known shapes that
    are no parts of others: as groups they make no arrays in between."""
    parts: set[Value] = set()
    several = fused = 0
    for inner in (x for region in e.regions for x in region.walk()):
        out = inner.outputs[0] if len(inner.outputs) == 1 else None
        if out is None or inner.regions or not isinstance(kinds.get(out), Array):
            continue
        if inner.op in (GETITEM, SETITEM, UPDATE_VIEW, ROLL):
            if inner.op is not ROLL and _is_array(inner.args[1], kinds):
                return False  # a mask is made and used at once
            parts.add(out)
            continue
        several += 1
        operands = {a for a in inner.args if isinstance(a, Value)}
        fused += _is_large(out) and parts.isdisjoint(operands) and (
            inner.op.ufunc is not None or inner.op in (WHERE, ASTYPE))
    return fused >= 2 and 2 * fused > several


def _is_array(x: Atom, kinds: dict[Value, Kind]) -> bool:
    return isinstance(x, Value) and isinstance(kinds.get(x), Array)


def _is_large(v: Value) -> bool:
    if not isinstance(v.type, ArrayType) or not v.type.is_static:
        return False
    shape: Any = v.type.shape
    return bool(math.prod(shape) >= LARGE)


def _located(e: Equation, find: Any) -> Any:
    try:
        return find()
    except NotNative as error:
        error.location = error.location or e.location
        raise


@dataclass
class Inference(StackRules):
    """Takes equations, one after the other; it walks each until no kind changes any more, as kinds
    only grow.

    alone    the loop that is the only equation, if it is: the entry copies what the plan says.
             Among several equations each loop does so itself.
    run      the equations.
    free     the values from outside that regions use.
    inputs   these and the operands from outside.
    """

    plan: Plan
    alone: Equation | None = None
    run: list[Equation] = field(default_factory=list)
    free: dict[Value, None] = field(default_factory=dict)
    inputs: dict[Value, None] = field(default_factory=dict)
    kinds: dict[Value, Kind] = field(default_factory=dict)
    written: set[Value] = field(default_factory=set)
    changed: bool = False
    makes_arrays: bool = False
    in_vectors: bool = False
    products: bool = False

    def take(self, e: Equation) -> None:
        """Enters an equation.

        Raises:
          NotNative: it has no native form; with the reason and the user's line.
        """
        before = set(self.written), self.makes_arrays, self.products
        made = {v for region in e.regions for v in binders(region)}
        free = [v for region in e.regions for v in used(region) if v not in made]
        given = dict.fromkeys(v for v in (*free, *e.inputs) if v not in self.kinds)
        self.makes_arrays = False
        try:
            for v in given:
                self.kinds[v] = _located(e, lambda v=v: kind_of_type(v.type, v))
            self.settle(e)
        except NotNative:
            self.written, self.makes_arrays, self.products = before
            raise
        self.run.append(e)
        self.free.update(dict.fromkeys(free))
        self.inputs.update(given)
        self.in_vectors |= bool(e.regions) and self.makes_arrays
        self.makes_arrays |= before[1]

    def settle(self, e: Equation) -> None:
        written, self.changed = self.written, True
        while self.changed:
            self.changed, self.written = False, set(written)  # what gets a room is not written
            _located(e, lambda: self.equation(e))
        if e.regions and _fuses(e, self.kinds):
            raise NotNative("operations on large arrays, which run together as groups", e.location)

    def written_inputs(self) -> frozenset[Value]:
        return frozenset(self.written & self.inputs.keys())

    def in_place(self) -> frozenset[Value]:
        """Returns the arrays from outside that are written where they are."""
        if self.alone is None:
            return self.written_inputs()
        loop = as_loop(self.alone)
        assert loop is not None
        copied = [self.kinds[v] for i, v in enumerate(loop.carried)
                  if (self.alone, i) in self.plan.copied]
        return self.written_inputs() - {k.memory for k in copied if isinstance(k, Array)}

    def found(self, outputs: tuple[Value, ...], graph: Graph | None) -> NativeLoop:
        """Returns the native form of what was taken.

        Raises:
          NotNative: a result has none.
        """
        after: dict[Value, Equation] = {}
        makers = {v: e for e in self.run for v in e.outputs}
        for v in outputs:
            if (loop := _located(makers[v], lambda v=v: self.needed(v, makers[v]))) is not None:
                after[v] = loop
        native = NativeLoop(
            tuple(self.run), outputs, self.kinds, tuple(self.inputs), self.written_inputs(),
            self.in_place(), after, self.makes_arrays, self.in_vectors, self.products,
            known_numbers(graph) if graph is not None else {})
        if may_be_one([outputs[k] for k in native.new_results()], self.run, self.plan):
            raise NotNative("two results that may be one array", self.run[-1].location)
        return native

    def needed(self, v: Value, maker: Equation) -> Equation | None:
        """Returns the loop that has to run at least once for a result to be a new array; None if it
        is one in any case, or none at all."""
        kind = self.kinds[v]
        if not isinstance(kind, Array):
            if self.number(v).in_array:
                raise NotNative("an array of no axes, which is used later")
            return None
        if kind.view or kind.order:
            raise NotNative("a part of an array, which is used later")
        if kind.memory in self.inputs:
            return None
        loop = as_loop(maker)
        end = self.of(loop.body.outputs[maker.outputs.index(v)]) if loop is not None else kind
        own = kind.own or (isinstance(end, Array) and end.own and loop is not None
                           and kind.memory in loop.carried)
        if not own or static_shape(v) is None:
            raise NotNative("an array that may be one from outside")
        return None if kind.own else maker

    def of(self, atom: Atom) -> Kind:
        return self.kinds[atom] if isinstance(atom, Value) else kind_of_constant(atom)

    def number(self, atom: Atom) -> Number:
        kind = self.of(atom)
        if not isinstance(kind, Number) or kind.unbound:
            raise NotNative(f"{kind} where a number is expected")
        return kind

    def bound(self, e: Equation) -> Kind:
        """Returns the kind of a name that is read: it is bound."""
        kind = self.of(e.args[0])
        if not isinstance(kind, Number) or (e.op is REAL_NUMBER and (
                kind.dtype.kind != "f" or kind.unbound)):
            raise NotNative(f"{kind} behind a name that may be unbound")
        return replace(kind, unbound=False)

    def enter(self, value: Value, kind: Kind, copied: bool = False) -> None:
        """Notes a kind; `copied`: arrays in different memory are copied into that of the value."""
        if copied:
            in_c_order(kind, "a loop that carries it")
        old = self.kinds.get(value)
        new = kind if old is None else (
            joined(value, old, kind) if copied else _newer(old, kind))
        if new != old:
            self.kinds[value], self.changed = new, True

    # -- equations ---------------------------------------------------------------------------------

    def region(self, graph: Graph) -> None:
        for e in graph.equations:
            _located(e, lambda e=e: self.equation(e))

    def equation(self, e: Equation) -> None:
        if not is_silent(e.settings):
            raise NotNative("np.errstate")
        self.check_order(e)
        if (loop := as_loop(e)) is not None:
            self.loop(loop)
        elif (branch := as_branch(e)) is not None:
            self.branch(branch)
        elif e.op in ON_NAMES:
            self.enter(e.outputs[0], self.bound(e))
        elif e.op.effect == "raise":
            for out in e.outputs:
                self.raising(e, out)
        elif e.op in ON_STACKS:
            self.enter(e.outputs[0], self.on_stacks(e))
        elif e.op not in (SETITEM, UPDATE_VIEW) and not (
                e.regions or e.op.effect or len(e.outputs) != 1) and self.is_on_arrays(e):
            self.enter(e.outputs[0], kind := self.on_arrays(e))
            self.makes_arrays |= isinstance(kind, Array)
        elif e.kwargs:
            raise NotNative(f"keywords of {e.op.name}")
        elif e.op in (SETITEM, UPDATE_VIEW):
            self.enter(e.outputs[0], self.store(e))
        elif e.regions or e.op.effect or len(e.outputs) != 1:
            raise NotNative(f"the op {e.op.name}")
        else:
            self.enter(e.outputs[0], self.result(e))

    def raising(self, e: Equation, out: Value) -> None:
        if not e.op.never_returns:
            raise NotNative(f"the op {e.op.name}")
        self.enter(out, kind_of_type(out.type, out))

    def loop(self, loop: Loop) -> None:
        if loop.item is not None:
            if not isinstance(self.of(loop.iterable), Steps):
                raise NotNative("a loop over other things than a range", loop.equation.location)
            self.enter(loop.item, Number(INT, IN_PYTHON))
        for i, (value, start) in enumerate(zip(loop.carried, loop.initial, strict=True)):
            kind = self.of(start)
            copied = loop.equation is not self.alone and (loop.equation, i) in self.plan.copied
            self.carried_stack(kind, copied)
            if isinstance(kind, Array) and (kind.view or copied):
                kind = replace(kind, memory=value, view=False, own=copied)
            self.enter(value, kind, copied=True)
        for region in loop.in_order():
            if region is not loop.body:
                for value, carried in zip(region.inputs, loop.carried, strict=True):
                    self.enter(value, self.kinds[carried])
            self.region(region)
        if loop.test is not None:
            self.number(loop.test.outputs[0])
        for value, end, out in zip(loop.carried, loop.body.outputs, loop.results, strict=True):
            self.enter(value, self.of(end), copied=True)
            self.enter(out, self.kinds[value])

    def branch(self, branch: Branch) -> None:
        self.number(branch.predicate)
        for _, side in branch.sides():
            self.region(side)
        for out, (yes, no) in zip(branch.results, branch.given(), strict=True):
            self.enter(out, joined(out, self.of(yes), self.of(no)))

    def store(self, e: Equation) -> Kind:
        """Returns the kind of an array after a store: itself, or a copy if it is used again."""
        array, index, value, *path = e.args
        kind = self.array(array)
        target = self.target(kind, path[0] if path else (), index)
        given = self.of(value) if target is not None else self.number(value)
        if isinstance(given, Array):
            if target is not None and given.rank > target.rank:
                raise NotNative("a store of an array of more axes")
        else:
            given = self.number(value)
        check_cast(given.dtype, kind.dtype)
        if e not in self.plan.inplace:
            return self.fresh(e, kind.dtype, kind.rank)
        self.written.add(kind.memory)
        return kind

    def result(self, e: Equation) -> Kind:
        """Returns the kind of the result of an equation without regions and effects."""
        op, args = e.op, e.args
        if op is LEN and isinstance(self.of(args[0]), Steps):
            return Number(INT, IN_PYTHON)
        if op in ON_COTANGENTS:
            return cotangent(e, [self.number(a) for a in numbers_of(e)])
        if op is WHERE and len(args) == 3:
            return chosen_number([self.number(a) for a in args])
        numbers = [self.number(a) for a in numbers_of(e)]
        if op is RANGE:
            if any(n.dtype.kind not in "iu" for n in numbers):
                raise NotNative("a range of other things than ints")
            return Steps()
        if op in (NOT, TRUTH):
            return Number(BOOL, IN_PYTHON)
        if op in (TO_INT, TO_FLOAT) and len(numbers) == 1:
            dtype = INT if op is TO_INT else FLOAT
            check_cast(numbers[0].dtype, dtype)
            return Number(dtype, IN_PYTHON)
        if is_class_of_numbers(op) and len(numbers) == 1:
            return of_class(op, numbers[0])
        if op is ASTYPE and len(args) == 2 and not e.kwargs:
            return cast_of_number(numbers[0], args[1])
        if op is REAL and numbers[0].dtype.kind == "f":
            return numbers[0]
        if op in (REAL, IMAG) and len(numbers) == 1:
            return Number(part_of(numbers[0].dtype), numbers[0].box)
        if op is TO_COMPLEX and 1 <= len(numbers) <= 2:
            for n in numbers:
                check_cast(n.dtype, FLOAT)
            return Number(COMPLEX, IN_PYTHON)
        if op in (MIN, MAX) and len(numbers) >= 2 and not e.kwargs:
            for n in numbers:
                check_cast(n.dtype, FLOAT)
            return reduce(join, numbers)  # type: ignore[arg-type]
        if op is SELECT:
            return join(*numbers[1:])
        if is_in_math(op):
            return of_math(op, numbers)
        if op.ufunc is not None and len(numbers) == op.ufunc.nin and op.ufunc.nout == 1:
            if op.dunder:
                return result_of_operator(op.ufunc, numbers)
            return Number(called(op.ufunc, numbers)[-1], IN_NUMPY)
        raise NotNative(f"the op {op.name}")


def _newer(old: Kind, new: Kind) -> Kind:
    """Returns the kind of a value when it is found again; of an array more is known then."""
    if isinstance(old, Array) and isinstance(new, Array) and (old.dtype, old.rank) == (
            new.dtype, new.rank):
        return new
    return join(old, new)


def joined(value: Value, a: Kind, b: Kind) -> Kind:
    """Returns the kind of a value that is of one kind or the other; arrays in different memory, or
    views, are copied into memory of the value's own."""
    if isinstance(a, Array) and isinstance(b, Array) and (a.dtype, a.rank) == (b.dtype, b.rank):
        for x in (a, b):
            in_c_order(x, "a branch that gives it")
        own = a.own and b.own
        if a.memory is b.memory and not (a.view or b.view):
            return replace(a, own=own)
        return Array(a.dtype, a.rank, value, own=own)
    return join(a, b)
