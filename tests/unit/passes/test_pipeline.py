"""The pipeline as a whole: positions, determinism, growth, and what it leaves alone."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import traceback
from typing import Any

import gast
import pytest

from autograph.analysis.analyses import Unit
from autograph.passes import pipeline
from autograph.syntax.context import CallRule, Context
from autograph.syntax.errors import InternalError
from tests.corpus.language.meaning import PROGRAMS
from tests.support.compiler import (
    OPERATORS,
    converted_module,
    lines_of,
    namespace,
    outcome,
    parsed,
    text,
)
from tests.support.work_done import calls_made

FUNCTIONS = {name: source for name, source in PROGRAMS.items() if source.startswith("\ndef f")}


@pytest.mark.parametrize("name", PROGRAMS)
def test_positions_are_ranges_of_the_users_file(name: str) -> None:
    lines = PROGRAMS[name].splitlines()
    for node in ast.walk(converted_module(PROGRAMS[name])):
        if isinstance(node, (ast.stmt, ast.expr)):
            start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
            assert start <= end and node.end_lineno is not None
            assert node.end_col_offset is not None
            assert node.end_col_offset <= len(lines[node.end_lineno - 1].encode())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_between_passes_the_tree_is_python(name: str) -> None:
    plain = namespace(FUNCTIONS[name])["f"] if "Guard" not in FUNCTIONS[name] else None
    for step in pipeline.PASSES:
        module = gast.parse(FUNCTIONS[name])
        module.body[-1] = pipeline.run(module.body[-1], Context(), stop_after=step.name)
        converted = namespace(gast.gast_to_ast(module))["f"]
        if plain is not None:
            assert outcome(converted, 3) == outcome(plain, 3), step.name


def test_input_is_left_alone() -> None:
    tree = parsed(PROGRAMS["break_return_continue_else"])
    before = gast.dump(tree, include_attributes=True)
    pipeline.run(tree, Context())
    assert gast.dump(tree, include_attributes=True) == before


def test_observe_and_stop_after() -> None:
    seen: list[str] = []
    tree = parsed("def f(x): return x and x")
    pipeline.run(tree, Context(), stop_after="jumps", observe=lambda name, _: seen.append(name))
    assert seen == [step.name for step in pipeline.PASSES][: len(seen)] and seen[-1] == "jumps"


def test_lambda() -> None:
    tree: Any = gast.parse("lambda x: x if x and y(x) else 0", mode="eval").body
    expression = gast.gast_to_ast(gast.Expression(pipeline.run(tree, Context())))
    made = ast.unparse(expression)
    assert made == ("lambda x: ag.cond(ag.and_(ag.truth(x), lambda: ag.converted(y)(x)), "
                    "lambda: x, lambda: 0)")


def test_call_rules_are_asked_for() -> None:
    def resolve(callee: gast.expr, local_names: frozenset[str]) -> CallRule:
        asked.append((gast.dump(callee).split("'")[1], sorted(local_names)))
        return CallRule("operator", "len") if asked[-1][0] == "len" else CallRule("keep")

    asked: list[tuple[str, list[str]]] = []
    tree = parsed("def f(x):\n    if x:\n        y = len(x)\n    return [g(z) for z in x], y")
    made = gast.gast_to_ast(pipeline.run(tree, Context(resolve=resolve)))
    assert asked == [("len", ["x", "y"]), ("g", ["x", "y", "z"])]
    assert "ag.len(x)" in ast.unparse(made) and "g(z)" in ast.unparse(made)


def test_private_names() -> None:
    source = "def f(self, __x):\n    self.__a.__b__ = __x\n    def __g(): return C.__d(__e=1)\n"
    tree = pipeline.run(parsed(source), Context(class_name="__K"), stop_after="private_names")
    assert ast.unparse(gast.gast_to_ast(tree)) == (
        "def f(self, _K__x):\n    self._K__a.__b__ = _K__x\n\n"
        "    def _K__g():\n        return C._K__d(__e=1)")


def test_a_fault_of_a_pass_names_the_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(tree: Any, unit: Unit) -> Any:
        raise KeyError("oops")

    monkeypatch.setattr(pipeline, "PASSES", (pipeline.Pass("broken", fail),))
    with pytest.raises(InternalError, match="the pass 'broken' failed: KeyError: 'oops'"):
        pipeline.run(parsed("def f(): pass"), Context())


def test_traceback_shows_the_users_line_and_columns() -> None:
    source = "def f(log, x):\n    while x:\n        if x > 1:\n            x = 1 / (x - x)\n"
    try:
        namespace(converted_module(source))["f"]([], 2)
    except ZeroDivisionError as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        assert (last.filename, last.lineno, last.colno, last.end_colno) == ("<program>", 4, 16, 27)
    else:
        raise AssertionError("the program divides by zero")


def test_every_line_that_runs_is_a_line_of_the_user() -> None:
    source = "def f(log, x):\n    for i in x:\n        if i:\n            return 1\n        i()\n"
    ran = set()

    def trace(frame: Any, event: str, _: Any) -> Any:
        if event == "line" and frame.f_code.co_filename == "<program>":
            ran.add(frame.f_lineno)
        return trace

    function = namespace(converted_module(source))["f"]
    sys.settrace(trace)
    try:
        function([], [1])
    finally:
        sys.settrace(None)
    assert ran == {1, 2, 3, 4}  # line 1: the value that `result` has at first


@pytest.mark.slow
def test_output_does_not_depend_on_the_hash_seed() -> None:
    script = ("from tests.corpus.language.meaning import PROGRAMS\n"
              "from tests.support.compiler import text\n"
              "for source in PROGRAMS.values():\n"
              "    if source.startswith('\\ndef f'): print(text(source))")
    made = {subprocess.run([sys.executable, "-c", script], check=True, capture_output=True,
                           env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": "."}).stdout
            for seed in ("0", "1", "2")}
    assert len(made) == 1 and b"ag.while_loop" in made.pop()


def shapes(n: int) -> dict[str, str]:
    """Programs of n times the same, of each kind for which a compiler easily takes too long."""
    return {
        "lines": "def f(x):\n" + "".join(f"    v{i} = x + {i}\n" for i in range(10 * n)),
        "elifs": "def f(x):\n    if x == 0: y = 0\n" + "".join(
            f"    elif x == {i}:\n        y = {i}\n" for i in range(n)) + "    return y\n",
        "elifs that return": "def f(x):\n    if x == 0: return 0\n" + "".join(
            f"    elif x == {i}:\n        return {i}\n" for i in range(n)),
        "early returns": "def f(x):\n" + "".join(
            f"    if x == {i}: return {i}\n    x += 1\n" for i in range(n)),
        "loops in a row": "def f(x):\n" + "".join(
            f"    for i in x:\n        if i == {k}: break\n        x = i\n" for k in range(n)),
        "nested loops": "def f(x):\n" + "".join(
            "    " * i + f"while x < {i}:\n" + "    " * (i + 1) + "if x: break\n"
            for i in range(1, 1 + n // 5)),
        "nested finally": "def f(x):\n" + "".join(
            "    " * i + "try:\n" for i in range(1, n // 5)) + "    " * (n // 5) + "return x\n"
            + "".join("    " * i + "finally:\n" + "    " * (i + 1) + "x += 1\n"
                      for i in range(n // 5 - 1, 0, -1)),
    }


def work(source: str) -> int:
    """Returns how many Python functions the conversion calls."""
    tree = parsed(source)
    return calls_made(lambda: pipeline.run(tree, Context()))


@pytest.mark.parametrize("shape", shapes(1))
def test_scales(shape: str) -> None:
    """Twice the program is about twice the work: not its square, not 2 ** n."""
    work(shapes(20)[shape])
    once, twice = work(shapes(40)[shape]), work(shapes(80)[shape])
    assert twice < 3 * once


def test_readability(capsys: pytest.CaptureFixture[str]) -> None:
    """How many lines come out for one that goes in; it must not creep up."""
    before = sum(lines_of(source) for source in FUNCTIONS.values())
    after = sum(lines_of(text(source)) for source in FUNCTIONS.values())
    with capsys.disabled():
        print(f"\n{before} lines -> {after} lines: {after / before:.2f} out per line in")
    assert after / before < 2.0
    assert set(vars(OPERATORS)) >= {"cond", "while_loop", "for_loop", "converted"}
