"""Loops over arrays of a few numbers, rewritten to loops over the numbers.

A state of two or three numbers in an array, as integrators have it, costs a NumPy call for every
operation. Where the loop does nothing with such arrays but arithmetic, element by element, the
elements become variables, and the loop can run on Python's numbers (see `unboxed`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.types import ArrayType, PyType, Type
from autograph.runtime.lower.unboxing import COMPARISONS
from autograph.runtime.ops.op import OPS

MOST = 6
"""Elements of an array that is taken apart."""

ELEMENTWISE = {"add": "add", "subtract": "subtract", "multiply": "multiply", "divide": "divide",
               "negative": "negative", "np.absolute": "absolute", "absolute": "absolute",
               "np.sqrt": "np.sqrt"}
SCALAR = {"min_", "max_", "not_", "truth", "power", *COMPARISONS}
FLOAT, INT, BOOL = PyType(float), PyType(int), PyType(bool)
F64 = np.dtype(np.float64)

Elements = tuple[Any, ...]
"""Of an array: what its elements are now."""


class Refused(Exception):
    """The loop does something else."""


@dataclass
class Scattered:
    """A loop over numbers that does what one over arrays does.

    loop     the loop.
    results  what stands for an output of the loop over arrays, and where that starts from.
    arrays   the arrays from outside, and the values of their elements.
    finite   values that have to be finite, for NumPy's result to be the same.
    """

    loop: Equation
    results: dict[Value, tuple[Any, Any]]
    arrays: dict[Value, Elements]
    finite: set[Value]


def scattered(e: Equation, uses: Counter[Value]) -> Scattered | None:
    """The loop over numbers for a loop over small arrays, if there is one."""
    if e.op.name not in ("while", "for") or not any(_length(v.type) for v in e.inputs):
        return None
    writer = _Writer()
    try:
        loop = writer.loop(e)
    except Refused:
        return None
    starts = e.args if e.op.name == "while" else e.args[1:]
    results = {o: (writer.now[o], x) for o, x in zip(e.outputs, starts, strict=True)}
    if not all(is_certain(o.type, x) for o, (x, _) in results.items() if uses[o]):
        return None
    return Scattered(loop, results, writer.arrays, writer.finite)


def is_certain(t: Type, now: Any) -> bool:
    """Whether it is known what a result is: an array, a NumPy float or one of Python's numbers."""
    return type(now) is tuple or isinstance(t, PyType) or (
        isinstance(t, ArrayType) and t.dtype == F64 and t.scalar)


def _length(t: Type) -> int:
    """The number of elements of an array that is taken apart; 0 for anything else."""
    if not isinstance(t, ArrayType) or t.scalar or t.shape is None or len(t.shape) != 1:
        return 0
    (length,) = t.shape
    return length if isinstance(length, int) and length <= MOST else 0


