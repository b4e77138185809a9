"""Generated source: the objects it refers to, and the code that runs when a line raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

from autograph.locks import cached_property
from autograph.runtime.codegen.frame_variables import Variables, variables_at
from autograph.runtime.diagnostics.error_notes import Notes
from autograph.runtime.diagnostics.line_tables import (
    generated,
    generated_position,
    on_users_lines,
    scope_of,
)
from autograph.runtime.interpret.failing_iteration import failing_iterations, may_be_searched
from autograph.runtime.ir.builtin_names import BUILTINS
from autograph.runtime.ir.call_frames import locals_of
from autograph.runtime.ir.errors import TracingError
from autograph.runtime.ir.frame_state import Local, write_pending
from autograph.runtime.ir.graph import PendingWrites, Value
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.statements import NOTE, Lowered


@dataclass
class Emitted:
    """Generated source and what is needed to run and explain it.

    lowered       the statements that it is printed from.
    locations     the user's source location of every line.
    frame_states  the pending writes to make if a line raises.
    """

    source: str
    lowered: Lowered
    locations: dict[int, Location]
    frame_states: dict[int, PendingWrites]
    program: Program

    @property
    def name(self) -> str:
        return self.lowered.main.name

    @property
    def namespace(self) -> dict[str, Any]:
        """The objects that its free names stand for."""
        return self.lowered.namespace

    @property
    def variables(self) -> dict[str, str]:
        """The user's names of its variables."""
        return self.lowered.variables

    @property
    def values(self) -> dict[Value, str]:
        """The variables' values in the graph."""
        return self.lowered.names

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the program's inputs."""
        return tuple(self.lowered.names[v] for v in self.program.graph.inputs)

    @property
    def reused(self) -> frozenset[str]:
        """The variables that get a second value in the memory of the first."""
        return self.lowered.reused

    @property
    def native_loops(self) -> tuple[tuple[str, str], ...]:
        """The location of each loop that is outermost, and why it is not machine code; an empty
        reason if it is."""
        return self.lowered.decisions

    def failing_iterations(self, local: Mapping[str, Any]) -> list[str]:
        """Returns notes that say in which iterations the program fails with its local variables."""
        program = self.program
        if not self.has_iterations or not all(
                name in local for name in self.inputs):
            return []
        return failing_iterations(program.graph, [local[name] for name in self.inputs])

    @cached_property
    def has_iterations(self) -> bool:
        """Returns True if a second run finds the iterations that fail."""
        return not self.program.write_back and may_be_searched(
            self.program.graph)

    def variables_at(self, location: Location) -> tuple[Variables, ...]:
        """Returns the user's variables at a location, and in the functions around it."""
        return variables_at(
            location, self.program.graph, self.program.record.now, self.values)

    def load(self, explained: bool = True) -> Callable[..., Any]:
        """Compiles a function that takes the graph's inputs and returns the program's result.

        `explained`: its errors get notes.
        """
        filename = f"<graph of {self.name}>"
        notes = Notes(filename, self.locations, self.failing_iterations,
                      self.variables_at) if explained else _no_notes
        explain = PendingWriter(filename, self.frame_states, notes) if self.frame_states else notes
        scope = {**self.namespace, NOTE: explain, **scope_of(self.locations.values()),
                 "__builtins__": BUILTINS}
        code = on_users_lines(compiled(self.source, filename, self.name), self.locations)
        exec(code, scope)  # our own text, not a user's
        run: Callable[..., Any] = scope[self.name]
        return run


def compiled(source: str, filename: str, name: str) -> CodeType:
    """Returns the code of generated source; `name`: the function that errors tell of.

    Raises:
      TracingError: the program nests loops and handlers more deeply than Python can compile.
    """
    try:
        return compile(source, filename, "exec")
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise TracingError(
            f"{name} nests too deeply to be run as Python: {error}\n"
            "  hint: an early return nests what follows it: loop over the cases; or move "
            'inner loops to other functions; or run it with executor="interpreter"') from None


def _no_notes(error: BaseException) -> None:
    """Adds nothing to an exception."""


class PendingWriter:
    """Called by generated code with an exception: makes the pending writes, then explains it.

    lines    the pending writes of the lines of the source.
    explain  called afterwards.
    """

    def __init__(self, filename: str, lines: Mapping[int, PendingWrites],
                 explain: Callable[[BaseException], None]) -> None:
        self.filename = filename
        self.lines = lines
        self.explain = explain

    def __call__(self, error: BaseException) -> None:
        step, found = error.__traceback__, None
        writes: PendingWrites = ()
        while step is not None:  # the innermost line of ours that has pending writes
            if generated(step.tb_frame.f_code).co_filename == self.filename:
                line = generated_position(step)[0] or 0
                found, writes = (step, self.lines[line]) if line in self.lines else (found, writes)
            step = step.tb_next
        if found is not None:
            known = {**found.tb_frame.f_globals, **locals_of(found.tb_frame)}

            def find(x: Any) -> Any:
                return known[x.name] if isinstance(x, Local) else x

            write_pending(tuple((find(t), nest) for t, nest in writes), find)
        self.explain(error)
        del error, step, found  # the frames that an explanation makes hold this one
