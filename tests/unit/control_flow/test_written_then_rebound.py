"""Arrays that nested loops, branches and calls change and then bind anew: other names of them see
the change."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.program_files import program

BLOCKS = {
    "for": "for {i} in range(int(c) + 1):",
    "while": "{i} = 0\nwhile {i} < c:\n    {i} += 1",
    "if": "if x[0] < c * 3:",
    "rows": "for {i} in np.arange(c + 1):",
}
CHANGES = {
    "item": "x[0] += c", "view": "w = x[:2]\nw += c", "whole": "x += c", "sort": "x[::-1].sort()",
}
ALIASES = {"same": "x", "view": "x[1:]", "held": "[x, x]"}


def indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def written(blocks: tuple[str, ...], change: str, alias: str) -> str:
    text = f"{CHANGES[change]}\nx = np.stack([c, x[0] * 0.5, 0.3])"
    for n, block in enumerate(reversed(blocks)):
        text = f"{BLOCKS[block].format(i=f'i{n}')}\n{indented(text)}"
    return "import numpy as np\n\ndef f(x, c):\n" + indented(
        f"z = {ALIASES[alias]}\n{text}\nreturn x, z")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    folder = tmp_path_factory.mktemp("programs")
    return lambda source: program(folder, source).f


def run(f: Callable[..., Any], c: float) -> str:
    x = np.array([-0.94, 0.35, -0.18])
    return repr((f(x, np.float64(c)), x))


@pytest.mark.parametrize("blocks", [
    *itertools.product(BLOCKS, repeat=2), *itertools.product(("for", "if"), repeat=3)], ids=str)
def test_other_names_see_the_change(blocks: tuple[str, ...], loaded: Callable[[str], Any]) -> None:
    for change, alias in itertools.product(CHANGES, ALIASES):
        plain = loaded(written(blocks, change, alias))
        ours = ag.function(plain)
        for c in (2.0, 0.0, 1.0):
            assert run(ours, c) == run(plain, c), written(blocks, change, alias)


def twice(x: np.ndarray, c: Any, n: int) -> np.ndarray:
    for _ in range(int(c) + 1):
        x[0] += c
        x = np.stack([c, x[0] * 0.5, 0.3])
    return x if c * n < 1 else twice(x, c - 1, n)


def through_calls(x: np.ndarray, c: Any) -> Any:
    z = x[:2]
    return twice(x, c, 1), z


def test_parameters_of_a_recursion() -> None:
    for c in (2.0, 0.0, 1.0, 4.0):
        assert run(ag.function(through_calls), c) == run(through_calls, c)
