"""Switches for all functions at once, such as `ag.config.debug = True`.

`debug`: whether graphs run equation by equation, on the user's own lines. Breakpoints then stop
there with real arrays in view, as do errors and the first NaN (NumericsWarning). AUTOGRAPH_DEBUG=1
sets it at the start. It is slow.

`strict`: whether functions that do not say so themselves give every exception and every warning of
the plain function (the option `strict` of `ag.function`). AUTOGRAPH_STRICT=1 sets it at the start.
It counts for traces that are made afterwards.

`verify`: how many calls of each signature are also run as plain Python and compared, of functions
that do not say so themselves (the option `verify` of `ag.function`). AUTOGRAPH_VERIFY=3 sets it at
the start. It counts for traces that are made afterwards.

`cache_dir`: the folder of the cache on disk, where machine code is kept for later processes, and
traces that depend on nothing but their functions' source; None: there is none, as from the start.
AUTOGRAPH_CACHE=FOLDER sets it at the start. The folder must
belong to the user, and nobody else may write into it.

`cache_bytes`: the bytes that the folder may have, 256 MiB from the start: what was used longest ago
goes. AUTOGRAPH_CACHE_BYTES sets it at the start.

`plain`: whether functions of `ag.convert`, and those imported converted, run as they were written
where no trace is being made. It is so from the start; with AUTOGRAPH_PLAIN=0 or `plain = False`
they run converted everywhere, which is for tests of the conversion.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, cast

from autograph.function.dispatcher import Dispatcher, choose_path
from autograph.function.options import STRICT, VERIFICATION, check_kind, number_of_calls
from autograph.operators import dispatch
from autograph.runtime.disk.cache import SWITCH as DISK
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.interpret import debugger
from autograph.runtime.interpret.nan_checks import RaiseOnNan
from autograph.runtime.interpret.run_program import interpret
from autograph.runtime.interpret.watchers import watching
from autograph.runtime.ir import verifier
from autograph.runtime.ir.program import Program
from autograph.runtime.symbolic import trace
from autograph.suggestions import nearest
from autograph.traceback_filter import hiding_frames

debug: bool
"""Whether graphs run equation by equation (see above); may be set."""


strict: bool
"""Whether graphs keep what nothing uses if it may raise or warn (see above); may be set."""


verify: int
"""How many calls of each signature are also run as plain Python (see above); may be set."""


plain: bool
"""Whether functions run as they were written outside traces (see above); may be set."""


cache_dir: str | os.PathLike[str] | None
"""The folder of the cache on disk (see above); may be set."""


cache_bytes: int
"""The bytes that the cache on disk may have (see above); may be set."""


SWITCHES = ("debug", "strict", "verify", "plain", "cache_dir", "cache_bytes")
"""What may be set."""

LISTED = (*SWITCHES, "check_graphs", "check_numerics", "executing_eagerly",
          "functions_run_eagerly", "init_scope", "inside_function", "run_functions_eagerly")
"""What is for users."""


def __dir__() -> list[str]:
    return sorted(LISTED)


class _Config(ModuleType):
    """The module itself, with switches that act when they are set."""

    @hiding_frames
    def __setattr__(self, name: str, value: Any) -> None:
        """Sets a switch; a name that is none is an AttributeError."""
        if name in LISTED[len(SWITCHES):]:
            raise AttributeError(f"ag.config.{name} is a function\n  hint: call it")
        if name not in SWITCHES and name not in vars(self) and not name.startswith("__"):
            near = nearest(name, SWITCHES) or " and ".join(SWITCHES)
            raise AttributeError(f"ag.config has no switch {name!r}\n  hint: there is {near}")
        check_kind(f"ag.config.{name}", __annotations__.get(name, ""), value)
        super().__setattr__(name, value)

    @property
    def strict(self) -> bool:
        return STRICT.default

    @strict.setter
    def strict(self, on: bool) -> None:
        STRICT.default = bool(on)

    @property
    def verify(self) -> int:
        return VERIFICATION.default

    @verify.setter
    def verify(self, calls: int) -> None:
        VERIFICATION.default = number_of_calls(calls)

    @property
    def plain(self) -> bool:
        return dispatch.is_plain_run()

    @plain.setter
    def plain(self, on: bool) -> None:
        dispatch.run_plain(bool(on))

    @property
    def cache_dir(self) -> str | os.PathLike[str] | None:
        return None if DISK.entries is None else DISK.entries.path

    @cache_dir.setter
    def cache_dir(self, path: str | os.PathLike[str] | None) -> None:
        DISK.use(path)

    @property
    def cache_bytes(self) -> int:
        return DISK.size

    @cache_bytes.setter
    def cache_bytes(self, size: int) -> None:
        check_kind("ag.config.cache_bytes", "bytes", size)
        DISK.bound(size)

    @property
    def debug(self) -> bool:
        return debugger.on

    @debug.setter
    def debug(self, on: bool) -> None:
        debugger.on = bool(on)
        choose_path()


sys.modules[__name__].__class__ = _Config


@hiding_frames
def run_functions_eagerly(run_eagerly: bool) -> None:
    """Makes all functions run as plain Python, without traces and graphs; or as graphs again.

    Args:
      run_eagerly: True for plain Python.

    >>> run_functions_eagerly(True)
    >>> functions_run_eagerly()
    True
    >>> run_functions_eagerly(False)
    """
    check_kind("run_eagerly", "bool", run_eagerly)
    Dispatcher.eagerly = bool(run_eagerly)
    choose_path()


def check_numerics(on: bool) -> None:
    """Makes every operation of every graph check its results for infinities and NaNs, or stops
    that.

    Graphs run many times slower meanwhile; an operation that gives an Inf or NaN is a CheckError.

    Args:
      on: True to check.

    >>> check_numerics(False)
    """
    ConcreteFunction.checked = staticmethod(_checked) if on else None
    choose_path()


def _checked(program: Program, given: tuple[Any, ...]) -> Any:
    """Runs a program on the reference interpreter and checks all that it computes.

    Raises:
      CheckError: an operation gave an Inf or NaN; it names the user's line.
    """
    with watching(RaiseOnNan()):
        return interpret(program, given)


def functions_run_eagerly() -> bool:
    """Returns True after `run_functions_eagerly(True)`.

    >>> functions_run_eagerly()
    False
    """
    return Dispatcher.eagerly


def executing_eagerly() -> bool:
    """Returns True if operations run at once: everywhere but in a function that is being traced.

    >>> executing_eagerly()
    True
    """
    return not trace.tracing()


def inside_function() -> bool:
    """Returns True while a function is being traced.

    >>> inside_function()
    False
    """
    return trace.tracing()


def check_graphs(on: bool) -> None:
    """Makes every graph be verified after it is traced and after it is optimised, or stops that.

    For tests and for work on the compiler: a mistake of a pass is then an error with the graph's
    text and the wrong line. It doubles the time of a trace.

    Args:
      on: True to verify.
    """
    verifier.check_graphs(on)


@contextmanager
def init_scope() -> Iterator[None]:
    """Runs the block of a `with` at once, outside the graph, while a function is traced.

    >>> with init_scope():
    ...     executing_eagerly()
    True
    """
    with trace.no_trace(), dispatch.activate(cast(Any, None)):
        yield
