"""Measures a checkout: packages, imports, sizes, words (`python -m autograph.tools.house`)."""

from __future__ import annotations

import argparse
import ast
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograph.locks import cached_property
from autograph.runtime.ops import OPS
from autograph.tools.import_graph import Checkout, floors, module_name, python_files
from autograph.tools.words import old_words, texts

PRODUCT = ("autograph", "runtime", "tools")
FOLDERS = (*PRODUCT, "tests", "examples", "benchmarks")
KNOW_OPS = ("runtime/", "autograph/staging/", "autograph/explain/", "autograph/checking/")
"""The packages that may know the names of ops: the compiler's half has no graph."""

LONG_FILE, LONG_FUNCTION = 400, 40
ANY = re.compile(r"(?::|->) Any\b")
Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Function:
    """A function and its length in lines, docstring not counted."""

    path: str
    name: str
    lines: int


@dataclass(frozen=True)
class File:
    """A source file: its text, and what is counted in it."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree of the file."""
        return ast.parse(self.text)

    @cached_property
    def lines(self) -> int:
        """The length of the file in lines."""
        return self.text.count("\n")

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """The functions of the file, also those in classes and in other functions."""
        return tuple(Function(self.path, node.name, length(node)) for node in ast.walk(self.tree)
                     if isinstance(node, Definition))

    @cached_property
    def riddles(self) -> int:
        """The number of docstrings that begin with "Whether" or "What"."""
        return sum((ast.get_docstring(node) or "").startswith(("Whether", "What"))
                   for node in ast.walk(self.tree)
                   if isinstance(node, Definition | ast.ClassDef | ast.Module))

    @cached_property
    def any_lines(self) -> int:
        """The number of lines with a signature or a variable of type `Any`."""
        return sum(bool(ANY.search(line)) for line in self.text.splitlines())

    @cached_property
    def op_name_collections(self) -> tuple[int, ...]:
        """The lines of module-level collections whose strings are all names of ops."""
        return tuple(node.lineno for node in self.tree.body
                     if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
                     and holds_op_names(node.value))

    @cached_property
    def op_name_comparisons(self) -> tuple[int, ...]:
        """The lines that compare `op.name` with something, or match on it."""
        compared = ([node.left, *node.comparators] if isinstance(node, ast.Compare)
                    else [node.subject] if isinstance(node, ast.Match) else []
                    for node in ast.walk(self.tree))
        return tuple(part.lineno for parts in compared for part in parts if is_op_name(part))


def length(node: Definition) -> int:
    """Lines from `def` to the end, docstring not counted.

    >>> length(ast.parse("def f():\\n    '''Doc.'''\\n    return 1\\n").body[0])
    2
    """
    doc = node.body[0] if ast.get_docstring(node, clean=False) is not None else None
    return extent(node) - (extent(doc) if doc else 0)


def extent(node: ast.stmt) -> int:
    """The number of lines that a statement takes."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def holds_op_names(value: ast.expr) -> bool:
    """Returns True for a collection of at least two strings that are names of ops.

    >>> holds_op_names(ast.parse('{"np.exp", "reshape"}', mode="eval").body)
    True
    """
    if isinstance(value, ast.Call) and value.args:
        return holds_op_names(value.args[0])
    if isinstance(value, ast.BinOp):
        return holds_op_names(value.left) or holds_op_names(value.right)
    items = value.keys if isinstance(value, ast.Dict) else getattr(value, "elts", [])
    names = [item.value for item in items if isinstance(item, ast.Constant)]
    return len(names) > 1 and len(names) == len(items) and all(
        isinstance(name, str) and (name in OPS or f"np.{name}" in OPS) for name in names)


def is_op_name(node: ast.expr) -> bool:
    """Returns True for `op.name` and `equation.op.name`."""
    return (isinstance(node, ast.Attribute) and node.attr == "name"
            and (getattr(node.value, "attr", "") or getattr(node.value, "id", "")) == "op")


def folders(root: Path) -> dict[str, list[File]]:
    """The Python files of each top-level folder, in order of path."""
    return {name: [File(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
                   for path in python_files(root / name)] for name in FOLDERS}


def by_package(checkout: Checkout, measured: dict[str, list[File]]) -> dict[str, list[File]]:
    """The files of the product by package."""
    found: dict[str, list[File]] = {}
    for folder in PRODUCT:
        for file in measured[folder]:
            found.setdefault(checkout.package_of(module_name(file.path)), []).append(file)
    return found


def size_table(measured: dict[str, list[File]]) -> Iterator[str]:
    """One line for each top-level folder: files, lines, functions."""
    yield "folder      files   lines  longest  functions  median   p90   max"
    for name, files in measured.items():
        lengths = sorted(f.lines for file in files for f in file.functions)
        total, biggest = sum(f.lines for f in files), max((f.lines for f in files), default=0)
        median = statistics.median(lengths) if lengths else 0
        p90 = lengths[int(0.9 * (len(lengths) - 1))] if lengths else 0
        yield (f"{name:<11}{len(files):>6}{total:>8}{biggest:>9}{len(lengths):>11}"
               f"{median:>8g}{p90:>6}{max(lengths, default=0):>6}")


def package_table(checkout: Checkout, packages: dict[str, list[File]]) -> Iterator[str]:
    """One line for each package: modules, lines, imports both ways, `Any`, docstrings."""
    arrows = checkout.package_arrows()
    outgoing, incoming = Counter(a for a, _ in arrows), Counter(b for _, b in arrows)
    yield f"{'package':<36}modules   lines  imports  imported by   Any  Whether/What"
    for name, files in sorted(packages.items()):
        yield (f"{name:<36}{len(files):>7}{sum(f.lines for f in files):>8}{outgoing[name]:>9}"
               f"{incoming[name]:>13}{sum(f.any_lines for f in files):>6}"
               f"{sum(f.riddles for f in files):>14}")


def graph_lines(checkout: Checkout, packages: dict[str, list[File]]) -> Iterator[str]:
    """The size of the import graph, of modules and of packages."""
    arrows, between = checkout.arrows(), checkout.package_arrows()
    yield f"modules: {len(checkout.modules)} on {floors(arrows)} floors, {len(arrows)} imports"
    for half in ("autograph.runtime.", "autograph."):
        inside = {name for name in packages if name.startswith(half)
                  and not (half == "autograph." and name.startswith("autograph.runtime"))}
        pairs = {(a, b) for a, b in between if {a, b} <= inside}
        yield f"packages in {half}*: {len(inside)} on {floors(pairs)} floors, {len(pairs)} imports"
    yield f"packages: {len(packages)} on {floors(between)} floors, {len(between)} imports"


def total_lines(files: Sequence[File]) -> Iterator[str]:
    """One line for each thing that the product should have little of."""
    functions = [f for file in files for f in file.functions]
    outside = [file for file in files if file.path.startswith(KNOW_OPS)
               and not file.path.startswith("runtime/ops/")]
    rows = {
        f"files over {LONG_FILE} lines": [f.path for f in files if f.lines > LONG_FILE],
        f"functions over {LONG_FUNCTION} lines": [
            f"{f.path}: {f.name}" for f in functions if f.lines > LONG_FUNCTION],
        "collections of op names outside ops/": [
            f"{f.path}:{line}" for f in outside for line in f.op_name_collections],
        "comparisons of op.name outside ops/": [
            f.path for f in outside for _ in f.op_name_comparisons],
        'docstrings that begin with "Whether" or "What"': [
            f.path for f in files for _ in range(f.riddles)],
        "lines with `: Any` or `-> Any`": [f.path for f in files for _ in range(f.any_lines)],
    }
    for name, found in rows.items():
        yield f"{name}: {len(found)}{listed(found)}"


def listed(found: list[str], most: int = 8) -> str:
    """The distinct items, if they are few."""
    distinct = list(dict.fromkeys(found))
    return f" ({', '.join(distinct)})" if 0 < len(distinct) <= most else ""


def word_lines(root: Path) -> Iterator[str]:
    """How often each old word is said, most often first."""
    counts: Counter[str] = Counter()
    for file, text in texts(root, (*PRODUCT, "docs")):
        counts.update(found.say for found in old_words(file, text))
    yield f"old words in the product and docs: {sum(counts.values())}"
    yield from (f"{count:>7}  for {say}" for say, count in counts.most_common())


def report(root: Path) -> str:
    """The report on a checkout."""
    checkout, measured = Checkout(root), folders(root)
    packages = by_package(checkout, measured)
    product = [file for folder in PRODUCT for file in measured[folder]]
    parts: list[Iterable[str]] = [size_table(measured), package_table(checkout, packages),
                                  graph_lines(checkout, packages), total_lines(product),
                                  word_lines(root)]
    return "\n\n".join("\n".join(part) for part in parts)


def main(argv: Sequence[str] | None = None) -> None:
    """Prints the report on the checkout that is named, or on the current folder."""
    parser = argparse.ArgumentParser(prog="house", description=__doc__)
    parser.add_argument("--tree", type=Path, default=Path("."), help="the checkout to measure")
    print(report(parser.parse_args(argv).tree.resolve()))


if __name__ == "__main__":
    main()
