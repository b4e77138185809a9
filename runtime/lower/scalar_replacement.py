"""Scalar replacement: loops over arrays of a few numbers become loops over the numbers.

A state of two or three numbers in an array, as integrators have it, costs a NumPy call for every
operation. Where the loop does nothing with such arrays but arithmetic, element by element, the
elements become variables, and the loop can run on Python's numbers (see `unboxing`).
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, graphs_of
from autograph.runtime.ir.regions import Branch, Loop, as_branch, as_loop
from autograph.runtime.ir.types import (
    EITHER,
    ArrayType,
    PyType,
    StackType,
    Type,
    same_dtype,
)
from autograph.runtime.lower.kept_elements import KEEP, pushed, read
from autograph.runtime.lower.unboxing import is_boxed
from autograph.runtime.ops import OPS, Op, type_rules
from autograph.runtime.ops.adjoints import MASKED_PRODUCT
from autograph.runtime.ops.creation import ARRAY
from autograph.runtime.ops.elementwise import ABSOLUTE, ADD, DIVIDE, MULTIPLY, POWER, SQRT
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.kept_values import KEPT_AT, PUSH
from autograph.runtime.ops.python import MAX, MIN, NOT, SELECT, TRUTH
from autograph.runtime.ops.reduction import AMAX, SUM

MOST = 6
"""Elements of an array that is taken apart."""

ZEROS = OPS["zeros"]
OWN = Op("own", operator.mul, type_rules.fixed(()), "", (), onnx=None, in_math=operator.mul,
         doc="a product that is an object of its own: Python computes one of constants while it "
             "compiles, and has one object for equal ones")

OPERATOR_OF = {op.ufunc: op for op in OPS.values() if op.ufunc is not None and op.dunder}
"""The Python operator that means the same as a ufunc."""

FLOAT, INT, BOOL = PyType(float), PyType(int), PyType(bool)
F64 = np.dtype(np.float64)

Elements = tuple[Atom, ...]
"""The atoms that stand for the elements of an array."""

Flat = Any
"""An atom, or the elements of an array."""


class Refused(Exception):
    """The loop does more than such arithmetic."""


@dataclass
class ScalarLoop:
    """A loop over numbers that does the same as one over arrays.

    loop     the loop over numbers.
    results  what stands for an output of the loop over arrays.
    arrays   the arrays from outside, and the values of their elements.
    finite   values that have to be finite, for NumPy's result to be the same.
    aliases  an output, and the arrays from outside and outputs that may be the same array.
    tagged   a number follows the elements of an array: 0 of a new one, else the place of the array
             from outside that it is, counted from 1.
    """

    loop: Equation
    results: dict[Value, Flat]
    arrays: dict[Value, Elements]
    finite: set[Value]
    aliases: dict[Value, tuple[Value, ...]]
    tagged: bool = False


def scalar_loop(e: Equation, uses: Counter[Value], tagged: bool = False,
                fills: Collection[Value] = (), holds: Collection[Value] = ()
                ) -> ScalarLoop | None:
    """Returns the loop over numbers for a loop over small arrays, if there is one.

    Args:
      e: the loop over arrays.
      uses: how often the values of the graph are used.
      tagged: it also tells by a number which array a result is.
      fills: the stacks that it may fill with elements.
      holds: the stacks that hold elements.
    """
    loop = as_loop(e)
    if loop is None or not any(_length(v.type) for v in e.inputs):
        return None
    writer = _Writer(e, uses, tagged, fills, holds)
    try:
        made = writer.loop(loop)
    except Refused:
        return None
    results = {o: writer.now[o] for o in loop.results}
    if not all(is_certain(o.type, x) for o, x in results.items() if uses[o]):
        return None
    known = [*writer.arrays, *(o for o in loop.results if uses[o])]
    aliases = {o: tuple(x for x in known[:known.index(o)] if writer.may_alias(x, o))
               for o in loop.results if uses[o]}
    return ScalarLoop(made, results, writer.arrays, writer.finite, aliases, tagged)


def passed_on(e: Equation) -> set[Value]:
    """Returns what regions in an equation give, or its inner loops begin with."""
    given = [a for region in graphs_of(e) for a in region.outputs]
    given += [a for region in graphs_of(e) for x in region.equations if x.regions for a in x.args]
    return {a for a in given if isinstance(a, Value)}


def is_certain(t: Type, now: Flat) -> bool:
    """Returns True if a result is certainly an array, a NumPy float or one of Python's numbers."""
    return type(now) is tuple or isinstance(t, (PyType, StackType)) or (
        isinstance(t, ArrayType) and same_dtype(t.dtype, F64) and t.scalar)


