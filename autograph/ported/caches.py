"""`functools.lru_cache` in Python."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any


class Cache:
    """A function of `functools.lru_cache`.

    results  holds each result by the key of its arguments, the one that was used last at the end.
    """

    def __init__(self, function: Callable[..., Any], maxsize: int | None, typed: bool) -> None:
        self.function = function
        self.maxsize = maxsize
        self.typed = typed
        self.results: dict[Any, Any] = {}
        self.hits = self.misses = 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.maxsize == 0:
            self.misses += 1
            return self.function(*args, **kwargs)
        key = functools._make_key(args, kwargs, self.typed)
        if key in self.results:
            self.hits += 1
            result = self.results[key] if self.maxsize is None else self.results.pop(key)
        else:
            self.misses += 1
            result = self.function(*args, **kwargs)
        self.results[key] = result
        if self.maxsize is not None and len(self.results) > self.maxsize:
            del self.results[next(iter(self.results))]
        return result

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def cache_info(self) -> Any:
        """Returns the counts, as `functools.lru_cache` does."""
        return functools._CacheInfo(self.hits, self.misses, self.maxsize, len(self.results))

    def cache_clear(self) -> None:
        """Forgets the results and the counts."""
        self.results.clear()
        self.hits = self.misses = 0

    def cache_parameters(self) -> dict[str, Any]:
        """Returns the options of the cache."""
        return {"maxsize": self.maxsize, "typed": self.typed}
