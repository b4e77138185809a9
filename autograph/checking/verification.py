"""Verification: the first calls of each signature are also run as plain Python, and compared.

The plain function runs first, on the arguments themselves; then all that it changed is put back,
and the graph runs. So both find the same objects: whatever is one object, or shares memory, is so
for both. What each leaves is taken down in a portrait.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from autograph.checking.blame import line_of_value
from autograph.checking.call_state import CallState
from autograph.checking.muting import muted
from autograph.checking.portraits import ERROR, RESULT, Portrait
from autograph.checking.stages import Check, Checker
from autograph.checking.walk import roots_of
from autograph.function.dispatcher import plainly
from autograph.locks import new_lock
from autograph.runtime.ir.errors import TracingError, VerificationError, VerificationWarning
from autograph.runtime.symbolic.source_locations import user_location
from autograph.syntax.errors import AutographError

if TYPE_CHECKING:
    from autograph.function.dispatcher import Dispatcher

_one_at_a_time = new_lock()

WAY_OUT = """\
  hint: effects="runtime" makes every call change Python's state, and captures="guard" reads anew
        what is outside the function; if neither helps, please report it: do_not_convert leaves
        the function as it is"""


def verified_call(dispatcher: Dispatcher, arguments: dict[str, Any]) -> Any:
    """Runs a call, and the plain function before it.

    Another thread's call is not verified meanwhile: it might change what is compared.

    Raises:
      VerificationError: the graph does not do what the plain function does.

    Warns:
      VerificationWarning: the two cannot be compared; it says why.
    """
    if not _one_at_a_time.acquire(blocking=False):
        return dispatcher.run(dispatcher.found_for(arguments), arguments)
    try:
        return Verification(dispatcher, arguments).call()
    finally:
        _one_at_a_time.release()


class Verification:
    """One call of a function, run plainly and as a graph."""

    def __init__(self, dispatcher: Dispatcher, arguments: dict[str, Any]) -> None:
        self.dispatcher = dispatcher
        self.arguments = dispatcher.binder.fitted(arguments)
        self.roots = roots_of(dispatcher.python_function, self.arguments)
        self.before = CallState(self.roots)
        self.result: Any = None
        self.error: BaseException | None = None

    def call(self) -> Any:
        """Returns what the graph returns, or raises what it raises."""
        if self.before.left_out:
            self.warn(f"{self.before.left_out[0]}\n"
                      "  hint: give it a list or an array, or leave it out: verify=0")
            self.run_graph()
        else:
            plain = self.plain()
            self.compare(plain, self.run_graph())
        if self.error is not None:
            try:
                raise self.error
            finally:
                self.error = None
        return self.result

    def plain(self) -> Portrait:
        """Runs the plain function; returns what it leaves, and puts back what it changed."""
        result: Any = None
        error: BaseException | None = None
        try:
            with plainly(), muted():
                result = self.invoke()
        except Exception as raised:
            error = raised
        try:
            return self.portrait(result, error)
        finally:
            self.before.put_back()
            del error  # its traceback refers to this frame

    def invoke(self) -> Any:
        return self.dispatcher.binder.invoke(self.dispatcher.python_function, self.arguments)

    def run_graph(self) -> Portrait:
        """Runs the graph, and returns what it leaves."""
        found = None
        try:
            found = self.dispatcher.found_for(self.arguments)
            self.result = self.dispatcher.run(found, self.arguments)
        except (TracingError, AutographError):
            raise
        except Exception as raised:
            self.error = raised
        if found is not None:
            self.dispatcher.count_verified(found[0])
        return self.portrait(self.result, self.error)

    def portrait(self, result: Any, error: BaseException | None) -> Portrait:
        end = (RESULT, result) if error is None else (ERROR, error)
        return Portrait([*self.roots, end], self.before)

    def compare(self, plain: Portrait, graph: Portrait) -> None:
        """Raises an error if the two differ, with all as it was before the call."""
        name, how = plain.difference(graph)
        if not name:
            return
        after = CallState(self.roots)
        self.before.put_back()
        changing, otherwise = plain.difference(self.plain())
        if changing:
            self.warn(f"two plain calls differ: {changing}: {otherwise}\n  it depends on what "
                      "cannot be put back: the time, a file, another thread ...")
        else:
            check = Checker(self.dispatcher, self.arguments, silent=True).check()
            if not check.left_out:
                raise self.difference(name, how, check) from self.error
        after.put_back()

    def difference(self, name: str, how: str, check: Check) -> VerificationError:
        line = line_of_value(name, self.roots, self.before, self.invoke)
        where = [check.where] if check.where else [] if not line else [f"  plain Python: {line}"]
        return VerificationError("\n".join([
            f"{self.dispatcher.name}() does something else than the plain function",
            f"  {name}: {how} in the graph", *where, WAY_OUT]))

    def warn(self, why: str) -> None:
        told = f"a call of {self.dispatcher.name}() is not verified: {why}"
        location = user_location()
        if location is None:
            warnings.warn(told, VerificationWarning, stacklevel=2)
        else:
            warnings.warn_explicit(told, VerificationWarning, location.filename, location.line)
