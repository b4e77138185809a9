"""Writes private names in full, because the function is compiled outside its class.

>>> from autograph.passes.pipeline import show
>>> show("private_names", "def f(self): return self.__x + self.__y__", class_name="_Point")
def f(self):
    return self._Point__x + self.__y__
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.syntax.node_inventory import FIELDS


def run(tree: Any, unit: Unit) -> Any:
    """Replaces `__name` by `_Class__name` wherever the class of the function would."""
    if (owner := (unit.context.class_name or "").lstrip("_")):
        for field in tree._fields:
            if field not in ("name", "decorator_list"):
                _mangle_all(getattr(tree, field, None), f"_{owner}")
    return tree


def _mangle_all(value: Any, prefix: str) -> None:
    for node in value if isinstance(value, list) else [value]:
        if isinstance(node, gast.AST):
            _mangle(node, prefix)


def _mangle(node: Any, prefix: str) -> None:
    for field in ("id", "attr", "name", "rest", "asname"):
        if isinstance(name := getattr(node, field, None), str) and _is_private(name):
            if not (isinstance(node, gast.alias) and field == "name"):
                setattr(node, field, prefix + name)
    if isinstance(node, gast.alias) and node.asname is None and _is_private(node.name):
        node.asname = prefix + node.name
    if isinstance(node, (gast.Global, gast.Nonlocal)):
        node.names = [prefix + n if _is_private(n) else n for n in node.names]
    for field in FIELDS[node.__class__]:
        # An inner class mangles with its own name.
        if not (isinstance(node, gast.ClassDef) and field == "body"):
            _mangle_all(getattr(node, field, None), prefix)


def _is_private(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__") and "." not in name
