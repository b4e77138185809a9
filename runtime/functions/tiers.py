"""Tiers: a trace runs over NumPy at once, and as machine code from when that is worth compiling.

What decides is time that was measured. When machine code would have saved the calls of a trace
three times what it takes to compile its kernels, they are compiled, in a call; the next calls take
turns, and what was faster stays. So the calls of a trace take, all together, at most about a
quarter more than over NumPy, and this only if they end just then. Where the trace knows that a loop
is long, they are compiled in the first call.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, prod
from time import perf_counter
from typing import TYPE_CHECKING, Any

from autograph.locks import new_lock
from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.regions import as_branch
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.native.machine import missing
from autograph.runtime.native.work import work

if TYPE_CHECKING:
    from autograph.runtime.functions.execution import Execution
    from autograph.runtime.native.array_kernel import ArrayKernel
    from autograph.runtime.native.kernel import Kernel

LOOK = 0.02
"""Seconds of calls from which on it is looked at which kernels there would be."""

COMPILING = 1.0
"""How many times the seconds that kernels say it takes to compile them it is thought to take."""

TIMES = 3
"""Compiling begins when machine code would have saved so many times as long."""

SAVED = 0.8
"""The most that machine code is thought to save of the time of a call."""

OPEN = 0.4
"""The part that it is thought to save where lengths are open: what it does depends on them."""

COMMON = 1000
"""A common length of an array."""

BETTER = 0.95
"""Machine code stays if it takes at most this part of the time."""

PER_STEP = 5e-8
"""About the seconds of one operation on Python's numbers."""

SHORT, EACH = 2e-5, 8
"""Of calls that take fewer seconds than this, each so many-th is timed, and stands for the others.
"""

TURNS = 5
"""Calls of each that decide."""


WORTH, ELEMENTS = 8, 1000
"""Equations without a loop that are worth a kernel, and elements that take as long as a call."""


def may_climb(program: Program) -> bool:
    """Returns True if machine code may be had for a program, and may be worth it.

    A graph of a few operations on small arrays is better written into the entry point.
    """
    return not program.by_reference and (
        _weight(program.graph.equations, WORTH) >= WORTH) and not missing()


def _weight(equations: list[Equation], most: float) -> float:
    """Returns the weight of equations, or what is `most` or above: a chain of branches is not
    looked at to its end."""
    total = 0.0
    for e in equations:
        total += 1
        if (branch := as_branch(e)) is not None:
            left = most - total
            total += max(_weight(side.equations, left) for _, side in branch.sides()) if (
                left > 0) else 0
        elif e.regions:
            return most
        else:
            total += sum(map(_size, e.outputs)) / ELEMENTS
        if total >= most:
            break
    return total


def _size(v: Value) -> int:
    """Returns the number of elements of an array; for an open length, a common one."""
    if not isinstance(v.type, ArrayType) or v.type.shape is None or v.type.dtype is None:
        return 0
    return prod(n if isinstance(n, int) else COMMON for n in v.type.shape)


class Tiers:
    """Runs a trace, first over NumPy.

    Args:
      plain: runs it over NumPy.
      make: makes the execution as machine code.
      settle: called with what runs it from then on; None: what ran it first.
    """

    def __init__(self, graph: Graph, plain: Callable[..., Any], make: Callable[[], Execution],
                 settle: Callable[[Execution | None], None]) -> None:
        self.plain = plain
        self.make = make
        self.settle = settle
        self.settled: Callable[..., Any] | None = None
        self.native: Execution | None = None
        self.made: Execution | None = None
        self.calls = 0
        self.short = False
        holders = [e for e in graph.equations if e.regions]
        self.straight = not holders
        self.limit = LOOK
        self.spent = 0.0
        self.expected = sum([work(e, unknown=1) for e in holders]) * PER_STEP
        self.least = inf
        self.tried: tuple[list[float], list[float]] = [], []
        self._lock = new_lock()

    def __call__(self, *leaves: Any) -> Any:
        """Runs the trace."""
        if self.short and self.calls % EACH:
            self.calls += 1
            return self.plain(*leaves)
        if self.settled is not None:
            return self.settled(*leaves)
        if max(self.spent, self.expected) > self.limit and self._lock.acquire(blocking=False):
            try:
                self.climb()
            finally:
                self._lock.release()
        if self.native is None:
            start = perf_counter()
            result = self.plain(*leaves)
            taken = perf_counter() - start
            self.spent += taken * EACH if self.short else taken
            self.calls += 1
            self.least = min(self.least, taken)
            self.short = self.least < SHORT and self.calls >= EACH
            return result
        return self.turn(self.native, leaves)

    def turn(self, native: Execution, leaves: tuple[Any, ...]) -> Any:
        """Runs the trace in one way or the other, and decides once it is clear which is faster."""
        first = len(self.tried[0]) <= len(self.tried[1])
        run, times = (native.run, self.tried[0]) if first else (self.plain, self.tried[1])
        start = perf_counter()
        result = run(*leaves)
        times.append(perf_counter() - start)
        fastest, plain = (min(t, default=inf) for t in self.tried)
        if fastest < self.least / 2:
            self.end(native)
        elif min(map(len, self.tried)) >= TURNS:
            self.end(native if fastest < BETTER * plain else None)
        return result

    def end(self, execution: Execution | None) -> None:
        self.short = False
        self.settled = self.plain if execution is None else execution.run
        self.settle(execution)

    def climb(self) -> None:
        """Compiles what there is, if the calls have taken as long, or will in this one.

        Where that fails, the trace stays over NumPy; `jit_compile=True` tells why.
        """
        if self.native is not None or self.settled is not None:
            return
        try:
            self._compile()
        except Exception:
            self.end(None)

    def _compile(self) -> None:
        if self.made is None:
            self.made = self.make()
        made = self.made
        kernels = made.kernels
        price = COMPILING * sum(k.price for k in kernels)
        if not kernels:
            self.end(None)
        elif (saved := self.saved(kernels)) < TIMES * price and self.expected < price:
            self.limit = max(self.spent + LOOK, self.spent * TIMES * price / max(saved, 1e-9))
        else:
            for kernel in kernels:
                kernel.compile()
            self.least = min(self.least, max(self.expected, LOOK))
            self.native, self.short = made, False

    def saved(self, kernels: list[Kernel | ArrayKernel]) -> float:
        """Returns about the seconds that machine code would have saved so far.

        A group of operations on arrays saves what is known of each; a loop nearly all of it.
        """
        from autograph.runtime.native.array_kernel import ArrayKernel
        most = SAVED * self.spent
        groups = [k for k in kernels if isinstance(k, ArrayKernel)]
        if not self.straight or len(groups) < len(kernels):
            return most
        known = min(most, self.calls * sum(k.saved for k in groups if not k.is_open))
        return max(known, OPEN * self.spent) if any(k.is_open for k in groups) else known
