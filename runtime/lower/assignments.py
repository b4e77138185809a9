"""Assignments: equations without regions as lines, into new memory or memory that is reused."""

from __future__ import annotations

import copy
import math
import operator
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ir import expressions as ir
from autograph.runtime.ir.expressions import Expression, Global, Literal, Name
from autograph.runtime.ir.graph import Atom, Equation, Graph, Nest, Value
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.statements import (
    Block,
    Check,
    Do,
    Function,
    Fused,
    Into,
    Let,
    Return,
    Update,
)
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.kernels.short_axis_sums import axis_major, short_axis_sum
from autograph.runtime.kernels.stencils import WASTE, Starts, in_lines, length_of
from autograph.runtime.kernels.tiled import in_tiles
from autograph.runtime.kernels.tiled_reductions import in_halves
from autograph.runtime.lower import unboxing
from autograph.runtime.lower.buffer_reuse import Reuse, Scratch
from autograph.runtime.lower.expressions import MAX_INLINE, Expressions, is_formula
from autograph.runtime.lower.fusion_groups import (
    is_cut,
    is_full_reduction,
    is_mean,
    rows_of,
    size,
)
from autograph.runtime.lower.plan import Plan
from autograph.runtime.lower.syntax import STATEMENTS
from autograph.runtime.lower.ufunc_selection import public_ufunc, short_sum
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


def total_ufunc(e: Equation) -> Global:
    """The ufunc of a reduction to one number; a mean is a sum that is divided at the end."""
    assert e.op.reduction is not None
    ufunc = e.op.reduction.ufunc
    return Global(f"np.{ufunc.__name__}", ufunc)


