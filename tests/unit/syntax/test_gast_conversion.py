"""Our walks between Python's trees and gast's, compared with gast's own over real modules."""

import argparse
import ast
import asyncio.base_events
import dataclasses
import inspect
import typing
from types import ModuleType

import gast
import pytest
import test.test_patma

from autograph.syntax.gast_conversion import as_ast, copied, to_ast, to_gast
from tests.corpus.language import exceptions
from tests.corpus.numpy import arrays

MODULES = [argparse, ast, asyncio.base_events, dataclasses, inspect, test.test_patma, typing,
           arrays, exceptions]


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_there_and_back(module: ModuleType) -> None:
    tree = ast.parse(inspect.getsource(module))
    theirs = gast.ast_to_gast(tree)
    for node in gast.walk(theirs):  # this one gast leaves without a position
        if isinstance(node, gast.ExceptHandler) and node.name is not None:
            gast.copy_location(node.name, node)
    ours = to_gast(tree)
    assert gast.dump(ours, include_attributes=True) == gast.dump(theirs, include_attributes=True)
    back, expected = to_ast(ours), gast.gast_to_ast(theirs)
    assert ast.dump(back, include_attributes=True) == ast.dump(expected, include_attributes=True)


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_a_copy_shares_no_node_that_can_be_changed(module: ModuleType) -> None:
    tree = to_gast(ast.parse(inspect.getsource(module)))
    classes = [type(node) for node in gast.walk(tree)]
    as_ast(tree)   # converts a copy in place: `continue` was one node in both
    assert [type(node) for node in gast.walk(tree)] == classes
    own = {id(node) for node in gast.walk(tree)}
    shared = {type(node) for node in gast.walk(copied(tree)) if id(node) in own}
    assert all(issubclass(kind, (gast.expr_context, gast.operator, gast.unaryop, gast.boolop,
                                 gast.cmpop)) for kind in shared)


TYPE_PARAMETERS = "class A[T: int, *Ts, **P](B[T]):\n    def f[U](self, x: U) -> T: ...\ntype L = 1"


@pytest.mark.skipif(not hasattr(ast, "TypeVar"), reason="type parameters are of Python 3.12")
def test_type_parameters() -> None:
    tree = ast.parse(TYPE_PARAMETERS)
    assert gast.dump(to_gast(tree)) == gast.dump(gast.ast_to_gast(tree))
    assert ast.dump(to_ast(to_gast(tree))) == ast.dump(gast.gast_to_ast(gast.ast_to_gast(tree)))
