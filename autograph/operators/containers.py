"""Containers that converted code makes: Python's own, unless a trace is being made."""

from __future__ import annotations

from typing import Any

from autograph.operators.dispatch import active


def new_list(items: list[Any]) -> list[Any]:
    """The list itself; while a function is traced, one whose length may become symbolic.

    >>> new_list([1, 2])
    [1, 2]
    """
    backend = active()
    return items if backend is None else backend.new_list(items)


def new_container(value: Any) -> Any:
    """A value that may be a container which was made here: itself, or an object of the graph.

    >>> new_container([1, 2])
    [1, 2]
    """
    backend = active()
    return value if backend is None else backend.new_container(value)


def new_dict(pairs: list[tuple[Any, Any]]) -> Any:
    """The dict of these pairs; a key may be symbolic.

    >>> new_dict([(1, "a"), (2, "b")])
    {1: 'a', 2: 'b'}
    """
    backend = active()
    return dict(pairs) if backend is None else backend.new_dict(pairs)


def new_set(items: list[Any]) -> Any:
    """The set of these items, which may be symbolic.

    >>> new_set([1, 1])
    {1}
    """
    backend = active()
    return set(items) if backend is None else backend.new_set(items)


def item_key(container: Any, index: Any) -> Any:
    """The index itself, of an item of the container that is about to be stored or deleted.

    >>> item_key([1, 2], 0)
    0
    """
    backend = active()
    if backend is not None:
        backend.check_key(container, index)
    return index
