"""Machine code against plain NumPy, the generated Python, and Numba and JAX where installed.

    python -m benchmarks.native [--peers] [--by-default] [--cpu] [word ...]

takes the rows whose name or class holds a word; all if none is given. A row is a program as its
user writes it, from the loops, the kernels, the workloads and the arrays of this folder. It shows
the time of plain NumPy, and how many times as fast machine code is as NumPy, as the generated
Python, as Numba and as `jax.jit`, each on the same source; then the time to compile, the number of
kernels, and how many calls stepped back. The candidates take turns; the least time counts, as what
else runs on the machine only adds to it. Results and what became of the arguments are compared with
plain Python's byte for byte first. At the end: the geometric means of each class. With
`--by-default`, functions are decorated without `jit_compile`. `--cpu` counts the processor time of
all threads, which other programs disturb less than the time on the clock; what a peer gains by
running threads side by side is then left out.
"""

from __future__ import annotations

import copy
import importlib.util
import math
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

import autograph as ag
from autograph.runtime.native.array_kernel import ArrayKernel
from autograph.runtime.native.kernel import Kernel
from benchmarks import harness
from benchmarks.data import workloads
from benchmarks.kernel_programs import (  # noqa: F401  # they enter their kernels
    KERNELS,
    classics,
    element_loops,
    grids,
    linear_algebra,
    native_arrays,
    native_loops,
    simulations,
    tables,
)
from benchmarks.kernels import same

WARM = 5e-3
"""Seconds of a call that does not depend on what the caches held before it."""

SECONDS = 0.5
"""How long the repetitions of one row take, of all candidates together."""

PEER_SECONDS = 60
"""A peer that has not compiled a program by then is left out."""

UNROLLED = 1000
"""So many operations are a loop that JAX has unrolled: compiling them takes minutes."""

Candidate = Callable[..., Any]
COLUMNS = ("python", "numba", "jax")


@dataclass
class Row:
    """A program, its class, and what makes its arguments."""

    name: str
    family: str
    function: Candidate
    arguments: Callable[[], tuple[Any, ...]]


@dataclass
class Compiled:
    """What became of the kernels of one function.

    seconds  of processor time that compiling took.
    kernels  that were compiled.
    back     their calls that stepped back.
    """

    seconds: float = 0.0
    kernels: int = 0
    back: int = 0
    made: list[Any] = field(default_factory=list)


def rows() -> Iterator[Row]:
    """All rows; data is made when its turn comes."""
    for name, make in native_loops.PROGRAMS.items():
        yield Row(name, "loops", getattr(native_loops, name), make)
    for name, kernel in KERNELS.items():
        yield Row(name, "kernels: " + kernel.function.__module__.rsplit(".", 1)[1],
                  kernel.function, lambda k=kernel: k.arguments(  # type: ignore[misc]
                      np.random.default_rng(0)))
    for work in workloads():
        yield Row(work.name, "workloads: " + work.family.split(" 1e")[0], work.function,
                  lambda w=work: w.arguments)  # type: ignore[misc]
    for length in native_arrays.LENGTHS:
        for name, (plain, count, row) in native_arrays.PROGRAMS.items():
            yield Row(f"{name} {length:.0e}", "arrays", plain, lambda c=count, n=length, r=row:
                      native_arrays.numbers(c, n, r))  # type: ignore[misc]


def watched() -> Compiled:
    """Returns what tells of all kernels from here on."""
    found = Compiled()
    for cls in (Kernel, ArrayKernel):
        cls.compile = timed_compile(plain_compile[cls], found)  # type: ignore[method-assign]
    return found


plain_compile: dict[Any, Any] = {cls: cls.compile for cls in (Kernel, ArrayKernel)}


def timed_compile(compiled: Any, found: Compiled) -> Any:
    def timed(kernel: Any, *how: Any, **kwargs: Any) -> Any:
        start = time.thread_time()
        try:
            return compiled(kernel, *how, **kwargs)
        finally:
            found.seconds += time.thread_time() - start
            found.kernels += 1
            found.made.append(kernel)

    return timed


clock = time.process_time if "--cpu" in sys.argv else time.perf_counter


def once(f: Candidate, arguments: tuple[Any, ...]) -> float:
    """Returns the seconds of one call. The clock of all threads may stand still, or go back, while
    it adds up threads that run: such a call is done again."""
    found = 0.0
    while found <= 0.0:
        given = copy.deepcopy(arguments)
        start = clock()
        f(*given)
        found = clock() - start
    return found


def least(candidates: dict[str, Candidate], arguments: tuple[Any, ...]) -> dict[str, float]:
    """Returns the least seconds of each, in turns; a short call comes after one that is not timed,
    for the one before it has emptied the processor's caches."""
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for f in candidates.values():
        once(f, arguments)
    start, turn = time.perf_counter(), 0
    while turn < 5 or (time.perf_counter() - start < SECONDS and turn < 2000):
        for name in list(candidates)[:: 1 if turn % 2 else -1]:
            found = once(candidates[name], arguments)
            times[name].append(found if found > WARM else once(candidates[name], arguments))
        turn += 1
    return {name: min(found) for name, found in times.items()}