class _Writer:
    """Takes equations to equations; `now` has what stands for a value: a value, a constant, or the
    elements of an array."""

    def __init__(self) -> None:
        self.arrays: dict[Value, Elements] = {}
        self.finite: set[Value] = set()
        self.now: dict[Value, Any] = {}
        self.equations: list[Equation] = []
        self.absolute: set[Value] = set()
        self.computed: dict[Any, None] = {}  # floats that may be infinite
        self.new: dict[Value, Equation] = {}

    def of(self, x: Any) -> Any:
        """What stands for an argument of the loop over arrays."""
        if not isinstance(x, Value):
            if type(x) not in (int, float, bool) or (type(x) is int and abs(x) > 2**53):
                raise Refused
            return x
        if x not in self.now:
            self.now[x] = self.outer(x)
        return self.now[x]

    def outer(self, x: Value) -> Any:
        t = x.type
        if isinstance(t, ArrayType) and t.dtype == F64 and t.scalar:
            return x
        if isinstance(t, ArrayType) and t.dtype == F64 and (length := _length(t)):
            elements = tuple(Value(FLOAT, x.hint) for _ in range(length))
            self.arrays[x] = elements
            return elements
        if t not in (FLOAT, INT, BOOL):
            raise Refused
        return x

    def add(self, op: str, args: tuple[Any, ...], like: Equation, kind: Type = FLOAT,
            hint: str = "") -> Value:
        """A new equation. What is given to an operation that can hide an infinity, of which NumPy
        would have warned, has to be finite."""
        hidden = args[1:] if op == "divide" else args if op in SCALAR else ()
        self.finite.update(x for x in hidden if x in self.computed)
        out = Value(kind, hint)
        if op not in SCALAR and kind == FLOAT:
            self.computed[out] = None
        self.equations.append(Equation(OPS[op], args, {}, (out,), location=like.location))
        return out

    def equation(self, e: Equation) -> None:
        name, out = e.op.name, e.outputs[0] if e.outputs else None
        if e.kwargs or e.errstate or out is None:
            raise Refused
        if name in ("while", "for", "cond"):
            self.loop(e) if name != "cond" else self.cond(e)
        elif name == "getitem":
            elements, index = self.of(e.args[0]), e.args[1]
            if type(elements) is not tuple or type(index) is not int or not (
                    -len(elements) <= index < len(elements)):
                raise Refused
            self.now[out] = elements[index]
        elif name == "array":
            items = tuple(map(self.of, e.args[0])) if type(e.args[0]) is list else ()
            if len(e.args) != 1 or not 0 < len(items) <= MOST or not all(map(_is_float, items)):
                raise Refused
            self.now[out] = items
            self.new[out] = e
        elif name in ("max", "sum"):
            self.now[out] = self.fold(e)
        elif name in ELEMENTWISE or name in SCALAR:
            self.now[out] = self.compute(e)
        else:
            raise Refused

    def compute(self, e: Equation) -> Any:
        args = tuple(map(self.of, e.args))
        lengths = {len(a) for a in args if type(a) is tuple}
        if not lengths:
            return self.number(e, args)
        if len(lengths) > 1 or e.op.name not in ELEMENTWISE:
            raise Refused
        rows = [[a[k] if type(a) is tuple else a for a in args] for k in range(lengths.pop())]
        made = tuple(self.add(ELEMENTWISE[e.op.name], tuple(row), e, hint=e.outputs[0].hint)
                     for row in rows)
        if ELEMENTWISE[e.op.name] == "absolute":
            self.absolute.update(made)
        return made

    def number(self, e: Equation, args: tuple[Any, ...]) -> Value:
        """An equation on numbers: of floats, or of Python's ints alone."""
        name, floats = e.op.name, [_is_float(a) for a in args]
        if name == "power" and not (floats[0] and type(args[1]) is float):
            raise Refused
        if name in ("not_", "truth") or name in COMPARISONS:
            return self.add(name, args, e, BOOL)
        kind = FLOAT if any(floats) or name == "divide" else INT
        ints = [_kind(a) == INT for a in args]
        if not all(f or i for f, i in zip(floats, ints, strict=True)) or (
                name in ("min_", "max_", "np.sqrt") and not all(floats)):
            raise Refused
        return self.add(ELEMENTWISE.get(name, name), args, e, kind, e.outputs[0].hint)

    def fold(self, e: Equation) -> Value:
        """`np.max` of absolute values, none of them NaN; `np.sum`."""
        elements = self.of(e.args[0])
        if type(elements) is not tuple or len(e.args) != 1:
            raise Refused
        if e.op.name == "max":
            if not self.absolute.issuperset(elements):
                raise Refused  # of 0.0 and -0.0 either may be the greater
            self.finite.update(elements)
        total = elements[0]
        for x in elements[1:]:
            total = self.add("max_" if e.op.name == "max" else "add", (total, x), e)
        return total if e.op.name == "max" else self.add("add", (total, 0.0), e)

    # -- regions ------------------------------------------------------------------------------

    def region(self, graph: Graph, inputs: tuple[Value, ...]) -> Graph:
        """A region, `inputs` its flat inputs; `now` has what stands for its own."""
        outer, self.equations = self.equations, []
        for e in graph.equations:
            self.equation(e)
        for a in graph.outputs:
            if isinstance(a, Value) and a in self.new:
                e = self.new.pop(a)
                # whether an array is still the same is told by the identity of its elements
                self.now[a] = tuple(self.add("multiply", (x, 1.0), e) for x in self.now[a])
        outputs = [x for a in graph.outputs for x in flat(self.of(a))]
        made = Graph(graph.name, inputs, self.equations, tuple(outputs))
        self.equations = outer
        return made

    def state(self, values: tuple[Value, ...], starts: list[Any]) -> tuple[Value, ...]:
        """New values of the kinds of the starts, for the state that `values` are."""
        for value, start in zip(values, starts, strict=True):
            fresh = [Value(_checked(_kind(x)), value.hint) for x in flat(start)]
            self.now[value] = tuple(fresh) if type(start) is tuple else fresh[0]
        return tuple(x for v in values for x in flat(self.now[v]))

    def loop(self, e: Equation) -> Equation:
        skipped = 0 if e.op.name == "while" else 1
        steps = e.args[:skipped]
        if steps and type(steps[0]) is not range and not (
                isinstance(steps[0], Value) and steps[0].type == PyType(range)):
            raise Refused
        starts = [self.of(x) for x in e.args[skipped:]]
        regions = []
        for number, region in enumerate(e.regions):
            body = number == (0 if skipped else 1)
            own = region.inputs[skipped:] if body else region.inputs
            counter = region.inputs[:skipped] if body else ()
            self.now.update((v, v) for v in counter)
            regions.append(self.region(region, (*counter, *self.state(own, starts))))
            if body and [_kind(x) for x in regions[-1].outputs] != [
                    _kind(x) for s in starts for x in flat(s)]:
                raise Refused
        outputs = self.state(e.outputs, starts)
        args = [x for s in starts for x in flat(s)]
        made = Equation(e.op, (*steps, *args), {}, outputs, tuple(regions), e.location)
        self.equations.append(made)
        return made

    def cond(self, e: Equation) -> None:
        test = self.of(e.args[0])
        regions = [self.region(r, ()) for r in e.regions]
        forms = [[len(flat(self.of(a))) for a in r.outputs] for r in e.regions]
        kinds = [[_kind(x) for x in r.outputs] for r in regions]
        if forms[0] != forms[1] or kinds[0] != kinds[1]:
            raise Refused
        outputs = self.state(e.outputs, [self.of(a) for a in e.regions[0].outputs])
        self.equations.append(
            Equation(e.op, (test,), {}, outputs, tuple(regions), e.location))


def flat(x: Any) -> Elements:
    return x if type(x) is tuple else (x,)


def _kind(x: Any) -> Type | None:
    """float, int or bool, as values are in the loop over numbers; None for others."""
    if not isinstance(x, Value):
        return PyType(type(x))
    t = x.type
    return FLOAT if isinstance(t, ArrayType) and t.dtype == F64 else t if t in (
        FLOAT, INT, BOOL) else None


def _checked(t: Type | None) -> Type:
    if t is None:
        raise Refused
    return t


def _is_float(x: Any) -> bool:
    return _kind(x) == FLOAT
