"""Execution: what runs a program, with what has to be done before and after its graph."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.locks import cached_property
from autograph.runtime.codegen.emit import emit
from autograph.runtime.codegen.emitted import Emitted
from autograph.runtime.functions.lasting_effects import may_run_again
from autograph.runtime.functions.rollback import undoing
from autograph.runtime.functions.second_runs import runs_again, second_run
from autograph.runtime.functions.unknown_calls import checking
from autograph.runtime.interpret.debugger import Library, values_of
from autograph.runtime.interpret.run_program import interpret
from autograph.runtime.ir.errors import NativeUnavailableError
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.interruptions import interrupts
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.statement_text import program_text
from autograph.runtime.kernels.tiled import in_c_order
from autograph.runtime.native.machine import missing
from autograph.runtime.signatures.binding import Bound

if TYPE_CHECKING:
    from autograph.runtime.native.array_kernel import ArrayKernel
    from autograph.runtime.native.kernel import Kernel


EXECUTORS = {
    "python": "as generated Python over NumPy",
    "interpreter": "in the reference interpreter, equation by equation",
    "native": "as native code",
    "tiered": "as generated Python over NumPy",
}
"""How each executor runs a graph. \"tiered\": generated Python, and machine code once it is worth
compiling."""

Run = Callable[..., Any]
"""Runs a program on the leaves of a call, then the containers that the program asks for."""


def check_executor(executor: str) -> None:
    """Raises a ValueError if there is no such executor."""
    if not (isinstance(executor, str) and executor in EXECUTORS):
        raise ValueError(f"executor must be one of {', '.join(EXECUTORS)}, not {executor!r}")


class Execution:
    """Runs one program.

    run      runs it; checks nothing.
    emitted  the generated Python, if `run` does nothing else.
    plain    runs the user's function on arguments by name, where the graph cannot be used.
    watched  calls a function, and notes what it changes outside.
    atomic   True if a call that raises changes nothing.
    """

    def __init__(self, name: str, program: Program, bound: Bound, executor: str,
                 plain: Callable[[Any], Any], atomic: bool,
                 watched: Callable[[Callable[[], Any]], Any]) -> None:
        check_executor(executor)
        self.name = name
        self.program = program
        self.bound = bound
        self.executor = executor
        self.plain = plain
        self.atomic = atomic
        self.watched = watched
        self._emitted: Emitted | None = None
        self.run = self._wrapped(self._load())
        bare = not (program.handled or program.ordered or self._alike or atomic)
        self.emitted = self._emitted if bare else None

    @property
    def how(self) -> str:
        """How the graph runs, in words: not every program has native code."""
        has_none = self.executor == "native" and not self.kernels
        return EXECUTORS["python" if has_none else self.executor]

    @property
    def kernels(self) -> list[Kernel | ArrayKernel]:
        """The constants that are machine code."""
        from autograph.runtime.native.array_kernel import ArrayKernel
        from autograph.runtime.native.kernel import Kernel
        return [x for x in self.constants if isinstance(x, Kernel | ArrayKernel)]

    @property
    def runs_machine_code(self) -> bool:
        """True if a kernel has been compiled."""
        return self.executor == "native" and any(x.is_compiled for x in self.kernels)

    @property
    def source(self) -> str:
        """The generated Python."""
        return (self._emitted or emit(self.program, self.name)).source

    @property
    def statements(self) -> str:
        """The lowered program as text."""
        return program_text((self._emitted or emit(self.program, self.name)).lowered)

    @property
    def native_loops(self) -> tuple[tuple[str, str], ...]:
        """The line of each loop, and why it is not machine code; an empty reason if it is."""
        return self._emitted.native_loops if self._emitted else ()

    @property
    def llvm(self) -> str:
        """The LLVM IR of what is machine code."""
        return "\n".join(x.llvm for x in self.kernels)

    @property
    def loop_nests(self) -> str:
        """The loop nests of the groups of array operations that are machine code."""
        from autograph.runtime.native.array_kernel import ArrayKernel
        return "\n".join(x.loops for x in self.kernels if isinstance(x, ArrayKernel))

    @property
    def constants(self) -> list[Any]:
        """The objects that the generated Python refers to, kernels among them."""
        return list(self._emitted.namespace.values()) if self._emitted else []

    @cached_property
    def stepped(self) -> Run:
        """Runs the graph as it was traced, equation by equation on the user's lines."""
        library = Library(values_of(self.bound.nest))
        program = self.program.before or self.program
        return self._wrapped(lambda *leaves: interpret(program, leaves, library.run_graph))

    @property
    def _alike(self) -> tuple[Value, ...]:
        """The inputs whose arrays have to lie alike."""
        return self._emitted.lowered.alike if self._emitted else ()

    @cached_property
    def _may_run_again(self) -> bool:
        return may_run_again(self.program.traced or self.program.graph)

    def _load(self) -> Run:
        if self.executor == "interpreter":
            return lambda *leaves: interpret(self.program, leaves)
        native = self.executor == "native"
        if native and (reason := missing()):
            raise NativeUnavailableError(f"there is no native code: {reason}")
        self._emitted = emit(self.program, self.name, native=native)
        again = self.program.handled and self._may_run_again
        return self._emitted.load(explained=not again)  # else the second run raises

    def _wrapped(self, run: Run) -> Run:
        if self.program.handled:
            run = self._handled(run)
        if self.program.ordered or self._alike:
            run = self._in_order(run)
        run = checking(run, self.program, getattr(self.plain, "function", None))
        return undoing(run, self.program) if self.atomic else run

    def _handled(self, run: Run) -> Run:
        """Runs the graph; if it raises, runs the function itself, which may have a handler."""
        again, function = self._may_run_again, getattr(self.plain, "function", self)
        if self.program.by_reference:
            run = undoing(run, self.program)

        exact = again and self.program.record is not None and self.program.record.exact
        filtered = partial(warnings.catch_warnings, action="error") if (
            self.program.catches) else nullcontext
        trials = Trials()

        def tried(leaves: tuple[Any, ...]) -> Any:
            if not exact:
                return run(*leaves)
            with np.errstate(**_warnings_raised()), filtered():
                return run(*leaves)  # the second run gives them, once

        def handled(*leaves: Any) -> Any:
            if runs_again(function):
                return self._run_plain(leaves)
            try:
                if not again or trials.are_worth_it():
                    made = tried(leaves)
                    trials.failed = 0
                    return made
            except BaseException as error:
                if interrupts(error):
                    raise
                if not again:
                    error.add_note(
                        f"{self.name} has a `try` or `with` around the line that raised; it cannot "
                        "be entered from a graph that also prints, draws random numbers or has "
                        "other effects")
                    raise
            return second_run(function, lambda: self.watched(lambda: self._run_plain(leaves)))

        return handled

    def _in_order(self, run: Run) -> Run:
        """Runs the graph on arrays in C order, on which depends what a reshape shares with them;
        and on arrays that lie alike, on which depends how results lie that take their memory.
        A gradient, which is no function of the user's, is made of copies of those."""
        inputs = self.program.graph.inputs
        written = self.program.by_reference or any(v in inputs for v, _ in self.program.write_back)
        copies = hasattr(getattr(self.plain, "function", None), "only_traced") and not written
        needed = [inputs.index(v) for v in self._alike]
        or_fortran = self._emitted is not None and not self._emitted.lowered.in_c_order
        ordered = self.program.ordered

        def in_order(*leaves: Any) -> Any:
            for i in ordered:
                if not leaves[i].flags.c_contiguous:
                    return self._run_plain(leaves)
            if needed and not lie_alike([leaves[i] for i in needed], or_fortran):
                return run(*(np.asarray(x, order="C") if i in needed else x for i, x in enumerate(
                    leaves))) if copies else self._run_plain(leaves)
            return run(*leaves)

        return in_order

    def _run_plain(self, leaves: tuple[Any, ...]) -> Any:
        """Runs the function itself on what `run` is given."""
        count = len(self.program.graph.inputs)
        return self.plain(self.bound.filled(leaves[:count], leaves[count:]))


class Trials:
    """Decides if a graph that may raise is tried before the function itself: not if it raised in
    the last calls, but now and then.

    failed  the number of calls since the graph ran to its end.
    """

    MOST, EACH = 4, 16

    def __init__(self) -> None:
        self.failed = 0

    def are_worth_it(self) -> bool:
        """Returns True if the graph is tried in this call."""
        self.failed += 1
        return self.failed <= self.MOST or self.failed % self.EACH == 0


def lie_alike(arrays: list[Any], or_fortran: bool) -> bool:
    """Returns True if all arrays are in C order, or all in Fortran's."""
    return all(x.flags.c_contiguous or in_c_order(x) for x in arrays) or (
        or_fortran and all(x.flags.f_contiguous for x in arrays))


def _warnings_raised() -> dict[str, Any]:
    """Returns NumPy's handling of floating-point errors with exceptions in place of warnings."""
    return {kind: "raise" for kind, how in np.geterr().items() if how == "warn"}
