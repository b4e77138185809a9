"""Keeps the rule of who may import whom (the table below), and that imports form no circle."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.house.checkout import ROOT, modules

# A module may import those of its own row and of the rows above it.
COMPILER = [
    {"errors", "context", "nodes", "libraries", "directives", "verbosity", "trees"},
    {"source", "names", "templates", "fence", "printing", "comments", "collector", "depth",
     "expressions", "layout", "literals", "spellings"},
    {"analysis"},
    {"passes"},
    {"pipeline"},
    {"load"},
    {"callees", "conversion", "convert", "identity", "marks", "module", "rules",
     "special_methods"},
]
RUNTIME = [
    {"errors", "types", "undefined", "nest", "keys", "guards", "frames", "raw"},
    {"graph", "graph_def", "text", "check", "boxes", "dot", "user_source", "lifting"},
    {"ops"},
    {"parse"},
    {"tensor", "arithmetic", "attributes", "trace", "handle", "layout", "cells", "random", "lists",
     "leaving", "instances", "objects", "places", "absent", "reach", "origins", "containers",
     "callbacks", "cursors", "methods", "twins", "slots", "strings", "spec", "binding", "handlers",
     "variables", "captured", "numpy_calls", "recording"},
    {"control", "regions", "loops", "module", "patterns", "printing", "python_calls", "recursion",
     "tensor_array"},
    {"debugging"},
    {"optimize", "execute", "gradients", "save", "export"},
    {"arguments", "atomic", "recapture", "kept", "returned", "signature"},
    {"concrete", "owed"},
    {"tracing"},
    {"__init__"},
]
FACADE = {"autograph", *(f"autograph.{name}" for name in (
    "bound", "calls", "config", "debugging", "decorated", "direct_ufuncs", "dispatcher", "entry",
    "experimental", "folds", "function", "functional", "inlining", "inspection", "iterables",
    "iterators", "retracing", "staged_attributes", "staged_builtins", "staged_choices",
    "staged_combinatorics", "staged_functions", "staged_generators", "staged_itertools",
    "staged_matches", "staged_objects", "staged_structures", "staging", "stateful"))}
COMMAND_LINE = {"autograph.__main__"}


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
    """Who imports whom, of ours."""
    return [(name, target) for name, file in modules().items()
            for target in imports(file, name, deferred)
            if target.split(".")[0] in ("autograph", "runtime", "tools")]


EDGES = edges(deferred=True)


def room(name: str) -> str:
    """Which part of the house a module belongs to.

    >>> room("autograph.runtime.ops.linalg"), room("autograph.passes.jumps"), room("autograph")
    ('runtime', 'compiler', 'facade')
    """
    if name in FACADE or name.startswith(("autograph.explain", "autograph.checking")):
        return "facade"
    second = name.split(".")[1]
    return second if second in ("runtime", "tools", "operators") else "compiler"


def row(name: str) -> int:
    """The row of the table in which a module of the compiler or of the runtime stands."""
    table = RUNTIME if room(name) == "runtime" else COMPILER
    depth = 2 if room(name) == "runtime" else 1
    part = (name.split(".")[depth:] or ["__init__"])[0]
    places = [i for i, parts in enumerate(table) if part in parts]
    assert places, f"{name} has no place in the table of this test: give it one"
    return places[0]


@pytest.mark.parametrize("name", sorted(modules()))
def test_module_stands_in_a_row(name: str) -> None:
    if room(name) in ("compiler", "runtime") and name not in COMMAND_LINE:
        row(name)


@pytest.mark.parametrize(("importer", "imported"), sorted(set(EDGES)))
def test_import_goes_up_the_table(importer: str, imported: str) -> None:
    source, target = room(importer), room(imported)
    assert target != "tools" or source == "tools" or importer in COMMAND_LINE
    if source == "operators":
        assert target == "operators" or imported == "autograph.errors"
    elif source == "compiler" and importer not in COMMAND_LINE:
        assert target in ("compiler", "operators")
        assert target == "operators" or row(importer) >= row(imported)
    elif source == "runtime":
        assert target == "runtime" and row(importer) >= row(imported)


def test_no_top_level_runtime_or_tools() -> None:
    assert [edge for edge in EDGES if edge[1].split(".")[0] in ("runtime", "tools")] == []


def test_imports_form_no_circle() -> None:
    graph: dict[str, set[str]] = {}
    for name, target in edges(deferred=False):
        if not name.startswith(f"{target}."):  # a package is there before what it holds
            graph.setdefault(name, set()).add(target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))
