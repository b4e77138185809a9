"""Finds the source of a live function: its tree, with the positions of the user's file."""

from __future__ import annotations

import ast
import linecache
import os
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib.machinery import SourceFileLoader
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType, FunctionType
from typing import Any

from autograph.syntax.errors import (
    SourceSyntaxError,
    SourceUnavailableError,
    Span,
    UnsupportedSyntaxError,
)
from autograph.syntax.gast_conversion import UnknownKind, to_gast
from autograph.syntax.libraries import is_no_file
from autograph.syntax.node_inventory import FIELDS, below, children
from autograph.syntax.recursion_limit import deep_recursion

Def = ast.FunctionDef | ast.Lambda
Tree = Any
"""gast.FunctionDef | gast.Lambda (gast ships no types)."""

FUTURE = 0x1FE0000
"""The bits of `co_flags` that say which `from __future__` imports are in force."""


NO_SOURCE = "put the function into a file; or leave it unconverted with @ag.do_not_convert"
TOO_DEEP = "split the longest expression or the longest `elif` chain"


@dataclass(frozen=True)
class Definition:
    """A function in a file: its node, the class around it, the statement it is part of."""

    node: Def | ast.AsyncFunctionDef
    class_name: str | None
    statement: ast.stmt


@dataclass(frozen=True)
class Source:
    """The tree of a function, and what else its file says about it."""

    tree: Tree
    filename: str
    class_name: str | None
    free_names: tuple[str, ...]
    file: SourceFile = field(repr=False)


class SourceFile:
    """A parsed file, and where its functions are."""

    def __init__(self, filename: str, lines: list[str]) -> None:
        self.filename, self.lines = filename, lines
        # Who keeps the text of generated code in linecache may have split it without its ends.
        text = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
        self.module = parse(text, filename)
        self._codes: dict[tuple[int, int, int], list[CodeType]] = {}

    def named(self, name: str, line: int) -> list[Definition]:
        """The functions of this name whose first line it is (their first decorator's, as in
        `co_firstlineno`)."""
        found = self._lambdas if name == "<lambda>" else self._definitions
        return found.get((name, line), [])

    @cached_property
    def _definitions(self) -> dict[tuple[str, int], list[Definition]]:
        return self._by_name_and_line(in_blocks)

    @cached_property
    def _lambdas(self) -> dict[tuple[str, int], list[Definition]]:
        return self._by_name_and_line(children)

    def _by_name_and_line(self, inside: Inside) -> dict[tuple[str, int], list[Definition]]:
        found: dict[tuple[str, int], list[Definition]] = {}
        for statement in self.module.body:
            for node, class_name in functions_in(statement, inside):
                key = (getattr(node, "name", "<lambda>"), first_line(node))
                found.setdefault(key, []).append(Definition(node, class_name, statement))
        return found

    @cached_property
    def bindings(self) -> Counter[str]:
        """How often the module binds each name: at its top level, or in functions by `global`."""
        declares = any("global" in line for line in self.lines)
        return Counter(_bound_in(self.module, declares))

    @cached_property
    def imports(self) -> list[ast.stmt]:
        """The imports at the top level, those in an `if` or a `try` included.

        Python compiles `np.zeros(3)` in another way than `x.zeros(3)` if a module imports `np`.
        """
        return [n for n in _top_level(self.module) if isinstance(n, (ast.Import, ast.ImportFrom))
                and getattr(n, "module", None) != "__future__"]

    def codes(self, statement: ast.stmt, flags: int) -> list[CodeType]:
        """The code objects of one top-level statement, compiled as the running one was."""
        key = (statement.lineno, statement.col_offset, flags)
        if key not in self._codes:
            module = ast.Module([*self.imports, statement], type_ignores=[])
            with deep_recursion():
                code = compile(module, self.filename, "exec", flags, dont_inherit=True)
            self._codes[key] = list(all_codes(code))
        return self._codes[key]


def find(function: FunctionType) -> Source:
    """The source of a function; refuses a source that is not what runs."""
    code = function.__code__
    file = read_file(function)
    definition = _definition_of(code, file)
    _verify(function, file, definition)
    return Source(tree_of(definition.node, file), code.co_filename, definition.class_name,
                  code.co_freevars, file)


def span_of(function: FunctionType) -> Span:
    """Where a function begins."""
    return Span.of_code(function.__code__)


# -- the file --------------------------------------------------------------------------------------

MAX_FILES = 64
_files: OrderedDict[str, SourceFile] = OrderedDict()


