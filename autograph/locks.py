"""Locks that a forked process finds open: the threads that held them are not in it.

All locks of the product come from here (`tests/house/test_locks.py`).
"""

from __future__ import annotations

import functools
import os
import sys
from contextlib import nullcontext
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

_locks: WeakSet[Any] = WeakSet()


def new_lock() -> Any:
    """Returns a lock. The thread that holds it may take it again: the handler of a signal may run
    what the signal has stopped.

    >>> held = new_lock()
    >>> with held, held:
    ...     held.acquire(blocking=False)
    True
    """
    made = RLock()
    _locks.add(made)
    return made


def is_free_lock(x: Any) -> bool:
    """Returns True for a lock that nobody holds: it has no other state.

    >>> is_free_lock(new_lock()), is_free_lock(3)
    (True, False)
    """
    if not isinstance(x, (type(Lock()), type(RLock()))) or (
            hasattr(x, "_is_owned") and x._is_owned()):
        return False
    free: bool = x.acquire(blocking=False)
    if free:
        x.release()
    return free


if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:
    class cached_property(functools.cached_property):
        """That of later Pythons: 3.11 holds a lock, for all objects, while it computes a value."""

        def __init__(self, function: Any) -> None:
            super().__init__(function)
            self.lock = nullcontext()


def _open_after_fork() -> None:
    """Opens the locks, but for those that the thread itself holds: it goes on in the new process.
    """
    for each in list(_locks):
        if not each._is_owned():
            each._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open_after_fork)
