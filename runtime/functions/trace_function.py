"""Tracing a function into a graph: runs on symbolic arguments until one succeeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any
from weakref import ref

from autograph.runtime.control_flow.recursion import staged, watched_calls
from autograph.runtime.functions.attempt import attempt
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.functions.finished_program import finish_program
from autograph.runtime.functions.left_symbols import Attempt, refuse_symbols_left
from autograph.runtime.functions.persistent_state import PersistentState
from autograph.runtime.functions.refused_calls import close_refused_call
from autograph.runtime.functions.second_runs import PlainFunction
from autograph.runtime.functions.unseen_changes import Watcher
from autograph.runtime.heap.kept_functions import refuse_shared_changes
from autograph.runtime.heap.named_locations import holder_of
from autograph.runtime.ir.errors import (
    GraphError,
    TracingError,
    is_about_tensors,
)
from autograph.runtime.ir.trace_signals import (
    RetraceByReference,
    RetraceInFull,
    RetraceWithCalls,
    RetraceWithObjects,
)
from autograph.runtime.signatures.binding import Bound
from autograph.runtime.signatures.cache_keys import leads_to_objects
from autograph.runtime.signatures.function_type import Parameters
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.trace_mode import TraceMode


@dataclass(frozen=True)
class FunctionToTrace:
    """A function that is traced, and how its traces are to be.

    function    the function in the form that is traced.
    call        `call(function, nest)` calls it with the nest of arguments by parameter name.
    plain       gives what runs where the graph cannot be used.
    in_full     traces a signature with no object that only makes the graph short.
    executor    what runs the graph, as `check_executor` knows it.
    atomic      True if a call that raises leaves variables and arguments as they were.
    effects_at_run_time  True if Python's side effects happen when the graph runs.
    fast_math   True if the optimiser may round differently.
    strict      True if the optimiser may not drop what may raise.
    """

    function: Callable[..., Any]
    name: str
    parameters: Parameters
    call: Callable[[Callable[..., Any], Any], Any]
    plain: Callable[[], Callable[..., Any]]
    in_full: Callable[[Bound], ConcreteFunction]
    executor: str
    atomic: bool
    effects_at_run_time: bool
    fast_math: bool
    strict: bool


def trace_function(traced: FunctionToTrace, bound: Bound, state: PersistentState | None,
                   mode: TraceMode | None, cursors: dict[int, Any], instance: str | None
                   ) -> ConcreteFunction:
    """Traces a function for the arguments of a call, and returns what runs its graph.

    Args:
      traced: the function.
      bound: the arguments.
      state: the persistent state that `bound` has under the name `PERSISTENT`.
      mode: that of the first attempt; None: the simplest.
      cursors: how far earlier attempts read the iterators outside, by id.
      instance: the parameter with the object that the function is a method of: what a method sets
        in it by constants, it sets while it is traced.

    Raises:
      RetraceWithInputs: more containers have to be inputs.
      RetraceInFull: objects that make the graph short were refused.
    """
    function = traced.function
    mode = mode or TraceMode.first(traced.effects_at_run_time)
    if any(leads_to_objects(leaf.type) for leaf in bound.leaves):
        mode = replace(mode, by_reference=True, sites=replace(mode.sites, instrumented=True))
    refuse_shared_changes(function, bound.references)
    run: trace.Trace | None = trace.Trace(traced.name, mode)
    attempts: list[Attempt] = []
    while run is not None:
        attempts.append(ref(run.root))
        run.take_cursors(cursors)
        with in_full_if_refused(run.mode):
            with given_up(run, cursors), watched_calls(run):
                program, outside, partition = attempt(
                    run, function, bound,
                    lambda nest: traced.call(staged(function, entry=True), nest),
                    state or PersistentState(), instance)
            mode, done, run = run.mode, run, run.next()
            makes_variables, failed_methods = bool(done.new_variables), done.failed_methods
            done.end()
    new_state, constant, reads = outside.new_state, outside.constant, outside.reads
    reached = frozenset(map(holder_of, outside.held))
    outside.forget_symbols()
    try:
        refuse_symbols_left(function, attempts, program.graph, bound.named, failed_methods)
    except TracingError:
        outside.undo()
        raise
    finish_program(program, traced.fast_math, traced.strict)
    undo = None if makes_variables else outside.undo
    made = ConcreteFunction(traced.name, program, bound.signature(), traced.executor,
                            PlainFunction(function, traced.call, traced.plain, undo),
                            traced.parameters, traced.atomic, new_state, state, partition,
                            Watcher(function, bound.signature(), constant))
    made.reached, made.mode, made.reads = reached, mode, reads
    if mode.sites.shorter:
        made.in_full = cache(partial(traced.in_full, made.bound))
    return made


@contextmanager
def given_up(run: trace.Trace, cursors: dict[int, Any]) -> Iterator[None]:
    """Ignores the end of a trace that has to be made again in another mode; keeps its cursors."""
    try:
        yield
    except (RetraceByReference, RetraceWithCalls, RetraceWithObjects):
        pass
    except Exception as error:
        if not run.retrace_helps:
            close_refused_call(run, error)
        if not run.retrace_helps:
            vars(error)["__ag_printed__"] = "".join(run.said)
            raise
    finally:
        run.keep_cursors(cursors)


@contextmanager
def in_full_if_refused(mode: TraceMode) -> Iterator[None]:
    """Asks for a longer graph where objects that make it short are refused."""
    try:
        yield
    except Exception as error:
        if mode.sites.shorter and (isinstance(error, (TracingError, GraphError))
                              or is_about_tensors(error)):
            raise RetraceInFull from error
        raise
