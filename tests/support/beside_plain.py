"""Calls a function plainly and traced, and compares all that can be seen of each call.

That is the result with its classes, dtypes, identities and shared memory; the class and message of
an exception; what the call leaves in its arguments, also when it raises; warnings; the state of the
random generators; printed text, where prints are effects of the graph.
"""

from __future__ import annotations

import contextlib
import copy
import io
import random
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.small_programs import MODES
from tests.support.outcome import recorded

Fn = Callable[..., Any]
Arguments = tuple[tuple[Any, ...], dict[str, Any]]

REFUSALS = tuple(c for c in vars(ag.errors).values()
                 if isinstance(c, type) and issubclass(c, Exception)
                 and not issubclass(c, (Warning, ag.errors.InternalError,
                                        ag.errors.InvalidArgumentError)))
"""What autograph may raise where plain Python raises nothing."""


OUR_WARNINGS = tuple(name for name, c in vars(ag.errors).items()
                     if isinstance(c, type) and issubclass(c, Warning))
"""What autograph warns of by itself: many traces, long loops."""


class Late(BaseException):
    """A call does not end. Not an Exception: no handler of a library's may catch it."""


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises `Late` in the block after so many seconds of work, or ten times as many of waiting."""
    def ring(*_: object) -> None:
        raise Late

    signal.signal(signal.SIGALRM, ring)
    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 10 * seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


@dataclass
class Seen:
    """What could be seen of a call, by aspect; an exception that it raised, and from where."""

    aspects: dict[str, str] = field(default_factory=dict)
    error: BaseException | None = None
    trace: str = ""

    def difference(self, plain: Seen, without: Iterable[str] = ()) -> str:
        """How this call differs from the plain one; empty if it does not."""
        return "; ".join(f"{name} {apart(told, plain.aspects[name])}"
                         for name, told in self.aspects.items()
                         if name not in without and told != plain.aspects[name])


def apart(got: str, plain: str) -> str:
    """Two texts from shortly before they differ."""
    at = next((k for k, (a, b) in enumerate(zip(got, plain, strict=False)) if a != b),
              min(len(got), len(plain)))
    begin = max(0, at - 40)
    return f"{got[begin:at + 120]!r} instead of {plain[begin:at + 120]!r}"


def seen(f: Fn, arguments: Arguments, seconds: float = 5) -> Seen:
    """Calls a function with copies of arguments.

    Raises:
      Late: it does not end.
    """
    args, kwargs = copy.deepcopy(arguments)
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    result, error, trace, out, warned = None, None, "", io.StringIO(), set[str]()
    with contextlib.redirect_stdout(out), recorded(warned), limited(seconds):
        try:
            result = f(*args, **kwargs)
        except Exception as raised:
            error, trace = raised, traceback.format_exc()
        except SystemExit as raised:
            error = raised
    drawn = f"{random.random()} {np.random.random()}"  # noqa: NPY002
    picture = Picture()
    with recorded(set()), limited(seconds):
        # The arguments first: what is one of them, or shares memory with it, is told by a number.
        left = picture.of((args, kwargs))
        made = f"raises {picture.of(error)}" if error else f"gives {picture.of(result)}"
    told = sorted(w for w in warned if not w.startswith(OUR_WARNINGS))
    return Seen({"call": made, "leaves": left, "warns": str(told), "draws": drawn,
                 "prints": out.getvalue()}, error, trace)


@dataclass
class Verdict:
    """"same", "refused", "wrong" or "late"; why; and how many calls agreed."""

    kind: str
    why: str = ""
    calls: int = 0
    trace: str = ""


def compared(traced: Fn, plain: Fn, sets: Iterable[Arguments], mode: str = "runtime",
             seconds: float = 40) -> Verdict:
    """Compares call by call; argument sets at which the plain function does not end are left
    out, and those with which it does something else each time."""
    without = () if mode == "runtime" else ("prints",)
    calls = 0
    for arguments in sets:
        try:
            expected = seen(plain, arguments)
            if seen(plain, arguments).difference(expected):
                continue
        except Late:
            continue
        try:
            got = seen(traced, arguments, seconds)
        except Late:
            return Verdict("late", f"{arguments!r:.200}", calls)
        if isinstance(got.error, REFUSALS) and type(got.error) is not type(expected.error):
            return Verdict("refused", refusal(got.error), calls, got.trace)
        differs = got.difference(expected, without)
        if differs:
            return Verdict("wrong", f"{differs}; arguments {arguments!r:.200}", calls, got.trace)
        calls += 1
    return Verdict("same", calls=calls)


def verdict(f: Fn, sets: list[Arguments], mode: str = "default", seconds: float = 40) -> Verdict:
    """Compares a function with itself traced in a mode: all argument sets, then the first again."""
    try:
        traced = ag.function(f, max_traces=60, **MODES[mode])
    except REFUSALS as error:
        return Verdict("refused", refusal(error))
    return compared(traced, f, [*sets, *sets[:1]], mode, seconds)


def refusal(error: BaseException) -> str:
    """The class and reason of a refusal, and the line."""
    lines = str(error).splitlines() or [""]
    where = next((line.strip() for line in lines if re.match(r"\s+at .*:\d+", line)), "")
    return f"{type(error).__name__}: {lines[0]} {where}"


def reason(why: str) -> str:
    """A refusal without the names and numbers of its program."""
    why = re.sub(r" at \S+:\d+.*| \S+:\d+:\d+:", "", why)
    return re.sub(r"Tensor\([^)]*\)\)?|\b[\w.]+ cannot be|`[^`]*`|\"[^\"]*\"|'[^']*'|\d+", "_",
                  why)[:150]


def main_limits() -> None:
    """Keeps a process that tries other people's code from taking the machine."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    sys.stdin = io.StringIO()
