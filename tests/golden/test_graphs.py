"""Each pass on small graphs: what it makes of the text, and that the numbers stay the same bits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from autograph.runtime import lower, optimize
from autograph.runtime.interpret import interpreter
from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.types import PyType
from autograph.runtime.ir.verifier import check
from autograph.runtime.ops.parse import parse
from tests.support.outcome import describe

FILE = Path(__file__).parent / "graphs" / "passes.test"
SPECIAL = {"f": [-0.0, np.inf, np.nan, 1e-310, -2.5], "i": [0, -1, 127], "b": [True, False]}

PASSES = (*optimize.PASSES, *lower.PASSES)


@dataclass
class Case:
    """A graph's text, the pass that it is given to, and the text expected."""

    name: str
    before: str
    title: str
    expected: str

    @property
    def written(self) -> str:
        return f"[case {self.name}]\n{self.before}\n[out {self.title}]\n{self.expected}\n"


def read() -> list[Case]:
    found = []
    for part in re.split(r"^\[case ", FILE.read_text(), flags=re.M)[1:]:
        name, _, rest = part.partition("]\n")
        before, title, expected = re.split(r"^\[out (.*)\]\n", rest, flags=re.M)
        found.append(Case(name, before.strip("\n"), title, expected.strip("\n")))
    return found


CASES = read()


def run_pass(graph: Graph, title: str) -> Record:
    name, _, fast = title.partition(" with ")
    record = Record(fast_math=bool(fast), current=name)
    next(p for p in PASSES if p.name == name).run(graph, record)
    return record


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_text(case: Case, request: pytest.FixtureRequest) -> None:
    graph = parse(case.before)
    check(graph)
    run_pass(graph, case.title)
    check(graph)
    made = str(graph)
    if request.config.getoption("--update-golden", default=False):
        case.expected = made
        FILE.write_text("\n".join(c.written for c in CASES))
    assert made == case.expected


def samples(graph: Graph, seed: int) -> list[object]:
    """An argument for each input, with numbers that are easy to get wrong among them."""
    random = np.random.default_rng(seed)
    found = []
    for value in graph.inputs:
        if isinstance(value.type, PyType):
            found.append(seed)
            continue
        dtype, shape = value.type.dtype, value.type.shape
        array = np.array(np.round(random.normal(size=shape) * 4, 2)).astype(dtype)
        special = SPECIAL[dtype.kind]
        if seed:
            array.flat[: len(special)] = special[: array.size]
        found.append(array[()] if value.type.scalar else array)
    return found


def outcome(graph: Graph, arguments: list[object]) -> str:
    try:
        return describe(interpreter.run(graph, *arguments))
    except Exception as error:
        return type(error).__name__


EXACT = [case for case in CASES if "fast_math" not in case.title and "random" not in case.name]


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("case", EXACT, ids=lambda case: case.name)
@np.errstate(all="ignore")
def test_the_numbers_are_the_same(case: Case, seed: int) -> None:
    before, after = parse(case.before), parse(case.before)
    run_pass(after, case.title)
    arguments = samples(before, seed)
    assert outcome(after, arguments) == outcome(before, arguments)


@pytest.mark.parametrize("case", [c for c in CASES if "fast_math" in c.title],
                         ids=lambda case: case.name)
def test_with_fast_math_the_numbers_are_close(case: Case) -> None:
    before, after = parse(case.before), parse(case.before)
    run_pass(after, case.title)
    arguments = samples(before, 0)
    for a, b in zip(interpreter.run(after, *arguments), interpreter.run(before, *arguments),
                    strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_every_pass_has_a_case() -> None:
    assert {c.title.partition(" with ")[0] for c in CASES} == {
        p.name for p in PASSES if p.name != "dead code at the end"}
