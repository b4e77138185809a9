"""Containers that converted code makes: Python's own, unless a trace is being made."""

from __future__ import annotations

from typing import Any

from autograph.operators.dispatch import active


def new_list(items: list[Any]) -> list[Any]:
    """Returns a list that converted code made; in a trace, one whose length may become symbolic.

    Args:
      items: the new list.

    Returns:
      The list itself outside a trace.

    >>> new_list([1, 2])
    [1, 2]
    """
    backend = active()
    return items if backend is None else backend.new_list(items)


def new_container(value: Any) -> Any:
    """Returns a container that converted code made; in a trace, perhaps an object of the graph.

    Args:
      value: a new container, or any other value, which is returned as it is.

    Returns:
      The value itself outside a trace.

    >>> new_container([1, 2])
    [1, 2]
    """
    backend = active()
    return value if backend is None else backend.new_container(value)


def new_array(value: Any) -> Any:
    """Returns what converted code got as an item; in a trace, perhaps as a symbolic value.

    Args:
      value: any value.

    Returns:
      The value itself outside a trace.

    >>> new_array(3)
    3
    """
    backend = active()
    return value if backend is None else backend.new_array(value)


def new_dict(pairs: list[tuple[Any, Any]]) -> Any:
    """Returns a dict of these pairs.

    Args:
      pairs: keys and values; a key may be symbolic in a trace.

    Returns:
      A dict, or one that the graph makes.

    >>> new_dict([(1, "a"), (2, "b")])
    {1: 'a', 2: 'b'}
    """
    backend = active()
    return dict(pairs) if backend is None else backend.new_dict(pairs)


def new_set(items: list[Any]) -> Any:
    """Returns a set of these items.

    Args:
      items: the items, which may be symbolic in a trace.

    Returns:
      A set, or one that the graph makes.

    >>> new_set([1, 1])
    {1}
    """
    backend = active()
    return set(items) if backend is None else backend.new_set(items)


def stored(container: Any, *key: Any) -> Any:
    """Returns a container or object into which the next store goes, after a look at it.

    Args:
      container: what holds the item or attribute.
      key: nothing, or the key of the item, or the name of the attribute.

    Returns:
      The container itself; in a trace, what stores into it.

    >>> stored([1, 2], 0)
    [1, 2]
    """
    backend = active()
    return container if backend is None else backend.note_target(container, *key)


def updating(owner: Any, value: Any, *key: Any) -> Any:
    """Returns the operand of `owner |= value` and its like, after a look at what that changes.

    Args:
      owner: what is changed; with a key, the container or object that holds it.
      value: the operand.
      key: nothing, or the key of the item, or the name of the attribute.

    Returns:
      The operand itself.

    >>> updating({1}, {2})
    {2}
    """
    backend = active()
    return value if backend is None else backend.note_update(owner, value, *key)


def deleted(owner: Any, name: str) -> Any:
    """Returns an object of which the next statement deletes an attribute, after a look if it has
    one.

    Args:
      owner: an object.
      name: the name of the attribute.

    Raises:
      AttributeError: a branch that the run did not take would have set it.

    >>> from types import SimpleNamespace
    >>> deleted(SimpleNamespace(size=1), "size")
    namespace(size=1)
    """
    backend = active()
    if backend is not None:
        backend.check_attribute(owner, name)
    return owner


def rebound(value: Any, *names: str) -> Any:
    """Returns the value that variables from outside the function are bound to.

    Args:
      value: any value.
      names: the names of the variables.

    Returns:
      The value itself.

    >>> rebound(1, "total")
    1
    """
    backend = active()
    if backend is not None:
        backend.note_rebound(names)
    return value


def item_key(container: Any, index: Any) -> Any:
    """Returns the index of an item that is about to be stored or deleted, after looking at it.

    In a trace, a symbolic index makes the container one that the graph changes itself.

    Args:
      container: what holds the item.
      index: its key or index.

    Returns:
      The index itself.

    >>> item_key([1, 2], 0)
    0
    """
    backend = active()
    if backend is not None:
        backend.check_key(container, index)
    return index


SEQUENCES = (list, tuple, range, str)
"""Classes whose iterators ask for one item after the other by its index."""


def to_read(iterable: Any) -> Any:
    """Returns what `item_or_end` reads in place of the iterator of a `for` loop.

    Args:
      iterable: what the loop goes through.

    Returns:
      A sequence as it is; else an iterator.

    >>> to_read([1, 2])
    [1, 2]
    """
    backend = active()
    if backend is not None:
        return backend.to_read(iterable)
    return iterable if type(iterable) in SEQUENCES else iter(iterable)


def item_or_end(source: Any, position: Any) -> tuple[Any, Any]:
    """Returns True and the item that a `for` loop takes next, or False and anything at its end.

    Args:
      source: what `to_read` made.
      position: how many items the loop has taken.

    >>> item_or_end([5], 0), item_or_end([5], 1), item_or_end(iter("a"), 0)
    ((True, 5), (False, None), (True, 'a'))
    """
    backend = active()
    if backend is not None:
        return backend.item_or_end(source, position)
    if type(source) in SEQUENCES:
        return (True, source[position]) if position < len(source) else (False, None)
    for item in source:
        return True, item
    return False, None
