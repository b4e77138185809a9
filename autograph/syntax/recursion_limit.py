"""How deep the tree walkers, and converted code, may go: a long `elif` chain is deep."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from autograph.locks import new_lock

LIMIT = 20_000
"""Enough for about 3,000 arms of an `elif` chain; beyond it we report instead of going deeper."""

ROOM = 4
"""How many times as many frames converted code may use: an `if` or a loop around a call takes two
frames more, that of the operator and that of the branch or body."""

_lock = new_lock()
_users = 0
_before = 0
_has_room = False


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise the recursion limit for the time of a `with` block; threads may overlap in it."""
    global _users, _before
    with _lock:
        if _users == 0:
            _before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(LIMIT, _before))
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                sys.setrecursionlimit(_before)


def make_room() -> None:
    """Raise the recursion limit of the process, once, so that converted code can recurse as deep.

    A limit that the program sets afterwards is the program's own, and counts as it is.
    """
    global _before, _has_room
    with _lock:
        if _has_room:
            return
        _has_room = True
        if _users:
            _before *= ROOM
        else:
            sys.setrecursionlimit(ROOM * sys.getrecursionlimit())
