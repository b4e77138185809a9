"""The printer of generated Python decides nothing: it knows statements, and no analysis."""

import ast

from tests.house.checkout import tree_of

PRINTER = "runtime/codegen/python_printer.py"


def test_printer_imports_no_lowering() -> None:
    modules = [node.module or "" for node in ast.walk(tree_of(PRINTER))
               if isinstance(node, ast.ImportFrom)]
    assert [m for m in modules if m.startswith("autograph.runtime.") and not m.startswith((
        "autograph.runtime.ir.", "autograph.runtime.diagnostics."))] == []


def test_printer_asks_for_no_type_and_no_uses() -> None:
    asked = [node.attr for node in ast.walk(tree_of(PRINTER)) if isinstance(node, ast.Attribute)]
    assert not {"type", "dtype", "shape", "uses", "plan", "op", "equations"}.intersection(asked)
