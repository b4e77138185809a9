"""The imports of the product as a graph: who imports whom, and in which package each module is."""

from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter

from autograph.tools.import_graph import Checkout
from tests.house.checkout import ROOT, modules

CHECKOUT = Checkout(ROOT)


def edges(deferred: bool) -> list[tuple[str, str]]:
    """Pairs of a module of ours and one that it imports."""
    return [(name, target) for name, file in modules().items()
            for target in CHECKOUT.imports(file, name, deferred)
            if target.split(".")[0] in ("autograph", "runtime", "tools")]


def package_of(name: str) -> str:
    """The package that a module belongs to.

    >>> package_of("autograph.runtime.ops.linalg"), package_of("autograph.errors")
    ('autograph.runtime.ops', 'autograph')
    """
    if name in ("autograph.extension_points", "autograph.own_attributes", "autograph.libraries",
                "autograph.traceback_filter", "autograph.suggestions", "autograph.compiled_again",
                "autograph.file_parts",
                "autograph.weak_id_dict", "autograph.source_lines", "autograph.decorated",
                "autograph.locks", "autograph.__main__"):
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
