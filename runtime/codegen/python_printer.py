"""The printer of Python: spells statements, one after the other. It decides nothing."""

from __future__ import annotations

from collections.abc import Sequence

from autograph.runtime.diagnostics.error_notes import Spread
from autograph.runtime.ir.augmented import augmented
from autograph.runtime.ir.expressions import Expression, ExpressionPrinter
from autograph.runtime.ir.graph import PendingWrites
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.statements import (
    NOTE,
    Block,
    Break,
    Check,
    Delete,
    Do,
    For,
    Function,
    Fused,
    Guarded,
    If,
    Into,
    Kernel,
    Let,
    Lowered,
    Move,
    Return,
    Statement,
    Store,
    Update,
    While,
    With,
)

INDENT = "    "


class PythonPrinter:
    """Writes statements as lines of Python.

    expressions  writes the expressions.
    margin       what stands before every line.
    above        the number of lines before the first.
    lines        what is written so far.
    locations    the user's source location of each line.
    frames       the pending writes to make if a line raises.
    """

    def __init__(self, expressions: ExpressionPrinter | None = None, margin: str = "",
                 above: int = 0) -> None:
        self.expressions = expressions or ExpressionPrinter()
        self.margin = margin
        self.above = above
        self.lines: list[str] = []
        self.depth = 0
        self.locations: dict[int, Location] = {}
        self.frames: dict[int, PendingWrites] = {}

    def program(self, lowered: Lowered) -> str:
        """Returns the source of all functions; errors in the first are explained."""
        main = lowered.main
        self.head(main)
        self.depth += 1
        self.explained(main.body, NOTE)
        self.depth -= 1
        for function in lowered.functions:
            self.lines += ["", ""]
            self.function(function)
        return "\n".join([*self.lines, ""])

    def head(self, function: Function) -> None:
        optional = [f"{x.text}=None" for x in function.optional]
        names = [*(x.text for x in function.parameters), *optional]
        self.write(f"def {function.name}({', '.join(names)}):")

    def function(self, function: Function) -> None:
        self.head(function)
        self.inside(function.body or [Return(())])

    def explained(self, body: Block, note: str, error: str = "error") -> None:
        """Writes a body whose errors are given to `note`."""
        self.write("try:")
        self.inside(body)
        self.write(f"except BaseException as {error}:")
        self.write(f"{INDENT}{note}({error})")
        self.write(f"{INDENT}raise")

    def inside(self, body: Block) -> None:
        self.depth += 1
        for statement in body:
            self.statement(statement)
        if not body:
            self.write("pass")
        self.depth -= 1

    def write(self, text: str, statement: Statement | None = None) -> None:
        """Writes a line; `statement`: that it is of."""
        self.lines.append(self.margin + INDENT * self.depth + text)
        if statement is None:
            return
        number, parts = self.above + len(self.lines), self.expressions.parts
        location = statement.location or (parts[-1][1] if parts else None)
        if location is not None:
            if parts and any(other is not location and other != location for _, other in parts):
                location = Spread(location, parts, self.lines[-1])
            self.locations[number] = location
        if parts:
            self.expressions.parts = []
        if statement.frame:
            self.frames[number] = statement.frame

    def listed(self, expressions: Sequence[Expression]) -> str:
        return ", ".join(map(self.expressions.text, expressions))

    def statement(self, s: Statement) -> None:
        text = self.expressions.text
        match s:
            case Let(targets=(bound,), unpacked=False) | Store(target=bound):
                sign, value = augmented(bound, s.value)
                self.write(f"{text(bound)} {sign}= {text(value)}", s)
            case Let():
                self.write(f"{self.listed(s.targets)}{',' * (len(s.targets) == 1)} = "
                           f"{text(s.value)}", s)
            case Move():
                self.write(f"{self.listed(s.targets)} = {self.listed(s.values)}", s)
            case Fused():
                self.write(f"{self.listed(s.targets)} = {text(s.call)}", s)
            case Update():
                self.write(f"{text(s.target)} {s.sign}= {text(s.value)}", s)
            case Into():
                named = [f"{key}={text(value)}" for key, value in s.kwargs]
                target = f"out={text(s.target)}" if s.by_keyword else text(s.target)
                given = ", ".join([*map(text, s.args), *named, target])
                self.write(f"{text(s.function)}({given})", s)
            case Do():
                self.write(text(s.value), s)
            case Delete():
                self.write(f"del {self.listed(s.targets)}", s)
            case Return():
                self.write(f"return {self.listed(s.values)}".rstrip(), s)
            case Break():
                self.write("break", s)
            case Check():
                self.write(f"if {text(s.test)}:" + (f"  # {s.remark}" if s.remark else ""), s)
                self.write(f"{INDENT}raise {text(s.error)}")
            case _:
                self.compound(s)

    def compound(self, s: Statement) -> None:
        """Writes a statement that has others in it."""
        text = self.expressions.text
        match s:
            case If():
                self.write(f"if {text(s.test)}:", s)
                self.inside(s.then)
                if s.orelse:
                    self.write("else:", s)
                    self.inside(s.orelse)
            case While():
                self.write("while True:" if s.test is None else f"while {text(s.test)}:", s)
                self.inside(s.body)
            case For():
                self.write(f"for {self.listed(s.targets)} in {text(s.iterable)}:", s)
                self.inside(s.body)
            case With():
                self.write(f"with {self.listed(s.contexts)}:", s)
                self.inside(s.body)
            case Guarded():
                self.write("try:", s)
                self.inside(s.stretch)
                self.write(f"except ({self.listed(s.failures)}):  # {s.remark}")
                self.inside(s.otherwise)
            case Kernel():
                found = text(s.found)
                self.write(f"{found} = {text(s.call)}", s)
                self.write(f"if {found} is None:  # as NumPy does it", s)
                self.inside(s.otherwise)
                if s.results:
                    self.write("else:", s)
                    self.inside(s.results)
            case _:
                raise TypeError(f"{s!r} is no statement")
