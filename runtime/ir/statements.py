"""Statements: the lowered form of a program, between its graph and every printer.

`lower/` takes all decisions when it makes them: what is written in place, run in tiles, computed on
Python's numbers or on lists. A printer spells them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

from autograph.runtime.ir.expressions import Attribute, Expression, Global, Name, Subscript
from autograph.runtime.ir.graph import PendingWrites, Value
from autograph.runtime.ir.location import Location

NOTE = "add_note"
"""The name under which generated code finds the function that explains its errors."""

Target: TypeAlias = Name | Subscript | Attribute
"""What a statement assigns to: a variable, elements of an array, an attribute."""


@dataclass(slots=True, eq=False)
class Statement:
    """One statement.

    location  the user's source location; None: that of an expression in it.
    frame     the pending writes to make if it raises.
    """

    location: Location | None = field(default=None, kw_only=True)
    frame: PendingWrites = field(default=(), kw_only=True)


Block: TypeAlias = list[Statement]


@dataclass(slots=True, eq=False)
class Let(Statement):
    """Binds a variable; several are bound to the items of the value."""

    targets: tuple[Target, ...]
    value: Expression
    unpacked: bool = False


@dataclass(slots=True, eq=False)
class Move(Statement):
    """Binds variables to values at once: `a, b = b, a`."""

    targets: tuple[Target, ...]
    values: tuple[Expression, ...]


@dataclass(slots=True, eq=False)
class Store(Statement):
    """Writes elements of an array, an item of a container, or an attribute."""

    target: Subscript | Attribute
    value: Expression


@dataclass(slots=True, eq=False)
class Update(Statement):
    """`target += value`, in the target's memory."""

    target: Name | Global
    sign: str
    value: Expression


@dataclass(slots=True, eq=False)
class Into(Statement):
    """A function's result in the target's memory: the function gets it last, or as `out=`."""

    target: Name | Global
    function: Expression
    args: tuple[Expression, ...]
    kwargs: tuple[tuple[str, Expression], ...] = ()
    by_keyword: bool = False


@dataclass(slots=True, eq=False)
class Do(Statement):
    """Evaluates an expression for its effect."""

    value: Expression


@dataclass(slots=True, eq=False)
class Delete(Statement):
    """Drops variables, or deletes an item or an attribute."""

    targets: tuple[Target, ...]


@dataclass(slots=True, eq=False)
class Check(Statement):
    """Raises an error if something holds; `remark` says what."""

    test: Expression
    error: Global
    remark: str = ""


@dataclass(slots=True, eq=False)
class If(Statement):
    """A branch."""

    test: Expression
    then: Block = field(default_factory=list)
    orelse: Block = field(default_factory=list)


@dataclass(slots=True, eq=False)
class While(Statement):
    """A loop that its test ends, or, without one, a `Break`."""

    test: Expression | None
    body: Block = field(default_factory=list)


@dataclass(slots=True, eq=False)
class For(Statement):
    """A loop over items; several variables are bound to the items of an item."""

    targets: tuple[Name, ...]
    iterable: Expression
    body: Block = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Break(Statement):
    """Ends the innermost loop."""


@dataclass(slots=True, eq=False)
class Return(Statement):
    """Ends the function."""

    values: tuple[Expression, ...]


@dataclass(slots=True, eq=False)
class Guarded(Statement):
    """A stretch on Python's numbers or lists, which writes nothing that was there before it, and
    what runs instead if it fails."""

    failures: tuple[Global, ...]
    remark: str
    stretch: Block = field(default_factory=list)
    otherwise: Block = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Kernel(Statement):
    """A call of machine code; `otherwise` runs if it gives None, `results` if not."""

    found: Name
    call: Expression
    otherwise: Block = field(default_factory=list)
    results: Block = field(default_factory=list)


@dataclass(slots=True, eq=False)
class With(Statement):
    """Statements under NumPy's settings."""

    contexts: tuple[Expression, ...]
    body: Block = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Function:
    """A function: `optional` are the parameters that default to None."""

    name: str
    parameters: tuple[Name, ...]
    body: Block
    optional: tuple[Name, ...] = ()


@dataclass(slots=True, eq=False)
class Fused(Statement):
    """A fusion group: `call` has `rows` run on pieces that fit in cache."""

    targets: tuple[Target, ...]
    call: Expression
    rows: Function


@dataclass
class Lowered:
    """A program as statements.

    main       its function: of the graph's inputs and of the containers that it asks for.
    functions  those beside it: of rows, and of graphs that are called.
    namespace  the objects that global names stand for.
    names      the variables of the graph's values.
    variables  the variables that are the user's, or like them: the user's names.
    reused     the variables that get a second value in the memory of the first.
    decisions  the location of loops, and why they are not machine code; empty if they are.
    alike      the inputs whose arrays have to lie alike in memory, if there are any.
    in_c_order  whether those have to be in C order.
    """

    main: Function
    functions: list[Function]
    namespace: dict[str, Any]
    names: dict[Value, str]
    variables: dict[str, str]
    reused: frozenset[str]
    decisions: tuple[tuple[str, str], ...] = ()
    alike: tuple[Value, ...] = ()
    in_c_order: bool = False

    @property
    def all_functions(self) -> list[Function]:
        return [self.main, *self.functions]


def blocks_of(statement: Statement) -> list[Block]:
    """Returns the blocks that are in a statement."""
    return [block for f in fields(statement) if type(block := getattr(statement, f.name)) is list]


def walk(block: Block) -> Iterator[Statement]:
    """Yields the statements of a block, and those in them."""
    for statement in block:
        yield statement
        for inner in blocks_of(statement):
            yield from walk(inner)


def expressions_of(s: Statement) -> Iterator[Expression]:
    """Yields what a statement itself reads: not what the blocks in it do, not the variables that it
    binds."""
    for f in fields(s):
        for x in made if type(made := getattr(s, f.name)) is tuple else (made,):
            if f.name == "targets" and not isinstance(s, Delete) and isinstance(x, Name):
                continue
            if f.name == "kwargs":
                yield x[1]
            elif f.name not in ("found", "frame", "location") and not isinstance(
                    x, str | bool | list | Function | None):
                yield x
