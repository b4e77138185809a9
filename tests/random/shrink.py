"""Makes a program smaller that shows something: drops statements as long as it still does."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator


def shrunk(text: str, shows: Callable[[str], bool]) -> str:
    """Returns a program of which no statement can be left out, nor replaced by its body, without
    that it shows no more what `shows` asks for.

    >>> print(shrunk("a = 1\\nif a:\\n    b = 2\\n    c = 3\\n", lambda text: "c =" in text))
    c = 3
    """
    tree = ast.parse(text)
    size = 8
    while size:
        found = next((ast.unparse(smaller) for smaller in smaller_trees(tree, size)
                      if shows(ast.unparse(smaller))), None)
        if found is None:
            size //= 2
        else:
            tree = ast.parse(found)
    return ast.unparse(tree)


def blocks(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yields where there are lists of statements."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody", "handlers"):
            if isinstance(getattr(node, name, None), list) and getattr(node, name):
                yield node, name


def smaller_trees(tree: ast.Module, size: int) -> Iterator[ast.Module]:
    """Yields copies of a program without so many statements in a row, or, if `size` is 1, with a
    statement's body in its place."""
    for number, (node, name) in enumerate(blocks(tree)):
        length = len(getattr(node, name))
        for start in range(length - size, -1, -size):
            yield without(tree, number, start, size, [])
    if size == 1:
        yield from shorter_tuples(tree)
    for number, (node, name) in enumerate(blocks(tree)):
        length = len(getattr(node, name))
        for start in range(length - size, -1, -size):
            if size == 1 and name != "handlers":
                for inside in bodies(getattr(node, name)[start]):
                    yield without(tree, number, start, 1, inside)


def bodies(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yields the blocks of a statement that is no definition."""
    if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        yield from (getattr(statement, name) for name in ("body", "orelse", "finalbody")
                    if getattr(statement, name, None))


def without(tree: ast.Module, number: int, start: int, size: int,
            instead: list[ast.stmt]) -> ast.Module:
    """Returns a copy with other statements in some block."""
    made = copy.deepcopy(tree)
    node, name = list(blocks(made))[number]
    found = getattr(node, name)
    found[start:start + size] = copy.deepcopy(instead)
    if not found and name == "body" and not isinstance(node, ast.Module):
        found.append(ast.Pass())
    return made


def shorter_tuples(tree: ast.Module) -> Iterator[ast.Module]:
    """Yields copies of a program in which a function returns fewer values."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Return)
             and isinstance(node.value, ast.Tuple)]
    for number, node in enumerate(found):
        for part in range(len(node.value.elts)):  # type: ignore[union-attr]  # a tuple
            made = copy.deepcopy(tree)
            copied = [n for n in ast.walk(made) if isinstance(n, ast.Return)
                      and isinstance(n.value, ast.Tuple)][number]
            del copied.value.elts[part]  # type: ignore[union-attr]
            yield made
