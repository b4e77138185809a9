"""Reads the graph's text back into a graph (see `autograph.runtime.ir.printer`)."""

from __future__ import annotations

import ast
import builtins
import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from autograph.runtime.ir.errors import GraphError
from autograph.runtime.ir.graph import CALL, Equation, Graph, Value
from autograph.runtime.ir.type_text import parse_type, split_commas
from autograph.runtime.ir.types import ArrayType, Type, parse_dtype
from autograph.runtime.ir.undefined import UndefinedValue
from autograph.runtime.ops import OPS, Op, opaque
from autograph.runtime.ops.views import step_of

COMMENT = re.compile(r"\s+# \S+:\d+$")
HEAD = re.compile(r"(?P<name>[^(]+)\((?P<inputs>.*)\):")


def parse(text: str, captures: Mapping[str, np.ndarray[Any, Any]] | None = None) -> Graph:
    """Returns the graph that a text describes; `parse(to_text(g))` prints as `g` does.

    captures: the captured arrays, by name, that the text shows as `...`. Modules that the text
    names (in opaque ops) are imported.

    Raises:
      GraphError: a line cannot be read; the message shows it.
    """
    tops = _outline(text)
    if not tops:
        raise GraphError("the text holds no graph")
    reader = _Reader(dict(captures or {}))
    for top in tops:
        reader.graphs[reader.head(top)[0]] = Graph(reader.head(top)[0])
    for top in tops:
        reader.block(reader.graphs[reader.head(top)[0]], top, {})
    return next(iter(reader.graphs.values()))


@dataclass
class Line:
    """A line of the text and the lines indented below it."""

    text: str
    number: int
    below: list[Line] = field(default_factory=list)

    def fail(self, why: str) -> NoReturn:
        raise GraphError(f"line {self.number} of the graph's text: {why}\n  {self.text}")


def _outline(text: str) -> list[Line]:
    """Returns the lines as a tree, by their indentation."""
    root = Line("", 0)
    stack = [(-1, root)]
    for number, raw in enumerate(text.splitlines(), 1):
        bare = COMMENT.sub("", raw).rstrip()
        if not bare:
            continue
        depth = len(bare) - len(bare.lstrip())
        while stack[-1][0] >= depth:
            stack.pop()
        line = Line(bare.strip(), number)
        stack[-1][1].below.append(line)
        stack.append((depth, line))
    return root.below


Scope = dict[str, Value]


class _Reader:
    def __init__(self, captures: dict[str, np.ndarray[Any, Any]]) -> None:
        self.captures = captures
        self.graphs: dict[str, Graph] = {}

    def head(self, line: Line) -> tuple[str, str]:
        found = HEAD.fullmatch(line.text)
        if found is None:
            line.fail("expected NAME(INPUTS):")
        return found["name"], found["inputs"]

    def block(self, graph: Graph, top: Line, outer: Scope) -> None:
        """Fills a graph or region from the lines below its head."""
        scope = dict(outer)
        graph.inputs = self.binders(self.head(top)[1], top, scope)
        for line in top.below:
            word, _, rest = line.text.partition(" ")
            if word in ("return", "yield"):
                graph.outputs = tuple(Expression(line, scope, self.graphs).items(rest))
            elif word == "const":
                self.constant(graph, line, rest, scope)
            else:
                graph.equations.append(self.equation(line, scope))

    def binders(self, text: str, line: Line, scope: Scope) -> tuple[Value, ...]:
        """`a: i64, b: f64[3]` as new values in the scope."""
        made = []
        for part in split_commas(text):
            name, colon, type_text = part.partition(":")
            if not colon:
                line.fail(f"expected NAME: TYPE, found {part!r}")
            value = Value(_type(type_text.strip(), line), name.strip())
            scope[value.hint] = value
            made.append(value)
        return tuple(made)

    def constant(self, graph: Graph, line: Line, text: str, scope: Scope) -> None:
        left, _, right = text.partition(" = ")
        (value,) = self.binders(left, line, scope)
        name = left.partition(":")[0]
        graph.captures[value] = self.array(value.type, name, right, line)

    def array(self, t: Type, name: str, text: str, line: Line) -> np.ndarray[Any, Any]:
        if text == "...":
            if name not in self.captures:
                line.fail(f"the text does not hold this array: pass captures={{{name!r}: array}}")
            return self.captures[name]
        if not isinstance(t, ArrayType) or t.shape is None:
            line.fail("a captured array has a known type")
        (items,) = Expression(line, {}, {}).items(text)
        return np.array(items, t.dtype).reshape([d for d in t.shape if isinstance(d, int)])

    def equation(self, line: Line, scope: Scope) -> Equation:
        left, equals, right = line.text.partition(" = ")
        if not equals:
            line.fail("expected OUTPUTS = OP(ARGUMENTS)")
        expression = Expression(line, scope, self.graphs)
        op, args, kwargs = expression.call(right.removesuffix(":") if line.below else right)
        regions = tuple(self.region(op, below, scope) for below in line.below)
        if op.name == CALL:
            callee, *rest = args
            regions, args = (callee,), tuple(rest)
        outputs = () if left == "()" else self.binders(left, line, scope)
        return Equation(op, args, kwargs, outputs, regions)

    def region(self, op: Op, line: Line, scope: Scope) -> Graph:
        name = self.head(line)[0]
        if name not in op.regions:
            line.fail(f"{op.name} has no region {name!r}")
        region = Graph(name)
        self.block(region, line, scope)
        return region


