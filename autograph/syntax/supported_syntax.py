"""Names every kind of syntax as supported or refused, so that no pass meets the unknown."""

from __future__ import annotations

from typing import Any

import gast

from autograph.syntax.context import Context
from autograph.syntax.errors import Span, UnsupportedSyntaxError
from autograph.syntax.node_inventory import Inventory, inventory_of

STATEMENTS = frozenset({
    "AnnAssign", "Assert", "Assign", "AsyncFor", "AsyncFunctionDef", "AsyncWith", "AugAssign",
    "Break", "ClassDef", "Continue", "Delete", "Expr", "For", "FunctionDef", "Global", "If",
    "Import", "ImportFrom", "Match", "Nonlocal", "Pass", "Raise", "Return", "Try", "TryStar",
    "TypeAlias", "While", "With"})
EXPRESSIONS = frozenset({
    "Attribute", "Await", "BinOp", "BoolOp", "Call", "Compare", "Constant", "Dict", "DictComp",
    "FormattedValue", "GeneratorExp", "IfExp", "JoinedStr", "Lambda", "List", "ListComp", "Name",
    "NamedExpr", "Set", "SetComp", "Slice", "Starred", "Subscript", "Tuple", "UnaryOp", "Yield",
    "YieldFrom"})
PATTERNS = frozenset({
    "MatchAs", "MatchClass", "MatchMapping", "MatchOr", "MatchSequence", "MatchSingleton",
    "MatchStar", "MatchValue"})
PARTS = frozenset({
    "ExceptHandler", "alias", "arguments", "comprehension", "keyword", "match_case", "withitem",
    "TypeVar", "ParamSpec", "TypeVarTuple",
    "Load", "Store", "Del", "Param", "And", "Or", "Not", "Invert", "UAdd", "USub",
    "Add", "Sub", "Mult", "MatMult", "Div", "Mod", "Pow", "LShift", "RShift", "BitOr", "BitXor",
    "BitAnd", "FloorDiv", "Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "Is", "IsNot", "In", "NotIn"})
SUPPORTED = STATEMENTS | EXPRESSIONS | PATTERNS | PARTS
KNOWN = frozenset(kind for kind in vars(gast.gast).values()
                  if isinstance(kind, type) and kind.__name__ in SUPPORTED)

REFUSED = {
    "TemplateStr": "template strings (t'...') are not supported yet: use an f-string",
    "Interpolation": "template strings (t'...') are not supported yet: use an f-string",
    "Print": "the print statement is Python 2: use print(...)",
    "Exec": "the exec statement is Python 2: use exec(...)",
    "Repr": "backquotes are Python 2: use repr(...)",
}


def check(tree: Any, context: Context, found: Inventory | None = None) -> Inventory:
    """Raises `UnsupportedSyntaxError` for the first node that the compiler does not know.

    `found` is the inventory of the tree, if it is known. Returns the inventory.
    """
    found = found or inventory_of(tree)
    if not found.kinds <= KNOWN:
        _find_unknown(tree, context)
    return found


def _find_unknown(tree: Any, context: Context) -> None:
    todo: list[Any] = [(tree, tree)]
    while todo:
        node, around = todo.pop()
        if (kind := node.__class__.__name__) not in SUPPORTED:
            raise _refusal(kind, around, context)
        around = node if hasattr(node, "lineno") else around
        for field in node._fields:
            value = getattr(node, field, None)
            if value.__class__ is list:
                # gast puts None where it does not know a statement; a None is rightful only
                # among the keys of a dict and the defaults of keyword-only parameters.
                if None in value and field not in ("keys", "kw_defaults"):
                    raise _refusal("unknown", around, context)
                todo += [(v, around) for v in value if isinstance(v, gast.AST)]
            elif isinstance(value, gast.AST):
                todo.append((value, around))


def _refusal(kind: str, around: Any, context: Context) -> UnsupportedSyntaxError:
    message = REFUSED.get(kind, f"this version of autograph does not support this syntax ({kind})")
    return UnsupportedSyntaxError(
        message, Span.of(around, context.filename),
        "write it in another way, or mark the function with ag.do_not_convert",
        _line(context, around))


def _line(context: Context, node: Any) -> str | None:
    index = getattr(node, "lineno", 0) - 1
    return context.source_lines[index] if 0 <= index < len(context.source_lines) else None
