"""Imports whole packages converted: `ag.convert_imports("package")`."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from autograph.conversion.conversion_rules import note_generated
from autograph.conversion.module import Module, Outcome
from autograph.conversion.plain_form import FORMS, converted_parts, to_compile, with_names
from autograph.operators import dispatch
from autograph.syntax import verbosity
from autograph.syntax.gast_conversion import to_ast
from autograph.syntax.libraries import trace_into
from autograph.syntax.recursion_limit import deep_recursion
from autograph.syntax.source_file import first_line
from autograph.traceback_filter import hiding_frames


@hiding_frames
def convert_imports(*packages: str) -> None:
    """Makes imports of packages convert every function in them, as `ag.convert` does.

    Where no trace is being made they run as they were written (`ag.config.plain`). Generators and
    coroutines, and functions that cannot be converted, stay as they are. The converted functions
    have the user's file names, lines and names. A package must not have been imported yet.
    `python -m autograph run --convert PACKAGE script.py` does this for a script.

    Args:
      packages: names of top-level packages or modules.

    Raises:
      ModuleNotFoundError: there is no such package.
      ImportError: it has been imported already.

    >>> convert_imports("this")
    >>> from importlib.util import find_spec
    >>> type(find_spec("this").loader).__name__
    '_Loader'
    """
    for name in packages:
        if name in sys.modules:
            raise ImportError(f"{name} has been imported already: call ag.convert_imports before "
                              "the first import of it", name=name)
        if importlib.util.find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    trace_into(*packages)
    finder = next((f for f in sys.meta_path if isinstance(f, _Finder)), None)
    if finder is None:
        sys.meta_path.insert(0, finder := _Finder())
    finder.packages |= set(packages)


class _Finder:
    """Finds the modules of some packages as Python does, and gives them another loader."""

    def __init__(self) -> None:
        self.packages: set[str] = set()

    def find_spec(self, fullname: str, path: Sequence[str] | None,
                  target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname.partition(".")[0] not in self.packages:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    """Loads a module whose functions are converted; keeps no file of the result."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        text = importlib.util.decode_source(self.get_data(path))
        code = with_names(compile(converted_module(text, path), path, "exec", dont_inherit=True))
        for made in converted_parts(code):
            note_generated(made, None)
        return code


def converted_module(text: str, filename: str) -> ast.Module:
    """Returns the tree of a file in which every function is converted that can be."""
    module = Module(text, filename)
    with deep_recursion():
        outcomes = module.convert(module.every()).outcomes
        for outcome in outcomes:
            if outcome.error is not None:
                verbosity.log(verbosity.CONVERSIONS, "left as it is: %s, %s: %s",
                              outcome.function.qualname, filename, outcome.error)
        tree = ast.parse(text, filename)
        names = sorted({outcome.ag for outcome in outcomes if not outcome.error})
        done = {outcome.function.lines[0]: outcome for outcome in outcomes if not outcome.error}
        _Replaced(done).visit(tree)
    at = _first_statement(tree)
    imports = [ast.Import([ast.alias("autograph", name)]) for name in names]
    forms = ast.ImportFrom(dispatch.__package__, [ast.alias("dispatch", FORMS)], 0)
    tree.body[at:at] = [ast.fix_missing_locations(x) for x in (*imports, forms)]
    return tree


class _Replaced(ast.NodeTransformer):
    """Puts converted functions in the place of those that begin on the same line."""

    def __init__(self, done: dict[int, Outcome]) -> None:
        self.done = done

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        outcome = self.done.get(first_line(node))
        if outcome is None or outcome.function.node.name != node.name:
            return self.generic_visit(node)
        return to_compile(node, ast.fix_missing_locations(to_ast(outcome.tree)), outcome.ag)


def _first_statement(tree: ast.Module) -> int:
    """Returns the number of statements that have to stay first: docstring, future imports."""
    count = 0 if ast.get_docstring(tree, clean=False) is None else 1
    while count < len(tree.body) and getattr(tree.body[count], "module", None) == "__future__":
        count += 1
    return count
