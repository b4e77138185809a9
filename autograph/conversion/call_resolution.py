"""Decides before the program runs how a call is rewritten: kept, converted, or an operator."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any
from weakref import ref

import gast
import numpy as np

from autograph.conversion.conversion_rules import REPLACEMENTS
from autograph.libraries import is_of_library, is_own_module
from autograph.operators.builtins import BUILTIN_REPLACEMENTS
from autograph.own_attributes import held
from autograph.syntax.context import Action, CallRule
from autograph.syntax.source_file import SourceFile, bindings_of

UNKNOWN = object()

Lookup = Callable[[str], object]
"""Returns what a name of the module stands for, or UNKNOWN; it is never asked for local names."""

Resolve = Callable[[gast.expr, frozenset[str]], CallRule]

DISPATCHES_BY_FUNCTION: type = type(np.concatenate)
"""The type of the NumPy functions that honour `__array_function__` (NumPy has no public name)."""


DISPATCH_ON_ITEMS = frozenset({
    "concatenate", "concat", "stack", "vstack", "hstack", "dstack", "column_stack", "block",
    "select", "lexsort", "multi_dot", "array_equal", "histogramdd",
})
"""NumPy functions that look into a list for arguments that dispatch."""


class Answers:
    """The objects that names stood for when a function was converted, where its code depends on it.

    A call of anything else asks what it calls as it runs. Objects are referred to weakly, if they
    can be: an exception class may be the user's.
    """

    def __init__(self) -> None:
        self.found: dict[tuple[str, ...], tuple[Callable[[], object], CallRule]] = {}

    def note(self, callee: gast.expr, denoted: object, rule: CallRule) -> None:
        """Notes how a call is rewritten, and what is called."""
        depends = rule.action != "convert" or rule.decorates or rule.exception
        if depends and (path := _path(callee)) not in self.found:
            self.found[path] = _reference(denoted), rule

    def hold(self, scope: dict[str, Any]) -> bool:
        """Returns True if calls in these globals would be rewritten in the same way now."""
        return all((now := _object_in(scope, path)) is given() or rule_for(now) == rule
                   for path, (given, rule) in self.found.items())


def _path(callee: gast.expr) -> tuple[str, ...]:
    """Returns the names by which a call finds what it calls: `module.name` has two."""
    names: list[str] = []
    while isinstance(callee, gast.Attribute):
        names.insert(0, callee.attr)
        callee = callee.value
    assert isinstance(callee, gast.Name)
    return (callee.id, *names)


def _object_in(scope: dict[str, Any], path: tuple[str, ...]) -> object:
    """Returns what names stand for in a module's globals, or UNKNOWN."""
    name, *attributes = path
    found: object = scope[name] if name in scope else getattr(builtins, name, UNKNOWN)
    for name in attributes:
        if not isinstance(found, ModuleType):
            return UNKNOWN
        found = getattr(found, name, UNKNOWN)
    return found


def _reference(x: object) -> Callable[[], object]:
    try:
        return ref(x)
    except TypeError:  # a ufunc
        return lambda: x


def resolver(lookup: Lookup, answers: Answers | None = None) -> Resolve:
    """Returns the `Context.resolve` of a function whose module-level names `lookup` knows; what is
    resolved is noted in `answers`."""

    def resolve(callee: gast.expr, local_names: frozenset[str]) -> CallRule:
        denoted = _denoted(callee, local_names, lookup)
        rule = rule_for(denoted)
        if answers is not None:
            answers.note(callee, denoted, rule)
        return rule

    return resolve


def _denoted(callee: gast.expr, local_names: frozenset[str], lookup: Lookup) -> object:
    """Returns the object that `name` or `module.name` stands for, or UNKNOWN."""
    if isinstance(callee, gast.Name):
        return UNKNOWN if callee.id in local_names else lookup(callee.id)
    if isinstance(callee, gast.Attribute):
        owner = _denoted(callee.value, local_names, lookup)
        if isinstance(owner, ModuleType):
            return getattr(owner, callee.attr, UNKNOWN)
    return UNKNOWN


