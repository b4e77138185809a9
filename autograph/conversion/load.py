"""Makes a function of a rewritten tree: the user's file and lines, globals, cells and defaults.

The function must share the cells of the user's closure, and must not be defined again: decorators
and defaults were evaluated long ago. So the tree is compiled inside a factory function whose
parameters are the free variables, which makes them free variables of the code. The code object is
taken out of the factory, is given its qualified name, and becomes a function with the original
globals, cells and defaults. The operators are in one more cell.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import CellType, CodeType, FunctionType
from typing import Any

import gast

from autograph.compiled_again import compiled
from autograph.conversion.call_resolution import Answers
from autograph.conversion.plain_form import FORMS, to_compile
from autograph.operators import dispatch
from autograph.syntax.errors import InternalError, Span, UnsupportedSyntaxError
from autograph.syntax.gast_conversion import to_ast
from autograph.syntax.recursion_limit import deep_recursion
from autograph.syntax.source_file import TOO_DEEP, SourceFile, all_codes

FACTORY = "autograph_factory"
PLEASE_REPORT = "please report this with the function that caused it"


@dataclass(frozen=True)
class Loaded:
    """The code object of a rewritten function, the name by which it reaches the operators, the
    file that it was made from, and what the names in it stood for."""

    code: CodeType
    ag: str
    file: SourceFile | None = None
    answers: Answers | None = None

    def fits(self, original: FunctionType) -> bool:
        """Returns True if the names in a function stand for what they did when this was made."""
        return self.answers is None or self.answers.hold(original.__globals__)

    def function(self, original: FunctionType, operators: Any) -> FunctionType:
        """Returns a function with this code and the globals, cells and defaults of another."""
        cells = dict(zip(original.__code__.co_freevars, original.__closure__ or (), strict=True))
        cells |= {self.ag: _cell_of(operators), FORMS: _cell_of(dispatch)}
        new = FunctionType(self.code, original.__globals__, original.__name__,
                           original.__defaults__, tuple(cells[n] for n in self.code.co_freevars))
        new.__kwdefaults__ = original.__kwdefaults__
        new.__annotations__ = original.__annotations__
        new.__qualname__ = original.__qualname__
        new.__module__ = original.__module__
        new.__doc__ = original.__doc__
        new.__dict__.update(original.__dict__)
        if type_params := getattr(original, "__type_params__", ()):
            new.__type_params__ = type_params  # type: ignore[attr-defined]  # Python 3.12
        return new


@cache
def _cell_of(operators: Any) -> CellType:
    """Returns the cell by which generated code reaches the operators.

    There is one: two functions made of the same one have the same closure.
    """
    return CellType(operators)


def load(tree: gast.FunctionDef | gast.Lambda, original: CodeType, ag: str, flags: int,
         plain: gast.FunctionDef | gast.Lambda | None = None,
         file: SourceFile | None = None) -> Loaded:
    """Compiles a rewritten tree, with the operators in a cell; inside the `plain` one, if given."""
    names = (*(n for n in original.co_freevars if n not in (ag, FORMS)), FORMS, ag)
    code = code_of(tree, original, names, flags, plain, file)
    if unknown := [n for n in code.co_freevars if n not in names]:
        raise InternalError(
            f"the converted code of {original.co_qualname!r} refers to {unknown[0]!r}, which the "
            "function does not know", _span(original), PLEASE_REPORT)
    return Loaded(code, ag, file)


def code_of(tree: gast.FunctionDef | gast.Lambda, original: CodeType, names: tuple[str, ...],
            flags: int, plain: gast.FunctionDef | gast.Lambda | None = None,
            file: SourceFile | None = None) -> CodeType:
    """Returns the code object of a rewritten tree whose free variables are `names`.

    The tree is compiled inside a factory whose parameters are the free variables, so that they
    become cells; then its code object is taken out, and gets its own qualified name. With a `plain`
    tree, the operators' name is the last of `names`. The imports of the `file` stand where nothing
    runs: Python compiles a call by the name of an import in another way, and what is left as it was
    written, such as generators, has to be the code that the file gives.
    """
    try:
        with deep_recursion():
            function: Any = to_ast(tree)
            if plain is not None:
                function = to_compile(to_ast(plain), function, names[-1])
            factory = _factory(function, names)
            unused = [ast.copy_location(ast.If(ast.copy_location(
                ast.Constant(False), function), list(file.imports), []), function)
            ] if file and file.imports else []
            module = ast.Module([*unused, factory], type_ignores=[])
            name = file.filename if file else original.co_filename
            code = compiled(module, name, flags)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise _does_not_compile(error, original) from error
    return _code_in_factory(code, original)


def _factory(function: Any, names: tuple[str, ...]) -> ast.FunctionDef:
    """Returns the function that makes the function whose free variables are `names`."""
    def placed(node: Any) -> Any:
        return ast.copy_location(node, function)

    body: list[ast.stmt]
    if isinstance(function, ast.Lambda):
        body = [placed(ast.Expr(function))]
    else:
        # A function that calls itself by its global name must not find the factory's local one.
        own = [] if function.name in names else [placed(ast.Global([function.name]))]
        body = [*own, _without_decorators(function)]
    _without_defaults(function.args)
    cells = [placed(ast.arg(name)) for name in names]
    arguments = ast.arguments([], cells, None, [], [], None, [])
    factory: ast.FunctionDef = placed(ast.FunctionDef(FACTORY, arguments, body, [], None, None))
    if hasattr(function, "type_params"):
        factory.type_params = []  # type: ignore[attr-defined,unused-ignore]  # 3.12 and later
    return factory


def _without_decorators(function: ast.FunctionDef) -> ast.FunctionDef:
    """Returns the function without what is evaluated when it is defined: that has happened already.

    One decorator stays, since its line is the one on which Python says the function begins.
    """
    if function.decorator_list:
        mark = ast.Constant(None)
        function.decorator_list = [ast.copy_location(mark, function.decorator_list[0])]
    function.returns = None
    if hasattr(function, "type_params"):
        function.type_params = []
    return function


def _without_defaults(a: ast.arguments) -> None:
    a.defaults, a.kw_defaults = [], [None] * len(a.kwonlyargs)
    for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg):
        if arg is not None:
            arg.annotation = None


def _code_in_factory(module: CodeType, original: CodeType) -> CodeType:
    """Returns the function's code object in the compiled factory, with its own qualified names."""
    (factory,) = (c for c in module.co_consts if isinstance(c, CodeType))
    (code,) = (c for c in factory.co_consts if isinstance(c, CodeType))
    known = frozenset(c.co_name for c in all_codes(original))
    return _renamed(code, code.co_qualname, original.co_qualname, code.co_name, known)


