"""Code whose text Python does not keep: what it calls is converted, its own lines are not."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dis import get_instructions
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any

from autograph.syntax.source_file import all_codes

OWN_SCOPE = frozenset({"globals", "eval", "exec", "locals", "vars", "dir"})
"""Names of functions that look at the variables of the module that calls them."""

BINDING = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL", "IMPORT_NAME"})
"""Instructions that bind global names, or look at the globals."""


class _Callees(dict[str, Any]):
    """The globals of a function, as they are at each look-up; functions are converted."""

    __slots__ = ("convert", "scope")

    def __init__(self, scope: dict[str, Any], convert: Callable[[Any], Any]) -> None:
        super().__init__(scope)
        self.scope = scope
        self.convert = convert

    def __getitem__(self, name: str) -> Any:
        found = self.scope[name] if name in self.scope else vars(builtins)[name]
        return self.convert(found) if type(found) in (FunctionType, BuiltinFunctionType) else found


def with_converted_callees(f: FunctionType, convert: Callable[[Any], Any]) -> FunctionType:
    """Returns a function with the same code, which calls converted functions by its global names.

    Python looks names up by `__getitem__` where the globals are of a class of their own. A function
    that binds global names, or looks at them otherwise, stays the same object.
    """
    if any(map(_uses_scope, all_codes(f.__code__))):
        return f
    return _copy_of(f, _Callees(f.__globals__, convert), f)


def with_defaults_of(f: FunctionType, other: FunctionType) -> FunctionType:
    """Returns a function with the code, globals and cells of one, and the defaults of another."""
    return _copy_of(f, f.__globals__, other)


def without_defaults(f: FunctionType) -> FunctionType:
    """Returns a function without its defaults; itself if it has none."""
    has_some = f.__defaults__ is not None or f.__kwdefaults__ is not None
    return _copy_of(f, f.__globals__, FunctionType(f.__code__, {}, None, None, f.__closure__)
                    ) if has_some else f


def _copy_of(f: FunctionType, scope: dict[str, Any], defaults: FunctionType) -> FunctionType:
    new = FunctionType(f.__code__, scope, f.__name__, defaults.__defaults__, f.__closure__)
    new.__kwdefaults__, new.__qualname__ = defaults.__kwdefaults__, f.__qualname__
    new.__module__, new.__doc__, new.__annotations__ = f.__module__, f.__doc__, f.__annotations__
    new.__dict__.update(f.__dict__)
    return new


def _uses_scope(code: CodeType) -> bool:
    return not OWN_SCOPE.isdisjoint(code.co_names) or not BINDING.isdisjoint(
        i.opname for i in get_instructions(code))
