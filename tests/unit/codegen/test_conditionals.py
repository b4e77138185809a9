"""Branches that are written as expressions: what is not chosen does not run, however long it is."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support import program_files
from tests.support.outcome import run

SIDES = [
    "a[i] - b[j] == k",
    "b[i + 1] <= b[i]",
    "items[i + 3] <= items[i]",
    "items[i] // (k - i) * items[i - 1] // (k - j) + items[i] - items[j] > k",
    "(items[i] - k) * (items[j] - k) * (items[i] + k) * (items[j] + k) // items[i] // items[j] > 0",
]
FORMS = [
    "if {0} or {1}: n += 1",
    "if i < 2 and {0}: n += 1",
    "if i == 0 or {0}: n += 1",
    "if (i == 0 or {0}) and (j > 2 or {1}): n += 1",
    "n += 1 if i < 2 and {0} else 2",
    "n += (1 if {1} else 2) if i < 1 else (3 if {0} else 4)",
]
HOMES = [
    ["for i in range(m):", "    for j in range(i + 1, m):", "        {0}"],
    ["i, j = m - 4, m - 1", "{0}"],
]


def program(form: str, home: list[str], sides: tuple[str, ...], folder: Path
            ) -> Callable[..., Any]:
    lines = [line.format(form.format(*sides)) for line in home]
    source = ["def f(a, items, m, k):", "    b = a", "    n = 0",
              *(f"    {line}" for line in lines), "    return n"]
    return program_files.program(folder, "\n".join(source)).f  # type: ignore[no-any-return]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("home", HOMES, ids=["loop", "line"])
def test_what_is_not_chosen_does_not_run(form: str, home: list[str], tmp_path: Path) -> None:
    for sides in itertools.permutations(SIDES, 2):
        f = program(form, home, sides, tmp_path)
        traced = ag.function(f)
        for a, items, m, k in itertools.product(
                [np.array([1, 5, 3, 4]), np.array([4, 4, 2**62, -2**62])],
                [[np.int64(2), np.int64(3), np.int64(4), np.int64(9)]],
                [np.int64(3), np.int64(4)], [np.int64(3), np.int64(0)]):
            arguments = a, items, m, k
            assert run(traced, arguments).describe() == run(f, arguments).describe(), (sides, m, k)
