"""Switches for all functions at once, such as `ag.config.debug = True`.

`debug`: whether graphs run equation by equation, on the user's own lines. Breakpoints then stop
there with real arrays in view, as do errors and the first NaN (NumericsWarning). AUTOGRAPH_DEBUG=1
sets it at the start. It is slow.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, cast

from autograph.function.dispatcher import Dispatcher, choose_path
from autograph.operators import dispatch
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.interpret import debugger
from autograph.runtime.interpret.nan_checks import RaiseOnNan
from autograph.runtime.interpret.run_program import interpret
from autograph.runtime.interpret.watchers import watching
from autograph.runtime.ir import verifier
from autograph.runtime.signatures.binding import Bound
from autograph.runtime.symbolic import trace

debug: bool
"""Whether graphs run equation by equation (see above); may be set."""


class _Config(ModuleType):
    """The module itself, with a switch that acts when it is set."""

    @property
    def debug(self) -> bool:
        return debugger.on

    @debug.setter
    def debug(self, on: bool) -> None:
        debugger.on = bool(on)
        choose_path()


sys.modules[__name__].__class__ = _Config


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Have all functions run as plain Python, without traces and graphs, or as graphs again."""
    Dispatcher.eagerly = run_eagerly
    choose_path()


def check_numerics(on: bool) -> None:
    """Have every operation of every graph checked for infinities and NaNs, or no more (slow)."""
    Dispatcher.run_instead = _checked if on else None
    choose_path()


def _checked(concrete: ConcreteFunction, bound: Bound) -> Any:
    """Run a trace on the reference interpreter and look at all that it computes.

    Raises:
      CheckError: an operation gave an Inf or NaN; it names the user's line.
    """
    containers = [bound.containers[number][1] for number in concrete.program.containers]
    with watching(RaiseOnNan()):
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
    verifier.check_graphs(on)


@contextmanager
def init_scope() -> Iterator[None]:
    """Run a block at once, outside the graph, while a function is traced."""
    with trace.no_trace(), dispatch.activate(cast(Any, None)):
        yield


debugger.on = os.environ.get("AUTOGRAPH_DEBUG", "0") not in ("", "0")
choose_path()
