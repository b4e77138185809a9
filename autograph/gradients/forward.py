"""Forward mode, and derivatives of several numbers: `ag.jvp`, `ag.jacobian`, `ag.hessian`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autograph.gradients.engine import Fn, transformed
from autograph.gradients.reverse import grad
from autograph.runtime.differentiate.cotangents import as_tensor, zeros_for
from autograph.runtime.differentiate.forward import pushed_forward
from autograph.runtime.differentiate.recording import (
    Recording,
    check_argument,
    has_cotangent,
    is_differentiable,
    leaf_type,
    result_of,
)
from autograph.runtime.differentiate.reverse import pulled_back
from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.pytree import children, flatten, map_nest
from autograph.runtime.ir.types import ArrayType, PyType, is_number
from autograph.runtime.ops.op import OPS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.tensor import Tensor, apply, lower


def jvp(f: Fn, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """Returns the value of f, and its derivative along a direction, by forward mode.

    Args:
      f: a function, decorated or not.
      primals: a tuple or list of the arguments.
      tangents: a tuple or list of their directions, each with the structure and shapes of its
        argument; None for what does not move, such as an integer.
      has_aux: if True, f returns a pair, of which only the first is differentiated.

    Returns:
      `(y, y_dot)`, or `(y, y_dot, aux)`: y_dot has the structure of y, and None for what is no
      float in it.

    Raises:
      NotDifferentiable: an argument is no float, a tangent does not fit, or something on the way
        has no derivative.

    >>> jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
    (6.0, 3.0)
    """
    if len(primals) != len(tangents):
        raise NotDifferentiable(f"{len(primals)} arguments, and {len(tangents)} tangents")
    if trace.tracing():
        return _jvp(read_converted(f), tuple(primals), tuple(tangents), has_aux)
    return _cached(f, ("jvp", has_aux), lambda: _of_duals(f, has_aux))(
        *map(_Dual, primals, tangents))


def read_converted(f: Fn) -> Fn:
    """Returns a function as it is called in a trace."""
    from autograph.conversion.convert import convert
    return f if hasattr(f, "__ag_dispatcher__") else convert(f)


class _Dual(NamedTuple):
    """An argument, and its direction."""

    primal: Any
    tangent: Any


def _of_duals(f: Fn, has_aux: bool) -> Fn:
    def transform(fn: Fn) -> Fn:
        def run(*args: Any, **defaults: Any) -> Any:
            duals = [x for x in args if isinstance(x, _Dual)]
            rest = args[len(duals):]
            return _jvp(lambda *primals: fn(*primals, *rest, **defaults),
                        tuple(x.primal for x in duals), tuple(x.tangent for x in duals), has_aux)

        return run

    return transformed(f, transform, "jvp")


_functions: dict[Any, tuple[Fn, Fn]] = {}
MAX_FUNCTIONS = 512


def _cached(f: Fn, key: Any, make: Callable[[], Fn]) -> Fn:
    """Returns the transformed function for f, made when it is first asked for."""
    found = _functions.get((id(f), key))
    if found is None or found[0] is not f:
        if len(_functions) >= MAX_FUNCTIONS:
            _functions.clear()
        found = _functions[id(f), key] = f, make()
    return found[1]


def _jvp(fn: Fn, primals: tuple[Any, ...], tangents: tuple[Any, ...], has_aux: bool) -> Any:
    for k, (x, t) in enumerate(zip(primals, tangents, strict=True)):
        if t is not None:
            check_argument(f"argument {k}", x)
    recording = Recording()
    marked = recording.mark(primals)
    made = fn(*marked)
    y, aux = made if has_aux else (made, None)
    y = result_of(y)
    given = dict(zip(recording.sources, _matched(primals, tangents), strict=True))
    walk = pushed_forward(recording.region.graph, recording.start, {
        v: t for v, t in given.items() if t is not None})
    recording.finish()

    def tangent(leaf: Any) -> Any:
        return walk.dense(as_tensor(leaf).read()) if has_cotangent(leaf) else None

    y_dot = map_nest(tangent, y)
    return (y, y_dot, aux) if has_aux else (y, y_dot)


def _matched(primals: Any, tangents: Any) -> list[Any]:
    """Returns the tangent of each differentiable leaf."""
    if tangents is None:
        return [None for leaf in flatten(primals) if is_differentiable(leaf)]
    x, t = children(primals), children(tangents)
    if x is None:
        return [_fitting(primals, tangents)] if is_differentiable(primals) else []
    if t is None or len(t[1]) != len(x[1]):
        raise NotDifferentiable("the tangents have another structure than the arguments")
    return [made for a, b in zip(x[1], t[1], strict=True) for made in _matched(a, b)]


def _fitting(x: Any, t: Any) -> Tensor:
    like, given = leaf_type(x), leaf_type(t)
    shape = like.shape if isinstance(like, ArrayType) else ()
    other = given.shape if isinstance(given, ArrayType) else ()
    if given is None or (shape is not None and other is not None and len(shape) != len(other)) or (
            shape != other and None not in (shape, other)):
        raise NotDifferentiable(f"a tangent ({given}) has another shape than its argument ({like})")
    return as_tensor(t)


def linearize(f: Fn, *args: Any) -> Any:
    """Returns the value of f, and the function that maps directions to derivatives along them.

    Args:
      f: a function, decorated or not.
      args: the arguments.

    Returns:
      `(y, f_jvp)`: `f_jvp(*tangents)` gives the derivative of the result along the tangents.

    >>> y, f_jvp = linearize(lambda x: x * x, 3.0)
    >>> y, f_jvp(1.0), f_jvp(2.0)
    (9.0, 6.0, 12.0)
    """
    y = f(*args)
    return y, lambda *tangents: jvp(f, args, tangents)[1]


def hvp(f: Fn, primals: Any, tangents: Any) -> Any:
    """Returns the product of the Hessian matrix of f and a vector, without the matrix.

    Args:
      f: a function that returns a real number.
      primals: a tuple or list of the arguments.
      tangents: a tuple or list of the vectors, with the structure and shapes of the arguments.

    Returns:
      The product, with the structure of the arguments: that of the only one, or a tuple.

    >>> hvp(lambda x: np.sum(x ** 3), (np.array([1.0, 2.0]),), (np.array([1.0, 1.0]),))
    array([ 6., 12.])
    """
    numbers: Any = 0 if len(primals) == 1 else tuple(range(len(primals)))
    return jvp(_cached(f, ("hvp", len(primals)), lambda: grad(f, numbers)), primals, tangents)[1]


# -- Jacobian matrices ----------------------------------------------------------------------------


def jacobian(f: Fn, argnums: int = 0, mode: str = "auto") -> Fn:
    """Returns a function that gives the Jacobian matrix of f: the derivatives of all its results by
    all elements of an argument.

    Args:
      f: a function, decorated or not, of arrays or numbers.
      argnums: the position of the argument, which is an array or a number.
      mode: "reverse" (a backward sweep for each element of the result), "forward" (a forward one
        for each element of the argument), or "auto": reverse, unless the argument is smaller.

    Returns:
      A function with the parameters of f. Its result has the structure of f's result; for a result
      of shape s and an argument of shape t it is an array of shape s + t.

    Raises:
      ValueError: there is no such mode.
      NotDifferentiable: as `grad`.

    >>> jacobian(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    if mode not in ("auto", "reverse", "forward"):
        raise ValueError(f"mode is one of auto, reverse, forward, not {mode!r}")

    def transform(fn: Fn) -> Fn:
        def run(*args: Any, **kwargs: Any) -> Any:
            check_argument(f"argument {argnums}", args[argnums])
            if children(args[argnums]) is not None:
                raise NotDifferentiable("the Jacobian matrix is by one array or number, not by a "
                                        "nest\n  hint: concatenate its arrays")
            return _jacobian(fn, args, kwargs, argnums % len(args), mode)

        return run

    return transformed(f, transform, "jacobian")


def hessian(f: Fn, argnums: int = 0) -> Fn:
    """Returns a function that gives the Hessian matrix of f: its second derivatives.

    Args:
      f: a function, decorated or not, that returns a real number.
      argnums: the position of the argument, which is an array or a number.

    Returns:
      A function with the parameters of f; for an argument of shape t it gives an array of shape
      t + t. It is forward mode over reverse mode.

    >>> hessian(lambda x: np.sum(x ** 3))(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return jacobian(grad(f, argnums), argnums, mode="forward")


def _jacobian(fn: Fn, args: tuple[Any, ...], kwargs: dict[str, Any], number: int, mode: str) -> Any:
    here = trace.current_region()
    assert here is not None
    before = len(here.graph.equations)
    recording = Recording()
    x = recording.mark(args[number])
    y = result_of(fn(*args[:number], x, *args[number + 1:], **kwargs))
    (source,) = recording.sources
    effects = any(e.has_effect for e in here.graph.equations[before:])
    if mode == "forward" or (mode == "auto" and not effects and _smaller(source, y)):
        del here.graph.equations[before:]
        columns = [_columns(fn, args, kwargs, number, k) for k in range(len(list(flatten(y))))]
        made = iter(columns)
        return map_nest(lambda leaf: next(made), y)
    recording.finish()
    return map_nest(lambda leaf: _rows(recording, leaf, source) if is_differentiable(leaf)
                    else None, y)


def _smaller(source: Value, y: Any) -> bool:
    sizes = [_size(source.type), sum(_size(leaf_type(leaf)) for leaf in flatten(y))]
    return 0 <= sizes[0] < sizes[1]


def _size(t: Any) -> int:
    if isinstance(t, ArrayType):
        return t.size if t.is_static else 10 ** 9
    return 1


def _rows(recording: Recording, y: Any, source: Value) -> Any:
    """Records a loop over the elements of a result, a backward sweep each."""
    target = as_tensor(y).read()
    shape = np.shape(Tensor(target))
    count = apply("size", Tensor(target)) if not _static(target) else int(np.prod(shape, dtype=int))

    def row(k: Tensor) -> Any:
        seed = _unit(target, k)
        found = pulled_back(recording.region.graph, recording.start, {target: seed}, [source])[0]
        return zeros_for(source) if found is None else found

    if is_number(target.type):
        return row(as_tensor(0))
    return _looped(row, count, (*shape, *np.shape(Tensor(source))), source)


def _columns(fn: Fn, args: tuple[Any, ...], kwargs: dict[str, Any], number: int, leaf: int) -> Any:
    """Records a loop over the elements of an argument, a forward sweep each."""
    x = as_tensor(args[number])
    like = x.read()

    def column(k: Tensor) -> Any:
        seed = as_tensor(_unit(like, k))
        recording = Recording()
        marked = recording.mark(args[number])
        y = list(flatten(result_of(fn(
            *args[:number], marked, *args[number + 1:], **kwargs))))[leaf]
        value = as_tensor(y).read()
        walk = pushed_forward(recording.region.graph, recording.start, {
            recording.sources[0]: seed})
        recording.finish()
        return walk.dense(value)

    shape = np.shape(x)
    if is_number(like.type):
        return column(as_tensor(0))
    count = apply("size", x) if not _static(like) else int(np.prod(shape, dtype=int))
    made = _looped(column, count, None, None)
    y_shape = np.shape(made)[1:]
    if len(y_shape):
        made = np.moveaxis(made, 0, -1)
    return np.reshape(made, (*y_shape, *shape))


def _static(value: Value) -> bool:
    return isinstance(value.type, PyType) or getattr(value.type, "is_static", False)


def _unit(like: Value, k: Tensor) -> Any:
    """Returns zeros like a value with a one at element k."""
    shape = np.shape(Tensor(like))
    if isinstance(like.type, PyType):
        return like.type.cls(1)
    if isinstance(like.type, ArrayType) and like.type.scalar and like.type.dtype is not None:
        return like.type.dtype.type(1)
    flat = np.reshape(apply("zeros_like", Tensor(like)), -1)
    return np.reshape(apply("setitem", flat, k, 1.0), shape)


def _looped(row: Callable[[Tensor], Any], count: Any, shape: Any, source: Value | None) -> Any:
    """Records a loop that stores `row(k)` for each k in an array; returns that."""
    k = Value(PyType(int), "k")
    with trace.region("body") as region:
        made = as_tensor(row(Tensor(k)))
        t = made.type
        assert isinstance(t, (ArrayType, PyType))
        dtype = t.dtype if isinstance(t, ArrayType) else np.dtype(t.cls)
        inner = t.shape if isinstance(t, ArrayType) else ()
        if dtype is None or inner is None or not all(isinstance(d, int) for d in inner):
            raise NotDifferentiable("the shape or dtype of a result is not known before the graph "
                                    "runs\n  hint: ag.vjp for each row")
        n = count if isinstance(count, int) else None
        matrix = ArrayType(dtype, (n, *inner))
        rows = Value(matrix, "rows")
        stored = apply("setitem", Tensor(rows), Tensor(k), made)
        region.graph.outputs = (lower(stored),)
    graph = region.graph
    graph.inputs = (k, rows)
    start = apply("zeros", (count, *inner), dtype)
    steps = range(count) if isinstance(count, int) else lower(apply("range_", count))
    found = Tensor(record(OPS["for"], (steps, lower(start)), {}, (graph,), (matrix,))[0])
    return found if shape is None else np.reshape(found, shape)
