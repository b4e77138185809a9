"""Rewrites programs so that they mean the same, and the run decides more: numbers, texts, tests and
functions hang on a variable that holds 1, and statements stand in branches, loops and handlers."""

from __future__ import annotations

import ast
from random import Random
from typing import Any

ONE = "ONE"
"""The name of the variable that holds 1."""

KEPT_KEYWORDS = frozenset({"axis", "dtype", "keepdims", "maxlen", "maxsize", "ndmin"})
NOT_CHOSEN = frozenset({"dir", "globals", "locals", "super", "vars"})
STAYING = (ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.AsyncFunctionDef)


def mutated(text: str, random: Random) -> str:
    """Returns the text of a module with some of its functions' statements rewritten."""
    tree = Mutations(random).visit(ast.parse(text))
    return ast.unparse(ast.fix_missing_locations(tree))


def one() -> ast.expr:
    return ast.Name(ONE, ast.Load())


def is_one() -> ast.expr:
    return ast.Compare(one(), [ast.Eq()], [ast.Constant(1)])


def jumps(statement: ast.stmt) -> bool:
    """Returns True if a `break` or `continue` may be that of a loop around the statement."""
    return any(isinstance(node, (ast.Break, ast.Continue)) for node in ast.walk(statement))


class Mutations(ast.NodeTransformer):
    """Rewrites nodes of functions, each with a probability that is one for all of them."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.share = random.choice((0.02, 0.05, 0.1, 0.2))
        self.depth = 0

    def chosen(self, weight: float = 1) -> bool:
        return self.depth > 0 and self.random.random() < self.share * weight

    # -- what stays --------------------------------------------------------------------------------

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        return node

    visit_JoinedStr = visit_AsyncFunctionDef  # type: ignore[assignment]

    def visit_match_case(self, node: ast.match_case) -> Any:
        node.guard = node.guard and self.visit(node.guard)
        node.body = [self.visit(s) for s in node.body]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        node.value = node.value and self.visit(node.value)
        return node

    def visit_keyword(self, node: ast.keyword) -> Any:
        return node if node.arg in KEPT_KEYWORDS else self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        return node if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    # -- expressions -------------------------------------------------------------------------------

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        self.depth += 1
        node.body = self.visit(node.body)
        self.depth -= 1
        return node

    def visit_Constant(self, node: ast.Constant) -> Any:
        if type(node.value) in (int, float) and self.chosen(2):
            made = ast.BinOp(node, ast.Mult(), one())
            if type(node.value) is int and self.random.random() < 0.4:
                return ast.Call(ast.Name("int", ast.Load()), [made], [])
            return made
        if type(node.value) is str and self.chosen(0.5):
            first = ast.BinOp(one(), ast.Sub(), ast.Constant(1))
            texts = ast.List([node, ast.Constant("no")], ast.Load())
            return ast.Subscript(texts, first, ast.Load())
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        return ast.IfExp(is_one(), node, ast.Constant(False)) if self.chosen(0.5) else node

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id not in NOT_CHOSEN and self.chosen(0.5):
            node.func = ast.IfExp(is_one(), node.func, ast.Name("len", ast.Load()))
        return node

    # -- statements --------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        self.depth += 1
        node.body = self.block([self.visit(s) for s in node.body])
        self.depth -= 1
        return node

    def block(self, body: list[Any]) -> list[Any]:
        for s in body:
            for name in ("body", "orelse", "finalbody"):
                if getattr(s, name, None) and not isinstance(s, (ast.FunctionDef, ast.ClassDef)):
                    setattr(s, name, self.block(getattr(s, name)))
        return [self.framed(s) if self.chosen(0.7) and not self.stays(s) else s for s in body]

    def stays(self, s: ast.stmt) -> bool:
        return isinstance(s, STAYING) or (
            isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))

    def framed(self, s: Any) -> Any:
        """Returns a statement that runs another one once."""
        nothing = ast.Expr(ast.Constant(None))
        frames = [
            ast.If(is_one(), [s], [ast.Pass()]),
            ast.Try([s], [ast.ExceptHandler(ast.Name("BufferError", ast.Load()), None,
                                            [ast.Pass()])], [], []),
            ast.Try([s], [], [], [nothing]),
            ast.If(ast.Compare(one(), [ast.Gt()], [ast.Constant(5)]),
                   [ast.Raise(ast.Call(ast.Name("OSError", ast.Load()), [], []), None)], [s])]
        if not jumps(s):
            once = ast.Call(ast.Name("range", ast.Load()), [
                ast.Call(ast.Name("int", ast.Load()), [one()], [])], [])
            frames += [
                ast.For(ast.Name("_", ast.Store()), once, [s], []),
                ast.For(ast.Name("_", ast.Store()), ast.List([one()], ast.Load()), [s], []),
                ast.While(ast.Constant(True), [s, ast.If(is_one(), [ast.Break()], [])], [])]
        return self.random.choice(frames)
