"""Gradients of functions: `ag.grad`, `ag.value_and_grad`."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Concatenate, Literal, ParamSpec, SupportsIndex, TypeVar, overload

from autograph.function.types import Transformed
from autograph.gradients.engine import Fn, transformed
from autograph.runtime.differentiate.cotangents import zeros_for
from autograph.runtime.differentiate.recording import (
    Recording,
    checked_argument,
    gradient_nest,
    is_complex,
    one_like,
    own,
    target_of,
)
from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.symbolic.tensor import Tensor
from autograph.runtime.symbolic.variables import read_all
from autograph.traceback_filter import hiding_frames

Argnums = SupportsIndex | Sequence[int]
P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
T = TypeVar("T", bound=Any)


@overload
def value_and_grad(f: Callable[Concatenate[T, Q], R], *, holomorphic: bool = False
                   ) -> Transformed[Concatenate[T, Q], tuple[R, T]]: ...
@overload
def value_and_grad(f: Callable[P, R], argnums: Argnums = 0,
                   argnames: str | Sequence[str] | None = None, has_aux: bool = False,
                   holomorphic: bool = False) -> Transformed[P, tuple[R, Any]]: ...

@hiding_frames
def value_and_grad(f: Fn, argnums: Argnums = 0, argnames: str | Sequence[str] | None = None,
                   has_aux: bool = False, holomorphic: bool = False) -> Any:
    """Returns a function that gives the value of f and its gradient.

    Args:
      f: a function, decorated or not, that returns a real number: a Python float, a NumPy scalar,
        or an array of shape ().
      argnums: the position of the argument that the gradient is by, or a sequence of positions.
        An argument may be a nest: a list, tuple, dict, named tuple or data class.
      argnames: the names of keyword arguments that the gradient is by, too (or only, if `argnums`
        is an empty sequence).
      has_aux: if True, f returns a pair, of which only the first is differentiated.
      holomorphic: if True, arguments and result are complex, and f is holomorphic.

    Returns:
      A function with the parameters of f that returns `(value, gradient)`; with `has_aux`,
      `((value, aux), gradient)`. A gradient has the structure, shapes and dtypes of its argument,
      and None for what is no float in it. For several arguments it is a tuple of gradients; with
      `argnames`, a pair of the gradients by position and a dict of those by name.

    Raises:
      NotDifferentiable: when it is called: the result is no real number, an argument is no float,
        or something on the way between them has no derivative.

    >>> value_and_grad(lambda x: x ** 3)(2.0)
    (8.0, 12.0)
    """
    check_argnums(argnums)
    names = names_given(argnames)

    def transform(fn: Fn) -> Fn:
        def run(*args: Any, **kwargs: Any) -> Any:
            return _value_and_grad(fn, *by_name(f, names, args, kwargs), argnums,
                                   names if argnames is not None else None, has_aux, holomorphic)

        return run

    return transformed(f, transform, "value_and_grad")


@overload
def grad(f: Callable[Concatenate[T, Q], Any], *, holomorphic: bool = False
         ) -> Transformed[Concatenate[T, Q], T]: ...
@overload
def grad(f: Callable[P, Any], argnums: Argnums = 0, argnames: str | Sequence[str] | None = None,
         has_aux: Literal[False] = False, holomorphic: bool = False) -> Transformed[P, Any]: ...
@overload
def grad(f: Callable[P, Any], argnums: Argnums = 0, argnames: str | Sequence[str] | None = None,
         *, has_aux: bool, holomorphic: bool = False) -> Transformed[P, tuple[Any, Any]]: ...
@hiding_frames
def grad(f: Fn, argnums: Argnums = 0, argnames: str | Sequence[str] | None = None,
         has_aux: bool = False, holomorphic: bool = False) -> Any:
    """Returns a function that gives the gradient of f.

    Args:
      f: a function, decorated or not, that returns a real number.
      argnums: the position of the argument that the gradient is by, or a sequence of positions.
      argnames: the names of keyword arguments that the gradient is by.
      has_aux: if True, f returns a pair, of which only the first is differentiated.
      holomorphic: if True, arguments and result are complex, and f is holomorphic.

    Returns:
      A function with the parameters of f that returns the gradient, or `(gradient, aux)`;
      see `value_and_grad`.

    Raises:
      NotDifferentiable: as `value_and_grad`.

    >>> import numpy as np
    >>> grad(lambda x: np.sum(x * x))(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    check_argnums(argnums)
    names = names_given(argnames)

    def transform(fn: Fn) -> Fn:
        def run(*args: Any, **kwargs: Any) -> Any:
            value, found = _value_and_grad(
                fn, *by_name(f, names, args, kwargs), argnums,
                names if argnames is not None else None, has_aux, holomorphic)
            return (found, value[1]) if has_aux else found

        return run

    return transformed(f, transform, "grad")


def _value_and_grad(fn: Fn, args: tuple[Any, ...], kwargs: dict[str, Any], argnums: Argnums,
                    names: tuple[str, ...] | None, has_aux: bool, holomorphic: bool) -> Any:
    positions = positions_of(args, argnums, names)
    chosen: dict[Any, Any] = chosen_arguments(args, positions)
    for name in names or ():
        chosen[name] = checked_argument(f"the argument {name!r}", kwargs[name])
    recording = Recording((args, kwargs))
    marked = {key: recording.mark(x) for key, x in chosen.items()}
    made = fn(*(marked.get(i, x) for i, x in enumerate(args)),
              **{k: marked.get(k, x) for k, x in kwargs.items()})
    y, aux = _pair(made) if has_aux else (made, None)
    y = target_of(read_all(y), holomorphic)
    if holomorphic:
        _check_holomorphic(y, recording)
    found = own(recording.pull_back({y.read(): one_like(y)}, recording.sources))
    recording.finish()
    gradients = iter(found)
    values = iter(recording.sources)

    def leaf(x: Any) -> Any:
        g, v = next(gradients), next(values)
        return zeros_for(v) if g is None else g

    nests = {key: gradient_nest(x, leaf) for key, x in chosen.items()}
    by_position = tuple(nests[p] for p in positions)
    result: Any = by_position if isinstance(argnums, Sequence) else by_position[0]
    if names is not None:
        by_name = {name: nests[name] for name in names}
        result = by_name if not positions else (result, by_name)
    return ((made[0], aux) if has_aux else made), result


def by_name(f: Fn, names: Sequence[str], args: tuple[Any, ...], kwargs: dict[str, Any]
            ) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns the arguments of a call with those of some names by name, and all that follow."""
    if all(name in kwargs for name in names):
        return args, kwargs
    parameters = list(inspect.signature(f).parameters)
    first = min((parameters.index(name) for name in names if name in parameters),
                default=len(args))
    named = dict(zip(parameters[first:], args[first:], strict=False))
    for name in names:
        if name not in named and name not in kwargs:
            raise NotDifferentiable(
                f"argnames={name!r}, but the function has no such argument\n"
                f"  hint: the function takes ({', '.join(parameters)})")
    return args[:first], {**named, **kwargs}


def chosen_arguments(args: tuple[Any, ...], positions: tuple[int, ...]) -> dict[int, Any]:
    """Returns the arguments by which is differentiated, by position; refuses those of integers."""
    return {p: checked_argument(f"argument {p}", args[p]) for p in positions}


def check_argnums(argnums: Argnums) -> Sequence[SupportsIndex]:
    """Returns the positions that were asked for.

    Raises:
      NotDifferentiable: one is no number.
    """
    given = argnums if isinstance(argnums, Sequence) else (argnums,)
    for p in given:
        try:
            operator.index(p)
        except TypeError:
            raise NotDifferentiable(
                f"argnums={p!r} is no position of an argument\n  hint: argnames is for names; "
                "the arguments are for the function that this makes: ag.grad(f)(x)") from None
    return given


def names_given(argnames: str | Sequence[str] | None) -> tuple[str, ...]:
    """Returns the names that were asked for.

    Raises:
      NotDifferentiable: one is no text.
    """
    names = [argnames] if isinstance(argnames, str) else argnames or ()
    if not isinstance(names, Iterable) or not all(isinstance(name, str) for name in names):
        raise NotDifferentiable(
            f"argnames={argnames!r} is no name of an argument\n  hint: argnums is for positions")
    return tuple(names)


def positions_of(args: tuple[Any, ...], argnums: Argnums, names: Sequence[str] | None = None
                 ) -> tuple[int, ...]:
    """Returns the positions that `argnums` asks for, counted from the first argument; `names` are
    those of the arguments that are asked for by name."""
    return tuple(_position(p, len(args), names) for p in check_argnums(argnums))


def _position(p: SupportsIndex, count: int, names: Sequence[str] | None) -> int:
    p = operator.index(p)
    if not -count <= p < count:
        hint = f"argnums=() for the gradient by {' and '.join(names)} alone" if names else (
            "the first is argument 0")
        before = " before those of argnames" if names else ""
        raise NotDifferentiable(f"argnums={p}, but the function is called with {count} positional "
                                f"argument{'s' * (count != 1)}{before}\n  hint: {hint}")
    return p % count


def _pair(made: Any) -> Any:
    if not (isinstance(made, (tuple, list)) and len(made) == 2):
        raise NotDifferentiable("with has_aux=True the function returns a pair: the number to "
                                "differentiate, and something else")
    return made


def _check_holomorphic(y: Tensor, recording: Recording) -> None:
    if not is_complex(y.type) or not all(is_complex(v.type) for v in recording.sources):
        raise NotDifferentiable("holomorphic=True is for functions from complex to complex")