def has_elements(t: Type) -> bool:
    """Returns True for arrays that are taken apart."""
    return bool(_length(t)) and isinstance(t, ArrayType) and same_dtype(t.dtype, F64)


def is_numpys(t: Type) -> bool:
    """Returns True for a number of NumPy's, or an array that is taken apart: NumPy warns where one
    overflows."""
    return has_elements(t) or is_boxed(t, "float")


def _length(t: Type) -> int:
    """Returns the number of elements of an array that is taken apart; 0 for anything else."""
    if not isinstance(t, ArrayType) or t.scalar or t.shape is None or len(t.shape) != 1:
        return 0
    (length,) = t.shape
    return length if isinstance(length, int) and length <= MOST else 0


class _Writer:
    """Translates equations; `now` has what stands for a value: a value, a constant, or the elements
    of an array."""

    def __init__(self, e: Equation, uses: Counter[Value], tagged: bool, fills: Collection[Value],
                 holds: Collection[Value]) -> None:
        self.uses, self.tagged = uses, tagged
        self.fills, self.holds = fills, holds
        self.filled: dict[Value, Value] = {}  # a carried stack, and the one before the loop
        self.arrays: dict[Value, Elements] = {}
        self.finite: set[Value] = set()
        self.now: dict[Value, Flat] = {}
        self.equations: list[Equation] = []
        self.absolute: set[Value] = set()
        self.computed: dict[Value, None] = {}  # floats that may be infinite
        self.passed = passed_on(e)
        self.sets: dict[Value, set[Value]] = {}  # of values that may be one array

    def may_alias(self, a: Value, b: Value) -> bool:
        """Returns True if two values may be one array: a region passes it on from one to the
        other."""
        return b in self.sets.get(a, ())

    def pass_on(self, source: Atom, target: Value) -> None:
        """Notes that a region's argument or result may be this very array."""
        if isinstance(source, Value):
            joined = self.sets.get(source, {source}) | self.sets.get(target, {target})
            self.sets.update(dict.fromkeys(joined, joined))

    def of(self, x: Atom) -> Flat:
        """Returns what stands for an argument of the loop over arrays."""
        if not isinstance(x, Value):
            x = float(x) if type(x) is np.float64 and np.isfinite(x) else x
            if type(x) not in (int, float, bool) or (type(x) is int and abs(x) > 2**53):
                raise Refused
            return x
        if x not in self.now:
            self.now[x] = self.outer(x)
        return self.now[x]

    def elements(self, x: Atom) -> Flat:
        """Returns a number, or the elements of an array alone."""
        found = self.of(x)
        return found[:-1] if self.tagged and type(found) is tuple else found

    def predicate(self, x: Atom) -> Atom:
        """Returns a number that is tested: NumPy raises for the truth of an array of several."""
        found = self.of(x)
        if type(found) is tuple:
            raise Refused
        return found

    def as_array(self, elements: Elements, tag: int = 0) -> Elements:
        return (*elements, tag) if self.tagged else elements

    def new_array(self, elements: Elements, e: Equation) -> Elements:
        """Returns the elements of a new array: if it is passed on, objects of their own, as
        generated code tells by them which array a result is."""
        if not self.tagged and e.outputs[0] in self.passed:
            elements = tuple(self.add(MULTIPLY if isinstance(x, Value) else OWN, (x, 1.0), e)
                             for x in elements)
        return self.as_array(elements)

    def outer(self, x: Value) -> Flat:
        t = x.type
        if isinstance(t, ArrayType) and same_dtype(t.dtype, F64) and t.scalar:
            return x
        if isinstance(t, ArrayType) and same_dtype(t.dtype, F64) and (length := _length(t)):
            elements = tuple(Value(FLOAT, x.hint) for _ in range(length))
            self.arrays[x] = elements
            return self.as_array(elements, len(self.arrays))
        if t not in (FLOAT, INT, BOOL):
            raise Refused
        return x

    def add(self, op: Op, args: tuple[Atom, ...], like: Equation, kind: Type = FLOAT,
            hint: str = "") -> Value:
        """Adds an equation. The operands of an operation that can hide an infinity, of which NumPy
        would have warned, have to be finite."""
        hidden = args[1:] if op is DIVIDE else args if op.hides_infinity else ()
        self.finite.update(x for x in hidden if x in self.computed)
        out = Value(kind, hint)
        if not op.hides_infinity and kind == FLOAT:
            self.computed[out] = None
        self.equations.append(Equation(op, args, {}, (out,), location=like.location))
        return out

    def equation(self, e: Equation) -> None:
        out = e.outputs[0] if e.outputs else None
        if e.op is ZEROS and out is not None and has_elements(out.type):
            self.now[out] = self.new_array((0.0,) * _length(out.type), e)
            return
        if (e.kwargs and not (e.op is SUM and e.kwargs == {"axis": None})) or (
                e.settings or out is None):
            raise Refused
        if (loop := as_loop(e)) is not None:
            self.loop(loop)
        elif (branch := as_branch(e)) is not None:
            self.cond(branch)
        elif e.op is GETITEM:
            elements, index = self.elements(e.args[0]), e.args[1]
            if type(elements) is not tuple or type(index) is not int or not (
                    -len(elements) <= index < len(elements)):
                raise Refused
            self.now[out] = elements[index]
        elif e.op is ARRAY:
            items = tuple(map(self.of, e.args[0])) if type(e.args[0]) is list else ()
            if len(e.args) != 1 or not 0 < len(items) <= MOST or not all(map(_is_float, items)):
                raise Refused
            self.now[out] = self.new_array(items, e)
        elif e.op is PUSH:
            self.push(e)
        elif e.op is KEPT_AT:
            self.now[out] = self.kept_at(e)
        elif e.op in (AMAX, SUM):
            self.now[out] = self.reduce(e)
        elif e.op.on_elements or e.op.hides_infinity:
            self.now[out] = self.compute(e)
        else:
            raise Refused

    def compute(self, e: Equation) -> Flat:
        args = tuple(map(self.elements, e.args))
        lengths = {len(a) for a in args if type(a) is tuple}
        if not lengths:
            return self.number(e, args)
        if len(lengths) > 1 or not e.op.on_elements:
            raise Refused
        rows = [[a[k] if type(a) is tuple else a for a in args] for k in range(lengths.pop())]
        op = OPERATOR_OF.get(e.op.ufunc, e.op)
        made = tuple(self.add(op, tuple(row), e, hint=e.outputs[0].hint) for row in rows)
        if op is ABSOLUTE:
            self.absolute.update(made)
        if op is MASKED_PRODUCT:  # of arrays, no zero is negative
            made = tuple(self.add(ADD, (x, 0.0), e) for x in made)
        constant = not any(isinstance(x, Value) for row in rows for x in row)
        return self.new_array(made, e) if constant else self.as_array(made)

    def number(self, e: Equation, args: tuple[Atom, ...]) -> Value:
        """Adds an equation on numbers: of floats, or of Python's ints alone."""
        op, floats = e.op, [_is_float(a) for a in args]
        if op is SELECT:
            if not all(floats[1:]):
                raise Refused
            return self.add(op, args, e, FLOAT, e.outputs[0].hint)
        if op is POWER and not (floats[0] and type(args[1]) is float):
            raise Refused
        if op.comparison or op in (NOT, TRUTH):
            return self.add(op, args, e, BOOL)
        kind = FLOAT if any(floats) or op is DIVIDE else INT
        ints = [_kind(a) == INT for a in args]
        if not all(f or i for f, i in zip(floats, ints, strict=True)) or (
                op in (MIN, MAX, SQRT) and not all(floats)):
            raise Refused
        return self.add(OPERATOR_OF.get(op.ufunc, op), args, e, kind, e.outputs[0].hint)

    def reduce(self, e: Equation) -> Value:
        """Writes out `np.max` of absolute values, none of them NaN; `np.sum`."""
        elements = self.elements(e.args[0])
        if type(elements) is not tuple or len(e.args) != 1:
            raise Refused
        if e.op is AMAX:
            if not self.absolute.issuperset(elements):
                raise Refused  # of 0.0 and -0.0 either may be the greater
            self.finite.update(elements)
        total, greater = elements[0], OPS["np.maximum"] if self.tagged else MAX
        for x in elements[1:]:
            total = self.add(greater if e.op is AMAX else ADD, (total, x), e)
        return total if e.op is AMAX else self.add(ADD, (total, 0.0), e)

    # -- stacks -------------------------------------------------------------------------------

    def push(self, e: Equation) -> None:
        """Keeps a number, or the elements of an array."""
        before, x = e.args
        if before not in self.filled:
            raise Refused
        stack = self.filled[e.outputs[0]] = self.filled[before]
        self.equations.append(pushed(stack, flat(self.elements(x)), e))

    def kept_at(self, e: Equation) -> Flat:
        """Reads what another loop kept so."""
        (stack, k), (out,) = e.args, e.outputs
        length, is_either = _length(out.type), out.type == EITHER
        kind = FLOAT if length or is_either else BOOL if is_boxed(out.type, "bool") else _kind(out)
        if stack not in self.holds or kind is None:
            raise Refused
        made = tuple(Value(kind, out.hint) for _ in range(length or 1))
        self.equations.append(read(stack, self.of(k), made, e))
        return made if length else made[0]

    def enter_filled(self, loop: Loop) -> set[int]:
        """Enters the stacks that a loop fills; returns where they are among what it carries."""
        found = {k for k, v in enumerate(loop.carried) if isinstance(v.type, StackType)}
        for k in found:
            first = loop.initial[k]
            if self.tagged or first not in self.fills or loop.results[k] not in self.fills:
                raise Refused
            self.filled[loop.carried[k]] = self.now[loop.results[k]] = first
        return found

    def end_in_place(self, loop: Loop, filled: set[int]) -> bool:
        """Returns True if a loop ends each iteration with the stacks that it began with."""
        return all(self.filled.get(loop.body.outputs[k]) is loop.initial[k] for k in filled)

    # -- regions ------------------------------------------------------------------------------

    def region(self, graph: Graph, inputs: tuple[Value, ...], results: tuple[Atom, ...]) -> Graph:
        """Translates a region to one with the flat `inputs` and, of its outputs, the `results`;
        `now` has what stands for its own."""
        outer, self.equations = self.equations, []
        for e in graph.equations:
            self.equation(e)
        outputs = [x for a in results for x in flat(self.of(a))]
        made = Graph(graph.name, inputs, self.equations, tuple(outputs))
        self.equations = outer
        return made

    def state(self, values: tuple[Value, ...], initial: list[Flat]) -> tuple[Value, ...]:
        """Makes new values of the kinds of the initial ones for the carried `values`."""
        for value, first in zip(values, initial, strict=True):
            fresh = [Value(_checked(_kind(x)), value.hint) for x in flat(first)]
            self.now[value] = tuple(fresh) if type(first) is tuple else fresh[0]
        return tuple(x for v in values for x in flat(self.now[v]))

    def loop(self, loop: Loop) -> Equation:
        steps = (loop.iterable,) if loop.is_for else ()
        if steps and type(steps[0]) is not range and not (
                isinstance(steps[0], Value) and steps[0].type == PyType(range)):
            raise Refused
        filled = self.enter_filled(loop)

        def others(values: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(v for k, v in enumerate(values) if k not in filled)

        initial = [self.of(x) for x in others(loop.initial)]
        regions = []
        for region in loop.equation.regions:
            is_body = region is loop.body
            for a, carried in zip(region.outputs, loop.carried, strict=True) if is_body else ():
                self.pass_on(a, carried)
            item = (loop.item,) if is_body and loop.item is not None else ()
            self.now.update((v, v) for v in item)
            own = self.state(others(loop.carried if is_body else region.inputs), initial)
            after = others(region.outputs) if is_body else region.outputs
            regions.append(self.region(region, (*item, *own), after))
            if not is_body:
                self.predicate(region.outputs[0])
            if is_body and ([_kinds(self.of(a)) for a in after] != list(map(_kinds, initial))
                            or not self.end_in_place(loop, filled)):
                raise Refused
        self.check_unread(regions)
        outputs = self.state(others(loop.results), initial)
        self.finite.update(x for v in others(loop.results) if not self.uses[v] and is_numpys(v.type)
                           for x in flat(self.elements(v)) if isinstance(x, Value))
        for first, carried, last in zip(loop.initial, loop.carried, loop.results, strict=True):
            self.pass_on(first, carried)
            self.pass_on(carried, last)
        args = [x for first in initial for x in flat(first)]
        e = loop.equation
        made = Equation(e.op, (*steps, *args), {}, outputs, tuple(regions), e.location)
        self.equations.append(made)
        return made

    def check_unread(self, regions: list[Graph]) -> None:
        """Enters what nothing reads as to be finite: an infinity in it would not be seen. So it is
        with what the next iteration does not read."""
        inside = [e for region in regions for e in region.walk()]
        read = {v for e in inside if e.op is not KEEP for v in e.inputs}
        read.update(v for e in inside if as_branch(e) is None for side in e.regions
                    for v in side.outputs if isinstance(v, Value))
        body = max(regions, key=lambda region: len(region.inputs))
        passed = [*zip(body.outputs, body.inputs[len(body.inputs) - len(body.outputs):],
                       strict=True)]
        passed += [pair for e in inside if as_branch(e) for side in e.regions
                   for pair in zip(side.outputs, e.outputs, strict=True)]
        before = -1
        while before != len(read):
            before = len(read)
            read.update(v for v, other in reversed(passed)
                        if isinstance(v, Value) and other in read)
        self.finite.update(v for e in inside for v in e.outputs
                           if v in self.computed and v not in read)

    def cond(self, branch: Branch) -> None:
        e, test = branch.equation, self.predicate(branch.predicate)
        regions = [self.region(side, (), side.outputs) for _, side in branch.sides()]
        kinds = [[_kinds(self.of(a)) for a in side.outputs] for _, side in branch.sides()]
        if kinds[0] != kinds[1]:
            raise Refused
        outputs = self.state(branch.results, [self.of(a) for a in branch.on_true.outputs])
        for _, side in branch.sides():
            for a, result in zip(side.outputs, branch.results, strict=True):
                self.pass_on(a, result)
        self.equations.append(
            Equation(e.op, (test,), {}, outputs, tuple(regions), e.location))


def flat(x: Flat) -> Elements:
    return x if type(x) is tuple else (x,)


def _kind(x: Atom) -> Type | None:
    """Returns float, int or bool, the type in the loop over numbers; None for other values."""
    if not isinstance(x, Value):
        return PyType(type(x))
    t = x.type
    return FLOAT if isinstance(t, ArrayType) and same_dtype(t.dtype, F64) else t if t in (
        FLOAT, INT, BOOL) else None


def _kinds(x: Flat) -> list[Type | None]:
    """Returns the kinds of the elements of an array, or of a number: two values may be one another
    if these are the same."""
    return list(map(_kind, flat(x)))


def _checked(t: Type | None) -> Type:
    if t is None:
        raise Refused
    return t


def _is_float(x: Atom) -> bool:
    return _kind(x) == FLOAT
