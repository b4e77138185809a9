"""Branches and loops as functions of functions: case, switch_case, map_fn, scan, folds, vmap."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ParamSpec, SupportsIndex, TypeVar, cast

import numpy as np

from autograph.conversion.convert import convert
from autograph.operators import cond, for_loop, formatted, int, raise_, range
from autograph.runtime.api.debugging import Assert
from autograph.runtime.ir.errors import InvalidArgumentError
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.pytree import flatten, map_nest
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor
from autograph.runtime.symbolic.variables import read_all
from autograph.tensorflow.axes import mapped_arrays
from autograph.tensorflow.collected import Collected, spec_of
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
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise _no_pairs("pred_fn_pairs", "(predicate, function) pairs", pair)
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
        raise _no_pairs(name, items, given)
    return list(given)


def _no_pairs(name: str, items: str, given: Any) -> TypeError:
    return TypeError(f"{name} is a list of {items}, or a dict, not {_shown(given)}\n"
                     "  hint: write lambda: x for a function that gives x")


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
    if (dtype := spec_of(index).dtype) is not None and dtype.kind not in "iub":
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
    out = Collected(fn_output_signature, lambda: staged(fn)(item(0)), length)

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
      fn: a function of arrays, or of nests of arrays.
      in_axes: the axis of every argument, or one for each; None for an argument that is not mapped.
        For a nest, one axis or a nest of axes.
      out_axes: the position of the axis in the results.

    Returns:
      A function of arrays with one more axis. Arguments by name go along their first axis.

    >>> vmap(np.dot)(np.ones((2, 3)), np.ones((2, 3)))
    array([3., 3.])
    """
    staged(fn, FIRST)
    if not isinstance(out_axes, SupportsIndex):
        raise ValueError(f"out_axes is an axis of the results, not {_shown(out_axes)}\n"
                         "  hint: give an integer")

    @hiding_frames
    def mapped(*args: Any, **kwargs: Any) -> Any:
        axes = in_axes if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
        if len(axes) != len(args):
            raise ValueError(f"in_axes has {len(axes)} axes, and the function is called with "
                             f"{len(args)} arguments\n  hint: None is for one that is not mapped")
        arrays, arguments = mapped_arrays((*args, *kwargs.values()), (*axes, *[0] * len(kwargs)))

        def call(items: Any) -> Any:
            given = arguments(items)
            return staged(fn)(*given[:len(args)],
                              **dict(zip(kwargs, given[len(args):], strict=True)))

        return map_nest(lambda x: np.moveaxis(x, 0, out_axes), map_fn(call, arrays))

    return cast(Callable[P, R], mapped)


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
    out = Collected(None, lambda: staged(fn)(start, item(0)), length, reverse, start)
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
