"""Keeps all locks in one module: a forked process finds them open."""

import ast

from tests.house.checkout import PACKAGES, python_files, tree_of

LOCKS = {("threading", name) for name in ("Lock", "RLock", "Condition", "Semaphore")} | {
    ("functools", "cached_property")}


def test_locks_come_from_one_module() -> None:
    found = {file for file in python_files(*PACKAGES)
             if any(map(_is_lock, ast.walk(tree_of(file))))}
    assert found == {"autograph/locks.py"}


def _is_lock(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return any((node.module, name.name) in LOCKS for name in node.names)
    made = [node.func] if isinstance(node, ast.Call) else getattr(node, "decorator_list", [])
    return any(isinstance(x, ast.Attribute) and isinstance(x.value, ast.Name) and (
        x.value.id, x.attr) in LOCKS for x in made)
