"""Converts texts, in several processes if asked to, into plain data that says what became of
each."""

from __future__ import annotations

import ast
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_all_start_methods, get_context
from typing import Any

from autograph.conversion.module import Converted, Follow, Function, Module, Options
from autograph.printer.original_literals import OriginalLiterals
from autograph.printer.statements import to_text
from autograph.syntax.errors import ConversionError
from autograph.syntax.source_file import first_line
from autograph.tools import annotate
from autograph.tools.formatters import formatted
from autograph.tools.line_map import Rows, line_maps
from autograph.tools.targets import Target, UsageError

START = next(m for m in ("forkserver", "spawn") if m in get_all_start_methods())
"""How processes begin: not as forks of this one, which may have threads."""


@dataclass(frozen=True)
class Settings:
    """The options of the command that decide how a text is converted.

    show  names of the passes after which each function is printed.
    maps  True if the rows from generated to source lines are wanted.
    """

    every: bool = False
    stop_after: str | None = None
    show: tuple[str, ...] = ()
    annotate: str = "none"
    without: frozenset[str] = frozenset()
    formatter: str = "none"
    maps: bool = False


@dataclass(frozen=True)
class Part:
    """The outcome for a function: its new text and line map, or the error that stopped it."""

    qualname: str
    lines: tuple[int, int]
    text: str = ""
    map: Rows = ()
    error: ConversionError | None = None


@dataclass(frozen=True)
class Result:
    """The outcome for a target: its new text and parts, or the error for which it does not
    parse; and its classes, each with the lines before its body."""

    target: Target
    text: str | None = None
    parts: tuple[Part, ...] = ()
    error: ConversionError | None = None
    shown: str = ""
    warnings: tuple[str, ...] = ()
    classes: Mapping[str, str] = field(default_factory=dict)

    @property
    def errors(self) -> list[ConversionError]:
        """All errors of the file, in order."""
        own = [self.error] if self.error else []
        return own + [part.error for part in self.parts if part.error]

    @property
    def converted(self) -> list[Part]:
        """The functions that are converted."""
        return [part for part in self.parts if part.error is None]

    @property
    def printed(self) -> str:
        """The text to print: the file, or only the functions and classes that were asked for by
        name, methods below the first lines of their class."""
        asked = self.target.functions
        if self.text is None or not asked:
            return self.target.text if self.text is None else self.text
        texts: dict[str, str] = {}
        above: list[str] = []
        for part in self.converted:
            around = [name for name in self.classes if part.qualname.startswith(f"{name}.")]
            if owner := next((name for name in around if name in asked), ""):
                texts.setdefault(owner, f"\n\n{_class_in(self.text, owner)}")
            else:
                new = [self.classes[name] for name in around if name not in above]
                space = "\n" if around and around == above else "\n\n"
                texts[part.qualname] = "".join([space, *new, part.text])
            above = around
        return "".join(texts.values()).removeprefix("\n\n")


def _class_in(text: str, qualname: str) -> str:
    """Returns the lines of a class."""
    node: Any = ast.parse(text)
    for name in qualname.split("."):
        node = next(n for n in node.body if isinstance(n, ast.ClassDef) and n.name == name)
    return "".join(text.splitlines(keepends=True)[first_line(node) - 1:node.end_lineno])


def convert_all(targets: Sequence[Target], settings: Settings, jobs: int = 1,
                follow: Follow = iter) -> Iterator[Result]:
    """The results in order; `jobs` processes work at once (0: as many as there are processors).

    `follow` gives the functions of a text one after the other, if one process does it all.
    """
    jobs = min(jobs or os.cpu_count() or 1, len(targets))
    if jobs < 2:
        yield from (convert(target, settings, follow) for target in targets)
        return
    with ProcessPoolExecutor(jobs, get_context(START), signal.signal,
                             (signal.SIGINT, signal.SIG_IGN)) as pool:
        yield from pool.map(partial(convert, settings=settings), targets,
                            chunksize=max(1, len(targets) // (8 * jobs)))


def convert(target: Target, settings: Settings, follow: Follow = iter) -> Result:
    """Converts one text.

    Raises:
      UsageError: it has no function of a name that is asked for.
    """
    if target.error is not None:
        return Result(target, error=target.error)
    try:
        module = Module(target.text, target.name, target.cell > 0)
    except ConversionError as error:
        return Result(target, error=error)
    selected, warnings = select(module, target, settings.every)
    shown: list[str] = []
    options = Options(settings.stop_after, _shower(settings.show, module.lines, shown),
                      annotate.notes(settings.annotate), settings.without, follow)
    converted = module.convert(selected, options)
    return Result(target, formatted(converted.text, settings.formatter),
                  _parts(converted, target, settings), None, "".join(shown), tuple(warnings),
                  module.classes())


def _parts(converted: Converted, target: Target, settings: Settings) -> tuple[Part, ...]:
    maps = line_maps(converted, target.name) if settings.maps else {}
    return tuple(
        Part(o.function.qualname, o.function.lines,
             "" if o.error else formatted(o.text, settings.formatter),
             maps.get(o.function.qualname, ()), o.error) for o in converted.outcomes)


def select(module: Module, target: Target, every: bool) -> tuple[list[Function], list[str]]:
    """The functions of a file that the user asks for, and warnings."""
    if target.functions:
        return _named(module, target), []
    if target.cell and not every:
        return module.marked(), []
    if every:
        return module.every(), []
    marked = module.marked()
    if target.is_code and not marked:
        return module.every(), []
    return marked, [] if marked else [
        f"{target.name}: no function is marked with @ag.function or @ag.convert; use --all or "
        f"{target.name}::NAME"]


def _named(module: Module, target: Target) -> list[Function]:
    found: list[Function] = []
    for name in target.functions:
        functions = module.named(name)
        if not functions:
            known = ", ".join(f.qualname for f in module.functions) or "none"
            raise UsageError(f"{target.name} has no function {name!r} (it has: {known})")
        found += functions
    return found


def _shower(names: Sequence[str], lines: Sequence[str], shown: list[str]) -> Any:
    """Notes each function as it is after the passes of these names."""

    def show(function: Function, name: str, tree: Any) -> None:
        if name in names:
            text = to_text(tree, literals=OriginalLiterals(function.node, lines))
            shown.append(f"# {function.qualname} after {name}\n{text}\n")

    return show if names else None
