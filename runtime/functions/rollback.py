"""Rollback: a call that raises undoes its changes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from autograph.runtime.ir import buffers_of_numbers
from autograph.runtime.ir.frame_state import refill
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.types import is_container, may_have_memory
from autograph.runtime.ops.state import Storage
from autograph.runtime.symbolic.allocation_sites import containers_in, parts_of


def undoing(run: Callable[..., Any], program: Program) -> Callable[..., Any]:
    """Returns `run`, which restores the caller's variables, arrays and containers if it raises."""
    written = {target for target, _ in program.write_back}
    numbers = [i for i, v in enumerate(program.graph.inputs) if v in written or (
        program.by_reference and may_have_memory(v.type))]
    by_reference = [i for i, v in enumerate(program.graph.inputs) if is_container(v.type)]
    captured = [c for c in program.graph.captures.values() if isinstance(c, Storage)]
    first = len(program.graph.inputs)

    @wraps(run)
    def undoing_run(*leaves: Any) -> Any:
        storages = captured + [x for x in leaves if isinstance(x, Storage)]
        before = [(s, s.snapshot()) for s in storages]
        arrays = [(x, x.copy()) for x in (leaves[i] for i in numbers) if isinstance(x, np.ndarray)]
        inside = [c for i in by_reference for c in containers_in(leaves[i])]
        arrays += [(x, x.copy()) for c in inside for x in parts_of(c) or ()
                   if isinstance(x, np.ndarray)]
        containers = [(c, _copied(c)) for c in (*leaves[first:], *inside)]
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


def _copied(container: Any) -> Any:
    return (
        buffers_of_numbers.contents(container)
        if isinstance(container, buffers_of_numbers.BUFFERS)
        else copy.copy(container)
    )
