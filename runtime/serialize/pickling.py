"""Pickles and tokens of traced and loaded functions, for other processes and other machines."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.serialize.loaded import LoadedFunction, LoadedModule
from autograph.runtime.serialize.save import dumps, loads


def reduced(f: ConcreteFunction | LoadedFunction | LoadedModule
            ) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Returns what `pickle` asks a function or module for: bytes as `ag.save`
    writes them, and what reads them.

    Raises:
      SaveError: it cannot be saved.
    """
    if isinstance(f, LoadedModule):
        executors = [function.executor for function in f.functions.values()]
        return _loaded, (dumps(f), *executors[:1])
    return _concrete if isinstance(f, ConcreteFunction) else _loaded, (dumps(f), f.executor)


def _loaded(data: bytes, executor: str = "python") -> Any:
    return loads(data, executor=executor)


def _concrete(data: bytes, executor: str) -> ConcreteFunction:
    made: ConcreteFunction = _loaded(data, executor).concrete(0)
    return made


def token(f: ConcreteFunction | LoadedFunction) -> str:
    """Returns a text that is equal for functions that compute the same from the same: the graphs,
    arrays and values of variables decide, not the lines of the source.

    >>> import numpy as np
    >>> import autograph as ag
    >>> a, b = (ag.function(lambda x: x + 1).get_concrete_function(np.ones(2)) for _ in range(2))
    >>> token(a) == token(b)
    True
    """
    return sha256(dumps(f, spans=False)).hexdigest()
