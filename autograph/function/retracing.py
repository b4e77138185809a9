"""Retracing: notices a function that is traced again and again, and says which argument is to
blame."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.functions.persistent_state import PersistentState
from autograph.runtime.ir.errors import (
    FallbackWarning,
    RetracingWarning,
    TracingError,
)
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.signatures.binding import Bound, Leaf
from autograph.runtime.signatures.cache_keys import Identity, Key
from autograph.runtime.signatures.filler import LeafRef
from autograph.runtime.signatures.function_type import call_text, short_text, type_text
from autograph.runtime.symbolic import record
from autograph.runtime.symbolic.source_locations import user_location
from autograph.syntax.verbosity import CONVERSIONS, is_logged, log, many

WINDOW, LIMIT, WARNINGS = 10, 5, 2
"""After LIMIT traces within WINDOW calls there is a warning; at most so many per function."""

COMPARED = 32
"""A new trace is compared with so many, the newest: of thousands, each would cost more than the
one before."""


MAX_STATE_TRACES = 16
"""So many traces are made for what a function keeps outside itself, and that raise; then it runs
as plain Python."""


UNUSED, EARNED, REMEMBERED = 50, 2, 4096
"""Where UNUSED traces did not pay, a call is traced when one like it comes again, and no other was
traced lately. A call that has a trace earns EARNED traces. Of the calls that came once, so many
are remembered."""


class History:
    """The last calls of a function: a bit for each that made a trace, the latest lowest.

    reduces True if the function has reduce_retracing, which then is no remedy.
    unused  the number of traces that did not pay; negative if later ones were earned.
    once    the hashes of the keys of calls that ran without a trace, since those did not pay.
    skipped the number of such calls since the last trace.
    """

    def __init__(self, name: str, reduces: bool = False) -> None:
        self.name = name
        self.reduces = reduces
        self.bits = 0
        self.calls = 0
        self.warned = 0
        self.unused = 0
        self.once: set[int] = set()
        self.skipped = 0
        self.watching = True

    def expect_many(self) -> None:
        """Has no warnings of many traces: nobody wrote the function to be called with one type."""
        self.warned = WARNINGS

    def watch_again(self) -> None:
        """Watches the next call, as if a trace had been made."""
        self.watching = True

    def note(self, traced: bool) -> None:
        """Notes a call."""
        self.bits = (self.bits << 1 | traced) & ((1 << WINDOW) - 1)
        self.calls += 1
        self.watching = bool(self.bits)

    def traces_at_once(self, key: Key) -> bool:
        """Returns True if a call without a trace gets one: traces are used, or such a call came
        before."""
        if self.unused < UNUSED:
            return True
        if self.unused == UNUSED and not self.once:
            warn_of_unused(self)
        if self.skipped >= 1 << (self.unused - UNUSED) and hash(key) in self.once:
            self.skipped = 0
            return True
        if len(self.once) == REMEMBERED:
            self.once.clear()
        self.once.add(hash(key))
        self.skipped += 1
        return False

    def note_used(self) -> None:
        """Notes a call that had a trace; those that guards recognise from now on are not noted."""
        self.note(False)
        most = -EARNED * UNUSED
        self.unused = max(self.unused - EARNED, most) if self.watching else most

    def note_unused(self, seconds: float) -> None:
        """Notes a trace that took so long, and that no call has used. The time
        counts: traces of `MAX_SECONDS` together are as many as `UNUSED`."""
        weight = 1 + int(seconds * UNUSED / record.MAX_SECONDS)
        self.unused = max(self.unused + 1, min(self.unused + weight, UNUSED + 1))

    def trace(self, bound: Bound, others: Sequence[Bound], seconds: float) -> str:
        """Notes a call that made a trace; warns if there are too many of them.

        Args:
          bound: the call.
          others: the calls of the newest traces before it, the newest first.
          seconds: how long it took to make the trace.

        Returns:
          Why there is a trace: what differs from the call before, and where it was called.

        Warns:
          RetracingWarning: it names the argument, the types before and now, the call and the
          remedy.
        """
        self.note(True)
        self.note_unused(seconds)
        location = user_location()
        reason = why(bound, others) + (f", called at {location}" if location is not None else "")
        if self.bits.bit_count() >= LIMIT and self.warned < WARNINGS and others:
            self.warned += 1
            self.warn(bound, others[0], location)
        return reason

    def warn(self, bound: Bound, last: Bound, location: Location | None) -> None:
        """Warns of too many traces."""
        traced = self.bits.bit_count()
        calls = min(self.calls, WINDOW)
        text = (f"{traced} of the last {calls} calls of {self.name}() made a new trace, which "
                f"costs far more than a call\n{blame(bound, last, self.reduces)}")
        caret = "" if location is None else f"\n{location.caret()}"
        _warn_at(location, text + caret, RetracingWarning)


def _warn_at(location: Location | None, text: str, category: type[Warning]) -> None:
    """Warns of a call, at the user's line."""
    if location is None:
        warnings.warn(text, category, stacklevel=3)
    else:
        warnings.warn_explicit(text, category, location.filename, location.line)


