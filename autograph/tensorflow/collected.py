"""Collects the results that the iterations of `ag.map_fn` and `ag.scan` give."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from typing import Any, cast

import numpy as np

from autograph.conversion.convert import convert
from autograph.operators import dispatch, for_loop, range
from autograph.ported import mapped
from autograph.runtime.control_flow.traced_regions import trace_region
from autograph.runtime.heap.growing_lists import unstage
from autograph.runtime.heap.reachability import changeable_locations
from autograph.runtime.ir.pytree import children, flatten, map_nest
from autograph.runtime.ir.types import ArrayType, PyType, is_number
from autograph.runtime.signatures.spec import TensorSpec
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.runtime.symbolic.tensor_array import TensorArray
from autograph.runtime.symbolic.variables import read_all
from autograph.staging import tensors

Fn = Callable[..., Any]


class Collected:
    """The results of a loop's iterations, a `TensorArray` for every leaf. Where a trace knows the
    shapes, it is an array, and where a derivative is taken, a list, which have gradients.

    Their structure is the signature's, or that of the first result; while tracing, that of a call
    whose equations are dropped.
    """

    def __init__(self, signature: Any, first: Callable[[], Any], length: Any,
                 reverse: bool = False, *carried: Any) -> None:
        """`carried` is what the first iteration is given of one before it: where it is of another
        type than what the first gives, only the run knows the types of all."""
        self.first = first
        self.length = length
        self.reverse = reverse
        if signature is not None:
            self.start(map_nest(spec_of, signature))
        elif trace.tracing():
            specs = _probe(first)
            stable = all(_are_equal(specs, map_nest(spec_of, x)) for x in carried)
            self.start(specs if stable else map_nest(_unknown, specs))
        else:
            self.arrays: list[TensorArray | _Rows | _Listed] | None = None

    def start(self, specs: Any) -> None:
        self.specs = specs
        self.arrays = [self.empty(s) for s in flatten(specs)]

    def empty(self, spec: Any) -> Any:
        if trace.takes_derivatives() and not all(s.is_static for s in flatten(self.specs)):
            return _Listed()
        if trace.tracing() and spec.is_static:
            return _Rows(spec, self.length)
        return TensorArray(spec.dtype, self.length, True, spec.shape)

    def loop(self, length: Any, step: Fn, acc: Any, position: Fn = lambda i: i) -> None:
        """Writes what `step(i, acc)` gives for each i, which is the next `acc`."""
        if self.arrays and isinstance(self.arrays[0], _Listed):
            self.list_all(length, step, acc)
            return

        def body(i: Any, *state: Any) -> Any:
            made = step(i, *state or (None,))
            self.write(position(i), made)
            return (made,) if state else ()

        for_loop(range(length), body, () if acc is None else (acc,))

    def list_all(self, length: Any, step: Fn, acc: Any) -> None:
        rows = convert(mapped.listed)(length, step, acc, lambda x: (*_leaves_like(self.specs, x),))
        for k, array in enumerate(cast("list[_Listed]", self.arrays)):
            found = convert(mapped.column)(rows, k, self.reverse)
            array.items = convert(mapped.joined)(array.items, found, self.reverse)

    def write(self, i: Any, result: Any) -> None:
        if self.arrays is None:
            self.start(map_nest(_unknown, result))  # NumPy finds a type for all of them
        assert self.arrays is not None
        leaves = list(_leaves_like(self.specs, unstage(result)))
        for array, leaf in zip(self.arrays, leaves, strict=True):
            array.write(i, leaf)

    def stacked(self) -> Any:
        if self.arrays is None:
            self.start(_probe(self.first))
        assert self.arrays is not None
        remaining = iter(self.arrays)
        return map_nest(lambda spec: spec.joined(next(remaining)), self.specs)


class _Spec:
    """The dtype and shape of a leaf, None for what is not known; `ragged` if shapes may differ."""

    def __init__(self, dtype: Any, shape: Any, ragged: bool = False) -> None:
        self.dtype = dtype
        self.shape = shape
        self.ragged = ragged

    @property
    def is_static(self) -> bool:
        return self.dtype is not None and self.shape is not None and all(
            isinstance(dim, builtins.int) for dim in self.shape)

    def joined(self, array: TensorArray | _Rows | _Listed) -> Any:
        """The results of all iterations: one array, or a list if their shapes may differ."""
        return array.elements() if self.ragged else array.stack()  # type: ignore[union-attr]


class _Rows:
    """An array that is filled row by row."""

    def __init__(self, spec: _Spec, length: Any) -> None:
        self.rows = apply("empty", (length, *spec.shape), spec.dtype)

    def write(self, i: Any, row: Any) -> None:
        self.rows[i] = row

    def stack(self) -> Any:
        return self.rows


class _Listed:
    """A list of what each iteration gives for one leaf."""

    def __init__(self) -> None:
        self.items: list[Any] = []

    def write(self, i: Any, item: Any) -> None:
        self.items.append(item)

    def elements(self) -> Any:
        return self.items

    def stack(self) -> Any:
        return convert(mapped.stacked)(self.items)


def spec_of(x: Any) -> _Spec:
    if isinstance(x, TensorSpec):
        return _Spec(x.dtype, x.shape, x.shape is None or any(
            not isinstance(dim, builtins.int) for dim in x.shape))
    if isinstance(x, (np.dtype, type)):
        return _Spec(np.dtype(x), None)
    if isinstance(x, Tensor):
        t = x.type
        if isinstance(t, PyType):
            return _Spec(np.dtype(t.cls), ()) if is_number(t) else _Spec(None, None)
        if isinstance(t, ArrayType):
            return _Spec(np.dtype(t.either) if t.either else t.dtype, t.shape)
        return _Spec(None, None)
    array = np.asarray(read_all(x))
    return _Spec(array.dtype, array.shape)


def _unknown(x: Any) -> _Spec:
    return _Spec(None, None)


def _are_equal(specs: Any, others: Any) -> bool:
    left, right = list(flatten(specs)), list(flatten(others))
    return [(s.dtype, s.shape) for s in left] == [(s.dtype, s.shape) for s in right]


def _probe(first: Callable[[], Any]) -> Any:
    """The specs of a call's result, found by tracing the call; its equations are dropped, and its
    effects are undone."""
    def specs() -> Any:
        return map_nest(spec_of, unstage(first()))

    if trace.tracing():
        found: list[Any] = []
        trace_region("probe", lambda: found.append(specs()), changeable_locations(first))
        return found[0] if found else first()  # raises what it raised
    with trace.start(trace.Trace("probe")), dispatch.activate(cast(Any, tensors.BACKEND)):
        return specs()


def _leaves_like(specs: Any, nest: Any) -> Iterable[Any]:
    """The leaves of a nest of this structure."""
    left, right = children(specs), children(nest)
    if left is None or right is None:
        if left is not right:
            raise ValueError(
                "the function returns another structure than for the first item\n"
                "  hint: return as many values for each; in ag.scan, what it returns is the first "
                "argument of the next call")
        yield nest
        return
    for a, b in zip(left[1], right[1], strict=True):
        yield from _leaves_like(a, b)
