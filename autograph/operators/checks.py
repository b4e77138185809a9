"""`assert`, `raise` and item look-up: Python's own unless a value that decides is symbolic."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from autograph.operators.dispatch import BACKENDS, backend_for
from autograph.traceback_filter import hide


def assert_(test: Any, message: Callable[[], Any] | None = None) -> None:
    """Does what `assert test, message()` does; on a symbolic test, each time the graph runs.

    Args:
      test: any value; a symbolic one must be a scalar or have one element.
      message: a function without parameters that gives the message; called only on failure.

    Raises:
      AssertionError: the test is false.

    >>> assert_(1 < 2, lambda: 1 / 0)
    >>> assert_(1 > 2, lambda: "too small")
    Traceback (most recent call last):
    AssertionError: too small
    """
    try:
        backend = BACKENDS.get(type(test))
        if backend is not None:
            backend.assert_(test, message)
        elif not test:
            raise AssertionError(*(() if message is None else (message(),)))
    except BaseException:
        hide()
        raise


def raise_(error: Any, *cause: Any) -> NoReturn:
    """Does what `raise error` or `raise error from cause` does; of a symbolic error, when the graph
    runs.

    Args:
      error: an exception or an exception class, perhaps one that a staged branch selected.
      cause: nothing, or the cause.

    Raises:
      the error.

    >>> raise_(KeyError("a"))
    Traceback (most recent call last):
    KeyError: 'a'
    """
    backend = backend_for(error, *cause)
    try:
        if backend is not None:
            backend.raise_(error, cause)
        if cause:
            raise error from cause[0]
        raise error
    except BaseException:
        hide()
        raise


def to_match(subject: Any) -> Any:
    """Returns the subject of a `match` statement whose patterns look into it.

    Args:
      subject: any value. Of a symbolic one the number of dimensions and, where a pattern asks for
        it, the length must be known while tracing.

    Returns:
      The subject, or what stands for it in patterns.

    >>> to_match([1, 2])
    [1, 2]
    """
    backend = BACKENDS.get(type(subject))
    try:
        return subject if backend is None else backend.to_match(subject)
    except BaseException:
        hide()
        raise


def match_parts(subject: Any, parts_of: Callable[[Any], tuple[Any, ...]]) -> tuple[Any, ...]:
    """Returns the parts of the subject of a `match` that a pattern captures.

    Args:
      subject: any value; the run may know which.
      parts_of: returns for a subject whether the pattern matches, and the captured parts.

    Returns:
      What `parts_of` returns; symbolic values if only the run knows it.

    >>> match_parts([1, 2], lambda pair: (True, *pair))
    (True, 1, 2)
    """
    backend = BACKENDS.get(type(subject))
    try:
        return parts_of(subject) if backend is None else backend.match_parts(subject, parts_of)
    except BaseException:
        hide()
        raise


def getitem(container: Any, index: Any) -> Any:
    """Returns `container[index]`, where the index may be symbolic although the container is not.

    Args:
      container: an array, list, tuple, string, dict, or any object with `__getitem__`.
      index: a key, integer, slice or tuple of these; its parts may be symbolic.

    Returns:
      The item; a symbolic value if the index is symbolic.

    Raises:
      IndexError, KeyError, TypeError: as the container does.

    >>> getitem({"a": 1}, "a")
    1
    """
    backend = BACKENDS.get(type(index))
    if backend is None and type(index) in (tuple, slice, list):
        backend = next((b for b in map(BACKENDS.get, map(type, _parts(index))) if b is not None),
                       None)
    try:
        return container[index] if backend is None else backend.getitem(container, index)
    except BaseException:
        hide()
        raise


def _parts(index: Any) -> Iterator[Any]:
    """Yields the items of an index, those of the lists in it, and the bounds of its slices."""
    for part in index if type(index) in (tuple, list) else (index,):
        if type(part) is slice:
            yield from (part.start, part.stop, part.step)
        elif type(part) is list:
            yield from _parts(part)
        else:
            yield part