OVERFLOW = Global("OverflowError", OverflowError)
INT64 = "not -9223372036854775808 <= {0} <= 9223372036854775807"

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
    functions  the functions beside the main one.
    """

    def __init__(self, name: str, plan: Plan) -> None:
        super().__init__(name)
        self.plan = plan
        self.reuse: Reuse | None = None
        self.finite: set[Value] = set()
        self.large: list[Value] = []
        self.dying: dict[Equation, list[Value]] = {}
        self.dead: list[str] = []
        self.spaces: dict[Value, Name] = {}
        self.filled: frozenset[Value] = frozenset()
        self.functions: list[Function] = []

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
        outer = self.names, self.reuse, self.filled
        state, self.frame_state = self.frame_state, ()
        self.names = dict(self.names)
        self.names.update((v, t.text if isinstance(t, Name | Global) else self.fresh(v.hint))
                          for v, t in zip(given, texts, strict=True))
        self.names.update((v, self.fresh(v.hint)) for v in results)
        filled = [v for v in results if v not in reductions]
        graph = Graph(name, tuple(given), run, tuple(results))
        function, scratch = self.rows(name, graph, filled)
        self.names, self.reuse, self.filled = outer
        self.frame_state = state
        targets = tuple(map(self.target, results))
        into, how = self.constant(in_tiles, "in_tiles"), list[Expression]([Literal(count)])
        if reductions:
            into = self.constant(in_halves, "in_halves")
            how += [ir.List(tuple(map(total_ufunc, reductions.values())))]
        elif is_elementwise(run, given):
            into = self.constant(in_lines, "in_lines")
            how += [Literal(any(map(self.is_kept, results))),
                    Literal(self.starts_of(given[:count]))]
        kinds = [self.kinds(filled), self.kinds(scratch)]
        call = ir.Call(into, (Global(name, function), *how, *kinds, *texts))
        self.add(Fused(targets, call, function), run[0].location)
        for v, e in reductions.items():
            if is_mean(e):
                self.add(Update(self.target(v), "/", Literal(size(e.args[0]))), e.location)

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

    def copied(self, x: Nest, made: Expression) -> Expression:
        """Returns a copy of an object; `[…]` makes a new one itself."""
        if type(x) in (list, dict):
            return made
        return ir.Call(self.constant(copy.copy, "copy"), (made,))

    def is_kept(self, value: Value) -> bool:
        """Returns True if anything but a store of its elements refers to a value."""
        used = self.reuse.users.get(value, []) if self.reuse is not None else []
        return len(used) != self.uses[value] or not all(
            e.op in (SETITEM, STORE_ITEM, UPDATE_VIEW) and e.args[2] is value
            for e in used)

    def kinds(self, values: list[Value]) -> Expression:
        """`[(f64, 3), …]`: dtype and row shape of each."""
        rows = [(v.type.dtype, v.type.shape[1:]) for v in values]  # type: ignore[union-attr,index]
        return ir.List(tuple(self.nest((dtype, *shape)) for dtype, shape in rows))

    def rows(self, name: str, graph: Graph, filled: list[Value]
             ) -> tuple[Function, list[Value]]:
        """Makes a function of tiles: of the arrays, of those for the results `filled`, and of
        scratch arrays. Returns it, and values of the types of the scratch arrays.
        """
        results = tuple(self.target(v) for v in graph.outputs if isinstance(v, Value))
        self.reuse, self.filled = Reuse(graph, self.plan), frozenset(filled)
        space = Scratch(self.reuse, {v: self.names[v] for v in filled})
        body: Block = []
        with self.inside(body):
            for equation in graph.equations:
                self.row(equation, space)
            self.add(Return(results))
        inputs = tuple(Name(self.names[v], v.type) for v in graph.inputs)
        optional = (*map(self.target, filled), *map(Name, space.holds))
        made = Function(name, inputs, body, optional)
        self.functions.append(made)
        return made, list(space.holds.values())

    def row(self, e: Equation, space: Scratch) -> None:
        """Makes the statement of an equation on tiles."""
        out = e.outputs[0]
        if is_full_reduction(e):
            call = ir.Call(ir.Attribute(total_ufunc(e), "reduce"), (self.nest(e.args[0]),),
                           (("axis", Literal(None)),))
            self.let(self.target(out), call, e.location)
        elif not self.into_operand(e):
            if out not in self.filled and e.op.ufunc and public_ufunc(e):
                self.names[out] = space.take(out) or space.add(out, self.fresh("work", False))
                self.variables.pop(self.names[out], None)  # it may be lent by a result
                self.filled |= {out}
            self.assign(e)
        space.used(e, self.names)

    def assign(self, e: Equation) -> None:
        if self.into_operand(e):
            return
        if e.op.ufunc is not None and self.is_term(e):
            self.term(e)
            return
        if e.op in STATEMENTS and (statement := STATEMENTS[e.op](self, e)) is not None:
            self.add(statement, e.location)
            return
        value = (self.into_filled(e) if self.filled else None) or (
            self.short_axis_sum(e) if e.op.reduction else None) or self.expression(e)
        must_check = self.must_check(e)
        if not must_check and not any(map(self.uses.__getitem__, e.outputs)):
            self.add(Do(value), e.location)
            return
        if not must_check and self.may_wait(e) and self.wait(e, value, MAX_INLINE):
            return
        self.take_dead_name(e)
        self.add(Let(tuple(map(self.target, e.outputs)), value), e.location)
        if must_check:
            self.check_number(e)

    def check_number(self, e: Equation) -> None:
        """Raises OverflowError where a number is not what NumPy's would be."""
        name = self.target(e.outputs[0])
        if unboxing.is_float(e.outputs[0].type):
            self.must_be_finite(name, e.location)
        else:
            self.add(Check(ir.Operator(INT64, (name,)), OVERFLOW), e.location)

    def must_be_finite(self, x: Expression, location: Location | None = None,
                       unless: Expression | None = None) -> None:
        """Raises OverflowError for a number that is infinite or NaN, `unless` it is the very object
        that another is."""
        test: Expression = ir.Operator("{0} - {1}", (x, x))
        if unless is not None:
            test = ir.Operator("{0} is not {1} and {0} - {0}", (x, unless))
        self.add(Check(test, OVERFLOW, "infinite or NaN"), location)

    def take_dead_name(self, e: Equation) -> None:
        """Gives a large array the name of a dead one: that frees its memory, as the same name in
        the user's own code does."""
        out = e.outputs[0]
        if self.reuse is None or self.filled or out in self.names or not out.type.is_large:
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
        return out in self.finite or (out in self.checked and unboxing.guards(e)) or (
            self.plan.exact and unboxing.may_hide(e))

    def may_wait(self, e: Equation) -> bool:
        """Returns True for a formula, or an effect, without a name, used once: it may stand where
        it is used."""
        if len(e.outputs) != 1 or e.outputs[0].hint or self.uses[e.outputs[0]] != 1:
            return False
        out = e.outputs[0]
        # A claimed name holds an older value, which expressions that wait may still read.
        if out in self.names or e.settings or e in self.pending_writes:
            return False
        if e.regions or e.op.inplace or e.op in STATEMENTS or e in self.plan.inplace:
            return False
        if e.op is GETITEM or e.op.effect or not isinstance(out.type, ArrayType):
            return True
        return is_formula(e) and not (out.type.is_large and self.lends(out))

    def lends(self, out: Value) -> bool:
        """Returns True if a large array may lend its memory to later results: then it has a name.
        """
        reuse = self.reuse
        return reuse is None or bool(self.filled) or any(
            e.op.ufunc is None or reuse.operand(e) in (out, None)
            for e in reuse.users.get(out, ()))

    def into_operand(self, e: Equation) -> bool:
        """Writes `v += x` or `np.exp(v, v)`, if v dies here and has the result's type."""
        if e.outputs[0] in self.names and e not in self.plan.sums:
            target = self.there_already(e)
        else:
            target = self.reuse.operand(e) if self.reuse is not None else None
        if target is None or target in self.pending:
            return False
        ufunc = public_ufunc(e)
        if ufunc is None:
            return False
        name = self.names[e.outputs[0]] = self.name_of(target)
        self.reused.add(name)
        if target in self.spaces:
            self.spaces[e.outputs[0]] = self.spaces[target]
        self.operate_into(e, ufunc, Name(name, e.outputs[0].type), e.location,
                          lambda x: x is target, e.op.commutative)
        return True

    def operate_into(self, e: Equation, ufunc: Global, target: Name | Global,
                     location: Location | None, is_target: Callable[[Atom], bool],
                     commutes: bool = False) -> None:
        """Makes `v += x` or `np.exp(v, v)`: an operation into memory that is there."""
        first, *others = e.args
        sign = e.op.augmented
        if commutes and len(others) == 1 and is_target(others[0]) and not is_target(first):
            first, others = others[0], [first]
        if sign and len(others) == 1 and is_target(first):
            self.add(Update(target, sign, self.argument(e, others[0])), location)
        else:
            self.add(Into(target, ufunc, self.given(e, ufunc), by_keyword=e.op.out_by_keyword),
                     location)

    def given(self, e: Equation, ufunc: Global) -> tuple[Expression, ...]:
        """Returns what is passed to an operation's ufunc."""
        args = e.args[:1] if ufunc.value is np.square else e.args
        return tuple(self.argument(e, a) for a in args)

    def there_already(self, e: Equation) -> Value | None:
        """Returns the operand that is in the very array meant for the result."""
        out = e.outputs[0]
        if out not in self.filled or e.op.ufunc is None:
            return None
        return next((x for x in e.inputs if self.names.get(x) == self.names[out]), None)

    def into_filled(self, e: Equation) -> Expression | None:
        """Returns the ufunc's call that puts the result into the array meant for it, or a new one
        if that is None."""
        ufunc = public_ufunc(e) if e.op.ufunc and e.outputs[0] in self.filled else None
        if ufunc is None:
            return None
        args, target = self.given(e, ufunc), self.target(e.outputs[0])
        if e.op.out_by_keyword:
            return ir.Call(ufunc, args, (("out", target),))
        return ir.Call(ufunc, (*args, target))

    # -- sums of few terms ------------------------------------------------------------------

    def short_axis_sum(self, e: Equation) -> Expression | None:
        """The call that sums along a short last axis."""
        count = short_sum(e)
        if not count:
            return None
        given = [self.nest(e.args[0])]
        if e.args[0] in self.spaces:
            given.append(self.spaces[e.args[0]])
        call = ir.Call(self.constant(short_axis_sum, "short_axis_sum"), tuple(given))
        return ir.Operator("{0} / {1}", (call, Literal(count))) if is_mean(e) else call

    def term(self, e: Equation) -> None:
        """`v, is_axis_major = axis_major(np.subtract, …)`: terms of such a sum."""
        operands = tuple(map(self.nest, e.args))
        out = e.outputs[0]
        flag = self.spaces[out] = Name(self.fresh("is_axis_major", False))
        shape, dtype = out.type.shape, out.type.dtype  # type: ignore[union-attr]
        ufunc = Global(f"np.{e.op.ufunc.__name__}", e.op.ufunc)
        call = ir.Call(self.constant(axis_major, "axis_major"),
                       (ufunc, self.nest(shape), self.nest(dtype), *operands))
        self.add(Let((self.target(out), flag), call), e.location)

    def is_term(self, e: Equation) -> bool:
        """Returns True if arrays are broadcast here, only for a sum of few terms."""
        out = e.outputs[0]
        t, reuse = out.type, self.reuse
        if reuse is None or len(e.args) != 2 or e.kwargs or not (
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
