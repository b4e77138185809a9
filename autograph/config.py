"""Switches for all functions at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from autograph.dispatcher import Dispatcher
from autograph.operators import dispatch
from autograph.runtime import check, trace
from autograph.runtime.binding import Bound
from autograph.runtime.concrete import ConcreteFunction, interpret
from autograph.runtime.execute.numerics import Numerics
from autograph.runtime.execute.watching import watching


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Have all functions run as plain Python, without traces and graphs, or as graphs again."""
    Dispatcher.eagerly = run_eagerly
    _refresh_all()


def _refresh_all() -> None:
    for dispatcher in list(Dispatcher.living):
        with dispatcher.lock:
            dispatcher.refresh()


def check_numerics(on: bool) -> None:
    """Have every operation of every graph checked for infinities and NaNs, or no more (slow)."""
    Dispatcher.run_instead = _checked if on else None
    _refresh_all()


def _checked(concrete: ConcreteFunction, bound: Bound) -> Any:
    """Run a trace on the reference interpreter and look at all that it computes.

    Raises:
      CheckError: an operation gave an Inf or NaN; it names the user's line.
    """
    containers = [bound.containers[number][1] for number in concrete.program.containers]
    with watching(Numerics()):
        return interpret(concrete.program, (*[leaf.value for leaf in bound.leaves], *containers))


def functions_run_eagerly() -> bool:
    """Whether `run_functions_eagerly(True)` is in force."""
    return Dispatcher.eagerly


def executing_eagerly() -> bool:
    """Whether operations run at once: true everywhere but in a function that is being traced."""
    return not trace.tracing()


def inside_function() -> bool:
    """Whether a function is being traced."""
    return trace.tracing()


def check_graphs(on: bool) -> None:
    """Have every graph checked after it is traced and after it is optimised, or no more.

    For tests and for work on the compiler: a mistake of a pass is then told with the graph's text
    and the line that is wrong. It doubles the time of a trace.
    """
    check.check_graphs(on)


@contextmanager
def init_scope() -> Iterator[None]:
    """Run a block at once, outside the graph, while a function is traced."""
    with trace.no_trace(), dispatch.activate(cast(Any, None)):
        yield
