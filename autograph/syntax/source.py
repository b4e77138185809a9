"""Finds the source of a live function: its tree, with the positions of the user's file.

A code object knows its file, its name and its first line, which lead to its definition; of several
lambdas on a line, the columns of the code's positions decide. The file may have changed since the
import. So the statement around the definition is compiled anew, and a function whose code is not in
the result is refused: the compiler never converts another function than the one that runs.
"""

from __future__ import annotations

import ast
import linecache
import os
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from dis import opmap
from importlib.machinery import SourceFileLoader
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType, FunctionType
from typing import Any

from autograph.compiled_again import compiled
from autograph.libraries import is_no_file
from autograph.own_attributes import held
from autograph.syntax.errors import (
    AutographError,
    SourceUnavailableError,
    Span,
    UnsupportedSyntaxError,
)
from autograph.syntax.gast_conversion import UnknownKind, to_gast
from autograph.syntax.magic_cells import cells_of
from autograph.syntax.recursion_limit import deep_recursion
from autograph.syntax.source_file import TOO_DEEP, Definition, SourceFile, all_codes

Tree = Any
"""gast.FunctionDef | gast.Lambda (gast ships no types)."""

FUTURE = 0x1FE0000
"""The bits of `co_flags` that say which `from __future__` imports are in force."""

NOTHING = bytes([opmap["NOP"], 0])
"""The instruction that does nothing."""

NO_SOURCE = ("put the function into a file (`python -i FILE.py` is a prompt with what is in it), a "
             "notebook, IPython or the prompt of Python 3.13, which keep it; or leave it "
             "unconverted with @ag.do_not_convert")


@dataclass(frozen=True)
class Source:
    """The tree of a function, its file, the class around it, and the free names of its code."""

    tree: Tree
    filename: str
    class_name: str | None
    free_names: tuple[str, ...]
    file: SourceFile = field(repr=False)


def find(function: FunctionType) -> Source:
    """Returns the source of a function; refuses a source that is not what runs."""
    code = function.__code__
    file = read_file(function)
    definition = _definition_of(code, file)
    _verify(function, file, definition)
    return Source(tree_of(definition.node, file), file.filename, definition.class_name,
                  code.co_freevars, file)


def span_of(function: FunctionType) -> Span:
    """Returns the span of the line where a function begins."""
    return Span.of_code(function.__code__)


# -- its file --------------------------------------------------------------------------------------

MAX_FILES = 64
_files: OrderedDict[str, SourceFile] = OrderedDict()


def read_file(function: FunctionType) -> SourceFile:
    """Returns the parsed file of a function; parses it once as long as its text stays the same."""
    for cell in cells_of(function.__code__):  # Python may keep other text under their file names
        if _holds_function(cell, function):
            lines, name = cell.lines, cell.filename
            linecache.cache[name] = sum(map(len, lines)), None, lines, name  # for who shows a line
            return cell
    filename = function.__code__.co_filename
    text = _where_text_is(function)
    linecache.checkcache(text)
    lines = linecache.getlines(text, function.__globals__)
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


def _where_text_is(function: FunctionType) -> str:
    """Returns the file that has the text of a function: that of a frozen module, its own."""
    named = function.__globals__.get("__file__")
    frozen = held(function.__globals__.get("__spec__"), "origin") == "frozen"
    return named if frozen and isinstance(named, str) else function.__code__.co_filename


def _holds_function(file: SourceFile, function: FunctionType) -> bool:
    try:
        _verify(function, file, _definition_of(function.__code__, file))
    except AutographError:
        return False
    return True


def _why_no_source(filename: str) -> str:
    if filename.startswith("<frozen"):
        return "its module is frozen into the interpreter"
    if is_no_file(filename):
        return f"its code was made from a string ({filename}) that Python does not keep"
    if os.path.exists(filename):
        return f"{filename} is empty or cannot be read as text"
    return f"{filename} does not exist"


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
    """Returns the innermost lambda whose body holds all the positions of the code.

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
    """Yields the code objects of a lambda compiled by itself.

    It is compiled in a class with the name of its class, which mangles private names.
    """
    module = ast.parse(f"class {definition.class_name or '_'}: 0", code.co_filename)
    [holder] = module.body
    assert isinstance(holder, ast.ClassDef) and isinstance(definition.node, ast.Lambda)
    holder.body = [ast.copy_location(ast.Expr(definition.node), definition.node)]
    flags = code.co_flags & FUTURE
    with deep_recursion():
        yield from all_codes(
            compiled(module, code.co_filename, flags))


def _start(definition: Definition) -> tuple[int, int]:
    body: Any = definition.node.body
    return body.lineno, body.col_offset


def _end(definition: Definition) -> tuple[int, int]:
    body: Any = definition.node.body
    return body.end_lineno, body.end_col_offset


def _changed(code: CodeType) -> SourceUnavailableError:
    if is_no_file(code.co_filename):
        return SourceUnavailableError(
            f"there is no source for {code.co_qualname!r}: {_why_no_source(code.co_filename)}",
            Span.of_code(code), NO_SOURCE, source_line="")
    return SourceUnavailableError(
        f"the source of {code.co_qualname!r} is not what is running: the file was changed after it "
        "was imported", Span.of_code(code),
        "import the module again, or start the program anew")


# -- is it what was compiled? ----------------------------------------------------------------------

def _verify(function: FunctionType, file: SourceFile, definition: Definition) -> None:
    """Refuses a function whose code is not what its source compiles to.

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
    """Returns True if two code objects differ at most in constants unequal to themselves: `nan`,
    and in instructions at the end that do nothing: line profilers tell functions apart by them."""
    pairs = list(zip(running.co_consts, compiled.co_consts, strict=False))
    same = _instructions(running) == _instructions(compiled)
    return same and running.co_names == compiled.co_names and (
        len(running.co_consts) == len(compiled.co_consts)) and all(
        _equal_as_text(a, b) if isinstance(a, CodeType) and isinstance(b, CodeType)
        else repr(a) == repr(b) for a, b in pairs)


def _instructions(code: CodeType) -> bytes:
    found = code.co_code
    while found.endswith(NOTHING):
        found = found[:-len(NOTHING)]
    return found


def _holds(running: CodeType, compiled: CodeType) -> bool:
    """Returns True if running code has the parameters, names and constants of the compiled one."""
    count = compiled.co_argcount + compiled.co_kwonlyargcount
    return (running.co_varnames[:count] == compiled.co_varnames[:count]
            and set(compiled.co_names) <= set(running.co_names)
            and set(compiled.co_varnames) <= {*running.co_varnames, *running.co_cellvars}
            and _plain_constants(compiled) <= _plain_constants(running))


def _plain_constants(code: CodeType) -> set[str]:
    return {repr(c) for c in code.co_consts if not isinstance(c, CodeType)}


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
