"""A few of CPython's suites; `python -m benchmarks.cpython_suites` runs them all."""

from __future__ import annotations

import importlib.util

import pytest

from benchmarks.cpython_suites import Comparison, compare
from tests.compatibility.cpython.known import reason_for
from tests.compatibility.cpython.suites import SUITES

QUICK = ("textwrap", "shlex", "heapq", "fractions", "graphlib", "tomllib", "test_patma",
         "test_with", "test_generators")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("test.test_patma") is None,
                       reason="this Python comes without its tests")]


@pytest.mark.parametrize("name", QUICK)
def test_suite(name: str) -> None:
    comparison = compare(name)
    assert comparison.plain["ran"] == comparison.converted["ran"] > 0
    assert comparison.converted["converted"] > 0 and not comparison.converted["refused"]
    assert comparison.unexplained == {}


def test_a_new_failure_is_seen() -> None:
    plain = {"ran": 2, "failed": {"a": "flaky anyway"}}
    converted = {"ran": 2, "failed": {"a": "", "b": "boom"}, "converted": 1, "refused": {}}
    assert Comparison("x", plain, converted).unexplained == {"b": "boom"}


def test_reasons_are_for_single_tests() -> None:
    assert reason_for("test.test_tomllib.test_misc.TestMiscellaneous.test_deepcopy") is None
    assert len(SUITES) >= 60