def read_file(function: FunctionType) -> SourceFile:
    """The parsed file of a function; parsed once as long as its text stays the same."""
    filename = function.__code__.co_filename
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, function.__globals__)
    if not lines:
        raise SourceUnavailableError(
            f"there is no source for {function.__qualname__!r}: {_why_no_source(filename)}",
            span_of(function), NO_SOURCE)
    known = _files.get(filename)
    if known is None or (known.lines is not lines and known.lines != lines):
        known = SourceFile(filename, lines)
    _files[filename] = known
    _files.move_to_end(filename)
    while len(_files) > MAX_FILES:
        _files.popitem(last=False)
    return known


def _why_no_source(filename: str) -> str:
    if filename.startswith("<frozen"):
        return "its module is frozen into the interpreter"
    if is_no_file(filename):
        return f"its code was made from a string ({filename}) that Python does not keep"
    if os.path.exists(filename):
        return f"{filename} is empty or cannot be read as text"
    return f"{filename} does not exist"


def parse(text: str, filename: str) -> ast.Module:
    """`ast.parse` with our errors."""
    try:
        return ast.parse(text, filename)
    except SyntaxError as error:
        span = Span(filename, error.lineno or 1, max(0, (error.offset or 1) - 1))
        raise SourceSyntaxError(f"the file does not parse: {error.msg}", span,
                                source_line=error.text) from None
    except (RecursionError, MemoryError):
        raise UnsupportedSyntaxError(
            "the file is nested too deeply for Python's parser", Span(filename, 1),
            TOO_DEEP) from None
    except ValueError as error:  # a null byte
        raise SourceSyntaxError(f"the file does not parse: {error}", Span(filename, 1)) from None


Inside = Callable[[ast.AST], Iterable[ast.AST]]
"""The nodes right below a node that are looked at."""

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def in_blocks(node: ast.AST) -> list[ast.AST]:
    """The statements right below a statement, and what holds some: definitions are among them."""
    return [inner for field in BLOCKS for inner in getattr(node, field, ())]


def functions_in(statement: ast.stmt, inside: Inside
                 ) -> Iterator[tuple[Def | ast.AsyncFunctionDef, str | None]]:
    """Every function at or below a statement, outer ones first, with the class around each."""
    stack: list[tuple[ast.AST, str | None]] = [(statement, None)]
    while stack:
        current, owner = stack.pop()
        if isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield current, owner
        inner = current.name if isinstance(current, ast.ClassDef) else owner
        if FIELDS[current.__class__]:
            stack += [(child, inner) for child in reversed(list(inside(current)))]


def first_line(node: ast.stmt | ast.Lambda) -> int:
    """The line where Python says a function begins: its first decorator's, if it has one."""
    decorators = getattr(node, "decorator_list", [])
    return decorators[0].lineno if decorators else node.lineno


NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _top_level(module: ast.Module) -> Iterator[ast.AST]:
    """The nodes of a module that are in no function and in no class."""
    stack: list[ast.AST] = list(module.body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, NESTED):
            stack += children(node)


def _bound_in(module: ast.Module, declares: bool) -> Iterator[str]:
    """Names bound at the top level (`*` for a star import), and all names declared `global`, if
    there may be any."""
    for node in _top_level(module):
        if isinstance(node, NESTED):
            yield node.name
            yield from (name for inner in (below(node) if declares else ())
                        if isinstance(inner, ast.Global) for name in inner.names)
        else:
            yield from bindings_of(node)


