"""A graph as JAX operations: branches are `lax.cond`, loops `lax.scan` and `lax.while_loop`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from autograph.runtime.export.extras import require
from autograph.runtime.export.jax.casts import integers_of
from autograph.runtime.export.joins import (
    NOTHING,
    Leaf,
    OneOf,
    Plan,
    constant_array,
    emptied,
    grown_lists,
    is_absent,
    same,
    with_appended,
)
from autograph.runtime.export.kinds import (
    Kind,
    dtype_of,
    is_number,
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
from autograph.runtime.export.sites import Site
from autograph.runtime.ir.errors import InvalidArgumentError
from autograph.runtime.ir.graph import Equation, Graph, Value, leaves
from autograph.runtime.ir.regions import Branch, Loop

UNLIKE = InvalidArgumentError(
    "the function raises here for what JAX computes, and not for what NumPy computes")
"""What is raised in place of an error of the user's that only JAX meets."""

Watched = tuple[Sequence[Any], Any]
"""What a part of a program gives, and the number of the error that was met by then, or 0."""


class Masked:
    """`x[mask]` for a mask that only the run knows: the array and the mask, as JAX knows shapes."""

    def __init__(self, array: Any, mask: Any) -> None:
        self.array = array
        self.mask = mask
        self.dtype = array.dtype


