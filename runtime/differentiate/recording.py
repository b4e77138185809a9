"""A stretch of a trace that is differentiated: its sources, the equations, and the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from autograph.runtime.differentiate import structures as structures
from autograph.runtime.differentiate.activity import may_vary, useful_values, varied_values
from autograph.runtime.differentiate.cotangents import in_form
from autograph.runtime.differentiate.reverse import pulled_back
from autograph.runtime.heap.growing_lists import unstage
from autograph.runtime.ir.errors import NotDifferentiable, at
from autograph.runtime.ir.graph import Equation, Value, atom_type
from autograph.runtime.ir.pytree import children, flatten, map_nest
from autograph.runtime.ir.regions import as_loop
from autograph.runtime.ir.types import (
    DYNAMIC,
    ArrayType,
    DynamicType,
    PyType,
    Type,
    has_memory,
    in_words,
    is_maybe_undefined,
    is_number,
    type_of,
)
from autograph.runtime.ops.adjoints import SUM_TO_TYPE
from autograph.runtime.ops.op import OPS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.aliasing import may_share
from autograph.runtime.symbolic.record import maker, nameless
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply, lower
from autograph.runtime.symbolic.variables import Variable, read_all
from autograph.suggestions import of_class

DIFFERENTIABLE = OPS["differentiable"]


SHARED = ("{}: two arguments share memory, and the function writes to one of them{}\n"
          "  hint: pass copies")


class Recording:
    """The equations that a function recorded between its sources and its result.

    sources  for each differentiable leaf of the arguments: the value that stands for it.
    unseen   the values that were made while it paused.
    """

    def __init__(self, given: Any) -> None:
        """`given`: all that the function gets; a source of its own stands for each leaf, and so
        arrays that share memory must not be written."""
        here = trace.current_region()
        assert here is not None
        trace.note_recording()
        self.region = here
        self.start = len(here.graph.equations)
        self.sources: list[Value] = []
        self.unseen: set[Value] = set()
        self.paused_at: Equation | None = None
        self.marked: list[tuple[Tensor, Tensor]] = []
        self.shared = [(x, x.read()) for x in sharing_memory(given)]

    def mark(self, nest: Any) -> Any:
        """Returns a nest of arguments in which the leaves that may vary are sources."""
        return map_nest(self._mark, nest)

    def _mark(self, leaf: Any) -> Any:
        if not is_source(leaf):
            return leaf
        if isinstance(leaf, Variable):
            self.sources.append(leaf.in_graph())
            return leaf
        made = apply("differentiable", leaf)
        if isinstance(leaf, Tensor):
            made.read().hint = leaf.read().hint
        made = Tensor(made.read())  # not a view of the argument: a write is written back below
        self.sources.append(made.read())
        if isinstance(leaf, Tensor):
            self.marked.append((leaf, made))
        return made

    def finish(self) -> None:
        """Writes to the arguments what the function wrote to what stands for them."""
        values = set(self.sources)
        stands = [made for x, made in self.marked if any(x is other for other, _ in self.shared)]
        if any(made.read() not in values for made in stands) or any(
                x.read() is not before for x, before in self.shared):
            raise NotDifferentiable(SHARED.format("a derivative", at(user_location())))
        for argument, made in self.marked:
            if made.read() not in values:
                argument.write(made.read())

    def pull_back(self, targets: dict[Value, Any], sources: Sequence[Value]
                  ) -> list[Tensor | None]:
        """Records the cotangents of sources, given those of values that were recorded."""
        if not self._sees(targets):
            raise NotDifferentiable(
                "a gradient is asked for in another branch or loop than the one in which the "
                f"recording began{at(user_location())}")
        self._refuse_unseen(targets, sources)
        graph, found = self.region.graph, dict[Value, Tensor | None]()
        makers = self._makers(sources)
        given = [v for v in sources if v not in makers]
        with nameless():
            for v, k in sorted(makers.items(), key=lambda x: -x[1]):  # an earlier one stays there
                found[v], = pulled_back(graph, k + 1, targets, [v])
            found.update(zip(given, pulled_back(graph, self.start, targets, given), strict=True))
        return [in_form(found[v], v) for v in sources]

    def is_around(self) -> bool:
        """Returns True if the trace is in this region, or in one inside of it."""
        here = trace.current_region()
        while here is not None and here is not self.region:
            here = here.parent
        return here is not None

    def pause(self) -> None:
        """Notes where the trace is: what follows is not to count."""
        equations = self.region.graph.equations
        self.paused_at = equations[-1] if len(equations) > self.start else None

    def resume(self) -> None:
        """Goes on, and notes what was made meanwhile."""
        if trace.current_region() is not self.region:
            raise NotDifferentiable(
                "a tape that began outside of a branch or loop goes on inside"
                f"{at(user_location())}\n  hint: write one block around both, or make another tape "
                "inside")
        for e in reversed(self.region.graph.equations[self.start:]):
            if e is self.paused_at:
                return
            self.unseen.update((*e.outputs, *e.inputs[:1]) if e.op.effect == "write" else e.outputs)

    def _refuse_unseen(self, targets: Collection[Value], sources: Sequence[Value]) -> None:
        """Refuses a target that depends on sources through what was made during a pause."""
        equations = self.region.graph.equations[self.start:]
        varied = varied_values(equations, set(sources)) if self.unseen else set()
        if not useful_values(equations, varied, varied.intersection(targets)).isdisjoint(
                self.unseen):
            raise NotDifferentiable(
                "the target of a tape depends on what was computed outside of its block, or while "
                f"it did not record{at(user_location())}\n  hint: put ag.stop_gradient around what "
                "is to be a constant, or compute it in the block")

    def _sees(self, targets: Collection[Value]) -> bool:
        """Returns True if this stretch computes the targets, in the current region or around it."""
        if trace.current_region() is self.region:
            return True
        return self.is_around() and set(targets) <= {
            v for e in self.region.graph.equations for v in e.outputs}

    def _makers(self, sources: Sequence[Value]) -> dict[Value, int]:
        """Returns the positions of the equations of this stretch that compute sources: only what
        follows depends on them."""
        return {v: k for k, e in enumerate(self.region.graph.equations)
                if k >= self.start and e.op is not DIFFERENTIABLE for v in e.outputs
                if v in sources}

    def depends(self, value: Value, watched: Collection[Value]) -> bool:
        """Returns True if this stretch computes a value from watched ones, or from variables."""
        varied = {*watched, *self.region.trace.variable_types}
        return value in varied_values(self.region.graph.equations[self.start:], varied)


def sharing_memory(given: Any) -> list[Tensor]:
    """Returns the symbolic arrays in a nest that may share memory with others there."""
    arrays = [(x, may_share(x._handle)) for x in flatten(given)
              if isinstance(x, Tensor) and has_memory(x.type)]
    count = Counter(root for _, memory in arrays for root in memory)
    return [x for x, memory in arrays if any(count[root] > 1 for root in memory)]


def leaf_type(leaf: Any) -> Type | None:
    """Returns the type of a leaf that is a number or an array, symbolic or not."""
    if isinstance(leaf, (Tensor, Variable)):
        return leaf.type
    if isinstance(leaf, (np.ndarray, np.generic, float, complex, int)):
        return type_of(leaf)
    return None


def is_differentiable(leaf: Any) -> bool:
    """Returns True if gradients by a leaf exist: a float or complex number or array."""
    t = leaf_type(leaf)
    return isinstance(t, (ArrayType, PyType)) and may_vary(t) and not isinstance(leaf, bool)


def is_source(leaf: Any) -> bool:
    """Returns True for a leaf of an argument by which gradients are taken: also one of which only
    the run knows whether it is a float."""
    return is_differentiable(leaf) or leaf_type(leaf) == DYNAMIC


def result_of(made: Any) -> Any:
    """Returns what a function returned as a nest of symbolic values and constants."""
    def leaf(x: Any) -> Any:
        x = read_all(x)
        return apply("bound", x) if isinstance(x, Tensor) and is_maybe_undefined(x.type) else x

    return map_nest(leaf, unstage(made))


def has_cotangent(leaf: Any) -> bool:
    """Returns True for a leaf of a result that may depend on a float; see `is_differentiable`."""
    return is_differentiable(leaf) or (isinstance(leaf, Tensor) and may_vary(leaf.type))


FLOATS_FOR_INTS = "  hint: write 3.0 instead of 3, or x.astype(float)"
NO_DERIVATIVE = "{} is {}, by which there is no derivative\n" + FLOATS_FOR_INTS


def checked_argument(name: str, nest: Any) -> Any:
    """Returns an argument as a nest: lists that converted code made are plain ones.

    Raises:
      NotDifferentiable: it is no float itself; inside of a nest others are left alone.
    """
    nest = unstage(nest)
    t = leaf_type(nest)
    if t is not None and not is_differentiable(nest):
        if isinstance(t, DynamicType) and _is_computed(nest):
            return nest
        if isinstance(t, DynamicType):
            raise NotDifferentiable(f"{name} is an object of which gradients know nothing, such as "
                                    "a masked array, a matrix, or an array of objects\n"
                                    "  hint: np.asarray(x, float) makes an array of floats")
        dtype = t.dtype if isinstance(t, ArrayType) else None
        kind = "an integer" if dtype is None or dtype.kind in "iu" else f"an array of {dtype}"
        raise NotDifferentiable(NO_DERIVATIVE.format(name, kind))
    if children(nest) is None and not is_differentiable(nest):
        raise NotDifferentiable(
            f"{name} is {of_class(nest)}, by which there is no derivative\n  hint: say with "
            "argnums which arguments count; an object that holds arrays can be a data class")
    if not any(map(is_source, flatten(nest))):
        raise NotDifferentiable(f"{name} holds no float or complex number or array\n"
                                + FLOATS_FOR_INTS)
    return nest


def _is_computed(leaf: Any) -> bool:
    """Returns True for a value of unknown type that the function made, such as an item of a list
    that grew: the argument of a call is an object that gradients do not know."""
    here = trace.current_region()
    return isinstance(leaf, Tensor) and here is not None and (
        lower(leaf) not in here.trace.arguments)


def target_of(y: Any, holomorphic: bool = False) -> Tensor:
    """Returns the result of a function as a number to differentiate.

    Raises:
      NotDifferentiable: it is not a number, not real, or no float.
    """
    t = leaf_type(y)
    if isinstance(y, Tensor) and is_maybe_undefined(y.type):
        y = apply("bound", y)
        t = y.type
    if isinstance(y, Tensor) and _is_unknown(t) and not holomorphic:
        checked: Tensor = apply("real_number", y)
        return checked
    if t is None:
        raise NotDifferentiable(f"the gradient of a function is by its result, a number; it gave "
                                f"{'None' if y is None else 'a ' + type(y).__name__}\n"
                                "  hint: has_aux=True for a pair of the "
                                "number and something else; ag.vjp for other results")
    if not is_number(t) and not (isinstance(t, ArrayType) and t.shape in (None, ())):
        raise NotDifferentiable(f"the gradient of a function needs one number, and it gave "
                                f"{in_words(t)}\n"
                                "  hint: sum it, or ask for ag.vjp or ag.jacobian")
    if not may_vary(t):
        raise NotDifferentiable(f"the function gave {in_words(t)}, which is no float\n"
                                "  hint: a float result has a gradient")
    if not holomorphic and is_complex(t):
        raise NotDifferentiable(
            "the function gave a complex number\n  hint: take its real part or absolute "
            "value; for a holomorphic function, holomorphic=True")
    return y if isinstance(y, Tensor) else apply("stop_gradient", y)


def _is_unknown(t: Type | None) -> bool:
    """Returns True if only the run knows whether a result is a real number."""
    unknown = t.shape is None or t.dtype is None if isinstance(t, ArrayType) else (
        isinstance(t, DynamicType))
    return t is not None and unknown and may_vary(t)


def is_complex(t: Type) -> bool:
    return t == PyType(complex) or (
        isinstance(t, ArrayType) and t.dtype is not None and t.dtype.kind == "c")


def one_like(y: Tensor) -> Any:
    """Returns the number 1 of a result's type."""
    t = y.type
    if isinstance(t, PyType):
        return t.cls(1)
    if isinstance(t, ArrayType) and t.dtype is not None and t.scalar:
        return t.dtype.type(1)
    if isinstance(t, ArrayType) and t.dtype is None and t.scalar:
        return 1.0
    return apply("one_of" if isinstance(t, DynamicType) else "ones_like", y)


