"""A graph as JAX operations: branches are `lax.cond`, loops `lax.scan` and `lax.while_loop`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.export.extras import require
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
    Site,
    same,
    scoped,
    shown,
)
from autograph.runtime.ir.graph import NESTS, Equation, Graph, leaves
from autograph.runtime.ir.regions import Branch, Loop
from autograph.runtime.ops.type_rules import Kind

Carried = tuple[Any, Kind | None]
"""A carried value before the loop, and the kind that it has in the loop; None: it stays."""


class Masked:
    """`x[mask]` for a mask that only the run knows: the array and the mask, as JAX knows shapes."""

    def __init__(self, array: Any, mask: Any) -> None:
        self.array = array
        self.mask = mask
        self.dtype = array.dtype


class JaxLowering(Lowering):
    """One export to JAX. jax, jnp, lax: the library's modules."""

    target = "JAX"

    def __init__(self, rules: Rules, checks: str = "refuse") -> None:
        super().__init__(rules, checks)
        self.jax = require("jax", "jax")
        self.jnp = require("jax.numpy", "jax")
        self.lax = require("jax.lax", "jax")
        self.dtypes = require("jax.dtypes", "jax")

    def is_symbolic(self, x: Any) -> bool:
        return isinstance(x, (self.jax.Array, Masked))

    def dtype_of(self, x: Any) -> np.dtype[Any]:
        dtype: np.dtype[Any] = np.dtype(x.dtype)
        return dtype

    def length(self, x: Any) -> int | None:
        return None if isinstance(x, Masked) or not np.ndim(x) else len(x)

    def cast(self, x: Any, dtype: np.dtype[Any] | None = None) -> Any:
        return self.array(x, dtype)

    # -- arrays -----------------------------------------------------------------------------------

    def array(self, x: Any, dtype: Any = None) -> Any:
        """Returns a JAX array of a dtype, which is cast as NumPy casts it."""
        if isinstance(x, Masked):
            return Masked(self.array(x.array, dtype), x.mask)
        if not self.is_symbolic(x) and isinstance(x, (list, tuple)) and any(
                self.is_symbolic(v) for v in leaves(x)):
            return self.jnp.stack([self.array(v, dtype) for v in x])
        dtype = None if dtype is None else self.dtypes.canonicalize_dtype(dtype)
        if not self.is_symbolic(x):
            if not all(map(is_number, leaves(x) if isinstance(x, (list, tuple)) else [x])):
                self.refuse(f"{shown(x)} is no array of numbers")
            x = np.asarray(x)
            return self.jnp.asarray(x.astype(dtype) if dtype is not None else x)
        if dtype is None or x.dtype == dtype:
            return self.jnp.asarray(x)
        if self.jnp.issubdtype(x.dtype, self.jnp.complexfloating) and not (
                self.jnp.issubdtype(dtype, self.jnp.complexfloating)) and (
                        np.dtype(dtype).kind != "b"):
            x = x.real
        return x.astype(dtype)

    def typed(self, site: Site, x: Any, number: int = 0) -> Any:
        """Returns a result in the dtype that the graph says."""
        dtype = site.dtype(number)
        return self.array(x, dtype) if dtype is not None and self.is_symbolic(x) else x

    # -- branches ---------------------------------------------------------------------------------

    def branch(self, e: Equation, predicate: Any) -> Sequence[Any]:
        view = Branch(e)
        test = self.truth(predicate)
        sides = [self._tried(view.side(truth)) for truth in (True, False)]
        for number, outputs in enumerate(sides):
            if outputs is None:  # this side raises: what is left is the other
                return self.run(view.side(bool(number)))
        plan = [self._joined(a, b) for a, b in zip(*sides, strict=True)]
        results = self.lax.cond(test, *(self._side(view.side(truth), plan)
                                        for truth in (True, False))) if any(
            kind is not None for _, kind in plan) else ()
        found = iter(results)
        return [next(found) if kind is not None else x for x, kind in plan]

    def truth(self, x: Any) -> Any:
        """Returns the truth of a value, as JAX's control flow wants it."""
        x = self.jnp.asarray(x)
        if x.ndim and x.size != 1:
            self.refuse("the truth value of an array with more than one element")
        return x.reshape(()).astype(bool)

    def _tried(self, side: Graph) -> list[tuple[Any, Kind | None]] | None:
        """Returns each output of a side: a constant, or its kind; None if the side raises."""
        if any(self.raising(e) for e in side.equations):
            return None
        return self.outputs_of(lambda: self.run(side), side)

    def outputs_of(self, run: Callable[[], list[Any]], region: Graph, *traced: Any
                   ) -> list[tuple[Any, Kind | None]]:
        """Runs a region abstractly: what each output is, and its kind if it is symbolic."""
        found: list[tuple[Any, Kind | None]] = []

        def trace(*args: Any) -> list[Any]:
            found.clear()
            outputs = run(*args)
            for atom, x in zip(region.outputs, outputs, strict=True):
                symbolic = self.is_symbolic(x) or self._holds_symbolic(x)
                found.append((x, self.kind(atom) if symbolic else None))
            return [x for x in outputs if self.is_symbolic(x) and not isinstance(x, Masked)]

        with scoped(self):
            shapes = iter(self.jax.eval_shape(trace, *traced))
        return [(next(shapes) if isinstance(x, self.jax.Array) else x, kind) for x, kind in found]

    def _holds_symbolic(self, x: Any) -> bool:
        if x.__class__ in NESTS or isinstance(x, Masked):
            self.refuse("a list, tuple or masked array is a result of a branch or loop",
                        hint="give its items as variables of their own")
        return False

    def _joined(self, a: tuple[Any, Kind | None], b: tuple[Any, Kind | None]
                ) -> tuple[Any, Kind | None]:
        """Returns what a branch gives: a constant with None, or a kind."""
        (x, kx), (y, ky) = a, b
        if x is ABSENT or y is ABSENT:
            return (y, ky) if x is ABSENT else (x, kx)
        if kx is None and ky is None and same(x, y):
            return x, None
        for value, kind in (a, b):
            if kind is None and not is_number(value):
                self.refuse(f"one side gives {shown(value)}, the other a number"
                            if (kx is None) != (ky is None) or is_number(x) != is_number(y)
                            else f"the sides give {shown(x)} and {shown(y)}")
        if np.shape(x) != np.shape(y):
            self.refuse(f"the sides give arrays of the shapes {np.shape(x)} and {np.shape(y)}")
        return x, self.of_paths(*(kind_of_constant(v) if k is None else k for v, k in (a, b)))

    def _side(self, region: Graph, plan: Sequence[Carried]) -> Callable[[], list[Any]]:
        def run() -> list[Any]:
            with scoped(self):
                outputs = self.run(region)
            return [self.array(x, dtype_of(kind)) if x is not ABSENT else None
                    for x, (_, kind) in zip(outputs, plan, strict=True) if kind is not None]

        return run

    # -- loops ------------------------------------------------------------------------------------

    def loop(self, e: Equation) -> Sequence[Any]:
        loop = Loop(e)
        kinds = [self.kind(a) if self.is_symbolic(self.read(a)) else None for a in loop.initial]
        initial = list(zip(self.read(loop.initial), kinds, strict=True))
        if not loop.is_for:
            return self._while(loop, initial, None)
        items = self.read(loop.iterable)
        if isinstance(items, range) or self.is_symbolic(items) or (
                isinstance(items, np.ndarray) and is_number(items)):
            return self._while(loop, initial, items)
        if isinstance(items, SymbolicRange):
            return self._while(loop, initial, items)
        return self._unrolled(loop, initial, items)

    def _unrolled(self, loop: Loop, initial: list[Carried], items: Any) -> Sequence[Any]:
        if not isinstance(items, (list, tuple)) or len(items) > UNROLLED or loop.test is not None:
            self.refuse(f"a loop over {shown(items)}")
        carried = [x for x, _ in initial]
        for item in items:
            carried = self.region(loop.body, [item, *carried])
        return carried

    def _while(self, loop: Loop, initial: list[Carried], items: Any) -> Sequence[Any]:
        if loop.constant_length == 0 or (items is not None and not isinstance(
                items, SymbolicRange) and len(items) == 0):
            return [x for x, _ in initial]
        plan = self._settled(loop, initial, items)
        start = [self.array(x, dtype_of(kind)) for x, kind in plan if kind is not None]
        if items is not None and loop.test is None and not isinstance(items, SymbolicRange):
            results = self._scan(loop, plan, start, items)
        else:
            results = self._general(loop, plan, start, items)
        found = iter(results)
        return [next(found) if kind is not None else x for x, kind in plan]

    def _scan(self, loop: Loop, plan: list[Carried], start: list[Any], items: Any) -> list[Any]:
        xs = self.array(np.asarray(items) if isinstance(items, range) else items)

        def step(carried: list[Any], item: Any) -> tuple[list[Any], None]:
            return self._body(loop, plan, carried, item), None

        results: list[Any] = self.lax.scan(step, start, xs)[0]
        return results

    def _general(self, loop: Loop, plan: list[Carried], start: list[Any], items: Any) -> list[Any]:
        xs, count = self._item_source(items)

        def going(state: tuple[Any, list[Any]]) -> Any:
            number, carried = state
            more = True if count is None else number < count
            if loop.test is None:
                return self.jnp.asarray(more)
            with scoped(self):
                (asked,) = self.region(loop.test, *self._filled(plan, carried))
                return self.jnp.logical_and(more, self.truth(asked))

        def step(state: tuple[Any, list[Any]]) -> tuple[Any, list[Any]]:
            number, carried = state
            return number + 1, self._body(loop, plan, carried, xs and xs(number))

        zero = self.jnp.asarray(0, self.dtypes.canonicalize_dtype(np.int64))
        results: list[Any] = self.lax.while_loop(going, step, (zero, start))[1]
        return results

    def _item_source(self, items: Any) -> tuple[Callable[[Any], Any] | None, Any]:
        if items is None:
            return None, None
        if isinstance(items, range):
            items = SymbolicRange(self, items.start, items.stop, items.step)
        if isinstance(items, SymbolicRange):
            return items.item, items.length
        xs = self.array(items)
        return (lambda i: xs[i]), len(xs)

    def _body(self, loop: Loop, plan: list[Carried], carried: list[Any], item: Any) -> list[Any]:
        with scoped(self):
            values, kinds = self._filled(plan, carried)
            lead = [item] if loop.is_for else []
            outputs = self.region(loop.body, [*lead, *values], [*self._lead(loop), *kinds])
        return [self.array(x, dtype_of(kind)) for x, (_, kind) in zip(outputs, plan, strict=True)
                if kind is not None]

    def _lead(self, loop: Loop) -> list[Kind | None]:
        """Returns the kind of the items: those of a range are Python ints."""
        if not loop.is_for:
            return []
        return [int if isinstance(self.read(loop.iterable), (range, SymbolicRange)) else None]

    def _filled(self, plan: list[Carried], carried: list[Any]
                ) -> tuple[list[Any], list[Kind | None]]:
        found = iter(carried)
        values = [next(found) if kind is not None else x for x, kind in plan]
        return values, [kind for _, kind in plan]

    def _settled(self, loop: Loop, initial: list[Carried], items: Any) -> list[Carried]:
        """Finds the kinds of carried values: a constant that no iteration changes stays one."""
        plan = list(initial)
        for _ in range(FIXPOINT):
            traced = [self.jax.ShapeDtypeStruct(
                np.shape(x), self.dtypes.canonicalize_dtype(dtype_of(kind)))
                for x, kind in plan if kind is not None]
            xs, _ = self._item_source(items)

            def run(*carried: Any, plan: list[Carried] = plan, xs: Any = xs) -> list[Any]:
                values, kinds = self._filled(plan, list(carried))
                item = xs and xs(self.jnp.asarray(0))
                lead = [item] if loop.is_for else []
                if loop.test is not None:
                    self.region(loop.test, values, kinds)
                return self.region(loop.body, [*lead, *values], [*self._lead(loop), *kinds])

            outputs = self.outputs_of(run, loop.body, *traced)
            new = [self._widened(old, out) for old, out in zip(plan, outputs, strict=True)]
            if [kind_name(k) for _, k in new] == [kind_name(k) for _, k in plan]:
                return plan
            plan = new
        self.refuse("the types of the carried values do not settle")

    def _widened(self, old: Carried, out: tuple[Any, Kind | None]) -> Carried:
        (x, kind), (y, new) = old, out
        if kind is None and new is None and same(x, y):
            return old
        if (kind is None and not is_number(x)) or (new is None and not is_number(y)):
            self.refuse(f"a variable is {shown(x)} before the loop and "
                        f"{shown(y) if new is None else 'a number'} after an iteration",
                        hint="start it with a number or an array of the same shape")
        if np.shape(x) != np.shape(y):
            self.refuse(f"an array of the shape {np.shape(x)} becomes one of {np.shape(y)}: "
                        "JAX's shapes do not change in a loop")
        return x, self.of_paths(*(kind_of_constant(v) if k is None else k for v, k in (old, out)))


class SymbolicRange:
    """A `range` whose ends only the run knows."""

    def __init__(self, lowering: JaxLowering, start: Any, stop: Any, step: Any) -> None:
        jnp = lowering.jnp
        start, stop, self.step = (lowering.array(x, np.int64) for x in (start, stop, step))
        self.start = start
        gap = jnp.where(self.step > 0, stop - start + self.step - 1, start - stop - self.step - 1)
        self.length = jnp.maximum(gap // jnp.abs(self.step), 0)

    def item(self, number: Any) -> Any:
        return self.start + number * self.step
