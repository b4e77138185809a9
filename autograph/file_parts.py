"""The parts of a file, by line: who asks for one function does not walk through the file."""

from __future__ import annotations

import ast
from bisect import bisect
from collections.abc import Iterator


class FileParts:
    """The statements of the top level of a file, and those of the classes there.

    >>> text = '''
    ... class A(B):
    ...     x = 1
    ...     y = 2; z = 3
    ... '''
    >>> parts = FileParts(ast.parse(text))
    >>> [[type(n).__name__ for n in parts.at(line)] for line in range(5)]
    [[], [], ['Name'], ['Assign'], ['Assign', 'Assign']]
    """

    def __init__(self, tree: ast.Module) -> None:
        self.parts: list[list[ast.stmt | ast.expr]] = []
        self._firsts: list[int] = []
        last = 0
        for node in _top_level(tree.body):
            first = min(n.lineno for n in (node, *getattr(node, "decorator_list", ())))
            if first > last:
                self.parts.append([])
                self._firsts.append(first)
            self.parts[-1].append(node)
            last = max(last, node.end_lineno or first)

    def number(self, line: int) -> int:
        """The number of the part that a line belongs to; -1 before the first."""
        return bisect(self._firsts, line) - 1

    def at(self, line: int) -> list[ast.stmt | ast.expr]:
        """The nodes of the part that a line belongs to."""
        number = self.number(line)
        return self.parts[number] if number >= 0 else []


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt | ast.expr]:
    """Yields the statements of a module; of a class what stands at its head, and its statements."""
    for s in body:
        if isinstance(s, ast.ClassDef):
            yield from (*s.decorator_list, *s.bases, *(k.value for k in s.keywords))
            yield from _top_level(s.body)
        else:
            yield s