def own(gs: Sequence[Tensor | None]) -> list[Any]:
    """Returns gradients that share no memory with each other, or with anything else."""
    seen: set[Value] = set()
    made: list[Any] = []
    for g in gs:
        if g is None or not isinstance(g.type, ArrayType) or g.type.scalar:
            made.append(g)
            continue
        value = g.read()
        fresh = _is_fresh(value, maker(value), seen)
        seen.add(value)
        made.append(g if fresh else apply("copy", g, "C"))
    return made


def _is_fresh(value: Value, e: Equation | None, seen: set[Value]) -> bool:
    """Returns True if an array is certainly memory of its own, which none of `seen` shares; adds
    the arrays in whose memory a loop may have made it."""
    if e is None or value in seen:
        return False
    loop = as_loop(e)
    if loop is None:
        return _makes_memory(e)
    k = loop.results.index(value)
    start, end = loop.initial[k], loop.body.outputs[k]
    makers = {v: x for x in loop.body.equations for v in x.outputs}
    if not isinstance(start, Value) or not isinstance(end, Value) or end not in makers or not (
            _makes_memory(makers[end]) and _is_fresh(start, maker(start), seen)):
        return False
    seen.add(start)
    return True


def _makes_memory(e: Equation) -> bool:
    if e.op is SUM_TO_TYPE:  # else it may be what was to be summed
        given = atom_type(e.args[0])
        return isinstance(given, ArrayType) and given.is_static and given.shape != e.args[1]
    return e.op.ufunc is not None or e.op.product or e.op.fresh or e.op.inplace is not None


def gradient_nest(nest: Any, leaves: Callable[[Any], Any]) -> Any:
    """Returns a nest with `leaves(x)` for its sources, and None for the other leaves."""
    return map_nest(lambda x: leaves(x) if is_source(x) else None, nest)


def value_of(x: Any) -> Value:
    """Returns the graph's value for a leaf."""
    made: Value = lower(x if isinstance(x, Tensor) else apply("stop_gradient", x))
    return made
