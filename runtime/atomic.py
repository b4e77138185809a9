"""Atomic calls: what a call changed is put back if it raises."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import wraps
from typing import Any

from autograph.runtime.execute.program import Program, refill
from autograph.runtime.ops.state import Storage


def undoing(run: Callable[..., Any], program: Program) -> Callable[..., Any]:
    """`run`, which then restores variables, arrays and containers of the caller's on an
    exception."""
    written = {target for target, _ in program.write_back}
    numbers = [i for i, v in enumerate(program.graph.inputs) if v in written]
    captured = [c for c in program.graph.captures.values() if isinstance(c, Storage)]
    first = len(program.graph.inputs)

    @wraps(run)
    def undoing_run(*leaves: Any) -> Any:
        storages = captured + [x for x in leaves if isinstance(x, Storage)]
        before = [(s, s.snapshot()) for s in storages]
        arrays = [(leaves[i], leaves[i].copy()) for i in numbers]
        containers = [(c, copy.copy(c)) for c in leaves[first:]]
        try:
            return run(*leaves)
        except BaseException:
            for storage, held in before:
                storage.array = held
            for array, old in arrays:
                array[...] = old
            for container, contents in containers:
                refill(container, contents)
            raise

    return undoing_run
