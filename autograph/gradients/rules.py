"""Derivatives that users define: `ag.custom_vjp`, `ag.custom_jvp`, `ag.custom_gradient`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Generic, ParamSpec, TypeVar, cast

from autograph.decorated import note, noted
from autograph.gradients.engine import Fn, untransformed
from autograph.gradients.forward import read_converted
from autograph.gradients.tapes import TAPES
from autograph.runtime.differentiate.recording import (
    Recording,
    has_cotangent,
    is_source,
    result_of,
)
from autograph.runtime.differentiate.user_rules import outside_of, with_rule
from autograph.runtime.heap.growing_lists import unstage
from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ir.graph import Equation, Value
from autograph.runtime.ir.pytree import flatten, map_nest
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.runtime.symbolic.variables import read_all
from autograph.traceback_filter import hiding_frames

P = ParamSpec("P")
R = TypeVar("R")
Saved = TypeVar("Saved")
Rule = TypeVar("Rule", bound=Fn)

NESTED = 3
"""How often a function may be called in its own rule: the highest order of its derivatives."""


class _Custom(Generic[P, R]):
    """A function with a rule of the user's.

    The rule may call the function: that call has the rule, too, for derivatives of higher order.
    What is ours is not in `__dict__`, which `functools.wraps` copies.
    """

    __slots__ = ("__dict__", "__weakref__", "_inside", "f", "rule")

    @hiding_frames
    def __init__(self, f: Callable[P, R]) -> None:
        if not callable(f):
            raise TypeError(f"a function is needed here, not {type(f).__name__}\n"
                            f"  hint: write @ag.{type(self).__name__} above a function")
        self.f = f
        self._inside = 0
        self.rule: Any = None
        functools.update_wrapper(self, f)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if not trace.tracing():
            run = on_tapes(self) if TAPES.active else self.f
            return cast("R", run(*args, **kwargs))
        given = tuple(map_nest(read_all, unstage(a)) for a in _positional(self.f, args, kwargs))
        if self._inside == NESTED:
            return cast("R", self._without_rule(given))
        self._inside += 1
        try:
            return cast("R", self.traced(given))
        finally:
            self._inside -= 1

    def _without_rule(self, args: tuple[Any, ...]) -> Any:
        reason = (f"derivatives of {name_of(self.f)} of a higher order than "
                  f"{NESTED} are not there, as its rule calls it\n  hint: write the rule with "
                  "other operations")
        return map_nest(lambda x: apply("without_derivative", x, reason) if has_cotangent(
            x) else x, result_of(read_converted(self.f)(*args)))

    def traced(self, args: tuple[Any, ...]) -> Any:
        """Records the function with its rule."""
        raise NotImplementedError


def on_tapes(function: Any) -> Fn:
    """Returns a function with a rule as one whose calls are recorded by tapes with the rule."""
    found = noted(function, "__ag_on_tapes__")
    if found is None:
        def call(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        found = untransformed(call)
        note(function, "__ag_on_tapes__", found)
    return cast("Fn", found)


def _positional(f: Fn, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Returns the arguments of a call by position, with defaults."""
    try:
        bound = inspect.signature(f).bind(*args, **kwargs)
    except ValueError:  # written in C
        return args
    bound.apply_defaults()
    if bound.kwargs:
        raise NotDifferentiable("a function with a rule takes positional arguments; "
                                f"{', '.join(map(repr, bound.kwargs))} can be given by name only\n"
                                "  hint: make it positional, or bind it with a closure")
    return bound.args


