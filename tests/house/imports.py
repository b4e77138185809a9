"""The imports of the product as a graph: who imports whom, and in which package each module is."""

import ast
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter

from tests.house.checkout import ROOT, modules


def imports(file: str, name: str, deferred: bool = True) -> Iterator[str]:
    """The modules that a file imports; those inside functions too, if `deferred`."""
    package = name if file.endswith("__init__.py") else name.rpartition(".")[0]
    for node in running(ast.parse((ROOT / file).read_text()), deferred):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = ".".join(parts[: len(parts) - node.level + 1] if node.level else [])
            base = ".".join(filter(None, [base, node.module]))
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                yield whole if whole in modules() else base


def running(node: ast.AST, deferred: bool) -> Iterator[ast.AST]:
    """The nodes below `node`, without the blocks that only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.FunctionDef) and not deferred:
            continue
        yield child
        yield from running(child, deferred)


def edges(deferred: bool) -> list[tuple[str, str]]:
    """Pairs of a module of ours and one that it imports."""
    return [(name, target) for name, file in modules().items()
            for target in imports(file, name, deferred)
            if target.split(".")[0] in ("autograph", "runtime", "tools")]


def package_of(name: str) -> str:
    """The package that a module belongs to.

    >>> package_of("autograph.runtime.ops.linalg"), package_of("autograph.errors")
    ('autograph.runtime.ops', 'autograph')
    """
    if name in ("autograph.extension_points", "autograph.__main__"):
        return name
    parts = name.split(".")
    package = ".".join(parts[: 3 if parts[1:2] == ["runtime"] else 2])
    file = modules().get(package, "")
    return package if file.endswith("__init__.py") else package.rpartition(".")[0]


def circle(found: Iterable[tuple[str, str]]) -> list[str]:
    """One circle of imports, if there is any; a package is there before what it holds."""
    graph: dict[str, set[str]] = {}
    for name, target in found:
        if not name.startswith(f"{target}."):
            graph.setdefault(name, set()).add(target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []
