"""`if`, `while`, `for` over values: Python's own unless the condition or iterable is symbolic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autograph.operators.dispatch import BACKENDS, active
from autograph.operators.logical import and_
from autograph.traceback_filter import hide


def identity(*xs: Any) -> Any:
    """Returns its arguments: the function of an `if` or `else` that is not there.

    Args:
      xs: any values.

    Returns:
      `()` without arguments, the argument itself if there is one, else the tuple of them.

    >>> identity(), identity(1), identity(1, 2)
    ((), 1, (1, 2))
    """
    return xs[0] if len(xs) == 1 else xs


def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any] = identity,
         *operands: Any) -> Any:
    """Returns `true_fn(*operands)` if `pred` is true, else `false_fn(*operands)`.

    If `pred` is symbolic, both functions are traced, each in a region of its own, and the graph
    runs one of them. Their results may differ in structure, dtype and shape.

    Args:
      pred: a truth value: a bool, a number, any object; or a symbolic array with one element.
      true_fn: takes the operands.
      false_fn: takes the operands; without one, the operands are the result.
      operands: any values.

    Returns:
      The result of the function that runs; symbolic if `pred` is.

    Raises:
      ValueError: `pred` is an array with more than one element.
      TypeError: a branch is no function.

    >>> cond(3 > 2, lambda n: n // 2, lambda n: 3 * n + 1, 10)
    5
    """
    try:
        if not (callable(true_fn) and callable(false_fn)):
            raise no_branch(type(false_fn if callable(true_fn) else true_fn))
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


def no_branch(cls: type) -> TypeError:
    """Returns the error for a branch that is an object of a class without calls."""
    return TypeError(f"a branch of ag.cond is a function, not {cls.__name__}\n  hint: write "
                     "ag.cond(pred, lambda: x, lambda: y)")


def while_loop(cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Iterable[Any],
               **options: Any) -> tuple[Any, ...]:
    """Runs `loop_vars = body(*loop_vars)` as long as `cond(*loop_vars)` is true.

    The test is looked at before each iteration: when it turns symbolic, the rest of the loop
    becomes a loop of the graph, from the values reached. Loop variables may change in dtype, shape
    and structure.

    Args:
      cond: takes the loop variables, returns a truth value, perhaps a symbolic one.
      body: takes the loop variables, returns a tuple of as many values.
      loop_vars: the values to begin with.
      options: `maximum_iterations`, an integer that ends the loop early.

    Returns:
      The tuple of the last values.

    Raises:
      TypeError: the body does not return a tuple of as many values.

    >>> while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + i), (0, 0))
    (4, 6)
    """
    limit = options.pop("maximum_iterations", None)
    try:
        if not (callable(cond) and callable(body)):
            part, given = ("body", body) if callable(cond) else ("cond", cond)
            raise _no_function(
                part, "ag.while_loop(lambda i: i < n, lambda i: (i + 1,), (i,))", given)
        if limit is not None:
            return _limited(cond, body, loop_vars, limit, options)
        state = _variables(loop_vars)
        size = len(state)
        tracing = active()
        turns, look = 0, FIRST_LOOK
        while True:
            if tracing is not None:
                if turns == look:
                    made = tracing.plain_loop(None, body, state, cond, turns)
                    if made is not NotImplemented:
                        return made  # type: ignore[no-any-return]
                    look *= 2
                turns += 1
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


FIRST_LOOK = 4
"""After so many iterations of a `while` loop, a trace looks whether Python can run the rest."""


def _variables(loop_vars: Iterable[Any]) -> tuple[Any, ...]:
    if type(loop_vars) is tuple:
        return loop_vars
    try:
        values = iter(loop_vars)
    except TypeError:
        raise TypeError("the loop variables are given in a tuple\n"
                        "  hint: write (x,) for one") from None
    return tuple(values)


def _limited(cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Iterable[Any],
             limit: Any, options: dict[str, Any]) -> tuple[Any, ...]:
    """Runs a `while` loop of `limit` iterations at most."""
    _check_limit(limit)
    counted = while_loop(lambda i, *state: and_(i < limit, lambda: cond(*state)),
                         lambda i, *state: (i + 1, *body(*state)),
                         (0, *_variables(loop_vars)), **options)
    return counted[1:]


def for_loop(iterable: Iterable[Any], body: Callable[..., Any], loop_vars: Iterable[Any], *,
             test: Callable[..., Any] | None = None, unroll: bool | None = None,
             maximum_iterations: Any = None) -> tuple[Any, ...]:
    """Runs `loop_vars = body(item, *loop_vars)` for each item.

    Args:
      iterable: anything iterable; an array gives its rows, and a symbolic one makes a loop of the
        graph.
      body: takes an item and the loop variables, returns a tuple of as many variables.
      loop_vars: the values to begin with.
      test: takes the loop variables; the loop ends before the next item is fetched once it is
        false.
      unroll: True records each iteration of a loop in a trace on its own; False records one loop;
        None unrolls short loops.
      maximum_iterations: an integer that ends the loop early.

    Returns:
      The tuple of the last values.

    Raises:
      TypeError: the body does not return a tuple of as many values.

    >>> for_loop([1, 2, 3], lambda x, s: (s + x,), (0,))
    (6,)
    >>> for_loop([1, 2, 3], lambda x, s: (s + x,), (0,), test=lambda s: s < 3)
    (3,)
    """
    try:
        if not callable(body):
            raise _no_function("body", "ag.for_loop(items, lambda x, s: (s + x,), (0,))", body)
        state = _variables(loop_vars)
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
        iterable = ()  # a generator ends here in plain Python, and the error keeps this frame
        hide()
        raise
    return state


def _limited_for(iterable: Iterable[Any], body: Callable[..., Any], state: tuple[Any, ...],
                 test: Callable[..., Any] | None, unroll: bool | None, limit: Any
                 ) -> tuple[Any, ...]:
    """Runs a `for` loop of `limit` iterations at most."""
    _check_limit(limit)

    def going(i: Any, *inner: Any) -> Any:
        return i < limit if test is None else and_(i < limit, lambda: test(*inner))

    return for_loop(iterable, lambda item, i, *inner: (i + 1, *body(item, *inner)), (0, *state),
                    test=going, unroll=unroll)[1:]


def _tested_for(items: Iterator[Any], body: Callable[..., Any], state: tuple[Any, ...],
                test: Callable[..., Any]) -> tuple[Any, ...]:
    """Runs a `for` loop with a test; the rest of it is staged if the test turns symbolic."""
    size = len(state)
    try:
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
    except BaseException:
        items = iter(())  # see for_loop
        raise


_END = object()


def _no_function(part: str, call: str, given: object) -> TypeError:
    return TypeError(f"the {part} of {call.partition('(')[0]} is a function, not "
                     f"{type(given).__name__}\n  hint: write {call}")


def _check_limit(limit: object) -> None:
    if not hasattr(type(limit), "__float__"):
        raise TypeError(f"maximum_iterations is an integer, not {limit!r}")


def _not_the_state(operator: str, got: object, size: int) -> TypeError:
    what = f"a tuple of {len(got)}" if isinstance(got, tuple) else type(got).__name__
    return TypeError(f"the body of ag.{operator} must return a tuple of as many values as there "
                     f"are loop variables ({size}); it returned {what}")
