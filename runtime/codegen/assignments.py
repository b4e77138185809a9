"""Assignments: equations without regions as lines, into new memory or memory that is reused."""

from __future__ import annotations

import copy
import math
import operator
from collections import Counter
from typing import Any

from autograph.runtime.codegen.expressions import INDENT, MAX_INLINE, Expressions, is_formula
from autograph.runtime.ir.graph import Equation, Graph, Nest, Value
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.kernels.short_axis_sums import axis_major, short_axis_sum
from autograph.runtime.kernels.stencils import WASTE, Starts, in_lines, length_of
from autograph.runtime.kernels.tiled import in_tiles
from autograph.runtime.kernels.tiled_reductions import in_halves
from autograph.runtime.lower import unboxing
from autograph.runtime.lower.buffer_reuse import Reuse, Scratch
from autograph.runtime.lower.fusion_groups import (
    is_cut,
    is_full_reduction,
    is_mean,
    rows_of,
    size,
)
from autograph.runtime.lower.in_place import Plan, is_large
from autograph.runtime.lower.ufunc_selection import short_sum, ufunc_name
from autograph.runtime.ops.indexing import GETITEM, SETITEM
from autograph.runtime.ops.stores import STORE_ITEM
from autograph.runtime.ops.views import UPDATE_VIEW


def is_elementwise(run: list[Equation], given: list[Value]) -> bool:
    """Returns True if a group has only numbers and arrays of one shape, of two axes or more."""
    values = [*given, *(e.outputs[0] for e in run)]
    shapes = {v.type.shape for v in values if isinstance(v.type, ArrayType)} - {()}
    return not any(e.op.reduction for e in run) and len(shapes) == 1 and len(
        shapes.pop() or ()) > 1


def start_of(shape: list[int], index: Nest) -> list[int] | None:
    """The index of the first element of `x[a:b, c:d]`; None for other indices.

    >>> start_of([5, 8], (slice(1, -1), slice(-3, None)))
    [1, 5]
    """
    if type(index) is not tuple or len(index) != len(shape) or not all(
            type(part) is slice for part in index):
        return None
    if any(isinstance(x, Value) for part in index for x in (part.start, part.stop, part.step)):
        return None
    ranges = [part.indices(length) for length, part in zip(shape, index, strict=True)]
    return [begin for begin, _, _ in ranges] if all(step == 1 for _, _, step in ranges) else None


def total_ufunc(e: Equation) -> str:
    """The ufunc of a reduction to one number; a mean is a sum that is divided at the end."""
    assert e.op.reduction is not None
    return f"np.{e.op.reduction.ufunc.__name__}"


def call_into(ufunc: str, arguments: list[str], name: str, by_keyword: bool = False) -> str:
    """The call of a ufunc that puts its result into an array that is there.

    >>> call_into("np.exp", ["x"], "v"), call_into("np.minimum", ["x", "1.0"], "v", True)
    ('np.exp(x, v)', 'np.minimum(x, 1.0, out=v)')
    """
    out = f"out={name}" if by_keyword else name
    return f"{ufunc}({', '.join([*arguments, out])})"

SHORT = 8
"""A loop of fewer elements is too short to be the innermost."""


