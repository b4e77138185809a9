"""Prints expressions with as few parentheses as the grammar allows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from io import StringIO
from typing import Any

import astunparse

from autograph.printer.line_breaking import CLOSE, COMMA, OPEN, SIGN, without_markers
from autograph.printer.literals import fstring, string_inside
from autograph.printer.original_literals import NO_LITERALS

# How tightly an expression binds. A node is put in parentheses where its parent asks for more.
(TUPLE, YIELD, TEST, OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, UNARY,
 POWER, AWAIT, ATOM) = range(17)

BINARY = {
    ast.BitOr: BIT_OR, ast.BitXor: BIT_XOR, ast.BitAnd: BIT_AND, ast.LShift: SHIFT,
    ast.RShift: SHIFT, ast.Add: SUM, ast.Sub: SUM, ast.Mult: PRODUCT, ast.MatMult: PRODUCT,
    ast.Div: PRODUCT, ast.FloorDiv: PRODUCT, ast.Mod: PRODUCT, ast.Pow: POWER,
}
LEVELS: dict[type, int] = {ast.IfExp: TEST, ast.Lambda: TEST, ast.Compare: COMPARE,
                           ast.Await: AWAIT}


class ExpressionPrinter(astunparse.Unparser):  # type: ignore[misc]  # astunparse ships no types
    """astunparse's printer with expressions of our own: it brackets every operation."""

    inside_fstring = False
    literals = NO_LITERALS
    comma = f",{COMMA}"

    def commas(self, items: Sequence[Any], write: Callable[[Any], None] | None = None) -> None:
        """The items with `, ` between them."""
        for i, item in enumerate(items):
            self.write(self.comma if i else "")
            (write or self.dispatch)(item)

    def expr(self, node: ast.expr, level: int) -> None:
        """An expression, in parentheses if it binds less tightly than `level`."""
        if level_of(node) < level:
            self.write(f"({OPEN}")
            self.dispatch(node)
            self.write(f"{CLOSE})")
        else:
            self.dispatch(node)

    def bracketed(self, brackets: str, items: Sequence[Any],
                  write: Callable[[Any], None] | None = None) -> None:
        """The items between a pair of brackets."""
        self.write(brackets[0] + OPEN)
        self.commas(items, write)
        self.write(CLOSE + brackets[1])

    def value(self, node: ast.expr, bare: tuple[type, ...] = (ast.Yield, ast.YieldFrom)) -> None:
        """Prints one side of a statement, where tuples and `yield` need no parentheses."""
        if isinstance(node, ast.Tuple) and len(node.elts) > 1:
            self.commas(node.elts)
        elif isinstance(node, bare):
            self.bare_yield(node)
        else:
            self.dispatch(node)

    def bare_yield(self, t: Any) -> None:
        """`yield x` or `yield from x` without parentheses."""
        self.write("yield from" if isinstance(t, ast.YieldFrom) else "yield")
        if t.value:
            self.write(" ")
            self.value(t.value, bare=())

    def _Yield(self, t: ast.Yield) -> None:
        self.write("(")
        self.bare_yield(t)
        self.write(")")

    _YieldFrom = _Yield

    def _Await(self, t: ast.Await) -> None:
        self.write("await ")
        self.expr(t.value, ATOM)

    def _IfExp(self, t: ast.IfExp) -> None:
        self.expr(t.body, OR)
        self.write(" if ")
        self.expr(t.test, OR)
        self.write(" else ")
        self.expr(t.orelse, TEST)

    def _Lambda(self, t: ast.Lambda) -> None:
        a = t.args
        has_parameters = a.posonlyargs or a.args or a.vararg or a.kwonlyargs or a.kwarg
        self.write("lambda " if has_parameters else "lambda")
        outer, self.comma = self.comma, ", "  # its parameters stay in one line
        self.dispatch(t.args)
        self.comma = outer
        self.write(": ")
        self.expr(t.body, TEST)

    def _arguments(self, t: ast.arguments) -> None:
        positional = [*t.posonlyargs, *t.args]
        defaults = [None] * (len(positional) - len(t.defaults)) + t.defaults
        items: list[Any] = list(zip(positional, defaults, strict=True))
        if t.posonlyargs:
            items.insert(len(t.posonlyargs), "/")
        if t.vararg or t.kwonlyargs:
            items += ["*", t.vararg] if t.vararg is None else [("*", t.vararg)]
        items += zip(t.kwonlyargs, t.kw_defaults, strict=True)
        items += [("**", t.kwarg)] if t.kwarg else []
        self.commas([item for item in items if item is not None], self.parameter)

    def parameter(self, item: Any) -> None:
        """`/`, `*`, `name`, `name=default`, `*name` or `**name`."""
        if isinstance(item, str):
            self.write(item)
        elif isinstance(item[0], str):
            self.write(item[0])
            self.dispatch(item[1])
        else:
            self.dispatch(item[0])
            if item[1] is not None:
                self.write(" = " if item[0].annotation else "=")
                self.dispatch(item[1])

    def _UnaryOp(self, t: ast.UnaryOp) -> None:
        sign = self.unop[type(t.op).__name__]
        self.write("not " if sign == "not" else sign)
        self.expr(t.operand, level_of(t))

    def _BinOp(self, t: ast.BinOp) -> None:
        level, power = BINARY[type(t.op)], isinstance(t.op, ast.Pow)
        self.expr(t.left, AWAIT if power else level)
        sign = self.binop[type(t.op).__name__]
        self.write(sign if power else f"{SIGN if level <= SUM else ' '}{sign} ")
        self.expr(t.right, UNARY if power else level + 1)

    def _BoolOp(self, t: ast.BoolOp) -> None:
        word = f"{SIGN}and " if isinstance(t.op, ast.And) else f"{SIGN}or "
        for i, operand in enumerate(t.values):
            self.write(word if i else "")
            self.expr(operand, level_of(t) + 1)

    def _Compare(self, t: ast.Compare) -> None:
        self.expr(t.left, BIT_OR)
        for op, operand in zip(t.ops, t.comparators, strict=True):
            self.write(f" {self.cmpops[type(op).__name__]} ")
            self.expr(operand, BIT_OR)

    def _Starred(self, t: ast.Starred) -> None:
        self.write("*")
        self.expr(t.value, BIT_OR)

    def _Dict(self, t: ast.Dict) -> None:
        self.bracketed("{}", list(zip(t.keys, t.values, strict=True)), self.dict_item)

    def _List(self, t: ast.List) -> None:
        self.bracketed("[]", t.elts)

    def _Tuple(self, t: ast.Tuple) -> None:
        if len(t.elts) == 1:
            self.write("(")
            self.dispatch(t.elts[0])
            self.write(",)")
        else:
            self.bracketed("()", t.elts)

    def dict_item(self, item: tuple[ast.expr | None, ast.expr]) -> None:
        if item[0] is None:
            self.write("**")
            self.expr(item[1], BIT_OR)
        else:
            self.dispatch(item[0])
            self.write(": ")
            self.dispatch(item[1])

    def _Set(self, t: ast.Set) -> None:
        self.bracketed("{}", t.elts)

    def _ListComp(self, t: ast.ListComp) -> None:
        self.bracketed("[]", [t], self.comprehended)

    def _SetComp(self, t: ast.SetComp) -> None:
        self.bracketed("{}", [t], self.comprehended)

    def _DictComp(self, t: ast.DictComp) -> None:
        self.bracketed("{}", [t], self.comprehended)

    def _GeneratorExp(self, t: ast.GeneratorExp) -> None:
        self.bracketed("()", [t], self.comprehended)

    def comprehended(self, t: Any) -> None:
        """Prints the text between the brackets of a comprehension."""
        if isinstance(t, ast.DictComp):
            self.dict_item((t.key, t.value))
        else:
            self.dispatch(t.elt)
        self.dispatch(t.generators)

    def _comprehension(self, t: ast.comprehension) -> None:
        self.write(f"{SIGN}async for " if t.is_async else f"{SIGN}for ")
        self.value(t.target)
        self.write(" in ")
        self.expr(t.iter, OR)
        for test in t.ifs:
            self.write(f"{SIGN}if ")
            self.expr(test, OR)

    def _Attribute(self, t: ast.Attribute) -> None:
        self.expr(t.value, ATOM)
        is_int = isinstance(t.value, ast.Constant) and isinstance(t.value.value, int)
        self.write(f" .{t.attr}" if is_int else f".{t.attr}")

    def _Call(self, t: ast.Call) -> None:
        self.expr(t.func, ATOM)
        lone = len(t.args) == 1 and not t.keywords and isinstance(t.args[0], ast.GeneratorExp)
        if lone:
            self.dispatch(t.args[0])
        else:
            self.bracketed("()", [*t.args, *t.keywords])

    def _Subscript(self, t: ast.Subscript) -> None:
        self.expr(t.value, ATOM)
        self.write(f"[{OPEN}")
        if isinstance(t.slice, ast.Tuple) and list(map(type, t.slice.elts)) == [ast.Slice]:
            self.dispatch(t.slice.elts[0])  # a slice cannot stand in parentheses
            self.write(",")
        else:
            self.value(t.slice, bare=())
        self.write(f"{CLOSE}]")

    def _Constant(self, t: ast.Constant) -> None:
        if (literal := self.literals.of(t)) is not None:
            self.write(literal)
        elif self.inside_fstring and isinstance(t.value, str) and not t.kind:
            self.write(string_inside(t.value))
        else:
            super()._Constant(t)

    def _JoinedStr(self, t: ast.JoinedStr) -> None:
        self.write(self.literals.of(t) or fstring(t, self.text_inside))

    def text_inside(self, node: ast.expr) -> str:
        """The expression in the braces of an f-string, where `lambda:` needs parentheses."""
        level = OR if any(isinstance(n, ast.Lambda) for n in ast.walk(node)) else TEST
        file = StringIO()
        InsideFString(node, file)
        text = without_markers(file.getvalue()).strip("\n")
        return f"({text})" if level_of(node) < level else text


class InsideFString(ExpressionPrinter):
    """Prints an expression in the braces of an f-string."""

    inside_fstring = True


def level_of(node: ast.expr) -> int:
    """Returns how tightly an expression binds; one with brackets of its own is an atom."""
    if isinstance(node, ast.BinOp):
        return BINARY[type(node.op)]
    if isinstance(node, ast.BoolOp):
        return AND if isinstance(node.op, ast.And) else OR
    if isinstance(node, ast.UnaryOp):
        return NOT if isinstance(node.op, ast.Not) else UNARY
    if isinstance(node, ast.Constant) and repr(node.value).startswith("-"):
        return UNARY
    return LEVELS.get(type(node), ATOM)