def rule_for(callee: Any) -> CallRule:
    """Returns how a call of an object is rewritten.

    >>> rule_for(np.sin).action, rule_for(np.zeros).action, rule_for(len).operator
    ('keep', 'convert', 'len')
    """
    if callee is UNKNOWN:
        return CallRule("convert")
    if isinstance(callee, np.ufunc):
        return CallRule("keep", dispatches=True, by_arguments=True)
    if type(callee) is DISPATCHES_BY_FUNCTION and callee not in REPLACEMENTS:
        return CallRule("keep", dispatches=True,
                        by_arguments=held(callee, "__name__", "") not in DISPATCH_ON_ITEMS)
    if isinstance(callee, type) and issubclass(callee, BaseException):
        action: Action = "convert" if type(callee.__init__) is FunctionType else "keep"
        return CallRule(action, exception=True)
    if _is_builtin(callee):
        return _rule_for_builtin(callee)
    if held(callee, "__ag_directive__") is True:
        return CallRule("directive")
    if is_own_module(held(callee, "__module__")):
        return CallRule("keep")
    return CallRule("convert", decorates=is_of_library(callee) and callee not in REPLACEMENTS)


def _is_builtin(callee: Any) -> bool:
    if not isinstance(callee, (BuiltinFunctionType, type)) or callee.__module__ != "builtins":
        return False  # a function that a program put there is its own
    name = held(callee, "__name__")
    return isinstance(name, str) and getattr(builtins, name, UNKNOWN) is callee


def _rule_for_builtin(function: Callable[..., Any]) -> CallRule:
    name = function.__name__
    if function is print:  # `ag.print` is another one
        return CallRule("operator", "print_")
    if name in BUILTIN_REPLACEMENTS:
        return CallRule("operator", name)
    if function in REPLACEMENTS:
        return CallRule("convert")
    return CallRule("keep")  # it never needs the content of a symbolic value


# -- where module-level names are known from -------------------------------------------------------

def live_lookup(function: FunctionType, file: SourceFile) -> Lookup:
    """Returns a look-up of names in the function's globals as they are now.

    A builtin counts as one only if neither the globals nor the file bind its name: the function may
    be converted before the rest of its module has run. What a cell holds may change, so free names
    are unknown.
    """
    scope, free = function.__globals__, function.__code__.co_freevars

    def lookup(name: str) -> object:
        if name in free:
            return UNKNOWN
        if name in scope:
            return UNKNOWN if _is_builtin(scope[name]) else scope[name]
        return UNKNOWN if name in file.bindings else getattr(builtins, name, UNKNOWN)

    return lookup


def static_lookup(file: SourceFile, imported: dict[str, str]) -> Lookup:
    """Returns a look-up of names by the import statements of a file that is not run.

    Only names of modules that are loaded anyway are looked up: no module is imported for this.
    Other names are UNKNOWN. `imported` is the result of `imports_of` for the file.
    """

    def lookup(name: str) -> object:
        if name in imported:
            return _object_at(imported[name])
        if name in file.bindings or "*" in file.bindings:
            return UNKNOWN
        return getattr(builtins, name, UNKNOWN)

    return lookup


def imports_of(module: ast.Module) -> dict[str, str]:
    """Returns the dotted path of each top-level name that one import binds and nothing else does.

    >>> imports_of(ast.parse("import numpy as np, os.path\\nfrom math import sin\\nsin = None"))
    {'np': 'numpy', 'os': 'os'}
    """
    found: dict[str, str] = {}
    for statement in module.body:
        for imported, path in _imported(statement):
            found[imported] = path if found.get(imported, path) == path else ""
    for node in ast.walk(module):
        if not isinstance(node, ast.alias):
            defined: str | None = getattr(node, "name", None)
            for name in (*bindings_of(node), defined):
                found.pop(name or "", None)
    return {name: path for name, path in found.items() if path}


def _imported(statement: ast.stmt) -> list[tuple[str, str]]:
    if isinstance(statement, ast.Import):
        return [(a.asname, a.name) if a.asname else (a.name.split(".")[0],) * 2
                for a in statement.names]
    if isinstance(statement, ast.ImportFrom) and not statement.level:
        return [(a.asname or a.name, f"{statement.module}.{a.name}") for a in statement.names]
    return []


LOADED = ("numpy", "autograph", "functools", "contextlib", "dataclasses", "typing", "abc", "enum")
"""Modules whose names a file may have and are known: most decorators are theirs."""


def _object_at(path: str) -> object:
    """Returns the object at a dotted path that begins with a module of `LOADED`, or UNKNOWN."""
    root, *rest = path.split(".")
    if root not in LOADED:
        return UNKNOWN
    value: object = sys.modules.get(root, UNKNOWN)
    for name in rest:
        value = getattr(value, name, UNKNOWN)
    return value