class custom_vjp(_Custom[P, R]):
    """A function with a reverse rule of its own: `@ag.custom_vjp`, then `f.defvjp(fwd, bwd)`.

    Args:
      f: the function, of positional arguments.

    >>> import autograph as ag
    >>> @ag.custom_vjp
    ... def clipped(x):
    ...     return x
    >>> clipped.defvjp(lambda x: (x, ()), lambda kept, g: (g * 0.5,))
    >>> ag.grad(clipped)(3.0)
    0.5
    """

    __slots__ = ()

    def defvjp(self, fwd: Callable[P, tuple[R, Saved]],
               bwd: Callable[[Saved, Any], Sequence[Any]]) -> None:
        """Sets the rule.

        Args:
          fwd: takes the arguments of f, and returns `(y, kept)`: the result of f, and what the
            backward half needs.
          bwd: `bwd(kept, y_bar)` returns a cotangent for each argument, or None for zero.
        """
        self.rule = fwd, bwd

    def traced(self, args: tuple[Any, ...]) -> Any:
        if self.rule is None:
            raise NotDifferentiable(f"{name_of(self.f)} has no rule yet\n  hint: call "
                                    f"{name_of(self.f)}.defvjp(fwd, bwd)")
        fwd, bwd = map(read_converted, self.rule)
        call = Call(fwd, args)
        y, kept = _pair_of(call.made, "the forward half of the rule of", self.f, "what the "
                           "backward half needs")
        return attached(self.f, y, args, lambda y_bar: bwd(kept, y_bar), call.outside(y))


class custom_jvp(_Custom[P, R]):
    """A function with a forward rule of its own: `@ag.custom_jvp`, then `f.defjvp(rule)`.

    Reverse mode transposes the rule.

    Args:
      f: the function, of positional arguments.

    >>> import autograph as ag
    >>> @ag.custom_jvp
    ... def half(x):
    ...     return x
    >>> _ = half.defjvp(lambda primals, tangents: (primals[0], tangents[0] * 0.5))
    >>> ag.grad(half)(3.0)
    0.5
    """

    __slots__ = ()

    def defjvp(self, rule: Rule) -> Rule:
        """Sets the rule, and returns it.

        Args:
          rule: `rule(primals, tangents)` returns `(y, y_dot)`; it is linear in the tangents.
        """
        self.rule = rule
        return rule

    def traced(self, args: tuple[Any, ...]) -> Any:
        if self.rule is None:
            raise NotDifferentiable(f"{name_of(self.f)} has no rule yet\n  hint: call "
                                    f"{name_of(self.f)}.defjvp(rule)")
        rule, call = read_converted(self.rule), Call(read_converted(self.f), args)
        y = result_of(call.made)
        leaves = [x for x in flatten(args) if is_source(x)]
        results = [x for x in flatten(y) if has_cotangent(x)]

        def tangents(given: list[Tensor]) -> Sequence[Any]:
            items = iter(given)
            nest = map_nest(lambda x: next(items) if is_source(x) else None, args)
            made = _pair_of(rule(args, nest), "the rule of", self.f, "its derivative")[1]
            return [t for x, t in zip(flatten(y), flatten(made), strict=True)
                    if has_cotangent(x)]

        return _refilled(y, with_rule(results, leaves, True, tangents, call.outside(y)))


@hiding_frames
def custom_gradient(f: Callable[P, tuple[R, Fn]]) -> Callable[P, R]:
    """Gives a function a gradient of its own, as TensorFlow's decorator does.

    Args:
      f: returns `(y, grad_fn)`: `grad_fn(*y_bar)` takes a cotangent for each result and returns
        one for each argument: a tuple or list of them, or the only one.

    Returns:
      A function that returns y.

    >>> import autograph as ag
    >>> @ag.custom_gradient
    ... def half(x):
    ...     return x, lambda g: g * 0.5
    >>> half(3.0), ag.grad(half)(3.0)
    (3.0, 0.5)
    """
    @hiding_frames
    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        if TAPES.active and not trace.tracing():
            return on_tapes(call)(*args, **kwargs)
        if not trace.tracing():
            return _pair_of(f(*args, **kwargs), "a function with a gradient of its own,", f,
                            "the function that gives the gradient")[0]
        given = tuple(map_nest(read_all, a) for a in args)
        recorded = Call(lambda *args: read_converted(f)(*args, **kwargs), given)
        y, grad_fn = _pair_of(recorded.made, "a function with a gradient of its own,", f,
                              "the function that gives the gradient")

        def bwd(y_bar: Any) -> Any:
            made = grad_fn(*y_bar) if isinstance(y, (tuple, list)) else grad_fn(y_bar)
            return made if isinstance(made, (tuple, list)) else (made,)

        return attached(f, y, given, bwd, recorded.outside(y))

    return call


