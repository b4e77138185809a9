"""Has functions of graphs and variables tell the tapes of a thread what is done with them, outside
of decorated functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.function.dispatcher import choose_path
from autograph.gradients.taped import (
    TapedArray,
    given_to,
    plain,
    run_pair,
    taped,
    tapes_of,
    token_of,
    written_elsewhere,
)
from autograph.gradients.tapes import TAPES, Tapes, Untold
from autograph.locks import new_lock
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.ops.state import Storage
from autograph.runtime.signatures.binding import Bound
from autograph.runtime.symbolic.variables import Variable

_lock = new_lock()


def listen(more: int) -> None:
    """Has functions and variables tell the tapes, as long as a thread has a tape."""
    with _lock:
        Tapes.count += more
        if Tapes.count and ConcreteFunction.run_instead is None:
            ConcreteFunction.run_instead = staticmethod(_run)
            ConcreteFunction.wrote = staticmethod(_wrote)
            Variable.listener = _Listener
        elif not Tapes.count and ConcreteFunction.run_instead is _run:
            ConcreteFunction.run_instead = Variable.listener = None
        if not TAPES.active:
            TAPES.versions.clear()
        choose_path()


class _Listener:
    """Takes what variables tell outside of functions."""

    @staticmethod
    def read(storage: Storage) -> Any:
        found = storage.read()
        return taped(found, token_of(storage)) if TAPES.active and np.result_type(
            found).kind in "fc" else found

    @staticmethod
    def assigned(storage: Storage, value: Any) -> Any:
        """Notes what a variable holds from here on; returns it as a plain array."""
        if TAPES.active:
            same = getattr(value, "dtype", None) == storage.type.dtype
            TAPES.versions[storage] = object() if not isinstance(value, TapedArray) else (
                token_of(value) if same else Untold(
                    "a variable was given a value of another dtype\n  hint: convert it with "
                    "astype, or decorate the function"))
        return plain(value)


def _refuse_changed_lists(concrete: ConcreteFunction, bound: Bound) -> None:
    """Refuses a call that changes a list or dict with an array that is taped: the function has
    another one, with plain arrays."""
    for number, _ in concrete.program.refill:
        if any(isinstance(x, TapedArray) for x in all_leaves(bound.containers[number][1])):
            raise NotDifferentiable(
                "a decorated function changes a list or dict that holds an array which is taped\n"
                "  hint: pass the array as an argument of its own, or return what the list is to "
                "hold")


def _run(concrete: ConcreteFunction, bound: Bound) -> Any:
    """Runs a call, and tells the tapes of this thread."""
    if not TAPES.active:
        made = concrete.call(bound)
        return tapes_of(made, None) if TAPES.paused and bound.stands else made
    _refuse_changed_lists(concrete, bound)
    try:
        return run_pair(concrete, bound, lambda *xs: concrete.plain(bound.filled(xs)),
                        given_to(bound))
    finally:
        _wrote(concrete, bound)


def _wrote(concrete: ConcreteFunction, bound: Bound) -> None:
    """Notes that a call may have written to arrays, some of which may be taped."""
    program = concrete.program
    if program.write_back:
        given = dict(zip(program.graph.inputs, (x.value for x in bound.leaves), strict=False))
        given.update(program.graph.captures)
        for target, _ in program.write_back:
            if isinstance(x := given.get(target), np.ndarray):
                written_elsewhere(x, BY_A_FUNCTION)


BY_A_FUNCTION = Untold("a decorated function wrote to an array that is taped\n  hint: return the "
                       "array")
