"""Every program of the corpus: its graph as traced and as optimised, on the interpreter."""

from __future__ import annotations

import copy
import inspect
import re

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.interpret import interpreter
from autograph.runtime.ir.graph import Graph
from tests.corpus.case import Case
from tests.corpus.cases import CASES
from tests.support.outcome import describe


def run(graph: Graph, arguments: list[object]) -> str:
    """The graph's outputs, or the exception's class, as text."""
    np.random.seed(1)  # noqa: NPY002  # the programs draw from the global state
    try:
        text = describe(interpreter.run(graph, *copy.deepcopy(arguments)))
        return re.sub(r" at 0x[0-9a-f]+", "", text)  # objects are others in each run
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_optimised_graph_gives_the_same_bits(case: Case) -> None:
    dispatcher = ag.function(case.function).__ag_dispatcher__
    for arguments in copy.deepcopy(case.arguments):
        found = inspect.signature(case.function).bind(*arguments)
        found.apply_defaults()
        try:
            concrete, bound = dispatcher.find(dict(found.arguments))
        except Exception:  # what cannot be traced is the business of other tests
            continue
        leaves = [leaf.value for leaf in bound.leaves]
        assert run(concrete.graph, leaves) == run(concrete.traced_graph, leaves)
        for change in concrete.changes:
            assert str(change)
