"""A call that no trace can follow runs as plain Python, whatever the function can see: what has
state that nobody sees is refused, what has none is not."""

from __future__ import annotations

import functools
import threading
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Lazy:
    @functools.cached_property
    def one(self) -> float:
        return 1.0


class Guarded:
    def __init__(self, lock: Any) -> None:
        self.lock = lock


def held() -> Any:
    lock = threading.Lock()
    lock.acquire()
    return lock


SEEN: dict[str, Any] = {
    "a cached property": Lazy(), "a lock": threading.Lock(),
    "a lock that is taken again": threading.RLock(), "a semaphore": threading.Semaphore(2),
    "a condition": threading.Condition(), "an event": threading.Event(),
    "a lock in an object": Guarded(threading.Lock()), "a class with a cached property": Lazy,
}


def filled(x: Any, seen: Any) -> Any:
    made = np.ndarray.__new__(np.ndarray, x.shape, float, x)  # wants memory: no trace follows it
    return made * (1.0 if seen is None else 2.0)


@pytest.mark.parametrize("name", SEEN)
def test_what_has_no_hidden_state(name: str) -> None:
    seen = SEEN[name]
    graph = ag.function(lambda x: filled(x, seen))
    with pytest.warns(ag.errors.FallbackWarning, match="runs as plain Python"):
        assert graph(np.ones(2)).tolist() == [2, 2]


def test_a_lock_that_is_held() -> None:
    lock = held()
    with pytest.raises(TypeError, match="not traced"):
        ag.function(lambda x: filled(x, lock))(np.ones(2))
