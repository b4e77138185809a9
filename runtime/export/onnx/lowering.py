"""A graph as ONNX nodes: branches are `If`, loops are `Loop`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from autograph.locks import cached_property
from autograph.runtime.export.joins import (
    NOTHING,
    Column,
    Leaf,
    OneOf,
    Plan,
    Rows,
    emptied,
    grown_lists,
    is_absent,
    same,
    with_appended,
)
from autograph.runtime.export.kinds import (
    PATHS,
    Kind,
    dtype_of,
    is_number,
    joined_dtype,
    kind_name,
    kind_of_constant,
)
from autograph.runtime.export.lowering import (
    FIXPOINT,
    LONGEST,
    UNROLLED,
    UNSETTLED,
    Lowering,
    Rules,
    scoped,
    shown,
)
from autograph.runtime.export.onnx import lists
from autograph.runtime.export.onnx.builder import BOOL, INT64, Builder, Shape, T
from autograph.runtime.export.sites import Site
from autograph.runtime.ir.graph import Equation, Graph, Value, leaves
from autograph.runtime.ir.regions import Branch, Loop
from autograph.runtime.ir.types import join_shapes

Form = tuple[Kind, Shape]
"""The kind and shape of a value that a branch gives or a loop carries."""

def shown_form(form: Form | None) -> tuple[str, Shape] | None:
    """Returns a form that can be compared."""
    return None if form is None else (kind_name(form[0]), form[1])


class RangeOf:
    """A `range` whose ends only the run knows."""

    def __init__(self, start: T, step: T, length: T) -> None:
        self.start = start
        self.step = step
        self.length = length


@dataclass(frozen=True)
class Iterations:
    """The iterations of a loop.

    length, count  the number of iterations: if it is known, and as a tensor; None for a `while`.
    item, kind     gives the item of an iteration by its number; and its kind, if it is Python's.
    """

    loop: Loop
    length: int | None = None
    count: T | None = None
    item: Callable[[T], Any] | None = None
    kind: Kind | None = None

    @cached_property
    def grown(self) -> list[int]:
        """The numbers of the carried values that are lists to which each iteration appends."""
        known = self.length is not None and 0 < self.length <= LONGEST
        return grown_lists(self.loop) if known else []


@dataclass
class Written:
    """A side of a branch, all but its end.

    outputs     its outputs, as nests of `Leaf`s.
    env, kinds  what is known of values at its end.
    """

    graph: Graph
    nodes: list[Any]
    outputs: list[Any]
    env: dict[Value, Any]
    kinds: dict[Value, Kind]


class OnnxLowering(Lowering):
    """One export to ONNX; b builds the nodes."""

    target = "ONNX"
    has_rows = True

    def __init__(self, rules: Rules, checks: str = "refuse") -> None:
        super().__init__(lists.with_lists(rules), checks)
        self.b = Builder()

    def is_symbolic(self, x: Any) -> bool:
        return isinstance(x, (T, RangeOf, Rows, OneOf))

    def dtype_of(self, x: Any) -> np.dtype[Any]:
        if isinstance(x, Rows):
            kind = self.kind_of_value([x.item])
            return np.dtype(object) if kind is None else dtype_of(kind)
        return x.dtype if isinstance(x, T) else INT64

    def result_kind(self, e: Equation, value: Value) -> Kind | None:
        found = self.env[value]
        known = self.weak.get(id(found)) if isinstance(found, T) else None
        return super().result_kind(e, value) if known is None else known[1]

    def length(self, x: Any) -> int | None:
        shape = x.shape if isinstance(x, T) else () if isinstance(x, RangeOf) else np.shape(x)
        return shape[0] if shape else None

    def cast(self, x: Any, dtype: np.dtype[Any] | None = None) -> Any:
        return self.tensor(x, dtype)

    def site(self, site: Site, *args: Any) -> Site:
        """Returns a call with other arguments."""
        return replace(site, args=args, kinds=[self.kind_of_value(x) for x in args])

    # -- tensors ----------------------------------------------------------------------------------

    def tensor(self, x: Any, dtype: Any = None) -> T:
        """Returns a value as a tensor, cast as NumPy casts it."""
        if isinstance(x, RangeOf):
            self.refuse("a range as an array")
        if isinstance(x, OneOf):
            self.refuse("what is of unlike structure on the paths, as an array")
        if isinstance(x, Rows):
            x = x.item
            if not isinstance(x, T):
                self.refuse("a list of containers as an array")
        if isinstance(x, T):
            return x if dtype is None else self.b.cast(x, dtype)
        if isinstance(x, (list, tuple)) and any(map(self.is_symbolic, leaves(x))):
            kind = np.dtype(dtype) if dtype is not None else self.kind_of_value(x)
            assert kind is not None
            kind = joined_dtype(kind)
            return self.stack([self.tensor(v, kind) for v in x], 0)
        if not is_number(x) and not isinstance(x, (list, tuple, range)):
            self.refuse(f"{shown(x)} is no number")
        with np.errstate(all="ignore"):
            return self.b.constant(x, dtype)

    def stack(self, xs: Sequence[T], axis: int) -> T:
        """Returns tensors of one shape along a new axis."""
        if len({x.ndim for x in xs}) > 1 or any(
                len({d for d in row if d is not None}) > 1 for row in zip(
                    *(x.shape for x in xs), strict=True)):
            self.refuse("a list of arrays of unlike shapes as one array")
        rows = [self.unsqueeze(x, axis) for x in xs]
        shape = list(rows[0].shape)
        shape[axis] = len(rows)
        return self.b.node("Concat", rows, rows[0].dtype, tuple(shape), axis=axis)

    def unsqueeze(self, x: T, *axes: int) -> T:
        """Returns a tensor with axes of length 1 at these positions of the result."""
        shape = list(x.shape)
        for axis in sorted(axes):
            shape.insert(axis, 1)
        return self.b.node("Unsqueeze", [x, self.b.ints(*axes)], x.dtype, tuple(shape))

    def truth_of_array(self, x: Any) -> T:
        if isinstance(x, Rows):
            return lists.count(self, x) > 0
        x = self.tensor(x)
        if x.ndim and (not x.is_static or np.prod(x.shape) != 1):
            self.refuse("the truth value of an array with more than one element")
        return self.b.cast(self.b.reshape(x, ()), BOOL)

    # -- branches ---------------------------------------------------------------------------------

    def kind_of_form(self, form: Form) -> Kind:
        return form[0]

    def branch(self, e: Equation, predicate: Any) -> Sequence[Any]:
        view = Branch(e)
        for truth, side in view.sides():
            if any(self.raising(inner) for inner in side.equations):
                return self.run(view.side(not truth))
        test = self.truth(predicate)
        sides = [self._written(side, predicate, truth) for truth, side in view.sides()]
        one, other = (written.outputs for written in sides)
        plan = lists.checked(self, self.with_test(
            Plan.joined(one, other, self.joined_side, rows=True), test))
        if not plan.symbolic:
            return plan.filled(())
        graphs = [self._side(written, plan) for written in sides]
        return self.filled(plan, self.b.several(
            "If", [test], self._typed(plan), then_branch=graphs[0], else_branch=graphs[1]))

    def _typed(self, plan: Plan) -> list[tuple[np.dtype[Any], Shape]]:
        return [(dtype_of(kind), shape) for _, (kind, shape) in plan.symbolic]

    def _written(self, side: Graph, predicate: Any, truth: bool) -> Written:
        """Writes the nodes of a side, once: sides in sides would else take ever longer."""
        with self.b.nested() as nodes, scoped(self):
            self.assume(predicate, truth)
            self.run(side)
            outputs = list(map(self.leaf_nest, side.outputs))
            return Written(side, nodes, outputs, self.env, self.kinds)

    def _side(self, written: Written, plan: Plan) -> Any:
        """Ends a side with the outputs that a plan wants."""
        with self.b.nested(written.nodes), scoped(self):
            self.env, self.kinds = written.env, written.kinds
            made = self.given(written.outputs, plan)
        return self.b.graph(written.nodes, written.graph.name or "branch", [], made)

    def given(self, outputs: Sequence[Any], plan: Plan) -> list[T]:
        made = []
        for x, (_, (kind, shape)) in plan.given(outputs):
            out = self.b.given(self.start(x, kind, shape))
            made.append(T(self.b, out.name, out.dtype, shape))
        return made

    def start(self, x: Any, kind: Kind, shape: Shape) -> T:
        """Returns a value in the dtype of a plan; zeros for what is not there on this path."""
        if isinstance(x, Column):
            return lists.as_array(self, x, dtype_of(kind), shape)
        missing = np.zeros([1 if d is None else d for d in shape])
        return self.tensor(missing if is_absent(x) else x, dtype_of(kind))

    def _tried(self, run: Callable[[], list[Any]], region: Graph) -> list[Any]:
        """Runs a region whose nodes are not kept: its outputs as nests of `Leaf`s."""
        with self.b.nested(), scoped(self):
            run()
            return list(map(self.leaf_nest, region.outputs))

    def leaf(self, x: Any, kind: Kind | None) -> Leaf:
        if isinstance(x, RangeOf):
            self.refuse("a range is a result of a branch or loop")
        made = super().leaf(x, kind)
        return Leaf(x, (kind, x.shape)) if isinstance(x, T) else made

    def joined_leaf(self, a: Leaf, b: Leaf, what: str = "the sides give") -> Leaf:
        """Returns what a branch gives: a constant, or a value of a form."""
        if isinstance(a, Column) or isinstance(b, Column):
            return lists.joined_leaf(self, a, b)
        if a is NOTHING or b is NOTHING:
            return b if a is NOTHING else a
        if a.form is None and b.form is None and same(a.value, b.value):
            return a
        return Leaf(a.value, self.common(a, b, what))

    def common(self, a: Leaf, b: Leaf, what: str) -> Form:
        """Returns the form of a value that is one thing or another."""
        for leaf, other in ((a, b), (b, a)):
            if leaf.form is None and not is_number(leaf.value):
                self.refuse(f"{what} {shown(leaf.value)} and "
                            f"{'a number' if other.form else shown(other.value)}",
                            hint="start with a number or an array of the same shape")
        (kind, shape), (other_kind, other_shape) = [
            leaf.form or (kind_of_constant(leaf.value), np.shape(leaf.value)) for leaf in (a, b)]
        joined = join_shapes(shape, other_shape)
        if joined is None:
            self.refuse(f"{what} arrays of {len(shape)} and {len(other_shape)} dimensions")
        told = f"{what} of dtype {{}} and {{}}" if what is lists.ITEMS else PATHS
        return self.of_paths(kind, other_kind, told=told), tuple(
            d if isinstance(d, int) else None for d in joined)

    # -- loops ------------------------------------------------------------------------------------

    def loop(self, e: Equation) -> Sequence[Any]:
        loop = Loop(e)
        start = self.read(loop.initial)
        items = self.read(loop.iterable) if loop.is_for else None
        if isinstance(items, (list, tuple)):
            return self._unrolled(loop, start, items)
        if isinstance(items, range) and not len(items):
            return list(start)
        run = self._iterations(loop, items)
        plan, appended, after = self._settled(run)
        before = emptied([*map(self.leaf_nest, loop.initial)], run.grown)
        initial = [self.start(x, *leaf.form) for x, leaf in plan.given(before)]
        going = (self.b.constant(np.bool_(True)) if loop.test is None  # ONNX's reference wants one
                 else self._test(loop, plan, initial))
        series = [(dtype, (run.length, *shape)) for dtype, shape in self._typed(appended)]
        found = self.b.several(
            "Loop", [run.count, going, *initial], [*self._typed(plan), *series],
            body=self._body(run, plan, appended))
        last = len(initial)
        rows = [self._row_for_each(x) for x in found[last:]]
        return with_appended(self.filled(after, found[:last]), start, run.grown, (
            appended.filled([self._item(x, self.b.constant(np.int64(i))) for x in rows])
            for i in range(run.length or 0)), partial(lists.joined, self))

    def _unrolled(self, loop: Loop, carried: list[Any], items: Any) -> Sequence[Any]:
        if len(items) > UNROLLED or loop.test is not None:
            self.refuse(f"a loop over {shown(items)}")
        for item in items:
            carried = self.region(loop.body, [item, *carried])
        return carried

    def _row_for_each(self, series: T) -> T:
        """Returns what the iterations gave, told its shape: ONNX's reference makes a column of
        numbers, and one matrix of matrices."""
        shape = [d for d in series.shape if d is not None]
        if series.ndim == 2 or len(shape) < series.ndim:
            return series
        return self.b.reshape(replace(series, shape=(None,) * series.ndim), shape)

    def _item(self, xs: T, number: T) -> T:
        return self.b.node("Gather", [xs, number], xs.dtype, xs.shape[1:], axis=0)

    def _iterations(self, loop: Loop, items: Any) -> Iterations:
        b = self.b
        if not loop.is_for:
            return Iterations(loop)
        if isinstance(items, range):
            start, step, length = items.start, items.step, len(items)
            return Iterations(loop, length, b.constant(np.int64(length)),
                              lambda i: i * step + start, int)
        if isinstance(items, Rows):
            return Iterations(loop, None, lists.count(self, items), lambda i: lists.of_items(
                self, items, lambda xs: self._item(xs, i)))
        if isinstance(items, RangeOf):
            return Iterations(loop, None, items.length, lambda i: i * items.step + items.start, int)
        xs = self.tensor(items)
        known = b.dim(xs, 0)
        if isinstance(known, T):
            return Iterations(loop, None, known, partial(self._item, xs))
        return Iterations(loop, known, b.constant(np.int64(known)), partial(self._item, xs))

    def _body(self, run: Iterations, plan: Plan, appended: Plan) -> Any:
        b = self.b
        number, going = T(b, b.fresh("i"), INT64, ()), T(b, b.fresh("going"), BOOL, ())
        carried = [T(b, b.fresh("carried"), *form) for form in self._typed(plan)]
        with b.nested() as nodes, scoped(self):
            outputs = self._once(run, plan, carried, number)
            made = self.given(emptied(outputs, run.grown), plan)
            more = self.given([outputs[k] for k in run.grown], appended)
            again = b.given(going if run.loop.test is None else self._test(run.loop, plan, made))
        return b.graph(nodes, run.loop.body.name or "body", [number, going, *carried],
                       [again, *made, *more])

    def _once(self, run: Iterations, plan: Plan, carried: Sequence[T], number: T) -> list[Any]:
        lead = [] if run.item is None else [run.item(number)]
        self.region(run.loop.body, [*lead, *self.filled(plan, carried)],
                    [*(run.kind for _ in lead), *self._kinds(plan)])
        return [*map(self.leaf_nest, run.loop.body.outputs)]

    def _kinds(self, plan: Plan) -> list[Kind | None]:
        return [form and form[0] for form in plan.forms]

    def _test(self, loop: Loop, plan: Plan, carried: Sequence[T]) -> T:
        assert loop.test is not None
        with scoped(self):
            (asked,) = self.region(loop.test, self.filled(plan, carried), self._kinds(plan))
            found: T = self.truth(asked)
            return found

    def _settled(self, run: Iterations) -> tuple[Plan, Plan, Plan]:
        """Finds the forms of carried values, of what an iteration appends to lists, and of the
        loop's results: a constant that no iteration changes stays one."""
        plan = Plan.of(emptied([self.leaf_nest(a) for a in run.loop.initial], run.grown))
        for _ in range(FIXPOINT):
            outputs = self._tried(lambda plan=plan: self._once(  # type: ignore[misc]
                run, plan, [T(self.b, "tried", *form) for form in self._typed(plan)],
                T(self.b, "tried", INT64, ())), run.loop.body)
            new = lists.checked(self, Plan.joined(
                plan.nests, emptied(outputs, run.grown),
                partial(self.joined_leaf, what="a variable is"), rows=True))
            if new.is_like(plan, shown_form):
                return plan, Plan.of([outputs[k] for k in run.grown]), (
                    plan.narrowed(emptied(outputs, run.grown))
                    if run.length and run.loop.test is None else plan)
            plan = new
        self.refuse("the types of the carried values do not settle", hint=UNSETTLED)