def _pair_of(made: Any, what: str, f: Any, second: str) -> Any:
    """Returns the pair that a rule gave, or raises the error for something else."""
    if not (isinstance(made, (tuple, list)) and len(made) == 2):
        raise NotDifferentiable(
            f"{what} {name_of(f)} returned {type(made).__name__}: it has to return a pair: the "
            f"result, and {second}\n  hint: write return y, ...")
    return made


class Call:
    """A call of a function that has a rule, on arguments that stand for themselves alone.

    made  what it returns.
    """

    def __init__(self, fn: Fn, args: tuple[Any, ...]) -> None:
        recording = Recording(args)
        marked = recording.mark(args)
        self._start, self._given = len(recording.region.graph.equations), recording.sources
        self.made = fn(*marked)
        self._graph = recording.region.graph
        recording.finish()

    def reads_first(self) -> list[Equation]:
        """Moves the reads of variables before the call, which then takes their values from around
        itself; returns them. A call that may write to variables stays as it is."""
        new = self._graph.equations[self._start:]
        if any(e.has_effect and e.op.effect not in ("read", "print", "raise") for e in new):
            return []
        made = {v for e in new for v in e.outputs}
        reads = [e for e in new if e.op.effect == "read" and made.isdisjoint(e.inputs)]
        self._graph.equations[self._start:] = [*reads, *(e for e in new if e not in reads)]
        self._start += len(reads)
        return reads

    def outside(self, y: Any) -> list[Value]:
        """Returns the values by which results may have derivatives beside the arguments."""
        return outside_of(self._start, self._given, list(flatten(y)))


def name_of(f: Any) -> str:
    return str(getattr(f, "__name__", f))


def attached(f: Any, y: Any, args: tuple[Any, ...], bwd: Callable[[Any], Any],
             outside: Sequence[Value]) -> Any:
    """Records results of a function with its reverse rule; returns them. The rule says nothing of
    `outside`."""
    y = result_of(y)
    leaves = [x for x in flatten(args) if is_source(x)]
    results = [x for x in flatten(y) if has_cotangent(x)]

    def cotangents(given: list[Tensor]) -> list[Any]:
        items = iter(given)
        made = unstage(bwd(map_nest(lambda x: next(items) if has_cotangent(x) else None, y)))
        if not isinstance(made, (tuple, list)) or len(made) != len(args):
            raise NotDifferentiable(
                f"the rule of {name_of(f)} returned {_count(made)} for {len(args)} argument"
                f"{'s' * (len(args) != 1)}: it gives one cotangent for each\n"
                "  hint: return (x_bar, y_bar), and None for an argument that counts for nothing")
        return [g for x, part in zip(args, made, strict=True) for g in _parts(x, part)]

    return _refilled(y, with_rule(results, leaves, False, cotangents, outside))


def _count(made: Any) -> str:
    return f"{len(made)} cotangents" if isinstance(made, (tuple, list)) else "no tuple"


def _parts(x: Any, g: Any) -> list[Any]:
    """Returns the cotangents of the differentiable leaves of an argument."""
    leaves = list(flatten(x))
    parts = [None] * len(leaves) if g is None else list(flatten(g))
    if len(parts) != len(leaves):
        raise NotDifferentiable("a cotangent of the rule has another structure than its argument")
    return [p for leaf, p in zip(leaves, parts, strict=True) if is_source(leaf)]


def _refilled(y: Any, results: list[Tensor]) -> Any:
    items = iter(results)
    return map_nest(lambda x: next(items) if has_cotangent(x) else x, y)
