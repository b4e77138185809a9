"""Copies of iterators from outside: a trace reads a copy, and the iterator itself once it is used.

So an attempt that is given up, or whose call runs as plain Python, has read nothing.

Most iterators cannot be copied: a generator, a file, what reads another iterator.
"""

from __future__ import annotations

import copy
import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

CALLING = type(iter(int, 1))


def has_state(cls: type) -> bool:
    """Returns True for a class in C that says how a copy of an iterator is made, which is where
    the iterator stands. One of `iter(function, last)` stands nowhere."""
    own: Any = cls.__reduce__
    return own is not object.__reduce__ and cls is not CALLING


def copy_of(iterator: Iterator[Any]) -> Iterator[Any] | None:
    """Returns an iterator of the same class that gives the same items; None if there is none.

    >>> from itertools import count
    >>> it = count(3)
    >>> copied = copy_of(it)
    >>> next(copied), next(copied), next(it), copy_of(iter({})), copy_of(x for x in "ab")
    (3, 4, 3, None, None)
    """
    if not has_state(type(iterator)):
        return None
    with warnings.catch_warnings(), suppress(TypeError):
        warnings.simplefilter("ignore", DeprecationWarning)  # itertools can be copied until 3.13
        made = copy.copy(iterator)
        return made if type(made) is type(iterator) else None
    return None


def read_on(iterator: Iterator[Any], count: int | None) -> None:
    """Reads items of an iterator, which the trace had of its copy; None: all, and its end."""
    deque(iterator if count is None else islice(iterator, count), maxlen=0)