def blocks(code: CodeType) -> Iterator[CodeType]:
    """Yields the functions that conversion made of blocks in converted code: they have the name of
    the user's function around them, as its frames have.
    """
    for around in all_codes(code):
        yield from (c for c in around.co_consts if isinstance(c, CodeType)
                    and c.co_qualname == around.co_qualname)


COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
"""Names of scopes that are no functions in a qualified name."""


def _renamed(code: CodeType, old: str, new: str, name: str, known: frozenset[str]) -> CodeType:
    """Returns the code with `old` replaced at the start of its qualified name, and of those inside.

    What is declared `global` inside has a name of its own. The body of a class sets `__qualname__`
    from a constant. A function that is not among the user's, whose names are `known`, is a block:
    it is named as the function that it is a part of.
    """
    qualname = code.co_qualname
    if qualname == old or qualname.startswith(f"{old}."):
        qualname = new + qualname.removeprefix(old)

    is_class = not code.co_flags & inspect.CO_OPTIMIZED

    def inner(c: CodeType) -> CodeType:
        if c.co_name not in known:
            return _renamed(c, c.co_qualname, qualname, name, known)
        if c.co_qualname == c.co_name:  # declared `global`
            return _renamed(c, old, new, c.co_name, known)
        between = "." if is_class or code.co_name in COMPREHENSIONS else ".<locals>."
        return _renamed(c, c.co_qualname, f"{qualname}{between}{c.co_name}", c.co_name, known)

    constants = tuple(inner(c) if isinstance(c, CodeType)
                      else qualname if is_class and c == code.co_qualname else c
                      for c in code.co_consts)
    return code.replace(co_consts=constants, co_qualname=qualname, co_name=name)


def _does_not_compile(error: Exception, original: CodeType) -> Exception:
    if isinstance(error, RecursionError):
        return UnsupportedSyntaxError(
            f"{original.co_qualname!r} is nested too deeply for Python's compiler", _span(original),
            TOO_DEEP)
    return InternalError(
        f"the converted code of {original.co_qualname!r} does not compile: {error}",
        _span(original), PLEASE_REPORT)


def _span(code: CodeType) -> Span:
    return Span.of_code(code)
