"""The dispatcher of a decorated function: it gives each call to a trace, or to plain Python."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pickle import PicklingError
from types import FunctionType
from typing import Any, NoReturn

from autograph.decorated import own
from autograph.extension_points import POINTS
from autograph.function.call_key import Call, CallBinder
from autograph.function.entry_point import EntryPoint
from autograph.function.guard_codegen import set_guarded
from autograph.function.guard_tables import PlainCalls, plain_calls
from autograph.function.options import Options
from autograph.function.retracing import History
from autograph.function.stepping import let_debuggers_pass
from autograph.function.trace_cache import TraceCache
from autograph.function.traced_callable import definition_of, names_of
from autograph.function.tracer import Tracer
from autograph.own_attributes import held
from autograph.runtime.control_flow.raised_errors import is_symbolic_error
from autograph.runtime.control_flow.recursion import staged
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.functions.second_runs import begin_again, keep_trace, runs_again
from autograph.runtime.interpret import debugger
from autograph.runtime.signatures.binding import Bound
from autograph.runtime.symbolic import trace
from autograph.syntax.gc_pause import collector_waits


class Dispatcher:
    """The state behind one decorated function.

    Class attributes are switches for all functions:

    eagerly      True if calls run the user's own function.
    observer     is told of every call that made a trace, before the graph runs.
    """

    eagerly = os.environ.get("AUTOGRAPH_EAGER", "0") not in ("", "0")
    observer: Callable[[Dispatcher, dict[str, Any]], None] | None = None

    def __init__(self, function: Callable[..., Any], options: Options) -> None:
        let_debuggers_pass()
        self.python_function = function
        self.options = options
        self.name, self.qualified_name = names_of(function)
        self.binder = CallBinder(function, options)
        self.parameters, self.specs = self.binder.parameters, self.binder.specs
        self.cache = TraceCache(options)
        self.traces = self.cache.traces
        history = History(self.name, options.reduce_retracing)
        self.tracer = Tracer(function, self.name, options, self.binder, self.cache, history)
        self.entry_point = EntryPoint(self.name, self.parameters, self.call, self.cache, history,
                                      self.binder.captured, definition_of(function))

    def __reduce__(self) -> NoReturn:
        """Refuses to be pickled: the function goes by its name, if its module can be imported.

        Raises:
          PicklingError: always. `pickle` asks for this only where there is no such name.
        """
        raise PicklingError(
            f"{self.name} goes to other processes by its name in a module, and there is none that "
            "they can import\n  hint: put it into a module of its own, or send a graph: "
            f"{self.name}.get_concrete_function(…)")

    def make_entry_point(self) -> FunctionType:
        """Returns the function object for the user."""
        made = self.entry_point.make(held(self.python_function, "__globals__", {}))
        own(made, self)
        return made

    def call(self, names: tuple[str, ...], *values: Any) -> Any:
        """Runs a call that no guard recognised: finds the trace, or makes it."""
        arguments = dict(zip(names, values, strict=True))
        if trace.tracing():
            function = staged(self.tracer.converted)
            return self.binder.invoke(function, self.binder.fitted(arguments))
        if Dispatcher.eagerly or _plain.on:
            return self.binder.invoke(self.python_function, arguments)
        if runs_again(self.tracer.converted):
            return self.binder.invoke(self.tracer.plain, arguments)
        if self.options.verified_calls and self._is_unverified(arguments):
            return POINTS.verified_call(self, arguments)
        return self.run(self.found_for(arguments), arguments)

    def run(self, found: tuple[ConcreteFunction, Bound] | None, arguments: dict[str, Any]) -> Any:
        """Runs a call, for which `found_for` found a trace; what the trace did stays after it."""
        try:
            return self._run(found, arguments)
        finally:
            if found is not None:
                keep_trace(found[0].plain)

    def _run(self, found: tuple[ConcreteFunction, Bound] | None, arguments: dict[str, Any]) -> Any:
        if found is None or not found[0].fits(found[1]):
            # Plain Python raises errors with real values, and shows a write as it happens.
            call = partial(self.binder.invoke, self.tracer.plain, arguments)
            if found is not None:
                begin_again(found[0].plain)
            result = call() if found is None else found[0].watched(call, fits=False)
            self.tracer.note_returned(arguments)
            return result
        if ConcreteFunction.run_instead is not None:
            return ConcreteFunction.run_instead(*found)
        if self.cache.counts_calls:
            found[0].count()
        result = found[0].call(found[1])
        if found[0].program.raises:  # no graph shows what plain Python, run in its place, returned
            found[0].returned()
        return result

    def found_for(self, arguments: dict[str, Any]) -> tuple[ConcreteFunction, Bound] | None:
        """Returns the trace for a call, and the bound call; None if plain Python has to run it."""
        made = self.cache.made
        try:
            found = self.find_or_make(
                arguments, once=True, plain=ConcreteFunction.run_instead is None)
            self.tracer.let_go()
        except Exception as error:
            if not is_symbolic_error(error):
                raise
            found = None
        if Dispatcher.observer is not None and self.cache.made != made:
            Dispatcher.observer(self, arguments)
        return found

    def _is_unverified(self, arguments: dict[str, Any]) -> bool:
        """Returns True if the trace for a call is still to be verified, or to be made."""
        call = self.tracer.bind(arguments)
        found = self.cache.find(call)
        if found is None:
            return not self.tracer.has_given_up(call.base)
        return found[0].unverified > 0 and found[0].fits(found[1])

    def count_verified(self, concrete: ConcreteFunction) -> None:
        """Notes that a call of a trace was verified; after the last one guards recognise it."""
        with self.cache.lock:
            concrete.unverified = max(concrete.unverified - 1, 0)
            if not concrete.unverified:
                self.entry_point.changed()

    def find(self, arguments: dict[str, Any]) -> tuple[ConcreteFunction, Bound]:
        """Returns the trace for a call, made if there is none, and the call bound as it wants."""
        found = self.find_or_make(arguments)
        assert found is not None
        return found

    def find_or_make(self, arguments: dict[str, Any], once: bool = False, plain: bool = False
                     ) -> tuple[ConcreteFunction, Bound] | None:
        """Returns the trace for a call, and the bound call.

        `once`: a trace that is good for this call only will do; None if there are too many.
        `plain`: None if no trace can follow what the function does.
        """
        finished, call = self.cache.finished, self.tracer.bind(arguments)
        found = self.cache.find(call)
        if found is not None:
            self.entry_point.note_known()
            return found
        with self.cache.making(), collector_waits():
            if self.cache.finished != finished:  # another thread was faster
                call = self.tracer.bind(arguments)
                found = self.cache.find(call)
            if found is None and once and not self._pays(call):
                return None
            found = found or self.tracer.make(call, once, plain)
            if found is not None and not plain:
                keep_trace(found[0].plain)
            if found is None and not self.options.verified_calls:
                self.entry_point.note_plain(call.base, lambda: self._plain_calls(call))
            return found

    def _pays(self, call: Call) -> bool:
        """Returns True if a call gets a trace, though it may be the only one that this serves."""
        return (ConcreteFunction.run_instead is not None or self.options.verified_calls > 0
                or self.tracer.history.traces_at_once(call.key))

    def _plain_calls(self, call: Call) -> PlainCalls | None:
        """Returns what recognises calls like this one, and runs them as plain Python. It does not
        keep the arguments alive."""
        names = tuple(p.name for p in self.parameters)
        arguments, base = {name: call.arguments[name] for name in names}, call.base

        def run(*values: Any) -> Any:
            result = self.binder.invoke(self.tracer.plain, dict(zip(names, values, strict=True)))
            if not self.tracer.has_given_up(base):  # such calls raised: the next is traced
                self.tracer.raised.pop(base, None)
                self.entry_point.forget_plain(base)
            return result

        return plain_calls(self.binder.bind(arguments).bound, run)


class _Plain(threading.local):
    """`on` is True while this thread runs the users' own functions."""

    on = False


_plain = _Plain()
_plain_runs: list[None] = []


@contextmanager
def plainly() -> Iterator[None]:
    """Runs, in this thread, every decorated function as plain Python."""
    outer, _plain.on = _plain.on, True
    _plain_runs.append(None)
    choose_path()
    try:
        yield
    finally:
        _plain.on = outer
        _plain_runs.pop()
        choose_path()


def choose_path() -> None:
    """Lets guards recognise calls, unless a switch has every call run in another way."""
    set_guarded(not (Dispatcher.eagerly or ConcreteFunction.run_instead
                     or ConcreteFunction.checked or debugger.on or _plain_runs))


choose_path()  # the environment may have set a switch
