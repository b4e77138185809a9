"""Makes every loop machine code in tests, however short it is, and notes what is compiled."""

import gc
from threading import enumerate as all_threads
from threading import get_ident
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import pytest

from autograph.runtime.native import work
from autograph.staging import loops


def compile_short_loops(monkeypatch: pytest.MonkeyPatch, unroll: bool = False) -> None:
    """Loops are not thought to be too short for machine code; `unroll`: they may be unrolled."""
    monkeypatch.setattr(work, "PER_CALL", 0)
    if not unroll:
        monkeypatch.setattr(loops, "UNROLL", 0)


def tell_kernels(monkeypatch: pytest.MonkeyPatch, kernels: type) -> list[bool]:
    """Returns a list that gets an entry for each call of a kernel by the test's own thread: True
    if it gave the results. Prints what is known of a call that did not."""
    found: list[bool] = []
    call, here = kernels.__call__, get_ident()

    def counted(self: Any, *values: Any) -> Any:
        results = call(self, *values)
        if get_ident() == here:
            found.append(results is not None)
        if results is None:
            told = [(type(x), getattr(x, "dtype", x), getattr(x, "strides", ())) for x in values]
            print("stepped back:", told, np.geterr(), gc.isenabled(), get_ident() == here)
        return results

    monkeypatch.setattr(kernels, "__call__", counted)
    return found


def tell_modules(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Returns a list that gets the text and the passes of each module that LLVM compiles for the
    test's own thread. Loops over vectors are compiled in others, when these come to it; code that
    other tests hold counts for nothing."""
    from autograph.runtime.native import compiler

    found: list[tuple[str, str]] = []
    plain, here = compiler._machine_code, get_ident()

    def told(text: str, passes: Any) -> bytes:
        if get_ident() == here:
            found.append((text, passes))
        return plain(text, passes)

    monkeypatch.setattr(compiler, "_machine_code", told)
    monkeypatch.setattr(compiler, "_engines", WeakValueDictionary())
    return found


def finish_compiling() -> None:
    """Waits until no other thread compiles, and nothing waits for one that would."""
    from autograph.runtime.native import compiler

    while True:
        if compiler._waiting:
            compiler._waiting.pop()()
        elif compiling := [t for t in all_threads() if t.name == compiler.THREAD]:
            compiling[0].join()
        else:
            return


def strides_in(value: Any) -> list[tuple[int, ...]]:
    """Returns the strides of the arrays in a tuple that have elements."""
    return [x.strides for x in value if isinstance(x, np.ndarray) and x.size]
