"""Random programs of all that Python has mean the same, converted by `ag.convert`.

    AUTOGRAPH_TESTS=100 python -m pytest -n 2 tests/random/test_python_programs.py
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

import autograph as ag
from tests.random.wider_python_programs import WiderProgram
from tests.support.amount import seeds
from tests.support.compiler import namespace

SEEDS = seeds(100)
ADDRESS = re.compile(" at 0x[0-9a-f]+")

pytestmark = pytest.mark.filterwarnings(
    "ignore:coroutine .* was never awaited", "ignore::SyntaxWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_plain(seed: int) -> None:
    source, name = WiderProgram(Random(seed)).source(), f"<random program {seed}>"
    try:
        plain = namespace(source)
    except SyntaxError:  # `nonlocal` of a name that the function happens not to bind
        return
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    converted: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, name, "exec"), converted)
    function = ag.convert(converted["f"])
    for choices in range(4):
        expected = shown(plain, plain["f"], choices)
        assert shown(converted, function, choices) == expected, source


def shown(space: dict[str, Any], function: Callable[..., Any], choices: int) -> str:
    """All that can be seen of a run: what it returns or raises, what it logs and leaves."""
    space["G"], log = 0, []
    ended: Any
    try:
        ended = function(log, choices)
    except (Exception, GeneratorExit, BaseExceptionGroup, space["Halt"]) as error:
        ended = list(chain(error))
    return ADDRESS.sub("", repr((ended, log, space["G"])))


def chain(error: BaseException | None) -> Iterator[tuple[str, str]]:
    """An exception, and those that it came from."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield type(error).__name__, str(error)
        error = error.__cause__ or error.__context__


def test_programs_do_something() -> None:
    sources = [WiderProgram(Random(seed)).source() for seed in SEEDS]
    mine = [source.partition("def f(log, seed)")[2] for source in sources]
    for word in ("yield", "yield from", "await ", "async for", "async with", "async def", "except*",
                 "class ", "super()", "nonlocal", ", *", "**", "lambda x=", " from ", "drive("):
        assert sum(word in source for source in mine) > len(SEEDS) // 20
