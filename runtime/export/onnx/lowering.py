"""A graph as ONNX nodes: branches are `If`, loops are `Loop`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.export.kinds import (
    dtype_of,
    is_number,
    kind_name,
    kind_of_constant,
)
from autograph.runtime.export.lowering import (
    ABSENT,
    FIXPOINT,
    UNROLLED,
    Lowering,
    Rules,
    same,
    scoped,
    shown,
)
from autograph.runtime.export.onnx.builder import BOOL, INT64, Builder, Shape, T
from autograph.runtime.ir.graph import NESTS, Equation, Graph, leaves
from autograph.runtime.ir.regions import Branch, Loop
from autograph.runtime.ir.types import join_shapes
from autograph.runtime.ops.type_rules import Kind

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


class OnnxLowering(Lowering):
    """One export to ONNX; b builds the nodes."""

    target = "ONNX"

    def __init__(self, rules: Rules, checks: str = "refuse") -> None:
        super().__init__(rules, checks)
        self.b = Builder()

    def is_symbolic(self, x: Any) -> bool:
        return isinstance(x, (T, RangeOf))

    def dtype_of(self, x: Any) -> np.dtype[Any]:
        return x.dtype if isinstance(x, T) else INT64

    def length(self, x: Any) -> int | None:
        shape = x.shape if isinstance(x, T) else () if isinstance(x, RangeOf) else np.shape(x)
        return shape[0] if shape else None

    def cast(self, x: Any, dtype: np.dtype[Any] | None = None) -> Any:
        return self.tensor(x, dtype)

    # -- tensors ----------------------------------------------------------------------------------

    def tensor(self, x: Any, dtype: Any = None) -> T:
        """Returns a value as a tensor, cast as NumPy casts it."""
        if isinstance(x, RangeOf):
            self.refuse("a range as an array")
        if isinstance(x, T):
            return x if dtype is None else self.b.cast(x, dtype)
        if isinstance(x, (list, tuple)) and any(map(self.is_symbolic, leaves(x))):
            kind = np.dtype(dtype) if dtype is not None else self.kind_of_value(x)
            assert isinstance(kind, np.dtype)
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

    def truth(self, x: Any) -> T:
        """Returns the truth of a value, without dimensions."""
        x = self.tensor(x)
        if x.ndim and (not x.is_static or np.prod(x.shape) != 1):
            self.refuse("the truth value of an array with more than one element")
        return self.b.cast(self.b.reshape(x, ()), BOOL)

    # -- branches ---------------------------------------------------------------------------------

    def branch(self, e: Equation, predicate: Any) -> Sequence[Any]:
        view = Branch(e)
        for truth, side in view.sides():
            if any(self.raising(inner) for inner in side.equations):
                return self.run(view.side(not truth))
        test = self.truth(predicate)
        sides = [self._tried(lambda side=side: self.run(side), side)  # type: ignore[misc]
                 for _, side in view.sides()]
        plan = [self._joined(a, b) for a, b in zip(*sides, strict=True)]
        forms = [form for _, form in plan if form is not None]
        if not forms:
            return [x for x, _ in plan]
        graphs = [self._side(side, plan) for _, side in view.sides()]
        found = iter(self.b.several("If", [test], [(dtype_of(k), s) for k, s in forms],
                                    then_branch=graphs[0], else_branch=graphs[1]))
        return [x if form is None else next(found) for x, form in plan]

    def _side(self, side: Graph, plan: Sequence[tuple[Any, Form | None]]) -> Any:
        with self.b.nested() as nodes, scoped(self):
            made = self._given(self.run(side), plan)
        return self.b.graph(nodes, side.name or "branch", [], made)

    def _given(self, outputs: Sequence[Any], plan: Sequence[tuple[Any, Form | None]]) -> list[T]:
        """Returns the outputs of a nested graph, in the dtypes of the plan."""
        made = []
        for x, (_, form) in zip(outputs, plan, strict=True):
            if form is not None:
                kind, shape = form
                out = self.b.given(self.tensor(0 if x is ABSENT else x, dtype_of(kind)))
                made.append(T(self.b, out.name, out.dtype, shape))
        return made

    def _tried(self, run: Callable[[], list[Any]], region: Graph) -> list[tuple[Any, Form | None]]:
        """Runs a region whose nodes are not kept: its outputs, and the forms of those that are
        symbolic."""
        with self.b.nested(), scoped(self):
            outputs = run()
            return [(x, self._form(atom, x)) for atom, x in zip(
                region.outputs, outputs, strict=True)]

    def _form(self, atom: Any, x: Any) -> Form | None:
        if isinstance(x, RangeOf) or (x.__class__ in NESTS and any(
                map(self.is_symbolic, leaves(x)))):
            self.refuse("a list, tuple or range is a result of a branch or loop",
                        hint="give its items as variables of their own")
        kind = self.kind(atom) if isinstance(x, T) else None
        return None if kind is None else (kind, x.shape)

    def _joined(self, a: tuple[Any, Form | None], b: tuple[Any, Form | None]
                ) -> tuple[Any, Form | None]:
        (x, fx), (y, fy) = a, b
        if x is ABSENT or y is ABSENT:
            return (y, fy) if x is ABSENT else (x, fx)
        if fx is None and fy is None and same(x, y):
            return x, None
        return x, self._common(x, fx, y, fy, "the sides give")

    def _common(self, x: Any, fx: Form | None, y: Any, fy: Form | None, what: str) -> Form:
        """Returns the form of a value that is one thing or another."""
        for value, form in ((x, fx), (y, fy)):
            if form is None and not is_number(value):
                other = fy if value is x else fx
                self.refuse(f"{what} {shown(value)} and "
                            f"{'a number' if other else shown(y if value is x else x)}",
                            hint="start with a number or an array of the same shape")
        kind, shape = fx or (kind_of_constant(x), np.shape(x))
        other_kind, other_shape = fy or (kind_of_constant(y), np.shape(y))
        joined = join_shapes(shape, other_shape)
        if joined is None:
            self.refuse(f"{what} arrays of {len(shape)} and {len(other_shape)} dimensions")
        return self.of_paths(kind, other_kind), joined  # type: ignore[return-value]

    # -- loops ------------------------------------------------------------------------------------

    def loop(self, e: Equation) -> Sequence[Any]:
        loop = Loop(e)
        start = [(self.read(a), self._form(a, self.read(a))) for a in loop.initial]
        items = self.read(loop.iterable) if loop.is_for else None
        if isinstance(items, (list, tuple)):
            return self._unrolled(loop, [x for x, _ in start], items)
        if isinstance(items, range) and not len(items):
            return [x for x, _ in start]
        count, item, kind = self._items(loop, items)
        plan = self._settled(loop, start, item, kind)
        forms = [form for _, form in plan if form is not None]
        initial = [self.tensor(x, dtype_of(form[0])) for (x, _), (_, form) in zip(
            start, plan, strict=True) if form is not None]
        going = None if loop.test is None else self._test(
            loop, self._filled(plan, iter(initial)), [f and f[0] for _, f in plan])
        body = self._body(loop, plan, item, kind)
        found = iter(self.b.several("Loop", [count, going, *initial],
                                    [(dtype_of(k), s) for k, s in forms], body=body))
        return [x if form is None else next(found) for x, form in plan]

    def _unrolled(self, loop: Loop, carried: list[Any], items: Any) -> Sequence[Any]:
        if len(items) > UNROLLED or loop.test is not None:
            self.refuse(f"a loop over {shown(items)}")
        for item in items:
            carried = self.region(loop.body, [item, *carried])
        return carried

    def _items(self, loop: Loop, items: Any) -> tuple[T | None, Callable[[T], T] | None, Any]:
        """Returns the number of iterations, what gives the item of each, and its kind."""
        b = self.b
        if not loop.is_for:
            return None, None, None
        if isinstance(items, range):
            start, step = items.start, items.step
            return b.constant(np.int64(len(items))), lambda i: i * step + start, int
        if isinstance(items, RangeOf):
            return items.length, lambda i: i * items.step + items.start, int
        xs = self.tensor(items)
        length = b.dim(xs, 0)
        return (length if isinstance(length, T) else b.constant(np.int64(length)),
                lambda i: b.node("Gather", [xs, i], xs.dtype, xs.shape[1:], axis=0), None)

    def _body(self, loop: Loop, plan: list[tuple[Any, Form | None]],
              item: Callable[[T], T] | None, kind: Any) -> Any:
        b = self.b
        number, going = T(b, b.fresh("i"), INT64, ()), T(b, b.fresh("going"), BOOL, ())
        carried = [T(b, b.fresh("carried"), dtype_of(form[0]), form[1])
                   for _, form in plan if form is not None]
        with b.nested() as nodes, scoped(self):
            values = self._filled(plan, iter(carried))
            kinds = [form and form[0] for _, form in plan]
            lead = [] if item is None else [item(number)]
            outputs = self.region(loop.body, [*lead, *values], [*(kind for _ in lead), *kinds])
            made = self._given(outputs, plan)
            again = b.given(going) if loop.test is None else b.given(self._test(
                loop, self._filled(plan, iter(made)), kinds))
        return b.graph(nodes, loop.body.name or "body", [number, going, *carried], [again, *made])

    def _test(self, loop: Loop, values: list[Any], kinds: list[Any]) -> T:
        assert loop.test is not None
        with scoped(self):
            (asked,) = self.region(loop.test, values, kinds)
            return self.truth(asked)

    def _filled(self, plan: list[tuple[Any, Form | None]], found: Any) -> list[Any]:
        return [x if form is None else next(found) for x, form in plan]

    def _settled(self, loop: Loop, start: list[tuple[Any, Form | None]],
                 item: Callable[[T], T] | None, kind: Any) -> list[tuple[Any, Form | None]]:
        """Finds the forms of carried values: a constant that no iteration changes stays one."""
        plan = start
        for _ in range(FIXPOINT):
            outputs = self._tried(lambda plan=plan: self._once(  # type: ignore[misc]
                loop, plan, item, kind), loop.body)
            new = [self._widened(old, out) for old, out in zip(plan, outputs, strict=True)]
            if [shown_form(f) for _, f in new] == [shown_form(f) for _, f in plan]:
                return plan
            plan = new
        self.refuse("the types of the carried values do not settle")

    def _once(self, loop: Loop, plan: list[tuple[Any, Form | None]],
              item: Callable[[T], T] | None, kind: Any) -> list[Any]:
        b = self.b
        found = iter([T(b, "tried", dtype_of(form[0]), form[1]) for _, form in plan if form])
        lead = [] if item is None else [item(T(b, "tried", INT64, ()))]
        return self.region(loop.body, [*lead, *self._filled(plan, found)],
                           [*(kind for _ in lead), *(form and form[0] for _, form in plan)])

    def _widened(self, old: tuple[Any, Form | None], out: tuple[Any, Form | None]
                 ) -> tuple[Any, Form | None]:
        (x, fx), (y, fy) = old, out
        if fx is None and fy is None and same(x, y):
            return old
        if y is ABSENT:
            return old
        return x, self._common(x, fx, y, fy, "a variable is")
