"""The imports of a checkout as a graph of modules, and of packages: arrows, circles, floors."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograph.locks import cached_property

FOLDERS = {"autograph": "autograph", "runtime": "autograph.runtime", "tools": "autograph.tools"}
"""The folders of the product, and the names under which they are imported."""

Arrow = tuple[str, str]
"""A module, or package, and one that it imports."""


def python_files(folder: Path) -> Iterator[Path]:
    """Yields the Python files below a folder; links are not followed, so nothing counts twice."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.is_symlink():
            continue
        if path.is_dir():
            yield from python_files(path)
        elif path.suffix == ".py":
            yield path


def module_name(file: str) -> str:
    """The import name of a file.

    >>> module_name("runtime/ir/graph.py"), module_name("tools/__init__.py")
    ('autograph.runtime.ir.graph', 'autograph.tools')
    """
    folder, _, rest = file.removesuffix(".py").removesuffix("/__init__").partition("/")
    return ".".join([FOLDERS[folder], *(rest.split("/") if rest else [])])


@dataclass(frozen=True)
class Checkout:
    """A checkout's modules and their imports."""

    root: Path

    @cached_property
    def modules(self) -> dict[str, str]:
        """The import name of every module of the product, and its file."""
        files = (path.relative_to(self.root).as_posix() for folder in FOLDERS
                 for path in python_files(self.root / folder))
        return {module_name(file): file for file in files}

    @cached_property
    def packages(self) -> set[str]:
        """The modules that are packages."""
        return {name for name, file in self.modules.items() if file.endswith("__init__.py")}

    def arrows(self, deferred: bool = True) -> set[Arrow]:
        """The imports between modules; those inside functions too, if `deferred`."""
        return {(name, target) for name, file in self.modules.items()
                for target in self.imports(file, name, deferred)
                if target in self.modules and target != name}

    def imports(self, file: str, name: str, deferred: bool) -> Iterator[str]:
        """Yields what one module imports, also what is not ours."""
        package = name if name in self.packages else name.rpartition(".")[0]
        tree = ast.parse((self.root / file).read_text(encoding="utf-8"))
        for node in executed(tree, deferred):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                parts = package.split(".")
                base = ".".join(parts[: len(parts) - node.level + 1] if node.level else [])
                base = ".".join(filter(None, [base, node.module]))
                for alias in node.names:
                    member = f"{base}.{alias.name}"
                    yield member if member in self.modules else base

    def package_of(self, module: str) -> str:
        """The package that a module belongs to; a loose module of a folder stands for itself."""
        if module in FOLDERS.values():
            return module
        parent = module if module in self.packages else module.rpartition(".")[0]
        return module if parent in ("autograph", "autograph.runtime") else parent

    def package_arrows(self) -> set[Arrow]:
        """The imports between packages."""
        pairs = {(self.package_of(a), self.package_of(b)) for a, b in self.arrows()}
        return {(a, b) for a, b in pairs if a != b}


def executed(node: ast.AST, deferred: bool) -> Iterator[ast.AST]:
    """Yields the nodes below `node`, without the blocks that only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.FunctionDef) and not deferred:
            continue
        yield child
        yield from executed(child, deferred)


def floors(arrows: Iterable[Arrow]) -> int:
    """The number of nodes on the longest chain of imports; a circle counts as one node.

    >>> floors([("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")])
    3
    """
    graph: dict[str, set[str]] = {}
    for source, target in arrows:
        graph.setdefault(source, set()).add(target)
        graph.setdefault(target, set())
    below = {name: _reachable(graph, name) for name in graph}
    height: dict[str, int] = {}
    for name in sorted(graph, key=lambda name: len(below[name] | {name})):
        under = (height[other] for other in below[name]
                 if other in height and name not in below[other])
        same = (height[other] for other in below[name]
                if other in height and name in below[other])
        height[name] = next(same, 1 + max(under, default=0))
    return max(height.values(), default=0)


def _reachable(graph: Mapping[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for target in graph[waiting.pop()] - found:
            found.add(target)
            waiting.append(target)
    return found
