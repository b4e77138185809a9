"""Traces functions by reference, and compares their graphs with those by value."""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np

import autograph as ag
from autograph.runtime.interpret.interpreter import run
from autograph.runtime.ir.graph import Graph, Value
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.ir.verifier import check
from autograph.runtime.references.programs import program_by_value
from autograph.runtime.symbolic.trace_mode import TraceMode


@contextmanager
def traced_by_reference() -> Iterator[None]:
    """Makes the first trace of each function one by reference."""
    first = TraceMode.first.__func__  # type: ignore[attr-defined]

    def by_reference(cls: type[TraceMode], *args: Any) -> TraceMode:
        return replace(first(cls, *args), by_reference=True)

    with patch.object(TraceMode, "first", classmethod(by_reference)):
        yield


def program_of(f: Callable[..., Any], args: Sequence[Any]) -> tuple[Program, list[Any]]:
    """The program of a function by reference, before it is optimised, and its inputs."""
    with traced_by_reference():
        function = ag.function(f)
        bound = inspect.signature(f).bind(*copy.deepcopy(tuple(args)))
        concrete, call = function.__ag_dispatcher__.find(dict(bound.arguments))
    program = concrete.program
    return program.before or program, [leaf.value for leaf in call.leaves]


def outcome(graph: Graph, inputs: Sequence[Any]) -> tuple[Any, ...]:
    """What a graph gives, or the class of the exception, and what its inputs hold at the end."""
    given = copy.deepcopy(list(inputs))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return "gives", copy.deepcopy(run(graph, *given)), given
        except Exception as error:
            return "raises", type(error), None


def check_by_value(f: Callable[..., Any], args: Sequence[Any]) -> Graph:
    """Checks that a function's graph by value does what it does by reference; returns it.

    Raises:
      NotByValue: it has none.
    """
    program, inputs = program_of(f, args)
    made = program_by_value(program)
    assert not any(e.op.effect == "store" for e in made.graph.walk())
    before = [x for x in flatten(program.result) if isinstance(x, Value)]
    held = dict(made.write_back)
    after = [held.get(x, x) if isinstance(x, Value) else x for x, old in zip(
        flatten(made.result), flatten(program.result), strict=True) if isinstance(old, Value)]
    old = replace(program.graph, outputs=tuple(before))
    new = replace(made.graph, outputs=(*after, *held.values()))
    check(new)
    kind, results, ends = outcome(old, inputs)
    other, found, _ = outcome(new, inputs)
    assert kind == other
    if kind == "raises":
        assert results is found
        return new
    assert_same(found[:len(after)], results)
    written = dict(zip(held, found[len(after):], strict=True))
    for v, start, end in zip(old.inputs, inputs, ends, strict=True):
        assert_same(written.get(v, start), end)
    return new


def assert_same(found: Any, wanted: Any) -> None:
    """Checks that two nests hold the same arrays and numbers, of the same types."""
    for x, y in zip(flatten(found), flatten(wanted), strict=True):
        assert type(x) is type(y)
        np.testing.assert_array_equal(x, y)
        assert np.asarray(x).dtype == np.asarray(y).dtype
