"""Converts functions in the text of a file, which is not imported; the rest stays as it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gast

from autograph.conversion.call_resolution import Resolve, imports_of, resolver, static_lookup
from autograph.conversion.conversion_rules import NO_GENERATOR
from autograph.conversion.driver import name_for_operators, run_passes, without_callees
from autograph.printer.comments import Comments, comments_of
from autograph.printer.original_literals import OriginalLiterals
from autograph.syntax.context import CallRule, Context
from autograph.syntax.decorator_detection import Decorators
from autograph.syntax.errors import ConversionError, Span, UnsupportedFunctionError
from autograph.syntax.node_inventory import inventory_of
from autograph.syntax.source import tree_of
from autograph.syntax.source_file import (
    SourceFile,
    bindings_of,
    first_line,
    require_compiling,
)

Follow = Callable[[Sequence["Function"]], Iterable["Function"]]
"""Gives functions one after the other."""

Notes = Callable[[Any, Sequence[str], str], Comments]
"""Makes the comments to print beside the statements of a function, from its tree, the file's lines
and the file's name."""


@dataclass(frozen=True)
class Function:
    """A function of a file, with the name by which it is selected (`name`, `Class.method`)."""

    qualname: str
    node: Any  # ast.FunctionDef | ast.AsyncFunctionDef
    class_name: str | None

    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line, decorators included."""
        return first_line(self.node), self.node.end_lineno

    @property
    def is_suspended(self) -> bool:
        """True for a generator or a coroutine: these are not converted."""
        return isinstance(self.node, ast.AsyncFunctionDef) or any(
            isinstance(n, (ast.Yield, ast.YieldFrom)) for n in _own_nodes(self.node))


@dataclass(frozen=True)
class Outcome:
    """The result for a selected function: its new text and tree, or the error that stopped it."""

    function: Function
    text: str = ""
    tree: Any = field(default=None, repr=False)
    ag: str = "ag"
    error: ConversionError | None = None


@dataclass(frozen=True)
class Converted:
    """The text of a file with the selected functions converted."""

    text: str
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True)
class Options:
    """How to convert.

    stop_after  the last pass to run.
    observe     called with the function, the name of each pass, and the tree after it.
    notes       makes the comments to print beside the code.
    without     the passes to leave out.
    follow      gives the functions in turn; it may show which one is converted.
    """

    stop_after: str | None = None
    observe: Callable[[Function, str, Any], None] | None = None
    notes: Notes = lambda tree, lines, filename: comments_of(tree, lines)
    without: frozenset[str] = frozenset()
    follow: Follow = iter


class Module:
    """A file that is read and not run. Raises SourceSyntaxError if Python does not compile it.

    With `is_cell`, it is what IPython runs, where `await` may stand outside of functions.
    """

    def __init__(self, text: str, filename: str, is_cell: bool = False) -> None:
        # As Python counts lines; str.splitlines knows more line ends than Python does.
        self.lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z", text)
        self.file = SourceFile(filename, self.lines)
        require_compiling(self.file, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if is_cell else 0)
        self.functions = tuple(_functions(self.file.module.body, "", None))
        self._imports = imports_of(self.file.module)
        self._lookup = static_lookup(self.file, self._imports)
        self._decorators = Decorators(self._imports)
        self._aliases = [name for name, path in self._imports.items() if path == "autograph"]
        self._given = list(self._decorators.given(self.file.module))

    # -- which functions ---------------------------------------------------------------------------

    def marked(self) -> list[Function]:
        """Returns the functions to convert by default.

        They are those decorated with `@ag.function` or `@ag.convert`, those given to
        `ag.function` in a call, `fast = ag.function(slow)`, and those they call in the file.
        """
        plain = {f.qualname: f for f in self.functions
                 if not f.node.decorator_list and self._has_unique_name(f)}
        given = {name for name, _ in self._given}
        chosen = [f for f in self.functions
                  if self._decorators.of(f.node) or (f.qualname in given and f.qualname in plain)]
        for function in chosen:  # grows while it is walked
            called = (plain[name] for name in _called_in(function.node) if name in plain)
            chosen += [f for f in dict.fromkeys(called) if f not in chosen]
        return chosen

    def every(self) -> list[Function]:
        """Returns every function that can be converted."""
        return [f for f in self.functions if not f.is_suspended]

    def named(self, qualname: str) -> list[Function]:
        """Returns the functions of that name, or the methods of the class of that name."""
        return [f for f in self.functions if f.qualname == qualname] or [
            f for f in self.every() if f.qualname.startswith(f"{qualname}.")]

    def classes(self) -> dict[str, str]:
        """Returns the classes by name, outer ones first, each with its lines before its body."""
        found: dict[str, str] = {}

        def enter(statements: Sequence[ast.stmt], around: str) -> None:
            for node in statements:
                if isinstance(node, ast.ClassDef):
                    name = f"{around}{node.name}"
                    lines = self.lines[first_line(node) - 1:first_line(node.body[0]) - 1]
                    found[name] = "".join(lines)
                    enter(node.body, f"{name}.")

        enter(self.file.module.body, "")
        return found

    def _has_unique_name(self, f: Function) -> bool:
        """Returns True if the name of a function means that very function anywhere in the file."""
        return (not f.is_suspended and self.file.bindings[f.qualname] == 1
                and any(f.node is statement for statement in self.file.module.body))

    # -- what becomes of them ----------------------------------------------------------------------

    def convert(self, selected: Iterable[Function], options: Options | None = None) -> Converted:
        """Returns the file with the selected functions converted; one that fails stays as it is."""
        options = options or Options()
        chosen = _outermost(selected)
        here = self._names_converted_here(chosen)
        outcomes = [self._outcome(f, here, options) for f in options.follow(chosen)]
        if any(o.error for o in outcomes):
            # A call of a function that stays as it is has to be converted when it is made.
            here = self._names_converted_here([o.function for o in outcomes if not o.error])
            outcomes = [o if o.error else self._outcome(o.function, here, options)
                        for o in outcomes]
        return Converted(self._text_with(outcomes), tuple(outcomes))

    def _names_converted_here(self, converted: Iterable[Function]) -> frozenset[str]:
        """Returns the names of functions that are converted in the file: calls of them stay."""
        return frozenset(
            f.qualname for f in converted if self._has_unique_name(f)
            and (not f.node.decorator_list or self._decorators.is_only_decorator(f.node)))

    def _outcome(self, f: Function, in_place: frozenset[str], options: Options) -> Outcome:
        try:
            return self._converted(f, in_place, options)
        except ConversionError as error:
            if error.span is not None and 0 < error.span.lineno <= len(self.lines):
                error.source_line = self.lines[error.span.lineno - 1]
            return Outcome(f, error=error)

    def _converted(self, f: Function, in_place: frozenset[str], options: Options) -> Outcome:
        filename = self.file.filename
        if f.is_suspended:
            raise _refusal(f, filename)
        from autograph.printer.statements import to_text  # slow to import

        tree = tree_of(f.node, self.file)
        ag = name_for_operators(inventory_of(tree).names,
                                lambda name: self._is_autograph(name, f.node), self._aliases)
        resolve = _with_calls_kept(in_place, resolver(self._lookup))
        if not self._decorators.is_recursive(f.node):
            resolve = without_callees(resolve)
        context = Context(filename, ag, resolve, f.class_name, (), tuple(self.lines))
        notes = options.notes(tree, self.lines, filename)
        watch = options.observe
        observe = None if watch is None else partial(watch, f)
        new = run_passes(self._decorators.without(tree), context, options.stop_after, observe,
                         options.without)
        text = to_text(new, notes, self._margin(f), OriginalLiterals(f.node, self.lines))
        return Outcome(f, text, new, ag)

    def _is_autograph(self, name: str, function: ast.AST) -> bool:
        """Returns True if a name in a function is the module's import of autograph."""
        return self._imports.get(name) == "autograph" and name not in _bound_in(function)

    def _margin(self, f: Function) -> str:
        line: str = self.lines[f.node.lineno - 1]
        return line[: len(line) - len(line.lstrip())]

    # -- the text ----------------------------------------------------------------------------------

    def _text_with(self, outcomes: Sequence[Outcome]) -> str:
        newline = "\r\n" if self.lines and self.lines[0].endswith("\r\n") else "\n"
        lines = list(self.lines)
        done = [o for o in outcomes if not o.error]
        self._mark_as_converted(lines, {o.function.qualname for o in done})
        for outcome in reversed(done):
            first, last = outcome.function.lines
            lines[first - 1: last] = [outcome.text.replace("\n", newline)]
        at = self._lines_before_imports()
        new = [f"import autograph as {name}{newline}"
               for name in sorted({o.ag for o in done} - set(self._aliases))]
        if new and at < len(lines) and lines[at].startswith(BEFORE_BLANK_LINES):
            new += [newline, newline]
        return "".join([*lines[:at], *new, *lines[at:]])

    def _mark_as_converted(self, lines: list[str], converted: set[str]) -> None:
        """Adds `autograph=False` to `fast = ag.function(slow)`: `slow` is converted already."""
        names = [call.args[0] for name, call in self._given if name in converted]
        for name in sorted(names, key=lambda n: (n.lineno, n.col_offset), reverse=True):
            line = lines[name.lineno - 1].encode()
            before, after = line[: name.end_col_offset], line[name.end_col_offset:]
            lines[name.lineno - 1] = (before + b", autograph=False" + after).decode()

    def _lines_before_imports(self) -> int:
        """Returns the number of lines before a new import: docstring and `__future__` imports."""
        body = self.file.module.body
        count = 0 if ast.get_docstring(self.file.module, clean=False) is None else 1
        while count < len(body) and getattr(body[count], "module", None) == "__future__":
            count += 1
        if count:
            return body[count - 1].end_lineno or 0
        at = first_line(body[0]) - 1 if body else 0
        if not (body and isinstance(body[0], (ast.Import, ast.ImportFrom))):
            while at and self.lines[at - 1].startswith("#") and not OF_THE_FILE.match(
                    self.lines[at - 1]):
                at -= 1  # it is about what follows
        return at


