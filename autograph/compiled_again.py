"""A program's text is parsed and compiled again in silence: Python warned when it loaded it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from weakref import WeakValueDictionary


def parsed(text: str, filename: str = "<unknown>") -> ast.Module:
    r"""Returns a new tree of a text.

    >>> len(parsed('"\\d"').body)
    1
    """
    with _silence():
        return ast.parse(text, filename)


def tree_of(text: str, filename: str = "<unknown>") -> ast.Module:
    """Returns the tree of a text for those who only read it: the same as long as one keeps it."""
    tree = _trees.get(text)
    if tree is None:
        tree = _trees[text] = parsed(text, filename)
    return tree


_trees: WeakValueDictionary[str, ast.Module] = WeakValueDictionary()


def compiled(tree: ast.Module, filename: str, flags: int = 0) -> CodeType:
    """Returns the code of a tree."""
    with _silence():
        code: CodeType = compile(tree, filename, "exec", flags, dont_inherit=True)
    return code


@contextmanager
def _silence() -> Iterator[None]:
    with warnings.catch_warnings():
        for kind in SyntaxWarning, DeprecationWarning:  # the second before Python 3.12
            warnings.simplefilter("ignore", kind)
        yield
