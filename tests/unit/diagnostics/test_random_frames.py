"""Frames of an error hold what plain Python's do: random functions, arrays of two sizes."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.random.frame_programs import program
from tests.support.amount import seeds

PARTS = np.array([1.0, -2.0, 3.0]), np.array([0.5, 1.0, -1.0])


@pytest.mark.parametrize("seed", seeds(30))
def test_no_variable_has_another_value(seed: int) -> None:
    name, scope = f"<frames {seed}>", {"__name__": "frames"}
    text = program(seed)
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    exec(compile(text, name, "exec"), scope)
    size = 4000 if seed % 2 else 3
    plain, own = (frames(f, name, [*(np.resize(x, size) for x in PARTS), 4])
                  for f in (scope["f"], ag.function(scope["f"])))  # type: ignore[call-overload]
    assert [frame[:2] for frame in plain] == [frame[:2] for frame in own]
    assert own[-1][2]
    for (_, _, expected), (_, _, found) in zip(plain, own, strict=True):
        for variable, x in found.items():
            assert type(x) is type(expected[variable]), variable
            np.testing.assert_array_equal(x, expected[variable], err_msg=variable)


def frames(f: Callable[..., Any], name: str, arguments: list[Any]
           ) -> list[tuple[str, int, dict[str, Any]]]:
    """Returns the function, the line and the variables of each frame of the error of a call."""
    with np.errstate(all="ignore"), pytest.raises(IndexError) as caught:
        f(*arguments)
    entry, found = caught.value.__traceback__, []
    while entry is not None:
        if entry.tb_frame.f_code.co_filename == name:
            found.append((entry.tb_frame.f_code.co_name, entry.tb_lineno,
                          dict(entry.tb_frame.f_locals)))
        entry = entry.tb_next
    return found
