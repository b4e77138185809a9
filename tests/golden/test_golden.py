"""Compares what the compiler makes of small sources with the texts in the folders beside this file.

- `passes/`: what the passes make of a function, all of them or those up to the one in `[out …]`;
- `graphs/`: what one pass of the optimiser or of lowering makes of a graph;
- `nests/`: the loop nest of a graph, which becomes machine code;
- `programs/`: the statements that a function is lowered to, traced for the types in `[out …]`;
- `generated/`: the Python that is printed of them.

`python -m pytest tests/golden --update-golden` rewrites the texts: read the diff.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable

import pytest

import autograph as ag
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Graph, Value
from autograph.runtime.ir.type_text import parse_type
from autograph.runtime.ir.verifier import check
from autograph.runtime.lower import PASSES as LOWERING
from autograph.runtime.native.array_groups import ArrayGroup
from autograph.runtime.native.loop_nest import print_nest
from autograph.runtime.ops.parse import parse
from autograph.runtime.optimize import PASSES as OPTIMISER
from tests.golden.texts import CASES, Golden, of, rewrite
from tests.support.compiler import text as converted

PASSES = (*OPTIMISER, *LOWERING)


def run_pass(graph: Graph, stage: str) -> None:
    """Runs one pass; `algebra with fast_math` says that it may round otherwise."""
    name, _, fast = stage.partition(" with ")
    next(p for p in PASSES if p.name == name).run(graph, Record(fast_math=bool(fast), current=name))


def optimised(case: Golden) -> str:
    graph = parse(case.source)
    check(graph)
    run_pass(graph, case.stage)
    check(graph)
    return str(graph)


def concrete_of(case: Golden) -> ConcreteFunction:
    filename = f"<{case.title}>"
    linecache.cache[filename] = (0, None, case.source.splitlines(True), filename)
    scope: dict[str, object] = {"__name__": "golden"}
    exec("import numpy as np", scope)
    exec(compile(case.source, filename, "exec"), scope)
    types = [parse_type(text) for text in case.stage.split("; ")]
    return ag.function(scope["f"]).get_concrete_function(
        *(ag.TensorSpec(t.shape, t.dtype) for t in types))


def nested(case: Golden) -> str:
    graph = parse(case.source)
    check(graph)
    group = ArrayGroup(fast=case.stage == "fast")
    for e in graph.equations:
        group.add(e)
    return print_nest(group.nest([v for v in graph.outputs if isinstance(v, Value)]))


MAKERS: dict[str, Callable[[Golden], str]] = {
    "passes": lambda case: converted(case.source, case.stage or None),
    "graphs": optimised,
    "nests": lambda case: nested(case).strip("\n"),
    "programs": lambda case: concrete_of(case).execution.statements.strip("\n"),
    "generated": lambda case: concrete_of(case).source.strip("\n"),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_text(case: Golden, request: pytest.FixtureRequest) -> None:
    made = MAKERS[case.file.parent.name](case)
    if request.config.getoption("--update-golden", default=False):
        rewrite(case, made)
    assert made == case.expected


def test_names_are_unique() -> None:
    names = [case.title for case in CASES]
    assert sorted(names) == sorted(set(names))
    assert {case.file.parent.name for case in CASES} == set(MAKERS)


def test_every_pass_has_a_case() -> None:
    named = {case.stage.partition(" with ")[0] for case in of("graphs")}
    assert named == {p.name for p in PASSES if p.name != "dead code at the end"}