def peers(plain: Candidate, arguments: tuple[Any, ...], **options: bool) -> dict[str, Candidate]:
    """Returns the same program under Numba, with options of its own, and JAX, as far as they take
    it."""
    found: dict[str, Candidate] = {}
    if importlib.util.find_spec("numba"):
        found["numba"] = numba_jit(plain, **options)
    if (jitted := jax_jit()) is not None:
        found["jax"] = jitted(plain)
    for name, f in list(found.items()):
        try:
            with at_most(PEER_SECONDS):
                f(*copy.deepcopy(arguments))
        except Exception:  # what a peer refuses is no row of its
            del found[name]
    return found


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Raises where a block takes longer: JAX unrolls loops, and compiles them for hours."""
    def stop(*_: Any) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)  # a callback may swallow the first
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def numba_jit(plain: Candidate, **options: bool) -> Candidate:
    """Returns a function and its helpers in machine code of Numba's."""
    numba = importlib.import_module("numba")
    scope = {name: numba.njit(thing, **options) if isinstance(thing, type(plain)) else thing
             for name, thing in plain.__globals__.items()
             if name in plain.__code__.co_names}
    jitted: Candidate = numba.njit(
        type(plain)(plain.__code__, {**plain.__globals__, **scope}, plain.__name__,
                    plain.__defaults__), **options)
    _kept.extend([jitted, *scope.values()])
    return jitted


_kept: list[Any] = []
"""What Numba made: its types refer to it weakly, and raise a ReferenceError once it is gone."""


def jax_jit() -> Callable[..., Any] | None:
    """Returns `jax.jit` of a NumPy program, whose arrays are ready when it returns; None without
    JAX."""
    if harness.jax() is None:
        return None
    jax, scope = harness.jax(), importlib.import_module("jax.numpy")

    def jitted(plain: Candidate) -> Candidate:
        names = {**plain.__globals__, "np": scope}
        for name in plain.__code__.co_names:
            if isinstance(helper := names.get(name), type(plain)):
                names[name] = type(plain)(helper.__code__, names, name, helper.__defaults__)
        on_jax = type(plain)(plain.__code__, names, plain.__name__, plain.__defaults__)
        run, asked = jax.jit(on_jax), []

        def called(*arguments: Any) -> Any:
            if not asked:
                asked.append(len(jax.make_jaxpr(on_jax)(*arguments).eqns))
            if asked[0] > UNROLLED:
                raise OverflowError("a loop that was unrolled")
            return jax.block_until_ready(run(*arguments))

        return called

    return jitted


def measure(row: Row, with_peers: bool, by_default: bool) -> dict[str, float]:
    """Prints a row and returns its ratios, by column."""
    arguments, kernels = row.arguments(), watched()
    native = ag.function(row.function, jit_compile=None if by_default else True)
    found = agree(row.function, native, arguments)
    # jit_compile=False takes no part in what is compiled
    candidates = {"plain": row.function, "native": native,
                  "python": ag.function(row.function, jit_compile=False)}
    if with_peers:
        candidates |= peers(row.function, arguments)
    times = least(candidates, arguments)
    kernels.back = sum(k.steps_back for k in kernels.made)
    ratios = {name: times[name] / times["native"] for name in times if name != "native"}
    cells = "".join(f"{ratios[name]:9.2f}" if name in ratios else f"{'-':>9}"
                    for name in ("plain", *COLUMNS))
    print(f"{row.name[:30]:31}{row.family[-16:]:17}{harness.pretty(times['plain']):>9}{cells}"
          f"{kernels.seconds * 1e3:9.1f}{kernels.kernels:4}{kernels.back:4}{found}", flush=True)
    return {**ratios, "compile": max(kernels.seconds * 1e3, 0.01)}


def agree(plain: Candidate, native: Candidate, arguments: tuple[Any, ...]) -> str:
    """Returns a remark if a result differs, or what is left in the arguments."""
    for _ in range(3):
        given = copy.deepcopy(arguments), copy.deepcopy(arguments)
        if not same(plain(*given[0]), native(*given[1])) or not same(*given):
            return " DIFFERS"
    return ""


def tell(found: dict[str, list[dict[str, float]]]) -> None:
    print(f"\n{'geometric means':48}{'rows':>9}" + "".join(
        f"{name:>9}" for name in ("plain", *COLUMNS, "ms")))
    for family, ratios in [*found.items(), ("all", list(chain(*found.values())))]:
        cells = ""
        for name in ("plain", *COLUMNS, "compile"):
            logs = [math.log(r[name]) for r in ratios if name in r]
            cells += f"{math.exp(sum(logs) / len(logs)):9.2f}" if logs else f"{'-':>9}"
        print(f"{family:48}{len(ratios):9}{cells}")


def main() -> None:
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    print(f"{'':31}{'':17}{'NumPy':>9}{'x':>9}" + "".join(f"{n:>9}" for n in COLUMNS)
          + f"{'ms':>9}{'k':>4}{'back':>4}")
    found: dict[str, list[dict[str, float]]] = {}
    for row in rows():
        if not words or any(word in f"{row.name} {row.family}" for word in words):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.setdefault(row.family, []).append(
                    measure(row, "--peers" in sys.argv, "--by-default" in sys.argv))
    tell(found)


if __name__ == "__main__":
    main()
