"""Clocks, and random bytes of the system, while a function is traced: each call that asks for them
is recorded, and made by the run."""

from __future__ import annotations

import datetime
import os
import sys
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from autograph.runtime.ops import opaque
from autograph.runtime.replacements.random_generators import when_it_runs
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply

Fn = Callable[..., Any]

CLOCKS: tuple[Fn, ...] = (
    time.time, time.time_ns, time.perf_counter, time.perf_counter_ns, time.monotonic,
    time.monotonic_ns, time.process_time, time.process_time_ns, time.thread_time,
    time.thread_time_ns, time.sleep, time.localtime, time.gmtime, time.ctime, time.asctime,
    time.strftime, os.urandom, os.getpid,
)
"""Functions of Python's whose answer differs from call to call: the run calls them."""

LATE_CLOCKS: dict[str, tuple[str, ...]] = {
    "uuid": ("uuid1", "uuid4"),
    "secrets": ("token_bytes", "token_hex", "token_urlsafe", "randbelow", "randbits", "choice")}
"""The same of modules that few programs import."""


def late_clocks(module: str) -> dict[Any, Fn]:
    """Returns the rows of such a module for `REPLACEMENTS`."""
    functions = [getattr(sys.modules[module], name) for name in LATE_CLOCKS[module]]
    return {f: when_it_runs(f, opaque(f)) for f in functions}


CLOCK_METHODS: tuple[tuple[type, str], ...] = (
    (datetime.datetime, "now"), (datetime.datetime, "utcnow"), (datetime.datetime, "today"),
    (datetime.date, "today"))
"""Class methods that look at the clock."""


def clock_method(method: Fn) -> Fn:
    """Returns the replacement of a class method that looks at the clock."""
    return when_it_runs(method, opaque(method))


def is_clock_text(x: Any) -> bool:
    """Returns True for a text that NumPy's datetimes take from the clock."""
    text = x.decode("latin-1") if isinstance(x, bytes) else x
    return isinstance(text, str) and text.strip().lower() in ("now", "today")


@wraps(np.datetime64, updated=())
def _datetime64(*args: Any) -> Any:
    """Stage `np.datetime64`: the run makes it of what the run knows, and of "now"."""
    x = args[0] if args and trace.tracing() else None
    later = isinstance(x, Tensor) or is_clock_text(x)
    return apply(opaque(np.datetime64), *args) if later else np.datetime64(*args)

REPLACEMENTS: dict[Any, Fn] = {
    np.datetime64: _datetime64,
    **{f: when_it_runs(f, opaque(f)) for f in CLOCKS},
}
