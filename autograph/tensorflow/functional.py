"""Branches and loops as functions of functions: case, switch_case, map_fn, scan, folds, vmap."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from autograph.conversion.convert import convert
from autograph.operators import cond, dispatch, for_loop, formatted, int, raise_, range
from autograph.ported import mapped
from autograph.runtime.api.debugging import Assert
from autograph.runtime.control_flow.traced_regions import trace_region
from autograph.runtime.heap.reachability import changeable_locations
from autograph.runtime.ir.errors import InvalidArgumentError
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.pytree import children, flatten, map_nest
from autograph.runtime.ir.types import ArrayType, PyType, is_number
from autograph.runtime.signatures.spec import TensorSpec
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.runtime.symbolic.tensor_array import TensorArray
from autograph.runtime.symbolic.variables import read_all
from autograph.staging import tensors
from autograph.traceback_filter import UNEXPECTED, hiding_frames, way_out

Fn = Callable[..., Any]
P = ParamSpec("P")
R = TypeVar("R")


def staged(fn: Fn, way_out: str = "write lambda: x for a function that gives x") -> Fn:
    """Returns the converted form of a user's function in a trace; outside a trace, the function
    itself.

    Raises:
      TypeError: it is no function; the message has the way out.
    """
    if not callable(fn):
        raise TypeError(
            f"a function is needed here, not {type(fn).__name__}\n  hint: {way_out}")
    return convert(fn) if trace.tracing() else fn


FIRST = "the function is the first argument, and the arrays follow"
"""The way out for those who give the arrays first."""


# -- branches -------------------------------------------------------------------------------------


@hiding_frames
def case(pred_fn_pairs: Mapping[Any, Fn] | Iterable[tuple[Any, Fn]], default: Fn | None = None,
         exclusive: bool = False, strict: bool = False) -> Any:
    """Returns the result of the function of the first true predicate, or else that of `default`.

    Args:
      pred_fn_pairs: (predicate, function) pairs, or a dict of them; a predicate is a bool, or a
        symbolic scalar, and a function takes no arguments.
      default: a function without parameters.
      exclusive: if True, two true predicates are an error.
      strict: accepted for tf.case's sake; there is always one result.

    Returns:
      The result of one of the functions.

    Raises:
      InvalidArgumentError: no predicate is true and there is no default.
      CheckError: `exclusive`, and two are true.

    >>> case([(False, lambda: 1), (True, lambda: 2)])
    2
    """
    pairs = _pairs("pred_fn_pairs", "(predicate, function) pairs", pred_fn_pairs)
    if exclusive:
        Assert(sum(int(read_all(pred)) for pred, _ in pairs) <= 1, [
            "more than one predicate of an exclusive case is true"])
    return _choose([(read_all(pred), staged(fn)) for pred, fn in pairs],
                   _no_default if default is None else staged(default))


def _pairs(name: str, items: str, given: Any) -> list[Any]:
    """Returns the items of a list, or of a dict.

    Raises:
      TypeError: it is neither.
    """
    if isinstance(given, Mapping):
        return list(given.items())
    if not isinstance(given, Iterable):
        raise TypeError(f"{name} is a list of {items}, or a dict, not {_shown(given)}\n"
                        "  hint: write lambda: x for a function that gives x")
    return list(given)


def _choose(pairs: Sequence[tuple[Any, Fn]], default: Fn) -> Any:
    if not pairs:
        return default()
    (pred, fn), *others = pairs
    return cond(pred, fn, lambda: _choose(others, default))


def _no_default() -> Any:
    raise InvalidArgumentError("none of the predicates is true, and there is no default")


@hiding_frames
def switch_case(branch_index: Any, branch_fns: Mapping[Any, Fn] | Sequence[Any],
                default: Fn | None = None) -> Any:
    """Returns the result of function number `branch_index`.

    Args:
      branch_index: an integer, perhaps symbolic.
      branch_fns: functions without parameters, (integer, function) pairs, or a dict of them.
      default: the function for a number that has none; without it, the last function.

    Returns:
      The result of one of the functions.

    >>> switch_case(1, [lambda: "a", lambda: "b"])
    'b'
    """
    pairs = [x if isinstance(x, tuple) else (i, x)
             for i, x in enumerate(_pairs("branch_fns", "functions", branch_fns))]
    index = read_all(branch_index)
    if (dtype := _spec_of(index).dtype) is not None and dtype.kind not in "iub":
        raise TypeError(f"branch_index is an integer, not a value of {dtype}")
    last = pairs[-1][1] if default is None else default
    return _choose([(index == i, staged(fn)) for i, fn in pairs], staged(last))


# -- loops ----------------------------------------------------------------------------------------


@hiding_frames
def map_fn(fn: Fn, elems: Any, fn_output_signature: Any = None, **ignored: Any) -> Any:
    """Returns `fn` of every item along the first axis, stacked.

    Args:
      fn: takes an item; if `elems` is a nest of arrays, the nest of their items.
      elems: an array of shape (n, …), or a nest of arrays of one length n.
      fn_output_signature: dtypes or TensorSpecs of what `fn` returns; found out if left out. A
        TensorSpec with an unknown dimension allows arrays of several shapes: the result is a list.
      ignored: TensorFlow's options that are not needed.

    Returns:
      An array of shape (n, …), or a nest of them with the structure of what `fn` returns.

    Raises:
      ValueError: an array has no axis, or results differ in structure.

    >>> map_fn(lambda x: (x, x * 2), np.array([1, 2]))
    (array([1, 2]), array([2, 4]))
    """
    _refuse_unknown("map_fn", ignored)
    fn, (length, item) = staged(fn, FIRST), _items("map_fn", elems)
    out = _Collected(fn_output_signature, lambda: staged(fn)(item(0)), length)

    out.loop(length, lambda i, _: fn(item(i)), None)
    return out.stacked()


@hiding_frames
def vectorized_map(fn: Fn, elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
                   ) -> Any:
    """Returns `fn` of every item along the first axis, stacked: a loop, as `map_fn`.

    Args:
      fn: takes an item.
      elems: an array of shape (n, …), or a nest of arrays of one length n.
      fallback_to_while_loop: accepted for TensorFlow's sake.
      warn: accepted for TensorFlow's sake.

    Returns:
      As `map_fn`.

    >>> vectorized_map(lambda x: x + 1, np.array([1, 2]))
    array([2, 3])
    """
    return map_fn(fn, elems)


@hiding_frames
def vmap(fn: Callable[P, R], in_axes: Any = 0, out_axes: builtins.int = 0) -> Callable[P, R]:
    """Returns a function that maps `fn` over an axis of its arguments, item by item.

    Args:
      fn: a function of arrays.
      in_axes: the axis of every argument, or one for each; None for an argument that is not mapped.
      out_axes: the position of the axis in the results.

    Returns:
      A function of arrays with one more axis.

    >>> vmap(np.dot)(np.ones((2, 3)), np.ones((2, 3)))
    array([3., 3.])
    """
    staged(fn, FIRST)

    @hiding_frames
    def mapped(*args: Any) -> Any:
        axes = in_axes if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
        if len(axes) != len(args):
            raise ValueError(f"in_axes has {len(axes)} axes, and the function is called with "
                             f"{len(args)} arguments\n  hint: None is for one that is not mapped")
        moved = [_moved(read_all(a), axis) for a, axis in zip(args, axes, strict=True)
                 if axis is not None]

        def call(items: Any) -> Any:
            remaining = iter(items)
            return staged(fn)(*(a if axis is None else next(remaining)
                                 for a, axis in zip(args, axes, strict=True)))

        return map_nest(lambda x: np.moveaxis(x, 0, out_axes), map_fn(call, tuple(moved)))

    return cast(Callable[P, R], mapped)


def _moved(x: Any, axis: builtins.int) -> Any:
    """Returns an array with an axis moved to the front.

    Raises:
      AxisError: it has no such axis.
    """
    ndim = x.ndim if isinstance(x, Tensor) else np.ndim(x)
    if isinstance(ndim, builtins.int) and not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(
            f"axis {axis} of an argument of {ndim} dimensions is to be mapped\n  hint: in_axes has "
            "the axis of every argument, None for one that is not mapped")
    return np.moveaxis(x, axis, 0)


@hiding_frames
def foldl(fn: Fn, elems: Any, initializer: Any = None) -> Any:
    """Returns `fn(… fn(fn(initializer, item 0), item 1) …)`.

    Args:
      fn: takes the value so far and an item, returns the next value.
      elems: an array of shape (n, …), or a nest of arrays of one length n.
      initializer: the first value; without one, item 0.

    Returns:
      The last value.

    Raises:
      ValueError: an array has no axis.

    >>> foldl(lambda a, x: 10 * a + x, np.array([1, 2, 3]))
    np.int64(123)
    """
    return _fold(fn, elems, initializer, reverse=False)


@hiding_frames
def foldr(fn: Fn, elems: Any, initializer: Any = None) -> Any:
    """Returns what `foldl` does, from the last item to the first. The arguments are the same.

    >>> foldr(lambda a, x: 10 * a + x, np.array([1, 2, 3]))
    np.int64(321)
    """
    return _fold(fn, elems, initializer, reverse=True)


def _fold(fn: Fn, elems: Any, initializer: Any, reverse: bool) -> Any:
    fn, (length, item) = staged(fn, FIRST), _items("a fold", elems, reverse)
    first = 1 if initializer is None else 0
    start = item(0) if initializer is None else read_all(initializer)

    def body(i: Any, acc: Any) -> tuple[Any]:
        return (fn(acc, item(i + first)),)

    return for_loop(range(length - first), body, (start,))[0]


@hiding_frames
def scan(fn: Fn, elems: Any, initializer: Any = None, reverse: bool = False, **ignored: Any) -> Any:
    """Returns all the values that a fold goes through, stacked.

    Args:
      fn: takes the value so far and an item, returns the next value.
      elems: an array of shape (n, …), or a nest of arrays of one length n.
      initializer: the first value; without one, item 0, which is then the first result.
      reverse: if True, from the last item to the first; results stay at their items.
      ignored: TensorFlow's options that are not needed.

    Returns:
      An array of shape (n, …), or a nest of them.

    >>> scan(lambda a, x: a + x, np.array([1, 2, 3]))
    array([1, 3, 6])
    """
    _refuse_unknown("scan", ignored)
    fn, (length, item) = staged(fn, FIRST), _items("scan", elems)
    first = 1 if initializer is None else 0
    last = length - 1

    def position(i: Any) -> Any:
        return last - i if reverse else i

    start = item(position(0)) if initializer is None else read_all(initializer)
    out = _Collected(None, lambda: staged(fn)(start, item(0)), length, reverse)
    if initializer is None:
        out.write(position(0), start)

    out.loop(length - first, lambda i, acc: fn(acc, item(position(i + first))), start,
             lambda i: position(i + first))
    return out.stacked()


def _refuse_unknown(name: str, given: Mapping[str, Any]) -> None:
    known = {"parallel_iterations", "back_prop", "swap_memory", "infer_shape", "name", "dtype"}
    unknown = sorted(set(given) - known)
    if unknown:
        function = globals()[name]
        raise TypeError(f"{name}() {UNEXPECTED % unknown[0]}\n"
                        f"  hint: {way_out(unknown[0], function)}")


def _items(name: str, elems: Any, reverse: bool = False) -> tuple[Any, Callable[[Any], Any]]:
    """The length of a nest of arrays, and the function that gives the nest of their items at an
    index."""
    arrays = map_nest(lambda x: x if isinstance(x, Tensor) else np.asarray(x), read_all(elems))
    leaves = list(flatten(arrays))
    if not leaves or () in [getattr(x, "shape", ()) for x in leaves]:
        start = "" if name == "map_fn" else "; the value to begin with is the third argument"
        raise ValueError(
            f"the elems of {name} must be arrays with a first axis to go along, not "
            f"{_shown(elems)}\n  hint: they are the second argument{start}")
    length = _one_length([x.shape[0] for x in leaves])
    last = length - 1
    return length, lambda i: map_nest(lambda x: _item(x, last - i if reverse else i), arrays)


def _shown(elems: Any) -> str:
    """Returns a short text of what stands where arrays are needed."""
    text = repr(elems)
    return text if len(text) <= 40 else type(elems).__name__


def _one_length(lengths: Sequence[Any]) -> Any:
    """Returns the length that all are, the known one if there is one; those that only the run
    knows are compared then.

    Raises:
      ValueError: two differ.
    """
    known = sorted({n for n in lengths if isinstance(n, builtins.int)})
    if len(known) > 1:
        raise ValueError(
            f"{ONE_LENGTH}, not of {' and '.join(map(str, known))} items{ALONE}")
    length = known[0] if known else lengths[0]
    for other in lengths:
        if other is not length and isinstance(other, Tensor):
            cond(other == length, lambda: None, lambda n=other: raise_(ValueError(
                formatted(ONE_LENGTH + ", not of {} and {} items" + ALONE, length, n))))
    return length


ONE_LENGTH = "arrays of one length go along together"
ALONE = "\n  hint: what all items share is no argument but a variable of the function"


def _item(x: Any, i: Any) -> Any:
    """The item of an array; of an empty one in a trace, a symbolic value of the item's type."""
    if isinstance(x, np.ndarray) and not len(x) and trace.tracing():
        return Tensor(Value(ArrayType(x.dtype, x.shape[1:], scalar=x.ndim == 1), "item"))
    return x[i]


