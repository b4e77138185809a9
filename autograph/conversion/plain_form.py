r"""Joins a function as it was written and its converted form: each call runs one of them.

The converted form stands inside the plain function, and runs if somebody wants it: a trace that is
being made in this thread, or a test (`ag.config.plain`). For everybody else the function costs what
it cost before it was converted, but for one look at a name.

>>> plain, new = (ast.parse(text).body[0] for text in (
...     "def f(x, k=1):\n    return x if x > k else k",
...     "def f(x, k=1):\n    return ag.cond(x > k, lambda: x, lambda: k)"))
>>> print(ast.unparse(joined(plain, new)))
def f(x, k=1):
    if _<forms>.asked and _<forms>.is_converted_wanted():
<BLANKLINE>
        def <converted>(x, k):
            return ag.cond(x > k, lambda: x, lambda: k)
        return <converted>(x, k)
    return x if x > k else k
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType
from typing import Any

from autograph.analysis.statements import FRAME_VIEWERS
from autograph.syntax.source_file import all_codes

CONVERTED, FORMS = "<converted>", "_<forms>"
"""The names of the converted form inside the plain function, and of `operators.dispatch`. No name
of the user's is like these."""

CELLS, LATE = "<cells>", "_<late>"
"""The names of a function that has the free variables of a plain function, and of the module that
makes converted forms when they are wanted: `import_hook`."""

DIRECTIVE = "set_loop_options"
"""A call that is no part of the plain function."""


def to_compile(plain: Any, converted: Any, ag: str) -> Any:
    """Returns the function to compile: both forms joined, or one if the other is not needed.

    A limit that the user sets for a loop is no part of the plain function. A function that looks at
    its own names would see those of its converted form.
    """
    nodes = list(ast.walk(converted))
    if not any(isinstance(node, ast.Name) and node.id == ag for node in nodes):
        return plain
    if any(DIRECTIVE in (name := getattr(node, "id", ""), getattr(node, "attr", ""))
           or name in FRAME_VIEWERS for node in ast.walk(plain)):
        return converted
    return joined(plain, converted)


def joined(plain: Any, converted: Any) -> Any:
    """Returns the plain function, changed so that it runs the converted form if that is wanted."""
    if isinstance(plain, ast.Lambda):
        plain, converted = _as_definition(plain), _as_definition(converted)
    form = _definition(CONVERTED, _bare(converted.args), converted.body)
    run = ast.Return(_call(ast.Name(CONVERTED, ast.Load()), plain.args))
    return _with_test(plain, [form, run])


def _with_test(plain: Any, body: list[ast.stmt]) -> Any:
    """Returns the plain function, changed so that it begins with this if the converted form is
    wanted."""
    at = 1 if ast.get_docstring(plain, clean=False) is not None else 0
    plain.body.insert(at, _placed(ast.If(_wanted(), body, []), _start(plain)))
    return plain


def _start(function: ast.FunctionDef) -> ast.AST:
    """Returns a node on the line where a function begins: that line counts as run already."""
    line, column = function.lineno, function.col_offset
    return ast.Pass(lineno=line, col_offset=column, end_lineno=line, end_col_offset=column + 1)


def _as_definition(function: ast.Lambda) -> ast.FunctionDef:
    """Returns a lambda as a definition that compiles to the same code."""
    body = _placed(ast.Return(function.body), function.body)
    definition: ast.FunctionDef = _placed(_definition("<lambda>", function.args, [body]), function)
    return definition


def _definition(name: str, arguments: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    definition = ast.FunctionDef(name, arguments, body, [], None, None)
    if "type_params" in definition._fields:
        definition.type_params = []  # type: ignore[attr-defined,unused-ignore]  # 3.12 and later
    return definition


def _bare(a: ast.arguments) -> ast.arguments:
    """Returns parameters of the same names, all of them required."""
    def bare(arg: ast.arg | None) -> ast.arg | None:
        return arg and ast.arg(arg.arg)

    return ast.arguments([ast.arg(x.arg) for x in a.posonlyargs], [ast.arg(x.arg) for x in a.args],
                         bare(a.vararg), [ast.arg(x.arg) for x in a.kwonlyargs],
                         [None] * len(a.kwonlyargs), bare(a.kwarg), [])


def _call(function: ast.expr, a: ast.arguments) -> ast.Call:
    """Returns a call with all parameters as they came."""
    passed: list[ast.expr] = [_read(x) for x in (*a.posonlyargs, *a.args)]
    named = [ast.keyword(x.arg, _read(x)) for x in a.kwonlyargs]
    if a.vararg is not None:
        passed.append(ast.Starred(_read(a.vararg), ast.Load()))
    if a.kwarg is not None:
        named.append(ast.keyword(None, _read(a.kwarg)))
    return ast.Call(function, passed, named)


def _read(arg: ast.arg) -> ast.Name:
    return ast.Name(arg.arg, ast.Load())


def _wanted() -> ast.expr:
    """Returns the test whether the converted form is wanted; it is cheap if no trace is made."""
    asked, wanted = (ast.Attribute(ast.Name(FORMS, ast.Load()), name, ast.Load())
                     for name in ("asked", "is_converted_wanted"))
    return ast.BoolOp(ast.And(), [asked, ast.Call(wanted, [], [])])


def _placed(new: Any, at: ast.AST) -> Any:
    """Puts new nodes at the place of an old one."""
    return ast.fix_missing_locations(ast.copy_location(new, at))


def joined_late(plain: ast.FunctionDef, free: tuple[str, ...]) -> Any:
    r"""Returns the plain function, changed so that it asks for its converted form when that is
    wanted; it gives its free variables.

    >>> function = ast.parse("def f(x, *, k):\n    return x + k + z").body[0]
    >>> print(ast.unparse(joined_late(function, ("z",))))
    def f(x, *, k):
        if _<forms>.asked and _<forms>.is_converted_wanted():
    <BLANKLINE>
            def <cells>():
                return (z,)
            for <converted> in _<late>.forms_here(<cells>):
                return <converted>(x, k=k)
        return x + k + z
    """
    names: list[ast.expr] = [ast.Name(name, ast.Load()) for name in free]
    none = ast.arguments([], [], None, [], [], None, [])
    cells = _definition(CELLS, none, [ast.Return(ast.Tuple(names, ast.Load()))])
    forms = ast.Call(ast.Attribute(ast.Name(LATE, ast.Load()), "forms_here", ast.Load()),
                     [ast.Name(CELLS, ast.Load())], [])
    run = ast.Return(_call(ast.Name(CONVERTED, ast.Load()), plain.args))
    each = ast.For(ast.Name(CONVERTED, ast.Store()), forms, [run], [])
    return _with_test(plain, [cells, each])


def converted_parts(code: CodeType, ag: str) -> Iterator[CodeType]:
    """Yields the code objects that hold converted forms, and what is in these forms; `ag` is the
    name of the operators. A function that has no plain form, as it looks at its own names, is all
    converted."""
    alone = ag in code.co_freevars and FORMS not in code.co_freevars
    yield from all_codes(code) if alone else _parts_in(code)


def _parts_in(code: CodeType) -> Iterator[CodeType]:
    parts = [c for c in code.co_consts if isinstance(c, CodeType)]
    forms = [c for c in parts if c.co_qualname == code.co_qualname]
    if forms:
        yield code
    for part in parts:
        yield from all_codes(part) if part in forms else _parts_in(part)
