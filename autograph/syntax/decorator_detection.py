"""Detects `@ag.function` and `@ag.convert` in a file, under whatever name they are imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import gast

Kind = Literal["function", "convert"]

KINDS: dict[str, Kind] = {"autograph.function": "function", "autograph.convert": "convert"}


class Decorators:
    """Reads and removes our decorators, given the file's imports (name -> dotted path)."""

    def __init__(self, imports: Mapping[str, str]) -> None:
        self.imports = imports

    def kind(self, decorator: Any) -> Kind | None:
        """Returns which of our decorators an `ast` or gast expression is, if any.

        >>> ours = Decorators({"ag": "autograph", "jit": "autograph.function"})
        >>> [ours.kind(ast.parse(d, mode="eval").body) for d in ("ag.convert", "jit()", "jit.x")]
        ['convert', 'function', None]
        """
        return KINDS.get(self._path(_callee(decorator)))

    def _path(self, expression: Any) -> str:
        if hasattr(expression, "attr"):
            owner = self._path(expression.value)
            return f"{owner}.{expression.attr}" if owner else ""
        return self.imports.get(getattr(expression, "id", ""), "")

    def of(self, node: Any) -> Kind | None:
        """Returns our decorator of a function, unless it says `autograph=False`."""
        for decorator in node.decorator_list:
            kind = self.kind(decorator)
            if kind is not None and not _says(decorator, "autograph", False):
                return kind
        return None

    def given(self, module: ast.Module) -> Iterator[tuple[str, Any]]:
        """Yields the calls `ag.function(name, …)` outside functions, with the name in each."""
        for call in _outside_functions(module):
            if (isinstance(call, ast.Call) and self.kind(call) == "function" and call.args
                    and isinstance(call.args[0], ast.Name)
                    and not any(k.arg == "autograph" for k in call.keywords)):
                yield call.args[0].id, call

    def is_only_decorator(self, node: Any) -> bool:
        """Returns True if the only decorator of a function is one of ours."""
        return len(node.decorator_list) == 1 and self.of(node) is not None

    def is_recursive(self, node: Any) -> bool:
        """Returns True if the function's callees are converted too: not with `recursive=False`."""
        return not any(self.kind(d) and _says(d, "recursive", False) for d in node.decorator_list)

    def without(self, tree: Any) -> Any:
        """Changes our decorators in a gast tree to those of converted code.

        `@ag.convert` has done its work and goes; `@ag.function` is told that it need not convert.
        """
        for node in gast.walk(tree):
            if isinstance(node, gast.FunctionDef):
                node.decorator_list = [self._converted(d) for d in node.decorator_list
                                       if self.kind(d) != "convert"]
        return tree

    def _converted(self, decorator: Any) -> Any:
        if self.kind(decorator) != "function":
            return decorator
        is_call = isinstance(decorator, gast.Call)
        call = decorator if is_call else gast.Call(decorator, [], [])
        no = gast.keyword("autograph", gast.Constant(False, None))
        call.keywords = [k for k in call.keywords if k.arg != "autograph"] + [no]
        gast.copy_location(call, decorator)
        return gast.fix_missing_locations(call)


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield child
            yield from _outside_functions(child)


def _callee(decorator: Any) -> Any:
    return decorator.func if hasattr(decorator, "func") else decorator


def _says(decorator: Any, name: str, value: object) -> bool:
    """Returns True if a decorator is a call with the keyword argument `name=value`, a constant."""
    return any(k.arg == name and isinstance(k.value, (ast.Constant, gast.Constant))
               and k.value.value is value for k in getattr(decorator, "keywords", ()))
