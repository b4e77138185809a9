"""Generated source, loaded: what it refers to, and what runs when one of its lines raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from autograph.runtime.diagnostics.error_notes import Notes
from autograph.runtime.diagnostics.line_tables import (
    generated,
    generated_position,
    on_users_lines,
    scope_of,
)
from autograph.runtime.interpret.failing_iteration import rounds_of_failure
from autograph.runtime.ir.frame_state import Local, Owed, pay
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.program import Program

NOTE = "add_note"
"""The name under which generated code finds what explains its errors."""


@dataclass
class Emitted:
    """Generated source, the objects its free names stand for, the user's place of every line, the
    user's names of its variables, the program that it is of, with the names of its inputs, and what
    its lines owe if they raise."""

    source: str
    name: str
    namespace: dict[str, Any]
    locations: dict[int, Location] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    program: Program | None = None
    inputs: tuple[str, ...] = ()
    owing: dict[int, Owed] = field(default_factory=dict)

    def rounds(self, local: Mapping[str, Any]) -> list[str]:
        """In which rounds of its loops the program fails, said in notes, given its local
        variables."""
        program = self.program
        if program is None or program.write_back or not all(name in local for name in self.inputs):
            return []
        return rounds_of_failure(program.graph, [local[name] for name in self.inputs])

    def load(self) -> Callable[..., Any]:
        """Compile; the function takes the graph's inputs and returns the program's result."""
        filename = f"<graph of {self.name}>"
        notes = Notes(filename, self.locations, self.variables, self.rounds)
        explain = Payer(filename, self.owing, notes) if self.owing else notes
        scope = {**self.namespace, NOTE: explain, **scope_of(self.locations.values())}
        code = on_users_lines(compile(self.source, filename, "exec"), self.locations)
        exec(code, scope)  # our own text, not a user's
        run: Callable[..., Any] = scope[self.name]
        return run


class Payer:
    """Called by generated code with an exception on its way out: pays what is owed, then explains.

    lines    what is owed where the lines of the source raise.
    explain  called afterwards.
    """

    def __init__(self, filename: str, lines: Mapping[int, Owed],
                 explain: Callable[[BaseException], None]) -> None:
        self.filename = filename
        self.lines = lines
        self.explain = explain

    def __call__(self, error: BaseException) -> None:
        place, owing = error.__traceback__, None
        owed: Owed = ()
        while place is not None:  # the innermost line of ours that owes something
            if generated(place.tb_frame.f_code).co_filename == self.filename:
                line = generated_position(place)[0] or 0
                owing, owed = (place, self.lines[line]) if line in self.lines else (owing, owed)
            place = place.tb_next
        if owing is not None:
            known = {**owing.tb_frame.f_globals, **owing.tb_frame.f_locals}

            def find(x: Any) -> Any:
                return known[x.name] if isinstance(x, Local) else x

            pay(tuple((find(t), nest) for t, nest in owed), find)
        self.explain(error)
