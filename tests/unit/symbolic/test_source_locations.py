"""The callers of each equation's line, looked up once for a frame, are those of the whole stack."""

import contextlib
import sys
from types import FrameType
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.exception_tables import begin_of_region, is_covered
from autograph.runtime.symbolic import record, source_locations
from autograph.runtime.symbolic.source_locations import MAX_CALLERS, Caller, user_frame

Line = tuple[Any, int]


def lines(location: Any) -> list[Line]:
    """The code and instruction of a location and of its callers."""
    found = []
    while location is not None:
        found.append((location.code, location.instruction))
        location = location.caller
    return found


def by_the_stack(frame: FrameType, region: Any) -> tuple[list[Line], bool]:
    """The callers of a frame, and whether a handler covers one, from all frames of its region."""
    frames: list[FrameType] = []
    found, end = user_frame(frame.f_back)
    while found is not None:
        frames.append(found)
        found, end = user_frame(found.f_back)
    begun = end is not None and end.f_code is begin_of_region() and len(frames) < MAX_CALLERS
    near = [(f.f_code, f.f_lasti) for f in frames[:MAX_CALLERS]]
    return near + lines(region.called if begun else None), any(map(is_covered, frames))


@pytest.fixture
def compared(monkeypatch):
    count = []

    def checked(frame: FrameType, region: Any) -> Caller:
        found = source_locations.caller_of(frame, region)
        assert (lines(found.location), found.covered) == by_the_stack(frame, region)
        count.append(frame.f_lineno)
        return found

    monkeypatch.setattr(record, "caller_of", checked)
    yield count
    assert len(count) > 3


def leaf(x, k):
    return x * k + 1


def pairs(x, n):
    for i in range(n):
        yield leaf(x, i)
        yield x - i


class Number:
    def __init__(self, x):
        self.x = leaf(x, 2)

    def __add__(self, other):
        with np.errstate(all="ignore"):
            return Number(leaf(self.x, 1) + other.x)


def resumed_at_two_places(x):
    items = pairs(x, 3)
    total = next(items)
    return leaf(total, 1) + sum(leaf(v, 1) for v in items)


def branches(x):
    if x[0] > 0:
        x = leaf(x, 2)
        if x[1] > 0:
            x = (Number(x) + Number(x)).x
    for i in range(100):
        x = leaf(x, i) if x[0] < i else x
    return x


def handlers(x):
    try:
        y = leaf(x, 3)
    finally:
        x = leaf(x, 4)
    with contextlib.suppress(KeyError):
        y = leaf(y, 5)
    return leaf(x, 1) + y


def deep(x, n):
    x = leaf(x, n)
    return leaf(deep(x, n - 1) if n else x, 2)


def every(x, n):
    return [leaf(v, n) for v in pairs(x, n)] + [(lambda y: leaf(y, n))(x)]


@pytest.mark.parametrize(("f", "arguments"), [
    (resumed_at_two_places, ()), (branches, ()), (handlers, ()), (deep, (20,)), (deep, (70,)),
    (every, (3,))])
def test_callers_are_those_of_the_stack(compared, f, arguments):
    x = np.linspace(0.5, 1.0, 3)
    np.testing.assert_array_equal(ag.function(f)(x, *arguments), f(x, *arguments))


def test_a_debugger_that_traces_lines_changes_nothing(compared):
    def watch(frame: FrameType, event: str, argument: Any) -> Any:
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        ag.function(branches)(np.ones(3))
    finally:
        sys.settrace(before)


def test_a_debugger_may_begin_while_a_frame_remembers_its_caller():
    seen = []
    watched = ag.do_not_convert(lambda: sys.settrace(lambda frame, event, argument: seen.append(1)))

    def f(x):
        x = leaf(x, 2)
        watched()
        return leaf(x, 3)

    before = sys.gettrace()
    try:
        made = ag.function(f)(np.ones(3))
    finally:
        sys.settrace(before)
    np.testing.assert_array_equal(made, np.full(3, 10.0))
