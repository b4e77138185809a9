"""Expressions: what a statement of a lowered program computes, as a tree, and their text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import count, repeat
from typing import Any, TypeAlias

import numpy as np

from autograph.runtime.ir.constants import plain_text
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.precedence import needs_parentheses
from autograph.runtime.ir.types import Type


@dataclass(slots=True)
class Name:
    """A local variable.

    unboxed  whether it holds Python's number where its type is NumPy's.
    """

    text: str
    type: Type | None = field(default=None, compare=False)
    unboxed: bool = field(default=False, compare=False)


@dataclass(slots=True)
class Global:
    """An object under a global name; `np.exp` is one."""

    text: str
    value: Any = field(compare=False)


@dataclass(slots=True)
class Literal:
    """A constant that is written as it is."""

    value: Any


@dataclass(slots=True)
class Attribute:
    """`base.name`"""

    base: Expression
    name: str


@dataclass(slots=True)
class Subscript:
    """`base[index]`"""

    base: Expression
    index: Expression


@dataclass(slots=True)
class Call:
    """`function(*args, **kwargs)`

    ufunc  what the call is certain to call in the end, as an operand is certainly an array.
    """

    function: Expression
    args: tuple[Expression, ...] = ()
    kwargs: tuple[tuple[str, Expression], ...] = ()
    ufunc: np.ufunc | None = field(default=None, compare=False)


@dataclass(slots=True)
class Operator:
    """Operands in a form of source, `{0} + {1}`; a form has operators and no names.

    ufunc  what the operator is certain to call, as an operand is certainly an array.
    """

    form: str
    operands: tuple[Expression, ...]
    ufunc: np.ufunc | None = field(default=None, compare=False)


@dataclass(slots=True)
class Choice:
    """`yes if test else no`"""

    yes: Expression
    test: Expression
    no: Expression


@dataclass(slots=True)
class Tuple:
    """`(a, b)`; in an index, without its parentheses."""

    items: tuple[Expression, ...]


@dataclass(slots=True)
class List:
    """`[a, b]`"""

    items: tuple[Expression, ...]


@dataclass(slots=True)
class Dict:
    """`{a: b}`"""

    items: tuple[tuple[Expression, Expression], ...]


@dataclass(slots=True)
class Slice:
    """`start:stop:step` in an index."""

    start: Expression | None
    stop: Expression | None
    step: Expression | None


@dataclass(slots=True)
class Starred:
    """`*value` or `**value`"""

    stars: str
    value: Expression


class Bound(IntEnum):
    """How an expression may move: `FREE`, as it does nothing but compute; `IN_ORDER` with others
    that are bound, as it may raise or warn; `FIXED` among all others, as it has an effect."""

    FREE = 0
    IN_ORDER = 1
    FIXED = 2


@dataclass(slots=True)
class Inlined:
    """The expression of another location than the statement's, where its value is used.

    order    its place among the expressions of the program.
    bound    how it may move.
    printed  its text, and the inlined expressions in it as they were written, inner ones first.
    """

    value: Expression
    location: Location | None
    order: int = 0
    bound: Bound = Bound.FREE
    printed: tuple[str, list[tuple[str, Location]]] = field(default=("", []), compare=False)

    def become(self, name: Name) -> None:
        """Stands for a variable that its value was assigned to."""
        self.value, self.location, self.bound, self.printed = name, None, Bound.FREE, ("", [])


Expression: TypeAlias = (Name | Global | Literal | Attribute | Subscript | Call | Operator | Choice
                         | Tuple | List | Dict | Slice | Starred | Inlined)
ALL = Literal(...)
"""The index of all elements."""


class ExpressionPrinter:
    """Writes expressions as Python.

    name, object  write a variable, and an object under a global name.
    calls_ufuncs  whether an operator on arrays is written as a call of its ufunc.
    parts         the inlined expressions that were written, inner ones first.
    """

    def __init__(self, name: Callable[[str], str] | None = None,
                 constant: Callable[[Any], str] | None = None) -> None:
        self.name = name
        self.object = constant
        self.is_plain = name is None and constant is None
        self.calls_ufuncs = constant is not None
        self.parts: list[tuple[str, Location]] = []

    def text(self, x: Expression) -> str:
        match x:
            case Name():
                return x.text if self.name is None else self.name(x.text)
            case Literal():
                return "..." if x.value is ... else plain_text(x.value)
            case Global():
                return x.text if self.object is None else self.object(x.value)
            case Operator(operands=args) | Call(args=args) if (
                    self.calls_ufuncs and x.ufunc is not None):
                return self.text(Call(Global("", x.ufunc), args))
            case Operator():
                return x.form.format(*map(self.operand, x.operands, repeat(x.form), count()))
            case Call():
                named = [f"{key}={self.text(value)}" for key, value in x.kwargs]
                given = ", ".join([*map(self.text, x.args), *named])
                return f"{self.operand(x.function)}({given})"
            case Subscript():
                return f"{self.operand(x.base)}[{self.index(x.index)}]"
            case Attribute():
                return f"{self.operand(x.base)}.{x.name}"
            case Inlined():
                text, parts = x.printed if self.is_plain else ("", [])
                if text:
                    self.parts += parts
                else:
                    text = self.text(x.value)
                if x.location is not None:
                    self.parts.append((text, x.location))
                return text
            case _:
                return self.compound(x)

    def compound(self, x: Expression) -> str:
        """The text of a literal of several items, or of a choice."""
        match x:
            case Tuple():
                inside = ", ".join(map(self.text, x.items))
                return f"({inside},)" if len(x.items) == 1 else f"({inside})"
            case List():
                return f"[{', '.join(map(self.text, x.items))}]"
            case Dict():
                items = (f"{self.text(key)}: {self.text(value)}" for key, value in x.items)
                return "{" + ", ".join(items) + "}"
            case Choice():
                return " ".join((self.side(x.yes), "if", self.side(x.test), "else",
                                 self.side(x.no)))
            case Starred():
                return x.stars + self.operand(x.value)
            case _:
                raise TypeError(f"{x!r} is no expression")

    def operand(self, x: Expression, around: str = "", position: int = 0) -> str:
        """The text of an expression beside an operator, a dot or a bracket.

        around, position: the form that it is in, and its number there.
        """
        text = self.text(x)
        own = x.value if x.__class__ is Inlined else x  # `computed`, without a call for each
        if own.__class__ is Operator:
            first = around.startswith(f"{{{position}}}")
            return f"({text})" if needs_parentheses(own.form, around, first) else text
        return f"({text})" if own.__class__ is Choice or text[0] == "-" else text

    def side(self, x: Expression) -> str:
        """The text of a part of a choice: another choice has parentheses."""
        return f"({self.text(x)})" if is_choice(x) else self.text(x)

    def index(self, x: Expression) -> str:
        """The text of an index between brackets."""
        if isinstance(x, Tuple) and x.items:
            return ", ".join(map(self.item, x.items)) + ("," if len(x.items) == 1 else "")
        return self.item(x)

    def item(self, x: Expression) -> str:
        """The text of one item of an index."""
        if not isinstance(x, Slice):
            return self.text(x)
        parts = ["" if p is None else self.text(p) for p in (x.start, x.stop)]
        return ":".join(parts) + ("" if x.step is None else f":{self.text(x.step)}")


def printed(x: Expression) -> tuple[str, list[tuple[str, Location]]]:
    """Returns the text of an expression, and the inlined expressions in it, inner ones first."""
    printer = ExpressionPrinter()
    return printer.text(x), printer.parts


def text_of(x: Expression) -> str:
    """Returns the text of an expression.

    >>> text_of(Operator("{0} * {1}", (Operator("{0} + {1}", (Name("x"), Literal(1))), Name("y"))))
    '(x + 1) * y'
    """
    return ExpressionPrinter().text(x)


def computed(x: Expression) -> Expression:
    """Returns the expression itself, of one that stands where its value is used."""
    return x.value if isinstance(x, Inlined) else x


def is_choice(x: Expression) -> bool:
    return isinstance(computed(x), Choice)


def parts_of(x: Expression) -> tuple[Expression, ...]:
    """Returns the expressions that an expression consists of."""
    match x:
        case Attribute():
            return (x.base,)
        case Subscript():
            return (x.base, x.index)
        case Call():
            return (x.function, *x.args, *(value for _, value in x.kwargs))
        case Operator():
            return x.operands
        case Choice():
            return (x.test, x.yes, x.no)
        case Tuple() | List():
            return x.items
        case Dict():
            return tuple(part for item in x.items for part in item)
        case Slice():
            return tuple(part for part in (x.start, x.stop, x.step) if part is not None)
        case Starred() | Inlined():
            return (x.value,)
        case _:
            return ()


def names_in(*expressions: Expression) -> Iterator[Name]:
    """Yields the variables that expressions read."""
    for x in expressions:
        if isinstance(x, Name):
            yield x
        else:
            yield from names_in(*parts_of(x))
