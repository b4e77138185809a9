"""Every operator as an operand of every other: the text means what the tree says."""

from __future__ import annotations

import ast
import itertools

from autograph.runtime.ir.expressions import Expression, Name, Operator, text_of
from autograph.runtime.ir.precedence import LEVELS

FORMS = [f"{{0}} {sign} {{1}}" for sign in (*LEVELS, "**", "<<", "&", "|", "^") if sign != "not"]
FORMS += ["not {0}", "-{0}", "~{0}", "{1} in {0}"]


def of(form: str, *operands: Expression) -> Operator:
    return Operator(form, operands[:form.count("{")])


def in_full(x: Expression) -> str:
    """Returns the text with all parentheses."""
    if isinstance(x, Operator):
        return "(" + x.form.format(*map(in_full, x.operands)) + ")"
    assert isinstance(x, Name)
    return x.text


class Flat(ast.NodeTransformer):
    """Makes `a and (b and c)` what `a and b and c` is, the same to Python."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.BoolOp:
        self.generic_visit(node)
        values: list[ast.expr] = []
        for x in node.values:
            same = isinstance(x, ast.BoolOp) and type(x.op) is type(node.op)
            values += x.values if same and isinstance(x, ast.BoolOp) else [x]
        return ast.BoolOp(node.op, values)


def tree(text: str) -> str:
    return ast.dump(Flat().visit(ast.parse(text, mode="eval")))


def test_text_means_what_the_tree_says() -> None:
    p, q, r, s = map(Name, "pqrs")
    for a, b, c in itertools.product(FORMS, repeat=3):
        x = of(b, of(a, p, q), of(c, r, s))
        assert tree(text_of(x)) == tree(in_full(x))


def test_parentheses_are_where_a_reader_expects_them() -> None:
    p, q, r = map(Name, "pqr")
    made = [of("{0} - {1}", of("{0} * {1}", p, q), r), of("{0} / {1}", p, of("{0} / {1}", q, r)),
            of("{0} and {1}", of("{0} == {1}", p, q), of("not {0}", r)),
            of("{0} & {1}", of("{0} + {1}", p, q), r), of("{0} or {1}", of("{0} and {1}", p, q), r)]
    assert list(map(text_of, made)) == [
        "p * q - r", "p / (q / r)", "p == q and not r", "(p + q) & r", "(p and q) or r"]