class _Collected:
    """The results of a loop's iterations, a `TensorArray` for every leaf. Where a trace knows the
    shapes, it is an array, and where a derivative is taken, a list, which have gradients.

    Their structure is the signature's, or that of the first result; while tracing, that of a call
    whose equations are dropped.
    """

    def __init__(self, signature: Any, first: Callable[[], Any], length: Any,
                 reverse: bool = False) -> None:
        self.first = first
        self.length = length
        self.reverse = reverse
        if signature is not None:
            self.start(map_nest(_spec_of, signature))
        elif trace.tracing():
            self.start(_probe(first))
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
            self.start(map_nest(_spec_of, result))
        assert self.arrays is not None
        leaves = list(_leaves_like(self.specs, result))
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


def _spec_of(x: Any) -> _Spec:
    if isinstance(x, TensorSpec):
        return _Spec(x.dtype, x.shape, x.shape is None or any(
            not isinstance(dim, builtins.int) for dim in x.shape))
    if isinstance(x, (np.dtype, type)):
        return _Spec(np.dtype(x), None)
    if isinstance(x, Tensor):
        t = x.type
        if isinstance(t, PyType):
            return _Spec(np.dtype(t.cls) if is_number(t) else None, ())
        if isinstance(t, ArrayType):
            return _Spec(np.dtype(t.either) if t.either else t.dtype, t.shape)
        return _Spec(None, None)
    array = np.asarray(read_all(x))
    return _Spec(array.dtype, array.shape)


def _probe(first: Callable[[], Any]) -> Any:
    """The specs of a call's result, found by tracing the call; its equations are dropped, and its
    effects are undone."""
    if trace.tracing():
        found: list[Any] = []
        trace_region("probe", lambda: found.append(map_nest(_spec_of, first())),
                     changeable_locations(first))
        return found[0] if found else first()  # raises what it raised
    with trace.start(trace.Trace("probe")), dispatch.activate(cast(Any, tensors.BACKEND)):
        return map_nest(_spec_of, first())


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
