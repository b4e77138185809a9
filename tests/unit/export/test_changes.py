"""What changes objects of the caller's is refused, with what it changes and the line."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.export.exported import exported_program

SEEN: list[Any] = []


class Counter:
    total = 0.0


COUNTER = Counter()


def appended(x, made):
    SEEN.append(x.sum())
    return x


def counted(x, made):
    COUNTER.total = x.sum()
    return x


def filled(x, made):
    made.append(x.sum())
    return x


def stored(x, made):
    global LAST
    LAST = x * 2
    return x


@pytest.mark.parametrize(("f", "what", "line"), [
    (appended, "the list in the variable 'SEEN', outside the function", "SEEN.append(x.sum())"),
    (counted, "the attribute 'total' of an object of class Counter", "COUNTER.total = x.sum()"),
    (filled, "made, a list, dict or object", "made.append(x.sum())"),
    (stored, "the variable 'LAST', outside the function", "LAST = x * 2"),
])
def test_what_it_changes_is_named_with_the_line(f: Any, what: str, line: str) -> None:
    concrete = ag.function(f).get_concrete_function(np.ones(2), [1.0])
    with pytest.raises(ag.errors.ExportError) as refused:
        exported_program(concrete, "ONNX")
    assert what in str(refused.value) and line in str(refused.value)
