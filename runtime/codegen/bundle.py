"""Source of our own helpers, with all that they use, so that a file can stand without us."""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

OURS = "autograph."


class Bundle:
    """Definitions taken from our modules, each after what it needs, and imports from elsewhere."""

    def __init__(self) -> None:
        self.imports: dict[str, None] = {}
        self.pieces: dict[tuple[str, str], str] = {}

    def add(self, thing: Any) -> str:
        """Takes a function or class of ours; returns its name."""
        name: str = thing.__qualname__
        self._need(thing.__module__, name)
        return name

    @property
    def names(self) -> set[str]:
        """The names that the definitions bind."""
        return {name for _, name in self.pieces}

    @property
    def text(self) -> str:
        return "\n\n\n".join(filter(None, self.pieces.values()))

    def _need(self, module: str, name: str) -> None:
        if (module, name) in self.pieces:
            return
        source, bound = definitions(module)
        statement = bound.get(name)
        if statement is None:
            if not hasattr(builtins, name):
                raise LookupError(f"{module} does not define {name}")
            return
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            self._import(statement, name)
            return
        self.pieces[module, name] = ""  # whoever needs it in turn, finds it
        for used in names_used(statement):
            self._need(module, used)
        del self.pieces[module, name]  # behind what it needs
        self.pieces[module, name] = segment(source, statement)

    def _import(self, statement: ast.Import | ast.ImportFrom, name: str) -> None:
        alias = next(a for a in statement.names if name in (a.asname, a.name))
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith(OURS):
            self._need(statement.module or "", alias.name)
            return
        text = alias.name if alias.asname is None else f"{alias.name} as {alias.asname}"
        of = f"from {statement.module} " if isinstance(statement, ast.ImportFrom) else ""
        self.imports[f"{of}import {text}"] = None


@lru_cache(maxsize=64)
def definitions(module: str) -> tuple[str, dict[str, ast.stmt]]:
    """The source of a module, and the statement at its top level that binds each name."""
    source = inspect.getsource(importlib.import_module(module))
    bound: dict[str, ast.stmt] = {}
    for statement in ast.parse(source).body:
        for name in _bound(statement):
            bound[name] = statement
    return source, bound


def _bound(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        yield from (a.asname or a.name.partition(".")[0] for a in statement.names)
    elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))


def names_used(statement: ast.stmt) -> list[str]:
    """The names that a statement reads or declares global, but for those in annotations and its
    own locals."""
    local = {n.arg for n in ast.walk(statement) if isinstance(n, ast.arg)}
    local |= {n.name for n in ast.walk(statement) if isinstance(n, ast.FunctionDef)
              and n is not statement}
    found: dict[str, None] = {}
    for node in _executed(statement):
        if isinstance(node, ast.Global):
            found.update(dict.fromkeys(node.names))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            local.update(_bound(node))
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                found[node.id] = None
            else:
                local.add(node.id)
    shared = {n for node in ast.walk(statement) if isinstance(node, ast.Global) for n in node.names}
    return [name for name in found if name not in local - shared]


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below a node, without annotations."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child
                yield from _executed(child)


def segment(source: str, statement: ast.stmt) -> str:
    """The text of a statement, decorators and comments included."""
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(d.lineno for d in decorators)])
    return "\n".join(source.splitlines()[first - 1:statement.end_lineno])
