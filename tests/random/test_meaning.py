"""Converted programs mean what they meant: results, exceptions, effects and their order."""

from __future__ import annotations

from random import Random
from typing import Any

import gast
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograph.analysis.completion import Completion
from autograph.analysis.statements import statements
from autograph.passes import pipeline
from autograph.syntax.context import Context
from tests.corpus.language.meaning import GUARD, PROGRAMS
from tests.random.python_programs import Program
from tests.support.amount import count
from tests.support.compiler import both, outcome, parsed


@pytest.mark.parametrize("name", PROGRAMS)
def test_corpus(name: str) -> None:
    plain, converted = both(GUARD + PROGRAMS[name])
    for n in range(8):
        assert outcome(converted["f"], n) == outcome(plain["f"], n)


@settings(max_examples=count(50), derandomize=True, deadline=None,
          suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**9))
def test_random_programs(seed: int) -> None:
    source = Program(Random(seed)).source()
    try:
        compile(source, "<program>", "exec")
    except SyntaxError:  # `nonlocal` of a name that the function happens not to bind
        return
    plain, converted = both(source)
    for choices in range(4):
        assert _shown(converted, choices) == _shown(plain, choices)


@settings(max_examples=100, derandomize=True, deadline=None,
          suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**9))
def test_nothing_stays_without_a_reason(seed: int) -> None:
    body = Program(Random(seed)).source().partition("G = 0\n")[2]
    tree = parsed(body)
    completion = Completion()
    if not any(completion.pinned(statement) for statement in statements(tree.body)):
        converted = pipeline.run(tree, Context())
        assert not [node for node in gast.walk(converted)
                    if isinstance(node, (gast.If, gast.While, gast.For))]


def _shown(space: dict[str, Any], choices: int) -> str:
    space["G"] = 0
    try:
        return repr(outcome(space["f"], choices))
    except space["Halt"]:
        return "halted"


def test_random_programs_do_something() -> None:
    sources = [Program(Random(seed)).source() for seed in range(200)]
    for word in ("break", "continue", "finally", "nonlocal", "lambda", "del ", "match", ":= "):
        assert sum(word in source for source in sources) > 20
