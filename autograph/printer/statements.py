"""Prints a tree as text: the same on every Python that we support."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from io import StringIO
from typing import Any

from autograph.printer.comments import NO_COMMENTS, Comments
from autograph.printer.expressions import ExpressionPrinter
from autograph.printer.line_breaking import (
    BEGIN,
    CLOSE,
    COMMENT,
    END,
    OPEN,
    break_long_lines,
    in_margin,
)
from autograph.printer.literals import docstring
from autograph.printer.original_literals import NO_LITERALS, OriginalLiterals
from autograph.syntax.gast_conversion import as_ast
from autograph.syntax.recursion_limit import deep_recursion

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
COMPOUND = (*DEFINITIONS, ast.If, ast.While, ast.For,
            ast.AsyncFor, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match)


def to_text(tree: Any, comments: Comments = NO_COMMENTS, margin: str = "",
            literals: OriginalLiterals = NO_LITERALS) -> str:
    """Returns the text of a gast or `ast` tree: a module, statements, or an expression.

    `margin` is the white space that each line begins with, as in the body of a class; the literals
    in `literals` are printed as the user wrote them.

    >>> print(to_text(ast.parse("x[1:2, ::3] = (a + b) * c if d else (e, f)")), end="")
    x[1:2, ::3] = (a + b) * c if d else (e, f)
    """
    file = StringIO()
    with deep_recursion():
        Printer(as_ast(tree), file, comments, margin, literals)
    return break_long_lines(file.getvalue()).lstrip("\n").rstrip("\n") + "\n"


class Printer(ExpressionPrinter):
    """astunparse's printer of statements with what came after Python 3.8, and comments."""

    def __init__(self, tree: Any, file: StringIO, comments: Comments = NO_COMMENTS,
                 margin: str = "", literals: OriginalLiterals = NO_LITERALS) -> None:
        self.margin = margin
        self.literals = literals
        self.comments = comments
        self.except_star = False
        self.space_before_comments = False
        comments.settle(tree)
        super().__init__(tree, file)

    # -- layout ------------------------------------------------------------------------------------

    def fill(self, text: str = "") -> None:
        """Begin a line."""
        self.write("\n" + self.margin + "    " * self._indent + text)

    def dispatch(self, tree: Any) -> None:
        """Print a node, and around a statement the comments that belong to it."""
        if not isinstance(tree, ast.stmt):
            super().dispatch(tree)
            return
        simple = not isinstance(tree, COMPOUND)
        comments = self.comments.before(tree, simple)
        self.space_before_comments = bool(comments) and isinstance(tree, DEFINITIONS)
        self.write("\n" if self.space_before_comments else "")
        for comment in comments:
            self.fill(comment)
        super().dispatch(tree)
        if simple and (beside := self.comments.beside(tree)):
            self.write(f"{COMMENT}  {beside}")

    def block(self, header: str, body: Sequence[ast.stmt]) -> None:
        """`header:` and an indented body."""
        self.write(header)
        self.enter()
        self.dispatch(body)
        self.leave()

    def _Lambda(self, t: ast.Lambda) -> None:
        super()._Lambda(t)
        if comment := self.comments.beside_lambda(t):
            self.write(in_margin(comment))

    # -- statements --------------------------------------------------------------------------------

    def _Module(self, t: ast.Module) -> None:
        self.suite(t.body)

    def suite(self, body: list[ast.stmt]) -> None:
        """Statements whose first one may be a docstring."""
        if body and is_docstring(body[0]):
            for comment in self.comments.before(body[0], simple=True):
                self.fill(comment)
            text: ast.Constant = body[0].value  # type: ignore[attr-defined]
            self.fill(self.literals.of(text) or docstring(text))
            body = body[1:]
        self.dispatch(body)

    def _Expr(self, t: ast.Expr) -> None:
        self.fill()
        self.value(t.value)

    def _Assign(self, t: ast.Assign) -> None:
        self.fill()
        for target in t.targets:
            self.value(target)
            self.write(" = ")
        self.right_side(t.value)

    def right_side(self, value: ast.expr, bare: tuple[type, ...] = (ast.Yield, ast.YieldFrom)
                   ) -> None:
        """Prints the value that a line ends with; it gets brackets if the line is too long."""
        self.write(BEGIN)
        self.value(value, bare)
        self.write(END)

    def _AugAssign(self, t: ast.AugAssign) -> None:
        self.fill()
        self.dispatch(t.target)
        self.write(f" {self.binop[type(t.op).__name__]}= ")
        self.right_side(t.value)

    def _AnnAssign(self, t: ast.AnnAssign) -> None:
        self.fill()
        bracketed = not t.simple and isinstance(t.target, ast.Name)
        self.write("(" if bracketed else "")
        self.dispatch(t.target)
        self.write("): " if bracketed else ": ")
        self.dispatch(t.annotation)
        if t.value:
            self.write(" = ")
            self.right_side(t.value)

    def _Return(self, t: ast.Return) -> None:
        self.fill("return")
        if t.value:
            self.write(" ")
            self.right_side(t.value, bare=())

    def _For(self, t: ast.For) -> None:
        self.for_loop("for ", t)

    def _AsyncFor(self, t: ast.AsyncFor) -> None:
        self.for_loop("async for ", t)

    def for_loop(self, keyword: str, t: ast.For | ast.AsyncFor) -> None:
        self.fill(keyword)
        self.value(t.target)
        self.write(" in ")
        self.value(t.iter, bare=())
        self.block("", t.body)
        if t.orelse:
            self.fill()
            self.block("else", t.orelse)

    def _withitem(self, t: ast.withitem) -> None:
        # `with (a, b):` would be two items.
        bracketed = isinstance(t.context_expr, ast.Tuple) and t.optional_vars is None
        self.write("(" if bracketed else "")
        self.dispatch(t.context_expr)
        self.write(")" if bracketed else "")
        if t.optional_vars:
            self.write(" as ")
            self.dispatch(t.optional_vars)

    def _TryStar(self, t: ast.AST) -> None:
        outer, self.except_star = self.except_star, True
        self._Try(t)
        self.except_star = outer

    def _Try(self, t: Any) -> None:
        star = isinstance(t, ast.TryStar)
        self.fill()
        self.block("try", t.body)
        for handler in t.handlers:
            self.except_star = star
            self.dispatch(handler)
        for header, body in (("else", t.orelse), ("finally", t.finalbody)):
            if body:
                self.fill()
                self.block(header, body)

    def _ExceptHandler(self, t: ast.ExceptHandler) -> None:
        self.fill("except*" if self.except_star else "except")
        if t.type:
            self.write(" ")
            self.dispatch(t.type)
        self.block(f" as {t.name}" if t.name else "", t.body)

    def _FunctionDef(self, t: ast.FunctionDef) -> None:
        self.function("def ", t)

    def _AsyncFunctionDef(self, t: ast.AsyncFunctionDef) -> None:
        self.function("async def ", t)

    def function(self, keyword: str, t: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.head(keyword, t)
        self.write(f"({OPEN}")
        self.dispatch(t.args)
        self.write(f"{CLOSE})")
        if t.returns:
            self.write(" -> ")
            self.dispatch(t.returns)
        self.body_of(t)

    def _ClassDef(self, t: ast.ClassDef) -> None:
        self.head("class ", t)
        if t.bases or t.keywords:
            self.bracketed("()", [*t.bases, *t.keywords])
        self.body_of(t)

    def head(self, keyword: str, t: Any) -> None:
        """Decorators, keyword, name and type parameters of a function or class."""
        self.write("" if self.space_before_comments else "\n")
        for decorator in t.decorator_list:
            self.fill("@")
            self.dispatch(decorator)
        self.fill(keyword + t.name)
        self.type_params(t)

    def body_of(self, t: Any) -> None:
        self.enter()
        self.suite(t.body)
        self.leave()

    def type_params(self, t: Any) -> None:
        """`[T: int, *Ts, **P = ...]` of PEP 695 and 696."""
        if params := getattr(t, "type_params", None):
            self.write("[")
            self.commas(params, self.type_param)
            self.write("]")

    def type_param(self, t: Any) -> None:
        self.write({"TypeVarTuple": "*", "ParamSpec": "**"}.get(type(t).__name__, "") + t.name)
        for sign, field in ((": ", "bound"), (" = ", "default_value")):
            if part := getattr(t, field, None):
                self.write(sign)
                self.dispatch(part)

    def _TypeAlias(self, t: Any) -> None:
        self.fill("type ")
        self.dispatch(t.name)
        self.type_params(t)
        self.write(" = ")
        self.dispatch(t.value)

    # -- match -------------------------------------------------------------------------------------

    def _Match(self, t: ast.Match) -> None:
        self.fill("match ")
        self.value(t.subject, bare=())
        self.block("", t.cases)  # type: ignore[arg-type]

    def _match_case(self, t: ast.match_case) -> None:
        self.fill("case ")
        self.dispatch(t.pattern)
        if t.guard:
            self.write(" if ")
            self.dispatch(t.guard)
        self.block("", t.body)

    def _MatchValue(self, t: ast.MatchValue) -> None:
        self.dispatch(t.value)

    def _MatchSingleton(self, t: ast.MatchSingleton) -> None:
        self.write(repr(t.value))

    def _MatchStar(self, t: ast.MatchStar) -> None:
        self.write(f"*{t.name or '_'}")

    def _MatchSequence(self, t: ast.MatchSequence) -> None:
        self.write("[")
        self.commas(t.patterns)
        self.write("]")

    def _MatchMapping(self, t: ast.MatchMapping) -> None:
        self.write("{")
        self.commas(list(zip(t.keys, t.patterns, strict=True)), self.key_pattern)
        if t.rest:
            self.write(f"{', ' if t.keys else ''}**{t.rest}")
        self.write("}")

    def key_pattern(self, item: tuple[ast.expr, ast.pattern]) -> None:
        self.dispatch(item[0])
        self.write(": ")
        self.dispatch(item[1])

    def _MatchClass(self, t: ast.MatchClass) -> None:
        self.dispatch(t.cls)
        self.write("(")
        self.commas(t.patterns)
        self.write(", " if t.patterns and t.kwd_attrs else "")
        self.commas(list(zip(t.kwd_attrs, t.kwd_patterns, strict=True)), self.keyword_pattern)
        self.write(")")

    def keyword_pattern(self, item: tuple[str, ast.pattern]) -> None:
        self.write(f"{item[0]}=")
        self.dispatch(item[1])

    def _MatchAs(self, t: ast.MatchAs) -> None:
        if t.pattern is None:
            self.write(t.name or "_")
            return
        self.write("(")
        self.dispatch(t.pattern)
        self.write(f" as {t.name})")

    def _MatchOr(self, t: ast.MatchOr) -> None:
        self.write("(")
        for i, pattern in enumerate(t.patterns):
            self.write(" | " if i else "")
            self.dispatch(pattern)
        self.write(")")


def is_docstring(node: ast.stmt) -> bool:
    """Returns True if a first statement is a documentation string."""
    return (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str) and not node.value.kind)