class JaxLowering(Lowering):
    """One export to JAX. jax, jnp, lax: the library's modules.

    watches  True if what would raise in NumPy is looked for: where JAX runs at once, an error can
             be raised after it.
    errors   what would be raised, and `failed` the number of the first that is, from 1.
    """

    target = "JAX"

    def __init__(self, rules: Rules, checks: str = "refuse", watches: bool = False) -> None:
        super().__init__(rules, checks)
        self.watches = watches and checks == "refuse"
        self.errors: list[tuple[Exception, Equation | None]] = []
        self.jax = require("jax", "jax")
        self.jnp = require("jax.numpy", "jax")
        self.lax = require("jax.lax", "jax")
        self.dtypes = require("jax.dtypes", "jax")
        self._read: dict[Equation, tuple[Value, ...]] = {}
        self._plans: dict[Any, tuple[Plan, list[Any]]] = {}

    def is_symbolic(self, x: Any) -> bool:
        return isinstance(x, (self.jax.Array, Masked, OneOf, SymbolicRange))

    def dtype_of(self, x: Any) -> np.dtype[Any]:
        dtype = np.dtype(np.int64 if isinstance(x, SymbolicRange) else x.dtype)
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
        if isinstance(x, OneOf):
            self.refuse("what is of unlike structure on the paths, as an array")
        if isinstance(x, SymbolicRange):
            self.refuse("a range as an array")
        if not self.is_symbolic(x) and isinstance(x, (list, tuple)) and any(
                self.is_symbolic(v) for v in leaves(x)):
            return self.jnp.stack([self.array(v, dtype) for v in x])
        dtype = None if dtype is None else self.dtypes.canonicalize_dtype(dtype)
        if not self.is_symbolic(x):
            if not all(map(is_number, leaves(x) if isinstance(x, (list, tuple)) else [x])):
                self.refuse(f"{shown(x)} is no array of numbers")
            return self.jnp.asarray(constant_array(x, dtype))
        if dtype is None or x.dtype == dtype:
            return self.jnp.asarray(x)
        if self.jnp.issubdtype(x.dtype, self.jnp.complexfloating) and not (
                self.jnp.issubdtype(dtype, self.jnp.complexfloating)) and (
                        np.dtype(dtype).kind != "b"):
            x = x.real
        from_float = np.dtype(dtype).kind in "iu" and np.dtype(x.dtype).kind == "f"
        return integers_of(self.jnp, x, np.dtype(dtype)) if from_float else x.astype(dtype)

    def typed(self, site: Site, x: Any, number: int = 0) -> Any:
        """Returns a result in the dtype that the graph says."""
        dtype = site.dtype(number)
        return self.array(x, dtype) if dtype is not None and self.is_symbolic(x) else x

    # -- what NumPy raises ------------------------------------------------------------------------

    def unless(self, wrong: Callable[[], Any], error: Exception = UNLIKE) -> None:
        """Notes that NumPy raises an error if one of some bools is true."""
        if self.watches:
            self.errors.append((error, self.equation))
            new = self.jnp.where(self.jnp.any(wrong()), len(self.errors), 0).astype(np.int32)
            self.failed = self.jnp.where(self.failed == 0, new, self.failed)

    @contextmanager
    def where(self, flag: Any) -> Iterator[None]:
        """Lets what fails in the block count only if a flag is true."""
        before = self.failed
        yield
        if self.failed is not before:
            self.failed = self.jnp.where(flag, self.failed, before)

    def _watched(self, found: list[Any]) -> Watched:
        """Returns what a part of the program gives, and what has failed by then."""
        return found, self.jnp.asarray(self.failed, np.int32)

    def _unwatched(self, found: Watched) -> Sequence[Any]:
        """Takes over what has failed by the end of a part; returns what it gives."""
        values, self.failed = found
        return values

    def raising(self, e: Equation) -> bool:
        return e.op.never_returns if self.watches else super().raising(e)

    # -- branches ---------------------------------------------------------------------------------

    def branch(self, e: Equation, predicate: Any) -> Sequence[Any]:
        view = Branch(e)
        test = self.truth(predicate)
        one, other = (any(map(self.raising, view.side(truth).equations)) for truth in (True, False))
        if one or other:  # this side raises: what is left is the other
            if one != other:
                self.unless(lambda: test if one else ~test)
            return self.run(view.side(not one))
        plan = self.with_test(self._plan(e, view, predicate), test)
        found = self.lax.cond(test, *(
            self._side(view, predicate, truth, plan) for truth in (True, False))
        ) if plan.symbolic or self.watches else ((), 0)
        return self.filled(plan, self._unwatched(found))

    def truth_of_array(self, x: Any) -> Any:
        x = self.jnp.asarray(x)
        if x.ndim and x.size != 1:
            self.refuse("the truth value of an array with more than one element")
        return x.reshape(()).astype(bool)

    def kind_of_form(self, form: Kind) -> Kind:
        return form

    def _plan(self, e: Equation, view: Branch, predicate: Any) -> Plan:
        """Returns what a branch gives, found by a trial of its sides.

        It is remembered for the dtypes and shapes of what the sides read: each branch around runs
        this one in a trial, too, and then for good, so that the time would double with each.
        """
        if e not in self._read:
            sides = [view.side(truth) for truth in (True, False)]
            self._read[e] = tuple(dict.fromkeys(v for side in sides for v in side.free_values()))
        held = [self.env.get(v) for v in self._read[e]]
        key = e, tuple(self._form(v, x) for v, x in zip(self._read[e], held, strict=True))
        if key not in self._plans:
            one, other = (self.outputs_of(partial(self._taken, view, predicate, truth),
                                          view.side(truth)) for truth in (True, False))
            self._plans[key] = Plan.joined(one, other, self.joined_side), held
        return self._plans[key][0]

    def _taken(self, view: Branch, predicate: Any, truth: bool) -> list[Any]:
        self.assume(predicate, truth)
        self.run(view.side(truth))
        return [*map(self.leaf_nest, view.side(truth).outputs)]

    def _form(self, v: Value, x: Any) -> Any:
        """Returns what of a value a plan depends on."""
        if isinstance(x, self.jax.Array):
            return x.shape, x.dtype, x.weak_type, self.kinds.get(v)
        return id(x), self.kinds.get(v)  # the plan keeps it alive

    def outputs_of(self, run: Callable[[], list[Any]], region: Graph, *traced: Any) -> list[Any]:
        """Runs a region abstractly, and returns its outputs as nests of `Leaf`s."""
        found: list[Plan] = []

        def trace(*args: Any) -> list[Any]:
            run(*args)
            found[:] = [Plan.of([*map(self.leaf_nest, region.outputs)])]
            return [x.value for x in found[0].symbolic]

        with scoped(self):
            shapes = iter(self.jax.eval_shape(trace, *traced))
        return Plan(found[0].trees, tuple(x if x.form is None else Leaf(next(shapes), x.form)
                                          for x in found[0].leaves)).nests

    def leaf(self, x: Any, kind: Kind | None) -> Leaf:
        if isinstance(x, (Masked, SymbolicRange)):
            self.refuse("a masked array or a range is a result of a branch or loop")
        return super().leaf(x, kind)

    def joined_leaf(self, a: Leaf, b: Leaf) -> Leaf:
        """Returns what a branch gives: a constant, or a value of a kind."""
        if a is NOTHING or b is NOTHING:
            return b if a is NOTHING else a
        (x, kx), (y, ky) = a, b
        if kx is None and ky is None and same(x, y):
            return a
        for value, kind in (a, b):
            if kind is None and not is_number(value):
                self.refuse(f"one side gives {shown(value)}, the other a number"
                            if (kx is None) != (ky is None) or is_number(x) != is_number(y)
                            else f"the sides give {shown(x)} and {shown(y)}")
        if np.shape(x) != np.shape(y):
            self.refuse(f"the sides give arrays of the shapes {np.shape(x)} and {np.shape(y)}")
        return Leaf(x, self._kind_of_paths(a, b))

    def _kind_of_paths(self, *paths: Leaf) -> Kind:
        return self.of_paths(*(kind_of_constant(x) if k is None else k for x, k in paths))

    def _side(self, view: Branch, predicate: Any, truth: bool, plan: Plan
              ) -> Callable[[], Watched]:
        def run() -> Watched:
            with scoped(self):
                return self._watched(self.given(self._taken(view, predicate, truth), plan))

        return run

    def given(self, outputs: Sequence[Any], plan: Plan) -> list[Any]:
        return [self.jnp.zeros(np.shape(leaf.value), dtype_of(leaf.form)) if is_absent(x)
                else self.array(x, dtype_of(leaf.form)) for x, leaf in plan.given(outputs)]

    # -- loops ------------------------------------------------------------------------------------

    def loop(self, e: Equation) -> Sequence[Any]:
        loop = Loop(e)
        initial = self.read(loop.initial)
        items = self.read(loop.iterable) if loop.is_for else None
        if isinstance(items, (list, tuple)) and len(items) <= UNROLLED and loop.test is None:
            return self._unrolled(loop, initial, items)
        if not (items is None or isinstance(items, (range, SymbolicRange)) or self.is_symbolic(
                items) or (isinstance(items, np.ndarray) and is_number(items))):
            self.refuse(f"a loop over {shown(items)}")
        if loop.constant_length == 0 or (items is not None and not isinstance(
                items, SymbolicRange) and len(items) == 0):
            return list(initial)
        if items is not None and loop.test is None and not isinstance(items, SymbolicRange):
            return self._scan(loop, initial, items)
        plan, *_ = self._settled(loop, items, [])
        before = self.given([*map(self.leaf_nest, loop.initial)], plan)
        return self.filled(plan, self._general(loop, plan, before, items))

    def _unrolled(self, loop: Loop, carried: list[Any], items: Sequence[Any]) -> Sequence[Any]:
        for item in items:
            carried = self.region(loop.body, [item, *carried])
        return carried

    def _scan(self, loop: Loop, initial: list[Any], items: Any) -> list[Any]:
        """A loop over an array, or a range of known length: what it appends to lists
        comes back as arrays."""
        xs = self.array(np.asarray(items) if isinstance(items, range) else items)
        grown = grown_lists(loop) if len(items) <= LONGEST else []
        plan, appended, after = self._settled(loop, items, grown)

        def step(carried: Watched, item: Any) -> tuple[Watched, list[Any]]:
            with scoped(self):
                outputs = self._once(loop, plan, self._unwatched(carried), item)
                more = self.given([outputs[k] for k in grown], appended)
                return self._watched(self.given(emptied(outputs, grown), plan)), more

        before = self.given(emptied([*map(self.leaf_nest, loop.initial)], grown), plan)
        found, series = self.lax.scan(step, self._watched(before), xs)
        return with_appended(self.filled(after, self._unwatched(found)), initial, grown, (
            self.filled(appended, [x[number] for x in series]) for number in range(len(items))))

    def _general(self, loop: Loop, plan: Plan, start: list[Any], items: Any) -> Sequence[Any]:
        xs, count = self._item_source(items)

        def asked(number: Any, carried: list[Any]) -> tuple[Any, Any, Watched]:
            """The state before an iteration, and whether there is one."""
            more = self.jnp.asarray(True if count is None else number < count)
            if loop.test is not None:
                (test,) = self.region(loop.test, self.filled(plan, carried), plan.forms)
                more = self.jnp.logical_and(more, self.truth(test))
            return number, more, self._watched(carried)

        def step(state: tuple[Any, Any, Watched]) -> tuple[Any, Any, Watched]:
            with scoped(self):
                number, _, carried = state
                outputs = self._once(loop, plan, self._unwatched(carried), xs and xs(number))
                return asked(number + 1, self.given(outputs, plan))

        with scoped(self):
            first = asked(self.jnp.asarray(0, self.dtypes.canonicalize_dtype(np.int64)), start)
        return self._unwatched(self.lax.while_loop(
            lambda state: self.jnp.logical_and(state[1], state[2][1] == 0), step, first)[2])

    def _item_source(self, items: Any) -> tuple[Callable[[Any], Any] | None, Any]:
        if items is None:
            return None, None
        if isinstance(items, range):
            items = SymbolicRange(self, items.start, items.stop, items.step)
        if isinstance(items, SymbolicRange):
            return items.item, items.length
        xs = self.array(items)
        return (lambda i: xs[i]), len(xs)

    def _once(self, loop: Loop, plan: Plan, carried: Sequence[Any], item: Any) -> list[Any]:
        """Runs one iteration: returns its outputs as nests of `Leaf`s. The items of a range are
        Python ints."""
        lead, kinds = ([], []) if not loop.is_for else ([item], [
            int if isinstance(self.read(loop.iterable), (range, SymbolicRange)) else None])
        self.region(loop.body, [*lead, *self.filled(plan, carried)], [*kinds, *plan.forms])
        return [*map(self.leaf_nest, loop.body.outputs)]

    def _settled(self, loop: Loop, items: Any, grown: list[int]) -> tuple[Plan, Plan, Plan]:
        """Finds the kinds of carried values, of what an iteration appends to the lists `grown`, and
        of the results after an iteration: a constant that no iteration changes stays one."""
        plan = Plan.of(emptied([self.leaf_nest(a) for a in loop.initial], grown))
        for _ in range(FIXPOINT):
            traced = [self.jax.ShapeDtypeStruct(
                np.shape(x), self.dtypes.canonicalize_dtype(dtype_of(kind)))
                for x, kind in plan.symbolic]
            xs, _ = self._item_source(items)

            def run(*carried: Any, plan: Plan = plan, xs: Any = xs) -> list[Any]:
                item = xs and xs(self.jnp.asarray(0))
                if loop.test is not None:
                    self.region(loop.test, self.filled(plan, carried), plan.forms)
                return self._once(loop, plan, carried, item)

            outputs = self.outputs_of(run, loop.body, *traced)
            new = Plan.joined(plan.nests, emptied(outputs, grown), self._widened)
            if new.is_like(plan, kind_name):
                return plan, Plan.of([outputs[k] for k in grown]), plan.narrowed(
                    emptied(outputs, grown))
            plan = new
        self.refuse("the types of the carried values do not settle", hint=UNSETTLED)

    def _widened(self, old: Leaf, out: Leaf) -> Leaf:
        if old is NOTHING or out is NOTHING:
            return out if old is NOTHING else old
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
        return Leaf(x, self._kind_of_paths(old, out))


class SymbolicRange:
    """A `range` whose ends only the run knows."""

    def __init__(self, lowering: JaxLowering, start: Any, stop: Any, step: Any) -> None:
        jnp = lowering.jnp
        start, stop, self.step = map(lowering.integers, (start, stop, step))
        self.start = start
        gap = jnp.where(self.step > 0, stop - start + self.step - 1, start - stop - self.step - 1)
        self.length = jnp.maximum(gap // jnp.abs(self.step), 0)

    def item(self, number: Any) -> Any:
        return self.start + number * self.step
