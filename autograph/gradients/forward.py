"""Forward mode, and derivatives of several numbers: `ag.jvp`, `ag.jacobian`, `ag.hessian`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeVar, TypeVarTuple, Unpack, overload

from autograph.decorated import dispatcher_of
from autograph.gradients.engine import Fn, transformed
from autograph.gradients.reverse import grad
from autograph.runtime.control_flow.recursion import staged
from autograph.runtime.differentiate.cotangents import as_tensor, in_form
from autograph.runtime.differentiate.forward import pushed_forward
from autograph.runtime.differentiate.recording import (
    Recording,
    checked_argument,
    has_cotangent,
    is_source,
    leaf_type,
    result_of,
)
from autograph.runtime.heap.growing_lists import unstage
from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ir.pytree import children, flatten, map_nest, parts_beside
from autograph.runtime.ir.types import DYNAMIC, ArrayType, in_words
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor
from autograph.traceback_filter import hiding_frames

R = TypeVar("R")
S = TypeVar("S")
T = TypeVar("T")
Ts = TypeVarTuple("Ts")


@overload
def jvp(f: Callable[[Unpack[Ts]], R], primals: tuple[*Ts], tangents: Sequence[Any],
        has_aux: Literal[False] = False) -> tuple[R, R]: ...
@overload
def jvp(f: Callable[..., R], primals: list[Any], tangents: Sequence[Any],
        has_aux: Literal[False] = False) -> tuple[R, R]: ...
@overload
def jvp(f: Callable[..., tuple[R, S]], primals: Sequence[Any], tangents: Sequence[Any],
        has_aux: Literal[True]) -> tuple[R, R, S]: ...
@hiding_frames
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
    _check_tuples("jvp", primals, tangents)
    if len(primals) != len(tangents):
        raise NotDifferentiable(
            f"the function has {len(primals)} argument{'s' * (len(primals) != 1)}, and there are "
            f"{len(tangents)} directions\n  hint: give one for each, np.zeros_like(x) for one that "
            "stays as it is")
    if trace.tracing():
        return _jvp(read_converted(f), tuple(primals), tuple(tangents), has_aux)
    return _cached(f, ("jvp", has_aux), lambda: _of_duals(f, has_aux))(
        *map(_Dual, primals, tangents))


def _check_tuples(name: str, *given: Any) -> None:
    """Raises a TypeError for arguments that are in no tuple or list."""
    for x in given:
        if not isinstance(x, (tuple, list)):
            raise TypeError(f"ag.{name} takes the arguments, and their directions, as tuples, not "
                            f"{type(x).__name__}\n  hint: write ag.{name}(f, (x,), (direction,))")


def read_converted(f: Fn) -> Fn:
    """Returns a function as it is called in a trace."""
    from autograph.conversion.convert import traced_form
    return f if dispatcher_of(f) is not None else staged(traced_form(f))


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

    return transformed(f, transform, "jvp", signed=False)


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
    primals = tuple(checked_argument(f"argument {k}", x) if _moves(t) else unstage(x)
                    for k, (x, t) in enumerate(zip(primals, tangents, strict=True)))
    moves = _matched(primals, unstage(tangents))  # made before what uses them
    recording = Recording(primals)
    marked = recording.mark(primals)
    made = fn(*marked)
    y, aux = made if has_aux else (made, None)
    y = result_of(y)
    given = dict(zip(recording.sources, moves, strict=True))
    walk = pushed_forward(recording.region.graph, recording.start, {
        v: t for v, t in given.items() if t is not None}, [
            as_tensor(x).read() for x in flatten(y) if has_cotangent(x)])
    recording.finish()

    def tangent(leaf: Any) -> Any:
        if not has_cotangent(leaf):
            return None
        value = as_tensor(leaf).read()
        return in_form(walk.dense(value), value)

    y_dot = map_nest(tangent, y)
    return (y, y_dot, aux) if has_aux else (y, y_dot)


def _moves(tangent: Any) -> bool:
    """Returns True if anything moves in a direction: None, or a nest of nothing else, does not."""
    return any(t is not None for t in flatten(unstage(tangent)))


def _matched(primals: Any, tangents: Any) -> list[Any]:
    """Returns the tangent of each differentiable leaf."""
    if tangents is None:
        return [None for leaf in flatten(primals) if is_source(leaf)]
    x = children(primals)
    if x is None:
        return [_fitting(primals, tangents)] if is_source(primals) else []
    t = parts_beside(tangents, primals)
    if t is None:
        raise NotDifferentiable("the tangents have another structure than the arguments")
    return [made for a, b in zip(x[1], t, strict=True) for made in _matched(a, b)]


def _fitting(x: Any, t: Any) -> Tensor:
    like, given = leaf_type(x), leaf_type(t)
    shape = like.shape if isinstance(like, ArrayType) else None if like == DYNAMIC else ()
    other = given.shape if isinstance(given, ArrayType) else ()
    if given is None or (shape is not None and other is not None and len(shape) != len(other)) or (
            shape != other and None not in (shape, other)):
        named = f"a {type(t).__name__}" if given is None else in_words(given)
        raise NotDifferentiable(
            f"a tangent is {named}, and its argument {in_words(like)}\n"
            "  hint: a tangent has the shape of its argument, as np.ones_like(x) has")
    return as_tensor(t)


@overload
def hvp(f: Callable[[T], Any], primals: tuple[T], tangents: Sequence[Any]) -> T: ...
@overload
def hvp(f: Callable[[T, S, Unpack[Ts]], Any], primals: tuple[T, S, *Ts],
        tangents: Sequence[Any]) -> tuple[T, S, *Ts]: ...
@overload
def hvp(f: Fn, primals: list[Any], tangents: Sequence[Any]) -> Any: ...
@hiding_frames
def hvp(f: Fn, primals: Any, tangents: Any) -> Any:
    """Returns the product of the Hessian matrix of f and a vector, without the matrix.

    Args:
      f: a function that returns a real number.
      primals: a tuple or list of the arguments.
      tangents: a tuple or list of the vectors, with the structure and shapes of the arguments.

    Returns:
      The product, with the structure of the arguments: that of the only one, or a tuple.

    >>> import numpy as np
    >>> hvp(lambda x: np.sum(x ** 3), (np.array([1.0, 2.0]),), (np.array([1.0, 1.0]),))
    array([ 6., 12.])
    """
    _check_tuples("hvp", primals, tangents)
    numbers: Any = 0 if len(primals) == 1 else tuple(range(len(primals)))
    return jvp(_cached(f, ("hvp", len(primals)), lambda: grad(f, numbers)), primals, tangents)[1]
