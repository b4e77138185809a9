"""Inference: which loops have a native form, and of what kind their values are."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, binders, used
from autograph.runtime.ir.regions import Branch, Loop, as_branch, as_loop
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.lower.in_place import Plan
from autograph.runtime.native.array_orders import in_c_order
from autograph.runtime.native.array_rules import (
    ASTYPE,
    ROLL,
    WHERE,
    ArrayRules,
    is_on_lanes,
    resolved_kinds,
)
from autograph.runtime.native.forms import FORMS
from autograph.runtime.native.inner_loops import is_known, loop_for_numbers
from autograph.runtime.native.kinds import (
    BOOL,
    DTYPES,
    FLOAT,
    IN_NUMPY,
    IN_PYTHON,
    INT,
    Array,
    Kind,
    NotNative,
    Number,
    Steps,
    fits,
    join,
    kind_of_constant,
    kind_of_type,
    promoted,
)
from autograph.runtime.ops.indexing import GETITEM, SETITEM
from autograph.runtime.ops.python import MAX, MIN, NOT, RANGE, SELECT, TO_FLOAT, TO_INT, TRUTH
from autograph.runtime.ops.views import UPDATE_VIEW


@dataclass
class NativeLoop:
    """A loop that has a native form.

    loop     the loop.
    kinds    the kinds of all values in it.
    inputs   the values from outside that it uses, each once.
    written  the arrays among `inputs` that it writes: it works on copies.
    results  for each carried value, the kind of the result.
    on_arrays  it has operations on whole arrays.
    products   it has matrix products.
    numbers    start, stop and step of the ranges among `inputs`, as far as they are known.
    """

    loop: Loop
    kinds: dict[Value, Kind]
    inputs: tuple[Value, ...]
    written: frozenset[Value] = frozenset()
    results: tuple[Kind, ...] = ()
    on_arrays: bool = False
    products: bool = False
    numbers: dict[Value, tuple[int | None, ...]] = field(default_factory=dict)

    def new_results(self) -> list[int]:
        """Returns the numbers of the results that are new arrays."""
        return [k for k, kind in enumerate(self.results)
                if isinstance(kind, Array) and kind.memory not in self.inputs]

    def shape_of(self, v: Value) -> tuple[int, ...]:
        assert isinstance(v.type, ArrayType) and v.type.is_static
        return v.type.shape  # type: ignore[return-value]

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
    made = {v for region in e.regions for v in binders(region)}
    free = [v for region in e.regions for v in used(region) if v not in made]
    inputs = tuple(dict.fromkeys([*free, *e.inputs]))
    inference = _Inference(plan, e)
    for v in inputs:
        inference.kinds[v] = _located(e, lambda v=v: kind_of_type(v.type, v))
    inference.settle()
    if _fuses(e, inference.kinds):
        raise NotNative("operations on large arrays, which run together as groups", e.location)
    results = tuple(inference.kinds[v] for v in e.outputs)
    starts = [a.memory for v in loop.carried if isinstance(a := inference.kinds[v], Array)]
    written = inference.written & set(inputs)
    for memory in written:  # the loop works on one copy of each, and on nothing else
        if starts.count(memory) != 1 or memory in free:
            raise NotNative("an array is written and also read as it was", e.location)
    return NativeLoop(loop, inference.kinds, inputs, frozenset(written), results,
                      inference.makes_arrays, inference.products,
                      known_numbers(graph) if graph is not None else {})


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
            parts.add(out)
            continue
        several += 1
        operands = {a for a in inner.args if isinstance(a, Value)}
        fused += _is_large(out) and parts.isdisjoint(operands) and (
            inner.op.ufunc is not None or inner.op in (WHERE, ASTYPE))
    return fused >= 2 and 2 * fused > several


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
class _Inference(ArrayRules):
    """Walks the loop until no kind changes any more; kinds only grow."""

    plan: Plan
    outermost: Equation
    kinds: dict[Value, Kind] = field(default_factory=dict)
    written: set[Value] = field(default_factory=set)
    changed: bool = False
    makes_arrays: bool = False
    products: bool = False

    def settle(self) -> None:
        self.changed = True
        while self.changed:
            self.changed = False
            self.equation(self.outermost)

    def of(self, atom: Atom) -> Kind:
        return self.kinds[atom] if isinstance(atom, Value) else kind_of_constant(atom)

    def number(self, atom: Atom) -> Number:
        kind = self.of(atom)
        if not isinstance(kind, Number):
            raise NotNative(f"{kind} where a number is expected")
        return kind

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
        if e.settings:
            raise NotNative("np.errstate")
        self.check_order(e)
        if (loop := as_loop(e)) is not None:
            self.loop(loop)
        elif (branch := as_branch(e)) is not None:
            self.branch(branch)
        elif e.op.effect == "raise":
            for out in e.outputs:
                self.raising(e, out)
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
            inner = loop.equation is not self.outermost
            if isinstance(kind, Array) and (
                    kind.view or (inner and (loop.equation, i) in self.plan.copied)):
                kind = replace(kind, memory=value, view=False, own=False)
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
            self.enter(out, self.result_of_loop(loop, value, end))

    def result_of_loop(self, loop: Loop, value: Value, end: Atom) -> Kind:
        """Returns the kind of a carried value after the loop; the outermost one runs at least once,
        so that what it gives is what its body made."""
        kind = self.kinds[value]
        if isinstance(kind, Array) and kind.memory is value and loop.equation is self.outermost:
            last = self.of(end)
            static = isinstance(value.type, ArrayType) and value.type.is_static
            if not (isinstance(last, Array) and last.own and static):
                raise NotNative("an array that may be one from outside", loop.equation.location)
        return kind

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
        if target is None:
            self.number(value)
        elif (given := self.of(value)) and isinstance(given, Array):
            if given.rank > target.rank:
                raise NotNative("a store of an array of more axes")
        else:
            self.number(value)
        if e not in self.plan.inplace:
            return self.fresh(e, kind.dtype, kind.rank)
        self.written.add(kind.memory)
        return kind

    def result(self, e: Equation) -> Kind:
        """Returns the kind of the result of an equation without regions and effects."""
        op, args = e.op, e.args
        numbers = [self.number(a) for a in args]
        if op is RANGE:
            if any(n.dtype.kind not in "iu" for n in numbers):
                raise NotNative("a range of other things than ints")
            return Steps()
        if op in (NOT, TRUTH):
            return Number(BOOL, IN_PYTHON)
        if op is TO_INT and len(numbers) == 1:
            return Number(INT, IN_PYTHON)
        if op is TO_FLOAT and len(numbers) == 1:
            return Number(FLOAT, IN_PYTHON)
        if op in (MIN, MAX) and len(numbers) >= 2 and not e.kwargs:
            return reduce(join, numbers)  # type: ignore[arg-type]
        if op is SELECT:
            return join(*numbers[1:])
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


# -- ufuncs ----------------------------------------------------------------------------------------

COMPARISONS = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)
OF_BITS = (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.left_shift, np.right_shift)
SIGNED = (np.negative, np.positive, np.absolute)


def common(ufunc: Any, numbers: list[Number]) -> Number:
    """Returns the kind that the operands of an operator are converted to."""
    a, b = numbers[0], numbers[-1]
    if a.dtype == b.dtype == BOOL and (ufunc in OF_BITS or ufunc in COMPARISONS):
        return Number(BOOL, a.box | b.box)
    both = promoted(a, b) if len(numbers) == 2 else a
    if ufunc is np.divide and both.dtype.kind != "f":
        if both.dtype.itemsize < 4 and both.dtype != BOOL:
            raise NotNative("a quotient of small ints")
        return Number(FLOAT, both.box)
    if ufunc in SIGNED and a.dtype == BOOL and a.box == IN_PYTHON:
        return Number(INT, IN_PYTHON)
    return both


def result_of_operator(ufunc: Any, numbers: list[Number]) -> Number:
    """Returns the kind of the result of an operator on numbers.

    Raises:
      NotNative: there is no machine code for it.
    """
    kind = common(ufunc, numbers)
    dtype = kind.dtype
    if ufunc in COMPARISONS:
        return Number(BOOL, kind.box)
    if dtype == BOOL and (ufunc not in OF_BITS[:3]):
        raise NotNative("arithmetic on bools")
    if ufunc is np.power and dtype != FLOAT:
        raise NotNative(f"a power of {dtype}")
    if ufunc in FORMS and (dtype.kind in "biu" or ufunc not in OF_BITS):
        return _one_box(kind) if dtype == BOOL else kind
    raise NotNative(f"{ufunc.__name__} of {dtype}")


def called(ufunc: Any, numbers: list[Number]) -> tuple[np.dtype[Any], ...]:
    """Returns the dtypes in which a call of a ufunc computes on numbers, that of the result last.

    Raises:
      NotNative: there is no machine code for it, or the dtypes depend on what only the run knows.
    """
    if not is_known(ufunc):
        raise NotNative(f"the ufunc {ufunc.__name__}")
    boxes = product(*[[Number(n.dtype, frozenset((box,))) for box in n.box] for n in numbers])
    found = {resolved_kinds(ufunc, list(given)) for given in boxes}
    if len(found) != 1:
        raise NotNative("a result whose dtype only the run knows")
    (dtypes,) = found
    if not set(dtypes) <= DTYPES or not (
            is_on_lanes(ufunc, dtypes) or loop_for_numbers(ufunc, dtypes) is not None):
        raise NotNative(f"{ufunc.__name__} of {dtypes[0]}")
    return dtypes


def _one_box(kind: Number) -> Number:
    """A Python bool with a NumPy one gives a NumPy one; the boxes of both operands are asked."""
    if len(kind.box) == 2:
        raise NotNative("bools of Python's and NumPy's together")
    return kind

