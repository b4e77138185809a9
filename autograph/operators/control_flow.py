"""`if`, `while`, `for` over values: Python's own unless the condition or iterable is symbolic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autograph.operators.dispatch import BACKENDS, active
from autograph.operators.logical import and_
from autograph.syntax.traceback_filter import hide


def identity(*xs: Any) -> Any:
    """An absent branch: `()` for no value, the value itself for one, the tuple for more.

    >>> identity(), identity(1), identity(1, 2)
    ((), 1, (1, 2))
    """
    return xs[0] if len(xs) == 1 else xs


def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any] = identity,
         *operands: Any) -> Any:
    """What `true_fn(*operands)` returns if `pred` is true, else what `false_fn(*operands)` does.

    >>> cond(3 > 2, lambda n: n // 2, lambda n: 3 * n + 1, 10)
    5
    """
    try:
        if pred is True:
            return true_fn(*operands)
        if pred is False:
            return false_fn(*operands)
        backend = BACKENDS.get(type(pred))
        if backend is not None:
            return backend.cond(pred, true_fn, false_fn, operands)
        return true_fn(*operands) if pred else false_fn(*operands)
    except BaseException:
        hide()
        raise


def while_loop(cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Iterable[Any],
               **options: Any) -> tuple[Any, ...]:
    """Run `loop_vars = body(*loop_vars)` as long as `cond(*loop_vars)` is true; give the last ones.

    The test is looked at each time round: when it turns symbolic, the rest of the loop is staged
    from the values reached. `maximum_iterations` ends it early; other options are the
    backend's, and a Python loop needs none.

    >>> while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + i), (0, 0))
    (4, 6)
    """
    limit = options.pop("maximum_iterations", None)
    try:
        if limit is not None:
            return _limited(cond, body, loop_vars, limit, options)
        state = tuple(loop_vars)
        size = len(state)
        tracing = active()
        while True:
            test = cond(*state) if tracing is None else tracing.test(cond, state)
            backend = BACKENDS.get(type(test))
            if backend is not None:
                return backend.while_loop(cond, body, state, options)
            if not test:
                return state
            state = body(*state)
            if type(state) is not tuple or len(state) != size:
                raise _not_the_state("while_loop", state, size)
    except BaseException:
        hide()
        raise


def _limited(cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Iterable[Any],
             limit: Any, options: dict[str, Any]) -> tuple[Any, ...]:
    """A loop that ends after `limit` rounds at the latest."""
    counted = while_loop(lambda i, *state: and_(i < limit, lambda: cond(*state)),
                         lambda i, *state: (i + 1, *body(*state)), (0, *loop_vars), **options)
    return counted[1:]


def for_loop(iterable: Iterable[Any], body: Callable[..., Any], loop_vars: Iterable[Any], *,
             test: Callable[..., Any] | None = None, unroll: bool | None = None,
             maximum_iterations: Any = None) -> tuple[Any, ...]:
    """Run `loop_vars = body(item, *loop_vars)` for each item; give the last ones.

    With a `test` the loop stops before the next item is fetched once `test(*loop_vars)` is false.
    `maximum_iterations` ends it early; `unroll` has each round of a staged loop recorded on its own
    (None: if there are few).

    >>> for_loop([1, 2, 3], lambda x, s: (s + x,), (0,))
    (6,)
    >>> for_loop([1, 2, 3], lambda x, s: (s + x,), (0,), test=lambda s: s < 3)
    (3,)
    """
    try:
        state = tuple(loop_vars)
        if maximum_iterations is not None:
            return _limited_for(iterable, body, state, test, unroll, maximum_iterations)
        backend = BACKENDS.get(type(iterable)) or active()
        if backend is not None:
            staged: Any = backend.for_loop(iterable, body, state, test, unroll)
            if staged is not NotImplemented:
                return staged  # type: ignore[no-any-return]
        if test is not None:
            return _tested_for(iter(iterable), body, state, test)
        size = len(state)
        for item in iterable:
            state = body(item, *state)
            if type(state) is not tuple or len(state) != size:
                raise _not_the_state("for_loop", state, size)
    except BaseException:
        hide()
        raise
    return state


def _limited_for(iterable: Iterable[Any], body: Callable[..., Any], state: tuple[Any, ...],
                 test: Callable[..., Any] | None, unroll: bool | None, limit: Any
                 ) -> tuple[Any, ...]:
    """A loop that ends after `limit` rounds at the latest."""
    def going(i: Any, *inner: Any) -> Any:
        return i < limit if test is None else and_(i < limit, lambda: test(*inner))

    return for_loop(iterable, lambda item, i, *inner: (i + 1, *body(item, *inner)), (0, *state),
                    test=going, unroll=unroll)[1:]


def _tested_for(items: Iterator[Any], body: Callable[..., Any], state: tuple[Any, ...],
                test: Callable[..., Any]) -> tuple[Any, ...]:
    """A Python loop that can be left early; the rest of it is staged if the test turns symbolic."""
    size = len(state)
    while True:
        go_on = test(*state)
        backend = BACKENDS.get(type(go_on))
        if backend is not None:
            return backend.for_loop(items, body, state, test)  # type: ignore[no-any-return]
        if not go_on:
            return state
        item = next(items, _END)
        if item is _END:
            return state
        state = body(item, *state)
        if type(state) is not tuple or len(state) != size:
            raise _not_the_state("for_loop", state, size)


_END = object()


def _not_the_state(operator: str, got: object, size: int) -> TypeError:
    what = f"a tuple of {len(got)}" if isinstance(got, tuple) else type(got).__name__
    return TypeError(f"the body of ag.{operator} must return a tuple of as many values as there "
                     f"are loop variables ({size}); it returned {what}")