def bindings_of(node: ast.AST) -> Iterator[str]:
    """The names that a node binds by itself."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).split(".")[0]
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


# -- the function in it ----------------------------------------------------------------------------

def _definition_of(code: CodeType, file: SourceFile) -> Definition:
    candidates = file.named(code.co_name, code.co_firstlineno)
    if code.co_name == "<lambda>":
        candidates = _lambdas_around(code, candidates)
    if len(candidates) != 1:
        raise _changed(code) if not candidates else SourceUnavailableError(
            "several lambdas on this line look alike, and the interpreter keeps no columns "
            "(it runs with -X no_debug_ranges)", Span.of_code(code),
            "write each lambda on a line of its own")
    return candidates[0]


def _lambdas_around(code: CodeType, candidates: list[Definition]) -> list[Definition]:
    """The innermost lambda whose body holds all the positions of the code.

    Without columns (`-X no_debug_ranges`), all candidates. Python 3.12 gives the return of a
    constant no position: that lambda is found by its code.
    """
    positions = [p for p in code.co_positions() if None not in p]
    if not positions:
        return candidates
    spans = [p for p in positions if p[2:] != (0, 0)]
    if spans:
        start = min((p[0], p[2]) for p in spans)
        end = max((p[1], p[3]) for p in spans)
        found = [p for p in candidates if _start(p) <= start and end <= _end(p)]
    else:
        found = [p for p in candidates if any(
            _parameters(c) == _parameters(code) and _equal_as_text(c, code)
            for c in _codes_alone(p, code))]
    return [max(found, key=lambda p: (p.node.lineno, p.node.col_offset))] if found else []


def _parameters(code: CodeType) -> tuple[object, ...]:
    return (code.co_varnames, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount,
            code.co_flags & (CO_VARARGS | CO_VARKEYWORDS))


def _codes_alone(definition: Definition, code: CodeType) -> Iterator[CodeType]:
    """The code objects of a lambda compiled by itself, in a class of its class's name: the names
    of its parameters are mangled by that."""
    module = ast.parse(f"class {definition.class_name or '_'}: 0", code.co_filename)
    [holder] = module.body
    assert isinstance(holder, ast.ClassDef) and isinstance(definition.node, ast.Lambda)
    holder.body = [ast.copy_location(ast.Expr(definition.node), definition.node)]
    flags = code.co_flags & FUTURE
    with deep_recursion():
        yield from all_codes(
            compile(module, code.co_filename, "exec", flags, dont_inherit=True))


def _start(definition: Definition) -> tuple[int, int]:
    body: Any = definition.node.body
    return body.lineno, body.col_offset


def _end(definition: Definition) -> tuple[int, int]:
    body: Any = definition.node.body
    return body.end_lineno, body.end_col_offset


def _changed(code: CodeType) -> SourceUnavailableError:
    if is_no_file(code.co_filename):
        return SourceUnavailableError(
            f"there is no source for {code.co_qualname!r}: its code was made from a string, and "
            f"the text that Python keeps for {code.co_filename} is that of other code",
            Span.of_code(code), NO_SOURCE, source_line="")
    return SourceUnavailableError(
        f"the source of {code.co_qualname!r} is not what is running: the file was changed after it "
        "was imported", Span.of_code(code),
        "import the module again, or start the program anew")


# -- is it what was compiled? ----------------------------------------------------------------------

def _verify(function: FunctionType, file: SourceFile, definition: Definition) -> None:
    """Refuse a function whose code is not what its source compiles to.

    A loader of its own (pytest's, for one) may have rewritten the tree before compiling it; then it
    is enough that the running code holds everything the source says.
    """
    code = function.__code__
    try:
        codes = file.codes(definition.statement, code.co_flags & FUTURE)
    except RecursionError:
        raise UnsupportedSyntaxError(
            f"{code.co_qualname!r} is nested too deeply", span_of(function), TOO_DEEP) from None
    except (SyntaxError, ValueError):
        raise _changed(code) from None
    if any(c == code for c in codes):
        return
    same_line = [c for c in codes if (c.co_name, c.co_firstlineno) == (
        code.co_name, code.co_firstlineno)]
    if any(_equal_as_text(code, c) for c in same_line):
        return
    hooked = not isinstance(function.__globals__.get("__loader__"), (SourceFileLoader, type(None)))
    if not (hooked and any(_holds(code, c) for c in same_line)):
        raise _changed(code)


def _equal_as_text(running: CodeType, compiled: CodeType) -> bool:
    """Returns True if two code objects differ at most in constants unequal to themselves: `nan`."""
    pairs = list(zip(running.co_consts, compiled.co_consts, strict=False))
    return running.co_code == compiled.co_code and running.co_names == compiled.co_names and (
        len(running.co_consts) == len(compiled.co_consts)) and all(
        _equal_as_text(a, b) if isinstance(a, CodeType) and isinstance(b, CodeType)
        else repr(a) == repr(b) for a, b in pairs)


def _holds(running: CodeType, compiled: CodeType) -> bool:
    """Returns True if running code has the parameters, names and constants of the compiled one."""
    count = compiled.co_argcount + compiled.co_kwonlyargcount
    return (running.co_varnames[:count] == compiled.co_varnames[:count]
            and set(compiled.co_names) <= set(running.co_names)
            and set(compiled.co_varnames) <= {*running.co_varnames, *running.co_cellvars}
            and _plain_constants(compiled) <= _plain_constants(running))


def _plain_constants(code: CodeType) -> set[str]:
    return {repr(c) for c in code.co_consts if not isinstance(c, CodeType)}


def all_codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and all that are nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from all_codes(constant)


# -- from ast to gast ------------------------------------------------------------------------------

def tree_of(node: ast.AST, file: SourceFile) -> Any:
    """Returns the gast tree of a node; refuses syntax that gast does not know."""
    try:
        with deep_recursion():
            return to_gast(node)
    except UnknownKind as unknown:
        raise UnsupportedSyntaxError(
            f"this version of autograph does not support this syntax ({unknown})",
            Span.of(unknown.node, file.filename),
            "write the statement without it, or mark the function with ag.do_not_convert") from None
    except RecursionError:
        raise UnsupportedSyntaxError("the function is nested too deeply to be converted",
                                     Span.of(node, file.filename), TOO_DEEP) from None
