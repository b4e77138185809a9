"""Reports how big the house is: lines per folder, and the longest functions of each."""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("autograph", "runtime", "tools", "tests", "examples", "benchmarks")


@dataclass(frozen=True)
class Function:
    """A function and its length in lines, docstring not counted."""

    path: str
    name: str
    lines: int


@dataclass(frozen=True)
class File:
    """A source file, its length in lines, and its functions."""

    path: str
    lines: int
    functions: tuple[Function, ...]


def folders(root: Path) -> dict[str, list[File]]:
    """The Python files of each top-level folder, in order of path."""
    return {name: [read(path, root) for path in sources(root / name)] for name in FOLDERS}


def sources(folder: Path) -> Iterator[Path]:
    """The Python files below a folder; symlinks are not followed, so nothing counts twice."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.is_symlink():
            continue
        if path.is_dir():
            yield from sources(path)
        elif path.suffix == ".py":
            yield path


def read(path: Path, root: Path) -> File:
    """Measure one file."""
    text, name = path.read_text(encoding="utf-8"), path.relative_to(root).as_posix()
    found = (node for node in ast.walk(ast.parse(text))
             if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return File(name, text.count("\n"),
                tuple(Function(name, node.name, length(node)) for node in found))


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end, docstring not counted.

    >>> length(ast.parse("def f():\\n    '''Doc.'''\\n    return 1\\n").body[0])
    2
    """
    doc = node.body[0] if ast.get_docstring(node, clean=False) is not None else None
    return extent(node) - (extent(doc) if doc else 0)


def extent(node: ast.stmt) -> int:
    """The number of lines that a statement takes."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def summary(name: str, files: list[File]) -> str:
    """One line of the report."""
    lengths = sorted(f.lines for file in files for f in file.functions)
    total, biggest = sum(f.lines for f in files), max((f.lines for f in files), default=0)
    median, p90 = (statistics.median(lengths), lengths[int(0.9 * (len(lengths) - 1))]) if (
        lengths) else (0, 0)
    return (f"{name:<11}{len(files):>6}{total:>8}{biggest:>9}{len(lengths):>11}"
            f"{median:>8g}{p90:>6}{max(lengths, default=0):>6}")


def report(measured: dict[str, list[File]], longest: int = 3) -> str:
    """The whole report: a table, then the longest functions of each folder."""
    lines = ["folder      files   lines  longest  functions  median   p90   max"]
    lines += [summary(name, files) for name, files in measured.items()]
    for files in measured.values():
        functions = sorted((f for file in files for f in file.functions),
                           key=lambda f: (-f.lines, f.path, f.name))
        lines += [f"{f.lines:>4}  {f.path}: {f.name}" for f in functions[:longest]]
    return "\n".join(lines)


def main() -> None:
    """Print the report for the checkout that is named, or for the current folder."""
    print(report(folders(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())))


if __name__ == "__main__":
    main()
