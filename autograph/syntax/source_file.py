"""Parses a file: its functions, the names and imports of its top level, and its code objects."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType

from autograph.compiled_again import compiled, tree_of
from autograph.file_parts import FileParts
from autograph.locks import cached_property
from autograph.syntax.errors import SourceSyntaxError, Span, UnsupportedSyntaxError
from autograph.syntax.node_inventory import FIELDS, below, children
from autograph.syntax.recursion_limit import deep_recursion

Def = ast.FunctionDef | ast.Lambda

TOO_DEEP = "split the longest expression or the longest `elif` chain"


@dataclass(frozen=True)
class Definition:
    """A function in a file: its node, the class around it, the statement it is part of."""

    node: Def | ast.AsyncFunctionDef
    class_name: str | None
    statement: ast.stmt


class SourceFile:
    """A parsed file, and where its functions are."""

    def __init__(self, filename: str, lines: list[str]) -> None:
        self.filename, self.lines = filename, lines
        # A tool that puts the text of generated code into linecache may omit the line ends.
        text = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
        self.module = parse(text, filename)
        self._codes: dict[tuple[int, int, int], list[CodeType]] = {}

    def named(self, name: str, line: int) -> list[Definition]:
        """Returns the functions of this name that begin on this line, as `co_firstlineno` counts.

        That is the line of the first decorator, if there is one.
        """
        found = self._lambdas if name == "<lambda>" else self._definitions
        return found.get((name, line), [])

    @cached_property
    def parts(self) -> FileParts:
        """The parts of the file, by line."""
        return FileParts(self.module)

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
        """Returns the code objects of one top-level statement, compiled as the running one was."""
        key = (statement.lineno, statement.col_offset, flags)
        if key not in self._codes:
            module = ast.Module([*self.imports, statement], type_ignores=[])
            with deep_recursion():
                code = compiled(module, self.filename, flags)
            self._codes[key] = list(all_codes(code))
        return self._codes[key]


def parse(text: str, filename: str) -> ast.Module:
    """Returns the tree of a file, which nobody changes; raises errors of autograph."""
    with _python_errors(text, filename, "parse"):
        return tree_of(text, filename)


def require_compiling(file: SourceFile, flags: int) -> None:
    """Raises an error of autograph if a file parses and is no program: `break` outside a loop."""
    with _python_errors("".join(file.lines), file.filename, "compile"), deep_recursion():
        compiled(file.module, file.filename, flags)


@contextmanager
def _python_errors(text: str, filename: str, step: str) -> Iterator[None]:
    """Turns Python's own errors into those of autograph."""
    try:
        yield
    except SyntaxError as error:
        # A null byte has no line.
        line = error.lineno or text.count("\n", 0, max(0, text.find("\0"))) + 1
        span = Span(filename, line, max(0, (error.offset or 1) - 1))
        raise SourceSyntaxError(f"the file does not {step}: {error.msg}", span,
                                source_line=error.text) from None
    except (RecursionError, MemoryError):
        raise UnsupportedSyntaxError(
            "the file is nested too deeply for Python's parser, likely in this line",
            Span(filename, _longest_line(text)), TOO_DEEP) from None
    except ValueError as error:  # a lone surrogate
        raise SourceSyntaxError(f"the file does not {step}: {error}", Span(filename, 1)) from None


def _longest_line(text: str) -> int:
    lines = text.splitlines() or [""]
    return 1 + max(range(len(lines)), key=lambda number: len(lines[number]))


Inside = Callable[[ast.AST], Iterable[ast.AST]]
"""The nodes right below a node that are looked at."""

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def in_blocks(node: ast.AST) -> list[ast.AST]:
    """Returns the statements right below a statement, and the handlers and cases that hold some."""
    return [inner for field in BLOCKS for inner in getattr(node, field, ())]


def functions_in(statement: ast.stmt, inside: Inside
                 ) -> Iterator[tuple[Def | ast.AsyncFunctionDef, str | None]]:
    """Yields every function at or below a statement, outer ones first, with its class."""
    stack: list[tuple[ast.AST, str | None]] = [(statement, None)]
    while stack:
        current, owner = stack.pop()
        if isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield current, owner
        inner = current.name if isinstance(current, ast.ClassDef) else owner
        if FIELDS[current.__class__]:
            stack += [(child, inner) for child in reversed(list(inside(current)))]


def first_line(node: ast.stmt | ast.Lambda) -> int:
    """Returns the line where Python says a function begins: its first decorator's, if any."""
    decorators = getattr(node, "decorator_list", [])
    return decorators[0].lineno if decorators else node.lineno


NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _top_level(module: ast.Module) -> Iterator[ast.AST]:
    """Yields the nodes of a module that are in no function and in no class."""
    stack: list[ast.AST] = list(module.body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, NESTED):
            stack += children(node)


def _bound_in(module: ast.Module, declares: bool) -> Iterator[str]:
    """Yields the names bound at the top level (`*` for a star import).

    With `declares`, also the names that functions declare `global`.
    """
    for node in _top_level(module):
        if isinstance(node, NESTED):
            yield node.name
            yield from (name for inner in (below(node) if declares else ())
                        if isinstance(inner, ast.Global) for name in inner.names)
        else:
            yield from bindings_of(node)


def bindings_of(node: ast.AST) -> Iterator[str]:
    """Yields the names that a node binds by itself."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).split(".")[0]
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


def all_codes(code: CodeType) -> Iterator[CodeType]:
    """Yields a code object and all that are nested in it."""
    pending = [code]
    while pending:
        code = pending.pop()
        yield code
        pending += [c for c in reversed(code.co_consts) if isinstance(c, CodeType)]
