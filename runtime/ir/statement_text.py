"""The text of a lowered program: what `f.graph(stage="program")` prints.

    halved(x: f64):
      guarded (OverflowError, ZeroDivisionError, ValueError):
        x_2 = float(x)
        x_3 = x_2
        while x_3 > 1.0:
          x_3: ~f64 = x_3 / 2
        x_1: f64 = np.float64(x_3)
      otherwise:
        ...
      return x_1
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autograph.runtime.ir.constants import plain_text
from autograph.runtime.ir.expressions import Expression, ExpressionPrinter, Name, Operator
from autograph.runtime.ir.frame_state import Local
from autograph.runtime.ir.graph import Nest
from autograph.runtime.ir.pytree import children
from autograph.runtime.ir.statements import (
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

INDENT = "  "


def program_text(lowered: Lowered) -> str:
    """Returns the statements of a program as text, those of all its functions."""
    return "\n\n".join("\n".join(lines_of(f)) for f in lowered.all_functions) + "\n"


def lines_of(function: Function) -> Iterator[str]:
    optional = [f"{typed(x)} = None" for x in function.optional]
    yield f"{function.name}({', '.join([*map(typed, function.parameters), *optional])}):"
    yield from lines_of_block(function.body)


def lines_of_block(block: Block) -> Iterator[str]:
    for statement in block:
        first, *blocks = parts_of(statement)
        pending = [f"{written(target)} = {written(nest)}" for target, nest in statement.frame]
        frame = f"  # pending: {'; '.join(pending)}" if pending else ""
        yield f"{INDENT}{first}{frame}"
        for part in blocks:
            if isinstance(part, str):
                yield INDENT + part
            else:
                yield from (INDENT + line for line in lines_of_block(part))


def parts_of(s: Statement) -> Sequence[str | Block]:
    """Returns the line of a statement, then its blocks and the lines between them."""
    text = ExpressionPrinter().text
    match s:
        case Let():
            return [f"{targets(s.targets)} = {text(s.value)}"]
        case Fused():
            return [f"fused {targets(s.targets)} = {text(s.call)}"]
        case Move():
            return [f"move {', '.join(map(text, s.targets))} = {', '.join(map(text, s.values))}"]
        case Store():
            return [f"store {text(s.target)} = {text(s.value)}"]
        case Update():
            value = Operator(f"{{0}} {s.sign} {{1}}", (s.target, s.value))
            return [f"into {text(s.target)}: {text(value)}"]
        case Into():
            given = [*map(text, s.args), *(f"{key}={text(value)}" for key, value in s.kwargs)]
            return [f"into {text(s.target)}: {text(s.function)}({', '.join(given)})"]
        case Do():
            return [f"do {text(s.value)}"]
        case Delete():
            return [f"delete {', '.join(map(text, s.targets))}"]
        case Check():
            return [f"raise {text(s.error)} if {text(s.test)}"]
        case Return():
            return [f"return {', '.join(map(text, s.values))}".rstrip()]
        case Break():
            return ["break"]
        case _:
            return _blocks_of(s)


def _blocks_of(s: Statement) -> Sequence[str | Block]:
    """Returns the lines and the blocks of a statement that has others in it."""
    text = ExpressionPrinter().text
    match s:
        case If():
            made: list[str | Block] = [f"if {text(s.test)}:", s.then]
            return [*made, "else:", s.orelse] if s.orelse else made
        case While():
            return ["loop:" if s.test is None else f"while {text(s.test)}:", s.body]
        case For():
            return [f"for {targets(s.targets)} in {text(s.iterable)}:", s.body]
        case With():
            return [f"with {', '.join(map(text, s.contexts))}:", s.body]
        case Guarded():
            failures = ", ".join(map(text, s.failures))
            return [f"guarded ({failures}):", s.stretch, "otherwise:", s.otherwise]
        case Kernel():
            results: list[str | Block] = ["done:", s.results] if s.results else []
            return [f"native {text(s.found)} = {text(s.call)}:", *results, "otherwise:",
                    s.otherwise]
        case _:
            raise TypeError(f"{s!r} is no statement")


def targets(variables: Sequence[Expression]) -> str:
    return ", ".join(map(typed, variables))


def typed(x: Expression) -> str:
    """Returns a variable with its type, `v: f64[3]`, or `v: ~f64` for Python's number in place of
    NumPy's."""
    known = f": {'~' * x.unboxed}{x.type}" if isinstance(x, Name) and x.type is not None else ""
    return ExpressionPrinter().text(x) + known


def written(nest: Nest) -> str:
    """Returns a nest of pending writes as text."""
    if isinstance(nest, Local):
        return nest.name
    if type(nest) is dict:
        return "{" + ", ".join(f"{key!r}: {written(x)}" for key, x in nest.items()) + "}"
    if (parts := children(nest)) is not None:
        return f"{type(nest).__name__}({', '.join(map(written, parts[1]))})"
    return plain_text(nest)