OF_THE_FILE = re.compile(r"#!|#.*?coding[:=]")
"""The beginnings of comments that stay in the first lines of a file."""

BEFORE_BLANK_LINES = ("def ", "async def ", "class ", "@", "#")
"""The beginnings of lines before which a new import is followed by two blank lines."""


def _functions(body: Iterable[ast.AST], prefix: str, class_name: str | None) -> Iterator[Function]:
    """Yields the functions in a body, outer ones first, also those in classes."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{prefix}{node.name}.", node.name)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield Function(prefix + node.name, node, class_name)
            yield from _functions(node.body, f"{prefix}{node.name}.", class_name)
        elif isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield from _functions(ast.iter_child_nodes(node), prefix, class_name)


def _outermost(selected: Iterable[Function]) -> list[Function]:
    """Returns the functions in the order of the file, without those inside other functions."""
    found: list[Function] = []
    for f in sorted(selected, key=lambda f: (f.lines[0], -f.lines[1])):
        if not found or f.lines[0] > found[-1].lines[1]:
            found.append(f)
    return found


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes of a function that are not in a function or class inside it."""
    stack = list(ast.iter_child_nodes(function))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack += ast.iter_child_nodes(node)


def _bound_in(function: ast.AST) -> set[str]:
    """Returns every name that a function, or something inside it, binds."""
    found: set[str] = set()
    for node in ast.walk(function):
        found.update(bindings_of(node))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
    return found


def _called_in(function: ast.AST) -> list[str]:
    """Returns the names of the module that a function calls, in order."""
    bound = _bound_in(function) - {getattr(function, "name", "")}
    calls = (n.func for n in ast.walk(function) if isinstance(n, ast.Call))
    return [c.id for c in calls if isinstance(c, ast.Name) and c.id not in bound]


def _with_calls_kept(in_place: frozenset[str], resolve: Resolve) -> Resolve:
    """Returns `resolve`, but with calls of functions that are converted in the file kept."""

    def resolve_here(callee: gast.expr, local_names: frozenset[str]) -> CallRule:
        if isinstance(callee, gast.Name) and callee.id in in_place - local_names:
            return CallRule("keep")
        return resolve(callee, local_names)

    return resolve_here


def _refusal(f: Function, filename: str) -> UnsupportedFunctionError:
    return UnsupportedFunctionError(
        f"{f.qualname} cannot be converted: it is a generator or a coroutine, whose body stops and "
        "goes on later; a converted function cannot do that",
        Span.of(f.node, filename),
        NO_GENERATOR)
