"""Has functions of graphs and variables tell the tapes of a thread what is done with them, outside
of decorated functions."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from autograph.function.dispatcher import choose_path
from autograph.gradients.taped import TapedArray, plain, run_pair, taped, token_of
from autograph.gradients.tapes import TAPES, Untold
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ir.pytree import all_leaves, map_until
from autograph.runtime.ops.state import Storage
from autograph.runtime.signatures.binding import Bound
from autograph.runtime.symbolic.variables import Variable

_lock = threading.Lock()
_tapes = 0
"""How many tapes the blocks of all threads have."""


def listen(more: int) -> None:
    """Has functions and variables tell the tapes, as long as a thread has a tape."""
    global _tapes
    with _lock:
        _tapes += more
        if _tapes and ConcreteFunction.run_instead is None:
            ConcreteFunction.run_instead = staticmethod(_run)
            ConcreteFunction.prepare = staticmethod(_prepared)
            Variable.listener = _Listener
        elif not _tapes and ConcreteFunction.run_instead is _run:
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


def _prepared(arguments: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a call with plain arrays, whose tokens are known meanwhile. Arrays
    that were under a tape come after its block, too."""
    def leaf(x: Any) -> Any:
        if not isinstance(x, TapedArray):
            return x
        if id(x) not in made:
            made[id(x)] = plain(x)
            if TAPES.active:
                TAPES.plain[id(made[id(x)])] = made[id(x)], token_of(x), x
        return made[id(x)]

    made: dict[int, Any] = {}
    if not any(isinstance(x, TapedArray) for x in all_leaves(list(arguments.values()))):
        return arguments
    return {k: map_until(leaf, x, lambda x: isinstance(x, TapedArray))
            for k, x in arguments.items()}


def _refuse_changed_lists(concrete: ConcreteFunction, bound: Bound) -> None:
    """Refuses a call that changes a list or dict with an array that is taped: the function has
    another one, with plain arrays."""
    for number, _ in concrete.program.refill:
        if any(id(x) in TAPES.plain for x in all_leaves(bound.containers[number][1])):
            raise NotDifferentiable(
                "a decorated function changes a list or dict that holds an array which is taped\n"
                "  hint: pass the array as an argument of its own, or return what the list is to "
                "hold")


def _run(concrete: ConcreteFunction, bound: Bound) -> Any:
    """Runs a call, and tells the tapes of this thread."""
    if not TAPES.active:
        return concrete.call(bound)
    values = [leaf.value for leaf in bound.leaves]
    try:
        _refuse_changed_lists(concrete, bound)
        originals = [TAPES.plain[id(x)][2] if id(x) in TAPES.plain else x for x in values]
        made = run_pair(concrete, bound, lambda *xs: concrete.plain(bound.filled(xs)), originals,
                        token_of)
    finally:
        TAPES.plain.clear()
    if concrete.program.write_back:
        for x in originals:
            if isinstance(x, TapedArray):
                x.token = Untold("a decorated function wrote to an array that is taped\n  hint: "
                               "return the array")
    return made