# -- types ----------------------------------------------------------------------------------------


def _type(text: str, line: Line) -> Type:
    try:
        t = parse_type(text)
    except (TypeError, ValueError, KeyError):
        line.fail(f"{text!r} is no type")
    return t if str(t) == text else line.fail(f"{text!r} is no type; is {str(t)!r} meant?")


# -- expressions ----------------------------------------------------------------------------------


@dataclass
class Expression:
    """Reads the expressions of one line: Python's syntax over values, graphs and constants."""

    line: Line
    scope: Scope
    graphs: dict[str, Graph]

    def parse(self, text: str) -> ast.expr:
        try:
            return ast.parse(text, mode="eval").body
        except SyntaxError:
            self.line.fail("this is no expression")

    def items(self, text: str) -> list[Any]:
        """Returns the items of `a, 1, (b, c)`."""
        node = self.parse(f"[{text}]")
        assert isinstance(node, ast.List)
        return [self.nest(item) for item in node.elts]

    def call(self, text: str) -> tuple[Op, tuple[Any, ...], dict[str, Any]]:
        """`op(args, key=value)` or `x[index]`."""
        node = self.parse(_callable_name(text))
        if isinstance(node, ast.Subscript):
            return OPS["getitem"], (self.nest(node.value), self.index(node.slice)), {}
        if not isinstance(node, ast.Call):
            self.line.fail("expected OP(ARGUMENTS) or VALUE[INDEX]")
        name = ast.unparse(node.func).removeprefix(SAFE)
        args = tuple(map(self.nest, node.args))
        return self.op(name), args, {k.arg or "": self.nest(k.value) for k in node.keywords}

    def op(self, name: str) -> Op:
        return OPS[name] if name in OPS else opaque(self.dotted(name))

    def index(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Slice):
            return slice(*(None if n is None else self.nest(n)
                           for n in (node.lower, node.upper, node.step)))
        if isinstance(node, ast.Tuple):
            return tuple(map(self.index, node.elts))
        return self.nest(node)

    def nest(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.Tuple():
                return tuple(map(self.nest, node.elts))
            case ast.List():
                return list(map(self.nest, node.elts))
            case ast.Dict():
                pairs = zip(node.keys, node.values, strict=True)
                return {self.nest(k): self.nest(v) for k, v in pairs if k is not None}
            case ast.UnaryOp(op=ast.USub()):
                return -self.nest(node.operand)
            case ast.Name():
                return self.name(node.id)
            case ast.Attribute():
                return self.dotted(ast.unparse(node))
            case ast.Call() if (op := OPS.get(ast.unparse(node.func))) and op.view:
                return step_of(op, [self.nest(a) for a in node.args],
                               {k.arg or "": self.nest(k.value) for k in node.keywords})
            case ast.Call():
                return self.made(ast.unparse(node.func), [self.nest(a) for a in node.args])
        self.line.fail(f"{ast.unparse(node)!r} is neither a value nor a constant")

    def name(self, name: str) -> Any:
        for names in (self.scope, self.graphs, NUMBERS):
            if name in names:
                return names[name]
        if name.startswith("__") or not hasattr(builtins, name):
            self.line.fail(f"{name!r} is not made before")
        return getattr(builtins, name)

    def made(self, name: str, args: list[Any]) -> Any:
        """Returns a constant that is written as a call: `f64(1.5)`, `dtype('i8')`."""
        if name in MAKERS:
            return MAKERS[name](*args)
        cls = getattr(builtins, name, None)
        if isinstance(cls, type) and issubclass(cls, BaseException):
            return cls(*args)
        try:
            return parse_dtype(name).type(complex(*args) if len(args) == 2 else args[0])
        except (TypeError, ValueError):
            self.line.fail(f"{name!r} makes no constant")

    def dotted(self, path: str) -> Any:
        """Returns the object at `module.name`; `np.` is NumPy."""
        parts = path.split(".")
        for cut in range(len(parts) - 1, 0, -1):
            try:
                found: Any = importlib.import_module(
                    ".".join("numpy" if p == "np" and not i else p
                             for i, p in enumerate(parts[:cut])))
                for part in parts[cut:]:
                    found = getattr(found, part)
                return found
            except (ImportError, AttributeError):
                continue
        self.line.fail(f"there is no {path!r} to import")


SAFE = "op_"


def _callable_name(text: str) -> str:
    """Returns the call with a Python name for its op: `while` and `for` are keywords."""
    return re.sub(r"^(while|for)\(", rf"{SAFE}\1(", text)


NUMBERS = {"inf": float("inf"), "nan": float("nan")}
MAKERS: dict[str, Callable[..., Any]] = {
    "slice": slice, "complex": complex, "range": range, "undefined": UndefinedValue,
    "dtype": parse_dtype, "array": lambda items, dtype: np.array(items, parse_dtype(dtype)),
    **{f"np.{cls.__name__}": cls for cls in (np.str_, np.bytes_, np.datetime64, np.timedelta64)},
}