class Assignments(Expressions):
    """Writes an assignment for each equation, and functions of rows for runs of them.

    checked    on Python's numbers: the ints to check; None on NumPy's.
    finite     on Python's numbers: the floats to check.
    spaces     for the terms of a sum: the name of the flag that says how they lie in memory.
    large      large arrays that have a name of their own in this block.
    dying      the temporary arrays of this block that die in an equation.
    dead       the names of those that died and are not dropped yet.
    filled     the values that have an array already, under their name.
    functions  (lines, locations) of the functions after the main one.
    """

    def __init__(self, name: str, plan: Plan) -> None:
        super().__init__(name)
        self.plan = plan
        self.reuse: Reuse | None = None
        self.finite: set[Value] = set()
        self.large: list[Value] = []
        self.dying: dict[Equation, list[Value]] = {}
        self.dead: list[str] = []
        self.spaces: dict[Value, str] = {}
        self.filled: frozenset[Value] = frozenset()
        self.functions: list[tuple[list[str], dict[int, Location]]] = []

    def tiles(self, run: list[Equation]) -> None:
        """`v = in_tiles(rows, …)`, and after this function `rows`, which has the equations."""
        inside = Counter(v for e in run for v in e.inputs)
        made = dict.fromkeys(e.outputs[0] for e in run)
        results = [v for v in made if self.uses[v] > inside[v]]
        reductions = {e.outputs[0]: e for e in run if is_full_reduction(e)}
        results.sort(key=lambda v: v in reductions)
        rank, rows = rows_of(run[0])
        given = [v for v in inside if v not in made]
        given.sort(key=lambda v: not is_cut(v, rank, rows))  # those that are cut come first
        count = sum(is_cut(v, rank, rows) for v in given)
        texts = [self.nest(v) for v in given]
        self.flush()
        name = self.fresh("rows", False)
        outer = self.lines, self.locations, self.depth, self.names, self.reuse, self.filled
        state, self.frame_state = self.frame_state, ()
        self.lines, self.locations, self.depth, self.names = [], {}, 1, dict(self.names)
        self.names.update((v, t if t.isidentifier() else self.fresh(v.hint))
                          for v, t in zip(given, texts, strict=True))
        self.names.update((v, self.fresh(v.hint)) for v in results)
        filled = [v for v in results if v not in reductions]
        scratch = self.rows(name, Graph(name, tuple(given), run, tuple(results)), filled)
        self.lines, self.locations, self.depth, self.names, self.reuse, self.filled = outer
        self.frame_state = state
        targets = ", ".join(map(self.name_of, results))
        into, how = self.constant(in_tiles, "in_tiles"), [str(count)]
        if reductions:
            into = self.constant(in_halves, "in_halves")
            how += [f"[{', '.join(map(total_ufunc, reductions.values()))}]"]
        elif is_elementwise(run, given):
            into = self.constant(in_lines, "in_lines")
            how += [str(any(map(self.is_kept, results))), str(self.starts_of(given[:count]))]
        kinds = [self.kinds(filled), self.kinds(scratch)]
        self.line(f"{targets} = {into}({', '.join([name, *how, *kinds, *texts])})",
                  run[0].location)
        for v, e in reductions.items():
            if is_mean(e):
                self.line(f"{self.name_of(v)} /= {size(e.args[0])}", e.location)

    def starts_of(self, views: list[Value]) -> Starts | None:
        """Returns the offsets of views in the array that all of them are views of, if known."""
        makers = [self.reuse.maker.get(v) if self.reuse is not None else None for v in views]
        found = [e for e in makers if e is not None and e.op is GETITEM]
        if len({e.args[0] for e in found}) != 1 or len(found) != len(views):
            return None
        base = found[0].args[0].type
        if not (isinstance(base, ArrayType) and base.is_static and base.dtype is not None):
            return None
        shape = [d for d in base.shape or () if isinstance(d, int)]
        strides = [math.prod(shape[k + 1:]) for k in range(len(shape))]
        indices = [start_of(shape, e.args[1]) for e in found]
        starts = [sum(map(operator.mul, p, strides)) for p in indices if p is not None]
        each = [d for d in views[0].type.shape or () if isinstance(d, int)]  # type: ignore[union-attr]
        length = length_of(each, strides, 1)
        if None in indices or length > WASTE * math.prod(each):
            return None
        size = base.dtype.itemsize
        return tuple(s * size for s in strides), math.prod(shape), length, tuple(starts)

    def copied(self, x: Nest, text: str) -> str:
        """Returns the text of a copy of an object; `[…]` makes a new one itself."""
        if type(x) in (list, dict):
            return text
        return f"{self.constant(copy.copy, 'copy')}({text})"

    def is_kept(self, value: Value) -> bool:
        """Returns True if anything but a store of its elements refers to a value."""
        used = self.reuse.users.get(value, []) if self.reuse is not None else []
        return len(used) != self.uses[value] or not all(
            e.op in (SETITEM, STORE_ITEM, UPDATE_VIEW) and e.args[2] is value
            for e in used)

    def kinds(self, values: list[Value]) -> str:
        """`[(f64, 3), …]`: dtype and row shape of each."""
        rows = [(v.type.dtype, v.type.shape[1:]) for v in values]  # type: ignore[union-attr,index]
        return f"[{', '.join(self.nest((dtype, *shape)) for dtype, shape in rows)}]"

    def rows(self, name: str, graph: Graph, filled: list[Value]) -> list[Value]:
        """Writes a function of tiles: of the arrays, of those for the results `filled`, and of
        scratch arrays. Returns values of the types of the scratch arrays.
        """
        results = [self.names[v] for v in graph.outputs]
        self.reuse, self.filled = Reuse(graph, self.plan), frozenset(filled)
        space = Scratch(self.reuse, {v: self.names[v] for v in filled})
        for equation in graph.equations:
            out = equation.outputs[0]
            if is_full_reduction(equation):
                self.line(f"{self.name_of(out)} = {total_ufunc(equation)}.reduce("
                          f"{self.nest(equation.args[0])}, axis=None)", equation.location)
            elif not self.into_operand(equation):
                if out not in self.filled and equation.op.ufunc and ufunc_name(equation):
                    self.names[out] = space.take(out) or space.add(out, self.fresh("work", False))
                    self.variables.pop(self.names[out], None)  # it may be lent by a result
                    self.filled |= {out}
                self.assign(equation)
            space.used(equation, self.names)
        self.line(f"return {', '.join(results)}")
        inputs = [self.names[v] for v in graph.inputs]
        optional = [f"{r}=None" for r in (*map(self.name_of, filled), *space.holds)]
        head = f"def {name}({', '.join([*inputs, *optional])}):"
        # `line` counts two lines for the main function's own head; here it is one
        self.functions.append(([head, *self.lines], {n - 1: p for n, p in self.locations.items()}))
        return list(space.holds.values())

    def assign(self, e: Equation) -> None:
        if self.into_operand(e):
            return
        if self.is_term(e):
            self.term(e)
            return
        text = self.into_filled(e) or self.short_axis_sum(e) or self.expression(e)
        used = [o for o in e.outputs if self.uses[o]]
        if not used:
            self.line(text, e.location)
            return
        if self.may_wait(e) and len(text) <= MAX_INLINE:
            self.wait(e.outputs[0], text, is_formula(e) and e.op is not GETITEM, e.location)
            return
        self.take_dead_name(e)
        self.line(f"{', '.join(self.name_of(o) for o in e.outputs)} = {text}", e.location)
        if self.must_check(e):
            name = self.name_of(e.outputs[0])
            least, most = -2**63, 2**63 - 1
            wrong = f"{name} - {name}:  # infinite or NaN" if unboxing.is_boxed(
                e.outputs[0].type, unboxing.FLOAT) else f"not {least} <= {name} <= {most}:"
            self.line(f"if {wrong}", e.location)
            self.line(INDENT + "raise OverflowError")

    def take_dead_name(self, e: Equation) -> None:
        """Gives a large array the name of a dead one: that frees its memory, as the same name in
        the user's own code does."""
        out = e.outputs[0]
        if self.reuse is None or self.filled or out in self.names or not is_large(out):
            return
        for x in reversed(self.large[-8:]):
            name = self.names[x]
            if x.hint == out.hint and self.is_dead(x, e) and all(
                    self.is_dead(v, e) for v, n in self.names.items() if n == name):
                self.names[out] = name
                self.large.remove(x)
                self.dead = [n for n in self.dead if n != name]
                break
        self.large.append(out)

    def is_dead(self, x: Value, e: Equation) -> bool:
        """Returns True if only earlier equations of this block, or this one, use a value."""
        assert self.reuse is not None
        last = self.reuse.last.get(x)
        return x in self.reuse.maker and last is not None and (
            self.reuse.position[last] <= self.reuse.position[e])

    def must_check(self, e: Equation) -> bool:
        """Returns True if Python's number, computed here, may differ from NumPy's."""
        if self.checked is None:
            return False
        out = e.outputs[0]
        return out in self.finite or (out in self.checked and unboxing.guards(e))

    def may_wait(self, e: Equation) -> bool:
        if not e.outputs:
            return False
        # A claimed name holds an older value, which expressions that wait may still read.
        claimed = e.outputs[0] in self.names
        return super().may_wait(e) and not claimed and not self.must_check(e)

    def lends(self, out: Value) -> bool:
        reuse = self.reuse
        if reuse is None or self.filled or not is_large(out):
            return is_large(out)
        return any(e.op.ufunc is None or reuse.operand(e) in (out, None)
                   for e in reuse.users.get(out, ()))

    def into_operand(self, e: Equation) -> bool:
        """Writes `v += x` or `np.exp(v, v)`, if v dies here and has the result's type."""
        if e.outputs[0] in self.names and e not in self.plan.sums:
            target = self.there_already(e)
        else:
            target = self.reuse.operand(e) if self.reuse is not None else None
        if target is None or target in self.pending:
            return False
        ufunc = ufunc_name(e)
        if ufunc is None:
            return False
        name = self.names[e.outputs[0]] = self.name_of(target)
        self.reused.add(name)
        if target in self.spaces:
            self.spaces[e.outputs[0]] = self.spaces[target]
        first, *others = e.args
        sign = e.op.augmented
        if sign and first is target and len(others) == 1:
            self.line(f"{name} {sign}= {self.alone(e, others[0])}", e.location)
        elif sign and e.op.commutative and others[0] is target:
            self.line(f"{name} {sign}= {self.alone(e, first)}", e.location)
        else:
            args = e.args[:1] if ufunc == "np.square" else e.args
            texts = [self.argument(e, a) for a in args]
            self.line(call_into(ufunc, texts, name, e.op.out_by_keyword), e.location)
        return True

    def there_already(self, e: Equation) -> Value | None:
        """Returns the operand that is in the very array meant for the result."""
        out = e.outputs[0]
        if out not in self.filled or e.op.ufunc is None:
            return None
        return next((x for x in e.inputs if self.names.get(x) == self.names[out]), None)

    def into_filled(self, e: Equation) -> str:
        """Returns the ufunc's call that puts the result into the array meant for it."""
        ufunc = ufunc_name(e) if e.op.ufunc and e.outputs[0] in self.filled else None
        if ufunc is None:
            return ""
        count = 1 if ufunc == "np.square" else len(e.args)
        texts = [self.argument(e, a) for a in e.args[:count]]
        return call_into(ufunc, texts, self.names[e.outputs[0]], e.op.out_by_keyword)

    # -- sums of few terms ------------------------------------------------------------------

    def short_axis_sum(self, e: Equation) -> str:
        """The call that sums along a short last axis."""
        count = short_sum(e)
        if not count:
            return ""
        text = self.nest(e.args[0])
        flag = self.spaces.get(e.args[0])
        kernel = self.constant(short_axis_sum, "short_axis_sum")
        call = f"{kernel}({', '.join(filter(None, [text, flag]))})"
        return f"{call} / {count}" if is_mean(e) else call

    def term(self, e: Equation) -> None:
        """`v, is_axis_major = axis_major(np.subtract, …)`: terms of such a sum."""
        texts = [self.nest(a) for a in e.args]
        out = e.outputs[0]
        flag = self.spaces[out] = self.fresh("is_axis_major", False)
        shape, dtype = out.type.shape, out.type.dtype  # type: ignore[union-attr]
        parts = [f"np.{e.op.ufunc.__name__}", self.nest(shape), self.nest(dtype), *texts]
        self.line(f"{self.name_of(out)}, {flag} = {self.constant(axis_major, 'axis_major')}"
                  f"({', '.join(parts)})", e.location)

    def is_term(self, e: Equation) -> bool:
        """Returns True if arrays are broadcast here, only for a sum of few terms."""
        out = e.outputs[0]
        t, reuse = out.type, self.reuse
        if reuse is None or e.op.ufunc is None or len(e.args) != 2 or e.kwargs or not (
                isinstance(t, ArrayType) and t.is_static and t.shape and len(t.shape) > 2):
            return False
        shapes = [a.type.shape for a in e.args if isinstance(a, Value)
                  and isinstance(a.type, ArrayType)]
        inner: Any = t.shape[-2]  # the innermost loop, where the last axis comes first
        if len(shapes) != 2 or t.shape in shapes or inner < SHORT or any(
                s is None or s[-1:] != t.shape[-1:] for s in shapes):
            return False
        while True:
            users = reuse.users.get(out, [])
            if len(set(users)) != 1 or self.uses[out] != len(users):
                return False
            if short_sum(users[0]):
                return True
            if reuse.operand(users[0]) is not out:
                return False
            out = users[0].outputs[0]
