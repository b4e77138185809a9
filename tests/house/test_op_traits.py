"""A property of an op is a trait of its record: no list of op names stands outside `ops/`."""

import ast
import inspect
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from autograph.runtime.ops import OPS
from autograph.runtime.ops.op import EFFECTS, Op
from autograph.tools.house import is_op_name
from tests.house.checkout import ROOT, python_files

OUTSIDE = [f for f in python_files("autograph", "runtime", "tools")
           if not f.startswith("runtime/ops/")]

COLLECTIONS = {
    "autograph/conversion/call_resolution.py": 1,  # NumPy's functions that take a sequence
    "autograph/passes/lower/comprehensions.py": 1,  # Python's builtins that take an iterator
    # tables of forms in another language, one entry for each op (decision 0036)
    "runtime/export/containers.py": 1,
    "runtime/export/jax/adjoints.py": 1,
    "runtime/export/jax/elementwise.py": 1,
    "runtime/export/jax/indexing.py": 2,
    "runtime/export/jax/rules.py": 17,  # LISTS, PROMOTED and those in `reduction` should be traits
    "runtime/export/lowering.py": 1,  # arguments that change no value
    "runtime/export/onnx/compositions.py": 1,
    "runtime/export/onnx/factorisations.py": 1,
    "runtime/export/onnx/indexing.py": 6,
    "runtime/export/onnx/lists.py": 1,
    "runtime/export/onnx/reductions.py": 1,
    "runtime/export/onnx/rules.py": 10,
    "runtime/export/samples.py": 1,  # those that hold graphs
    "runtime/export/shared_rules.py": 1,
    "runtime/ir/regions.py": 1,  # the one place that names control flow
    "runtime/serialize/arrays.py": 2,  # the fields of an array's record in a file
    "runtime/serialize/dtypes.py": 2,  # those of a type's
    "runtime/tensor_methods/ndarray.py": 2,  # the methods of an ndarray
}
"""Collections of strings that are names of something else, which ops are named after."""

COMPARISONS = {
    "autograph/explain/notes.py": 2,  # an opaque op has a dotted name that is not in the table
    "runtime/export/jax/rules.py": 6,  # the exporters: a number here is work that is left
    "runtime/export/onnx/indexing.py": 3,
    "runtime/export/onnx/rules.py": 2,
    "runtime/ir/graph.py": 2,  # calls; the graph imports nothing of the op table
    "runtime/ir/regions.py": 8,  # the typed views, which nobody else has to compare names for
    "runtime/ir/verifier.py": 1,  # how many regions a `for` has
}
"""Comparisons with the name of an op. Fewer is better: a number here only goes down."""


@cache
def tree(file: str) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


def strings(node: ast.AST) -> Iterator[list[str]]:
    """The strings in a collection; of a dict the keys, and the values."""
    parts = [node.keys, node.values] if isinstance(node, ast.Dict) else [
        node.elts] if isinstance(node, ast.Set | ast.Tuple | ast.List) else []
    for items in parts:
        yield [x.value for x in items if isinstance(x, ast.Constant) and isinstance(x.value, str)]


def names_ops(found: list[str]) -> bool:
    """Returns True if two of the strings or more, and half of them at least, are names of ops."""
    named = sum(text in OPS for text in found)
    return named > 1 and 2 * named >= len(found)


@pytest.mark.parametrize("file", OUTSIDE)
def test_no_collection_of_op_names(file: str) -> None:
    found = [node.lineno for node in ast.walk(tree(file)) if any(map(names_ops, strings(node)))]
    assert len(found) <= COLLECTIONS.get(file, 0), f"make it a trait of Op: lines {found}"


def test_comparisons_with_op_names_go_down() -> None:
    found = Counter(file for file in OUTSIDE for node in ast.walk(tree(file))
                    if isinstance(node, ast.Compare)
                    and any(map(is_op_name, [node.left, *node.comparators])))
    assert {f: n for f, n in found.items() if n > COMPARISONS.get(f, 0)} == {}


@pytest.mark.parametrize("field", [f for f in Op.__dataclass_fields__ if f != "doc"])
def test_field_is_documented(field: str) -> None:
    assert f"\n{field} " in inspect.cleandoc(Op.__doc__ or "")


@pytest.mark.parametrize("op", OPS.values(), ids=lambda op: op.name)
def test_effect_is_one_of_the_documented(op: Op) -> None:
    assert op.effect in ("", *EFFECTS)