def why(new: Bound, others: Sequence[Bound]) -> str:
    """Returns why a call has no trace yet: the arguments that differ from those of the closest
    trace."""
    if not others:
        return "the first call"
    old = min(others, key=lambda other: len(differing(new, other)))
    changes = [f"argument {name}: {types_in(old, name)} before, {types_in(new, name)} now"
               for name in differing(new, old)]
    return "; ".join(changes) or "something outside the function changed"


def differing(new: Bound, old: Bound) -> list[str]:
    """The names of the arguments by which two calls differ."""
    keys = dict(old.key.parts)
    return [name for name, key in new.key.parts if keys.get(name) != key]


def types_in(bound: Bound, name: str) -> str:
    """The types of an argument, in short."""
    return short_text(bound.nest.get(name), bound.leaves)


def blame(new: Bound, old: Bound, reduces: bool = False) -> str:
    """Returns the arguments whose types differ between two calls, and the remedy for each."""
    return "\n".join(_difference(name, new, old, reduces) for name in differing(new, old))


def _difference(name: str, new: Bound, old: Bound, reduces: bool) -> str:
    was, now = (type_text(b.nest.get(name), b.leaves) for b in (old, new))
    return f"  {name}: {was} before, now {now}\n  hint: {_remedy(name, new, old, reduces)}"


def _remedy(name: str, new: Bound, old: Bound, reduces: bool) -> str:
    ours, theirs = (_parts(name, b) for b in (new, old))
    arrays = [x for x in ours if isinstance(x, Leaf)]
    if any(isinstance(x, Identity) for x in (*ours, *theirs)):
        return (f"{name} counts by identity: make the object once, or give its class "
                "__ag_tracing_type__ or __ag_flatten__")
    if not arrays:
        return (f"every value of {name} has a trace: pass np.asarray({name})"
                + ("" if reduces else ", or use reduce_retracing=True"))
    dtypes = [[getattr(x.type, "dtype", None) for x in side if isinstance(x, Leaf)]
              for side in (ours, theirs)]
    if dtypes[0] != dtypes[1]:
        return f"convert {name} to one dtype before the call"
    return (f"use {_or_reduce(reduces)}input_signature with None for the dims of {name} that "
            "change")


def _or_reduce(reduces: bool) -> str:
    return "" if reduces else "reduce_retracing=True, or "


def _parts(name: str, bound: Bound) -> list[Any]:
    """The leaves of an argument, symbolic ones as `Leaf`s."""
    return [bound.leaves[x.index] if isinstance(x, LeafRef) else x
            for x in flatten(bound.nest.get(name))]


def log_trace(concrete: ConcreteFunction, seconds: float) -> None:
    """Logs a trace that was made."""
    if is_logged(CONVERSIONS):
        log(CONVERSIONS, "traced %s(%s) in %.1f ms, %s: %s", concrete.name,
            call_text(concrete.bound), 1e3 * seconds,
            many(len(list(concrete.graph.walk())), "node"), concrete.reason)


def warn_of_many(name: str, state: PersistentState) -> None:
    """Warns that a function is not traced any more, since its persistent state keeps changing."""
    locations = ", ".join(dict.fromkeys(str(x.name) for x in state.locations[:5]))
    _warn_at(
        user_location(),
        f"{name}() was traced {MAX_STATE_TRACES} times because what it keeps outside itself "
        f"({locations}) is always of another type or length; from here on such calls run as plain "
        "Python\n  hint: keep numbers and arrays of one dtype and shape, or an ag.Variable",
        RetracingWarning)


def warn_of_unused(history: History) -> None:
    """Warns that calls run without a trace, since those that were made served one call each."""
    _warn_at(
        user_location(),
        f"{UNUSED} calls of {history.name}() made a new trace each, and hardly one was used again; "
        "from here on a call runs as plain Python until one like it comes again\n  hint: pass "
        f"arrays of one dtype and shape, or use {_or_reduce(history.reduces)}input_signature",
        RetracingWarning)


def warn_of_plain(name: str, reason: TracingError | str) -> None:
    """Warns that a function is not traced: only an exception ends a loop of it, or a trace cannot
    follow what it does."""
    _warn_at(user_location(), f"{name}() runs as plain Python: {reason}", FallbackWarning)
